"""Explore small games whole: ``python -m tests.explore [--game G] [--bound N] [--lies N] ...``.

Without ``--lies`` both players are honest; with it one of them tells so many lies at most.
"""

import argparse
import sys

from ataxxd.session.state import Role
from tests.explore.cheating import CheatExplorer
from tests.explore.explorer import Explorer
from tests.explore.terms import STARTS, Terms


def main(arguments: list[str] | None = None) -> int:
    """Run from the command line; 1 when a law was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.explore", description=__doc__)
    parser.add_argument("--game", choices=sorted(STARTS), action="append", help="default: all")
    parser.add_argument("--bound", type=int, default=6, help="messages until only the end is left")
    parser.add_argument("--ticks", type=int, default=0, help="steps of the clock; 0 for no time")
    parser.add_argument("--clock", action="store_true", help="flags fall, instead of a grace")
    parser.add_argument("--kills", type=int, help="of each node, at most; default: any number")
    parser.add_argument("--connections", type=int, help="new ones of each node, where time is")
    parser.add_argument("--lies", type=int, default=0, help="what a dishonest player may tell")
    parser.add_argument("--alone", action="store_true", help="nobody looks on beside a liar")
    parser.add_argument("--no-resigning", action="store_true", help="nobody resigns")
    parser.add_argument("--states", type=int, default=10**9, help="stop after so many")
    parser.add_argument("--asks", action="store_true", help="takebacks and aborts, too")
    options = parser.parse_args(arguments)
    broken = False
    for game in options.game or sorted(STARTS):
        terms = Terms(
            game,
            bound=options.bound,
            ticks=options.ticks,
            clock=options.clock,
            kills=options.kills,
            connections=options.connections,
            asks=options.asks,
            resigns=not options.no_resigning,
        )
        runs = {"both honest": Explorer(terms)} if not options.lies else {
            f"the {role} lies": CheatExplorer(terms, role, options.lies, watched=not options.alone)
            for role in Role
        }  # fmt: skip
        for words, explorer in runs.items():
            print(f"{terms}, {words}", flush=True)
            report = explorer.run(options.states)
            print(f"  {report}", flush=True)
            broken |= report.broken is not None
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
