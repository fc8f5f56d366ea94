"""Whatever a stranger publishes on a live game's topics, the game is played and verifies."""

import asyncio
import json
import random
import secrets
from pathlib import Path

import pytest

from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import MalformedMessage, SigningKey, decode, encode, signed
from ataxxd_protocol.messages import Offer, SignedMessage, StatePart, Who
from ataxxd_protocol.signing import canonical_json
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.rogues import TOPICS

_MALFORMED = (
    b"",
    b"{}",
    b"[]",
    b"null",
    b"\x00\xff\xfe",
    b"1e999",
    b'{"type":"move"}',
    b"[" * 15_000,
    b'{"a":' * 3_000,
    b'{"n":123456789012345678901234567890}',
    b"x" * 17_000,
    b"y" * 300_000,
)


class Stranger:
    """Answers every message on a broker with noise, replays and forgeries.

    Attributes:
        sent: how many it published.
    """

    def __init__(self, transport: MqttTransport, choices: random.Random) -> None:
        self.sent = 0
        self._transport = transport
        self._choices = choices
        self._key = SigningKey(secrets.token_bytes(32))
        self._own: set[bytes] = set()
        self._seen: list[tuple[str, bytes]] = []

    async def disturb(self) -> None:
        """Go on until cancelled."""
        await self._transport.subscribe("ataxxd/#")
        async for event in self._transport:
            if not isinstance(event, Received) or event.payload in self._own:
                continue
            known = (event.topic, event.payload) in self._seen
            self._seen.append((event.topic, event.payload))
            if not known:
                await self._answer(event.topic, event.payload)

    async def _answer(self, topic: str, payload: bytes) -> None:
        retain = topic.endswith(("offer", "state"))
        await self._say(topic, self._choices.choice(_MALFORMED), retain=retain)
        await self._say(topic, payload[:-1] + b" ")
        # An old message again, in its own place and in another's.
        old_topic, old = self._choices.choice(self._seen)
        await self._transport.publish(old_topic, old)
        await self._transport.publish(topic, old)
        try:
            message = decode(payload)
        except MalformedMessage:
            return
        if isinstance(message, Who):
            return
        for forged in self._forgeries(message):
            await self._say(topic, forged, retain=retain)
        await self._say(TOPICS.who(), encode(Who()))

    def _forgeries(self, message: SignedMessage) -> list[bytes]:
        """The message with another content, under its old signature and under a stranger's."""
        fields = message.fields()
        name = self._choices.choice([name for name in fields if name not in ("type", "sig")])
        value = fields[name]
        if isinstance(value, int):
            fields[name] = value + 1
        elif isinstance(value, str) and value:
            fields[name] = value[:-1] + ("b" if value[-1] == "a" else "a")
        altered = canonical_json(fields)
        theirs = canonical_json(fields | {"from": self._key.node})
        return [altered, theirs, encode(signed(message, self._key))]

    async def _say(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self._own.add(payload)
        self.sent += 1
        await self._transport.publish(topic, payload, retain=retain)


@pytest.mark.gate
async def test_a_game_under_noise_replays_and_forgeries_is_played_and_verifies(
    nodes: Nodes, tmp_path: Path
) -> None:
    assert nodes.broker is not None
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch")}
    host = await nodes.node("host").host("ourgame", *AUTO, "--transcript", records["host"])
    async with MqttTransport(nodes.broker, max_payload=2**20) as transport:
        stranger = Stranger(transport, random.Random(1))
        disturbing = asyncio.create_task(stranger.disturb())
        guest = await nodes.node("guest").start(
            "join", "ourgame", "--transcript", records["guest"], typed=True
        )
        await guest.says("You have the seat")
        watch = await nodes.node("watch").start(
            "watch", "ourgame", "--json", "--transcript", records["watch"]
        )
        await watch.prints('"event": "start"')
        person = Person(Side.SECOND, 3)
        assert await person.play(guest) is not None
        for running in (host, guest, watch):
            await running.ends()
        disturbing.cancel()
        await asyncio.wait([disturbing])
    assert stranger.sent > 150
    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1
    verdict = verify_record(data["host"])
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.position == person.position
    assert verdict.ledger.fault is None
    told = [json.loads(line) for line in watch.out.lines]
    assert [line["event"] for line in told].count("move") == len(verdict.ledger.moves)


async def test_an_offer_wiped_from_the_broker_is_found_again_by_asking(nodes: Nodes) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host("ourgame", *AUTO)
    async with MqttTransport(nodes.broker) as stranger:
        await stranger.subscribe("ataxxd/#")
        kept: dict[type, str] = {}
        async for event in stranger:
            if isinstance(event, Received) and event.payload:
                kept[type(decode(event.payload))] = event.topic
            if {Offer, StatePart} <= kept.keys():
                break
        for topic in kept.values():
            await stranger.publish(topic, b"", retain=True)
        await stranger.drain()
    await nodes.node("guest").run("join", "ourgame", *AUTO)
    await host.ends()
