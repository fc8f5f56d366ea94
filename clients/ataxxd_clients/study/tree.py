"""A game as a tree: the moves that were played, and those that are tried instead.

Pure; it knows no engine and no files.
"""

from collections.abc import Iterator, Sequence

from ataxxd.rules import Move, Position

MOST_NODES = 10_000
"""Positions of one tree; a game of a thousand moves with all that a person tries fits in."""


class StudyError(Exception):
    """Something that cannot be done to a tree; the message says why. Nothing has changed."""


class Node:
    """A position of the tree, and the move that led to it.

    Attributes:
        number: its own in the tree; never used again.
        position: the position.
        move: the move before it; None at the root.
        parent: where that was played; None at the root.
        children: where the moves played here lead; the first is the main one.
        ply: how many moves lead here from the root.
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

    def __repr__(self) -> str:
        return f"Node({self.number}, {self.position.text!r}, {self.move})"


class GameTree:
    """A tree of moves with a cursor.

    Args:
        start: the position at the root.
        moves: the main line from there; the cursor begins before them.

    Attributes:
        root: the node of the start.
        cursor: the node that is looked at.

    Raises:
        IllegalMoveError: a move is not legal.
        StudyError: there are more moves than a tree holds.
    """

    def __init__(self, start: Position, moves: Sequence[Move] = ()) -> None:
        if len(moves) >= MOST_NODES:
            msg = f"This game has {len(moves)} moves; a study holds {MOST_NODES} positions."
            raise StudyError(msg)
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
        return tuple(_onward(self.root))

    @property
    def line(self) -> tuple[Node, ...]:
        """The line that is looked at: through the cursor, and on by the main moves after it."""
        before = [*_upward(self.cursor)][:0:-1]
        return (*before, *_onward(self.cursor))

    def __iter__(self) -> Iterator[Node]:
        """All nodes, each before what follows it, the main move of a position first."""
        waiting = [self.root]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def play(self, move: Move) -> Node:
        """Play a move where the cursor is, and go there; it may stand there already.

        Raises:
            IllegalMoveError: it is not legal.
            StudyError: the tree is full.
        """
        for child in self.cursor.children:
            if child.move == move:
                self.cursor = child
                return child
        after = self.cursor.position.play(move)
        if len(self) >= MOST_NODES:
            msg = f"A study holds {MOST_NODES} positions, and this one is full. Delete a variation."
            raise StudyError(msg)
        node = Node(self._next, after, move, self.cursor)
        self._next += 1
        self._nodes[node.number] = node
        self.cursor.children.append(node)
        self.cursor = node
        return node

    def go(self, ply: int) -> None:
        """Look at the position after so many moves of the line; the nearest there is."""
        line = self.line
        self.cursor = line[min(max(ply, 0), len(line) - 1)]

    def back(self) -> None:
        """Look at the position before; at the start nothing happens."""
        self.go(self.cursor.ply - 1)

    def forward(self) -> None:
        """Look at the position after the main move; at the end nothing happens."""
        self.go(self.cursor.ply + 1)

    def look_at(self, number: int) -> None:
        """Look at a node.

        Raises:
            StudyError: there is none of this number (any more).
        """
        if number not in self._nodes:
            msg = "That position is not in this study any more."
            raise StudyError(msg)
        self.cursor = self._nodes[number]

    def next_variation(self) -> None:
        """Look at the next of the moves that stand beside the last one; after them at the first.

        Raises:
            StudyError: no other move stands there.
        """
        beside = [] if self.cursor.parent is None else self.cursor.parent.children
        if len(beside) < 2:
            msg = "No other move stands beside this one. Go back, and play another to try it."
            raise StudyError(msg)
        self.cursor = beside[(beside.index(self.cursor) + 1) % len(beside)]

    def delete(self) -> int:
        """Delete the move at the cursor with all that follows it; the cursor goes before it.

        Returns:
            How many moves are gone.

        Raises:
            StudyError: the cursor is at the start.
        """
        gone, parent = self.cursor, self.cursor.parent
        if parent is None:
            msg = "There is no move here to delete: this is where the game begins."
            raise StudyError(msg)
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
        """Make the variation at the cursor the main one where it branched off last.

        Raises:
            StudyError: the cursor is in the main line.
        """
        for node in _upward(self.cursor):
            if node.parent is not None and node.parent.children[0] is not node:
                node.parent.children.remove(node)
                node.parent.children.insert(0, node)
                return
        msg = "This is the main line already."
        raise StudyError(msg)


def _upward(node: Node) -> Iterator[Node]:
    """A node and those before it."""
    here: Node | None = node
    while here is not None:
        yield here
        here = here.parent


def _onward(node: Node) -> Iterator[Node]:
    """A node and those after it, by the main moves."""
    yield node
    while node.children:
        node = node.children[0]
        yield node
