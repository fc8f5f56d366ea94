"""Lines that share one connection: each has what it asked for, and nothing else."""

import asyncio

import pytest

from ataxxd.node.receiving import WHO_PAYLOAD, may_concern_every_game
from ataxxd.transport.base import (
    BrokerUnreachable,
    Connected,
    Disconnected,
    Received,
    SubscriptionRefused,
    Transport,
    TransportClosed,
)
from ataxxd.transport.reconnecting import Endpoint, ReconnectingTransport
from ataxxd.transport.shared import SharedConnection
from ataxxd_protocol import Topics
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.events import all_until_closed, next_of
from tests.memory_broker import MemoryBroker


async def test_each_line_has_what_it_asked_for() -> None:
    broker = MemoryBroker()
    async with (
        SharedConnection(broker.connect()) as shared,
        shared.make_line() as a,
        shared.make_line() as b,
    ):
        await a.subscribe("g/1/+")
        await b.subscribe("g/2/+")
        await a.publish("g/2/out", b"to b")
        await b.publish("g/1/out", b"to a")
        await b.drain()
        assert broker.client_count == 1
        assert await next_of(a, Received) == Received("g/1/out", b"to a", retained=False)
        assert await next_of(b, Received) == Received("g/2/out", b"to b", retained=False)


async def test_a_line_that_does_not_hear_itself_hears_all_others_and_what_is_retained() -> None:
    broker = MemoryBroker()
    async with (
        SharedConnection(broker.connect()) as shared,
        shared.make_line(hears_itself=False) as deaf,
        shared.make_line() as other,
    ):
        for line in (deaf, other):
            await line.subscribe("g/+")
        await deaf.publish("g/a", b"mine")
        await other.publish("g/b", b"yours")
        assert await next_of(deaf, Received) == Received("g/b", b"yours", retained=False)
        assert await next_of(other, Received) == Received("g/a", b"mine", retained=False)
        # Somebody else who says the same is an echo once, and then not.
        broker.inject("g/a", b"mine")
        assert await next_of(deaf, Received) == Received("g/a", b"mine", retained=False)
        await deaf.publish("g/c", b"kept", retain=True)
        await deaf.drain()
        await deaf.unsubscribe("g/+")
        await deaf.subscribe("g/c")
        assert await next_of(deaf, Received) == Received("g/c", b"kept", retained=True)


async def test_a_pattern_of_two_lines_stays_until_both_have_left_it() -> None:
    broker = MemoryBroker()
    async with SharedConnection(broker.connect()) as shared, shared.make_line() as a:
        await a.subscribe("who")
        async with shared.make_line() as b:
            await b.subscribe("who")
        broker.inject("who", b"1")
        assert await next_of(a, Received) == Received("who", b"1", retained=False)
        await a.unsubscribe("who")
        broker.inject("who", b"2")
        assert shared.counters.received == 1


async def test_what_the_broker_kept_comes_to_the_line_that_subscribes_later() -> None:
    broker = MemoryBroker()
    broker.inject("offer", b"x", retain=True)
    async with SharedConnection(broker.connect()) as shared, shared.make_line() as a:
        await a.subscribe("offer")
        assert await next_of(a, Received) == Received("offer", b"x", retained=True)
        async with shared.make_line() as b:
            await b.subscribe("offer")
            assert await next_of(b, Received) == Received("offer", b"x", retained=True)


async def test_every_line_learns_of_a_lost_connection_and_of_the_next_one() -> None:
    broker = MemoryBroker()
    trunk = broker.connect()
    async with SharedConnection(trunk) as shared, shared.make_line() as a, shared.make_line() as b:
        for line in (a, b):
            await line.subscribe("g")
            assert await next_of(line, Connected) == Connected(1)
        trunk.cut()
        for line in (a, b):
            assert isinstance(await next_of(line, Disconnected), Disconnected)
            assert await next_of(line, Connected) == Connected(2)
        await a.publish("g", b"x")
        assert await next_of(b, Received) == Received("g", b"x", retained=False)


async def test_a_line_opened_meanwhile_learns_of_the_connection_when_it_is_back() -> None:
    broker = MemoryBroker()
    trunk = broker.connect()
    async with SharedConnection(trunk) as shared, shared.make_line() as early:
        trunk.unplug()
        await next_of(early, Disconnected)
        assert not shared.connected
        async with shared.make_line() as late:
            await late.publish("g", b"x")
            trunk.plug()
            assert await next_of(late, Connected) == Connected(2)
            assert shared.connected


async def test_a_question_to_everybody_reaches_every_line_in_turn() -> None:
    broker = MemoryBroker()
    async with SharedConnection(broker.connect()) as shared:
        lines: list[Transport] = [shared.make_line() for _ in range(200)]
        for line in lines:
            await line.__aenter__()
            await line.subscribe("who")
        broker.inject("who", b"")
        for _ in range(3):  # others may have their turn first
            await asyncio.sleep(0)
        assert sum(line.counters.received for line in lines) == 64  # what may be answered at once
        for _ in range(100):
            broker.inject("who", b"")
            await asyncio.sleep(0)
        assert min(line.counters.received for line in lines) >= 1
        assert sum(line.counters.received for line in lines) <= 64 + 100 * 2 + 64


def test_no_line_is_passed_over_when_now_more_and_now_fewer_can_be_asked() -> None:
    async def story() -> list[int]:
        broker = MemoryBroker()
        async with SharedConnection(broker.connect()) as shared:
            lines: list[Transport] = [shared.make_line() for _ in range(200)]
            for line in lines:
                await line.__aenter__()
                await line.subscribe("who")
            for number in range(100):
                broker.inject("who", b"")
                await asyncio.sleep(0.1 if number % 2 else 0)
            return [line.counters.received for line in lines]

    asked = run_virtually(story(), VirtualLoop())
    assert min(asked) >= max(asked) - 1 >= 1


async def test_junk_where_everybody_is_asked_uses_up_no_answer() -> None:
    broker = MemoryBroker()
    worth = may_concern_every_game
    async with SharedConnection(broker.connect(), worth) as shared:
        lines: list[Transport] = [shared.make_line() for _ in range(64)]
        for line in lines:
            await line.__aenter__()
            await line.subscribe(Topics().who())
        for _ in range(1000):
            broker.inject(Topics().who(), b"{}")
        broker.inject(Topics().who(), WHO_PAYLOAD)
        heard = 0
        while heard < len(lines):
            await asyncio.sleep(0)
            heard = sum(line.counters.received > 0 for line in lines)
        assert {line.counters.received for line in lines} == {1}


async def test_a_refused_pattern_is_forgotten() -> None:
    broker = MemoryBroker()
    broker.refused = {"secret"}
    async with SharedConnection(broker.connect()) as shared, shared.make_line() as a:
        with pytest.raises(SubscriptionRefused):
            await a.subscribe("secret")
        broker.inject("secret", b"x")
        assert shared.counters.received == 0


async def test_a_closed_line_takes_nothing_and_its_events_end() -> None:
    broker = MemoryBroker()
    async with SharedConnection(broker.connect()) as shared:
        async with shared.make_line() as a:
            await a.subscribe("g")
            await a.publish("g", b"x")
            assert await next_of(a, Received) == Received("g", b"x", retained=False)
        with pytest.raises(TransportClosed):
            await a.publish("g", b"y")
        broker.inject("g", b"z")
        assert await all_until_closed(a) == []


async def test_lines_end_with_their_connection() -> None:
    broker = MemoryBroker()
    shared = SharedConnection(broker.connect())
    async with shared:
        line = shared.make_line()
        await line.__aenter__()
        assert await next_of(line, Connected) == Connected(1)
    assert await all_until_closed(line) == []
    with pytest.raises(TransportClosed):
        await line.publish("g", b"x")


async def test_without_a_broker_it_does_not_open() -> None:
    broker = MemoryBroker()
    broker.stop()
    with pytest.raises(BrokerUnreachable):
        await SharedConnection(broker.connect()).__aenter__()


async def test_draining_does_not_wait_for_what_others_publish_later() -> None:
    broker = MemoryBroker()
    async with (
        SharedConnection(broker.connect()) as shared,
        shared.make_line() as busy,
        shared.make_line() as a,
    ):
        await a.publish("g", b"mine")
        drained = asyncio.ensure_future(a.drain())
        for _ in range(20):
            await busy.publish("h", b"more")
            await asyncio.sleep(0)
        assert drained.done()


def test_a_member_is_not_left_for_one_line_while_another_hears_something() -> None:
    async def story() -> None:
        brokers = MemoryBroker("one"), MemoryBroker("other")
        endpoints = [Endpoint(each.url, each.connect()._open_link) for each in brokers]
        async with (
            SharedConnection(ReconnectingTransport(endpoints)) as shared,
            shared.make_line() as silent,
            shared.make_line() as other,
        ):
            assert silent.members == 2
            await silent.subscribe("silent")
            await other.subscribe("t")
            brokers[0].inject("t", b"x")
            await next_of(other, Received)
            assert not silent.change_member("nobody is heard")
            # Nobody but the line that asks has heard anything.
            assert other.change_member("nobody is heard")
            await next_of(silent, Disconnected)
            await next_of(silent, Connected)
            assert shared.url == brokers[1].url
            await asyncio.sleep(60)
            assert silent.change_member("nobody is heard")

    run_virtually(story(), VirtualLoop())
