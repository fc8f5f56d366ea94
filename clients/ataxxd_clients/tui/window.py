"""What the terminal UIs with a board share: the panel beside it, an input line, a help page."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen, Screen
from textual.widget import Widget
from textual.widgets import Input, OptionList, RichLog, Static
from textual.widgets.option_list import Option

from ataxxd.node.game import Game
from ataxxd.rules import Move, Position, Side
from ataxxd.sanitize import sanitized
from ataxxd.session.events import Seat
from ataxxd.wording import format_count
from ataxxd_clients.labels import clock_text, move_name, player_text
from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.language import LineLanguage, MoveEntry, choose
from ataxxd_clients.tui.board import SIGN, BoardView, Painter
from ataxxd_clients.tui.clean_app import CleanApp, Keys


@dataclass(frozen=True, slots=True)
class PlayedPly:
    """One move of the game shown.

    Attributes:
        ply: its number, from 1.
        move: the move.
        before: the position before it.
        after: the position after it.
    """

    ply: int
    move: Move
    before: Position
    after: Position


class MoveBrowser:
    """The moves of a game, and which position is shown.

    Attributes:
        played: the moves in order.
    """

    def __init__(self, start: Position, moves: Sequence[Move] = ()) -> None:
        self._start = start
        self.played: list[PlayedPly] = []
        self._shown: int | None = None
        self.follow(start, moves)

    def follow(self, start: Position, moves: Sequence[Move]) -> None:
        """Update the moves from the game; an earlier position stays shown."""
        if start != self._start:
            self._start, self.played, self._shown = start, [], None
        same = 0
        for known, move in zip(self.played, moves, strict=False):
            if known.move != move:
                break
            same += 1
        del self.played[same:]
        for move in moves[same:]:
            before = self.live
            self.played.append(PlayedPly(len(self.played) + 1, move, before, before.play(move)))
        if self._shown is not None and self._shown >= len(self.played):
            self._shown = None

    @property
    def live(self) -> Position:
        """The newest position."""
        return self.played[-1].after if self.played else self._start

    @property
    def ply(self) -> int:
        """The number of moves before the position shown."""
        return len(self.played) if self._shown is None else self._shown

    @property
    def is_live(self) -> bool:
        """Whether the newest position is shown."""
        return self._shown is None

    @property
    def position(self) -> Position:
        """The position shown."""
        return self.last.after if self.last is not None else self._start

    @property
    def last(self) -> PlayedPly | None:
        """The move that led to it; None at the start."""
        return self.played[self.ply - 1] if self.ply else None

    def go(self, ply: int) -> None:
        """Show the position after so many moves, or the nearest one."""
        ply = max(ply, 0)
        self._shown = None if ply >= len(self.played) else ply


_BAR = 20
# Columns of the panel in the smallest terminal.
_NARROW = 31
# The part of them for a side's name and pieces.
_COUNTED = 16


class PlyChosen(Message):
    """The position after so many moves was chosen."""

    def __init__(self, ply: int) -> None:
        super().__init__()
        self.ply = ply


class MoveList(OptionList):
    """The moves of the game, to go back to with the arrow keys or the mouse."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("enter", "app.live", show=False)]

    def __init__(self) -> None:
        super().__init__(id="moves", compact=True, markup=False)
        self._shown: list[str] = []
        self._ply = 0

    def follow(
        self, browser: MoveBrowser, language: LineLanguage, notes: Sequence[str] | None = None
    ) -> None:
        """Show the moves, and which one is selected.

        Args:
            browser: the moves.
            language: the game's words.
            notes: a note for each move.
        """
        said = [""] * len(browser.played) if notes is None else notes
        lines = [
            f"{_line(played, language):17} {note}".rstrip()
            for played, note in zip(browser.played, said, strict=True)
        ]
        for index, (old, new) in enumerate(zip(self._shown, lines, strict=False)):
            if old != new:
                self.replace_option_prompt_at_index(index, new)
        for index in range(len(self._shown) - 1, len(lines) - 1, -1):
            self.remove_option_at_index(index)
        self.add_options([Option(line) for line in lines[len(self._shown) :]])
        self._shown = lines
        self._ply = browser.ply
        self.highlighted = browser.ply - 1 if browser.ply else None

    def on_option_list_option_highlighted(self, event: OptionList.OptionHighlighted) -> None:
        """Report the chosen position, unless it is already shown."""
        event.stop()
        # An event queued before the list changed does not show what the person wants.
        if self.highlighted == event.option_index and event.option_index + 1 != self._ply:
            self.post_message(PlyChosen(event.option_index + 1))


def _line(played: PlayedPly, language: LineLanguage) -> str:
    return f"{played.ply:3}. {language.names[played.before.turn]:5} {move_name(played.move)}"


def summary(
    game: Game,
    browser: MoveBrowser,
    language: LineLanguage,
    painter: Painter,
    result: str,
    advice: tuple[str, float] | None,
) -> Content:
    """Players, counts, turn, last move and connection, in at most ten lines.

    Args:
        game: the game.
        browser: which of its positions is shown.
        language: its words.
        painter: draws its pieces.
        result: how the game ended; empty while it goes on.
        advice: an evaluation in words and as the first side's share; None for none.
    """
    position = browser.position
    parts: list[str | tuple[str, str]] = []
    acting = game.acting_side if game.outcome is None else None
    ground = painter.set.grounds[0]
    for side, sign in zip(Side, "xo", strict=True):
        arrow = ">" if side is acting else " "
        parts += [
            f"{arrow} ",
            (f" {painter.piece(sign)} ", f"bold {painter.set.pieces[side]} on {ground}"),
            (f" {language.names[side]:5} {position.counts[side]:2}", "bold"),
            f"  {_beside(clock_text(game, side), player_text(game, side))}\n",
        ]
    parts.append(_turn(game, browser, language, result) + "\n")
    if browser.last is not None:
        name = language.names[browser.last.before.turn]
        parts.append(f"Last: {name} {move_name(browser.last.move)}\n")
    if advice is not None:
        text, first = advice
        parts += [*bar(first, painter), f" {text}\n"]
    if (broker := game.broker) is not None:
        parts += _link(game, broker)
    return Content.assemble(*parts)


def _beside(clock: str, who: str) -> str:
    """A side's remaining time and its player, on two lines if one is too short."""
    clock = clock and f"{clock}  "
    fits = _COUNTED + len(clock) + len(who) <= _NARROW
    return f"{clock}{who}" if fits else f"{clock.rstrip()}\n     {who[: _NARROW - 5]}"


def _link(game: Game, broker: str) -> Sequence[str | tuple[str, str]]:
    """Whether there is a connection, to what, and how much of the game is proved."""
    verified = f"Verified: {format_count(game.verified, 'message')}\n"
    if game.outcome is not None:
        return [verified]
    state = "Connected" if game.connected else "No connection"
    style = "" if game.connected else f"bold {SIGN}"
    # A truncated address is of no use, so a long one gets a line of its own.
    address = sanitized(broker)
    between = " " if len(state) + 2 + len(address) <= _NARROW else "\n"
    return [(f"{state}:{between}{address}\n", style), verified]


def request(game: Game, language: LineLanguage, *, can_move: bool) -> str:
    """What the person is to do in a game now, in a few words.

    Args:
        game: the game.
        language: its words.
        can_move: whether there is a move other than a pass.
    """
    if game.outcome is not None:
        if game.asks_rematch:
            return "You have asked for a rematch"
        can, again = game.can, "quit?"
        if "new" in can:
            again = "new, undo, or quit?"
        elif "rematch" in can:
            again = "rematch, or quit?"
        return f"The game is over. {again}"
    side = game.acting_side
    name = language.names[side]
    if game.seat(side) is not Seat.HUMAN:
        offered = game.draw_offered_by is not None
        return f"{name} must answer the offer of a draw" if offered else f"{name} is to move"
    if game.draw_offered_by is not None:
        return f"{name}: accept or reject?"
    if not can_move:
        return f"{name} can only pass: Enter, or type -"
    return f"{name} to move"


def _turn(game: Game, browser: MoveBrowser, language: LineLanguage, result: str) -> str:
    if not browser.is_live:
        return f"Looking back: {browser.ply} of {len(browser.played)}. End: live"
    if result:
        return result
    side = game.acting_side
    turn = language.turn_text(game.position, len(game.moves))
    yours = [each for each in Side if game.seat(each) is Seat.HUMAN] == [side]
    if game.draw_offered_by is not None:
        return f"{turn}: {'you' if yours else language.names[side]} must answer"
    return f"{turn}: {'you are' if yours else f'{language.names[side]} is'} to move"


def bar(first: float, painter: Painter) -> Sequence[tuple[str, str]]:
    """A bar in two parts, which also differ without colours."""
    length = round(first * _BAR)
    signs = "#-" if painter.ascii else "█░"
    one, other = painter.set.pieces
    ground = painter.set.grounds[0]
    return [
        (signs[0] * length, f"{one} on {ground}"),
        (signs[1] * (_BAR - length), f"{other} on {ground}"),
    ]


LEAST = (60, 18)
"""The columns and lines that it takes to show a board and what belongs to it."""


# `ataxxd_clients.tui.window.Window` names the sizes.
COVERING = """
Room { display: none; width: 100%; height: 100%; padding: 0 1; }
.-cramped > *, .-flat > * { display: none; }
.-cramped > Room, .-flat > Room { display: block; }
"""


class Room(Widget):
    """Covers a screen that is too small, and says what size is needed."""

    def on_hide(self) -> None:
        """Focus the board again: what is covered loses the focus, and so every key."""
        if self.screen.focused is None:
            self.screen.query_one(BoardView).focus()

    def render(self) -> str:
        """The present and the needed size."""
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
"""The keys that step through a game."""


class Window(CleanApp):
    """An app with a `BoardView`, an `Input` and a `RichLog`.

    Args:
        browser: the moves of the game, and which position is shown.
        ascii_only: use only ASCII.
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

    def __init__(self, browser: MoveBrowser, *, ascii_only: bool) -> None:
        super().__init__()
        self.browser = browser
        self._ascii = ascii_only
        self._chosen: tuple[str, ...] = ()

    def compose(self) -> ComposeResult:
        """Board and panel, messages, the line to type on, and the keys."""
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
        """What to show between the board and the messages."""
        return ()

    def on_mount(self) -> None:
        """Focus the board, and prepare for a terminal that is too small."""
        _ = self.under.mount(Room())
        self.under.query_one("#log").can_focus = False
        self.under.query_one(BoardView).focus()

    @abstractmethod
    def execute_line(self, typed: str) -> None:
        """Carry out what was typed on the line."""

    @abstractmethod
    def show_ply(self, ply: int) -> None:
        """Show the position after so many moves, or the nearest one."""

    @abstractmethod
    def help_page(self) -> "HelpScreen":
        """The page that F1 shows."""

    def own_commands(self) -> Sequence[Command]:
        """The commands that every such app has besides those of its session."""

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
        """Act as if a word had been typed."""
        self.execute_line(word)

    def action_look(self, plies: int) -> None:
        """Go back or forward by some moves."""
        self.show_ply(self.browser.ply + plies)

    def action_live(self) -> None:
        """Show the newest position."""
        self.show_ply(len(self.browser.played))

    def action_again(self) -> None:
        """Clear what was chosen and typed; go back to the board."""
        self._chosen = ()
        self.under.query_one(Input).clear()
        self.under.query_one(BoardView).focus()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """Disable all keys but its own while the help page is shown."""
        return action in {"help", "quit"} if isinstance(self.screen, HelpScreen) else True

    def choose_square(self, every: Sequence[MoveEntry], square: str) -> None:
        """Continue a move with a square; a complete move is entered."""
        if every and not any(entry.squares for entry in every):
            self.execute_line("-")  # nothing but a pass
            return
        played, self._chosen = choose(every, self._chosen, square)
        if played:
            self.execute_line("-".join(played))

    def show_text(self, text: str) -> None:
        """Show some lines of text below the board."""
        log = self.under.query_one("#log", RichLog)
        for line in text.splitlines():
            if line:
                log.write(line)

    @property
    def under(self) -> Screen[object]:
        """The screen with the board, below any other."""
        return self.screen_stack[0]

    @on(PlyChosen)
    def _on_ply_chosen(self, event: PlyChosen) -> None:
        self.show_ply(event.ply)

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
            self.execute_line(typed)


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
"""The keys, what each does, and the action (and its word) that some games do not have."""
_MARKS = (
    ("> <", "cursor"),
    ("{ }", "chosen"),
    ("[ ] ( )", "reached and left by the last move"),
    ("* *", "a capture: as a piece, one that must take"),
    ("~ ~", "turned or taken; under the cursor, would be"),
)


class HelpScreen(ModalScreen[None]):
    """A help page over the board; any of its keys closes it."""

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
        """Focus the page, so that the arrow keys scroll it."""
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
