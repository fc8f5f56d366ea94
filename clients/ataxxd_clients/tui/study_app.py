"""The terminal UI of a study: a game to step through, the engine's opinion, and moves to try."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, RichLog, Static

from ataxxd.errors import AtaxxdError
from ataxxd.rules import RulesError
from ataxxd.rules.notation.game import GameRecord
from ataxxd.wording import counted
from ataxxd_clients.analysis import in_words, share
from ataxxd_clients.exports import written_study
from ataxxd_clients.study import GameFiles, GameTree, Study, StudyError
from ataxxd_clients.text.commands import Command, CommandError, CommandTable
from ataxxd_clients.tui.board import BoardView
from ataxxd_clients.tui.browsing import Browser
from ataxxd_clients.tui.graph import Graph
from ataxxd_clients.tui.help import HelpScreen
from ataxxd_clients.tui.keys import Keys
from ataxxd_clients.tui.panel import MoveList
from ataxxd_clients.tui.picture import Scene, last_move
from ataxxd_clients.tui.pieces import Painter, piece_set
from ataxxd_clients.tui.study_panel import KEYS, notes, summary
from ataxxd_clients.tui.window import Window
from ataxxd_clients.ways import Board, choose, ways

_FAR = 100_000


class StudyApp(Window):
    """A game that is studied on a terminal.

    Args:
        game: the game.
        files: where other games are read, and this one is written.
        ascii_only: use no signs beyond ASCII.
    """

    CSS_PATH: ClassVar[list[str]] = ["app.tcss", "study.tcss"]  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("f1", "help", "Help", key_display="F1"),
        Binding("f2", "evaluate", "Graph", key_display="F2"),
        Binding("f4", "word('best')", "Best", key_display="F4"),
        Binding("f5", "word('promote')", "Promote", key_display="F5"),
        Binding("f6", "engine", "Engine", key_display="F6"),
        Binding("f7", "word('next')", "Other", key_display="F7"),
        Binding("f8", "word('delete')", "Delete", key_display="F8"),
        Binding("pageup,ctrl+left", "step(-1)", "Back", key_display="PgUp"),
        Binding("pagedown,ctrl+right", "step(1)", show=False),
        Binding("home", "step(-100000)", show=False),
        Binding("end", "live", show=False),
        Binding("escape", "again", show=False),
        Binding("ctrl+q,ctrl+c,f10", "quit", "Quit", key_display="^Q", priority=True),
    ]

    def __init__(self, game: GameRecord, files: GameFiles, *, ascii_only: bool = False) -> None:
        super().__init__()
        self.study = Study(game, self._draw)
        self._files = files
        self._ascii = ascii_only
        self._chosen: tuple[str, ...] = ()
        self._browser = Browser(game.start)
        self._commands = CommandTable(self._own_commands())

    def compose(self) -> ComposeResult:
        """Board and moves, the graph and the words below them, the line to type on, the keys."""
        with Horizontal(id="table"):
            yield BoardView(self._scene(), self.study.language.names, ascii_only=self._ascii)
            with Vertical(id="side"):
                yield Static(id="summary")
                yield MoveList()
        yield Graph()
        yield RichLog(id="log", wrap=True, min_width=20, max_lines=500)
        yield Input(id="line", compact=True, select_on_focus=False)
        yield Keys()

    def on_mount(self) -> None:
        """Begin to think."""
        self.under.query_one("#log").can_focus = False
        self.under.query_one(BoardView).focus()
        self.tell("PgUp and PgDn step through the game; play any move to try it. F1 is help.")
        self.study.think(on=True)

    async def on_unmount(self) -> None:
        """End what goes on beside the UI."""
        await self.study.close()

    # What is typed.

    def entered(self, typed: str) -> None:
        """A move, or a word."""
        self.run_worker(self._obey(typed), exclusive=False)

    async def _obey(self, typed: str) -> None:
        words = typed.strip().lower().split()
        try:
            if words[0] in {"open", "save", "replace"}:
                self._file(words[0], typed.split()[1:])
            elif (move := self.study.language.read_move(words, self.study.position)) is not None:
                self._do(lambda tree: tree.play(move))
            else:
                await self._commands.obey(words)
        except (AtaxxdError, CommandError, RulesError, StudyError) as error:
            self.tell(str(error))
        self._draw()

    def _do(self, action: Callable[[GameTree], object]) -> None:
        """Do something to the tree, and follow it; what cannot be done is told."""
        try:
            action(self.study.tree)
        except StudyError as error:
            self.tell(str(error))
        self._chosen = ()
        self.study.changed()

    def _file(self, word: str, operands: Sequence[str]) -> None:
        if word == "open":
            if not 0 < len(operands) < 3:
                msg = "Type: open FILE, or: open FILE FORMAT"
                raise CommandError(msg)
            self.study.open(self._files.open(operands[0], "".join(operands[1:]) or None))
            self._chosen = ()
            self.tell(f"{operands[0]}: {counted(len(self.study.tree.main_line) - 1, 'move')}.")
            return
        if len(operands) != 1:
            msg = f"Type: {word} FILE; its suffix tells the notation, such as .pgn"
            raise CommandError(msg)
        form, content = written_study(self.study.main_game, operands[0], at=self.study.position)
        self._files.save(operands[0], content, replace=word == "replace")
        what = "The position" if form.name in {"svg", "png"} else "The main line"
        self.tell(f"{what} is in {operands[0]} now, as {form.name}.")

    def _own_commands(self) -> Sequence[Command]:
        async def show_help(_: Sequence[str]) -> None:
            await self.action_help()

        def best(_: Sequence[str]) -> None:
            verdict = self.study.verdict(self.study.tree.cursor)
            if verdict is None or not verdict.line:
                msg = "There is no best move to play here: the game is over, or F6 is off."
                raise CommandError(msg)
            self._do(lambda tree: tree.play(verdict.line[0]))

        def plain(_: Sequence[str]) -> None:
            self._ascii = not self._ascii
            self.under.query_one(BoardView).use_ascii(on=self._ascii)

        def unread(_: Sequence[str]) -> None:
            """Never called: names of files keep their case, so they are read elsewhere."""

        def on_tree(action: Callable[[GameTree], object]) -> Callable[[Sequence[str]], None]:
            return lambda _: self._do(action)

        return (
            Command("help", "Show the help page.", show_help),
            Command("best", "Play the engine's move.", best),
            Command("evaluate", "Evaluate the whole line, or stop it.", self._evaluate),
            Command("engine", "Let the engine look along, or no longer.", self._engine),
            Command("next", "Go to the other move beside this.", on_tree(GameTree.next_variation)),
            Command("promote", "Make this the main line.", on_tree(GameTree.promote)),
            Command("delete", "Delete this move and the rest.", on_tree(GameTree.delete)),
            Command("open", "Study another game.", unread, ("FILE",)),
            Command("save", "Write the main line to a new file.", unread, ("FILE",)),
            Command("replace", "The same, over a file that is there.", unread, ("FILE",)),
            Command("ascii", "Draw with plain characters, or no longer.", plain),
            Command("quit", "Leave.", lambda _: self.exit(0)),
        )

    def _evaluate(self, _: Sequence[str]) -> None:
        if self.study.progress is None:
            self.study.evaluate()
        else:
            self.study.stop_evaluating()

    def _engine(self, _: Sequence[str]) -> None:
        self.study.think(on=not self.study.thinks)

    # Keys and clicks.

    async def action_help(self) -> None:
        """Show the help page."""
        if not isinstance(self.screen, HelpScreen):
            await self.push_screen(HelpScreen(self.study.language, self._commands, KEYS))

    def action_word(self, word: str) -> None:
        """Do as if a word had been typed."""
        self.entered(word)

    def action_evaluate(self) -> None:
        """Evaluate the line, or stop that."""
        self._evaluate(())

    def action_engine(self) -> None:
        """Let the engine look along, or no longer."""
        self._engine(())

    def action_step(self, plies: int) -> None:
        """Go so many moves forward or back in the line."""
        self._do(lambda tree: tree.go(tree.cursor.ply + plies))

    def action_live(self) -> None:
        """Go to the end of the line."""
        self.action_step(_FAR)

    def action_again(self) -> None:
        """Forget what was chosen and typed; back to the board."""
        self._chosen = ()
        self.under.query_one(Input).clear()
        self.under.query_one(BoardView).focus()
        self._draw()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:  # noqa: ARG002
        """No key but its own does anything while the help page is shown."""
        return action in {"help", "quit"} if isinstance(self.screen, HelpScreen) else True

    @on(MoveList.Looked)
    @on(Graph.Looked)
    def _on_looked(self, event: MoveList.Looked | Graph.Looked) -> None:
        self._do(lambda tree: tree.go(event.ply))

    @on(BoardView.Pointed)
    def _on_pointed(self, event: BoardView.Pointed) -> None:
        every = ways(self.study.position, self._board())
        if every and not any(way.squares for way in every):
            self.entered("-")  # nothing but a pass
            return
        played, self._chosen = choose(every, self._chosen, event.square)
        if played:
            self.entered("-".join(played))
        self._draw()

    # What is drawn.

    def _board(self) -> Board:
        return Board.of(self.study.tree.root.position, self.study.language)

    def _scene(self) -> Scene:
        board, node, position = self._board(), self.study.tree.cursor, self.study.position
        every = () if position.outcome is not None else ways(position, board)
        scene = Scene(position, board, ways=every, chosen=self._chosen)
        verdict = self.study.verdict(node)
        if self.study.thinks and verdict is not None and verdict.line:
            hint = next(way.squares for way in every if way.move == verdict.line[0])
            scene = replace(scene, hint=hint)
        if node.parent is None or node.move is None:
            return scene
        before = node.parent.position
        left, reached, turned = last_move(before, position, node.move.squares, board)
        return replace(scene, left=left, reached=reached, turned=turned)

    def _draw(self) -> None:
        if not self.is_running:
            return
        study, names = self.study, self.study.language.names
        board = self.under.query_one(BoardView)
        board.rename(names)
        board.show(self._scene())
        pieces = piece_set(names)
        painter = Painter(pieces, names, 1, self._ascii)
        width = self.under.query_one("#summary").size.width
        self.under.query_one("#summary", Static).update(summary(study, painter, width))
        line = study.tree.line
        self._browser.follow(line[0].position, [node.move for node in line[1:] if node.move])
        self._browser.go(study.tree.cursor.ply)
        self.under.query_one(MoveList).follow(self._browser, study.language, notes(study))
        verdicts = [study.verdict(node) for node in line]
        shares = [None if each is None else share(each) for each in verdicts]
        self.under.query_one(Graph).show(
            shares, study.tree.cursor.ply, pieces, ascii_only=self._ascii
        )
        self.under.query_one(Input).placeholder = self._prompt()

    def _prompt(self) -> str:
        names, position = self.study.language.names, self.study.position
        if position.outcome is not None:
            return "The game is over here. Go back to try another move."
        verdict = self.study.verdict(self.study.tree.cursor)
        said = "" if verdict is None else f" ({in_words(verdict, names)})"
        return f"{names[position.turn]} to move{said}"
