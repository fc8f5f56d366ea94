"""What clients can make the embedded broker hold, whatever they do."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import pytest

from ataxxd.transport.base import Received, SubscriptionRefused
from ataxxd.transport.broker import EmbeddedBroker
from ataxxd.transport.broker_connections import Bounds
from ataxxd.transport.mqtt import MqttTransport
from tests.events import next_of
from tests.time_limits import DEADLINE

HERE, STRANGER = "127.0.0.1", "127.0.0.2"
# Longer than any test takes.
NEVER_S = 10 * DEADLINE


class Raw:
    """A client that says what it likes, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer

    def send(self, kind: int, body: bytes, length: int | None = None) -> None:
        """A packet; with `length` one that announces another length than it has."""
        left, digits = len(body) if length is None else length, bytearray()
        while not digits or left:
            digits.append(left & 0x7F | (0x80 if left > 0x7F else 0))
            left >>= 7
        self.writer.write(bytes([kind]) + bytes(digits) + body)

    def connect(self, name: str, keepalive: int = 60) -> None:
        self.send(0x10, b"\x00\x04MQTT\x04\x02" + keepalive.to_bytes(2) + text(name))

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self.send(0x31 if retain else 0x30, text(topic) + payload)

    def subscribe(self, topic: str) -> None:
        self.send(0x82, b"\x00\x01" + text(topic) + b"\x01")

    async def accepted(self) -> None:
        assert await self.reader.readexactly(4) == b"\x20\x02\x00\x00"

    async def hung_up_on(self) -> None:
        """Wait until the broker has closed the connection."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


def text(value: str) -> bytes:
    return len(value).to_bytes(2) + value.encode()


@asynccontextmanager
async def raw(broker: EmbeddedBroker, address: str = HERE) -> AsyncIterator[Raw]:
    """A connection from one of this machine's addresses."""
    reader, writer = await asyncio.open_connection(HERE, broker.port, local_addr=(address, 0))
    try:
        yield Raw(reader, writer)
    finally:
        writer.transport.abort()
        with suppress(ConnectionError):
            await writer.wait_closed()


@asynccontextmanager
async def client(broker: EmbeddedBroker, name: str, address: str = HERE) -> AsyncIterator[Raw]:
    """One that the broker has accepted."""
    async with raw(broker, address) as one:
        one.connect(name)
        await one.accepted()
        yield one


async def until(condition: Callable[[], bool]) -> None:
    while not condition():  # noqa: ASYNC110 - the broker tells nobody
        await asyncio.sleep(0)


async def stop_reading(one: Raw) -> None:
    """Subscribe to what is sent next, and read nothing of it."""
    one.subscribe("t")
    assert await one.reader.readexactly(5) == b"\x90\x03\x00\x01\x01"
    one.writer.transport.pause_reading()  # type: ignore[attr-defined] # of every socket


async def serves(broker: EmbeddedBroker) -> None:
    """Check that others are served."""
    async with MqttTransport(broker.url) as honest:
        await honest.subscribe("honest")
        await honest.publish("honest", b"move")
        assert (await next_of(honest, Received)).payload == b"move"


async def test_whoever_announces_a_packet_that_is_too_long_is_hung_up_on_before_it_comes() -> None:
    async with EmbeddedBroker(port=0) as broker:
        for length in (20 * 1024 + 1, 2**28 - 1):
            async with raw(broker) as first:
                first.send(0x10, b"\x00\x04MQTT", length)
                await first.hung_up_on()
            async with client(broker, "long") as later:
                later.send(0x30, text("t"), length)
                await later.hung_up_on()
        await serves(broker)


async def test_a_packet_whose_fields_reach_beyond_it_is_hung_up_on() -> None:
    async with EmbeddedBroker(port=0) as broker, client(broker, "beyond") as one:
        one.send(0x30, b"\x00\xfft")
        await one.hung_up_on()
        await serves(broker)


async def test_qos_2_which_the_protocol_does_not_use_is_hung_up_on() -> None:
    async with EmbeddedBroker(port=0) as broker, client(broker, "two") as one:
        one.send(0x34, text("t") + b"\x00\x01x")
        await one.hung_up_on()


async def test_an_address_has_so_many_connections_and_others_have_theirs() -> None:
    bounds = Bounds(connections=5, connections_of_address=3)
    async with EmbeddedBroker(port=0, bounds=bounds) as broker:
        async with (
            raw(broker, STRANGER),
            raw(broker, STRANGER),
            raw(broker, STRANGER),
            raw(broker, STRANGER) as fourth,
        ):
            await fourth.hung_up_on()
            await serves(broker)
            async with raw(broker), raw(broker), raw(broker) as sixth:
                await sixth.hung_up_on()
        await serves(broker)


async def test_a_connection_that_does_not_say_who_it_is_is_hung_up_on() -> None:
    async with EmbeddedBroker(port=0, bounds=Bounds(connect_s=0.01)) as broker:
        async with raw(broker) as silent:
            await silent.hung_up_on()
        async with raw(broker) as slow:
            slow.writer.write(b"\x10")
            await slow.hung_up_on()


async def test_a_client_without_a_keepalive_may_not_be_silent_for_ever() -> None:
    bounds = Bounds(silence_s=1)
    async with EmbeddedBroker(port=0, bounds=bounds) as broker, raw(broker) as one:
        one.connect("silent", keepalive=0)
        await one.accepted()
        await one.hung_up_on()


async def test_an_address_has_so_many_subscriptions_and_gets_them_back() -> None:
    bounds = Bounds(subscriptions=4, subscriptions_of_address=3)
    async with EmbeddedBroker(port=0, bounds=bounds) as broker:
        async with MqttTransport(broker.url) as node:
            for number in range(3):
                await node.subscribe(f"t/{number}")
            with pytest.raises(SubscriptionRefused):
                await node.subscribe("t/3")
            await node.subscribe("t/2")
            await node.unsubscribe("t/2")
            await node.subscribe("t/3")
            await node.publish("t/3", b"heard")
            assert (await next_of(node, Received)).payload == b"heard"
        held = broker._broker
        assert held is not None
        await until(lambda: not held.subscriptions)
        await serves(broker)


@pytest.mark.parametrize("pattern", ["a" * 257, "/".join("a" * 17)])
async def test_a_filter_longer_or_deeper_than_any_of_the_protocol_is_refused(pattern: str) -> None:
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as node:
        with pytest.raises(SubscriptionRefused):
            await node.subscribe(pattern)
        async with client(broker, "long") as one:
            one.publish(pattern, b"x")
            await one.hung_up_on()


async def test_retained_messages_have_a_bound_and_whoever_has_most_makes_room() -> None:
    bounds = Bounds(retained=40 * 1024, retained_least=4096)
    async with (
        EmbeddedBroker(port=0, bounds=bounds) as broker,
        MqttTransport(broker.url) as host,
        client(broker, "stranger", STRANGER) as stranger,
    ):
        held = broker._broker
        assert held is not None
        for number in range(3):
            await host.publish(f"ours/{number}", b"offer", retain=True)
        await host.drain()
        for number in range(1000):
            stranger.publish(f"theirs/{number}", b"x" * (number % 2 * 16_384), retain=True)
        stranger.publish("theirs/last", b"last", retain=True)
        await until(lambda: "theirs/last" in held.retained_messages)
        assert len(held.retained_messages) <= 10
        assert sum(len(each.data) for each in held.retained_messages.values()) <= 40 * 1024
        assert {f"ours/{number}" for number in range(3)} <= {*held.retained_messages}
        await host.subscribe("ours/+")
        assert {(await next_of(host, Received)).topic for _ in range(3)} == {
            "ours/0",
            "ours/1",
            "ours/2",
        }
        for number in range(1000):
            await host.publish(f"ours/{number}", b"", retain=True)
        await host.drain()
        assert not any(topic.startswith("ours") for topic in held.retained_messages)


async def test_what_waits_for_a_client_that_does_not_read_has_a_bound() -> None:
    bounds = Bounds(waiting_bytes=2**20, slow_s=NEVER_S)
    async with (
        EmbeddedBroker(port=0, bounds=bounds) as broker,
        MqttTransport(broker.url) as sender,
        client(broker, "slow") as slow,
    ):
        held = broker._broker
        assert held is not None
        await stop_reading(slow)
        most = 0
        for _ in range(1000):
            await sender.publish("t", b"x" * 16_384)
            await sender.drain()
            most = max(most, held._waiting)
        assert 2**19 < most <= 2**20
        await serves(broker)


async def test_a_client_that_does_not_read_is_hung_up_on_after_a_while() -> None:
    async with (
        EmbeddedBroker(port=0, bounds=Bounds(slow_s=0.01)) as broker,
        MqttTransport(broker.url) as sender,
        raw(broker) as slow,
    ):
        # Without a keepalive, whose end would be another reason.
        slow.connect("slow", keepalive=0)
        await slow.accepted()
        await stop_reading(slow)
        await sender.publish("t", b"x" * 16_384)
        await until(lambda: broker.client_count == 1)
        slow.writer.transport.resume_reading()  # type: ignore[attr-defined]
        await slow.hung_up_on()


async def test_all_that_waits_together_has_a_bound() -> None:
    bounds = Bounds(waiting_in_all=2**20, waiting_share=2**16, slow_s=NEVER_S)
    async with (
        EmbeddedBroker(port=0, bounds=bounds) as broker,
        MqttTransport(broker.url) as sender,
        client(broker, "a") as one,
        client(broker, "b") as other,
    ):
        held = broker._broker
        assert held is not None
        for each in (one, other):
            await stop_reading(each)
        most = 0
        for _ in range(1000):
            await sender.publish("t", b"x" * 16_384)
            await sender.drain()
            most = max(most, held._waiting)
        assert 2**19 < most <= 2**20 + 2 * 2**16
        await serves(broker)


async def test_a_message_waits_for_few_of_an_address_that_floods_by_many_connections() -> None:
    async with (
        EmbeddedBroker(port=0) as broker,
        MqttTransport(broker.url) as honest,
        MqttTransport(broker.url, max_inbox=20_000) as listener,
        AsyncExitStack() as stack,
    ):
        await listener.subscribe("t/+")
        strangers = [
            await stack.enter_async_context(client(broker, f"stranger{number}", STRANGER))
            for number in range(16)
        ]
        for stranger in strangers:
            for _ in range(500):
                stranger.publish("t/flood", b"x")
        before = 0
        async for event in listener:
            if isinstance(event, Received):
                before += event.topic == "t/flood"
                if before == 100:
                    break
        await honest.publish("t/honest", b"move")
        between = 0
        async for event in listener:
            if isinstance(event, Received):
                if event.topic == "t/honest":
                    break
                between += 1
        assert between < 25


async def test_another_machine_is_read_at_its_pace_whatever_connections_it_makes() -> None:
    bounds = Bounds(messages_at_once=100, messages_per_s=1e-6)
    async with (
        EmbeddedBroker(port=0, bounds=bounds) as broker,
        MqttTransport(broker.url) as honest,
        client(broker, "first", STRANGER) as first,
    ):
        await honest.subscribe("t/+")
        for _ in range(60):
            first.publish("t/flood", b"x")
        heard = [(await next_of(honest, Received)).topic for _ in range(60)]
        async with client(broker, "second", STRANGER) as second:
            for _ in range(1000):
                second.publish("t/flood", b"x")
            heard += [(await next_of(honest, Received)).topic for _ in range(40)]
            first.publish("t/flood", b"x")
            # Fewer than would be a flood to its own connection.
            for _ in range(400):
                await honest.publish("t/honest", b"move")
            heard += [(await next_of(honest, Received)).topic for _ in range(400)]
    assert Counter(heard) == {"t/flood": 100, "t/honest": 400}


async def test_a_client_that_reads_nothing_still_has_room_for_a_message_of_another_address() -> (
    None
):
    bounds = Bounds(waiting=20, share=2, slow_s=NEVER_S)
    async with (
        EmbeddedBroker(port=0, bounds=bounds) as broker,
        MqttTransport(broker.url) as honest,
        client(broker, "stranger", STRANGER) as stranger,
        client(broker, "slow") as slow,
    ):
        held = broker._broker
        assert held is not None
        slow.subscribe("t")
        assert await slow.reader.readexactly(5) == b"\x90\x03\x00\x01\x01"
        for number in range(100):
            stranger.send(0x32, text("t") + (number + 1).to_bytes(2) + b"flood")
        # Only what is acknowledged was taken from the line.
        await stranger.reader.readexactly(4 * 100)
        await until(held._broadcast_queue.empty)
        for _ in range(10):
            await honest.publish("t", b"move")
        await honest.drain()
        await until(held._broadcast_queue.empty)
        said = await slow.reader.readuntil(b"move")
        assert said.count(b"flood") == 20
        assert len(held._deliveries) == 22
