"""What the protocol needs of a broker, on every kind of broker, and the gaps that we know of.

Where a broker is known to have a gap the test holds that it has it, if it can, so that the
table in `tests.other_brokers` does not go stale.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ataxxd.errors import TransportError
from ataxxd.transport.backoff import Backoff
from ataxxd.transport.base import Connected, Disconnected, Received, Will
from ataxxd.transport.mqtt import MqttTransport
from tests.brokers import BrokerProcess
from tests.e2e.recording import retained
from tests.events import messages, next_of
from tests.faults import Direction, FaultProxy, Packets, packed
from tests.other_brokers import (
    FULL_STOPS,
    RETAINED_BY_WILDCARD,
    TAKEOVER,
    WILL_AT_TAKEOVER,
    gap,
)
from tests.time_limits import DEADLINE

pytestmark = pytest.mark.usefixtures("links")

AT_ONCE = Backoff(first=0.02, ceiling=0.02)


@pytest.fixture
def place() -> str:
    """A branch of topics that no other test uses."""
    return f"tests/{secrets.token_hex(4)}"


@asynccontextmanager
async def second_connection(url_port: int, client_id: str) -> AsyncIterator[None]:
    """Connects with a client id that another connection has; accepted on entry."""
    reader, writer = await asyncio.open_connection("127.0.0.1", url_port)
    name = client_id.encode()
    writer.write(
        packed(1, 0, b"\x00\x04MQTT\x04\x02\x00\x3c" + len(name).to_bytes(2) + name)  # CONNECT
    )
    try:
        ((kind, _, body),) = Packets().feed(await reader.read(1024))
        assert (kind, body) == (2, b"\x00\x00")  # CONNACK, accepted
        yield
    finally:
        writer.close()
        await writer.wait_closed()


async def test_messages_of_one_topic_arrive_in_order(broker: BrokerProcess, place: str) -> None:
    async with MqttTransport(broker.url) as sender, MqttTransport(broker.url) as listener:
        await listener.subscribe(f"{place}/+/out")
        for number in range(200):
            await sender.publish(f"{place}/host/out", b"%d " % number + b"x" * 200)
        arrived = await messages(listener, 200)
        assert [int(each.payload.split()[0]) for each in arrived] == list(range(200))


async def test_the_longest_payload_is_carried(broker: BrokerProcess, place: str) -> None:
    async with MqttTransport(broker.url) as node:
        await node.subscribe(place)
        await node.publish(place, b"x" * 16_384)
        assert len((await next_of(node, Received)).payload) == 16_384


async def test_what_is_retained_is_given_to_an_exact_subscription_until_it_is_cleared(
    broker: BrokerProcess, place: str
) -> None:
    async with MqttTransport(broker.url) as host:
        await host.publish(f"{place}/offer", b"old", retain=True)
        await host.publish(f"{place}/offer", b"new", retain=True)
        await host.drain()
        assert await retained(broker.url, f"{place}/offer") == {f"{place}/offer": b"new"}
        await host.publish(f"{place}/offer", b"", retain=True)
        await host.drain()
        assert await retained(broker.url, f"{place}/offer") == {}


async def test_what_is_retained_is_given_to_wildcards_but_for_the_known_gap(
    broker: BrokerProcess, place: str
) -> None:
    async with MqttTransport(broker.url) as host:
        await host.publish(f"{place}/host/offer", b"kept", retain=True)
        await host.drain()
        kept = await retained(broker.url, f"{place}/+/offer")
        await host.publish(f"{place}/host/offer", b"", retain=True)
    known = gap(broker, RETAINED_BY_WILDCARD)
    assert kept == ({} if known else {f"{place}/host/offer": b"kept"})


async def test_full_stops_in_topics_are_themselves_but_for_the_known_gap(
    broker: BrokerProcess, place: str
) -> None:
    heard: list[str] = []
    async with MqttTransport(broker.url) as node:
        try:
            await node.subscribe(f"{place}/a.b/+")
            await node.subscribe(f"{place}/end")
            await node.publish(f"{place}/a.b/c", b"")
            await node.publish(f"{place}/end", b"")
            while not heard or heard[-1] != f"{place}/end":
                heard.append((await next_of(node, Received)).topic)
        except TransportError:
            heard = []
    assert (f"{place}/a.b/c" not in heard) == bool(gap(broker, FULL_STOPS))


async def test_the_will_is_published_when_the_wire_is_cut(
    broker: BrokerProcess, place: str
) -> None:
    def lost(epoch: int) -> Will:
        return Will(f"{place}/status", b"lost %d" % epoch)

    async with FaultProxy(broker.port) as proxy, MqttTransport(broker.url) as watcher:
        await watcher.subscribe(f"{place}/status")
        async with MqttTransport(proxy.url, will=lost, backoff=AT_ONCE):
            proxy.cut()
            assert (await next_of(watcher, Received)).payload == b"lost 1"


async def test_a_retained_will_without_a_payload_clears_its_topic(
    broker: BrokerProcess, place: str
) -> None:
    def gone(_epoch: int) -> Will:
        return Will(f"{place}/card", b"", retain=True)

    async with FaultProxy(broker.port) as proxy, MqttTransport(broker.url) as watcher:
        await watcher.subscribe(f"{place}/card")
        async with MqttTransport(proxy.url, will=gone, backoff=AT_ONCE) as node:
            await node.publish(f"{place}/card", b"here", retain=True)
            assert (await next_of(watcher, Received)).payload == b"here"
            # What is not acknowledged is said again after the cut, and would be retained again.
            await node.drain()
            proxy.cut()
            assert (await next_of(watcher, Received)).payload == b""
            # What is retained may follow a moment later (RabbitMQ).
            async with asyncio.timeout(DEADLINE):
                while await retained(broker.url, f"{place}/card"):
                    pass


async def test_a_half_open_connection_is_given_up_by_both_ends(
    broker: BrokerProcess, place: str
) -> None:
    def lost(epoch: int) -> Will:
        return Will(f"{place}/status", b"lost %d" % epoch)

    async with FaultProxy(broker.port) as proxy, MqttTransport(broker.url) as watcher:
        await watcher.subscribe(f"{place}/+")
        async with MqttTransport(
            proxy.url, will=lost, keepalive=1, timeout=1, backoff=AT_ONCE
        ) as node:
            await next_of(node, Connected)
            proxy.strand()
            await node.publish(f"{place}/log", b"kept")
            assert await next_of(node, Disconnected) == Disconnected("the broker no longer answers")
            assert await next_of(node, Connected) == Connected(2)
            await node.drain()
            # The broker misses the dead connection's pings; in which order is its own affair.
            heard = {each.payload for each in await messages(watcher, 2)}
            assert heard == {b"kept", b"lost 1"}


async def test_a_connection_whose_id_is_taken_over_comes_back_under_another(
    broker: BrokerProcess, place: str
) -> None:
    if why := gap(broker, TAKEOVER):
        pytest.skip(why)

    def lost(epoch: int) -> Will:
        return Will(f"{place}/status", b"lost %d" % epoch)

    async with (
        FaultProxy(broker.port) as proxy,
        MqttTransport(broker.url) as watcher,
        MqttTransport(proxy.url, will=lost, backoff=AT_ONCE) as node,
    ):
        await watcher.subscribe(f"{place}/#")
        await node.subscribe(f"{place}/answer")
        await next_of(node, Connected)
        (wire,) = proxy.wires
        async with second_connection(broker.port, wire.client_id):
            await next_of(node, Disconnected)
            assert await next_of(node, Connected) == Connected(2)
            assert [each.client_id for each in proxy.wires] != [wire.client_id]
            await node.publish(f"{place}/end", b"here")
            await node.drain()
            await watcher.publish(f"{place}/answer", b"heard")
            assert (await next_of(node, Received)).payload == b"heard"
        heard = [(await next_of(watcher, Received)).payload]
        while b"here" not in heard:
            heard.append((await next_of(watcher, Received)).payload)
    assert (b"lost 1" not in heard) == bool(gap(broker, WILL_AT_TAKEOVER))


async def test_a_client_that_does_not_read_holds_up_nobody_and_can_go_on(
    broker: BrokerProcess, place: str
) -> None:
    async with (
        FaultProxy(broker.port) as proxy,
        MqttTransport(proxy.url, backoff=AT_ONCE) as slow,
        MqttTransport(broker.url) as quick,
        MqttTransport(broker.url) as sender,
    ):
        for listener in (slow, quick):
            await listener.subscribe(f"{place}/log")
        proxy.freeze(Direction.TO_CLIENT)
        for number in range(400):
            await sender.publish(f"{place}/log", b"%d " % number + b"x" * 16_000)
            if number % 100 == 99:
                await sender.drain()
        arrived = await messages(quick, 400)
        assert [int(each.payload.split()[0]) for each in arrived] == list(range(400))
        proxy.thaw()
        # Cut off by the broker or not, it has a connection on which it hears what is new.
        await slow.subscribe(f"{place}/end")
        await sender.publish(f"{place}/end", b"end")
        while (await next_of(slow, Received)).topic != f"{place}/end":
            pass
