"""Fast games on a machine that is busy with something else: who loses by the clock, by how much.

Every core also runs a process that does nothing but count. Our engine plays itself from random
openings, as many games at a time as there are cores, in two ways: at the usual level, which
needs little of a clock, and with a short clock alone, of which it uses nearly all. No move may be
late by anything: `ataxxd match` forgives 100 ms.

Run with ``python -m tests.bench.bench_clock [GAMES] [SECONDS]``: at most so many games of each
row, and about so long for all of them.
"""

import multiprocessing
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ataxxd.engines.base import Choice, seed_for
from ataxxd.engines.match.contestants import LATE, Contestant, make_contestant
from ataxxd.engines.match.game import Adjudication, TimeControl, play_game
from ataxxd.engines.match.openings import random_openings
from ataxxd.rules import Engine, Position, Side
from ataxxd.rules.limits import Limits

RULESETS = ("ataxx/uai", "reversi/standard", "checkers/acf", "loa/cs61b")
CONTROLS = {"auto@8": (5_000, 50), "auto": (1_000, 10)}
GAMES, SECONDS = 125, 1_500
_OPENING_PLIES = 6


@dataclass
class Account:
    """What the games of one row came to.

    Attributes:
        games, moves: played.
        lost: games that the clock decided.
        late_ms: the most by which a move took longer than the search was allowed.
        left_ms: the least that was left of a clock after a move.
    """

    games: int = 0
    moves: int = 0
    lost: int = 0
    late_ms: float = 0.0
    left_ms: float = float("inf")
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, limits: Limits, side: Side, allowed_ms: int | None, spent_ms: float) -> None:
        """Take note of a move."""
        assert limits.clocks is not None
        with self.lock:
            self.moves += 1
            self.left_ms = min(self.left_ms, limits.clocks[side].left_ms - spent_ms)
            if allowed_ms is not None:
                self.late_ms = max(self.late_ms, spent_ms - allowed_ms)


class Timed:
    """A contestant, and a stopwatch beside it."""

    def __init__(self, name: str, game: str) -> None:
        self._inner: Contestant = make_contestant(name, game)
        self._by_level = "@" in name
        self.account = Account()
        self.title = name
        self.own_limits: Limits | None = None
        self.prepare, self.new_game = self._inner.prepare, self._inner.new_game
        self.stop, self.close = self._inner.stop, self._inner.close

    def choose(self, position: Position, limits: Limits, seed: int) -> Choice:
        """As the contestant does."""
        side = position.turn
        most = limits.milliseconds(position) if self._by_level else limits.aim_and_max(position)[1]
        began = time.monotonic()
        choice = self._inner.choose(position, limits, seed)
        self.account.add(limits, side, most, 1_000 * (time.monotonic() - began))
        return choice


def play(name: str, ruleset: str, games: int, deadline: float) -> Account:
    """One row: games until there are so many, or the time is over."""
    account = Account()
    Engine.prepare(Position.start(ruleset))
    openings = random_openings(Position.start(ruleset), _OPENING_PLIES, 1)
    jobs = queue.SimpleQueue[tuple[int, Position]]()
    for number in range(games):
        jobs.put((number, next(openings)))
    control = TimeControl(base_ms=CONTROLS[name][0], increment_ms=CONTROLS[name][1])

    def work() -> None:
        players = [Timed(name, ruleset.partition("/")[0]) for _ in Side]
        for player in players:
            player.account = account
        while time.monotonic() < deadline:
            try:
                number, opening = jobs.get_nowait()
            except queue.Empty:
                return
            played = play_game(
                opening,
                dict(zip(Side, players, strict=True)),
                control,
                Adjudication(most_plies=300),
                seed=seed_for(1, number),
                interrupted=lambda: False,
            )
            assert played.outcome is not None
            with account.lock:
                account.games += 1
                account.lost += played.outcome.termination == LATE
            if played.fault is not None:
                print(f"  {ruleset}: {played.fault}", flush=True)

    threads = [threading.Thread(target=work) for _ in range(os.cpu_count() or 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return account


def _burn(parent: int) -> None:
    # A benchmark that was killed leaves nothing behind.
    while os.getppid() == parent:
        pass


@contextmanager
def burning() -> Iterator[None]:
    """Every core has something else to do."""
    burners = [
        multiprocessing.get_context("spawn").Process(target=_burn, args=(os.getpid(),))
        for _ in range(os.cpu_count() or 1)
    ]
    for burner in burners:
        burner.start()
    try:
        yield
    finally:
        for burner in burners:
            burner.kill()
            burner.join()


def main() -> None:
    """Measure and print."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else GAMES
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else SECONDS
    rows = [(name, ruleset) for name in CONTROLS for ruleset in RULESETS]
    began = time.monotonic()
    print("player  clock       rules              games   moves  lost  late, ms  least left, ms")
    total = Account()
    with burning():
        for number, (name, ruleset) in enumerate(rows, 1):
            deadline = began + seconds * number / len(rows)
            row = play(name, ruleset, games, deadline)
            total.games += row.games
            total.lost += row.lost
            base, increment = CONTROLS[name]
            print(
                f"{name:7} {base / 1000:.0f} s+{increment} ms".ljust(20)
                + f"{ruleset:17} {row.games:6} {row.moves:7} {row.lost:5} "
                f"{row.late_ms:9.0f} {row.left_ms:15.0f}",
                flush=True,
            )
    print(f"lost by the clock: {total.lost} of {total.games} games")


if __name__ == "__main__":
    main()
