"""Whoever looks on asks again after a silence, in simulated time: nothing of it lasts for good."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest

from ataxxd.node.settlement import LAST_WORD_GRACE
from ataxxd.node.silence import LONGEST_PAUSE_S, WATCHER_REPORT_S
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Closed, Moved, Notice, Over, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd_protocol import TOPICS, encode, signed
from ataxxd_protocol.messages import AnyMessage, LogMessage, Who
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import HOST_KEY, WITNESS_KEYS, Pair
from tests.conformance.witnessed import witnessed
from tests.memory_broker import MemoryBroker, MemoryTransport

pytestmark = pytest.mark.requirement("MP-SYNC-12")


class Watched:
    """A started game on a broker, of which somebody has seen the start."""

    def __init__(self, broker: MemoryBroker, line: MemoryTransport, pair: Pair) -> None:
        self.broker = broker
        self.line = line
        self.pair = pair
        self.seen: list[object] = []
        self._gone = False
        self.watcher = Watcher(SpectatorSession(Ledger(pair.offer)), line)

    def retain(self) -> None:
        """The host publishes its state."""
        offer = self.pair.offer
        for part in state_parts(self.pair.host.ledger):
            topic = TOPICS.state(offer.name, offer.host, part.part)
            self.broker.inject(topic, encode(signed(part, HOST_KEY)), retain=True)

    def is_gone(self) -> bool:
        """Whether the spectator has gone."""
        return self._gone

    def deliver(self, *messages: AnyMessage) -> None:
        """Messages of the players' mailboxes come."""
        for message in messages:
            assert isinstance(message, LogMessage)
            topic = TOPICS.out(self.pair.offer.name, self.pair.offer.host, message.author)
            self.broker.inject(topic, encode(message))

    def said(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.seen if isinstance(event, kind)]

    async def look(self) -> None:
        async for event in self.watcher.events():
            self.seen.append(event)
        self._gone = True


@asynccontextmanager
async def watched(**options: Any) -> AsyncIterator[Watched]:
    broker, pair = MemoryBroker(), Pair.started()
    async with broker.connect(**options) as line:
        game = Watched(broker, line, pair)
        game.retain()
        looking = asyncio.create_task(game.look())
        await asyncio.sleep(1)
        assert game.said(Started)
        try:
            yield game
        finally:
            looking.cancel()
            await asyncio.wait({looking})


def run(story: Coroutine[Any, Any, None]) -> None:
    run_virtually(story, VirtualLoop())


@pytest.mark.parametrize("resubscribes", [True, False])
@pytest.mark.parametrize("after_s", [0, 100])
def test_a_broker_that_forgets_a_subscription_is_subscribed_to_again(
    after_s: float, resubscribes: bool
) -> None:
    async def story() -> None:
        async with watched() as game:
            game.broker.resubscribes = resubscribes
            await asyncio.sleep(after_s)
            game.line.forget()
            game.pair.play("g2")
            game.retain()
            await asyncio.sleep(LONGEST_PAUSE_S)
            assert [event.move.text for event in game.said(Moved)] == ["g2"]
            # And what is said from then on is heard at once.
            game.pair.play("b1")
            game.retain()
            await asyncio.sleep(0.1)
            assert len(game.said(Moved)) == 2

    run(story())


@pytest.mark.parametrize("resubscribes", [True, False])
def test_nothing_is_unsubscribed_from_where_a_second_request_brings_the_state(
    resubscribes: bool,
) -> None:
    async def story() -> None:
        async with watched() as game:
            game.broker.resubscribes = resubscribes
            before = len(game.broker.log)
            await asyncio.sleep(600)
            times = Counter(game.broker.unsubscribed).values()
            assert max(times, default=0) == (0 if resubscribes else 2 * 600 / 60)
            # The host has been asked once at most, before the first renewal.
            assert len(game.broker.log) - before <= 1

    run(story())


def test_a_long_silence_is_told_once_and_asked_about_twice_a_minute() -> None:
    async def story() -> None:
        async with watched() as game:
            before = len(game.broker.log)
            await asyncio.sleep(600)
            assert game.said(Notice) == [Notice("nothing new for a while; Red is awaited")]
            # The broker had the state: the host has not been asked.
            assert len(game.broker.log) == before
            game.pair.play("g2")
            game.retain()
            await asyncio.sleep(2 * WATCHER_REPORT_S)
            assert game.said(Notice)[1:] == [Notice("nothing new for a while; Blue is awaited")]

    run(story())


def test_where_the_broker_has_nothing_the_host_is_asked() -> None:
    async def story() -> None:
        async with watched() as game:
            game.broker.retained.clear()
            before = len(game.broker.log)
            await asyncio.sleep(600)
            asked = [message.payload for message in game.broker.log[before:]]
            assert set(asked) == {encode(Who())}
            assert len(asked) >= 2 * 600 / 60 - 1
            assert game.said(Notice) == [
                Notice("neither the host nor the broker answers; asking again")
            ]

    run(story())


def test_a_broker_that_refuses_to_be_asked_ends_nothing() -> None:
    async def story() -> None:
        async with watched(sleep=asyncio.sleep) as game:
            offer = game.pair.offer
            state = TOPICS.state(offer.name, offer.host)
            game.broker.refused.update({state, state + "/+"})
            await asyncio.sleep(60)
            game.broker.refused.clear()
            game.line.forget()
            game.pair.play("g2")
            game.retain()
            await asyncio.sleep(LONGEST_PAUSE_S)
            assert [event.move.text for event in game.said(Moved)] == ["g2"]

    run(story())


def test_a_part_of_the_state_that_may_not_be_read_ends_nothing() -> None:
    async def story() -> None:
        broker, pair = MemoryBroker(), Pair.started()
        broker.refused.add(TOPICS.state(pair.offer.name, pair.offer.host, 1))
        async with broker.connect() as line:
            game = Watched(broker, line, pair)
            game.retain()
            looking = asyncio.create_task(game.look())
            await asyncio.sleep(1)
            assert game.said(Started)
            game.pair.play("g2")
            game.retain()
            await asyncio.sleep(1)
            assert not looking.done()
            assert [event.move.text for event in game.said(Moved)] == ["g2"]
            looking.cancel()
            await asyncio.wait({looking})

    run(story())


def test_an_end_after_which_something_is_missing_is_no_end_yet() -> None:
    # Seed 1820265010 of the simulation: it left with one of two claims that had crossed.
    async def story() -> None:
        async with watched() as game:
            pair, before = game.pair, len(game.pair.wire)
            pair.carry(Role.HOST, pair.host.resign())
            resigned, _, last = pair.wire[before : before + 3]
            game.deliver(resigned, last)
            await asyncio.sleep(20)
            assert game.said(Over)
            assert not game.is_gone()
            assert encode(Who()) in [message.payload for message in game.broker.log]
            game.retain()
            await asyncio.sleep(1)
            assert game.said(Closed)
            assert game.is_gone()

    run(story())


def test_a_score_that_is_missing_is_asked_for_and_not_waited_for_without_end() -> None:
    async def story() -> None:
        async with watched() as game:
            pair, before = game.pair, len(game.pair.wire)
            pair.carry(Role.HOST, pair.host.resign())
            game.deliver(*pair.wire[before : before + 2])
            await asyncio.sleep(0.9 * LAST_WORD_GRACE)
            assert game.said(Notice) == [Notice("nothing new for a while; Blue is awaited")]
            assert not game.is_gone()
            await asyncio.sleep(0.2 * LAST_WORD_GRACE)
            assert game.is_gone()
            assert game.watcher.standing is Standing.UNCONFIRMED

    run(story())


def test_a_score_that_a_broker_lost_is_found_in_what_it_has_retained() -> None:
    async def story() -> None:
        async with watched() as game:
            pair, before = game.pair, len(game.pair.wire)
            pair.carry(Role.HOST, pair.host.resign())
            game.deliver(*pair.wire[before : before + 2])
            await asyncio.sleep(1)
            game.line.forget()
            game.retain()
            await asyncio.sleep(LONGEST_PAUSE_S)
            assert game.is_gone()
            assert game.watcher.standing is Standing.AGREED

    run(story())


def test_a_witness_is_told_that_it_signs_nothing_of_a_claim_made_before_it_came() -> None:
    async def story() -> None:
        broker, claimed = MemoryBroker(), witnessed()
        for part in state_parts(claimed):
            topic = TOPICS.state(claimed.offer.name, claimed.offer.host, part.part)
            broker.inject(topic, encode(signed(part, HOST_KEY)), retain=True)
        async with broker.connect() as line:
            session = SpectatorSession(Ledger(claimed.offer))
            watcher = Watcher(session, line, witness=WITNESS_KEYS[0])
            seen = [event.text async for event in watcher.events() if isinstance(event, Notice)]
        assert seen == [
            "you sign nothing: you cannot tell for certain how long Blue was silent",
            "nothing new for a while; Blue is awaited",
        ]

    run(story())
