"""Moves as the squares that a person points at, one after the other.

A move of Ataxx or Lines of Action is two squares, one of checkers all squares that the piece
stands on, one of reversi a single square; a pass is none. This module knows no widgets.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ataxxd.rules import Move, Position
from ataxxd_clients.text.language import LineLanguage


@dataclass(frozen=True, slots=True)
class Board:
    """How the squares of a board are named.

    Attributes:
        columns: how many there are.
        rows: how many there are.
        names: the name of each square, row by row from the top; None where nothing can stand.
        numbered: names are numbers, counted from the top.
    """

    columns: int
    rows: int
    names: tuple[tuple[str | None, ...], ...]
    numbered: bool

    @classmethod
    def of(cls, position: Position, language: LineLanguage) -> "Board":
        """The board of a position in the words of its game."""
        names = position.square_names
        return cls(len(names[0]), len(names), names, language.squares_are_numbers)

    def place(self, square: str) -> tuple[int, int] | None:
        """Row and column of a square, from the top left; None when there is no such square."""
        for row, names in enumerate(self.names):
            if square in names:
                return row, names.index(square)
        return None

    def distance(self, one: str, other: str) -> int:
        """Steps of a king between two squares."""
        here, there = self.place(one), self.place(other)
        if here is None or there is None:
            return 0
        return max(abs(here[0] - there[0]), abs(here[1] - there[1]))


@dataclass(frozen=True, slots=True)
class MoveEntry:
    """One way to point at a move.

    Attributes:
        squares: in the order they are pointed at; none for a pass.
        move: the move.
        takes: whether the notation of the game writes it as a capture.
    """

    squares: tuple[str, ...]
    move: Move
    takes: bool


def move_entries(position: Position, language: LineLanguage) -> tuple[MoveEntry, ...]:
    """All ways to point at the legal moves of a position; see `LineLanguage.paths`."""
    may_take = "x" in language.target_signs
    return tuple(
        MoveEntry((*path,), move, may_take and bool(position.captures(move)))
        for move in position.legal_moves
        for path in language.paths(move, position)
    )


def starting_with(every: Sequence[MoveEntry], chosen: Sequence[str]) -> tuple[MoveEntry, ...]:
    """The entries that begin with the squares chosen so far."""
    begun = tuple(chosen)
    return tuple(entry for entry in every if entry.squares[: len(begun)] == begun)


def choose(
    every: Sequence[MoveEntry], chosen: tuple[str, ...], square: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What pointing at a square does.

    Args:
        every: all entries there are now.
        chosen: the squares pointed at before.
        square: the one pointed at now.

    Returns:
        The squares to play, and the squares chosen from now on; one of them is empty. What is
        to be played may be illegal: then the rules say why.
    """
    squares = (*chosen, square)
    following = starting_with(every, squares)
    if any(entry.squares == squares for entry in following):
        return squares, ()
    if following:
        return (), squares
    # The last square of a long jump is enough where only one way ends there.
    ending = {
        entry.squares for entry in starting_with(every, chosen) if entry.squares[-1:] == (square,)
    }
    if chosen and len(ending) == 1:
        return ending.pop(), ()
    if square in chosen:
        return (), ()
    if starting_with(every, (square,)):
        return (), (square,)
    return squares, ()


def changed(before: Position, after: Position, board: Board, but: Sequence[str] = ()) -> set[str]:
    """The squares whose pieces a move turned or took, those in `but` aside."""
    return {
        name
        for row, names in enumerate(board.names)
        for column, name in enumerate(names)
        if name is not None
        and name not in but
        and before.rows[row][column] not in ". "
        and before.rows[row][column] != after.rows[row][column]
    }
