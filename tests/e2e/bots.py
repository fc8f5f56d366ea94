"""A bot that takes challenges, in the process of the test; a node of its own over a real broker."""

import asyncio
import io
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ataxxd.cli.files import transcript_bytes
from ataxxd.cli.screen import print_game_live
from ataxxd.engines.registry import make_bot
from ataxxd.node.errors import SeatTaken
from ataxxd.node.game_run import GameContext
from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.challenges import IncomingChallenges
from ataxxd.node.messaging.letters import Refusal
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.node import Node
from ataxxd.node.profile import open_profile
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.text.console import Output
from ataxxd_protocol.messages import Challenge
from tests.conformance.games import RULESET
from tests.messaging import open_messenger


@dataclass
class Bot:
    """What it is and did.

    Attributes:
        messenger: its messenger.
        scores: of the games that it has played to their ends.
    """

    messenger: Messenger
    scores: list[str]


@asynccontextmanager
async def a_bot(
    url: str,
    home: Path,
    *,
    group: str | None = None,
    judge: Callable[[Challenge], Refusal | None] = lambda _: None,
) -> AsyncIterator[Bot]:
    """A bot at the broker of an address that takes whatever `judge` lets pass."""
    async with (
        open_profile(home) as profile,
        open_messenger(url, profile.key) as messenger,
        asyncio.TaskGroup() as games,
    ):
        bot = Bot(messenger, [])
        place = GameContext(
            profile, lambda will: MqttTransport(url, will=will), transcript_bytes, print
        )
        node = Node(place, url, settings=Settings(player="random:1"))

        def take(challenge: Challenge) -> None:
            games.create_task(_play(node, challenge, bot))

        incoming = IncomingChallenges(messenger, judge, take)
        groups = {}
        await messenger.read_cards()
        if group is not None:
            groups[group] = Membership(messenger, group)
            await groups[group].join()
        await incoming.open(groups)
        messenger.card.publish(
            name="testbot",
            kind="bot",
            rulesets=[RULESET],
            groups=None if group is None else [group],
            free=1,
            playing=0,
        )
        yield bot


async def _play(node: Node, challenge: Challenge, bot: Bot) -> None:
    player = SeatPlayer(make_bot("random:1"), stays=False)
    with node.join_game(challenge.offer, player=player) as game:
        playing = asyncio.create_task(game.run(), name="a game of the bot")
        if not await game.begun():
            # A call that nobody has taken for five seconds goes out again, and may find another
            # bot meanwhile; the first to come has the seat.
            with suppress(SeatTaken):
                await playing
            return
        # The bot thinks while somebody waits for what happens.
        attending = asyncio.create_task(print_game_live(game, Output(io.StringIO(), io.StringIO())))
        await playing
        await attending
        assert game.outcome is not None
        bot.scores.append(game.outcome.score)
