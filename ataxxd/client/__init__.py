"""A node for programs: bots, watchers and tournaments with asyncio.

    async with open_node("mqtt://127.0.0.1", home="bot") as node:
        async with node.host("ourgame", ruleset="reversi/standard") as game:
            async for position in game.my_turns():
                await game.play(random.choice(position.legal_moves))
        print(game.outcome)

Whatever goes wrong is an `ataxxd.errors.AtaxxdError`, or a `ataxxd.rules.RulesError` where the
rules are broken. docs/how-to/write-a-bot.md shows more.
"""

from ataxxd.client.board import Board
from ataxxd.client.challenges import Challenge, Challenges
from ataxxd.client.events import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    GameEvent,
    MayClaim,
    Moved,
    Named,
    Notice,
    Over,
    Overheard,
    RematchAsked,
    Said,
    TableEvent,
    TakenBack,
    YourTurn,
)
from ataxxd.client.game import EngineGame, Game
from ataxxd.client.network import NetworkGame
from ataxxd.client.node import NodeClient, open_node
from ataxxd.client.watched import WatchedGame
from ataxxd.node.control import ListedGame, Progress
from ataxxd_protocol.messages import Card

__all__ = [
    "Asked",
    "Begun",
    "Board",
    "Card",
    "Challenge",
    "Challenges",
    "DrawAsked",
    "DrawRefused",
    "EngineGame",
    "Game",
    "GameEvent",
    "ListedGame",
    "MayClaim",
    "Moved",
    "Named",
    "NetworkGame",
    "NodeClient",
    "Notice",
    "Over",
    "Overheard",
    "Progress",
    "RematchAsked",
    "Said",
    "TableEvent",
    "TakenBack",
    "WatchedGame",
    "YourTurn",
    "open_node",
]
