"""What only Lines of Action has: positions set up by hand, and a move limit.

This module knows the position text of the game and nothing of when a position may be
changed; that is the business of whoever sets up a game.
"""

import re

from ataxxd._engine import Position
from ataxxd.rules.values import InvalidPositionError, Side

_LETTERS = {Side.FIRST: "x", Side.SECOND: "o", None: "."}


def moves_made(position: Position) -> int:
    """Moves made by both sides together, passes included."""
    return _counters(position)[0]


def move_limit(position: Position) -> int:
    """After how many moves by both sides together the game is a tie."""
    return _counters(position)[1]


def with_limit(position: Position, each: int) -> Position:
    """The position with another move limit, given as moves of each side.

    The command ``limit N`` of the course specification: the tie comes after ``2 * each``
    moves in all.

    Raises:
        InvalidPositionError: a side has already made that many moves, or the limit is too
            large for the position text.
    """
    made = moves_made(position)
    most = (made + 1) // 2  # by the side that has made more
    if each <= most:
        because = f"a side has made {most} already, so " if most else ""
        raise InvalidPositionError(
            f"The limit of moves of each side cannot be {each}: {because}it must be at least"
            f" {most + 1}."
        )
    board, turn, *rest = position.text.split(" ")
    set_up = " set" if "set" in rest else ""
    return Position.from_text(position.ruleset, f"{board} {turn} {made} {2 * each}{set_up}")


def with_square(position: Position, square: str, piece: Side | None, turn: Side) -> Position:
    """The position with the content of one square, and the side to move, replaced.

    The command ``set CR P N`` of the course specification. Move count and limit stay. The
    game goes on even where a side is connected: the next move decides whether it is over.

    Args:
        position: a position of Lines of Action.
        square: such as ``c3``, in either case.
        piece: the side whose piece to put there, or ``None`` for an empty square.
        turn: the side to move next.

    Raises:
        InvalidPositionError: the square does not exist.
    """
    made, limit = _counters(position)
    name = square.strip().lower()
    if re.fullmatch("[a-h][1-8]", name, re.ASCII) is None:
        raise InvalidPositionError(
            f"{square[:20]!r} is not a square; columns are a to h and rows 1 to 8, as in c3."
        )
    rows = [list(row) for row in position.rows]  # row 8 first
    rows[8 - int(name[1])]["abcdefgh".index(name[0])] = _LETTERS[piece]
    board = "/".join("".join(row) for row in rows)
    board = re.sub(r"\.+", lambda empty: str(len(empty[0])), board)
    return Position.from_text(position.ruleset, f"{board} {_LETTERS[turn]} {made} {limit} set")


def _counters(position: Position) -> tuple[int, int]:
    if position.game != "loa":
        raise InvalidPositionError(
            f"Only Lines of Action has this; this is a position of {position.game}."
        )
    counters = position.text.split(" ")[2:4]
    return (int(counters[0]), int(counters[1])) if counters else (0, 60)
