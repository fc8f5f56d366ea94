"""Mosquitto with the shipped access rules refuses every write that is not the node's own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics
from tests.brokers import Mosquitto
from tests.conftest import require
from tests.shipped import ShippedMosquitto

ANN, BOB, EVE = "a" * 20, "b" * 20, "e" * 20
TOPICS = Topics()
BASE = TOPICS.base

OWN = (
    # As a host.
    TOPICS.offer("ourgame", EVE),
    TOPICS.state("ourgame", EVE),
    TOPICS.state("ourgame", EVE, 7),
    # As a player and a spectator in a game of somebody else.
    TOPICS.out("ourgame", ANN, EVE),
    TOPICS.status("ourgame", ANN, EVE),
    TOPICS.talk("ourgame", ANN, EVE),
    # Anybody may ask.
    TOPICS.who("ourgame"),
    TOPICS.who(),
    # As a node.
    f"{BASE}/_/{EVE}/card",
    f"{BASE}/_/{EVE}/post/{ANN}",
    f"{BASE}/_/{EVE}/call/club-bots",
    f"{BASE}/_/{EVE}/event/spring-2026",
    f"{BASE}/_/{EVE}/event/spring-2026/3",
    f"{BASE}/_/{EVE}/doctor",
)
NOT_OWN = (
    TOPICS.offer("ourgame", ANN),
    TOPICS.state("ourgame", ANN),
    TOPICS.state("ourgame", ANN, 7),
    TOPICS.out("ourgame", ANN, ANN),
    TOPICS.out("ourgame", ANN, BOB),
    TOPICS.status("ourgame", ANN, ANN),
    TOPICS.status("ourgame", ANN, BOB),
    TOPICS.talk("ourgame", ANN, BOB),
    f"{BASE}/_/{ANN}/card",
    f"{BASE}/_/{ANN}/post/x",
    f"{BASE}/_/{ANN}/post/{EVE}",
    f"{BASE}/_/{ANN}/call/club-bots",
    f"{BASE}/_/{ANN}/event/spring-2026",
    f"{BASE}/_/{ANN}/event/spring-2026/3",
    f"{BASE}/_/{ANN}/doctor",
    # No node's at all, of another version, another root, or the broker's.
    f"{BASE}/_/card",
    f"{BASE}/_",
    f"{BASE}/who",
    f"{BASE}/ourgame",
    f"ataxxd/2/ourgame/{EVE}/offer",
    f"other/1/ourgame/{EVE}/offer",
    f"{EVE}",
    "$SYS/broker/version",
)
PAYLOAD = b"written by eve"


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShippedMosquitto]:
    """Mosquitto as it is shipped, with passwords for two nodes."""
    require(Mosquitto)
    folder: Path = tmp_path_factory.mktemp("shipped") / "broker"
    with ShippedMosquitto(folder, "password", {ANN: "ann", EVE: "eve"}) as broker:
        yield broker


async def reached(broker: ShippedMosquitto, topics: tuple[str, ...], *, retain: bool) -> set[str]:
    """Which of these topics a message of Eve reached, as everybody else sees it."""
    end = TOPICS.who("the-end")
    found: set[str] = set()
    async with (
        MqttTransport(f"mqtt://{ANN}:ann@127.0.0.1:{broker.port}") as ann,
        MqttTransport(f"mqtt://{EVE}:eve@127.0.0.1:{broker.port}") as eve,
    ):
        await ann.subscribe(f"{BASE}/#")
        for topic in (*topics, end):
            await eve.publish(topic, PAYLOAD, retain=retain and topic != end)
        async for event in ann:
            if isinstance(event, Received):
                # A connection's messages come in their order: nothing is on its way any more.
                if event.topic == end:
                    break
                found.add(event.topic)
    return found


@pytest.mark.parametrize("retain", [False, True], ids=["passing", "retained"])
async def test_a_node_writes_where_the_protocol_has_it_write(
    retain: bool, shipped: ShippedMosquitto
) -> None:
    assert await reached(shipped, OWN, retain=retain) >= set(OWN)


@pytest.mark.parametrize("retain", [False, True], ids=["passing", "retained"])
async def test_a_node_writes_in_no_other_place(retain: bool, shipped: ShippedMosquitto) -> None:
    before = shipped.log.count("Denied PUBLISH")
    assert not await reached(shipped, NOT_OWN, retain=retain) & set(NOT_OWN)
    assert shipped.log.count("Denied PUBLISH") - before == len(NOT_OWN)


async def test_what_another_has_retained_cannot_be_wiped(shipped: ShippedMosquitto) -> None:
    card = f"{BASE}/_/{ANN}/card"
    async with (
        MqttTransport(f"mqtt://{ANN}:ann@127.0.0.1:{shipped.port}") as ann,
        MqttTransport(f"mqtt://{EVE}:eve@127.0.0.1:{shipped.port}") as eve,
    ):
        await ann.publish(card, b"the card of ann", retain=True)
        await ann.drain()
        await eve.publish(card, b"", retain=True)
        await eve.drain()
        await eve.subscribe(card)
        async for event in eve:
            if isinstance(event, Received):
                assert (event.payload, event.retained) == (b"the card of ann", True)
                break
