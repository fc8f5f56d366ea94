"""How much stronger each level of our engine is than the one below it, in Elo.

Run with ``python -m tests.bench.bench_levels GAME [GAMES]``: so many games a step, two for each
opening of six random moves, sides swapped. Level 0 plays any legal move. ``--levels 1 4`` measures
the steps from level 1 to level 4 only, ``--seconds N`` ends a step that takes longer, after the
pair that it is at; ``--json`` prints an object a step. The error is half of the 95 % interval.
"""

import argparse
import json
import time
from itertools import pairwise

from ataxxd.engines import HIGHEST_LEVEL, OURS
from ataxxd.engines.match import Match, Plan
from ataxxd.engines.match.checkpoint import Standings
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.engines.match.openings import random_openings
from ataxxd.engines.match.statistics import Estimate, estimate
from ataxxd.rules import Position
from ataxxd.rules.limits import DEFAULT_HASH_MB

RULESETS = {
    "ataxx": "ataxx/uai",
    "reversi": "reversi/standard",
    "checkers": "checkers/acf",
    "loa": "loa/cs61b",
}
OPENING_PLIES = 6
SEED = 1


def step(game: str, lower: int, games: int, seconds: float) -> Standings:
    """A match of the next level against a level; the points are the next one's."""
    plan = Plan(
        players=(f"{OURS}@{lower + 1}", f"{OURS}@{lower}"),
        games=games,
        concurrency=1,
        control=TimeControl(),
        adjudication=Adjudication(),
        seed=SEED,
        hash_mb=DEFAULT_HASH_MB,
    )
    openings = random_openings(Position.start(RULESETS[game]), OPENING_PLIES, SEED)
    match, standings = Match(plan, openings), Standings()
    end = time.monotonic() + seconds
    try:
        for result in match.results():
            standings.add(result)
            if result.swapped and time.monotonic() >= end:
                break
    finally:
        match.close()
    return standings


def main() -> None:
    """Print a line for each step."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.bench_levels")
    parser.add_argument("game", choices=RULESETS)
    parser.add_argument("games", nargs="?", type=int, default=60)
    parser.add_argument("--levels", nargs=2, type=int, default=(0, HIGHEST_LEVEL))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args()
    first, last = asked.levels
    for lower, upper in pairwise(range(first, last + 1)):
        began = time.monotonic()
        standings = step(asked.game, lower, asked.games, asked.seconds)
        found = estimate(standings.pairs)
        assert found is not None
        lost, drawn, won = standings.games
        if asked.json:
            said: dict[str, object] = {"game": asked.game, "level": upper, "against": lower}
            said |= {"won": won, "drawn": drawn, "lost": lost, "pairs": standings.pairs}
            said |= {"elo": _finite(found.elo), "error": _finite(found.error)}
            print(json.dumps(said), flush=True)
        else:
            seconds = time.monotonic() - began
            print(
                f"{asked.game:8} {upper:2} against {lower}: +{won} ={drawn} -{lost}, {_text(found)}"
                f", {seconds:.0f} s",
                flush=True,
            )


def _finite(number: float) -> float | None:
    return round(number, 1) if abs(number) < float("inf") else None


def _text(found: Estimate) -> str:
    return f"Elo {found.elo:+.0f} ± {found.error:.0f}"


if __name__ == "__main__":
    main()
