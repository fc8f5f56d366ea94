"""A game that is studied: its tree, the engine beside it, and what it was read from."""

from collections.abc import Callable, Sequence

from ataxxd.rules import Move, Outcome, Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.moves import move_name
from ataxxd_clients.study.evaluator import Evaluator, Progress
from ataxxd_clients.study.tree import GameTree, Node
from ataxxd_clients.study.verdicts import Verdict
from ataxxd_clients.text.games import line_language


class Study:
    """What both user interfaces of a study show, and all that can be done to it.

    Args:
        game: what is studied.
        tell: called whenever something has changed.

    Attributes:
        game: what is studied, as it was read.
        tree: its moves and what is tried instead.
        language: the game's words.

    Raises:
        StudyError: the game is too long.
    """

    def __init__(self, game: GameRecord, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._evaluator = Evaluator(tell)
        self._thinks = False
        self.game = game
        self.tree = GameTree(game.start, game.moves)
        self.language = line_language(game.start.ruleset)

    @property
    def position(self) -> Position:
        """The position that is looked at."""
        return self.tree.cursor.position

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended where one looks: on the board, or by what its record tells there."""
        on_board = self.position.outcome
        if on_board is None and self.tree.cursor is self.tree.main_line[-1]:
            return self.main_game.outcome
        return on_board

    @property
    def thinks(self) -> bool:
        """Whether the engine looks at every position that is looked at."""
        return self._thinks

    @property
    def progress(self) -> Progress | None:
        """How far the evaluation of the line has come; None when none goes on."""
        return self._evaluator.progress

    def verdict(self, node: Node) -> Verdict | None:
        """What is known of a node's position."""
        return self._evaluator.verdict(node.position)

    def best_line(self) -> Sequence[str]:
        """The names of the moves expected from here; empty when the engine was not asked."""
        verdict = self.verdict(self.tree.cursor)
        moves: Sequence[Move] = () if verdict is None else verdict.line
        return tuple(map(move_name, moves))

    def open(self, game: GameRecord) -> None:
        """Study another game; this one is gone.

        Raises:
            StudyError: it is too long; nothing has changed.
        """
        tree = GameTree(game.start, game.moves)
        self._evaluator.stop_survey()
        self.game, self.tree = game, tree
        self.language = line_language(game.start.ruleset)
        self.changed()

    def changed(self) -> None:
        """Follow the cursor; to be called after whatever was done to the tree."""
        self._evaluator.ponder(self.position if self._thinks else None)
        self._tell()

    def think(self, *, on: bool) -> None:
        """Let the engine look at every position that is looked at, or no longer."""
        self._thinks = on
        self.changed()

    def evaluate(self) -> None:
        """Evaluate every position of the line that is looked at, in the background."""
        self._evaluator.survey(node.position for node in self.tree.line)

    def stop_evaluating(self) -> None:
        """End that; what was found stays."""
        self._evaluator.stop_survey()
        self._tell()

    async def close(self) -> None:
        """End all thinking."""
        await self._evaluator.close()

    @property
    def main_game(self) -> GameRecord:
        """The main line as a game.

        While it is the game that was read, it has that one's players and end; a game that
        nobody has played has neither.
        """
        moves = tuple(node.move for node in self.tree.main_line if node.move is not None)
        if moves == self.game.moves:
            return self.game
        start = self.game.start
        return GameRecord(start, moves, self.tree.main_line[-1].position.outcome)
