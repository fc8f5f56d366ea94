"""Boards for people: coordinates, the last move, and something to say beside them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ataxxd.rules import Move, Position
from ataxxd_clients.text.console import Terminal

_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Signs of `Position.rows`: first side, second side, their kings, empty, block, not played on.
_SIGNS = {"x": "●", "o": "○", "X": "♚", "O": "♔", ".": "·", "#": "█", " ": " "}


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a board, as SGR codes.

    Attributes:
        pieces: of the first and of the second side.
        faint: of empty squares and blocks.
        sign: of squares that are pointed out.
        ground: of the squares themselves; empty where they are the terminal's own.
    """

    pieces: tuple[str, str]
    faint: str
    sign: str
    ground: str

    @classmethod
    def of(cls, names: tuple[str, str]) -> "Palette":
        """The palette of the sides of these names."""
        return _BLACK_AND_WHITE if set(names) == {"Black", "White"} else _RED_AND_BLUE

    def code(self, content: str) -> str:
        """The code of a square's content."""
        side = "xo".find(content.lower())
        return self.faint if side < 0 else self.pieces[side]


_RED_AND_BLUE = Palette(("1;31", "1;94"), "2", "1;32", "")
# Black cannot be seen on many terminals, and white not on the others: their squares are green.
_BLACK_AND_WHITE = Palette(("38;5;16", "1;38;5;231"), "38;5;151", "1;38;5;226", "48;5;65")


@dataclass(frozen=True, slots=True)
class Brush:
    """Writes single squares on a terminal.

    Attributes:
        terminal: what can be shown.
        names: of the sides; their first letters are the pieces where only ASCII can be shown.
    """

    terminal: Terminal
    names: tuple[str, str]

    def piece(self, content: str) -> str:
        """A square's content alone: one character."""
        palette = Palette.of(self.names)
        return self._painted(self._sign(content), palette.code(content), palette.ground)

    def cell(self, content: str, left: str = " ", right: str = " ") -> str:
        """A square's content between two characters that mark it."""
        return self._framed(self._sign(content), Palette.of(self.names).code(content), left, right)

    def pointed_out(self, sign: str) -> str:
        """A square that shows a sign instead of its content."""
        return self._framed(sign, Palette.of(self.names).sign, " ", " ")

    def numbered(self, number: int) -> str:
        """An empty square that shows its number."""
        palette = Palette.of(self.names)
        return self._painted(f"{number:2} ", palette.faint, palette.ground)

    def _sign(self, content: str) -> str:
        if self.terminal.unicode:
            return _SIGNS[content]
        first, second = (name[0].lower() for name in self.names)
        letters = {"x": first, "o": second, "X": first.upper(), "O": second.upper()}
        return letters.get(content, content)

    def _framed(self, sign: str, code: str, left: str, right: str) -> str:
        ground = Palette.of(self.names).ground
        if ground:
            return self._painted(f"{left}{sign}{right}", code, ground)
        return left + self._painted(sign, code, "") + right

    def _painted(self, text: str, code: str, ground: str) -> str:
        return self.terminal.paint(text, f"{code};{ground}" if ground else code)


def draw(
    position: Position,
    brush: Brush,
    *,
    last: Move | None = None,
    signs: Mapping[str, str] | None = None,
    beside: Sequence[str] = (),
) -> list[str]:
    """The lines of a board, at most 60 columns for a 7x7 or 8x8 board with short remarks.

    Where the terminal has no room for the remarks beside it, they stand below.

    Args:
        position: the position to draw.
        brush: how squares are written.
        last: the move to mark, by the squares that it left and reached.
        signs: characters to show on squares instead of their content.
        beside: lines to the right of the board.
    """
    signs = signs or {}
    left, reached = (last.from_square, last.to_square) if last else (None, None)
    lines = []
    for row, names in zip(position.rows, position.square_names, strict=True):
        cells = []
        for content, square in zip(row, names, strict=True):
            if square is None:
                cells.append("   ")
            elif square in signs:
                cells.append(brush.pointed_out(signs[square]))
            elif content == "." and square.isdigit():
                cells.append(brush.numbered(int(square)))
            else:
                marks = "[]" if square == reached else "()" if square == left else "  "
                cells.append(brush.cell(content, *marks))
        lines.append(_label([name for name in names if name is not None]) + "".join(cells))
    below = [name or " " for name in position.square_names[-1]]
    if below[0].isalnum() and not below[0].isdigit():
        lines.append("   " + "".join(f" {name[0]} " for name in below))
    together = [
        f"{line}   {remark}".rstrip()
        for line, remark in zip_longest(lines, beside[: len(lines)], fillvalue="")
    ]
    if all(len(_COLOUR.sub("", line)) <= brush.terminal.width for line in together):
        return together
    return [line.rstrip() for line in (*lines, *filter(None, beside))]


def _label(names: Sequence[str]) -> str:
    """What stands before a row: its number, or the numbers of its first and last square."""
    if names[0].isdigit():
        return f"{names[0]:>2}-{names[-1]:<2} "
    return f"{names[0][1:]:>2} "
