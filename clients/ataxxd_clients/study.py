"""The study of a game: a tree of moves, with the engine's opinion of its positions.

Nothing here draws anything: the terminal UI and the page do.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

from ataxxd.rules import Move, Outcome, Position
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.analysis import Evaluator, Progress, Verdict, explain_best_move
from ataxxd_clients.labels import move_name
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.text.games import line_language

MAX_NODES = 10_000
"""The most positions of a tree: a game of a thousand moves and all that a person tries fit in."""


class Node:
    """A position of the tree, and the move that led to it.

    Attributes:
        number: its number in the tree, which is never reused.
        position: the position.
        move: the move that led to it; None at the root.
        parent: the node before that move; None at the root.
        children: the nodes after it; the first is the main line.
        ply: the number of moves from the root.
    """

    __slots__ = ("children", "move", "number", "parent", "ply", "position")

    def __init__(
        self, number: int, position: Position, move: Move | None, parent: "Node | None"
    ) -> None:
        self.number = number
        self.position = position
        self.move = move
        self.parent = parent
        self.children: list[Node] = []
        self.ply: int = 0 if parent is None else parent.ply + 1


class GameTree:
    """A tree of moves with a cursor.

    Args:
        start: the position at the root.
        moves: the main line from there; the cursor is at its start.

    Attributes:
        root: the node of the start.
        cursor: the selected node.

    Raises:
        IllegalMoveError: a move is not legal.
        CommandError: there are more moves than a tree holds.
    """

    def __init__(self, start: Position, moves: Sequence[Move]) -> None:
        if len(moves) >= MAX_NODES:
            raise CommandError(
                f"This game has {len(moves)} moves; a study holds {MAX_NODES} positions."
            )
        self.root = Node(0, start, None, None)
        self._nodes = {0: self.root}
        self._next = 1
        self.cursor = self.root
        for move in moves:
            self.play(move)
        self.cursor = self.root

    def __len__(self) -> int:
        """How many positions there are."""
        return len(self._nodes)

    @property
    def main_line(self) -> tuple[Node, ...]:
        """The nodes of the main line, the root first."""
        return tuple(_follow_main_line(self.root))

    @property
    def line(self) -> tuple[Node, ...]:
        """The current line: through the cursor, and then along the main moves."""
        before = [*_ancestors(self.cursor)][:0:-1]
        return (*before, *_follow_main_line(self.cursor))

    def __iter__(self) -> Iterator[Node]:
        """All nodes, each before what follows it, the main move of a position first."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def play(self, move: Move) -> Node:
        """Play a move at the cursor, and go there; the move may already exist.

        Raises:
            IllegalMoveError: it is not legal.
            CommandError: the tree is full.
        """
        for child in self.cursor.children:
            if child.move == move:
                self.cursor = child
                return child
        after = self.cursor.position.play(move)
        if len(self) >= MAX_NODES:
            raise CommandError(
                f"A study holds {MAX_NODES} positions, and this one is full. Delete a variation."
            )
        node = Node(self._next, after, move, self.cursor)
        self._next += 1
        self._nodes[node.number] = node
        self.cursor.children.append(node)
        self.cursor = node
        return node

    def go_to_ply(self, ply: int) -> None:
        """Go to the position after so many moves of the line, or the nearest one."""
        line = self.line
        self.cursor = line[min(max(ply, 0), len(line) - 1)]

    def go_to_node(self, number: int) -> None:
        """Go to a node.

        Raises:
            CommandError: there is no node of this number, or no longer.
        """
        if number not in self._nodes:
            raise CommandError("That position is no longer in this study.")
        self.cursor = self._nodes[number]

    def next_variation(self) -> None:
        """Go to the next alternative to the last move; after the last one, to the first.

        Raises:
            CommandError: there is no alternative.
        """
        beside = [] if self.cursor.parent is None else self.cursor.parent.children
        if len(beside) < 2:
            raise CommandError(
                "There is no alternative to this move. Go back, and play another to try it."
            )
        self.cursor = beside[(beside.index(self.cursor) + 1) % len(beside)]

    def delete(self) -> int:
        """Delete the move at the cursor and all that follow; the cursor goes back by one.

        Returns:
            How many moves were deleted.

        Raises:
            CommandError: the cursor is at the start.
        """
        gone, parent = self.cursor, self.cursor.parent
        if parent is None:
            raise CommandError("There is no move here to delete: this is where the game begins.")
        parent.children.remove(gone)
        self.cursor = parent
        below, waiting = 0, [gone]
        while waiting:
            node = waiting.pop()
            del self._nodes[node.number]
            waiting.extend(node.children)
            below += 1
        return below

    def promote(self) -> None:
        """Make the variation at the cursor the main line at its last branch.

        Raises:
            CommandError: the cursor is in the main line.
        """
        for node in _ancestors(self.cursor):
            if node.parent is not None and node.parent.children[0] is not node:
                node.parent.children.remove(node)
                node.parent.children.insert(0, node)
                return
        raise CommandError("This is already the main line.")


def _ancestors(node: Node) -> Iterator[Node]:
    """A node and those before it."""
    here: Node | None = node
    while here is not None:
        yield here
        here = here.parent


def _follow_main_line(node: Node) -> Iterator[Node]:
    """A node and those after it, by the main moves."""
    yield node
    while node.children:
        node = node.children[0]
        yield node


class Study:
    """A study, as both user interfaces show and change it.

    Args:
        game: the game to study.
        on_change: called whenever something has changed.

    Attributes:
        game: the game as it was read.
        tree: its moves and variations.
        language: the game's words.

    Raises:
        CommandError: the game is too long.
    """

    def __init__(self, game: GameRecord, on_change: Callable[[], object]) -> None:
        self._on_change = on_change
        self._evaluator = Evaluator(on_change)
        self._is_thinking = False
        self.game = game
        self.tree = GameTree(game.start, game.moves)
        self.language = line_language(game.start.ruleset)

    @property
    def position(self) -> Position:
        """The position at the cursor."""
        return self.tree.cursor.position

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended at the cursor, on the board or by its record; None if it did not."""
        on_board = self.position.outcome
        if on_board is None and self.tree.cursor is self.tree.main_line[-1]:
            return self.main_game.outcome
        return on_board

    @property
    def is_thinking(self) -> bool:
        """Whether the engine evaluates every position that is shown."""
        return self._is_thinking

    @property
    def progress(self) -> Progress | None:
        """The progress of the line's evaluation; None if none is running."""
        return self._evaluator.progress

    def verdict(self, node: Node) -> Verdict | None:
        """The verdict on a node's position; None if there is none."""
        return self._evaluator.verdict(node.position)

    def best_line(self) -> Sequence[str]:
        """The names of the moves expected from here; empty without an evaluation."""
        verdict = self.verdict(self.tree.cursor)
        moves: Sequence[Move] = () if verdict is None else verdict.line
        return tuple(map(move_name, moves))

    def explain_best(self) -> str | None:
        """What the first of them does: ``takes 3 and grows by 1``; None if nothing notable."""
        verdict = self.verdict(self.tree.cursor)
        return None if verdict is None else explain_best_move(verdict, self.position)

    def open(self, game: GameRecord) -> None:
        """Study another game in place of this one.

        Raises:
            CommandError: it is too long; nothing has changed.
        """
        tree = GameTree(game.start, game.moves)
        self._evaluator.stop_survey()
        self.game, self.tree = game, tree
        self.language = line_language(game.start.ruleset)
        self.update()

    def update(self) -> None:
        """Update after a change to the tree or the cursor."""
        self._evaluator.ponder(self.position if self._is_thinking else None)
        self._on_change()

    def think(self, *, on: bool) -> None:
        """Turn the evaluation of every position that is shown on or off."""
        self._is_thinking = on
        self.update()

    def evaluate(self) -> None:
        """Evaluate every position of the current line in the background."""
        self._evaluator.survey(node.position for node in self.tree.line)

    def stop_evaluating(self) -> None:
        """Stop the evaluation of the line; its verdicts are kept."""
        self._evaluator.stop_survey()
        self._on_change()

    async def close(self) -> None:
        """Stop the engine."""
        await self._evaluator.close()

    @property
    def main_game(self) -> GameRecord:
        """The main line as a game.

        As long as it is the game that was read, it keeps the players and the result; otherwise it
        has neither.
        """
        moves = tuple(node.move for node in self.tree.main_line if node.move is not None)
        if moves == self.game.moves:
            return self.game
        start = self.game.start
        return GameRecord(start, moves, self.tree.main_line[-1].position.outcome)


class GameFiles(Protocol):
    """Reads and writes games as files, in every notation and as signed records."""

    def read(self, data: bytes, name: str, form: str | None) -> GameRecord:
        """Read the game in a file.

        Args:
            data: the content of the file.
            name: the name of the file, whose suffix sets the notation.
            form: the name of the notation, in place of the suffix.

        Raises:
            AtaxxdError: it is not a game; the text says where the error is.
        """
        ...

    def open(self, path: str, form: str | None) -> GameRecord:
        """Read the game in a file on this machine.

        Raises:
            AtaxxdError: it cannot be read, or is not a game.
        """
        ...

    def player(self, name: str) -> str:
        """A player of a game as people read it; a node id with its nickname."""
        ...

    def save(self, path: str, content: bytes, *, replace: bool) -> None:
        """Write a file on this machine, completely or not at all.

        Args:
            path: the file.
            content: its content.
            replace: whether to replace an existing file.

        Raises:
            AtaxxdError: it cannot be written, or already exists.
        """
        ...
