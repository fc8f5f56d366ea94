"""The marking scheme: twenty marks for what happened in the twelve test games."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ataxxd.engines.laboratory.trials import Played, Turn

# The share of all turns that earns so many marks. The sheet names those below full marks.
_FOR_VALUES = ((1.0, 2), (0.5, 1))
_FOR_MOVES = ((1.0, 4), (0.8, 3), (0.65, 2), (0.5, 1))
_FOR_SPEED = ((1.0, 2), (0.5, 1))


@dataclass(frozen=True, slots=True)
class Mark:
    """The marks for one thing.

    Attributes:
        what: it is, such as ``board evaluation``.
        marks: given.
        most: that there are.
        count: games won, or turns on which it did right.
        of: all of them.
    """

    what: str
    marks: int
    most: int
    count: int
    of: int


def marks_of(games: Sequence[Played], handicap: float) -> list[Mark]:
    """The marks for test games, in the order of the laboratory's sheet.

    Args:
        games: all that were played.
        handicap: how many times slower than ours the reference is taken to be.
    """
    schemes = dict.fromkeys(game.trial.scheme for game in games)
    marks = []
    for scheme in schemes:
        of_scheme = [game for game in games if game.trial.scheme is scheme]
        won = sum(game.is_won for game in of_scheme)
        what = f"depth {scheme.depth} beats {scheme.opponent_name}"
        marks.append(Mark(what, won, len(of_scheme), won, len(of_scheme)))
    turns = [turn for game in games for turn in game.turns]

    def share(what: str, levels: Sequence[tuple[float, int]], good: Callable[[Turn], bool]) -> Mark:
        count = sum(map(good, turns))
        earned = (marks for least, marks in levels if turns and count >= least * len(turns))
        return Mark(what, next(earned, 0), levels[0][1], count, len(turns))

    return [
        *marks,
        share("board evaluation", _FOR_VALUES, lambda turn: turn.has_right_value),
        share("minimax search", _FOR_MOVES, lambda turn: turn.is_right),
        share("speed", _FOR_SPEED, lambda turn: turn.is_fast(handicap)),
    ]
