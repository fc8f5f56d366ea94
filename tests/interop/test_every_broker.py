"""What else is known of every kind of broker, and the gaps; see also `test_promises`.

Where a broker is known to have a gap the test holds that it has it, if it can, so that the
table in `tests.other_brokers` does not go stale.
"""

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from ataxxd.errors import TransportError
from ataxxd.transport.base import Connected, Disconnected, Received, Will
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import BrokerProcess
from tests.events import messages, next_of
from tests.faults import Direction, FaultProxy, Packets, packed
from tests.other_brokers import (
    FULL_STOPS,
    TAKEOVER,
    WILL_AT_TAKEOVER,
    gap,
)

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


async def test_full_stops_in_topics_are_themselves_but_for_the_known_gap(
    broker: BrokerProcess, place: str
) -> None:
    known_gap = gap(broker, FULL_STOPS)
    stopped, end = f"{place}/a.b/c", f"{place}/end"
    heard: set[str] = set()
    async with MqttTransport(broker.url) as node:
        try:
            await node.subscribe(f"{place}/a.b/+")
            await node.subscribe(end)
            await node.publish(stopped, b"")
            await node.publish(end, b"")
            # Of two topics the second may come first.
            while not {end} | (set() if known_gap else {stopped}) <= heard:
                heard.add((await next_of(node, Received)).topic)
        except TransportError:
            heard = set()
    assert (stopped not in heard) == bool(known_gap)


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
