"""The bot that looks a fixed number of plies ahead and does nothing cleverer.

In reversi it is the reference player of the COMP24011 laboratory, move for move.
"""

from ataxxd.rules import Engine, Move, Position, Side

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
