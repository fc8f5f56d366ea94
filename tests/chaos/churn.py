"""A day of a serving node, in virtual time: guests and onlookers come and go, things break.

The real service with the real journal, over a broker in memory. Guests come all the time, play
and leave; some vanish in the middle, and are claimed; onlookers look in. The broker restarts
and forgets, and the node is killed and started again. Each hour it is told what there is of
memory, tasks, files and retained topics; at the end nothing may be left of any of them.

Run with ``python -m tests.chaos.churn [HOURS]``.
"""

import asyncio
import gc
import random
import sys
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.engines.base import RandomBot
from ataxxd.errors import AtaxxdError
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.game_run import GameContext
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.offers import Terms
from ataxxd.node.profile import Profile
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.node.watching import Watcher
from ataxxd.rules import Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.serve.plan import Plan, TablePlan
from ataxxd.serve.service import Service
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.memory_broker import MemoryBroker

HOUR_S = 3600.0
DAWN_S = 1_700_000_000.0
# Mean seconds between two guests, two onlookers, and between two moves of a guest.
_GUESTS_S, _ONLOOKERS_S, _PACE_S = 240.0, 300.0, 5.0
_BROKER_S, _KILL_S = 5 * HOUR_S, 3 * HOUR_S
# How many of the guests vanish. Their games are on the broker for another day.
VANISH = 0.1
_RULESETS = ("ataxx/cs61b-2022", "reversi/standard", "loa/cs61b", "checkers/acf")
_PLIES = 60


@dataclass(frozen=True)
class Reading:
    """What there is at one moment."""

    hour: int
    blocks: int
    tasks: int
    files: int
    retained: int
    finished: int

    def __str__(self) -> str:
        return (
            f"hour {self.hour:3}: {self.blocks:7} blocks of memory, {self.tasks:4} tasks, "
            f"{self.files:3} files, {self.retained:3} retained topics, {self.finished} games over"
        )


@dataclass
class Day:
    """How a day went."""

    readings: list[Reading] = field(default_factory=list)
    played: int = 0
    vanished: int = 0
    watched: int = 0
    kills: int = 0
    left: list[str] = field(default_factory=list)


class Town:
    """The broker, the node, and those who come."""

    def __init__(self, folder: Path, fate: random.Random, vanish: float) -> None:
        """Nobody is there yet."""
        self._vanish = vanish
        self.day = Day()
        self.broker = MemoryBroker()
        self._folder = folder
        self._fate = fate
        self._guests = 0
        self._open = True

    async def live(self, hours: int, quiet: int) -> Day:
        """Play through so many hours, and then some quiet ones without new guests."""
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(self._serve(), name="the node")
            others = [
                group.create_task(each, name="the town")
                for each in (self._arrivals(group), self._onlookers(group), self._outages())
            ]
            for hour in range(1, hours + quiet + 1):
                self._open = hour <= hours
                await asyncio.sleep(HOUR_S)
                self.day.readings.append(self._read(hour))
                print(self.day.readings[-1], flush=True)
            for task in (*others, serving):
                task.cancel()
        self.day.left = sorted(self.broker.retained)
        return self.day

    # The node

    async def _serve(self) -> None:
        """The node, killed and started again, and at the end stopped as it should be."""
        while True:
            killed = self._fate.expovariate(1 / _KILL_S)
            async with self._node(self._folder / "node") as node:
                service = Service(
                    node, lambda will: self.broker.connect(will=will), _plan(),
                    broker="memory", as_text=lambda *_: b"",
                )  # fmt: skip
                running = asyncio.create_task(service.run(), name="service")
                try:
                    await asyncio.wait({running}, timeout=killed)
                    if running.done():
                        running.result()
                except asyncio.CancelledError:
                    service.stop()
                    await asyncio.wait({running})
                    raise
                self.day.kills += 1
                running.cancel()
                await asyncio.wait({running})
            await asyncio.sleep(30)

    async def _outages(self) -> None:
        while True:
            await asyncio.sleep(self._fate.expovariate(1 / _BROKER_S))
            self.broker.stop()  # it forgets what it retained
            await asyncio.sleep(20)
            self.broker.start()

    # Guests

    async def _arrivals(self, group: asyncio.TaskGroup) -> None:
        while True:
            await asyncio.sleep(self._fate.expovariate(1 / _GUESTS_S))
            if self._open:
                self._guests += 1
                group.create_task(self._visit(self._guests), name=f"guest {self._guests}")

    async def _visit(self, number: int) -> None:
        """Join an open game, play, and go; some vanish without a word."""
        folder = self._folder / f"guest-{number}"
        with suppress(AtaxxdError):
            async with self._node(folder) as profile:
                found = [game for game in await self._look() if game.phase is Phase.OPEN]
                if not found:
                    return
                place = GameContext(
                    profile, lambda will: self.broker.connect(will=will), lambda *_: b"", _nothing
                )
                node = Node(place, "mqtt://broker", settings=Settings(seed=number))
                player = SeatPlayer(RandomBot(), stays=False)
                game = node.join_game(self._fate.choice(found).offer, player=player)
                running = asyncio.create_task(game.run(), name=f"seat {number}")
                try:
                    async with asyncio.timeout(2 * HOUR_S):
                        await self._play(game)
                        await running
                        self.day.played += 1
                except (TimeoutError, _VanishedError):
                    self.day.vanished += 1
                finally:
                    running.cancel()
                    await asyncio.wait({running})
                    game.close()

    async def _play(self, game: NetworkGame) -> None:
        if not await game.begun():
            return
        ends = self._fate.randrange(_PLIES) if self._fate.random() < self._vanish else 10_000
        while game.outcome is None:
            if len(game.moves) >= ends:
                raise _VanishedError
            if len(game.moves) >= _PLIES and game.current.ledger.on_turn is Role.GUEST:
                await game.resign()
            await asyncio.sleep(self._fate.expovariate(1 / _PACE_S))
            await game.advance()

    # Onlookers

    async def _onlookers(self, group: asyncio.TaskGroup) -> None:
        while True:
            await asyncio.sleep(self._fate.expovariate(1 / _ONLOOKERS_S))
            group.create_task(self._look_on(), name="onlooker")

    async def _look_on(self) -> None:
        with suppress(AtaxxdError, TimeoutError):
            found = [game for game in await self._look() if game.phase is not Phase.OPEN]
            if not found:
                return
            async with self.broker.connect() as transport:
                session = SpectatorSession(Ledger(self._fate.choice(found).offer))
                async with asyncio.timeout(self._fate.expovariate(1 / 600)):
                    async for _ in Watcher(session, transport).events():
                        pass
            self.day.watched += 1

    async def _look(self) -> list[FoundGame]:
        async with self.broker.connect() as transport:
            return await GameFinder(transport).search(seconds=1.0)

    # What there is

    @asynccontextmanager
    async def _node(self, folder: Path) -> AsyncIterator[Profile]:
        folder.mkdir(exist_ok=True)  # noqa: ASYNC240 - nobody waits in virtual time
        home = Home(folder)
        with closing(Journal(home.journal)) as journal:
            profile = Profile(home, load_identity(home.identity), journal)
            try:
                yield profile
            finally:
                profile.names.close()

    def _read(self, hour: int) -> Reading:
        gc.collect()
        self.broker.log.clear()
        return Reading(
            hour,
            sys.getallocatedblocks(),
            len(asyncio.all_tasks()),
            len([*Path("/proc/self/fd").iterdir()]),
            len(self.broker.retained),
            self.day.played + self.day.vanished,
        )


class _VanishedError(Exception):
    """A guest is gone, without a word."""


def _nothing(_note: str) -> None:
    """Nobody reads the notes of a guest."""


def _plan() -> Plan:
    return Plan(
        tables=[
            TablePlan(
                name=ruleset.split("/")[0],
                first=GameRecord(Position.start(ruleset)),
                color="random",
                terms=Terms(grace_ms=600_000),
                player="random:1",
                level=None,
                at_once=4,
                lasts_ms=int(12 * HOUR_S * 1000),
            )
            for ruleset in _RULESETS
        ],
        keep_ms=int(2 * HOUR_S * 1000),
        shown_ms=int(HOUR_S * 1000),
        name="town",
    )


def live(hours: int, quiet: int, *, seed: int = 1, vanish: float = VANISH) -> Day:
    """A day of so many hours, in which some of the guests vanish, and quiet ones after it."""
    loop = VirtualLoop()
    wall, monotonic = SYSTEM_CLOCK.wall, SYSTEM_CLOCK.monotonic
    # The service asks the system's clock: for the time of this day it is the loop's.
    object.__setattr__(SYSTEM_CLOCK, "wall", lambda: DAWN_S + loop.now)
    object.__setattr__(SYSTEM_CLOCK, "monotonic", loop.time)
    try:
        with tempfile.TemporaryDirectory() as folder:
            return run_virtually(
                Town(Path(folder), random.Random(seed), vanish).live(hours, quiet), loop
            )
    finally:
        object.__setattr__(SYSTEM_CLOCK, "wall", wall)
        object.__setattr__(SYSTEM_CLOCK, "monotonic", monotonic)


if __name__ == "__main__":
    # After a day a game is given up whose guest has vanished.
    day = live(int(sys.argv[1]) if len(sys.argv) > 1 else 24, 30)
    print(
        f"{day.played} games played, {day.vanished} guests vanished, {day.watched} onlookers, "
        f"the node killed {day.kills} times; retained at the end: {day.left or 'nothing'}"
    )
