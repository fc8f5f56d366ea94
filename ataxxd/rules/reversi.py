"""What only reversi has: the second way to write a position.

This module knows the rows of a position and nothing of who asks for them.
"""

from ataxxd._engine import Position
from ataxxd.rules.errors import InvalidPositionError
from ataxxd.rules.values import Side

_LETTERS = str.maketrans("xo", "bw")


def laboratory_text(position: Position) -> str:
    """The position as the COMP24011 laboratory writes it, which `Position.from_text` reads.

    Rows from the top, ``w``, ``b`` and ``.``, with bars between them; in ``{}`` when it is
    White's turn and in ``[]`` when it is Black's.

    Raises:
        InvalidPositionError: this is a position of another game.
    """
    if position.game != "reversi":
        raise InvalidPositionError(
            f"Only reversi is written this way; this is a position of {position.game}."
        )
    rows = "|".join(position.rows).translate(_LETTERS)
    return f"[{rows}]" if position.turn is Side.FIRST else f"{{{rows}}}"
