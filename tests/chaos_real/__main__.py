"""``make chaos-real``: many real games under faults; the seed is printed, and replays the plan.

What goes wrong, to whom and at which message of which game, follows from the seed; how the
processes run into it does not, so a failure may want more than one try.
"""

import argparse
import os
import secrets
import sys

from ataxxd.cli.signals import run_until_stopped
from tests.chaos_real.plan import plan_game
from tests.chaos_real.run import play_all


def main() -> int:
    """Play, and tell; 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="make chaos-real", description=__doc__)
    parser.add_argument("--games", type=int, default=200, metavar="N")
    parser.add_argument("--seed", type=int, default=None, metavar="S", help="random by itself")
    parser.add_argument(
        "--only", type=int, nargs="+", metavar="NUMBER", help="of all games only these"
    )
    parser.add_argument(
        "--at-once", type=int, default=3 * (os.cpu_count() or 1), metavar="N", help="games"
    )
    arguments = parser.parse_args()
    seed = secrets.randbits(32) if arguments.seed is None else arguments.seed
    numbers = arguments.only or range(1, arguments.games + 1)
    print(f"{len(numbers)} real games, {arguments.at_once} at once: --seed {seed}", flush=True)
    plans = [plan_game(seed, number) for number in numbers]

    async def play() -> int:
        figures = await play_all(plans, arguments.at_once, lambda line: print(line, flush=True))
        print(figures)
        if figures.failures:
            print(f"To try again: make chaos-real ARGS='--seed {seed} --only NUMBER'")
        return bool(figures.failures)

    return run_until_stopped(play())


if __name__ == "__main__":
    sys.exit(main())
