"""A thousand spectators of one game, each with a connection of its own to a real Mosquitto.

The players move once a second and answer at once. The spectators are another process, and each
verifies every move. Printed are the players' round trips without and with the spectators, how
long it takes until the last of them has seen a move, and whether all have the players' record.

Run with ``python -m tests.bench.bench_spectators [SPECTATORS [MOVES]]``.
"""

import asyncio
import json
import random
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from ataxxd.node.presence import Announcer
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Moved, Over, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.transport.mqtt import BusyMqttTransport, MqttTransport
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.signing import digest
from tests.bench.bench_crowd import Process
from tests.brokers import Mosquitto, find_program
from tests.conformance.games import KEYS, make_offer
from tests.conformance.nodes import Node


async def look_on(url: str, offer: Offer, count: int) -> None:
    """Be so many spectators; prints a line when all are there, and what they saw at the end."""
    seen: dict[int, list[float]] = {}
    records: set[str] = set()
    ready = asyncio.Semaphore(0)

    async def one() -> None:
        async with BusyMqttTransport(url) as transport:
            session = SpectatorSession(Ledger(offer))
            watcher = Watcher(session, transport)
            events = watcher.events()
            first = asyncio.ensure_future(anext(events))
            ready.release()
            event = await first
            while True:
                if isinstance(event, Moved):
                    seen.setdefault(event.ply, []).append(time.time())
                try:
                    event = await anext(events)
                except StopAsyncIteration:
                    break
            records.add(digest(dump_record(session.ledger)))

    tasks = []
    for _ in range(count):
        tasks.append(asyncio.create_task(one()))
        await ready.acquire()
    print(json.dumps("ready"), flush=True)
    await asyncio.gather(*tasks)
    print(json.dumps({"seen": seen, "records": sorted(records)}), flush=True)


async def play(url: str, folder: Path, count: int, moves: int, broker: Process) -> None:
    """A game with so many spectators; prints a line of figures."""
    now = int(time.time() * 1000)
    offer = make_offer(name=f"crowd-{count}", created_ms=now, expires_ms=now + 600_000)
    speakers = {role: Announcer(offer, KEYS[role]) for role in Role}
    trips: list[float] = []
    moved: dict[int, float] = {}
    async with AsyncExitStack() as stack:
        nodes = {}
        for role in Role:
            line = await stack.enter_async_context(MqttTransport(url, will=speakers[role].will))
            nodes[role] = Node.make(folder, role, speakers[role], line)
        child = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.bench.bench_spectators", "--look-on", url,
            encode(offer).hex(), str(count),
            stdout=asyncio.subprocess.PIPE, limit=1 << 26,
        )  # fmt: skip
        assert child.stdout is not None
        async with asyncio.TaskGroup() as group:
            runs = [group.create_task(nodes[Role.HOST].run())]
            assert json.loads(await child.stdout.readline()) == "ready"
            broker.share()
            runs.append(group.create_task(nodes[Role.GUEST].run()))
            await asyncio.gather(*(node.until(Started) for node in nodes.values()))
            answering = group.create_task(_answer(nodes[Role.GUEST], moved))
            host, fate = nodes[Role.HOST], random.Random(1)
            session = host.runtime.session
            if session.ledger.on_turn is not Role.HOST:
                await host.until(Moved)
            while len(trips) < moves and session.ledger.outcome is None:
                began = time.perf_counter()
                moved[session.ledger.ply] = time.time()
                await host.runtime.play(fate.choice(list(session.ledger.position.legal_moves)))
                await host.until(Moved, Over)
                await host.until(Moved, Over)
                trips.append((time.perf_counter() - began) * 1000)
                await asyncio.sleep(1)
            busy = broker.share()
            if session.ledger.outcome is None:
                await host.runtime.carry_out(host.runtime.session.resign())
            await asyncio.gather(*runs)
            answering.cancel()
        told = json.loads(await child.stdout.readline())
        await child.wait()
    ours = digest(dump_record(nodes[Role.HOST].runtime.session.ledger))
    last = [
        max(told["seen"][str(ply)]) - at for ply, at in moved.items() if str(ply) in told["seen"]
    ]
    whole = sum(len(times) == count for times in told["seen"].values())
    for node in nodes.values():
        node.journal.close()
    same = "all have" if told["records"] == [ours] else "NOT all have"
    print(
        f"{count:5} spectators: round trip median {statistics.median(trips):6.1f} ms, worst "
        f"{max(trips):6.1f}; the last saw a move after {statistics.median(last) * 1000:6.0f} ms, "
        f"worst {max(last) * 1000:6.0f}; {whole} of {len(told['seen'])} plies seen by all; "
        f"broker {busy:.0%} of a core; {same} the host's record"
    )


async def _answer(guest: Node, moved: dict[int, float]) -> None:
    fate, session = random.Random(2), guest.runtime.session
    while session.ledger.outcome is None:
        if session.ledger.on_turn is Role.GUEST:
            moved[session.ledger.ply] = time.time()
            await guest.runtime.play(fate.choice(list(session.ledger.position.legal_moves)))
        await guest.until(Moved, Over)


async def main(count: int, moves: int) -> None:
    """Print a line with one spectator, and one with all."""
    if find_program("mosquitto") is None:
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder) / "broker") as broker:
        server = broker._process
        assert server is not None
        for number in (1, count):
            place = Path(folder) / str(number)
            place.mkdir()
            await play(broker.url, place, number, moves, Process(server.pid))


if __name__ == "__main__":
    if sys.argv[1:2] == ["--look-on"]:
        offered = decode(bytes.fromhex(sys.argv[3]))
        assert isinstance(offered, Offer)
        asyncio.run(look_on(sys.argv[2], offered, int(sys.argv[4])))
    else:
        asyncio.run(
            main(
                int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
                int(sys.argv[2]) if len(sys.argv) > 2 else 15,
            )
        )
