"""What every terminal UI of ours has: a line to type on below a board, and a clean end."""

from abc import abstractmethod

from textual import on
from textual.app import App
from textual.screen import Screen
from textual.widgets import Input, RichLog

from ataxxd_clients.tui.board import BoardView
from ataxxd_clients.tui.room import COVERING, LEAST, Room


class CleanApp(App[int]):
    """An app that leaves the word about a fault to whoever started it.

    Attributes:
        failure: what ended it, when something went wrong.
    """

    TITLE = "ataxxd"
    ENABLE_COMMAND_PALETTE = False

    def __init__(self) -> None:
        super().__init__()
        self.failure: Exception | None = None

    def _fatal_error(self) -> None:
        """Leave without a page of local variables: the command line tells what happened."""
        self.failure = self._exception
        self._close_messages_no_wait()

    def _steer(self, sequence: str) -> None:
        """Ask the terminal for what Textual does not know."""
        if self._driver is not None and not self.is_headless:
            self._driver.write(sequence)


class Window(CleanApp):
    """An app with a `BoardView`, an `Input` and a `RichLog`."""

    CSS = COVERING
    HORIZONTAL_BREAKPOINTS = [  # noqa: RUF012 -- an instance variable of its base
        (0, "-cramped"),
        (LEAST[0], "-narrow"),
        (80, "-medium"),
        (120, "-broad"),
    ]
    VERTICAL_BREAKPOINTS = [  # noqa: RUF012 -- as above
        (0, "-flat"),
        (LEAST[1], "-low"),
        (30, "-tall"),
        (33, "-high"),
    ]

    def on_mount(self) -> None:
        """Be ready for a terminal that is too small."""
        _ = self.under.mount(Room())

    @abstractmethod
    def entered(self, typed: str) -> None:
        """Do what was typed on the line."""

    def tell(self, text: str) -> None:
        """Show some lines of text below the board."""
        log = self.under.query_one("#log", RichLog)
        for line in text.splitlines():
            if line:
                log.write(line)

    @property
    def under(self) -> Screen[object]:
        """The screen with the board, whatever lies over it."""
        return self.screen_stack[0]

    @on(BoardView.Typed)
    def _on_typed(self, event: BoardView.Typed) -> None:
        line = self.under.query_one(Input)
        line.value = line.value + event.character if event.character else line.value[:-1]
        line.cursor_position = len(line.value)

    @on(BoardView.Pressed)
    def _on_pressed(self, event: BoardView.Pressed) -> None:
        line = self.under.query_one(Input)
        if not line.value:
            self.under.query_one(BoardView).point(event.place)
        elif event.character:
            self._on_typed(BoardView.Typed(event.character))
        else:
            self._enter(line.value)

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        self.under.query_one(BoardView).focus()
        self._enter(event.value)

    def _enter(self, typed: str) -> None:
        self.under.query_one(Input).clear()
        if typed.strip():
            self.entered(typed)
