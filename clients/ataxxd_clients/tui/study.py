"""The terminal UI of a study: a game to step through, the engine's opinion, and moves to try."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import ClassVar

from textual import events, on
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from ataxxd.errors import AtaxxdError
from ataxxd.rules import RulesError, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.rules.values import ending_text
from ataxxd.wording import format_count
from ataxxd_clients.analysis import bar_share, short_verdict_text, verdict_text
from ataxxd_clients.exports import study_bytes
from ataxxd_clients.labels import move_name
from ataxxd_clients.study import GameFiles, GameTree, Node, Study
from ataxxd_clients.text.commands import Command, CommandError, CommandTable
from ataxxd_clients.text.language import move_entries
from ataxxd_clients.tui.board import (
    SIGN,
    Board,
    BoardView,
    Painter,
    PieceSet,
    Scene,
    piece_set,
    with_last_move,
)
from ataxxd_clients.tui.clean_app import needs_ascii, run_window
from ataxxd_clients.tui.window import (
    HELP_KEY,
    LOOK_KEYS,
    QUIT_KEY,
    HelpScreen,
    MoveBrowser,
    MoveList,
    PlyChosen,
    Window,
    bar,
)

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_WIDEST = 3


def columns(points: int, width: int) -> list[int]:
    """The points that the columns of a graph show; all if there is room."""
    if points <= 0 or width <= 0:
        return []
    if points <= width:
        each = min(width // points, _WIDEST)
        return [point for point in range(points) for _ in range(each)]
    return [column * (points - 1) // max(width - 1, 1) for column in range(width)]


def column_of(share: float | None, height: int, *, ascii_only: bool) -> str:
    """One column from the top, one character per line; blank if nothing is known."""
    if share is None:
        return " " * height
    if ascii_only:
        full = round(share * height)
        return "." * (height - full) + "#" * full
    eighths = round(share * height * 8)
    return "".join(
        _EIGHTHS[min(max(eighths - 8 * below, 0), 8)] for below in range(height - 1, -1, -1)
    )


class Graph(Widget):
    """A curve with a mark below the position shown; a click shows another."""

    def __init__(self) -> None:
        super().__init__(id="graph")
        self._shares: Sequence[float | None] = ()
        self._ply = 0
        self._set: PieceSet | None = None
        self._ascii = False

    def show(
        self, shares: Sequence[float | None], ply: int, pieces: PieceSet, *, ascii_only: bool
    ) -> None:
        """Show a game.

        Args:
            shares: the first side's shares after 0, 1, 2, … moves; None if not known.
            ply: the number of moves of the position shown.
            pieces: the colours of the sides.
            ascii_only: use only ASCII.
        """
        self._shares, self._ply, self._set, self._ascii = shares, ply, pieces, ascii_only
        self.refresh()

    def render(self) -> Content:
        """The curve, and the mark in the line below it."""
        if self._set is None:
            return Content("")
        height = max(self.size.height - 1, 1)
        shown = columns(len(self._shares), self.size.width)
        drawn = [column_of(self._shares[at], height, ascii_only=self._ascii) for at in shown]
        first, second = self._set.pieces
        known, unknown = f"{first} on {second}", f"{self._set.faint} on {self._set.grounds[0]}"
        parts: list[str | tuple[str, str]] = []
        for line in range(height):
            for at, column in zip(shown, drawn, strict=True):
                style = unknown if self._shares[at] is None else known
                parts.append((column[line], style))
            parts.append("\n")
        sign = "^" if self._ascii else "▲"
        parts.append(("".join(sign if at == self._ply else " " for at in shown), f"bold {SIGN}"))
        return Content.assemble(*parts)

    def on_click(self, event: events.Click) -> None:
        """Choose the position under the mouse."""
        shown = columns(len(self._shares), self.size.width)
        if 0 <= event.x < len(shown):
            self.post_message(PlyChosen(shown[event.x]))


KEYS = (
    ("PgUp, PgDn", "one move back, one forward"),
    ("Home, End", "the beginning and the end of the line"),
    ("mouse", "click a piece, then where it goes; the graph; the moves"),
    ("arrows, Enter", "move the cursor, choose a square"),
    ("letters, digits", "type a move or a word; Enter sends it"),
    ("Esc", "choose again; back to the board"),
    ("Tab", "to the list of moves and back"),
    ("F1", "this page"),
    ("F2", "evaluate every position of the line, or stop it"),
    ("F4", "play the engine's move"),
    ("F5", "make this variation the main line where it branched off"),
    ("F6", "turn the engine's analysis on or off"),
    ("F7", "the alternative to this move"),
    ("F8", "delete this move and all after it"),
    ("Ctrl-Q", "quit"),
)


def summary(study: Study, painter: Painter, width: int) -> Content:
    """Counts, move, evaluation, best line and other moves, in at most seven lines.

    Args:
        study: the study.
        painter: draws its pieces.
        width: columns of a line.
    """
    names, node, position = study.language.names, study.tree.cursor, study.position
    ground = painter.set.grounds[0]
    parts: list[str | tuple[str, str]] = []
    for side, sign in zip(Side, "xo", strict=True):
        arrow = ">" if side is position.turn and position.outcome is None else " "
        style = f"bold {painter.set.pieces[side]} on {ground}"
        parts += [
            arrow,
            (f" {painter.piece(sign)} ", style),
            (f" {names[side]:5} {position.counts[side]:2}  ", "bold"),
        ]
    parts.append("\n" + _cut(_place(study, node), width) + "\n")
    if (outcome := study.outcome) is not None:
        parts.append(ending_text(outcome, position) + "\n")
    verdict = study.verdict(node)
    if verdict is not None:
        parts += [*bar(bar_share(verdict), painter), f" {verdict_text(verdict, names)}\n"]
        if line := study.best_line():
            # Two lines of it are enough to see where it leads.
            parts.append(_cut(f"Best: {_best(line, study.explain_best())}", 2 * width - 2) + "\n")
    if beside := _beside(node):
        parts.append(_cut(f"Beside: {' '.join(beside)}", width) + "\n")
    if study.progress is not None:
        parts.append(f"Evaluated {study.progress.done} of {study.progress.total}. F2 stops it.\n")
    return Content.assemble(*parts)


def _best(line: Sequence[str], because: str | None) -> str:
    """The moves that are expected, and what the first of them does."""
    if because is None:
        return " ".join(line)
    then = f"; then {' '.join(line[1:])}" if line[1:] else ""
    return f"{line[0]}, which {because}{then}"


def notes(study: Study) -> Sequence[str]:
    """A note for each move of the line: its verdict, and ``+2`` for two variations."""
    names = study.language.names
    said = []
    for node in study.tree.line[1:]:
        verdict = study.verdict(node)
        words = "" if verdict is None else short_verdict_text(verdict, names)
        more = 0 if node.parent is None else len(node.parent.children) - 1
        said.append(f"{words} +{more}".strip() if more else words)
    return said


def _place(study: Study, node: Node) -> str:
    line = study.tree.line
    where = "" if line[-1] is study.tree.main_line[-1] else ", in a variation"
    return f"Move {node.ply} of {len(line) - 1}{where}"


def _beside(node: Node) -> Sequence[str]:
    """The other moves that were played or tried in place of the last one."""
    if node.parent is None:
        return ()
    return [
        move_name(each.move)
        for each in node.parent.children
        if each is not node and each.move is not None
    ]


def _cut(text: str, width: int) -> str:
    """Text of at most so many columns; what is cut off is shown by dots."""
    return text if len(text) <= max(width, 10) else text[: max(width, 10) - 3] + "..."


class StudyApp(Window):
    """A game that is studied on a terminal.

    Args:
        game: the game.
        files: reads other games and writes this one.
        ascii_only: use only ASCII.
    """

    CSS_PATH: ClassVar[list[str]] = ["app.tcss", "study.tcss"]  # type: ignore[assignment]
    BINDINGS: ClassVar[list[BindingType]] = [
        HELP_KEY,
        Binding("f2", "word('evaluate')", "Graph", key_display="F2"),
        Binding("f4", "word('best')", "Best", key_display="F4"),
        Binding("f5", "word('promote')", "Promote", key_display="F5"),
        Binding("f6", "word('engine')", "Engine", key_display="F6"),
        Binding("f7", "word('next')", "Other", key_display="F7"),
        Binding("f8", "word('delete')", "Delete", key_display="F8"),
        *LOOK_KEYS,
        Binding("end", "live", show=False),
        Binding("escape", "again", show=False),
        QUIT_KEY,
    ]

    def __init__(self, game: GameRecord, files: GameFiles, *, ascii_only: bool) -> None:
        super().__init__(MoveBrowser(game.start), ascii_only=ascii_only)
        self.study = Study(game, self._draw)
        self._files = files
        self._commands = CommandTable(self.own_commands())

    def board_view(self) -> BoardView:
        """The board as it is first shown."""
        return BoardView(self._scene(), self.study.language.names, ascii_only=self._ascii)

    def below_the_board(self) -> Iterable[Widget]:
        """The graph."""
        yield Graph()

    def on_mount(self) -> None:
        """Start the engine."""
        self.show_text("PgUp and PgDn step through the game; play any move to try it. F1 is help.")
        self.study.think(on=True)

    async def on_unmount(self) -> None:
        """Stop the tasks beside the UI."""
        await self.study.close()

    # Input.

    def execute_line(self, typed: str) -> None:
        """Carry out a move or a command that was typed."""
        self.run_worker(self._execute_words(typed), exclusive=False)

    async def _execute_words(self, typed: str) -> None:
        words = typed.strip().lower().split()
        try:
            if words[0] in {"open", "save", "replace"}:
                self._file(words[0], typed.split()[1:])
            elif (move := self.study.language.read_move(words, self.study.position)) is not None:
                self._edit_tree(lambda tree: tree.play(move))
            else:
                await self._commands.execute(words)
        except (AtaxxdError, CommandError, RulesError) as error:
            self.show_text(str(error))
        self._draw()

    def _edit_tree(self, action: Callable[[GameTree], object]) -> None:
        """Change the tree or the cursor, or say why that is not possible; then show the result."""
        try:
            action(self.study.tree)
        except CommandError as error:
            self.show_text(str(error))
        self._chosen = ()
        self.study.update()

    def _file(self, word: str, operands: Sequence[str]) -> None:
        if word == "open":
            if not 0 < len(operands) < 3:
                raise CommandError("Type: open FILE, or: open FILE FORMAT")
            self.study.open(self._files.open(operands[0], "".join(operands[1:]) or None))
            self._chosen = ()
            self.show_text(
                f"{operands[0]}: {format_count(len(self.study.tree.main_line) - 1, 'move')}."
            )
            return
        if len(operands) != 1:
            raise CommandError(f"Type: {word} FILE; its ending sets the notation, such as .pgn")
        form, content = study_bytes(self.study.main_game, operands[0], at=self.study.position)
        self._files.save(operands[0], content, replace=word == "replace")
        what = "The position" if form.name in {"svg", "png"} else "The main line"
        self.show_text(f"{what} is in {operands[0]} now, as {form.name}.")

    def own_commands(self) -> Sequence[Command]:
        """The commands of a study."""
        show_help, plain = super().own_commands()

        def best(_: Sequence[str]) -> None:
            verdict = self.study.verdict(self.study.tree.cursor)
            if verdict is None or not verdict.line:
                raise CommandError(
                    "There is no best move to play here: the game is over, or F6 is off."
                )
            self._edit_tree(lambda tree: tree.play(verdict.line[0]))

        def unread(_: Sequence[str]) -> None:
            """Never called: names of files keep their case, so they are read elsewhere."""

        def on_tree(action: Callable[[GameTree], object]) -> Callable[[Sequence[str]], None]:
            return lambda _: self._edit_tree(action)

        return (
            show_help,
            Command("best", "Play the engine's move.", best),
            Command("evaluate", "Evaluate the whole line, or stop it.", self._evaluate),
            Command("engine", "Turn the engine's analysis on or off.", self._engine),
            Command(
                "next", "Go to the alternative to this move.", on_tree(GameTree.next_variation)
            ),
            Command("promote", "Make this the main line.", on_tree(GameTree.promote)),
            Command("delete", "Delete this move and the rest.", on_tree(GameTree.delete)),
            Command("open", "Study another game.", unread, ("FILE",)),
            Command("save", "Write the main line to a new file.", unread, ("FILE",)),
            Command("replace", "The same, replacing a file.", unread, ("FILE",)),
            plain,
            Command("quit", "Leave.", lambda _: self.exit(0)),
        )

    def _evaluate(self, _: Sequence[str]) -> None:
        if self.study.progress is None:
            self.study.evaluate()
        else:
            self.study.stop_evaluating()

    def _engine(self, _: Sequence[str]) -> None:
        self.study.think(on=not self.study.is_thinking)

    # Keys and clicks.

    def help_page(self) -> HelpScreen:
        """The help page."""
        return HelpScreen(self.study.language, self._commands, KEYS)

    def show_ply(self, ply: int) -> None:
        """Show the position after so many moves of the current line, or the nearest one."""
        self._edit_tree(lambda tree: tree.go_to_ply(ply))

    def action_again(self) -> None:
        """Clear what was chosen and typed."""
        super().action_again()
        self._draw()

    @on(BoardView.Pointed)
    def _on_pointed(self, event: BoardView.Pointed) -> None:
        self.choose_square(move_entries(self.study.position, self.study.language), event.square)
        self._draw()

    # Drawing.

    def _scene(self) -> Scene:
        node, position = self.study.tree.cursor, self.study.position
        board = Board.of(position, self.study.language)
        every = () if position.outcome is not None else move_entries(position, self.study.language)
        scene = Scene(position, board, entries=every, chosen=self._chosen)
        verdict = self.study.verdict(node)
        if self.study.is_thinking and verdict is not None and verdict.line:
            hint = next(entry.squares for entry in every if entry.move == verdict.line[0])
            scene = replace(scene, hint=hint)
        if node.parent is None or node.move is None:
            return scene
        return with_last_move(scene, node.parent.position, node.move.squares)

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
        self.browser.follow(line[0].position, [node.move for node in line[1:] if node.move])
        self.browser.go(study.tree.cursor.ply)
        self.under.query_one(MoveList).follow(self.browser, study.language, notes(study))
        verdicts = [study.verdict(node) for node in line]
        shares = [None if each is None else bar_share(each) for each in verdicts]
        self.under.query_one(Graph).show(
            shares, study.tree.cursor.ply, pieces, ascii_only=self._ascii
        )
        self.under.query_one(Input).placeholder = self._prompt()

    def _prompt(self) -> str:
        names, position = self.study.language.names, self.study.position
        if position.outcome is not None:
            return "The game is over here. Go back to try another move."
        verdict = self.study.verdict(self.study.tree.cursor)
        said = "" if verdict is None else f" ({verdict_text(verdict, names)})"
        return f"{names[position.turn]} to move{said}"


async def run_study(game: GameRecord, files: GameFiles, *, ascii_only: bool = False) -> int:
    """Study a game in the terminal UI until the person leaves.

    Args:
        game: the game.
        files: reads other games and writes this one.
        ascii_only: use only ASCII, whatever the terminal can show.

    Returns:
        The exit code.

    Raises:
        CommandError: the game is too long.
    """
    return await run_window(StudyApp(game, files, ascii_only=needs_ascii(asked=ascii_only)))
