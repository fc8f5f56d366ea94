"""Games between real processes over a network that misbehaves: `tests.faults` before Mosquitto.

Each has its players, its spectator and its recorder; all must end with the same record, and
nobody may have said two things under one number.
"""

import asyncio
import random
from collections.abc import Iterable
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from ataxxd.rules import Position, Side
from ataxxd.session.record import Standing, verify_record
from ataxxd.session.state import Role
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import Mosquitto
from tests.conformance.games import make_offer
from tests.conformance.nodes import Node, announcer, whole_game
from tests.e2e.crashes import AUTO, RoughGame
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.recording import recording
from tests.e2e.test_every_broker import ALMOST_FULL
from tests.faults import Direction, FaultProxy, Publish, RandomFaults
from tests.interop.test_every_broker import second_connection
from tests.time_limits import DEADLINE

SHORT = ("--position", ALMOST_FULL)


async def watched(nodes: Nodes, broker: str, record: Path) -> None:
    """Watch a game over `broker` to its end."""
    watch = nodes.node("watch", broker=broker)
    await watch.run("watch", "ourgame", "--transcript", record)


@pytest.mark.parametrize("seed", range(2))
async def test_messages_repeated_late_out_of_order_and_lost_change_no_game(
    seed: int, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    # A lost message is asked for after two seconds of silence, so only a few are.
    faults = RandomFaults(seed, repeat=0.2, delay=0.3, drop=0.02, longest=0.05)
    async with FaultProxy(mosquitto.port, faults) as proxy, recording(mosquitto.url) as heard:
        nodes = Nodes(tmp_path, proxy.url)
        try:
            game = RoughGame(nodes, options=SHORT)
            await game.open()
            watching = asyncio.create_task(watched(nodes, mosquitto.url, tmp_path / "watch.json"))
            await game.join()
            await game.finish()
            await watching
        finally:
            await nodes.close()
    assert all(faults.done.values()), faults.done
    assert (tmp_path / "watch.json").read_bytes() == game.record("host").read_bytes()
    assert heard.contradictions() == []


async def test_messages_that_come_twice_once_changed_and_once_as_they_were_change_no_game(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    choices = random.Random(5)
    forged = 0

    def forge(message: Publish, _: Direction) -> Iterable[tuple[float, Publish]]:
        nonlocal forged
        if not message.payload or choices.random() < 0.5:
            return [(0, message)]
        forged += 1
        at = choices.randrange(len(message.payload))
        other = bytes([message.payload[at] ^ choices.randrange(1, 256)])
        payload = message.payload[:at] + other + message.payload[at + 1 :]
        # The forgery first, so that it is not known by its number already.
        return [(0, replace(message.copy, payload=payload)), (0, message)]

    async with FaultProxy(mosquitto.port, forge) as proxy:
        nodes = Nodes(tmp_path, proxy.url)
        try:
            game = RoughGame(nodes, options=SHORT)
            await game.open()
            watching = asyncio.create_task(watched(nodes, proxy.url, tmp_path / "watch.json"))
            await game.join()
            await game.finish()
            await watching
        finally:
            await nodes.close()
    assert forged > 50
    verdict = verify_record((tmp_path / "watch.json").read_bytes())
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.fault is None
    assert (tmp_path / "watch.json").read_bytes() == game.record("host").read_bytes()


async def test_players_whose_connections_are_cut_and_taken_over_play_on(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    async with FaultProxy(mosquitto.port) as proxy, recording(mosquitto.url) as heard:
        nodes = Nodes(tmp_path, proxy.url)
        try:
            record = tmp_path / "host.json"
            host = await nodes.node("host").host("ourgame", *AUTO, *SHORT, "--transcript", record)
            guest = await nodes.node("guest").start("join", "ourgame", typed=True)
            person = Person(Side.SECOND, 7, Position.from_text("ataxx/cs61b-2022", ALMOST_FULL))
            for disturbed in range(4):
                assert await person.play(guest, plies=1) is None
                said = len(host.err.lines)
                if disturbed % 2:
                    proxy.cut()
                else:
                    # Both nodes lose their connections to one that took their client ids.
                    for name in [wire.client_id for wire in proxy.wires]:
                        async with second_connection(mosquitto.port, name):
                            pass
                await host.says("Connected again", said)
            assert await person.play(guest) is not None
            await guest.ends()
            await host.ends()
        finally:
            await nodes.close()
    assert verify_record(record.read_bytes()).standing is Standing.AGREED
    assert proxy.connections >= 10
    assert heard.contradictions() == []


async def test_a_spectator_that_does_not_read_stops_nobody_and_sees_the_whole_game(
    nodes: Nodes, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    async with FaultProxy(mosquitto.port) as proxy:
        game = RoughGame(nodes, options=SHORT)
        await game.open()
        watch = await nodes.node("watch", broker=proxy.url).start(
            "watch", "ourgame", "--transcript", tmp_path / "watch.json"
        )
        await watch.says("Watching")
        proxy.freeze(Direction.TO_CLIENT)
        await game.join()
        await game.finish()
        proxy.thaw()
        await watch.ends()
    assert (tmp_path / "watch.json").read_bytes() == game.record("host").read_bytes()


async def test_players_whose_connections_die_without_a_word_get_new_ones_and_finish(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    # In this process, because a node of its own waits 20 s before it asks whether the broker lives.
    offer = make_offer(start=ALMOST_FULL, expires_ms=2**52)
    carried = 0

    def die(message: Publish, _: Direction) -> Iterable[tuple[float, Publish]]:
        nonlocal carried
        carried += 1
        if carried in (20, 60):
            proxy.strand()
        return [(0, message)]

    async with FaultProxy(mosquitto.port, die) as proxy, AsyncExitStack() as stack:
        nodes = []
        for role in Role:
            speaker = announcer(offer, role)
            line = MqttTransport(
                proxy.url,
                will=speaker.will,
                keepalive=2,
                timeout=DEADLINE,
                backoff=Backoff(first=0.02, ceiling=0.02),
            )
            await stack.enter_async_context(line)
            node = Node.make(tmp_path, role, speaker, line)
            stack.callback(node.journal.close)
            nodes.append(node)
        await whole_game(*nodes)
        # A broker on a busy machine may be given up once more.
        assert proxy.connections >= 6
    host, guest = (node.runtime for node in nodes)
    assert host.standing is guest.standing is Standing.AGREED
    assert host.session.ledger.position == guest.session.ledger.position
