"""A connection that is flooded goes on over a link that reads as fast as the broker sends.

What strangers may write to is left to the broker for a moment instead.
"""

import asyncio
import itertools
import math
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ataxxd.session.events import Started
from ataxxd.session.state import Role
from ataxxd.transport.base import Connected, Disconnected, Received
from ataxxd.transport.direct import DirectLink
from ataxxd.transport.mqtt import BusyMqttTransport, MqttTransport
from ataxxd.transport.reconnecting import Backoff
from ataxxd.transport.shared import SharedConnection
from tests.brokers import Mosquitto
from tests.conformance.games import KEYS, SHORT_ENDGAME, make_offer
from tests.conformance.nodes import TOPICS, Node, announcer, playing
from tests.events import next_of

FLOOD = 3_000
RETAINED = 800
# More than is heard of strangers at a time.
A_MOMENT = 300


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[DirectLink]:
    """The direct links that are opened from now on."""
    links: list[DirectLink] = []
    open_link = DirectLink.open

    async def noted(self: DirectLink, *arguments: object) -> None:
        links.append(self)
        await open_link(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(DirectLink, "open", noted)
    return links


async def test_a_flooded_listener_connects_again_and_hears_what_follows(
    make_mosquitto: Callable[..., Mosquitto],
    opened: list[DirectLink],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # However slowly it comes; and the broker throws nothing away.
    monkeypatch.setattr("ataxxd.transport.mqtt._MOMENT_S", math.inf)
    mosquitto = make_mosquitto(extra="max_queued_messages 0")
    async with (
        MqttTransport(mosquitto.url, backoff=Backoff(first=0.02, ceiling=0.02)) as listener,
        BusyMqttTransport(mosquitto.url) as flooder,
    ):
        await listener.subscribe("t/+")
        assert len(opened) == 1, "the flooder's own"
        for number in range(FLOOD):
            await flooder.publish("t/junk", b"%d" % number)
        assert "more came" in (await next_of(listener, Disconnected)).reason
        assert await next_of(listener, Connected) == Connected(2)
        assert len(opened) == 2
        await flooder.drain()
        await flooder.publish("t/honest", b"hello")
        while (await next_of(listener, Received)).topic != "t/honest":
            pass


@pytest.mark.parametrize("rest", [b"", b',"n":99,"ply":%d,"sig":"'], ids=["junk", "forgeries"])
async def test_a_game_goes_on_while_its_mailboxes_are_flooded_and_the_junk_is_not_read(
    mosquitto: Mosquitto,
    opened: list[DirectLink],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    rest: bytes,
) -> None:
    monkeypatch.setattr("ataxxd.transport.mqtt._MOMENT_S", math.inf)
    now = time.time_ns() // 1_000_000
    offer = make_offer(start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000)
    mailboxes = [TOPICS.out(offer.name, offer.host, key.node) for key in KEYS.values()]
    speakers = {role: announcer(offer, role) for role in Role}
    lines = {
        role: MqttTransport(
            mosquitto.url, will=speakers[role].will, backoff=Backoff(first=0.02, ceiling=0.02)
        )
        for role in Role
    }
    async with lines[Role.HOST], lines[Role.GUEST], BusyMqttTransport(mosquitto.url) as flooder:
        nodes = {role: Node.make(tmp_path, role, speakers[role], lines[role]) for role in Role}
        junk, numbers = f'{{"game":"{offer.digest}"'.encode() + rest, itertools.count()
        sifting = asyncio.Event()

        async def flood() -> None:
            while True:
                for mailbox in mailboxes:
                    for _ in range(A_MOMENT):
                        made = junk % next(numbers) if rest else junk
                        await flooder.publish(mailbox, made)
                await flooder.drain()
                if all(line.counters.sifted for line in lines.values()):
                    sifting.set()

        async with playing(*nodes.values()):
            for node in nodes.values():
                await node.until(Started)
            flooding = asyncio.create_task(flood())
            await sifting.wait()
            await asyncio.gather(*(node.play_by_itself() for node in nodes.values()))
            flooding.cancel()
        for node in nodes.values():
            node.journal.close()
    outcomes = {node.runtime.session.ledger.outcome for node in nodes.values()}
    assert None not in outcomes
    assert len(outcomes) == 1
    assert len(opened) == 3, "the flooder's own, and one for each player"
    mosquitto.stop()
    for mailbox in mailboxes:
        assert f"{mailbox} (QoS 0)" in mosquitto.log


async def test_games_that_share_a_connection_do_not_read_the_junk_in_a_mailbox_of_one(
    mosquitto: Mosquitto,
    opened: list[DirectLink],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd.transport.mqtt._MOMENT_S", math.inf)
    now = time.time_ns() // 1_000_000
    flooded, other = (
        make_offer(name=name, start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000)
        for name in ("flooded", "other")
    )
    backoff = Backoff(first=0.02, ceiling=0.02)
    shared = SharedConnection(BusyMqttTransport(mosquitto.url, backoff=backoff))
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(shared)
        flooder = await stack.enter_async_context(BusyMqttTransport(mosquitto.url))
        hosts: list[Node] = []
        guests: list[Node] = []
        for offer in (flooded, other):
            place = tmp_path / offer.name
            place.mkdir()
            lines = {
                Role.HOST: shared.make_line(hears_itself=False),
                Role.GUEST: MqttTransport(mosquitto.url),
            }
            for role, nodes in ((Role.HOST, hosts), (Role.GUEST, guests)):
                line = await stack.enter_async_context(lines[role])
                node = Node.make(place, role, announcer(offer, role), line)
                stack.callback(node.journal.close)
                nodes.append(node)
        mailbox = TOPICS.out(flooded.name, flooded.host, KEYS[Role.GUEST].node)
        junk = f'{{"game":"{flooded.digest}"'.encode()

        async def flood() -> None:
            for _ in range(A_MOMENT):
                await flooder.publish(mailbox, junk)
            await flooder.drain()

        async with playing(*hosts, *guests):
            for node in (*hosts, *guests):
                await node.until(Started)
            rounds = 0
            while not shared.counters.sifted and rounds < 100:
                await flood()
                rounds += 1
            refused = [host.runtime.admission.refused for host in hosts]
            sifted = shared.counters.sifted
            await flood()
            await asyncio.gather(*(node.play_by_itself() for node in (*hosts, *guests)))
            assert [host.runtime.admission.refused for host in hosts] == refused
            assert shared.counters.sifted >= sifted + A_MOMENT
    assert {node.runtime.session.ledger.outcome is None for node in (*hosts, *guests)} == {False}
    assert len(opened) == 3, "the flooder's own, and two of the connection that was flooded"


async def test_a_flood_of_strangers_stays_at_the_broker_and_holds_up_nothing_else(
    mosquitto: Mosquitto, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine may hear so much before the broker stops that it would connect again.
    monkeypatch.setattr("ataxxd.transport.mqtt._FLOOD", math.inf)
    async with (
        MqttTransport(mosquitto.url) as listener,
        BusyMqttTransport(mosquitto.url) as flooder,
    ):
        await listener.subscribe("t/+")
        missed = asyncio.Event()
        listener.throttle("t/+", exempt_topic="t/dear", on_missed=lambda _: missed.set())
        counters, came, dear = listener.counters, A_MOMENT, 0
        while came >= A_MOMENT:
            before = counters.received + counters.throttled
            for _ in range(A_MOMENT):
                await flooder.publish("t/junk", b"")
            await flooder.drain()
            dear += 1
            await flooder.publish("t/dear", b"%d" % dear)
            while (await next_of(listener, Received)).payload != b"%d" % dear:
                pass
            came = counters.received + counters.throttled - before
        await flooder.publish("t/kept", b"said meanwhile", retain=True)
        await missed.wait()
        while (await next_of(listener, Received)).topic != "t/kept":
            pass
        await flooder.publish("t/honest", b"hello")
        while (await next_of(listener, Received)).topic != "t/honest":
            pass
        assert counters.connections == 1


async def test_what_a_broker_had_retained_is_no_flood(
    mosquitto: Mosquitto, opened: list[DirectLink], monkeypatch: pytest.MonkeyPatch
) -> None:
    # Mosquitto lets no more than a thousand messages wait for one client.
    monkeypatch.setattr("ataxxd.transport.mqtt._FLOOD", RETAINED // 4)
    async with MqttTransport(mosquitto.url) as listener, BusyMqttTransport(mosquitto.url) as host:
        for number in range(RETAINED):
            await host.publish(f"t/{number}", b"kept", retain=True)
        await host.drain()
        await listener.subscribe("t/+")
        for _ in range(RETAINED):
            await next_of(listener, Received)
        assert listener.counters.connections == 1
    assert len(opened) == 1
