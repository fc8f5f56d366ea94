"""The board: what each square shows, how that is drawn, and the widget with its cursor.

There is a set of pieces for each pair of side names, in four sizes and in ASCII. The first side's
are solid shapes and the second's are rings.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from ataxxd.rules import Position
from ataxxd_clients.text.language import LineLanguage, MoveEntry, starting_with

TALLEST = 4

_SOLID = {
    1: ("●",),
    2: ("▟█▙", "▜█▛"),
    3: ("▗▄▄▄▖", "▐███▌", "▝▀▀▀▘"),
    4: ("▗▄███▄▖", "███████", "███████", "▝▀███▀▘"),
}
_RING = {
    1: ("○",),
    2: ("╭─╮", "╰─╯"),
    3: ("╭───╮", "│   │", "╰───╯"),
    4: ("╭─────╮", "│     │", "│     │", "╰─────╯"),
}
_KINGS = {"X": "♚", "O": "♔"}
_BLOCK, _EMPTY = "█", "·"
# The signs on both sides of a square one line high, and their corners on a higher one.
_CORNERS = {"><": "┏┓┗┛", "{}": "╔╗╚╝", "[]": "┌┐└┘", "()": "╭╮╰╯", "**": "****", "~~": "~~~~"}


@dataclass(frozen=True, slots=True)
class PieceSet:
    """The colours of one game's board, as CSS colours.

    Attributes:
        pieces: those of the first and second side.
        grounds: those of dark and light squares.
        unused: that of squares where no piece can stand.
        faint: that of unimportant things.
    """

    pieces: tuple[str, str]
    grounds: tuple[str, str]
    unused: str
    faint: str


_RED_AND_BLUE = PieceSet(("#ff6b57", "#7cc0ff"), ("#20262e", "#262d37"), "#14181d", "#5c6773")
_BLACK_AND_WHITE = PieceSet(("#0b0d0c", "#ffffff"), ("#2f6f4e", "#357a57"), "#d8cda8", "#9cc5ae")
# Grounds with a meaning; the pieces of both sides can be read on each.
GROUNDS = {
    "last": "#5b5a2a",
    "chosen": "#7a5a1c",
    "target": "#2b5a8a",
    "turned": "#6b3a78",
    "hint": "#1f7a7a",
}
SIGN = "#ffe066"


def piece_set(names: Sequence[str]) -> PieceSet:
    """The pieces of sides with these names."""
    return _BLACK_AND_WHITE if set(names) == {"Black", "White"} else _RED_AND_BLUE


@dataclass(frozen=True, slots=True)
class SquareLook:
    """What one square shows.

    Attributes:
        content: as in `Position.rows`.
        edges: two characters beside the content, such as ``[]``; empty for none.
        sign: a distance or number shown in an empty square.
        ground: a key of `GROUNDS`; empty for the board's own.
        pointed_out: whether the sign is highlighted.
    """

    content: str
    edges: str = ""
    sign: str = ""
    ground: str = ""
    pointed_out: bool = False


@dataclass(frozen=True, slots=True)
class Painter:
    """Draws squares of one size.

    Attributes:
        set: the colours.
        names: the names of the sides, whose first letters are the pieces in ASCII.
        height: lines of a square, 1 to `TALLEST`.
        ascii: use only ASCII.
    """

    set: PieceSet
    names: tuple[str, str]
    height: int
    ascii: bool

    @property
    def width(self) -> int:
        """Columns of a square."""
        return 2 * self.height + 1

    def lines(self, look: SquareLook, *, light: bool) -> list[list[tuple[str, str]]]:
        """A square as lines of (text, style)."""
        ground = GROUNDS.get(look.ground) or self.set.grounds[light]
        if look.content == " ":
            ground = self.set.unused
        inner = self._inner(look)
        side = "xo".find(look.content.lower())
        ink = self.set.pieces[side] if side >= 0 else self.set.faint
        if look.pointed_out and side < 0:
            ink = SIGN
        style = f"bold {ink} on {ground}"
        mark = f"bold {SIGN} on {ground}"
        if self.height == 1 and look.content == "." and len(look.sign) > 1 and not look.edges:
            # A number of two digits needs the margin, too.
            return [[(f"{look.sign:<{self.width}}", style)]]
        edges = [self._edge(look.edges, line) for line in range(self.height)]
        return [
            [(left, mark), (middle, style), (right, mark)]
            for (left, right), middle in zip(edges, inner, strict=True)
        ]

    def piece(self, content: str) -> str:
        """A piece as one character."""
        return self._small(content)

    def _edge(self, edges: str, line: int) -> tuple[str, str]:
        if not edges:
            return " ", " "
        if self.height == 1 or self.ascii:
            return edges[0], edges[1]
        corners = _CORNERS[edges]
        if line == 0:
            return corners[0], corners[1]
        if line == self.height - 1:
            return corners[2], corners[3]
        return " ", " "

    def _inner(self, look: SquareLook) -> list[str]:
        across = self.width - 2
        content = look.content
        if content in "xoXO" and self.height > 1:
            return self._big(content)
        if content == "#":
            return [("X" if self.ascii else _BLOCK) * across] * self.height
        fits = 0 < len(look.sign) <= across
        middle = look.sign if fits and content not in "xoXO" else self._small(content)
        blank = " " * across
        lines = [blank] * self.height
        lines[(self.height - 1) // 2] = middle.center(across)
        return lines

    def _big(self, content: str) -> list[str]:
        letter = self._letter(content)
        across = self.width - 2
        if self.ascii:
            solid = content.lower() == "x"
            edge = letter if solid else "("
            other = letter if solid else ")"
            fill = letter * (across - 2) if solid else letter.center(across - 2)
            lines = [f"{edge}{fill}{other}"] * self.height
            if content.isupper():
                lines[0] = "K".center(across, edge if solid else " ")
            return lines
        lines = list((_SOLID if content.lower() == "x" else _RING)[self.height])
        if content.isupper():
            row = (self.height - 1) // 2
            line, at = lines[row], across // 2
            lines[row] = f"{line[:at]}{_KINGS['O'] if content == 'X' else 'K'}{line[at + 1 :]}"
        return lines

    def _small(self, content: str) -> str:
        if self.ascii:
            return self._letter(content) if content in "xoXO" else {"#": "X"}.get(content, content)
        if content in _KINGS:
            return _KINGS[content]
        return {"x": "●", "o": "○", "#": _BLOCK, ".": _EMPTY}.get(content, content)

    def _letter(self, content: str) -> str:
        first, second = (name[0].lower() for name in self.names)
        letter = first if content.lower() == "x" else second
        return letter.upper() if content.isupper() else letter


@dataclass(frozen=True, slots=True)
class Board:
    """The names of a board's squares.

    Attributes:
        columns: the number of columns.
        rows: the number of rows.
        names: the name of each square, row by row from the top; None if no piece can stand there.
        numbered: whether names are numbers, counted from the top.
    """

    columns: int
    rows: int
    names: tuple[tuple[str | None, ...], ...]
    numbered: bool

    @classmethod
    def of(cls, position: Position, language: LineLanguage) -> "Board":
        """The board of a position in the words of its game."""
        names = position.square_names
        return cls(len(names[0]), len(names), names, language.squares_are_numbers)

    def place(self, square: str) -> tuple[int, int] | None:
        """The row and column of a square, from the top left; None if there is no such square."""
        for row, names in enumerate(self.names):
            if square in names:
                return row, names.index(square)
        return None

    def distance(self, one: str, other: str) -> int:
        """The distance between two squares in king's steps."""
        here, there = self.place(one), self.place(other)
        if here is None or there is None:
            return 0
        return max(abs(here[0] - there[0]), abs(here[1] - there[1]))


def changed_squares(
    before: Position, after: Position, board: Board, but: Sequence[str]
) -> set[str]:
    """The squares whose pieces a move turned or took, except those in `but`."""
    return {
        name
        for row, names in enumerate(board.names)
        for column, name in enumerate(names)
        if name is not None
        and name not in but
        and before.rows[row][column] not in ". "
        and before.rows[row][column] != after.rows[row][column]
    }


@dataclass(frozen=True, slots=True)
class Scene:
    """A position and what to mark in it.

    Attributes:
        position: the position.
        board: the names of its squares.
        left: the square that the last move left, if any.
        reached: the squares that it reached or passed.
        turned: the squares whose pieces it turned or took.
        entries: the ways to enter a move now; empty if no person here is to move.
        chosen: the squares chosen so far.
        cursor: the square under the cursor.
        hint: the squares of the move that the engine would play.
    """

    position: Position
    board: Board
    left: str | None = None
    reached: tuple[str, ...] = ()
    turned: frozenset[str] = frozenset()
    entries: tuple[MoveEntry, ...] = ()
    chosen: tuple[str, ...] = ()
    cursor: str | None = None
    hint: tuple[str, ...] = field(default=())


def square_looks(scene: Scene) -> dict[str, SquareLook]:
    """The look of every square that has a name."""
    looks = _pieces(scene)
    for square in scene.turned:
        _change(looks, square, edges="~~", ground="last")
    if scene.left is not None:
        _change(looks, scene.left, edges="()", ground="last")
    for square in scene.reached:
        _change(looks, square, edges="[]", ground="last")
    _mark_choices(looks, scene)
    for square in scene.chosen:
        _change(looks, square, edges="{}", ground="chosen")
    for square in scene.hint:
        _change(looks, square, ground="hint")
    for square in preview(scene):
        _change(looks, square, edges="~~", ground="turned")
    if scene.cursor is not None:
        _change(looks, scene.cursor, edges="><")
    return looks


def _mark_choices(looks: dict[str, SquareLook], scene: Scene) -> None:
    following = starting_with(scene.entries, scene.chosen)
    if not scene.chosen and any(len(entry.squares) > 1 for entry in following):
        if all(entry.takes for entry in following):
            for entry in following:  # mark the pieces that must capture
                _change(looks, entry.squares[0], edges="**")
        return
    for entry in following:
        if len(entry.squares) > len(scene.chosen):
            square = entry.squares[len(scene.chosen)]
            sign = _sign(scene, entry, square)
            _change(looks, square, sign=sign, pointed_out=True, ground="target")
            if entry.takes:
                _change(looks, square, edges="**")


def preview(scene: Scene) -> set[str]:
    """The squares that would be turned or taken by the move that the cursor would finish."""
    if scene.cursor is None:
        return set()
    squares = (*scene.chosen, scene.cursor)
    for entry in starting_with(scene.entries, squares):
        if entry.squares == squares or len(starting_with(scene.entries, squares)) == 1:
            after = scene.position.play(entry.move)
            return changed_squares(scene.position, after, scene.board, entry.squares)
    return set()


def _pieces(scene: Scene) -> dict[str, SquareLook]:
    looks = {}
    for row, names in zip(scene.position.rows, scene.board.names, strict=True):
        for content, name in zip(row, names, strict=True):
            if name is not None:
                sign = name if scene.board.numbered and content == "." else ""
                looks[name] = SquareLook(content, sign=sign)
    return looks


def _sign(scene: Scene, entry: MoveEntry, square: str) -> str:
    """The sign on a target: its distance, or in reversi the number of pieces it turns."""
    if not scene.chosen:
        after = scene.position.play(entry.move)
        return str(len(changed_squares(scene.position, after, scene.board, entry.squares)))
    if scene.board.numbered:
        return "x" if entry.takes else "+"
    return str(scene.board.distance(scene.chosen[-1], square))


def _change(looks: dict[str, SquareLook], square: str, **changes: object) -> None:
    if square in looks:
        looks[square] = replace(looks[square], **changes)  # type: ignore[arg-type]


def with_last_move(scene: Scene, before: Position, squares: Sequence[str]) -> Scene:
    """The scene with the last move marked.

    Args:
        scene: the scene.
        before: the position before the move.
        squares: the squares in its canonical text.
    """
    turned = frozenset(changed_squares(before, scene.position, scene.board, squares))
    left, reached = (squares[0], squares[1:]) if len(squares) > 1 else (None, squares)
    return replace(scene, left=left, reached=(*reached,), turned=turned)


# Columns of the row numbers left of the board, and the line of letters below it.
_MARGIN, _BELOW = 3, 1
# How many squares down and to the right a key moves the cursor.
_ARROWS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class BoardView(Widget, can_focus=True):
    """A board that can be played on by mouse and by keyboard.

    Args:
        scene: the first scene.
        names: the names of the sides.
        ascii_only: use only ASCII.
    """

    class Pointed(Message):
        """A square was chosen by the cursor or the mouse."""

        def __init__(self, square: str) -> None:
            super().__init__()
            self.square = square

    class Typed(Message):
        """A character was typed here for the line below; an empty one deletes the last."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    class Pressed(Message):
        """Enter (no character) or Space was pressed, at the cursor or in what is typed.

        It carries the cursor's position at that moment, or None if it was hidden: the cursor may
        have moved before this is handled.
        """

        def __init__(self, character: str, place: tuple[int, int] | None) -> None:
            super().__init__()
            self.character = character
            self.place = place

    def __init__(self, scene: Scene, names: tuple[str, str], *, ascii_only: bool) -> None:
        super().__init__(id="board")
        self._scene = scene
        self._names = names
        self._ascii = ascii_only
        self._cursor = (scene.board.rows // 2, scene.board.columns // 2)
        # The cursor is hidden until somebody moves it.
        self._cursor_shown = False

    def show(self, scene: Scene) -> None:
        """Show another scene; the cursor stays where it is."""
        if (scene.board.rows, scene.board.columns) != (
            self._scene.board.rows,
            self._scene.board.columns,
        ):
            self._cursor = (scene.board.rows // 2, scene.board.columns // 2)
        self._scene = scene
        self._draw_cursor()

    def rename(self, names: tuple[str, str]) -> None:
        """Show a game whose sides have other names and pieces."""
        self._names = names

    def use_ascii(self, *, on: bool) -> None:
        """Turn drawing in ASCII on or off."""
        self._ascii = on
        self.refresh()

    def _move(self, down: int, across: int) -> None:
        """Move the cursor; it stays on the board."""
        row, column = self._cursor
        if self._cursor_shown:
            row = min(max(row + down, 0), self._scene.board.rows - 1)
            column = min(max(column + across, 0), self._scene.board.columns - 1)
        self._cursor, self._cursor_shown = (row, column), True
        self._draw_cursor()

    def point(self, place: tuple[int, int] | None) -> None:
        """Choose the square at a row and column; without one, show the cursor."""
        if place is None:
            self._cursor_shown = True
            self._draw_cursor()
            return
        row, column = place
        if (square := self._scene.board.names[row][column]) is not None:
            self.post_message(self.Pointed(square))

    def on_key(self, event: events.Key) -> None:
        """Pass what is typed to the line below: moves can be typed at any time.

        The focus stays here, and arrows, Enter and Space are not bindings, so that no key of a
        paste, or of a slow connection, overtakes another.
        """
        if event.key in _ARROWS:
            event.stop()
            self._move(*_ARROWS[event.key])
        elif event.key in {"enter", "space"}:
            event.stop()
            place = self._cursor if self._cursor_shown else None
            self.post_message(self.Pressed(" " if event.key == "space" else "", place))
        elif event.key == "backspace":
            event.stop()
            self.post_message(self.Typed(""))
        elif event.is_printable and event.character:
            event.stop()
            self.post_message(self.Typed(event.character))

    def on_mouse_move(self, event: events.MouseMove) -> None:
        """Let the cursor follow the mouse."""
        place = self._place(event.x, event.y)
        if place is not None and (place != self._cursor or not self._cursor_shown):
            self._cursor, self._cursor_shown = place, True
            self._draw_cursor()

    def on_click(self, event: events.Click) -> None:
        """Choose the square that was clicked."""
        if (place := self._place(event.x, event.y)) is not None:
            self._cursor, self._cursor_shown = place, True
            self._draw_cursor()
            self.point(place)

    def render(self) -> Content:
        """The board with its coordinates, in the middle of the widget."""
        painter, left, top = self._frame()
        looks, board = square_looks(self._scene), self._scene.board
        margin = " " * left
        parts: list[str | tuple[str, str]] = ["\n" * top]
        for row, names in enumerate(board.names):
            cells = [
                painter.lines(
                    SquareLook(" ") if name is None else looks[name], light=(row + column) % 2 == 1
                )
                for column, name in enumerate(names)
            ]
            for line in range(painter.height):
                label = self._row_label(row) if line == (painter.height - 1) // 2 else ""
                parts.append(margin + f"{label:>{_MARGIN - 1}} ")
                for cell in cells:
                    parts += cell[line]
                parts.append("\n")
        parts.append(margin + " " * _MARGIN)
        if not board.numbered:
            parts += [chr(97 + each).center(painter.width) for each in range(board.columns)]
        return Content.assemble(*parts)

    def _row_label(self, row: int) -> str:
        names = [name for name in self._scene.board.names[row] if name is not None]
        if not names:
            return ""
        return names[0] if self._scene.board.numbered else names[0][1:]

    def _height(self, room: Size) -> int:
        board = self._scene.board
        tall = (room.height - _BELOW) // board.rows
        wide = ((room.width - _MARGIN) // board.columns - 1) // 2
        return max(1, min(tall, wide, TALLEST))

    def _frame(self) -> tuple[Painter, int, int]:
        """How squares are drawn, and where the board begins: column and line."""
        size, board = self.size, self._scene.board
        height = self._height(size)
        painter = Painter(piece_set(self._names), self._names, height, self._ascii)
        left = max(0, (size.width - _MARGIN - board.columns * painter.width) // 2)
        top = max(0, (size.height - _BELOW - board.rows * height) // 2)
        return painter, left, top

    def _place(self, x: int, y: int) -> tuple[int, int] | None:
        painter, left, top = self._frame()
        row, column = (y - top) // painter.height, (x - left - _MARGIN) // painter.width
        if 0 <= row < self._scene.board.rows and 0 <= column < self._scene.board.columns:
            return row, column
        return None

    def _draw_cursor(self) -> None:
        row, column = self._cursor
        under = self._scene.board.names[row][column] if self._cursor_shown else None
        self._scene = replace(self._scene, cursor=under)
        self.refresh()
