"""The move round trip quiet and under attack, side by side, and what a forgery costs.

A round trip is a move and its answer, as in `tests.bench.bench_round_trip`. The attacker
(`tests.e2e.attacker`) is a process of its own and floods the topics of the very game, at a
steady rate or as fast as it can, or as fast as the broker takes what needs no signature; the last
from another address, and at the embedded broker too. Quiet and attacked games take turns, so that
whatever else the machine does meets both. Two figures tell how much slower broker and machine have
become by themselves: *bare* is a ping-pong of a client library on a topic that nobody attacks, and
*beside* a game of the same nodes at the same broker while another game is attacked. Only what an
attacked game needs beyond that is the nodes' own; the processor time is that of both.

At last the victim is ``ataxxd serve``, whose games share one connection: a stranger floods the
mailbox of one guest. What counts are the answers in that game, and in another one that it serves.

With ``apart`` broker and attackers have one core and the players another one, as if they were on
machines of their own; without it all share all cores.

Run with ``python -m tests.bench.bench_attack [GAMES] [apart]``.
"""

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path

from ataxxd.node.presence import Announcer
from ataxxd.node.receiving import Admission, Incoming
from ataxxd.node.silence import FIRST_PAUSE_S
from ataxxd.session.events import Moved, Started
from ataxxd.session.state import Role
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.topics import Address
from tests.bench.bench_round_trip import BARE_BATCH, one_game
from tests.bench.bench_transport import bare
from tests.brokers import BrokerProcess, Mosquitto, find_program
from tests.conformance.games import KEYS, OTHER_KEY, Pair, craft, forge
from tests.conformance.nodes import TOPICS, Node
from tests.other_brokers import Embedded

RATES = (1000.0, None)
# Round trips that took longer had a message that was lost: it is asked for after two seconds.
RESENT_US = FIRST_PAUSE_S * 1e6
# How often what is rejected is timed.
_CALLS = 2000
# Moves of a guest before and in an attack, and how long it thinks.
_SERVED_MOVES, _SERVED_PAUSE_S = 8, 0.1

APART = "apart" in sys.argv


def elsewhere(pid: int) -> None:
    """Leave a process to the other core, if they are to be apart."""
    if APART:
        os.sched_setaffinity(pid, {1})


@asynccontextmanager
async def attacked(
    url: str, name: str, rate: float | None, sent: list[int], *options: str
) -> AsyncIterator[None]:
    """An attacker at a game while the block runs; adds what it sent, second by second."""
    begun = asyncio.Event()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.e2e.attacker",
        url,
        name,
        str(rate or 0),
        *options,
        stdout=asyncio.subprocess.PIPE,
    )
    elsewhere(process.pid)
    assert process.stdout is not None
    lines = process.stdout

    async def count_them() -> None:
        while line := await lines.readline():
            sent.append(int(line))
            begun.set()

    counting = asyncio.create_task(count_them())
    try:
        await begun.wait()
        yield
    finally:
        process.kill()
        await process.wait()
        await counting


@dataclass
class Spent:
    """Round trips in microseconds, and the processor time of this process for all of them."""

    times: list[float] = field(default_factory=list)
    processor_s: float = 0.0

    @property
    def processor_us(self) -> float:
        """Microseconds of processor time a round trip."""
        return self.processor_s / len(self.times) * 1e6

    @asynccontextmanager
    async def metered(self, inner: AbstractAsyncContextManager[object]) -> AsyncIterator[None]:
        """Counts the processor time while `inner` is entered."""
        async with inner:
            began = time.process_time()
            yield
            self.processor_s += time.process_time() - began


async def measure(
    broker: BrokerProcess, rate: float | None, games: int, folder: Path, *options: str
) -> None:
    """Prints the medians of games and of bare round trips, and their ratios."""
    quiet, beside, loud = Spent(), Spent(), Spent()
    plain: dict[bool, list[float]] = {False: [], True: []}
    flood: list[int] = []
    async with bare(broker.port) as ping:
        for _ in range(games):
            number = time.time_ns()
            quiet.times += await one_game(broker.url, number, folder, quiet.metered(nullcontext()))
            plain[False] += await pings(ping)
            name = f"bench-{number + 1}"
            attack = attacked(broker.url, name, rate, flood, *options)
            loud.times += await one_game(broker.url, number + 1, folder, loud.metered(attack))
            # Its offer is still there, so the attack goes on.
            async with attacked(broker.url, name, rate, flood, *options):
                plain[True] += await pings(ping)
            attack = attacked(broker.url, name, rate, flood, *options)
            beside.times += await one_game(broker.url, number + 2, folder, beside.metered(attack))
    calm, by, busy = (statistics.median(spent.times) for spent in (quiet, beside, loud))
    tail = statistics.quantiles(loud.times, n=10)[-1]
    what = f"{statistics.fmean(flood):,.0f} messages a second"
    print(
        f"{what:<28} quiet {calm:7.0f} us   under attack {busy:7.0f} us (9 of 10 below {tail:.0f})"
        f"   ratio {busy / calm:.2f}   ({len(quiet.times)} and {len(loud.times)} round trips, "
        f"{sum(time > RESENT_US for time in loud.times)} with a message sent again)"
    )
    print(
        f"{'  beside':<28} quiet {calm:7.0f} us   under attack {by:7.0f} us   "
        f"ratio {by / calm:.2f}   (attacked to beside {busy / by:.2f})"
    )
    print(
        f"{'  processor time':<28} quiet {quiet.processor_us:7.0f} us   "
        f"under attack {loud.processor_us:7.0f} us   beside {beside.processor_us:.0f} us"
    )
    calm, busy = (statistics.median(plain[attacked_]) for attacked_ in (False, True))
    print(
        f"{'  bare':<28} quiet {calm:7.0f} us   under attack {busy:7.0f} us   "
        f"ratio {busy / calm:.2f}"
    )


@asynccontextmanager
async def served(broker: Mosquitto, folder: Path) -> AsyncIterator[list[Node]]:
    """Two games of one `ataxxd serve`, as their guests have them, who have the move."""
    config = folder / "ataxxd.toml"
    config.write_text(
        f'[broker]\nurl = "{broker.url}"\n[[tables]]\nname = "bench"\nplayer = "random"\n'
        'ruleset = "reversi/standard"\ncolor = "second"\nat_once = 2\ngrace = "never"\n'
    )
    serving = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "ataxxd", "serve"),
        *("--config", str(config), "--home", str(folder / "home")),
        stderr=asyncio.subprocess.DEVNULL,
    )
    guests: list[Node] = []
    try:
        async with (
            AsyncExitStack() as stack,
            MqttTransport(broker.url) as lobby,
            asyncio.TaskGroup() as group,
        ):
            running: list[asyncio.Task[None]] = []
            await lobby.subscribe(TOPICS.offer("+", "+"))
            async for event in lobby:
                found = decode(event.payload) if isinstance(event, Received) else None
                if not isinstance(found, Offer) or found.name in {g.offer.name for g in guests}:
                    continue
                place = folder / found.name
                place.mkdir()
                speaker = Announcer(found, KEYS[Role.GUEST])
                line = MqttTransport(broker.url, will=speaker.will)
                await stack.enter_async_context(line)
                guests.append(guest := Node.make(place, Role.GUEST, speaker, line))
                stack.callback(guest.journal.close)
                running.append(group.create_task(guest.run()))
                await guest.until(Started)
                if len(guests) == 2:
                    break
            try:
                yield guests
            finally:
                for task in running:
                    task.cancel()
    finally:
        serving.terminate()
        await serving.wait()


async def play_slowly(guest: Node, times: list[float]) -> None:
    """Some moves of a guest, as of a person: the next one can be forged for a while."""
    session, choices = guest.runtime.session, random.Random(1)
    for _ in range(_SERVED_MOVES):
        await asyncio.sleep(_SERVED_PAUSE_S)
        began = time.perf_counter()
        await guest.runtime.play(choices.choice(session.ledger.position.legal_moves))
        while session.ledger.on_turn is not Role.GUEST:
            await guest.until(Moved)
        times.append((time.perf_counter() - began) * 1e6)


async def measure_served(kind: str, times: int) -> None:
    """Prints the round trips of two games of one serving node while one of them is attacked."""
    quiet: list[list[float]] = [[], []]
    loud: list[list[float]] = [[], []]
    flood: list[int] = []
    for _ in range(times):
        async with AsyncExitStack() as stack:
            # What is left of another node's games would be joined.
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            broker = stack.enter_context(Mosquitto(folder / "broker"))
            elsewhere(broker.pid)
            games = await stack.enter_async_context(served(broker, folder))
            await asyncio.gather(*map(play_slowly, games, quiet))
            async with attacked(broker.url, games[0].offer.name, None, flood, kind):
                await asyncio.gather(*map(play_slowly, games, loud))
    print(f"  {kind}, {statistics.fmean(flood):,.0f} messages a second")
    for name, calm, busy in zip(("attacked", "another"), quiet, loud, strict=True):
        before, now = statistics.median(calm), statistics.median(busy)
        print(
            f"{'    ' + name:<28} quiet {before:7.0f} us   under attack {now:7.0f} us"
            f"   ratio {now / before:.2f}   ({len(calm)} and {len(busy)} round trips, "
            f"{sum(time > RESENT_US for time in busy)} with a message sent again)"
        )


async def pings(ping: Callable[[], Awaitable[None]]) -> list[float]:
    """Bare round trips, in microseconds."""
    times: list[float] = []
    for _ in range(BARE_BATCH):
        began = time.perf_counter()
        await ping()
        times.append((time.perf_counter() - began) * 1e6)
    return times


def cost(name: str, work: Callable[[], object]) -> None:
    """Prints the mean processor time of a call."""
    began = time.process_time()
    for _ in range(_CALLS):
        work()
    print(f"  {name:<58} {(time.process_time() - began) / _CALLS * 1e6:7.1f} us")


def costs() -> None:
    """Prints what it costs to reject what is not believed."""
    pair = Pair.started()
    pair.play("a7b6", "a1a2")
    ledger = pair.guest.ledger
    place = Address("out", pair.offer.name, pair.offer.host, pair.offer.host)
    door = Admission(lambda: ledger)
    best = encode(forge(craft(ledger, Role.HOST, "resign"), OTHER_KEY))
    far = encode(forge(craft(ledger, Role.HOST, "resign", n=99), OTHER_KEY))
    assert KEYS[Role.HOST] is not OTHER_KEY
    print("What a message costs a node that does not believe it:")
    cost(
        "17,000 bytes of garbage, at the door", lambda: door.admits(Incoming(place, b"x" * 17_000))
    )
    cost("the same bytes again, at the door", lambda: door.admits(Incoming(place, far)))
    # More than the budget.
    for each in islice(_variants(far), 1000):
        door.admits(Incoming(place, each))
    host = pair.offer.host
    cost("a forgery of a later number, not put in line", lambda: door.may_be_read(host, far))
    fits, parsed, early = _variants(best), _variants(best), _variants(far)
    cost("a forgery that fits, at the door", lambda: door.admits(Incoming(place, next(fits))))
    cost("the same, parsed and checked", lambda: pair.guest.receive(decode(next(parsed))))
    cost(
        "a forgery of a later number, parsed and checked",
        lambda: pair.guest.receive(decode(next(early))),
    )


def _variants(forgery: bytes) -> Iterator[bytes]:
    """As many as one likes, each of another ply: what was seen once costs less."""
    return (forgery.replace(b'"ply":', b'"ply":%d' % number) for number in count(1))


async def main(games: int) -> None:
    """Measures at a steady rate and at full speed."""
    if APART:
        os.sched_setaffinity(0, {0})
    costs()
    if find_program("mosquitto") is None:
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        with Mosquitto(place / "broker") as broker:
            elsewhere(broker.pid)
            for rate in RATES:
                await measure(broker, rate, games, place)
            print("What needs no signature:")
            await measure(broker, None, games, place, "unsigned")
            print("The same, all of it in the mailbox that one of the players has to read:")
            await measure(broker, None, games, place, "mailbox")
            print("The same, each of it such that only its signature tells that it is forged:")
            await measure(broker, None, games, place, "forged")
        with Embedded(place / "embedded") as embedded:
            elsewhere(embedded.pid)
            print("The same at the embedded broker:")
            await measure(embedded, None, games, place, "unsigned")
    print("A serving node, the mailbox of one of its guests:")
    for kind in ("guest-mailbox", "guest-forged"):
        await measure_served(kind, 2 * games)


if __name__ == "__main__":
    asyncio.run(main(next((int(word) for word in sys.argv[1:] if word.isdigit()), 3)))
