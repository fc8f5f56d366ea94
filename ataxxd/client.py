"""A node for programs: bots, watchers and tournaments with asyncio.

    async with open_node("mqtt://127.0.0.1", home="bot") as node:
        async with node.host("ourgame", ruleset="reversi/standard") as game:
            async for position in game.my_turns():
                await game.play(random.choice(position.legal_moves))
        print(game.outcome)

Every error is an `ataxxd.errors.AtaxxdError`, or an `ataxxd.rules.RulesError` for a breach of the
rules. docs/how-to/write-a-bot.md shows more.
"""

from ataxxd.node.challenge_inbox import Challenge, Challenges
from ataxxd.node.game import Game
from ataxxd.node.listing import ListedGame, Progress
from ataxxd.node.local_game import LocalGame as EngineGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node, open_node
from ataxxd.node.watched_game import WatchedGame
from ataxxd.session.events import (
    Asked,
    Begun,
    DrawAsked,
    DrawRefused,
    GameEvent,
    MayBeClaimed,
    MayClaim,
    Moved,
    Named,
    Notice,
    OpponentStays,
    Over,
    Overheard,
    RematchAsked,
    Said,
    TableEvent,
    TakenBack,
    YourTurn,
)
from ataxxd_protocol.messages import Card

Board = Game
"""`Game` under its name in earlier versions."""
NodeClient = Node
"""`Node` under its name in earlier versions."""

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
    "MayBeClaimed",
    "MayClaim",
    "Moved",
    "Named",
    "NetworkGame",
    "Node",
    "NodeClient",
    "Notice",
    "OpponentStays",
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
