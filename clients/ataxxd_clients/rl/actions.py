"""Actions as numbers: steps from square to square, the same for all games.

A move is a path of squares. Two squares in a row are one step, which is one action; a move of
one square (a new piece) is the step from the square to itself. A jump of several captures is
several steps of one player. So every game has some hundred actions, whatever its moves.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from ataxxd.rules import Move, Position

Step = tuple[str, str]

# What can be reached at all, told by columns and rows between two squares.
_REACH: dict[str, Callable[[int, int], bool]] = {
    "ataxx": lambda across, down: max(across, down) in (0, 2),
    "reversi": lambda across, down: across == down == 0,
    "checkers": lambda across, down: across == down and across in (1, 2),
    "loa": lambda across, down: max(across, down) > 0 and (across == down or 0 in (across, down)),
}


def _anywhere(_across: int, _down: int) -> bool:
    """What a game reaches of which nothing is known here."""
    return True


@dataclass(frozen=True, slots=True)
class Pending:
    """A legal move and the steps it takes; none for a pass."""

    move: Move
    steps: tuple[Step, ...]


class Actions:
    """The actions of a game: a number for every step that a board of this size allows.

    Args:
        start: a position of the game; its squares are everybody's.

    Attributes:
        steps: the step of each number; after them comes one number for passing.
    """

    def __init__(self, start: Position) -> None:
        names = start.square_names
        places = [
            (name, column, row)
            for row, line in enumerate(names)
            for column, name in enumerate(line)
            if name is not None
        ]
        reaches = _REACH.get(start.game, _anywhere)
        self.steps: tuple[Step, ...] = tuple(
            (one, other)
            for one, column, row in places
            for other, to_column, to_row in places
            if reaches(abs(to_column - column), abs(to_row - row))
        )
        self._numbers = {step: number for number, step in enumerate(self.steps)}

    def __len__(self) -> int:
        """How many there are."""
        return len(self.steps) + 1

    @property
    def passing(self) -> int:
        """The number of the pass."""
        return len(self.steps)

    def pending(self, position: Position) -> tuple[Pending, ...]:
        """The legal moves of a position with their steps."""
        return tuple(Pending(move, self._path(move)) for move in position.legal_moves)

    def numbers(self, moves: Iterable[Pending], made: int) -> frozenset[int]:
        """The actions that go on with one of `moves`, of which `made` steps are made."""
        return frozenset(
            self._numbers[each.steps[made]] if each.steps else self.passing for each in moves
        )

    def going_on(self, moves: Sequence[Pending], made: int, action: int) -> tuple[Pending, ...]:
        """Those of `moves`, of which `made` steps are made, that the action goes on with."""
        return tuple(
            each
            for each in moves
            if (self._numbers[each.steps[made]] if each.steps else self.passing) == action
        )

    def _path(self, move: Move) -> tuple[Step, ...]:
        squares = move.squares
        if len(squares) == 1:
            return ((squares[0], squares[0]),)
        return tuple(pairwise(squares))
