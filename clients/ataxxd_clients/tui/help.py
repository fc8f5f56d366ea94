"""The help page of the terminal UI: how the game goes, which keys and words there are."""

from collections.abc import Iterable
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.language import LineLanguage

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
    ("F5", "let the machine play this side, or take it back", "seat", ""),
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
