"""Positions that several threads visit, relative to one.

Each engine has searched before; the same six openings of a game for each number of threads, and
the median of six ratios. Openings answered at once, by an only move or a forced win, are left out.

Run with ``python -m tests.bench.bench_threads [MS] [THREADS...]``.
"""

import statistics
import sys
from collections.abc import Iterator
from itertools import islice

from ataxxd.engines.match.openings import random_openings
from ataxxd.rules import Engine, Position

RULESETS = ("ataxx/uai", "reversi/standard", "checkers/acf", "loa/cs61b")
MS, THREADS = 500, (2,)
HASH_MB, PLIES, OPENINGS = 64, 12, 6


def contested(start: Position, ms: int) -> Iterator[Position]:
    """Openings that take a search as long as it may."""
    engine = Engine(HASH_MB)
    for opening in random_openings(start, PLIES, 1):
        if engine.search(opening, time_ms=ms).elapsed_ms > ms // 2:
            yield opening


def positions_visited(openings: list[Position], threads: int, ms: int) -> list[int]:
    """Positions visited in ``ms`` milliseconds, by opening."""
    engine = Engine(HASH_MB, threads=threads)
    engine.search(openings[0], time_ms=ms)
    return [engine.search(opening, time_ms=ms).nodes for opening in openings]


def main(ms: int = MS, *numbers: int) -> None:
    """Prints a row for each number of threads."""
    print("threads ", *(f"{ruleset:>18}" for ruleset in RULESETS))
    starts = [Position.start(ruleset) for ruleset in RULESETS]
    for start in starts:
        Engine.prepare(start)
    openings = [list(islice(contested(start, ms), OPENINGS)) for start in starts]
    alone = [positions_visited(of, 1, ms) for of in openings]
    for threads in numbers or THREADS:
        together = [positions_visited(of, threads, ms) for of in openings]
        ratios = [
            statistics.median(many / one for many, one in zip(*visited, strict=True))
            for visited in zip(together, alone, strict=True)
        ]
        print(f"{threads:>7} ", *(f"{ratio:>18.2f}" for ratio in ratios))


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
