"""The terminal UI of one game: the invitation until it begins, then a board to play on.

Its session is one of the friendly mode, whose words appear in windows instead of on paper.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar, TextIO

import segno
from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, RichLog, Static

from ataxxd.node.game import Game
from ataxxd.rules import Position, Side
from ataxxd.rules.values import ending_text
from ataxxd.sanitize import sanitized
from ataxxd.session.events import (
    MayBeClaimed,
    MayClaim,
    Moved,
    Over,
    RematchAsked,
    Seat,
    TableEvent,
)
from ataxxd_clients.analysis import (
    Evaluator,
    Verdict,
    allowed_advice,
    bar_share,
    check_advice,
    hint_text,
    verdict_text,
)
from ataxxd_clients.exports import proposed_name
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.labels import may_move, own_side
from ataxxd_clients.text.commands import Command, CommandTable
from ataxxd_clients.text.console import (
    Completions,
    LineSource,
    LoggedLines,
    Output,
    Terminal,
    no_completions,
)
from ataxxd_clients.text.friendly import ADVICE, FriendlySession
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.language import LineLanguage, MoveEntry, move_entries
from ataxxd_clients.text.session import SessionOptions
from ataxxd_clients.tui.board import Board, BoardView, Painter, Scene, piece_set, with_last_move
from ataxxd_clients.tui.clean_app import CleanApp, Keys, needs_ascii, run_window
from ataxxd_clients.tui.window import (
    HELP_KEY,
    KEYS,
    LOOK_KEYS,
    QUIT_KEY,
    HelpScreen,
    MoveBrowser,
    MoveList,
    Window,
    request,
    summary,
)

# The quiet zone around the QR code, in modules; the columns that the text beside it needs.
_QUIET, _WORDS = 2, 37
# Upper and lower half of a character: 1 is dark.
_HALVES = {(0, 0): "█", (0, 1): "▀", (1, 0): "▄", (1, 1): " "}


class WaitingWindow(CleanApp):
    """Shows an invitation until somebody joins or the person leaves.

    Args:
        invitation: the invitation to the game.
        ascii_only: use only ASCII, and so no QR code.
    """

    CSS = """
    #page { height: 1fr; padding: 1 2 0 2; }
    #words { width: 1fr; height: 100%; padding: 0 1 0 0; }
    #words Static { margin: 0 0 1 0; }
    #waits, .command { text-style: bold; }
    #notes { height: 1fr; background: $background; scrollbar-size: 0 0; }
    #picture { display: none; width: auto; height: auto; color: white; background: black; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "copy", "Copy", key_display="c"),
        Binding("ctrl+q,ctrl+c,f10", "quit", "Withdraw", key_display="^Q", priority=True),
    ]

    def __init__(self, invitation: Invitation, *, ascii_only: bool) -> None:
        super().__init__()
        self._invitation = invitation
        self._ascii = ascii_only
        # The link comes first: it also works for friends who have nothing installed.
        self._copied_text = invitation.link or invitation.join
        self._lines = (
            qr_code_lines(self._copied_text) if self._copied_text and not ascii_only else ()
        )

    def compose(self) -> ComposeResult:
        """The text, with the QR code beside it."""
        invitation = self._invitation
        with Horizontal(id="page"):
            with Vertical(id="words"):
                # In an event the opponent is known, and comes without an invitation.
                guest = "a guest" if invitation.join else "your opponent"
                yield Static(f"Waiting for {guest}" + ("..." if self._ascii else " …"), id="waits")
                if invitation.link:
                    yield Static("Your friend opens in a browser:")
                    yield Static(sanitized(invitation.link), classes="command", markup=False)
                if invitation.join:
                    yield Static("Or types:" if invitation.link else "Your friend types:")
                    yield Static(sanitized(invitation.join), classes="command", markup=False)
                if invitation.terms:
                    yield Static(f"Terms: {sanitized(invitation.terms)}.", markup=False)
                yield Static(f"Others can watch: {sanitized(invitation.watch)}", markup=False)
                yield RichLog(id="notes", wrap=True, min_width=20, max_lines=100)
            yield Static(Content("\n".join(self._lines)), id="picture")
        yield Keys()

    def on_mount(self) -> None:
        """Set the terminal's title, for a person who looks elsewhere."""
        self.query_one(RichLog).can_focus = False
        self.save_title()
        self.show_title("ataxxd: waiting for a guest")

    def on_unmount(self) -> None:
        """Restore the terminal's title."""
        self.restore_title()

    def on_resize(self) -> None:
        """Show the QR code if it fits."""
        wide = len(self._lines[0]) if self._lines else 0
        room = self.size.width - _WORDS >= wide and self.size.height - 2 >= len(self._lines)
        self.query_one("#picture").display = bool(wide) and self._invitation.reaches and room

    def add_note(self, text: str) -> None:
        """Show a line of news."""
        if self.is_running:
            self.query_one(RichLog).write(sanitized(text))

    def action_copy(self) -> None:
        """Copy the link, or else the command, to the terminal's clipboard."""
        if self._copied_text:
            self.copy_to_clipboard(self._copied_text)
            self.add_note("Copied, if this terminal lets programs copy.")


def qr_code_lines(text: str) -> Sequence[str]:
    """A QR code in half blocks, light on dark, two modules to a character."""
    rows = [list(row) for row in segno.make(text, error="l").matrix_iter(border=_QUIET)]
    if len(rows) % 2:
        rows.append([0] * len(rows[0]))
    return [
        "".join(_HALVES[bool(upper), bool(lower)] for upper, lower in zip(*pair, strict=True))
        for pair in zip(rows[::2], rows[1::2], strict=True)
    ]


class TypedLines:
    """Lines that come from keys and clicks; a `LineSource` that never ends by itself."""

    def __init__(self) -> None:
        self._lines: asyncio.Queue[str] = asyncio.Queue()

    def put(self, line: str) -> None:
        """Let a line be read next."""
        self._lines.put_nowait(line)

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line."""
        return True

    async def read(self) -> str | None:
        """The next line; None at the end of input."""
        return await self._lines.get()

    async def wait_until_closed(self) -> None:
        """Return once no more lines can come."""
        await asyncio.Event().wait()


class ViewOutput(Output):
    """Shows a session's output on a view."""

    def __init__(self, show_line: Callable[[str], None]) -> None:
        self._show_line = show_line

    def print_line(self, text: str = "") -> None:
        """Show a line."""
        self._show_line(text)

    def prompt(self, text: str, completions: Completions = no_completions) -> None:
        """Do nothing: there is always a line to type on."""

    def leave_prompt(self) -> None:
        """Do nothing: the line to type on stays."""

    def columns(self) -> int | None:
        """None: the view redraws itself when its width changes."""
        return None

    def ring_bell(self) -> None:
        """Do nothing: the view itself alerts the person; see `ScreenSession.print_move`."""

    def print_message(self, text: str) -> None:
        """Show a line."""
        self._show_line(text)


class ScreenSession(FriendlySession):
    """The session behind the terminal UI: it accepts input at any time, and draws no boards."""

    def __init__(
        self, game: Game, language: LineLanguage, source: LineSource, view: "BoardApp"
    ) -> None:
        self._view = view
        super().__init__(
            game,
            language,
            source,
            ViewOutput(view.show_text),
            SessionOptions(prompts=False),
            Terminal(unicode=True, cursor=False, width=60),
        )

    def make_commands(self) -> CommandTable:
        """The commands of the friendly mode, and the view's own."""
        own = tuple(self._view.own_commands())
        names = {command.name for command in own}
        others = (command for command in super().make_commands() if command.name not in names)
        return CommandTable((*own, *others))

    def open(self) -> None:
        """Do nothing: the board is already shown."""
        self._view.draw_board()
        self.print_pending()

    def accepts_input(self) -> bool:
        """Always True, so that two machines playing each other can be stopped."""
        return True

    def print_move(self, event: Moved) -> None:
        """Show the move; alert the person whose turn it is after the opponent's move."""
        super().print_move(event)
        other = self.game.seat(event.side.opponent)
        if event.seat is not Seat.HUMAN and other is Seat.HUMAN:
            self._view.bell()

    def print_end(self, event: Over) -> None:
        """Show who won and why, and what can be done now."""
        super().print_end(event)
        self._view.bell()

    def next_step_text(self) -> str:
        """What a person can do when the game is over; here nothing ends by itself."""
        if self.game.in_event:
            return "Quit with Ctrl-Q: the event goes on, and its next game opens by itself."
        stay = "Look at the game as long as you like; quit with Ctrl-Q."
        return super().next_step_text() or stay

    async def execute(self, words: Sequence[str]) -> None:
        """Execute a line; what was said is repeated, because its line is empty again."""
        await super().execute(words)
        if words[0] == "say":
            self.output.print_line(f"You: {words[1]}")

    def print_error(self, error: Exception) -> None:
        """Show what was wrong; the window wraps long lines."""
        self.output.print_message(str(error))

    def show_board(self, signs: Mapping[str, str] | None = None) -> None:  # noqa: ARG002
        """Do nothing: the board is always shown."""
        self._view.draw_board()

    def show_targets(self, square: str) -> None:
        """Mark the targets on the board as well."""
        super().show_targets(square)
        self._view.mark_squares((square,))

    def show_next_squares(self) -> None:
        """Mark the squares on the board as well."""
        super().show_next_squares()
        self._view.mark_squares(self.entered)

    def _on_event(self, event: TableEvent) -> None:
        super()._on_event(event)
        match event:
            case MayClaim() | MayBeClaimed() | RematchAsked():
                self._view.bell()
            case _:
                pass
        self._view.draw_board()

    async def _execute_line(self, line: str) -> bool:
        executed = await super()._execute_line(line)
        self._view.draw_board()
        return executed


class BoardApp(Window):
    """A game on a terminal.

    Args:
        game: the game; nothing else may use it meanwhile.
        log: receives every command and move entered; None for none.
        ascii_only: use only ASCII.
        news: what has just happened, which the person is alerted to; empty for nothing.
    """

    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        HELP_KEY,
        Binding("f2", "word('new')", "New", key_display="F2"),
        Binding("f3", "word('undo')", "Undo", key_display="F3"),
        Binding("f3", "word('takeback')", "Takeback", key_display="F3"),
        Binding("f4", "word('hint')", "Hint", key_display="F4"),
        Binding("f5", "seat", "Auto", key_display="F5"),
        Binding("f6", "word('eval')", "Eval", key_display="F6"),
        Binding("f7", "save", "Save", key_display="F7"),
        *LOOK_KEYS,
        Binding("end", "live", "Live", key_display="End"),
        Binding("escape", "again", show=False),
        QUIT_KEY,
    ]

    def __init__(
        self,
        game: Game,
        *,
        log: TextIO | None = None,
        ascii_only: bool,
        news: str = "",
    ) -> None:
        super().__init__(MoveBrowser(game.start, game.moves), ascii_only=ascii_only)
        self.game = game
        self.language = line_language(game.start.ruleset)
        self._typed_lines = TypedLines()
        self._news = news
        self._evaluator = Evaluator(self._draw)
        # Whether each position that is shown is evaluated.
        self._is_evaluating = False
        self._hint: tuple[str, ...] = ()
        self._session_task: asyncio.Task[None] | None = None
        lines = self._typed_lines if log is None else LoggedLines(self._typed_lines, log)
        self._session = ScreenSession(game, self.language, lines, self)

    def board_view(self) -> BoardView:
        """The board as it is first shown."""
        return BoardView(self._scene(), self.language.names, ascii_only=self._ascii)

    def on_mount(self) -> None:
        """Begin the session."""
        self.save_title()
        if self._news:
            self.show_text(self._news)
            self.bell()
        self.show_text(self._first_line())
        if self.game.broker is not None:
            # The summary's own timer, which stops before the summary is removed.
            self.under.query_one("#summary").set_interval(1, self._draw_summary)
        self._session_task = asyncio.create_task(self._run_session(), name="session")

    def _first_line(self) -> str:
        seats = {self.game.seat(side) for side in Side}
        if seats == {Seat.REMOTE}:
            return "You are watching. PgUp and PgDn step through the game. F1 is help."
        example = next(iter(self.language.move_help()))[0]
        return f"Click, use arrow keys, or type: {example}. F1 is help."

    async def _run_session(self) -> None:
        try:
            self.exit(await self._session.run())
        except Exception as error:  # noqa: BLE001 -- told by whoever started the UI
            self.failure = error
            self.exit(1)

    async def on_unmount(self) -> None:
        """Stop the tasks beside the UI."""
        self.restore_title()
        await self._evaluator.close()
        if self._session_task is not None:
            self._session_task.cancel()
            await asyncio.wait({self._session_task})

    def execute_line(self, typed: str) -> None:
        """Carry out what was typed."""
        self._typed_lines.put(typed)

    # Called by the session.

    def draw_board(self) -> None:
        """Show the game as it is now; called after whatever may have changed it."""
        before, known = self.browser.live, len(self.browser.played)
        self.browser.follow(self.game.start, self.game.moves)
        if self.browser.live != before:
            self._chosen, self._hint = (), ()
        new = self.browser.played[known:]
        if any(self.game.seat(each.before.turn) is Seat.HUMAN for each in new):
            self.browser.go(len(self.browser.played))  # what we play must be seen
        self._evaluate()
        self._draw()

    def mark_squares(self, squares: tuple[str, ...]) -> None:
        """Mark where a move can continue from the squares entered so far."""
        self.browser.go(len(self.browser.played))
        self._chosen = squares
        self._draw()

    def own_commands(self) -> Sequence[Command]:
        """The commands that only this client has."""
        show_help, plain = super().own_commands()

        def hint(_: Sequence[str]) -> None:
            check_advice(self.game, hint=True)
            position = self.browser.position
            self._evaluator.hint(position, lambda verdict: self._show_hint(position, verdict))

        def evaluate(_: Sequence[str]) -> None:
            check_advice(self.game)
            self._is_evaluating = not self._is_evaluating
            self._evaluate()
            self._draw()

        return (
            show_help,
            *(
                Command(name, summary, action, act=act)
                for (name, summary, act), action in zip(ADVICE, (hint, evaluate), strict=True)
            ),
            plain,
        )

    # Keys.

    def help_page(self) -> HelpScreen:
        """The help page, without keys that have no use in this game."""
        keys = [
            (key, meaning)
            for key, meaning, action, word in KEYS
            if self.check_action(action, (word,))
        ]
        return HelpScreen(self.language, self._session.useful_commands(), keys)

    def action_seat(self) -> None:
        """Hand the side to move to the machine, or take it back."""
        if "fill" in self.game.can:
            side = self.game.position.turn
            word = "manual" if self.game.seat(side) is Seat.AUTO else "auto"
            self._typed_lines.put(f"{word} {self.language.names[side].lower()}")

    def action_save(self) -> None:
        """Propose a name for a file with the game; Enter saves it."""
        self.under.query_one(BoardView).focus()
        line = self.under.query_one(Input)
        line.value = f"export {proposed_name(self.game)}"
        line.cursor_position = len(line.value)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide keys that have no use in this game."""
        if isinstance(self.screen, HelpScreen):
            return super().check_action(action, parameters)
        word = parameters[0] if action == "word" else action
        if word in {"new", "undo", "seat"}:
            return "new" in self.game.can
        if word == "takeback":
            return "takeback" in self.game.can
        return word not in {"hint", "eval"} or bool(allowed_advice(self.game))

    def action_again(self) -> None:
        """Clear what was chosen and typed, also in the session."""
        self._session.clear_entered()
        super().action_again()
        self.action_live()

    def show_ply(self, ply: int) -> None:
        """Show the position after so many moves, or the nearest one."""
        self.browser.go(ply)
        self._chosen, self._hint = (), ()
        self._draw()
        self._evaluate()

    @on(BoardView.Pointed)
    def _on_pointed(self, event: BoardView.Pointed) -> None:
        if not self.browser.is_live:
            self.show_text("This is how it was. End (or Esc) goes back to the game.")
            return
        self._hint = ()
        self.choose_square(self._entries(), event.square)
        self._session.set_entered(self._chosen)
        self._draw()

    # Drawing.

    def _entries(self) -> tuple[MoveEntry, ...]:
        """What may be pointed at now: nothing unless a person here is to move."""
        return move_entries(self.game.position, self.language) if may_move(self.game) else ()

    def _scene(self) -> Scene:
        last = self.browser.last
        scene = Scene(
            self.browser.position,
            Board.of(self.game.start, self.language),
            entries=self._entries() if self.browser.is_live else (),
            chosen=self._chosen,
            hint=self._hint,
        )
        return scene if last is None else with_last_move(scene, last.before, last.move.squares)

    def _draw(self) -> None:
        if not self.is_running:
            return
        self.refresh_bindings()  # some keys apply only before the end, or only after it
        self.under.query_one(BoardView).show(self._scene())
        self._draw_summary()
        self.under.query_one(MoveList).follow(self.browser, self.language)
        asked = self._asked()
        self.under.query_one(Input).placeholder = asked
        self.show_title(f"ataxxd: {asked}")

    def _draw_summary(self) -> None:
        painter = Painter(piece_set(self.language.names), self.language.names, 1, self._ascii)
        outcome, verdict = self.game.outcome, self._verdict
        shown = summary(
            self.game,
            self.browser,
            self.language,
            painter,
            ""
            if outcome is None
            else ending_text(outcome, self.game.position, own_side(self.game)),
            None
            if verdict is None
            else (verdict_text(verdict, self.language.names), bar_share(verdict)),
        )
        self.under.query_one("#summary", Static).update(shown)

    def _asked(self) -> str:
        """What is asked of the person now."""
        can_move = any(entry.squares for entry in self._entries())
        return request(self.game, self.language, can_move=can_move)

    @property
    def _verdict(self) -> Verdict | None:
        """The verdict on the position shown; None if it is not wanted or not known."""
        position = self.browser.position
        wanted = self._is_evaluating and position.outcome is None
        return self._evaluator.verdict(position) if wanted else None

    def _evaluate(self) -> None:
        """Evaluate the position shown, if that is wanted and fair."""
        self._is_evaluating = self._is_evaluating and "evaluate" in allowed_advice(self.game)
        if self._is_evaluating:
            self.game.advised()
            self._evaluator.survey([self.browser.position])
        else:
            self._evaluator.stop_survey()

    def _show_hint(self, position: Position, hint: Verdict) -> None:
        """Show the engine's move, unless another position is looked at by now."""
        if position != self.browser.position:
            return
        every = move_entries(position, self.language)
        self._hint = next(entry.squares for entry in every if entry.move == hint.line[0])
        self.show_text(hint_text(hint, position))
        self._draw()


async def run_tui(game: Game, *, log: TextIO | None, news: str, ascii_only: bool) -> int:
    """Play or watch a game in the terminal UI until the person leaves.

    Args:
        game: the game; nothing else may use it meanwhile.
        log: receives every command and move entered.
        news: what has just happened, such as that somebody has joined.
        ascii_only: use only ASCII, whatever the terminal can show.

    Returns:
        The exit code.
    """
    plain = needs_ascii(asked=ascii_only)
    return await run_window(BoardApp(game, log=log, ascii_only=plain, news=news))
