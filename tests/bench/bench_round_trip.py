"""The move round trip of two nodes beside a bare QoS 1 round trip, over Mosquitto, in one run.

A round trip is a move and its answer: rules, signature, journal synced to disk, publish,
receive, verify, journal, and the same back. *Bare* is a ping-pong of a client library
(see `tests.bench.bench_transport`). Whole games are played at once, without thinking; the
two take turns, so that whatever else the machine does meets both.

Run with ``python -m tests.bench.bench_round_trip [GAMES]``.
"""

import asyncio
import random
import statistics
import sys
import tempfile
import time
from contextlib import AbstractAsyncContextManager, nullcontext
from pathlib import Path

from ataxxd.node.presence import Announcer
from ataxxd.session.events import Moved, Over, Started
from ataxxd.session.state import Role
from ataxxd.transport.mqtt import MqttTransport
from tests.bench.bench_transport import bare
from tests.brokers import Mosquitto
from tests.conformance.games import KEYS, make_offer
from tests.conformance.nodes import Node

BARE_BATCH = 40


async def play_at_once(node: Node, choices: random.Random) -> list[float]:
    """Answer every move at once; the times of our round trips, in microseconds."""
    session = node.runtime.session
    times: list[float] = []
    while session.ledger.outcome is None:
        if session.ledger.on_turn is not node.role:
            await node.until(Moved, Over)
            continue
        began = time.perf_counter()
        await node.runtime.play(choices.choice(session.ledger.position.legal_moves))
        # Our own move is the first event of ours; the answer, or the end, is the second.
        await node.until(Moved, Over)
        await node.until(Moved, Over)
        times.append((time.perf_counter() - began) * 1e6)
    return times


async def one_game(
    url: str,
    number: int,
    folder: Path,
    meanwhile: AbstractAsyncContextManager[object] | None = None,
) -> list[float]:
    """The round trips of one game, as its host sees them; `meanwhile` is open during it."""
    now = int(time.time() * 1000)
    offer = make_offer(name=f"bench-{number}", created_ms=now, expires_ms=now + 600_000)
    speakers = {role: Announcer(offer, KEYS[role]) for role in Role}
    lines = {role: MqttTransport(url, will=speakers[role].will) for role in Role}
    async with lines[Role.HOST], lines[Role.GUEST]:
        nodes = {role: Node.make(folder, role, speakers[role], lines[role]) for role in Role}
        async with asyncio.TaskGroup() as group:
            for role in Role:
                group.create_task(nodes[role].run(), name=role)
            await asyncio.gather(*(node.until(Started) for node in nodes.values()))
            choices = random.Random(number)
            async with meanwhile or nullcontext():
                guest = group.create_task(play_at_once(nodes[Role.GUEST], choices))
                times = await play_at_once(nodes[Role.HOST], choices)
                await guest
        for node in nodes.values():
            node.journal.close()
    return times


async def measure(name: str, broker: Mosquitto, games: int, folder: Path) -> None:
    """Prints the median of both and their ratio."""
    bare_times: list[float] = []
    our_times: list[float] = []
    async with bare(broker.port) as ping:
        for number in range(games):
            for _ in range(BARE_BATCH):
                began = time.perf_counter()
                await ping()
                bare_times.append((time.perf_counter() - began) * 1e6)
            our_times += await one_game(broker.url, number, folder)
    ours, plain = statistics.median(our_times), statistics.median(bare_times)
    print(
        f"{name:<34} bare {plain:7.0f} us   move and answer {ours:7.0f} us"
        f"   ratio {ours / plain:.2f}   ({len(our_times)} round trips)"
    )


async def main(games: int) -> None:
    """Measures over Mosquitto with and without Nagle's algorithm."""
    if Mosquitto.missing():
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    for name, no_delay in (("Mosquitto as it comes", False), ("set_tcp_nodelay true", True)):
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            with Mosquitto(place / "broker", no_delay=no_delay) as broker:
                await measure(name, broker, games, place)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 4))
