"""A thousand games of one serving node, each at one move a second, through a real Mosquitto.

The node is ``ataxxd serve`` with a table of many games and a player that does not think, kept to
one core; broker and driver have the others. In every game a move is made each second, in turns:
the driver's at its time, whatever else goes on, and the node's as soon as it can. A round is both.
A move is late when its answer has not come by the time of the next, and lost when it never comes.

Then the pace is raised until the node is late: where that is, and what was busy then. At last the
same with links of the client library, side by side.

Run with ``python -m tests.bench.bench_crowd [GAMES [ROUNDS]]``.
"""

import asyncio
import hashlib
import itertools
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.rules import Position
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from ataxxd.transport.base import Received, Transport
from ataxxd.transport.mqtt import BusyMqttTransport
from ataxxd.wording import format_count
from ataxxd_protocol import Topics, decode, encode, position_digest
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.signing import canonical_json
from tests.brokers import Mosquitto, find_program
from tests.conformance.games import GUEST_KEY, sends

RULESET = "ataxx/cs61b-2022"
TOPICS = Topics()
_LINES, _SHORTEST, _LONGEST = 64, 66, 400
# Rounds at each pace after the first.
_ROUNDS = 5
_TICKS = os.sysconf("SC_CLK_TCK")
_PERIODS = (2.0, 1.5, 1.0, 0.75)
# `ataxxd serve`, over links of the client library.
_BY_LIBRARY = """
from ataxxd.transport.mqtt import BusyMqttTransport
BusyMqttTransport.direct = False
from ataxxd.__main__ import main
main()
"""

Line = list[tuple[str, str]]
"""The moves of a game, each with the digest of the position after it."""


def line_of(seed: int) -> Line:
    """A game of whoever plays the first legal move against chance."""
    fate = random.Random(seed)
    position = Position.start(RULESET)
    line: Line = []
    while position.outcome is None and len(line) < _LONGEST:
        moves = list(position.legal_moves)
        # Jumps put no piece on the board, which makes long games.
        jumps = [move for move in moves if len(move.text) == 4] or moves
        move = moves[0] if len(line) % 2 == 0 else fate.choice(jumps)
        position = position.play(move)
        line.append((move.text, position_digest(RULESET, position.text)))
    return line


@dataclass
class Game:
    """One game as the driver has it, which believes everything that it is told."""

    offer: Offer
    line: Line
    prev: str
    seen: str = ""
    number: int = 1
    ply: int = 0
    sent_at: float = 0.0
    trips: list[float] = field(default_factory=list)

    @property
    def topic(self) -> str:
        """Where the driver's mailbox is."""
        return TOPICS.out(self.offer.name, self.offer.host, GUEST_KEY.node)

    @property
    def ours(self) -> bool:
        """Whether it is the driver's turn."""
        return self.ply % 2 == 1

    def hear(self, payload: bytes) -> None:
        """The node has said something."""
        message = json.loads(payload)
        kind = message["type"]
        if kind == "start" and not self.seen:
            self._saw(message)
        elif kind == "move" and not self.ours and message["ply"] == self.ply + 1:
            assert message["move"] == self.line[self.ply][0]
            self._saw(message)
            self.ply += 1
            if self.sent_at:
                self.trips.append(time.perf_counter() - self.sent_at)

    def _saw(self, message: dict[str, object]) -> None:
        del message["sig"]
        self.seen = hashlib.sha256(canonical_json(message)).hexdigest()

    def move(self) -> bytes:
        """The driver's next move, signed."""
        text, position = self.line[self.ply]
        message = {
            "type": "move",
            "game": self.offer.digest,
            "from": GUEST_KEY.node,
            "n": self.number,
            "prev": self.prev,
            "seen": self.seen,
            "ply": self.ply + 1,
            "move": text,
            "position": position,
            "elapsed_ms": 500,
        }
        said = canonical_json(message)
        self.prev = hashlib.sha256(said).hexdigest()
        self.number += 1
        self.ply += 1
        self.sent_at = time.perf_counter()
        return canonical_json(message | {"sig": GUEST_KEY.sign(said)})


class Process:
    """What a process has used so far."""

    def __init__(self, pid: int, *, children: bool = False) -> None:
        """Of process `pid`, with those that it has started until now if `children`."""
        started = Path(f"/proc/{pid}/task/{pid}/children").read_text().split() if children else []
        self._folders = [Path(f"/proc/{each}") for each in (pid, *started)]
        self._before = (0.0, time.monotonic())
        self.share()

    def share(self) -> float:
        """The share of a core that it has used since this was last asked."""
        used, now = 0.0, time.monotonic()
        for folder in self._folders:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            used += (int(fields[11]) + int(fields[12])) / _TICKS
        (was, then), self._before = self._before, (used, now)
        return (used - was) / max(now - then, 1e-9)

    @property
    def kb(self) -> int:
        """Resident memory."""
        statuses = [(folder / "status").read_text() for folder in self._folders]
        return sum(int(status.partition("VmRSS:")[2].split()[0]) for status in statuses)


@dataclass(frozen=True)
class Pace:
    """What came of one pace."""

    period_s: float
    trips: Sequence[float]
    late: int
    lost: int
    node: float
    broker: float
    driver: float

    @property
    def kept(self) -> bool:
        """Whether every move was answered in time."""
        return not self.late and not self.lost

    def told(self) -> str:
        """A line for people."""
        trips = sorted(self.trips)

        def at(share: float) -> float:
            return trips[int(share * (len(trips) - 1))] * 1000

        return (
            f"  a round each {self.period_s:4.2f} s: {len(trips):6} rounds, {self.late} late, "
            f"{self.lost} lost; round trip median {at(0.5):6.1f} ms, p99 {at(0.99):6.1f}, worst "
            f"{at(1):6.1f}; busy: node {self.node:4.0%}, broker {self.broker:4.0%}, "
            f"driver {self.driver:4.0%}"
        )


class Crowd:
    """The games of the driver."""

    def __init__(self, transport: Transport, node: Process, broker: Process) -> None:
        """No games yet, over an open transport."""
        self.games: dict[str, Game] = {}
        self._transport = transport
        self.node, self._broker = node, broker
        self._driver = Process(os.getpid())
        lines = filter(lambda line: len(line) >= _SHORTEST, map(line_of, itertools.count()))
        self._lines = [*itertools.islice(lines, _LINES)]

    async def listen(self, wanted: int) -> None:
        """Join what is offered until there are as many games as wanted, and hear the answers."""
        await self._transport.subscribe(TOPICS.offer("+", "+"))
        await self._transport.subscribe(TOPICS.out("+", "+", "+"))
        async for event in self._transport:
            if not isinstance(event, Received) or not event.payload:
                continue
            address = TOPICS.parse(event.topic)
            if address is None:
                continue
            if address.kind == "offer" and len(self.games) < wanted:
                await self._join(event.payload)
            game = self.games.get(address.name)
            if game is not None and address.kind == "out" and address.writer != GUEST_KEY.node:
                game.hear(event.payload)

    async def _join(self, payload: bytes) -> None:
        offer = decode(payload)
        assert isinstance(offer, Offer)
        if offer.name in self.games:
            return
        line = self._lines[len(self.games) % len(self._lines)]
        (join,) = sends(
            PlayerSession(Ledger(offer), Role.GUEST, GUEST_KEY, "", "").ask_to_join(
                f"{len(self.games):032x}", "bench/1"
            )
        )
        game = Game(offer, line, join.digest)  # type: ignore[union-attr]
        self.games[offer.name] = game
        await self._transport.publish(game.topic, encode(join))

    async def play(self, period_s: float, rounds: int) -> Pace:
        """A round in every game each period, evenly spread."""
        games = [game for game in self.games.values() if game.ply + 2 * rounds < len(game.line)]
        for game in games:
            game.trips.clear()
        for process in (self.node, self._broker, self._driver):
            process.share()
        late = 0
        begin = time.monotonic()
        for number in range(rounds):
            for place, game in enumerate(games):
                due = begin + (number + place / len(games)) * period_s
                if (pause := due - time.monotonic()) > 0.001:
                    await asyncio.sleep(pause)
                if game.ours:
                    await self._transport.publish(game.topic, game.move())
                else:
                    late += 1
        shares = [each.share() for each in (self.node, self._broker, self._driver)]
        await self._until(lambda: all(game.ours for game in games), 10)
        trips = [trip for game in games for trip in game.trips]
        return Pace(period_s, trips, late, sum(not game.ours for game in games), *shares)

    async def begun(self, wanted: int) -> None:
        """Wait until so many games have begun and the node has moved in each."""
        await self._until(lambda: sum(game.ours for game in self.games.values()) >= wanted, 300)

    async def _until(self, done: Callable[[], bool], seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while not done() and time.monotonic() < deadline:  # noqa: ASYNC110 - a look is enough
            await asyncio.sleep(0.05)


@asynccontextmanager
async def serving(
    broker: Mosquitto, games: int, *, direct: bool = True, processes: int = 0
) -> AsyncIterator[Crowd]:
    """A node that serves so many games, which have all begun.

    Args:
        broker: where.
        games: how many.
        direct: whether the node uses direct links.
        processes: how many serve, on all cores; one, with a core of its own, when 0.
    """
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "ataxxd.toml"
        config.write_text(
            f"[node]\nprocesses = {processes or 1}\n"
            f'[broker]\nurl = "{broker.url}"\n[[tables]]\nname = "crowd"\nruleset = "{RULESET}"\n'
            f'player = "first"\ncolor = "first"\nat_once = {games}\ngrace = "never"\n'
        )
        program = ["-m", "ataxxd"] if direct else ["-c", _BY_LIBRARY]
        cores = sorted(os.sched_getaffinity(0))
        node = await asyncio.create_subprocess_exec(
            sys.executable, *program, "serve", "--config", str(config), "--home", f"{folder}/home",
            stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        server = broker._process
        assert server is not None
        if not processes:
            os.sched_setaffinity(node.pid, cores[:1])
            for pid in (0, server.pid):
                os.sched_setaffinity(pid, cores[1:] or cores)
        assert node.stderr is not None
        while b" serving: " not in await node.stderr.readline():
            pass
        reading = asyncio.create_task(node.stderr.read())
        try:
            async with BusyMqttTransport(broker.url) as transport:
                crowd = Crowd(transport, Process(node.pid, children=True), Process(server.pid))
                listening = asyncio.create_task(crowd.listen(games))
                await crowd.begun(1)
                began, before = time.monotonic(), crowd.node.kb
                await crowd.begun(games)
                took, each = time.monotonic() - began, (crowd.node.kb - before) / (games - 1)
                how = "over direct links" if direct else "over the client library"
                if processes:
                    how = f"of {format_count(processes, 'process', 'processes')}"
                print(f"{games} games {how}: begun in {took:.1f} s; {each:.0f} KB each")
                yield crowd
                listening.cancel()
                await asyncio.wait({listening})
        finally:
            os.sched_setaffinity(0, cores)
            node.terminate()
            await reading
            await node.wait()


async def main(games: int, first: int) -> None:
    """Print what a crowd costs, and where it ends."""
    if find_program("mosquitto") is None:
        print("Mosquitto is not installed: apt-get install mosquitto")
        return
    with tempfile.TemporaryDirectory() as folder, Mosquitto(Path(folder)) as broker:
        for direct in (True, False):
            async with serving(broker, games, direct=direct) as crowd:
                for period, rounds in zip(_PERIODS, (first, *[_ROUNDS] * 9), strict=False):
                    pace = await crowd.play(period, rounds)
                    print(pace.told(), flush=True)
                    if not pace.kept:
                        busy = max(("node", "broker", "driver"), key=lambda who: getattr(pace, who))
                        print(f"  it ends here; busiest: the {busy}")
                        break
                plies = sum(game.ply for game in crowd.games.values()) / games
                print(f"  {crowd.node.kb / 1024:.0f} MB in all, after {plies:.0f} plies a game")


if __name__ == "__main__":
    asyncio.run(
        main(
            int(sys.argv[1]) if len(sys.argv) > 1 else 1000,
            int(sys.argv[2]) if len(sys.argv) > 2 else 15,
        )
    )
