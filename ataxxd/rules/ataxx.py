"""What only Ataxx has: blocks placed before the game.

This module knows the position text of Ataxx and nothing of when blocks may be
placed; that is the business of whoever sets up a game.
"""

import re
from collections.abc import Iterable

from ataxxd._engine import Position
from ataxxd.rules.values import InvalidPositionError

_COLUMNS = "abcdefg"
_OCCUPANTS = {"x": "a piece", "o": "a piece", "#": "a block"}


def with_block(position: Position, square: str) -> Position:
    """The position with a block on a square and on its three reflections.

    Blocks mirror across the middle column and the middle row (course specification,
    "Blocks"); a square on a middle line has fewer reflections. Nothing else changes,
    but the game may be over in the new position.

    Args:
        position: an Ataxx position.
        square: such as ``c3``, in either case.

    Raises:
        InvalidPositionError: the square does not exist, or it or a reflection of it
            holds a piece or a block; the message names that square.
    """
    if position.game != "ataxx":
        raise InvalidPositionError(f"Only Ataxx has blocks; this is a position of {position.game}.")
    name = square.strip().lower()
    if re.fullmatch("[a-g][1-7]", name, re.ASCII) is None:
        raise InvalidPositionError(
            f"{square[:20]!r} is not a square for a block; columns are a to g and rows 1 to 7,"
            " as in c3."
        )
    rows = [list(row) for row in position.rows]  # row 7 first
    for target in reflections(name):
        column, row = _COLUMNS.index(target[0]), 7 - int(target[1])
        occupant = _OCCUPANTS.get(rows[row][column])
        if occupant is not None:
            where = target if target == name else f"its reflection {target}"
            raise InvalidPositionError(
                f"No block can stand on {name}: {where} already holds {occupant}."
            )
        rows[row][column] = "#"
    return _with_rows(position, ("".join(row) for row in rows))


def with_blocks(position: Position, squares: str) -> Position:
    """The position with blocks on squares named in one text, such as ``b2 c3``.

    Commas and spaces separate the names. A square that is already blocked as the reflection of an
    earlier one is allowed: ``b2 f6`` is the same as ``b2``.

    Raises:
        InvalidPositionError: as for `with_block`.
    """
    placed: set[str] = set()
    for name in squares.replace(",", " ").lower().split():
        if name not in placed:
            position = with_block(position, name)
            placed |= set(reflections(name))
    return position


def reflections(square: str) -> tuple[str, ...]:
    """The square itself and its mirror images across the middle lines, each once."""
    column, row = square[0], square[1]
    columns = (column, _COLUMNS[6 - _COLUMNS.index(column)])
    rows = (row, str(8 - int(row)))
    return tuple(dict.fromkeys(c + r for r in rows for c in columns))


def _with_rows(position: Position, rows: Iterable[str]) -> Position:
    board = "/".join(rows).replace("#", "-")
    board = re.sub(r"\.+", lambda empty: str(len(empty[0])), board)
    return Position.from_text(position.ruleset, f"{board} {position.text.partition(' ')[2]}")
