"""A hostile client floods a live game's topics: the game is played, verifies, and stays small."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ataxxd.node.home import load_identity
from ataxxd.rules import Side
from ataxxd.session.record import Standing, state_parts, verify_record
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import decode, encode, signed
from ataxxd_protocol.messages import Offer, StatePart
from tests.conformance.games import Pair
from tests.e2e.attacker import BATCH, TOPICS, Attacker
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes, Running
from tests.e2e.people import Person

FLOOD = 10_000
# Kilobytes that a process may grow by while it is flooded: what its inbox and its outbox hold.
GROWTH = 32 * 1024


def resident(running: Running) -> int:
    """The kilobytes of memory that a process holds."""
    assert running.alive, running.report()
    status = Path(f"/proc/{running.pid}/status").read_text(encoding="ascii")
    (line,) = [line for line in status.splitlines() if line.startswith("VmRSS:")]
    return int(line.split()[1])


@asynccontextmanager
async def attack(url: str, name: str, *, joins: bool = True) -> AsyncIterator[Attacker]:
    """An attacker at a game; it follows it while the block runs."""
    async with MqttTransport(url, max_payload=2**20) as transport:
        attacker = Attacker(transport, name, joins=joins)
        following = asyncio.create_task(attacker.follow())
        try:
            yield attacker
        finally:
            following.cancel()
            await asyncio.wait([following])


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
async def test_a_game_flooded_by_ten_thousand_messages_finishes_verifies_and_stays_small(
    nodes: Nodes, tmp_path: Path
) -> None:
    assert nodes.broker is not None
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch")}
    host = await nodes.node("host").host(
        "ourgame", "--player", "first", "--transcript", records["host"]
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records["guest"], typed=True
    )
    await guest.says("You have the seat")
    watch = await nodes.node("watch").start(
        "watch", "ourgame", "--json", "--transcript", records["watch"]
    )
    await watch.prints('"event": "start"')
    everybody = {"host": host, "guest": guest, "watch": watch}
    quiet = {who: resident(running) for who, running in everybody.items()}
    most = dict(quiet)
    person = Person(Side.SECOND, 3)
    async with attack(nodes.broker, "ourgame") as attacker:
        flooding = asyncio.create_task(attacker.flood(FLOOD))
        # A ply for every few hundred messages, so that the flood meets the whole game.
        for part in range(FLOOD // BATCH):
            while attacker.sent < part * BATCH and not flooding.done():
                await asyncio.wait([flooding], timeout=0.01)
            if part % 2 == 0:
                assert await person.play(guest, plies=1) is None, guest.report()
            for who, running in everybody.items():
                if running.alive:
                    most[who] = max(most[who], resident(running))
        await flooding
        assert await person.play(guest) is not None
    for running in everybody.values():
        await running.ends()
    assert attacker.sent >= FLOOD
    for who in everybody:
        assert most[who] - quiet[who] < GROWTH, (who, quiet, most)
    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1
    verdict = verify_record(data["host"])
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.fault is None
    assert verdict.ledger.position == person.position


async def test_a_game_is_found_joined_and_played_under_a_flood(nodes: Nodes) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host("ourgame", *AUTO)
    # Strangers who ask for the seat would have it: who comes in first is the guest.
    async with attack(nodes.broker, "ourgame", joins=False) as attacker:
        flooding = asyncio.create_task(attacker.flood())
        await nodes.node("guest").run("join", "ourgame", *AUTO)
        await host.ends()
        flooding.cancel()
        await asyncio.wait([flooding])
    assert attacker.sent > 0


async def test_parts_of_an_earlier_longer_game_on_the_broker_are_cleared_and_mislead_nobody(
    nodes: Nodes, tmp_path: Path
) -> None:
    assert nodes.broker is not None
    await nodes.node("host").run("id")
    key = load_identity(nodes.node("host").home / "identity.key")
    earlier = Pair.started()
    earlier.play_out([5] * 60)
    part = state_parts(earlier.host.ledger)[0].model_copy(update={"author": key.node})
    stale = encode(signed(part, key))
    async with MqttTransport(nodes.broker) as transport:
        for number in range(300):
            await transport.publish(TOPICS.state("ourgame", key.node, number), stale, retain=True)
        await transport.drain()
        host = await nodes.node("host").host("ourgame", *AUTO)
        record = tmp_path / "watch.json"
        watch = await nodes.node("watch").start(
            "watch", "ourgame", "--json", "--transcript", record
        )
        await nodes.node("guest").run("join", "ourgame", *AUTO)
        await host.ends()
        await watch.ends()
        verdict = verify_record(record.read_bytes())
        assert verdict.standing is Standing.AGREED
        await transport.subscribe(TOPICS.state("ourgame", key.node) + "/+")
        await transport.subscribe(TOPICS.offer("ourgame", key.node))
        left: list[StatePart] = []
        async for event in transport:
            if isinstance(event, Received):
                found = decode(event.payload)
                if isinstance(found, Offer):
                    break
                assert isinstance(found, StatePart)
                left.append(found)
    # A long game has parts of its own, besides the first.
    assert {part.game for part in left} <= {verdict.ledger.game}
    assert sorted(part.part for part in left) == [
        part.part for part in state_parts(verdict.ledger)[1:]
    ]
