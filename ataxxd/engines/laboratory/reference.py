"""The laboratory's reference player: what a state is worth, and the move that minimax chooses.

White maximises and Black minimises, every ply counts, skipped turns included, and of equal moves
the first in the list is chosen. Knows nothing of who asks.
"""

from dataclasses import dataclass

from ataxxd.rules import Engine, Move, Position
from ataxxd.rules.reversi import board_eval

RULESET = "reversi/standard"
# The search keeps no table; an engine is never smaller than this.
_HASH_MB = 1


@dataclass(frozen=True, slots=True)
class Valued:
    """A legal move, and the minimax value of the state after it."""

    move: Move
    value: int


@dataclass(frozen=True, slots=True)
class Judgement:
    """What a state is worth, so many plies ahead.

    Attributes:
        value: the minimax value, for White.
        choice: the move that leads to it, the first of several; None when the game is over, or
            nothing was looked at.
        moves: every legal move in the order of the list; empty where `choice` is None.
    """

    value: int
    choice: Move | None
    moves: tuple[Valued, ...]


class Reference:
    """``ReferenceMoveChooser``; used from one thread."""

    def __init__(self) -> None:
        self._engine = Engine(_HASH_MB)

    def choose_move(self, position: Position, depth: int) -> Move:
        """The move of a player of a depth, at least 1.

        Raises:
            ValueError: the game is over, or the depth is 0.
        """
        return self._engine.alphabeta(position, depth)[0]

    def value(self, position: Position, depth: int) -> int:
        """The minimax value so many plies ahead; at 0, and of a finished game, ``boardEval``."""
        if depth == 0 or position.outcome is not None:
            return board_eval(position)
        value = self._engine.alphabeta(position, depth)[1]
        assert value is not None
        return value

    def judge(self, position: Position, depth: int) -> Judgement:
        """The value of a state, and of every move in it."""
        if depth == 0 or position.outcome is not None:
            return Judgement(board_eval(position), None, ())
        moves = tuple(
            Valued(move, self.value(position.play(move), depth - 1))
            for move in position.legal_moves
        )
        choice, value = self._engine.alphabeta(position, depth)
        assert value is not None
        return Judgement(value, choice, moves)
