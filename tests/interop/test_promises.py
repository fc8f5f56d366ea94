"""What a broker must promise, as the page on running one says, on every kind of broker.

Where the table says *no* the test holds that it is so, so that the table does not go stale.
"""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Mapping

import pytest

from ataxxd.transport.base import Connected, Disconnected, Received, Will
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from ataxxd_protocol import MAX_PAYLOAD, Topics
from tests.brokers import BrokerProcess
from tests.docs.pages import ROOT
from tests.e2e.recording import retained
from tests.events import messages, next_of
from tests.faults import FaultProxy
from tests.other_brokers import KINDS
from tests.time_limits import DEADLINE

pytestmark = pytest.mark.usefixtures("links")

PAGE = ROOT / "docs" / "how-to" / "run-a-broker.md"
AT_ONCE = Backoff(first=0.02, ceiling=0.02)


async def in_order(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as sender, MqttTransport(broker.url) as listener:
        await listener.subscribe(f"{place}/+/out")
        for number in range(200):
            await sender.publish(f"{place}/host/out", b"%d " % number + b"x" * 200)
        arrived = await messages(listener, 200)
        return [int(each.payload.split()[0]) for each in arrived] == [*range(200)]


async def delivered(broker: BrokerProcess, place: str) -> bool:
    """Those with a good connection hear it, however bad that of whoever says it is."""
    heard: set[bytes] = set()
    async with (
        FaultProxy(broker.port) as proxy,
        MqttTransport(broker.url) as listener,
        MqttTransport(proxy.url, backoff=AT_ONCE) as sender,
    ):
        await listener.subscribe(f"{place}/out")
        for number in range(50):
            await sender.publish(f"{place}/out", b"%d" % number)
            if number % 10 == 5:
                proxy.cut()
        await sender.drain()
        await sender.publish(f"{place}/out", b"end")
        while b"end" not in heard:
            heard.add((await next_of(listener, Received)).payload)
    return {b"%d" % number for number in range(50)} <= heard


async def long_payloads(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as node:
        await node.subscribe(place)
        await node.publish(place, b"x" * MAX_PAYLOAD)
        return len((await next_of(node, Received)).payload) == MAX_PAYLOAD


async def long_topics(broker: BrokerProcess, place: str) -> bool:
    """The longest of the protocol, in a place of its own."""
    name, node = "n" * 32, "k" * 20
    topic = f"{place}/{Topics().out(name, node, node)}"
    async with MqttTransport(broker.url) as listener:
        await listener.subscribe(topic.replace(node, "+"))
        await listener.publish(topic, b"x")
        return (await next_of(listener, Received)).topic == topic


async def kept_for_a_topic(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as host:
        await host.publish(f"{place}/offer", b"old", retain=True)
        await host.publish(f"{place}/offer", b"new", retain=True)
        await host.drain()
        return await retained(broker.url, f"{place}/offer") == {f"{place}/offer": b"new"}


async def kept_again(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as host, MqttTransport(broker.url) as watcher:
        await host.publish(f"{place}/state", b"kept", retain=True)
        await host.drain()
        for _ in range(2):
            await watcher.subscribe(f"{place}/state")
            while not (await next_of(watcher, Received)).retained:
                pass
    return True


async def kept_for_wildcards(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as host:
        await host.publish(f"{place}/host/offer", b"kept", retain=True)
        await host.drain()
        kept = await retained(broker.url, f"{place}/+/offer")
        await host.publish(f"{place}/host/offer", b"", retain=True)
    return kept == {f"{place}/host/offer": b"kept"}


async def cleared(broker: BrokerProcess, place: str) -> bool:
    async with MqttTransport(broker.url) as host:
        await host.publish(f"{place}/offer", b"kept", retain=True)
        await host.publish(f"{place}/offer", b"", retain=True)
        await host.drain()
        return await retained(broker.url, f"{place}/offer") == {}


async def wills(broker: BrokerProcess, place: str) -> bool:
    def lost(epoch: int) -> Will:
        return Will(f"{place}/status", b"lost %d" % epoch)

    async with FaultProxy(broker.port) as proxy, MqttTransport(broker.url) as watcher:
        await watcher.subscribe(f"{place}/status")
        async with MqttTransport(proxy.url, will=lost, backoff=AT_ONCE):
            proxy.cut()
            return (await next_of(watcher, Received)).payload == b"lost 1"


async def wills_that_clear(broker: BrokerProcess, place: str) -> bool:
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
    return True


async def silent_clients(broker: BrokerProcess, place: str) -> bool:
    """One whose connection nobody has ended is lost once it misses its pings."""

    def lost(epoch: int) -> Will:
        return Will(f"{place}/status", b"lost %d" % epoch)

    async with FaultProxy(broker.port) as proxy, MqttTransport(broker.url) as watcher:
        await watcher.subscribe(f"{place}/status")
        async with MqttTransport(
            proxy.url, will=lost, keepalive=2, timeout=DEADLINE, backoff=AT_ONCE
        ) as node:
            await next_of(node, Connected)
            proxy.strand()
            await node.publish(f"{place}/log", b"kept")
            assert await next_of(node, Disconnected) == Disconnected("the broker no longer answers")
            assert await next_of(node, Connected) == Connected(2)
            await node.drain()
            return (await next_of(watcher, Received)).payload == b"lost 1"


Check = Callable[[BrokerProcess, str], Awaitable[bool]]
PROMISES: Mapping[str, Check] = {
    "what it acknowledges reaches all subscribers": delivered,
    "messages on one topic stay in order": in_order,
    "payloads of 16,384 bytes": long_payloads,
    "topics of 150 bytes, seven levels deep": long_topics,
    "a new subscription gets the retained messages": kept_for_a_topic,
    "and a repeated one gets them again": kept_again,
    "so does one with wildcards": kept_for_wildcards,
    "an empty payload clears a retained message": cleared,
    "the will of a lost connection is published": wills,
    "and can clear a retained message": wills_that_clear,
    "a silent client counts as lost": silent_clients,
}


def table() -> dict[str, dict[str, bool]]:
    """What the page says: promise, broker, whether it is kept."""
    section = PAGE.read_text(encoding="utf-8").partition("## What a broker must promise")[2]
    lines = [line for line in section.partition("\n## ")[0].splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    heading, _, *body = rows
    kinds = [kind.lower() for kind in heading[2:]]
    return {
        row[0]: {
            kind: {"yes": True, "no": False}[cell]
            for kind, cell in zip(kinds, row[2:], strict=True)
        }
        for row in body
    }


def test_the_table_has_every_promise_and_every_broker() -> None:
    assert [*table()] == [*PROMISES]
    assert all([*cells] == [*KINDS] for cells in table().values())


@pytest.mark.parametrize("promise", PROMISES)
async def test_a_broker_promises_what_the_table_says(promise: str, broker: BrokerProcess) -> None:
    (kind,) = (kind for kind, made in KINDS.items() if made is type(broker))
    kept = await PROMISES[promise](broker, f"tests/{secrets.token_hex(4)}")
    assert kept == table()[promise][kind]
