"""Positions and moves as engine protocols write them.

UAI, the Universal Ataxx Interface, differs from our notation of moves only in passes. The Hub
protocol (Fabien Letouzey, version 2) has for checkers:

    BbbbbbbbbbbbbeeeeeeeewwwwwwwwwwwW    the side to move, then squares 1 to 32
    12-16   15x31x18x26                  a move; from, to, and all that is captured

``b`` and ``w`` are men, ``B`` and ``W`` kings, ``e`` is empty. It was made for boards of fifty
squares; here its notation is used for the thirty-two squares of English checkers.
"""

import re
from itertools import pairwise

from ataxxd._engine import Move, Position
from ataxxd.rules.values import InvalidPositionError, RulesError, Side

# Engines do not agree on how a pass is written; all of them take the first.
_PASSES = ("0000", "pass", "null")


def read_uai_move(position: Position, text: str) -> Move:
    """Read a move in UAI notation: ``g2``, ``a7b5``, or ``0000``, ``pass`` or ``null`` for a pass.

    Raises:
        ValueError: it is not a move, or not a legal one.
    """
    return position.parse_move(_PASSES[0] if text.lower() in _PASSES else text)


_POSITION = re.compile(r"([BW])([bwBWe]{32})")
_MOVE = re.compile(r"[0-9]{1,2}(?:-[0-9]{1,2}|(?:x[0-9]{1,2})+)", re.ASCII)
_WRITTEN = str.maketrans("xoXO.", "bwBWe")


def write_hub_position(position: Position) -> str:
    """Write a position of checkers, without what the rules remember of earlier ones."""
    squares = "".join(position.rows).replace(" ", "").translate(_WRITTEN)
    return f"{'B' if position.turn is Side.FIRST else 'W'}{squares}"


def read_hub_position(text: str, ruleset: str) -> Position:
    """Read a position in Hub notation.

    Raises:
        InvalidPositionError: it is not a position.
    """
    found = _POSITION.fullmatch(text)
    if found is None:
        msg = (
            f"{text[:40]!r} is not a checkers position: write B or W for the side to move, then "
            "32 of b, w, B, W and e."
        )
        raise InvalidPositionError(msg)
    turn, squares = found.groups()
    pieces = {"B": list[str](), "W": list[str]()}
    for number, piece in enumerate(squares, start=1):
        if piece != "e":
            pieces[piece.upper()].append(f"K{number}" if piece.isupper() else f"{number}")
    sides = ":".join(side + ",".join(those) for side, those in pieces.items())
    return Position.from_text(ruleset, f"{turn}:{sides}")


def write_hub_move(move: Move) -> str:
    """Write a move with all its captures."""
    if "x" not in move.text:
        return move.text
    path = [int(square) for square in move.text.split("x")]
    captured = [_between(one, other) for one, other in pairwise(path)]
    return "x".join(map(str, (path[0], path[-1], *captured)))


def read_hub_move(position: Position, text: str) -> Move:
    """Read a legal move; captured squares may come in any order.

    Raises:
        RulesError: it is not a move, or not a legal one.
    """
    if _MOVE.fullmatch(text) is None:
        msg = f"{text[:40]!r} is not a move: write 12-16, or 15x24x19 with what is captured."
        raise RulesError(msg)
    for move in position.legal_moves:
        if _key(write_hub_move(move)) == _key(text):
            return move
    msg = (
        f"{text} is not legal here; the legal moves are "
        f"{', '.join(map(write_hub_move, position.legal_moves))}."
    )
    raise RulesError(msg)


def _key(text: str) -> tuple[bool, list[int]]:
    jumps = "x" in text
    start, end, *captured = map(int, re.split("[-x]", text))
    return jumps, [start, end, *sorted(captured)]


def _between(one: int, other: int) -> int:
    (row, column), (to_row, to_column) = _place(one), _place(other)
    middle_row, middle_column = (row + to_row) // 2, (column + to_column) // 2
    return middle_row * 4 + middle_column // 2 + 1


def _place(square: int) -> tuple[int, int]:
    """Row and column from the top left; in the top row pieces stand on the odd columns."""
    row, column = divmod(square - 1, 4)
    return row, 2 * column + (1 - row % 2)
