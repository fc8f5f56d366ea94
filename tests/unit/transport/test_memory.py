"""The broker in memory, and through it the supervisor that every transport shares."""

import asyncio
import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import pytest

from ataxxd.errors import TransportError
from ataxxd.transport.base import (
    BrokerRefused,
    BrokerUnreachable,
    Connected,
    Disconnected,
    OutboxFull,
    PayloadTooLarge,
    Received,
    Refused,
    SubscriptionRefused,
    Transport,
    TransportClosed,
    Will,
)
from ataxxd.transport.queues import Outbox
from ataxxd.transport.reconnecting import Backoff, Endpoint, Link, ReconnectingTransport, Sink
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.events import all_until_closed, messages, next_of
from tests.memory_broker import Carried, MemoryBroker
from tests.time_limits import DEADLINE


def lost(epoch: int) -> Will:
    return Will("status", b"lost %d" % epoch)


async def test_it_is_a_transport() -> None:
    transport: Transport = MemoryBroker().connect()
    assert transport.url == "memory://memory"


async def test_a_message_reaches_every_subscriber_once() -> None:
    broker = MemoryBroker()
    async with broker.connect() as a, broker.connect() as b:
        await a.subscribe("g/+")
        await a.subscribe("g/#")
        await b.subscribe("g/1")
        await a.publish("g/1", b"x")
        await a.publish("g/2", b"y")
        await a.drain()
    assert await all_until_closed(a) == [
        Connected(1),
        Received("g/1", b"x", retained=False),
        Received("g/2", b"y", retained=False),
    ]
    assert await all_until_closed(b) == [Connected(1), Received("g/1", b"x", retained=False)]


async def test_retained_messages_wait_for_late_subscribers_and_can_be_cleared() -> None:
    broker = MemoryBroker()
    async with broker.connect() as host, broker.connect() as guest:
        await host.publish("offer", b"1", retain=True)
        await host.publish("state", b"2", retain=True)
        await host.publish("offer", b"", retain=True)
        await guest.subscribe("#")
        assert await next_of(guest, Received) == Received("state", b"2", retained=True)
        assert broker.retained == {"state": b"2"}


async def test_a_stopped_broker_is_unreachable() -> None:
    broker = MemoryBroker()
    broker.stop()
    with pytest.raises(BrokerUnreachable, match="memory://memory"):
        async with broker.connect():
            pass


async def test_after_a_restart_subscriptions_and_waiting_messages_are_back() -> None:
    broker = MemoryBroker()
    async with broker.connect() as sender, broker.connect() as listener:
        await listener.subscribe("log")
        await sender.publish("kept?", b"", retain=True)
        broker.stop()
        await next_of(sender, Disconnected)
        for number in range(500):
            await sender.publish("log", b"%d" % number)
        broker.start()
        await next_of(listener, Connected)
        await sender.drain()
        numbers = [int(m.payload) for m in await messages(listener, listener.counters.received)]
        assert numbers == list(range(500 - len(numbers), 500))
        assert sender.counters.connections == 2


async def test_what_is_not_sent_before_the_end_is_no_warning(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    broker = MemoryBroker()
    async with broker.connect() as transport:
        broker.stop()
        await transport.publish("g/1", b"x")
    assert transport.counters.acknowledged == 0
    assert not caplog.records


async def test_a_cut_wire_publishes_the_will_and_a_goodbye_does_not() -> None:
    broker = MemoryBroker()
    async with broker.connect() as watcher, broker.connect(will=lost) as node:
        await watcher.subscribe("status")
        node.cut()
        assert (await next_of(watcher, Received)).payload == b"lost 1"
        await next_of(node, Disconnected)
        assert await next_of(node, Connected) == Connected(2)
        node.cut()
        assert (await next_of(watcher, Received)).payload == b"lost 2"
    assert [carried.payload for carried in broker.log] == [b"lost 1", b"lost 2"]


async def test_a_retained_will_without_a_payload_leaves_nothing_on_its_topic() -> None:
    broker = MemoryBroker()
    async with broker.connect(will=lambda _: Will("card", b"", retain=True)) as node:
        await node.publish("card", b"here", retain=True)
        assert broker.retained == {"card": b"here"}
        node.cut()
        assert broker.retained == {}


async def test_a_message_of_a_shared_subscription_goes_to_one_member_in_turn() -> None:
    broker = MemoryBroker()
    async with (
        broker.connect() as sender,
        broker.connect() as first,
        broker.connect() as second,
        broker.connect() as outsider,
    ):
        for member in (first, second):
            await member.subscribe("$share/group/+/call")
        await outsider.subscribe("a/call")
        for number in range(4):
            await sender.publish("a/call", b"%d" % number)
        assert [m.payload for m in await messages(first, 2)] == [b"0", b"2"]
        assert [m.payload for m in await messages(second, 2)] == [b"1", b"3"]
        assert outsider.counters.received == 4
        first.unplug()
        await sender.publish("a/call", b"4")
        assert (await next_of(second, Received)).payload == b"4"


async def test_a_broker_without_shared_subscriptions_grants_them_and_delivers_nothing() -> None:
    broker = MemoryBroker(shares=False)
    async with broker.connect() as node:
        await node.subscribe("$share/group/t")
        await node.subscribe("t")
        await node.publish("t", b"")
        await node.drain()
        assert node.counters.received == 1


async def test_an_unplugged_transport_waits_for_its_cable() -> None:
    broker = MemoryBroker()
    async with broker.connect() as node:
        await node.subscribe("t")
        node.unplug()
        await next_of(node, Disconnected)
        await node.publish("t", b"waiting")
        assert not node.connected
        assert broker.client_count == 0
        node.plug()
        assert await next_of(node, Connected) == Connected(2)
        assert (await next_of(node, Received)).payload == b"waiting"


async def test_what_was_in_doubt_is_sent_again() -> None:
    broker = MemoryBroker()
    async with broker.connect() as sender, broker.connect() as listener:
        await listener.subscribe("t")
        await sender.publish("t", b"1")
        sender.cut()  # before the acknowledgement could arrive
        await sender.drain()
        assert [m.payload for m in await messages(listener, 2)] == [b"1", b"1"]


async def test_the_broker_may_drop_repeat_and_forge() -> None:
    broker = MemoryBroker()

    def interfere(message: Carried) -> Iterator[Carried]:
        if message.payload == b"drop":
            return
        yield message
        if message.payload == b"repeat":
            yield message
        if message.payload == b"forge":
            yield replace(message, payload=b"forged")

    broker.interfere = interfere
    async with broker.connect() as node:
        await node.subscribe("t")
        for payload in (b"drop", b"repeat", b"forge"):
            await node.publish("t", payload)
        broker.inject("t", b"injected")
        arrived = await messages(node, 5)
        assert [m.payload for m in arrived] == [
            b"repeat",
            b"repeat",
            b"forge",
            b"forged",
            b"injected",
        ]


async def test_oversized_and_unasked_messages_are_counted_and_not_delivered() -> None:
    broker = MemoryBroker()
    async with broker.connect(max_payload=10) as node:
        await node.subscribe("t")
        broker.inject("t", b"x" * 11)
        broker.inject("t", b"x" * 10)
        assert (await next_of(node, Received)).payload == b"x" * 10
        assert node.counters.oversize == 1
        node._admit("elsewhere", b"", retained=True)
        assert node.counters.unasked == 1


async def test_publishing_too_much_is_refused_with_the_limit() -> None:
    async with MemoryBroker().connect() as node:
        with pytest.raises(PayloadTooLarge, match=r"16385 bytes.*16384"):
            await node.publish("t", b"x" * 16385)
        with pytest.raises(ValueError, match="wildcards"):
            await node.publish("t/#", b"")
        assert node.counters.published == 0


async def test_a_full_outbox_refuses_and_recovers() -> None:
    broker = MemoryBroker()
    async with broker.connect(outbox=Outbox(limit=2)) as node:
        node.unplug()
        await next_of(node, Disconnected)
        await node.publish("t", b"1")
        await node.publish("t", b"2")
        with pytest.raises(OutboxFull):
            await node.publish("t", b"3")
        node.plug()
        await node.drain()
        await node.publish("t", b"3")
    assert [carried.payload for carried in broker.log] == [b"1", b"2", b"3"]


async def test_a_refused_subscription_is_not_remembered() -> None:
    broker = MemoryBroker()
    broker.refused.add("secret")
    async with broker.connect() as node:
        with pytest.raises(SubscriptionRefused, match="secret"):
            await node.subscribe("secret")
        broker.refused.clear()
        node.cut()
        await next_of(node, Disconnected)
        await next_of(node, Connected)
        broker.inject("secret", b"x")
        assert node.counters.received == 0


async def test_while_a_renewal_is_refused_no_connection_is_reported() -> None:
    broker = MemoryBroker()
    attempts = asyncio.Semaphore(0)
    go_on = asyncio.Event()

    async def pause(_seconds: float) -> None:
        attempts.release()
        if broker.refused:
            await asyncio.sleep(0)
        else:
            await go_on.wait()

    async with broker.connect(sleep=pause) as node:
        await node.subscribe("t")
        await node.subscribe("u")
        broker.refused.add("t")
        node.cut()
        assert await next_of(node, Disconnected) == Disconnected("the connection was cut")
        for _ in range(5):
            await attempts.acquire()
        # One connection all the time, which carries what it may.
        assert node.counters.connections == 2
        await node.publish("u", b"heard")
        assert await anext(aiter(node)) == Received("u", b"heard", retained=False)
        broker.refused.clear()
        go_on.set()
        assert await anext(aiter(node)) == Connected(2)
        broker.inject("t", b"again")
        assert (await next_of(node, Received)).payload == b"again"
        assert node.counters.connections == 2


def test_a_renewal_that_is_refused_for_long_is_told_once() -> None:
    async def story() -> None:
        broker = MemoryBroker()
        async with broker.connect(sleep=asyncio.sleep) as node:
            await node.subscribe("t")
            broker.refused.add("t")
            node.cut()
            await next_of(node, Disconnected)
            told = await anext(aiter(node))
            assert told == Refused('the broker does not let us read "t" any more; asking again')
            assert asyncio.get_running_loop().time() >= 15
            await asyncio.sleep(600)
            broker.refused.clear()
            assert await anext(aiter(node)) == Connected(2)

    run_virtually(story(), VirtualLoop())


def test_a_broker_that_is_away_for_long_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    async def story() -> None:
        broker = MemoryBroker()
        # Tries again every few seconds, as at a real broker.
        async with broker.connect(sleep=asyncio.sleep) as node:
            broker.stop()
            await asyncio.sleep(3_600)
            await node.publish("t", b"1")

    with caplog.at_level(logging.INFO):
        run_virtually(story(), VirtualLoop())
    told = [record.getMessage() for record in caplog.records]
    assert len([each for each in told if "still not connected" in each]) == 1
    assert "closed with 1 message unsent; moves are stored" in told[-1]


def test_a_broker_that_is_back_and_lets_us_in_no_more_is_told_once() -> None:
    async def story() -> None:
        broker = MemoryBroker()
        enter = broker.connect()._open_link
        refusal: TransportError | None = None

        async def dial(will: Will | None, sink: Sink) -> Link:
            if refusal is not None:
                raise refusal
            return await enter(will, sink)

        async with ReconnectingTransport([Endpoint(broker.url, dial)]) as node:
            await next_of(node, Connected)
            refusal = BrokerUnreachable("Nothing is there.")
            broker.stop()
            await next_of(node, Disconnected)
            await asyncio.sleep(100)
            refusal = BrokerRefused("Its certificate has expired: renew it.")
            back = asyncio.get_running_loop().time()
            broker.start()
            told = await anext(aiter(node))
            assert told == Refused("still not connected: Its certificate has expired: renew it.")
            assert asyncio.get_running_loop().time() >= back + 10  # an attempt is every 5 s
            await asyncio.sleep(600)
            refusal = None
            assert await anext(aiter(node)) == Connected(2)

    run_virtually(story(), VirtualLoop())


def test_a_member_of_a_cluster_that_refuses_for_long_is_left_for_the_next() -> None:
    async def story() -> None:
        brokers = MemoryBroker("one"), MemoryBroker("other")
        endpoints = [Endpoint(each.url, each.connect()._open_link) for each in brokers]
        async with ReconnectingTransport(endpoints) as node:
            await node.subscribe("t")
            for broker in brokers:
                broker.refused.add("t")
            brokers[0].stop()
            assert (await next_of(node, Disconnected)).reason == "the broker stopped"
            brokers[0].start()
            brokers[0].refused.clear()
            # The other has never let it read: no connection was reported that could be lost.
            assert await anext(aiter(node)) == Connected(3)
            assert node.url == brokers[0].url
            assert asyncio.get_running_loop().time() >= 15

    run_virtually(story(), VirtualLoop())


def test_a_new_subscription_that_is_refused_for_a_moment_is_granted() -> None:
    async def story() -> None:
        broker = MemoryBroker()
        async with broker.connect(sleep=asyncio.sleep) as node:
            broker.refused.add("t")
            asyncio.get_running_loop().call_soon(broker.refused.clear)
            await node.subscribe("t")
            broker.inject("t", b"x")
            assert (await next_of(node, Received)).payload == b"x"

    run_virtually(story(), VirtualLoop())


async def test_a_pattern_that_is_refused_when_asked_for_again_stays() -> None:
    broker = MemoryBroker()
    async with broker.connect() as node:
        await node.subscribe("t")
        broker.refused.add("t")
        with pytest.raises(SubscriptionRefused):
            await node.subscribe("t")
        broker.inject("t", b"x")
        assert (await next_of(node, Received)).payload == b"x"


async def test_pauses_between_attempts_grow_and_start_small_after_a_stable_connection() -> None:
    broker = MemoryBroker()
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 4:
            broker.start()

    backoff = Backoff(first=1.0, ceiling=60.0, uniform=lambda _, high: high)
    async with broker.connect(sleep=pause, backoff=backoff, stable_after=0.0) as node:
        broker.stop()
        await next_of(node, Disconnected)
        await next_of(node, Connected)
        assert pauses == [1.0, 2.0, 4.0, 8.0]
        node.cut()
        await next_of(node, Disconnected)
        await next_of(node, Connected)
        assert pauses[4:] == [1.0]


async def test_a_closed_transport_refuses_work_with_words() -> None:
    broker = MemoryBroker()
    async with broker.connect() as node:
        pass
    for work in (node.publish("t", b""), node.subscribe("t"), node.drain()):
        with pytest.raises(TransportClosed, match="closed"):
            await work
    with pytest.raises(TransportClosed, match="make a new one"):
        await node.__aenter__()


async def test_closing_while_disconnected_ends_everybody_who_waits() -> None:
    broker = MemoryBroker()
    before = asyncio.all_tasks()
    async with broker.connect() as node:
        node.unplug()
        await next_of(node, Disconnected)
        await node.publish("t", b"never")
        waiting = [
            asyncio.create_task(node.drain()),
            asyncio.create_task(node.subscribe("x")),
        ]
        await asyncio.sleep(0)
    for task in waiting:
        with pytest.raises(TransportClosed):
            await task
    assert asyncio.all_tasks() == before


async def test_a_fault_of_the_transport_reaches_the_consumer() -> None:
    broker = MemoryBroker()

    async def broken(_seconds: float) -> None:
        raise LookupError("a fault of ours")

    async with broker.connect(sleep=broken) as node:
        broker.stop()
        await next_of(node, Disconnected)
        with pytest.raises(LookupError, match="a fault of ours"):
            await next_of(node, Connected)


async def test_cancelling_a_subscription_forgets_it_unless_it_was_held_before() -> None:
    broker = MemoryBroker()
    async with broker.connect() as node:
        await node.subscribe("old")
        node.unplug()
        await next_of(node, Disconnected)
        tasks = [asyncio.create_task(node.subscribe(name)) for name in ("old", "new")]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        node.plug()
        await next_of(node, Connected)
        broker.inject("new", b"unasked")
        broker.inject("old", b"asked")
        assert (await next_of(node, Received)).payload == b"asked"


async def test_every_transport_error_is_one_the_program_can_report() -> None:
    assert issubclass(BrokerUnreachable, TransportError)


async def test_draining_is_done_although_something_new_was_published_since() -> None:
    broker = MemoryBroker()
    async with broker.connect() as node:
        node.unplug()
        await node.publish("t", b"1")

        async def drain_and_go_on() -> None:
            await node.drain()
            await node.publish("t", b"2")

        # Both are woken by the acknowledgement; the first publishes before the second looks.
        async with asyncio.timeout(DEADLINE), asyncio.TaskGroup() as tasks:
            tasks.create_task(drain_and_go_on())
            tasks.create_task(node.drain())
            await asyncio.sleep(0)
            node.plug()


async def test_what_the_broker_has_forgotten_is_subscribed_to_anew() -> None:
    broker = MemoryBroker()
    broker.resubscribes = False
    async with broker.connect() as line:
        await line.subscribe("a")
        line.forget()
        broker.inject("a", b"lost")
        await line.renew("a", "never asked for")
        broker.inject("a", b"heard")
        broker.inject("never asked for", b"x")
        assert await next_of(line, Received) == Received("a", b"heard", retained=False)
    assert line.counters.received == 1


async def test_a_renewal_that_is_refused_ends_the_connection_and_none_is_tried_without() -> None:
    broker = MemoryBroker()
    async with broker.connect() as line:
        await line.subscribe("a")
        broker.refused.add("a")
        await line.renew("a")
        await next_of(line, Disconnected)
        broker.refused.clear()
        assert await next_of(line, Connected) == Connected(2)
        line.unplug()
        await line.renew("a")
        line.plug()


def test_a_member_of_a_cluster_is_left_on_demand_once_a_minute_at_most() -> None:
    async def story() -> None:
        brokers = MemoryBroker("one"), MemoryBroker("other")
        endpoints = [Endpoint(each.url, each.connect()._open_link) for each in brokers]
        async with ReconnectingTransport(endpoints) as node:
            await node.subscribe("t")
            for broker in (brokers[1], brokers[0]):
                assert node.change_member("nobody is heard")
                assert not node.change_member("nobody is heard")  # it is disconnected
                assert (await next_of(node, Disconnected)).reason == "nobody is heard"
                await next_of(node, Connected)
                assert node.url == broker.url
                broker.inject("t", b"x")
                assert await next_of(node, Received) == Received("t", b"x", retained=False)
                assert not node.change_member("nobody is heard")
                await asyncio.sleep(60)

    run_virtually(story(), VirtualLoop())


async def test_a_single_broker_is_never_left_on_demand() -> None:
    async with MemoryBroker().connect() as node:
        assert not node.change_member("nobody is heard")
        assert node.connected
