"""Boards for people: coordinates, the last move, and something to say beside them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from ataxxd.rules import Position
from ataxxd_clients.text.terminal import Terminal

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
        brush: how squares are written.
        left: a square to mark as left by the last move, such as ``a7``.
        reached: the square to mark as reached by it.
        signs: characters to show on squares instead of their content.
        beside: lines to the right of the board.
        row_one_on_top: number the rows from the top.
        numbered: squares have numbers, as in checkers; the free ones show theirs.
    """
    if numbered:
        lines = _numbered_lines(position, brush, left, reached, signs or {})
        return _beside(lines, beside)
    rows = position.rows
    columns = "   " + "".join(f" {chr(97 + column)} " for column in range(len(rows[0])))
    lines = []
    numbers = range(1, len(rows) + 1) if row_one_on_top else range(len(rows), 0, -1)
    for number, row in zip(numbers, rows, strict=True):
        cells = []
        for column, content in enumerate(row):
            square = f"{chr(97 + column)}{number}"
            if signs and square in signs:
                cells.append(brush.pointed_out(signs[square]))
            else:
                cells.append(brush.cell(content, *_marks(square, left, reached)))
        lines.append(f"{number:2} " + "".join(cells))
    lines.append(columns)
    return _beside(lines, beside)


def _marks(square: str, left: str | None, reached: str | None) -> str:
    """The characters on both sides of a square."""
    return "[]" if square == reached else "()" if square == left else "  "


def _numbered_lines(
    position: Position,
    brush: Brush,
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
                cells.append(brush.pointed_out(signs[square]))
            elif content == ".":
                cells.append(brush.numbered(number))
            else:
                cells.append(brush.cell(content, *_marks(square, left, reached)))
        lines.append(f"{number - 3:2}-{number:<2} " + "".join(cells))
    return lines


def _beside(lines: Sequence[str], beside: Sequence[str]) -> list[str]:
    """Lines with remarks to the right of them."""
    return [
        f"{line}   {remark}".rstrip()
        for line, remark in zip_longest(lines, beside[: len(lines)], fillvalue="")
    ]
