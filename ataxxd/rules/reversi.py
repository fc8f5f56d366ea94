"""What only reversi has: the second way to write a position, and what it is worth in a course.

This module knows the rows of a position and nothing of who asks for them.
"""

from ataxxd._engine import Position
from ataxxd.rules.values import InvalidPositionError, Side

_LETTERS = str.maketrans("xo", "bw")
_SIGNS = {"x": -1, "o": 1, ".": 0}

# Row by row, as the COMP24011 laboratory prints them; the engine's search has the same.
SQUARE_WEIGHTS = (
    (120, -20, 20, 5, 5, 20, -20, 120),
    (-20, -40, -5, -5, -5, -5, -40, -20),
    (20, -5, 15, 3, 3, 15, -5, 20),
    (5, -5, 3, 3, 3, 3, -5, 5),
    (5, -5, 3, 3, 3, 3, -5, 5),
    (20, -5, 15, 3, 3, 15, -5, 20),
    (-20, -40, -5, -5, -5, -5, -40, -20),
    (120, -20, 20, 5, 5, 20, -20, 120),
)


def laboratory_text(position: Position) -> str:
    """The position as the COMP24011 laboratory writes it, which `Position.from_text` reads.

    Rows from the top, ``w``, ``b`` and ``.``, with bars between them; in ``{}`` when it is
    White's turn and in ``[]`` when it is Black's.

    Raises:
        InvalidPositionError: it is a position of another game.
    """
    _require_reversi(position)
    rows = "|".join(position.rows).translate(_LETTERS)
    return f"[{rows}]" if position.turn is Side.FIRST else f"{{{rows}}}"


def board_eval(position: Position) -> int:
    """The value of the laboratory's ``boardEval``: White's weights minus Black's.

    It does not depend on the side to move, nor on whether the game is over.

    Raises:
        InvalidPositionError: it is a position of another game.
    """
    _require_reversi(position)
    squares = zip(SQUARE_WEIGHTS, position.rows, strict=True)
    return sum(
        weight * _SIGNS[square]
        for weights, row in squares
        for weight, square in zip(weights, row, strict=True)
    )


def _require_reversi(position: Position) -> None:
    if position.game != "reversi":
        raise InvalidPositionError(
            f"Only reversi has this; the position is one of {position.game}."
        )
