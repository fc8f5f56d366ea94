"""Boards for people: coordinates, the last move, and something to say beside them."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from ataxxd.rules import Position
from ataxxd_clients.text.terminal import Terminal

# SGR codes and signs of `Position.rows`: first side, second side, empty, block.
_COLOURS = {"x": "1;31", "o": "1;94", ".": "2", "#": "2"}
_SIGNS = {"x": "●", "o": "○", ".": "·", "#": "█"}


def piece(square: str, terminal: Terminal, letters: tuple[str, str]) -> str:
    """A square's content: one character, in colour where there are colours."""
    plain = {"x": letters[0], "o": letters[1], ".": ".", "#": "#"}
    return terminal.paint((_SIGNS if terminal.unicode else plain)[square], _COLOURS[square])


def draw(
    position: Position,
    terminal: Terminal,
    letters: tuple[str, str],
    *,
    left: str | None = None,
    reached: str | None = None,
    signs: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
    row_one_on_top: bool = False,
) -> list[str]:
    """The lines of a board, at most 60 columns for a 7x7 or 8x8 board with short remarks.

    Args:
        position: the position to draw.
        terminal: what can be shown.
        letters: stand for the pieces of both sides where only ASCII can be shown.
        left: a square to mark as left by the last move, such as ``a7``.
        reached: the square to mark as reached by it.
        signs: characters to show on squares instead of their content.
        beside: lines to the right of the board.
        row_one_on_top: number the rows from the top.
    """
    rows = position.rows
    columns = "   " + "".join(f" {chr(97 + column)} " for column in range(len(rows[0])))
    lines = []
    numbers = range(1, len(rows) + 1) if row_one_on_top else range(len(rows), 0, -1)
    for number, row in zip(numbers, rows, strict=True):
        cells = []
        for column, content in enumerate(row):
            square = f"{chr(97 + column)}{number}"
            shown = piece(content, terminal, letters)
            if signs and square in signs:
                shown = terminal.paint(signs[square], "1;32")
            if square == reached:
                shown = f"[{shown}]"
            elif square == left:
                shown = f"({shown})"
            else:
                shown = f" {shown} "
            cells.append(shown)
        lines.append(f"{number:2} " + "".join(cells))
    lines.append(columns)
    return [
        f"{line}   {remark}".rstrip()
        for line, remark in zip_longest(lines, beside[: len(lines)], fillvalue="")
    ]
