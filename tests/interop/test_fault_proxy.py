"""The bad network of `tests.faults` does what it says, between our transport and Mosquitto."""

from collections.abc import Iterable

import pytest

from ataxxd.transport.base import Connected, Disconnected, Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import Mosquitto
from tests.events import messages, next_of
from tests.faults import Direction, FaultProxy, Packets, Publish, RandomFaults, packed
from tests.time_limits import DEADLINE

AT_ONCE = Backoff(first=0.02, ceiling=0.02)


async def numbers_through(mosquitto: Mosquitto, proxy: FaultProxy, count: int) -> list[int]:
    """What a listener behind the proxy hears when the numbers below `count` are published there."""
    async with (
        MqttTransport(proxy.url) as listener,
        MqttTransport(proxy.url) as sender,
        MqttTransport(mosquitto.url) as direct,
    ):
        await listener.subscribe("log")
        for number in range(count):
            await sender.publish("log", b"%d" % number)
        await sender.drain()
        proxy.fault = None
        arrived: list[int] = []
        # Two last words: one after all that the broker had, one after all that was late.
        for end in (-1, -2):
            await direct.publish("log", b"%d" % end)
            while end not in arrived or proxy.waiting:
                arrived.append(int((await next_of(listener, Received)).payload))
        return [number for number in arrived if number >= 0]


@pytest.mark.parametrize("size", [0, 1, 127, 128, 16_383, 16_384, 70_000])
def test_packets_are_found_wherever_the_stream_is_cut(size: int) -> None:
    stream = packed(3, 2, b"x" * size) + packed(4, 0, b"\x00\x01") + packed(12, 0, b"")
    for step in (1, 2, 3, 1000, len(stream)) if size < 1000 else (999, len(stream)):
        packets = Packets()
        found = [
            packet
            for start in range(0, len(stream), step)
            for packet in packets.feed(stream[start : start + step])
        ]
        assert found == [(3, 2, b"x" * size), (4, 0, b"\x00\x01"), (12, 0, b"")]


@pytest.mark.parametrize("packet_id", [None, 1, 65_535])
def test_a_published_message_is_read_and_written_as_it_was(packet_id: int | None) -> None:
    message = Publish("ataxxd/1/遊戯", b"{}", packet_id, retain=True)
    ((kind, flags, body),) = Packets().feed(message.packet)
    assert kind == 3
    assert Publish.parse(flags, body) == message


async def test_without_a_fault_everything_arrives_once_and_in_order(mosquitto: Mosquitto) -> None:
    async with FaultProxy(mosquitto.port) as proxy:
        assert await numbers_through(mosquitto, proxy, 300) == list(range(300))
        assert proxy.connections == 2


async def test_repeated_messages_come_again(mosquitto: Mosquitto) -> None:
    async with FaultProxy(mosquitto.port, RandomFaults(1, repeat=0.2)) as proxy:
        arrived = await numbers_through(mosquitto, proxy, 300)
    assert sorted(set(arrived)) == list(range(300))
    assert len(arrived) > 330


async def test_delayed_messages_are_overtaken_and_none_is_lost(mosquitto: Mosquitto) -> None:
    async with FaultProxy(mosquitto.port, RandomFaults(2, delay=0.2, longest=0.02)) as proxy:
        arrived = await numbers_through(mosquitto, proxy, 300)
    assert sorted(arrived) == list(range(300))
    assert arrived != list(range(300))


async def test_dropped_messages_are_acknowledged_and_lost(mosquitto: Mosquitto) -> None:
    faults = RandomFaults(3, drop=0.2)
    async with FaultProxy(mosquitto.port, faults) as proxy:
        arrived = await numbers_through(mosquitto, proxy, 300)
    # Not always in order: Mosquitto lets a few overtake when acknowledgements come early.
    assert len(set(arrived)) == len(arrived)
    assert len(arrived) == 300 - faults.done["drop"]
    assert len(arrived) < 270


async def test_a_fault_may_change_what_is_said(mosquitto: Mosquitto) -> None:
    def shout(message: Publish, direction: Direction) -> Iterable[tuple[float, Publish]]:
        if direction is Direction.TO_BROKER:
            message = Publish(message.topic, message.payload.upper(), message.packet_id)
        return [(0, message)]

    async with (
        FaultProxy(mosquitto.port, shout) as proxy,
        MqttTransport(proxy.url) as sender,
        MqttTransport(mosquitto.url) as listener,
    ):
        await listener.subscribe("t")
        await sender.publish("t", b"word")
        assert (await next_of(listener, Received)).payload == b"WORD"


async def test_a_forged_message_reaches_every_client_of_the_proxy(mosquitto: Mosquitto) -> None:
    async with FaultProxy(mosquitto.port) as proxy, MqttTransport(proxy.url) as listener:
        await listener.subscribe("t")
        proxy.forge("t", b"not the broker's")
        assert await next_of(listener, Received) == Received(
            "t", b"not the broker's", retained=False
        )


async def test_a_stranded_connection_is_dead_and_a_new_one_works(mosquitto: Mosquitto) -> None:
    async with (
        FaultProxy(mosquitto.port) as proxy,
        MqttTransport(proxy.url, keepalive=2, timeout=DEADLINE, backoff=AT_ONCE) as node,
    ):
        await next_of(node, Connected)
        (dead,) = proxy.wires
        assert dead.client_id.startswith("ataxxd")
        proxy.strand()
        await node.publish("log", b"kept")
        assert await next_of(node, Disconnected) == Disconnected("the broker no longer answers")
        assert await next_of(node, Connected) == Connected(2)
        await node.drain()


async def test_a_client_that_does_not_read_gets_everything_when_it_does(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as proxy,
        MqttTransport(proxy.url) as listener,
        MqttTransport(mosquitto.url) as sender,
    ):
        await listener.subscribe("log")
        proxy.freeze(Direction.TO_CLIENT)
        for number in range(200):
            await sender.publish("log", b"%d" % number)
        await sender.drain()
        assert listener.counters.received == 0
        proxy.thaw()
        assert [int(each.payload) for each in await messages(listener, 200)] == list(range(200))
