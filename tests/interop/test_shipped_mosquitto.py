"""Mosquitto with the files of `deploy/mosquitto`: who is let in, and who may write where."""

import re
import secrets
from collections.abc import Callable
from pathlib import Path

import pytest

from ataxxd.transport.base import BrokerRefused, Received, Will
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import SigningKey, Topics
from tests.brokers import Mosquitto
from tests.certificates import Certificates
from tests.conftest import require
from tests.events import next_of
from tests.faults import FaultProxy
from tests.shipped import ShippedMosquitto

TOPICS = Topics()
HOST, GUEST, STRANGER = (SigningKey(secrets.token_bytes(32)).node for _ in range(3))
PASSWORD = "not a secret"
WRITERS: dict[str, set[str]] = {
    TOPICS.offer("game", HOST): {HOST},
    TOPICS.state("game", HOST): {HOST},
    TOPICS.state("game", HOST, 1): {HOST},
    TOPICS.state("game", HOST, 999): {HOST},
    TOPICS.out("game", HOST, HOST): {HOST},
    TOPICS.status("game", HOST, HOST): {HOST},
    # A host may write anything below its own game; there signatures decide.
    TOPICS.out("game", HOST, GUEST): {HOST, GUEST},
    TOPICS.status("game", HOST, GUEST): {HOST, GUEST},
    TOPICS.who("game"): {HOST, GUEST, STRANGER},
    TOPICS.who(): {HOST, GUEST, STRANGER},
    TOPICS.card(GUEST): {GUEST},
    TOPICS.post(GUEST, HOST): {GUEST},
    TOPICS.call(GUEST, "clubbots"): {GUEST},
    # What is not in the table.
    f"{TOPICS.base}/_/{GUEST}/doctor": {GUEST},
    "ataxxd": set(),
    "ataxxd/1": set(),
    "ataxxd/1/who": set(),
    "ataxxd/2/game/who": set(),
    f"ataxxd/2/game/{GUEST}/offer": set(),
    f"ataxxd/1/{GUEST}": set(),
    f"ataxxd/1/{GUEST}/offer": set(),
    f"ataxxd/1/game/{HOST}/state/1/{GUEST}": {HOST},
    "other/topic": set(),
    f"other/1/game/{GUEST}/offer": set(),
}


@pytest.fixture
def shipped(tmp_path: Path) -> Callable[..., ShippedMosquitto]:
    """Makes a shipped broker that knows the three nodes; to be entered."""
    require(Mosquitto)

    def make(door: str, certificates: Certificates | None = None) -> ShippedMosquitto:
        users = dict.fromkeys((HOST, GUEST, STRANGER), PASSWORD)
        return ShippedMosquitto(tmp_path / "shipped", door, users, certificates)

    return make


def url(port: int, user: str, word: str = PASSWORD) -> str:
    """The address of the password listener for a user."""
    return f"mqtt://{user}:{word.replace(' ', '%20')}@127.0.0.1:{port}"


async def heard_by(watcher: MqttTransport, writer: MqttTransport, writer_id: str) -> set[str]:
    """The topics of `WRITERS` that come through when one writer tries all of them."""
    for retain in (False, True):
        for topic in WRITERS:
            await writer.publish(topic, b"{}", retain=retain)
    end = TOPICS.out("end", writer_id, writer_id)
    await writer.publish(end, b"")
    heard: set[str] = set()
    while (topic := (await next_of(watcher, Received)).topic) != end:
        heard.add(topic)
    return heard


async def test_nobody_writes_on_a_topic_that_is_not_its_own(
    shipped: Callable[..., ShippedMosquitto],
) -> None:
    with shipped("password") as broker:
        async with MqttTransport(url(broker.port, STRANGER)) as watcher:
            await watcher.subscribe("#")
            for node in (HOST, GUEST, STRANGER):
                before = len(broker.log)
                async with MqttTransport(url(broker.port, node)) as writer:
                    heard = await heard_by(watcher, writer, node)
                own = {topic for topic, who in WRITERS.items() if node in who}
                denied = re.findall(r"Denied PUBLISH from .*, '([^']*)', ", broker.log[before:])
                # Each was tried twice, once retained.
                assert sorted(denied) == sorted([*(WRITERS.keys() - own)] * 2)
                assert heard == own


async def test_a_will_on_anothers_topic_is_not_published(
    shipped: Callable[..., ShippedMosquitto],
) -> None:
    anothers, own = TOPICS.status("game", HOST, HOST), TOPICS.status("game", HOST, GUEST)
    with shipped("password") as broker:
        async with (
            FaultProxy(broker.port) as proxy,
            MqttTransport(url(broker.port, HOST)) as watcher,
        ):
            await watcher.subscribe("ataxxd/1/#")
            for topic in (anothers, own):
                will = Will(topic, b"lost")
                async with MqttTransport(url(proxy.port, GUEST), will=lambda _, will=will: will):  # type: ignore[misc]
                    proxy.cut()
            assert (await next_of(watcher, Received)).topic == own


@pytest.mark.parametrize("user", ["nobody", "", HOST], ids=["unknown", "nameless", "wrong"])
async def test_who_has_no_password_or_a_wrong_one_is_not_let_in(
    user: str, shipped: Callable[..., ShippedMosquitto]
) -> None:
    with shipped("password") as broker:
        address = url(broker.port, user, "wrong") if user else broker.url
        with pytest.raises(BrokerRefused, match="does not let in"):
            async with MqttTransport(address):
                pass


async def test_a_payload_that_the_protocol_does_not_have_is_not_carried(
    shipped: Callable[..., ShippedMosquitto],
) -> None:
    out = TOPICS.out("game", HOST, HOST)
    with shipped("password") as broker:
        async with (
            MqttTransport(url(broker.port, HOST), max_payload=2**20) as writer,
            MqttTransport(url(broker.port, GUEST), max_payload=2**20) as watcher,
        ):
            await watcher.subscribe(out)
            await writer.publish(out, b"x" * 16_385)
            await writer.publish(out, b"y" * 16_384)
            assert (await next_of(watcher, Received)).payload == b"y" * 16_384


async def test_a_client_certificate_is_the_user_name(
    shipped: Callable[..., ShippedMosquitto], certificates: Certificates
) -> None:
    with shipped("certificates", certificates) as broker:
        tls = f"mqtts://127.0.0.1:{broker.port}?ca={certificates.ca}"
        with pytest.raises(BrokerRefused):
            async with MqttTransport(tls):
                pass
        addresses = {}
        for node in (HOST, STRANGER):
            cert, key = certificates.for_client(node)
            addresses[node] = f"{tls}&cert={cert}&key={key}"
        async with (
            MqttTransport(addresses[STRANGER]) as watcher,
            MqttTransport(addresses[HOST]) as writer,
        ):
            await watcher.subscribe("#")
            heard = await heard_by(watcher, writer, HOST)
            assert heard == {topic for topic, who in WRITERS.items() if HOST in who}


async def test_passwords_are_asked_for_over_tls_too(
    shipped: Callable[..., ShippedMosquitto], certificates: Certificates
) -> None:
    with shipped("tls", certificates) as broker:
        host = url(broker.port, HOST).replace("mqtt:", "mqtts:") + f"?ca={certificates.ca}"
        async with MqttTransport(host) as node:
            await node.subscribe(TOPICS.who())
            await node.publish(TOPICS.who(), b"")
            assert (await next_of(node, Received)).topic == TOPICS.who()
        with pytest.raises(BrokerRefused, match="does not let in"):
            async with MqttTransport(host.replace("not%20a%20secret", "wrong")):
                pass
