"""Finding a game and getting its seat, quiet and under a flood, side by side.

The attacker (`tests.e2e.attacker`) is a process of its own and pours what needs no signature on
the topics of the game, as fast as the broker takes it; so is the host. *Bare* is what the broker
alone takes meanwhile for what a join is made of: a connection, a subscription and two messages,
one after the other, on a topic that nobody floods. Quiet and flooded games take turns.

Run with ``python -m tests.bench.bench_join [GAMES]``.
"""

import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from pathlib import Path

from ataxxd.node.errors import HostSilent
from ataxxd.node.game_finder import GameFinder, GameName
from ataxxd.node.runtime import OfferPublished
from ataxxd.session.events import Started
from ataxxd.session.state import Role
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol.messages import Offer
from tests.bench.bench_attack import attacked
from tests.brokers import Mosquitto
from tests.conformance.games import make_offer
from tests.conformance.nodes import Node, announcer, playing
from tests.events import next_of

PATIENCE_S = 120.0


def an_offer(number: int) -> Offer:
    """The same in every process that is told its number."""
    now = number // 1_000_000
    return make_offer(name=f"bench-{number}", created_ms=now, expires_ms=now + 600_000)


async def bare(url: str) -> float:
    """Seconds for a connection, a subscription and two messages."""
    began = time.perf_counter()
    async with MqttTransport(url) as line:
        await line.subscribe("elsewhere")
        for _ in range(2):
            await line.publish("elsewhere", b"x")
            await next_of(line, Received)
        return time.perf_counter() - began


async def one_join(url: str, number: int, folder: Path) -> tuple[float, float]:
    """Seconds to find the game, and then to have its seat."""
    began = time.perf_counter()
    async with MqttTransport(url) as line:
        found = await GameFinder(line).find(GameName(f"bench-{number}"), seconds=PATIENCE_S)
    assert found.offer == an_offer(number)
    there = time.perf_counter()
    speaker = announcer(found.offer, Role.GUEST)
    async with MqttTransport(url, will=speaker.will) as line:
        guest = Node.make(folder, Role.GUEST, speaker, line)
        async with asyncio.timeout(PATIENCE_S), playing(guest):
            await guest.until(Started)
            seated = time.perf_counter()
        guest.journal.close()
    return there - began, seated - there


@asynccontextmanager
async def hosted(url: str, number: int, folder: Path) -> AsyncIterator[None]:
    """A host in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.bench.bench_join", "host", url, str(number), str(folder)),
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    try:
        assert await process.stdout.readline() == b"offered\n"
        yield
    finally:
        process.kill()
        await process.wait()


async def host(url: str, number: int, folder: Path) -> None:
    """Offer the game until ended."""
    speaker = announcer(an_offer(number), Role.HOST)
    async with MqttTransport(url, will=speaker.will) as line:
        node = Node.make(folder, Role.HOST, speaker, line)
        async with playing(node):
            await node.until(OfferPublished)
            print("offered", flush=True)
            await asyncio.Event().wait()


async def measure(broker: Mosquitto, games: int, folder: Path) -> None:
    """Prints the medians, and how much longer it took under the flood."""
    times: dict[str, list[float]] = {}
    flood: list[int] = []
    silent = 0
    for _ in range(games):
        for how in ("quiet", "flooded"):
            number = time.time_ns()
            attack: AbstractAsyncContextManager[None] = nullcontext()
            if how == "flooded":
                attack = attacked(broker.url, f"bench-{number}", None, flood, "unsigned")
            try:
                async with hosted(broker.url, number, folder), attack:
                    plain = await bare(broker.url)
                    found, seated = await one_join(broker.url, number, folder)
            except ExceptionGroup as errors:
                if errors.subgroup(HostSilent) is None:
                    raise
                silent += 1
                continue
            for what, value in (("bare", plain), ("find", found), ("join", seated)):
                times.setdefault(f"{how} {what}", []).append(value)
    print(
        f"{statistics.fmean(flood):,.0f} messages a second, {games} games each; "
        f"{silent} had no answer from the host"
    )
    for what in ("bare", "find", "join"):
        calm, busy = (statistics.median(times[f"{how} {what}"]) for how in ("quiet", "flooded"))
        most = max(times[f"flooded {what}"])
        print(
            f"{what:<5} quiet {calm:6.2f} s   flooded {busy:6.2f} s (at most {most:.2f})"
            f"   later by {busy - calm:.2f} s"
        )


async def main(games: int) -> None:
    """Measures over Mosquitto."""
    if Mosquitto.missing():
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Mosquitto(place / "broker") as broker:
            await measure(broker, games, place)


if __name__ == "__main__":
    if sys.argv[1:2] == ["host"]:
        asyncio.run(host(sys.argv[2], int(sys.argv[3]), Path(sys.argv[4])))
    else:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5))
