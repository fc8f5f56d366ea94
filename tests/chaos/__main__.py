"""Play many simulated games: ``python -m tests.chaos [--games N] [--seed S] [--replay SEED]``.

Each game has a seed of its own, from S on. One that breaks a law is printed with its seed and
stops the run after all others that were begun; ``--replay`` plays it again and tells all.
"""

import argparse
import multiprocessing
import os
import secrets
import sys
import time
from collections import Counter

from tests.chaos.game import Report, be_quiet, simulate

_BATCH = 20


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--games", type=int, default=10_000, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S")
    parser.add_argument("--replay", type=int, default=None, metavar="SEED")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), metavar="J")
    options = parser.parse_args(arguments)
    if options.replay is not None:
        report = simulate(options.replay)
        print("\n".join(report.trace))
        print(describe(report))
        return bool(report.broken)
    first = secrets.randbelow(10**9) if options.seed is None else options.seed
    return run(first, options.games, options.jobs)


def run(first: int, games: int, jobs: int) -> int:
    """Play `games` games with the seeds from `first` on; how many of them broke a law."""
    print(f"{games} games, seeds {first} to {first + games - 1}, {jobs} at a time", flush=True)
    began = told = time.monotonic()
    ends: Counter[str] = Counter()
    messages, virtual_s, broken = 0, 0.0, 0
    seeds = range(first, first + games)
    with multiprocessing.get_context("spawn").Pool(jobs, be_quiet) as pool:
        for number, report in enumerate(pool.imap(simulate, seeds, _BATCH), 1):
            ends.update(report.ends)
            messages += report.messages
            virtual_s += report.virtual_s
            if report.broken:
                broken += 1
                print(describe(report), flush=True)
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"  {number} games, {told - began:.0f} s, {broken} broken", flush=True)
    seconds = time.monotonic() - began
    print(
        f"{games} games in {seconds:.1f} s: {virtual_s / 3600:.0f} hours of their own time, "
        f"{messages} messages; {', '.join(f'{count} {end}' for end, count in ends.most_common())}"
    )
    print(f"{broken} games broke a law" if broken else "every law held")
    return int(broken > 0)


def describe(report: Report) -> str:
    """A game that broke a law, and how to see it again."""
    lines = [f"seed {report.seed}: {report.scenario}"]
    lines += [f"  {law}" for law in report.broken]
    lines.append(f"  replay: python -m tests.chaos --replay {report.seed}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
