"""The board as a widget: draws a scene, moves a cursor, says which square was pointed at."""

from dataclasses import replace

from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.widget import Widget

from ataxxd_clients.tui.drawing import TALLEST, Look, Painter, Scene, picture, piece_set

# Columns of the row numbers left of the board, and the line of letters below it.
_MARGIN, _BELOW = 3, 1
# How many squares down and to the right a key moves the cursor.
_ARROWS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}


class BoardView(Widget, can_focus=True):
    """A board that can be played on by mouse and by keyboard.

    Args:
        scene: what to show first.
        names: of the two sides.
        ascii_only: use no signs beyond ASCII.
    """

    class Pointed(Message):
        """A square was pointed at; the one under the cursor or the mouse."""

        def __init__(self, square: str) -> None:
            super().__init__()
            self.square = square

    class Typed(Message):
        """A character was typed here that is meant for the line below; none takes one back."""

        def __init__(self, character: str) -> None:
            super().__init__()
            self.character = character

    class Pressed(Message):
        """Enter (no character) or Space was pressed: at the cursor, or in what is typed.

        The cursor's place then comes along, None while it was not shown: it may have moved on
        before somebody reads this.
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
        # Until somebody moves it the cursor is not in the way.
        self._cursor_shown = False

    @property
    def scene(self) -> Scene:
        """What is shown; its cursor is this widget's own."""
        return self._scene

    @property
    def cursor(self) -> tuple[int, int]:
        """Row and column of the cursor, from the top left."""
        return self._cursor

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
        """Show a game whose sides have other names, and so other pieces."""
        self._names = names

    def use_ascii(self, *, on: bool) -> None:
        """Draw with signs of ASCII only, or no longer."""
        self._ascii = on
        self.refresh()

    def look(self, square: str) -> Look:
        """What a square shows now."""
        return picture(self._scene)[square]

    def _move(self, down: int, across: int) -> None:
        """Move the cursor; it stays on the board."""
        row, column = self._cursor
        if self._cursor_shown:
            row = min(max(row + down, 0), self._scene.board.rows - 1)
            column = min(max(column + across, 0), self._scene.board.columns - 1)
        self._cursor, self._cursor_shown = (row, column), True
        self._draw_cursor()

    def point(self, place: tuple[int, int] | None) -> None:
        """Point at the square of a row and column; at none, show the cursor."""
        if place is None:
            self._cursor_shown = True
            self._draw_cursor()
            return
        row, column = place
        if (square := self._scene.board.names[row][column]) is not None:
            self.post_message(self.Pointed(square))

    def on_key(self, event: events.Key) -> None:
        """Hand what is typed to the line below: moves can be typed at any time.

        The focus stays here, and arrows, Enter and Space are no bindings: so no key of a paste,
        or of a slow line that brings several at once, overtakes another.
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
        """Point at the square that was clicked."""
        if (place := self._place(event.x, event.y)) is not None:
            self._cursor, self._cursor_shown = place, True
            self._draw_cursor()
            self.point(place)

    def position_of(self, square: str) -> tuple[int, int]:
        """The column and line of a square's middle within the widget, for a mouse.

        Raises:
            ValueError: there is no such square.
        """
        place = self._scene.board.place(square)
        if place is None:
            msg = f"There is no square {square}."
            raise ValueError(msg)
        painter, left, top = self._frame()
        return (
            left + _MARGIN + place[1] * painter.width + painter.width // 2,
            top + place[0] * painter.height + painter.height // 2,
        )

    def render(self) -> Content:
        """The board with its coordinates, in the middle of the widget."""
        painter, left, top = self._frame()
        looks, board = picture(self._scene), self._scene.board
        margin = " " * left
        parts: list[str | tuple[str, str]] = ["\n" * top]
        for row, names in enumerate(board.names):
            cells = [
                painter.lines(
                    Look(" ") if name is None else looks[name], light=(row + column) % 2 == 1
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
