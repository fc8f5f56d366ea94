"""What the terminal UIs with a board share: an input line, a layout, and a help page."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, RichLog, Static

from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.language import LineLanguage, MoveEntry, choose
from ataxxd_clients.tui.board import BoardView
from ataxxd_clients.tui.clean_app import CleanApp, Keys
from ataxxd_clients.tui.panel import Browser, Looked, MoveList

LEAST = (60, 18)
"""The columns and lines that it takes to show a board and what belongs to it."""


# The names of the sizes are `ataxxd_clients.tui.window.Window`'s.
COVERING = """
Room { display: none; width: 100%; height: 100%; padding: 0 1; }
.-cramped > *, .-flat > * { display: none; }
.-cramped > Room, .-flat > Room { display: block; }
"""


class Room(Widget):
    """Covers a screen that is too small, and says what it takes."""

    def render(self) -> str:
        """What there is and what it takes."""
        columns, lines = self.app.size
        return (
            f"This terminal has {columns} columns and {lines} lines; a board needs {LEAST[0]} and "
            f"{LEAST[1]}. Make it larger, or its letters smaller: the game waits. Ctrl-Q quits. "
            "Without --tui games are played in text."
        )


HELP_KEY = Binding("f1", "help", "Help", key_display="F1")
QUIT_KEY = Binding("ctrl+q,ctrl+c,f10", "quit", "Quit", key_display="^Q", priority=True)
LOOK_KEYS = (
    Binding("pageup,ctrl+left", "look(-1)", "Back", key_display="PgUp"),
    Binding("pagedown,ctrl+right", "look(1)", show=False),
    Binding("home", "look(-100000)", show=False),
)
"""Those that go through a game."""


class Window(CleanApp):
    """An app with a `BoardView`, an `Input` and a `RichLog`.

    Args:
        browser: the moves of the game, and which position is looked at.
        ascii_only: use no signs beyond ASCII.
    """

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

    def __init__(self, browser: Browser, *, ascii_only: bool) -> None:
        super().__init__()
        self.browser = browser
        self._ascii = ascii_only
        self._chosen: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """Board and panel, the words below them, the line to type on, the keys."""
        with Horizontal(id="table"):
            yield self.board_view()
            with Vertical(id="side"):
                yield Static(id="summary")
                yield MoveList()
        yield from self.below_the_board()
        yield RichLog(id="log", wrap=True, min_width=20, max_lines=500)
        yield Input(id="line", compact=True, select_on_focus=False)
        yield Keys()

    @abstractmethod
    def board_view(self) -> BoardView:
        """The board as it is first shown."""

    def below_the_board(self) -> Iterable[Widget]:
        """What stands between the board and the words."""
        return ()

    def on_mount(self) -> None:
        """Type on the board; be ready for a terminal that is too small."""
        _ = self.under.mount(Room())
        self.under.query_one("#log").can_focus = False
        self.under.query_one(BoardView).focus()

    @abstractmethod
    def entered(self, typed: str) -> None:
        """Do what was typed on the line."""

    @abstractmethod
    def look_at(self, ply: int) -> None:
        """Show the position after so many moves; the nearest there is."""

    @abstractmethod
    def help_page(self) -> "HelpScreen":
        """What F1 shows."""

    def own_commands(self) -> Sequence[Command]:
        """The commands that every such app has beside those of its session."""

        async def show_help(_: Sequence[str]) -> None:
            await self.action_help()

        def plain(_: Sequence[str]) -> None:
            self._ascii = not self._ascii
            self.under.query_one(BoardView).use_ascii(on=self._ascii)

        return (
            Command("help", "Show the help page.", show_help),
            Command("ascii", "Turn plain characters on or off.", plain),
        )

    async def action_help(self) -> None:
        """Show the help page."""
        if not isinstance(self.screen, HelpScreen):
            await self.push_screen(self.help_page())

    def action_word(self, word: str) -> None:
        """Do as if a word had been typed."""
        self.entered(word)

    def action_look(self, plies: int) -> None:
        """Look further back, or forward."""
        self.look_at(self.browser.ply + plies)

    def action_live(self) -> None:
        """Look at the newest position."""
        self.look_at(len(self.browser.played))

    def action_again(self) -> None:
        """Forget what was chosen and typed; back to the board."""
        self._chosen = ()
        self.under.query_one(Input).clear()
        self.under.query_one(BoardView).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """No key but its own does anything while the help page is shown."""
        return action in {"help", "quit"} if isinstance(self.screen, HelpScreen) else True

    def point_at(self, every: Sequence[MoveEntry], square: str) -> None:
        """Go on with a move by a square; one that is whole is entered."""
        if every and not any(entry.squares for entry in every):
            self.entered("-")  # nothing but a pass
            return
        played, self._chosen = choose(every, self._chosen, square)
        if played:
            self.entered("-".join(played))

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

    @on(Looked)
    def _on_looked(self, event: Looked) -> None:
        self.look_at(event.ply)

    @on(BoardView.Typed)
    def _on_typed(self, event: BoardView.Typed) -> None:
        if not self.screen_stack:  # it is closing
            return
        line = self.under.query_one(Input)
        line.value = line.value + event.character if event.character else line.value[:-1]
        line.cursor_position = len(line.value)

    @on(BoardView.Pressed)
    def _on_pressed(self, event: BoardView.Pressed) -> None:
        if not self.screen_stack:
            return
        line = self.under.query_one(Input)
        if not line.value:
            self.under.query_one(BoardView).point(event.place)
        elif event.character:
            self._on_typed(BoardView.Typed(event.character))
        else:
            self._enter(line.value)

    @on(Input.Submitted)
    def _on_submitted(self, event: Input.Submitted) -> None:
        if not self.screen_stack:
            return
        self.under.query_one(BoardView).focus()
        self._enter(event.value)

    def _enter(self, typed: str) -> None:
        self.under.query_one(Input).clear()
        if typed.strip():
            self.entered(typed)


KEYS = (
    ("arrows, Enter", "move the cursor, choose a square", "", ""),
    ("mouse", "click a piece, then where it goes", "", ""),
    ("letters, digits", "type a move or a word; Enter sends it", "", ""),
    ("Esc", "choose again; back to the board", "", ""),
    ("PgUp, PgDn", "look back and forward in the game", "", ""),
    ("Home, End", "its beginning; the game as it is now", "", ""),
    ("Tab", "to the list of moves and back", "", ""),
    ("F1", "this page", "", ""),
    ("F2", "new game", "word", "new"),
    ("F3", "undo", "word", "undo"),
    ("F3", "ask for a takeback", "word", "takeback"),
    ("F4", "a hint: the engine's move", "word", "hint"),
    ("F5", "let the computer play this side, or take it back", "seat", ""),
    ("F6", "the engine's evaluation, on and off", "word", "eval"),
    ("F7", "save the game: type another name if you like, then Enter", "", ""),
    ("Ctrl-Q", "quit", "", ""),
)
"""The keys, what each does, and the action with its word where a table may lack it."""
_MARKS = (
    ("> <", "cursor"),
    ("{ }", "chosen"),
    ("[ ] ( )", "reached and left by the last move"),
    ("* *", "a capture: as a piece, one that must take"),
    ("~ ~", "turned or taken; under the cursor, would be"),
)


class HelpScreen(ModalScreen[None]):
    """A page over the board; any of its keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,f1,q,enter,space", "dismiss", "Close")]

    def __init__(
        self,
        language: LineLanguage,
        commands: Iterable[Command],
        keys: Iterable[tuple[str, str]],
    ) -> None:
        super().__init__()
        self._text = "\n".join(_page(language, commands, keys))

    def compose(self) -> ComposeResult:
        """The page."""
        with VerticalScroll(id="help"):
            yield Static(self._text, markup=False)

    def on_mount(self) -> None:
        """The arrow keys scroll at once."""
        self.query_one("#help").focus()


def _page(
    language: LineLanguage, commands: Iterable[Command], keys: Iterable[tuple[str, str]]
) -> Iterable[str]:
    yield from language.lesson()
    yield ""
    for pairs in (keys, _MARKS):
        for key, meaning in pairs:
            yield f"{key:16} {meaning}"
        yield ""
    yield "Words to type:"
    for command in commands:
        yield f"{command.usage:16} {command.summary}"
    yield ""
    yield "Esc closes this page."
