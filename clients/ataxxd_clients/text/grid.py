"""Boards for people: coordinates, the last move, and something to say beside them."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest

from ataxxd.rules import Position
from ataxxd_clients.text.terminal import Terminal

# SGR codes and signs of `Position.rows`: first side, second side, empty, block.
_COLOURS = {"x": "1;31", "o": "1;94", "X": "1;31", "O": "1;94", ".": "2", "#": "2", " ": "0"}
_SIGNS = {"x": "●", "o": "○", "X": "♚", "O": "♔", ".": "·", "#": "█", " ": " "}


def piece(square: str, terminal: Terminal, letters: tuple[str, str]) -> str:
    """A square's content: one character, in colour where there are colours."""
    signs = _SIGNS
    if not terminal.unicode:
        kings = {"X": letters[0].upper(), "O": letters[1].upper()}
        signs = {"x": letters[0], "o": letters[1], **kings, ".": ".", "#": "#", " ": " "}
    return terminal.paint(signs[square], _COLOURS[square])


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
    numbered: bool = False,
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
        numbered: squares have numbers, as in checkers; the free ones show theirs.
    """
    if numbered:
        lines = _numbered_lines(position, terminal, letters, left, reached, signs or {})
        return _beside(lines, beside)
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
            cells.append(_marked(shown, square, left, reached))
        lines.append(f"{number:2} " + "".join(cells))
    lines.append(columns)
    return _beside(lines, beside)


def _marked(shown: str, square: str, left: str | None, reached: str | None) -> str:
    if square == reached:
        return f"[{shown}]"
    return f"({shown})" if square == left else f" {shown} "


def _numbered_lines(
    position: Position,
    terminal: Terminal,
    letters: tuple[str, str],
    left: str | None,
    reached: str | None,
    signs: Mapping[str, str],
) -> list[str]:
    """The rows of a board whose squares are numbered from the top where they can be played on."""
    lines = []
    number = 0
    for row in position.rows:
        cells = []
        for content in row:
            if content == " ":
                cells.append("   ")
                continue
            number += 1
            square = str(number)
            if square in signs:
                cells.append(f" {terminal.paint(signs[square], '1;32')} ")
            elif content == ".":
                cells.append(terminal.paint(f"{number:2} ", _COLOURS["."]))
            else:
                cells.append(_marked(piece(content, terminal, letters), square, left, reached))
        lines.append(f"{number - 3:2}-{number:<2} " + "".join(cells))
    return lines


def _beside(lines: Sequence[str], beside: Sequence[str]) -> list[str]:
    """Lines with remarks to the right of them."""
    return [
        f"{line}   {remark}".rstrip()
        for line, remark in zip_longest(lines, beside[: len(lines)], fillvalue="")
    ]
