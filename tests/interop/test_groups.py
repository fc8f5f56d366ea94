"""Groups at real brokers: each call is taken by one member, however the broker spreads them."""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from ataxxd.node.messaging.calls import Membership, supports_sharing
from ataxxd.node.messaging.challenges import Challenged, IncomingChallenges, OutgoingChallenge
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.offers import Terms, new_offer
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_protocol import SigningKey
from ataxxd_protocol.messages import Challenge, Offer
from tests.brokers import BrokerProcess, Mosquitto
from tests.conformance.games import RULESET
from tests.conftest import require
from tests.faults import FaultProxy
from tests.messaging import open_messenger, until
from tests.other_brokers import SHARED, gap
from tests.shipped import ShippedMosquitto
from tests.time_limits import DEADLINE

PASSWORD = "not a secret"


@pytest.fixture
def group() -> str:
    """A group that no other test uses."""
    return f"tests-{secrets.token_hex(4)}"


def new_key() -> SigningKey:
    return SigningKey(secrets.token_bytes(32))


def offer_by(messenger: Messenger, number: int) -> Offer:
    return new_offer(
        messenger.key,
        f"call-{number}",
        GameRecord(Position.start(RULESET)),
        color="first",
        secret=secrets.token_hex(16),
        now_ms=messenger.clock.now_ms(),
        lasts_ms=60_000,
        terms=Terms(),
    )


class Bot:
    """A member that takes one game.

    Attributes:
        took: the challenges that it took.
    """

    def __init__(self, messenger: Messenger, group: str) -> None:
        self.messenger = messenger
        self.took: list[Challenge] = []
        self._membership = Membership(messenger, group)
        self._incoming = IncomingChallenges(messenger, lambda _: None, self.took.append)
        self._group = group

    async def start(self, *, by_turns: bool | None) -> None:
        """Be there; `by_turns` as the broker does when None."""
        await self.messenger.read_cards()
        self.messenger.card.publish(
            name=self._group, kind="bot", groups=[self._group], free=1, playing=0
        )
        if by_turns is None:
            await self._membership.join()
        else:
            self._membership.by_turns = by_turns
            await self._membership.listen(True)
        await self._incoming.open({self._group: self._membership})


@asynccontextmanager
async def bots(
    urls: list[str], group: str, *, by_turns: bool | None = None
) -> AsyncIterator[list[Bot]]:
    """Members that know each other."""
    async with AsyncExitStack() as stack:
        made = [
            Bot(await stack.enter_async_context(open_messenger(url, new_key())), group)
            for url in urls
        ]
        for bot in made:
            await bot.start(by_turns=by_turns)
        nodes = {bot.messenger.key.node for bot in made}
        await until(
            lambda: all(
                bot.messenger.cards.members(group) >= nodes - {bot.messenger.key.node}
                for bot in made
            )
        )
        yield made


@pytest.fixture
def sure(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow the machine is, what a broker shares comes in time; only where it does share."""
    monkeypatch.setattr("ataxxd.node.messaging.calls.PROBE_S", DEADLINE)


async def test_it_is_found_out_whether_the_broker_delivers_by_shared_subscriptions(
    broker: BrokerProcess, group: str, request: pytest.FixtureRequest
) -> None:
    if not gap(broker, SHARED):
        request.getfixturevalue("sure")
    async with open_messenger(broker.url, new_key()) as messenger:
        assert await supports_sharing(messenger, group) is not bool(gap(broker, SHARED))


@pytest.mark.requirement("MP-CALL-2", "MP-CALL-4")
async def test_two_members_take_every_call_once_on_every_broker(
    broker: BrokerProcess, group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, the second hears the first in time.
    monkeypatch.setattr("ataxxd.node.messaging.calls.STEP_S", 30.0)
    async with (
        bots([broker.url] * 2, group) as made,
        open_messenger(broker.url, new_key()) as messenger,
    ):
        for number in range(8):
            challenging = OutgoingChallenge(
                messenger, Challenged(None, group), offer_by(messenger, number)
            )
            running = asyncio.create_task(challenging.run())
            await until(lambda: sum(len(bot.took) for bot in made) > number)  # noqa: B023
            running.cancel()
        taken = [challenge.offer.name for bot in made for challenge in bot.took]
        assert sorted(taken) == [f"call-{number}" for number in range(8)]


@pytest.mark.usefixtures("sure")
async def test_two_members_take_one_of_two_calls_each_where_the_broker_shares(
    mosquitto: Mosquitto, group: str
) -> None:
    async with (
        bots([mosquitto.url] * 2, group) as made,
        open_messenger(mosquitto.url, new_key()) as messenger,
    ):
        for number in range(2):
            await messenger.send(
                OutgoingChallenge(
                    messenger, Challenged(None, group), offer_by(messenger, number)
                ).challenge
            )
        await until(lambda: all(bot.took for bot in made))
        assert [len(bot.took) for bot in made] == [1, 1]


@pytest.mark.requirement("MP-CALL-3")
async def test_when_a_member_dies_the_next_one_takes_the_call(
    mosquitto: Mosquitto, group: str
) -> None:
    async with FaultProxy(mosquitto.port) as proxy:
        urls = [proxy.url, mosquitto.url]
        async with (
            bots(urls, group, by_turns=False) as (dying, living),
            open_messenger(mosquitto.url, new_key()) as messenger,
        ):
            # Whichever of the two would be first: one of many calls is the dying one's.
            proxy.freeze()
            for number in range(8):
                challenging = OutgoingChallenge(
                    messenger, Challenged(None, group), offer_by(messenger, number)
                )
                await messenger.send(challenging.challenge)
            await until(lambda: len(living.took) == 8)
            assert dying.took == []
            proxy.thaw()


@pytest.mark.usefixtures("sure")
async def test_calls_and_cards_work_under_the_shipped_access_rules(
    tmp_path: Path, group: str
) -> None:
    require(Mosquitto)
    keys = [new_key() for _ in range(3)]
    users = {key.node: PASSWORD for key in keys}
    with ShippedMosquitto(tmp_path / "shipped", "password", users, None) as broker:
        word = PASSWORD.replace(" ", "%20")
        urls = [f"mqtt://{key.node}:{word}@127.0.0.1:{broker.port}" for key in keys]
        async with AsyncExitStack() as stack:
            messengers = [
                await stack.enter_async_context(open_messenger(url, key))
                for url, key in zip(urls, keys, strict=True)
            ]
            members = [Bot(messenger, group) for messenger in messengers[:2]]
            for bot in members:
                await bot.start(by_turns=None)
            caller = messengers[2]
            await caller.read_cards()
            await until(lambda: len(caller.cards.members(group)) == 2)
            for number in range(2):
                offer = offer_by(caller, number)
                await caller.send(
                    OutgoingChallenge(caller, Challenged(None, group), offer).challenge
                )
            await until(lambda: sum(len(bot.took) for bot in members) == 2)
