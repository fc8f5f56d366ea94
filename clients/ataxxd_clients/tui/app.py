"""The terminal UI of one game: the board, what stands beside it, and a line to type on."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, TextIO

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, RichLog, Static

from ataxxd.node.control import Game, Seat
from ataxxd.rules import Side
from ataxxd.rules.endings import ending_text
from ataxxd_clients.analysis import Verdict, in_words, share, why_no_advice
from ataxxd_clients.exports import proposed_name
from ataxxd_clients.labels import own_side
from ataxxd_clients.text.advice import ADVICE
from ataxxd_clients.text.commands import Command
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.source import LoggedLines
from ataxxd_clients.tui.adviser import PositionAdviser
from ataxxd_clients.tui.board import BoardView
from ataxxd_clients.tui.browsing import Browser
from ataxxd_clients.tui.help import KEYS, HelpScreen
from ataxxd_clients.tui.keys import Keys
from ataxxd_clients.tui.panel import MoveList, request, summary
from ataxxd_clients.tui.picture import Scene, last_move
from ataxxd_clients.tui.pieces import Painter, piece_set
from ataxxd_clients.tui.talking import ScreenSession, TypedLines
from ataxxd_clients.tui.title import Title
from ataxxd_clients.tui.window import Window
from ataxxd_clients.ways import Board, Way, choose, ways


class BoardApp(Window):
    """A game on a terminal; it is a `ataxxd_clients.tui.talking.View` for its session.

    Args:
        game: the game; nothing else may use it meanwhile.
        log: gets every command and move that is entered; None for none.
        ascii_only: use no signs beyond ASCII.
        news: what has just happened; the person is called to hear it. Empty for nothing.
    """

    CSS_PATH = "app.tcss"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", key_display="F1"),
        Binding("f2", "word('new')", "New", key_display="F2"),
        Binding("f3", "word('undo')", "Undo", key_display="F3"),
        Binding("f3", "word('takeback')", "Takeback", key_display="F3"),
        Binding("f4", "word('hint')", "Hint", key_display="F4"),
        Binding("f5", "seat", "Auto", key_display="F5"),
        Binding("f6", "word('eval')", "Eval", key_display="F6"),
        Binding("f7", "save", "Save", key_display="F7"),
        Binding("pageup,ctrl+left", "look(-1)", "Back", key_display="PgUp"),
        Binding("pagedown,ctrl+right", "look(1)", show=False),
        Binding("home", "look(-100000)", show=False),
        Binding("end", "live", "Live", key_display="End"),
        Binding("escape", "again", show=False),
        Binding("ctrl+q,ctrl+c,f10", "quit", "Quit", key_display="^Q", priority=True),
    ]

    def __init__(
        self,
        game: Game,
        *,
        log: TextIO | None = None,
        ascii_only: bool = False,
        news: str = "",
    ) -> None:
        super().__init__()
        self.game = game
        self.language = line_language(game.start.ruleset)
        self.browser = Browser(game.start, game.moves)
        self._typed = TypedLines()
        self._news = news
        self._ascii = ascii_only
        self._adviser = PositionAdviser(game, lambda: self.browser.position, self._hear_counsel)
        self._hint: tuple[str, ...] = ()
        self._chosen: tuple[str, ...] = ()
        self._title = Title(self._steer)
        self._session_task: asyncio.Task[None] | None = None
        lines = self._typed if log is None else LoggedLines(self._typed, log)
        self._session = ScreenSession(game, self.language, lines, self)

    def compose(self) -> ComposeResult:
        """Board and panel, the words below them, the line to type on, the keys."""
        with Horizontal(id="table"):
            yield BoardView(self._scene(), self.language.names, ascii_only=self._ascii)
            with Vertical(id="side"):
                yield Static(id="summary")
                yield MoveList()
        yield RichLog(id="log", wrap=True, min_width=20, max_lines=500)
        yield Input(id="line", compact=True, select_on_focus=False)
        yield Keys()

    def on_mount(self) -> None:
        """Begin the session."""
        self._title.keep()
        self.under.query_one("#log").can_focus = False
        self.under.query_one(BoardView).focus()
        if self._news:
            self.tell(self._news)
            self.call()
        self.tell(self._first_words())
        if self.game.broker is not None:
            self.set_interval(1, self._draw_summary)
        self._session_task = asyncio.create_task(self._run_session(), name="session")

    def _first_words(self) -> str:
        seats = {self.game.seat(side) for side in Side}
        if seats == {Seat.REMOTE}:
            return "You look on. PgUp and PgDn step through the game. F1 is help."
        example = next(iter(self.language.move_help()))[0]
        return f"Click, use arrow keys, or type: {example}. F1 is help."

    async def _run_session(self) -> None:
        try:
            self.exit(await self._session.run())
        except Exception as error:  # noqa: BLE001 -- told by whoever started the UI
            self.failure = error
            self.exit(1)

    async def on_unmount(self) -> None:
        """End what goes on beside the UI."""
        self._title.give_back()
        await self._adviser.close()
        if self._session_task is not None:
            self._session_task.cancel()
            await asyncio.wait({self._session_task})

    def entered(self, typed: str) -> None:
        """See `Window.entered`."""
        self._typed.put(typed)

    # What the session asks of its view.

    def draw_board(self) -> None:
        """See `View.draw_board`."""
        before = self.browser.live
        self.browser.follow(self.game.start, self.game.moves)
        if self.browser.live != before:
            self._chosen, self._hint = (), ()
        self._draw()
        if self.browser.live != before or self._adviser.verdict is None:
            self._adviser.look()

    def point_out(self, squares: tuple[str, ...]) -> None:
        """See `View.point_out`."""
        self.browser.go(len(self.browser.played))
        self._chosen = squares
        self._draw()

    def call(self) -> None:
        """See `View.call`."""
        self.bell()

    def own_commands(self) -> Sequence[Command]:
        """See `View.own_commands`."""

        async def show_help(_: Sequence[str]) -> None:
            await self.action_help()

        def hint(_: Sequence[str]) -> None:
            self._adviser.hint()

        def evaluate(_: Sequence[str]) -> None:
            self._adviser.toggle()
            self._draw()

        def plain(_: Sequence[str]) -> None:
            self._ascii = not self._ascii
            self.under.query_one(BoardView).use_ascii(on=self._ascii)

        return (
            Command("help", "Show the help page.", show_help),
            Command("hint", "Show the move that the engine would play.", hint),
            Command("eval", "Show what the engine thinks of the position.", evaluate),
            Command("ascii", "Draw with plain characters, or no longer.", plain),
        )

    # Keys.

    async def action_help(self) -> None:
        """Show the help page."""
        if not isinstance(self.screen, HelpScreen):
            keys = [
                (key, meaning)
                for key, meaning, action, word in KEYS
                if self.check_action(action, (word,))
            ]
            commands = self._session.useful_commands()
            await self.push_screen(HelpScreen(self.language, commands, keys))

    def action_word(self, word: str) -> None:
        """Do as if a word had been typed."""
        self._typed.put(word)

    def action_seat(self) -> None:
        """Hand the side on turn to the machine, or take it back."""
        if "fill" in self.game.can:
            side = self.game.position.turn
            word = "manual" if self.game.seat(side) is Seat.AUTO else "auto"
            self._typed.put(f"{word} {self.language.names[side].lower()}")

    def action_save(self) -> None:
        """Propose a name for a file with the game; Enter saves it."""
        self.under.query_one(BoardView).focus()
        line = self.under.query_one(Input)
        line.value = f"export {proposed_name(self.game)}"
        line.cursor_position = len(line.value)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide the keys that mean nothing in this game."""
        if isinstance(self.screen, HelpScreen):
            return action in {"help", "quit"}
        word = parameters[0] if action == "word" else action
        if word in {"new", "undo", "seat"}:
            return "new" in self.game.can
        if word == "takeback":
            return "takeback" in self.game.can
        return word not in ADVICE or why_no_advice(self.game) is None

    def action_look(self, plies: int) -> None:
        """Look further back, or forward."""
        self._look_at(self.browser.ply + plies)

    def action_live(self) -> None:
        """Look at the game as it is now."""
        self._look_at(len(self.browser.played))

    def action_again(self) -> None:
        """Forget what was chosen and typed; back to the board."""
        self._session.forget()
        self._chosen, self._hint = (), ()
        self.under.query_one(Input).clear()
        self.under.query_one(BoardView).focus()
        self.action_live()

    @on(MoveList.Looked)
    def _on_looked(self, event: MoveList.Looked) -> None:
        self._look_at(event.ply)

    def _look_at(self, ply: int) -> None:
        self.browser.go(ply)
        self._chosen, self._hint = (), ()
        self._draw()
        self._adviser.look()

    @on(BoardView.Pointed)
    def _on_pointed(self, event: BoardView.Pointed) -> None:
        if not self.browser.is_live:
            self.tell("This is how it was. End (or Esc) goes back to the game.")
            return
        every = self._ways()
        self._hint = ()
        if every and not any(way.squares for way in every):
            self._typed.put("-")  # nothing but a pass
            return
        played, self._chosen = choose(every, self._chosen, event.square)
        self._session.begin(self._chosen)
        if played:
            self._typed.put("-".join(played))
        self._draw()

    # What is drawn.

    def _ways(self) -> tuple[Way, ...]:
        """What may be pointed at now: nothing unless a person here is to move."""
        game = self.game
        if game.outcome is not None or game.draw_offered_by is not None:
            return ()
        if game.seat(game.acting_side) is not Seat.HUMAN:
            return ()
        return ways(game.position, self._board())

    def _board(self) -> Board:
        return Board.of(self.game.start, self.language)

    def _scene(self) -> Scene:
        board, last = self._board(), self.browser.last
        scene = Scene(
            self.browser.position,
            board,
            ways=self._ways() if self.browser.is_live else (),
            chosen=self._chosen,
            hint=self._hint,
        )
        if last is None:
            return scene
        left, reached, turned = last_move(last.before, last.after, last.move.squares, board)
        return replace(scene, left=left, reached=reached, turned=turned)

    def _draw(self) -> None:
        if not self.is_running:
            return
        self.refresh_bindings()  # some keys mean something only before the end, or after it
        self.under.query_one(BoardView).show(self._scene())
        self._draw_summary()
        self.under.query_one(MoveList).follow(self.browser, self.language)
        asked = self._asked()
        self.under.query_one(Input).placeholder = asked
        self._title.show(f"ataxxd: {asked}")

    def _draw_summary(self) -> None:
        painter = Painter(piece_set(self.language.names), self.language.names, 1, self._ascii)
        outcome, verdict = self.game.outcome, self._adviser.verdict
        shown = summary(
            self.game,
            self.browser,
            self.language,
            painter,
            ""
            if outcome is None
            else ending_text(outcome, self.game.position, own_side(self.game)),
            None if verdict is None else (in_words(verdict, self.language.names), share(verdict)),
        )
        self.under.query_one("#summary", Static).update(shown)

    def _asked(self) -> str:
        """What is asked of the person now."""
        can_move = any(way.squares for way in self._ways())
        return request(self.game, self.language, can_move=can_move)

    def _hear_counsel(self, hint: Verdict | None) -> None:
        """Show what the engine says of the position that is looked at."""
        if hint is not None:
            every = ways(self.browser.position, self._board())
            self._hint = next(way.squares for way in every if way.move == hint.line[0])
            said = "-".join(self._hint) or "pass"
            self.tell(f"Hint: {said} ({in_words(hint, self.language.names)}).")
        self._draw()
