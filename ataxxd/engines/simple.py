"""Bots without a search of their own to speak of: for tests, beginners and comparison.

`AlphaBetaBot` looks a fixed number of plies ahead and does nothing cleverer; in reversi it is the
reference player of the COMP24011 laboratory, move for move.
"""

from ataxxd.engines.base import Instant, seed_for
from ataxxd.rules import Engine, Move, Position, Side


class FirstBot(Instant):
    """Plays the first legal move."""

    name = "first"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose a legal move; seed and time do not matter."""
        return _legal_moves(position)[0]

    def __repr__(self) -> str:
        return "FirstBot()"


class RandomBot(Instant):
    """Plays any legal move, all equally likely.

    Args:
        seed: an own seed, to tell two of these apart in one game; it is mixed with the
            seed of each choice.
    """

    def __init__(self, seed: int | None = None) -> None:
        self._seed = seed

    @property
    def name(self) -> str:
        """``random`` or ``random:SEED``."""
        return "random" if self._seed is None else f"random:{self._seed}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose a legal move; the time does not matter."""
        moves = _legal_moves(position)
        # A modulus of 64 bits over some hundred moves: the bias is below 1 in 10**16.
        return moves[seed_for(seed ^ (self._seed or 0), len(moves)) % len(moves)]

    def __repr__(self) -> str:
        return f"RandomBot({self._seed!r})"


def _legal_moves(position: Position) -> tuple[Move, ...]:
    moves = position.legal_moves
    if not moves:
        msg = "The game is over in this position; there is no move to choose."
        raise ValueError(msg)
    return moves


# The search keeps no table; an engine is never smaller than this.
_HASH_MB = 1
DEEPEST = 60
# The laboratory's own, where nobody says how deep.
USUAL_DEPTH = 6


class AlphaBetaBot:
    """Plays what `ataxxd.rules.Engine.alphabeta` chooses at a depth, from 1 to 60 plies."""

    def __init__(self, depth: int) -> None:
        """A bot of a depth.

        Raises:
            ValueError: there is no such depth.
        """
        if not 1 <= depth <= DEEPEST:
            msg = f"alphabeta:{depth}: the depth is a number of plies from 1 to {DEEPEST}."
            raise ValueError(msg)
        self._depth = depth
        self._engine = Engine(_HASH_MB)

    @property
    def name(self) -> str:
        """``alphabeta:DEPTH``."""
        return f"alphabeta:{self._depth}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose the best move at its depth; a seed decides nothing."""
        return self._engine.alphabeta(position, self._depth, time_ms=time_ms)[0]

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accepts when the offering side is no worse off, as far as it looks."""
        value = self._engine.alphabeta(position, self._depth, time_ms=time_ms)[1]
        if value is None:
            return False
        return value <= 0 if position.turn is Side.FIRST else value >= 0

    def stop(self) -> None:
        """Make a choice under way in another thread return soon."""
        self._engine.stop()

    def __repr__(self) -> str:
        return f"AlphaBetaBot({self._depth})"
