"""The terminal UI without a terminal, driven by keys and clicks."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual import events
from textual.pilot import Pilot
from textual.widgets import RichLog, Static

from ataxxd.node.game import Game
from ataxxd.rules import Move, Position
from ataxxd_clients.text.language import LineLanguage, move_entries
from ataxxd_clients.tui.app import BoardApp
from ataxxd_clients.tui.board import _MARGIN, BoardView, SquareLook, square_looks
from tests.time_limits import DEADLINE

_KEYS = {"-": "minus", " ": "space", ",": "comma"}


class Screen:
    """One terminal UI, and what a person does and sees at it."""

    def __init__(self, app: BoardApp, pilot: Pilot[int]) -> None:
        self.app = app
        self.pilot = pilot

    @property
    def board(self) -> BoardView:
        return self.app.screen_stack[0].query_one(BoardView)

    @property
    def said(self) -> str:
        """All that the window of messages holds, with its folding undone."""
        log = self.app.screen_stack[0].query_one(RichLog)
        return " ".join(line.text.strip() for line in log.lines)

    @property
    def summary(self) -> str:
        return str(self.app.screen_stack[0].query_one("#summary", Static).content)

    @property
    def drawn(self) -> str:
        """The board as text."""
        return self.board.render().plain

    def look(self, square: str) -> SquareLook:
        """What a square shows now."""
        return square_looks(self.board._scene)[square]

    async def until(self, holds: Callable[[], bool]) -> None:
        """Let the UI work until something is so."""
        async with asyncio.timeout(DEADLINE):
            while not holds():
                await self.pilot.pause(0)

    def type(self, line: str) -> None:
        """Type a line as fast as a paste; the pilot's own keys take their time each."""
        for character in line:
            self.app.post_message(events.Key(_KEYS.get(character, character), character))
        self.app.post_message(events.Key("enter", "\r"))

    async def click(self, *squares: str) -> None:
        for square in squares:
            await self.pilot.click(BoardView, offset=position_of(self.board, square))
            await self.pilot.pause()

    def walk(self, *squares: str) -> None:
        """Choose squares by the arrow keys and Enter, as fast as they can be typed."""
        board = self.board._scene.board
        (row, column), keys = self.board._cursor, []
        if self.board._scene.cursor is None:
            keys.append("up")  # shows it
        for square in squares:
            there = board.place(square)
            assert there is not None
            down, across = there[0] - row, there[1] - column
            keys += ["down" if down > 0 else "up"] * abs(down)
            keys += ["right" if across > 0 else "left"] * abs(across)
            keys.append("enter")
            row, column = there
        for key in keys:
            self.app.post_message(events.Key(key, "\r" if key == "enter" else None))


def position_of(board: BoardView, square: str) -> tuple[int, int]:
    """The column and line of a square's middle within the board, for a mouse."""
    place = board._scene.board.place(square)
    assert place is not None
    painter, left, top = board._frame()
    return (
        left + _MARGIN + place[1] * painter.width + painter.width // 2,
        top + place[0] * painter.height + painter.height // 2,
    )


def squares_of(position: Position, language: LineLanguage, move: Move) -> tuple[str, ...]:
    """The squares by which a person points at a move."""
    return next(entry.squares for entry in move_entries(position, language) if entry.move == move)


@asynccontextmanager
async def screen(
    table: Game, size: tuple[int, int] = (80, 24), *, ascii_only: bool = False
) -> AsyncIterator[Screen]:
    """A terminal UI at a table; it is closed at the end."""
    app = BoardApp(table, ascii_only=ascii_only)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()  # until it is laid out
        yield Screen(app, pilot)
