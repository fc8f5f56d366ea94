"""Positions to begin simulated games from: some moves before the end, in every game.

Made once a process by random play with a fixed seed, so that a game's seed means the same
everywhere.
"""

import random
from functools import cache

from ataxxd.rules import Position, rulesets

_GAMES_EACH = 6
_PLIES_LEFT = (1, 2, 3, 5, 8, 12)
_LONGEST = 400


@cache
def endings(ruleset: str) -> tuple[str, ...]:
    """Texts of positions of `ruleset` in which at most a few moves are left, if played alike."""
    fate = random.Random(f"endings of {ruleset}")
    found: list[str] = []
    while len(found) < _GAMES_EACH * len(_PLIES_LEFT):
        played = _random_game(ruleset, fate)
        # A game that found no end has no end to come close to.
        if played[-1].outcome is not None:
            found += [played[-1 - left].text for left in _PLIES_LEFT if left < len(played)]
    return tuple(text for text in found if Position.from_text(ruleset, text).outcome is None)


def choose_start(fate: random.Random, *, whole: bool) -> Position:
    """Where a game begins: `whole` from its usual start, or near its end."""
    ruleset = fate.choice([info.id for info in rulesets()])
    if whole:
        return Position.start(ruleset)
    return Position.from_text(ruleset, fate.choice(endings(ruleset)))


def _random_game(ruleset: str, fate: random.Random) -> list[Position]:
    positions = [Position.start(ruleset)]
    while positions[-1].outcome is None and len(positions) < _LONGEST:
        position = positions[-1]
        positions.append(position.play(fate.choice(tuple(position.legal_moves))))
    return positions
