"""Agents that do not think: opponents for tests, for beginners, and for comparison."""

from ataxxd.engines.base import Instant, seed_for
from ataxxd.rules import Move, Position


class FirstBot(Instant):
    """Plays the first legal move."""

    name = "first"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose a legal move; seed and time do not matter."""
        return _legal_moves(position)[0]

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:  # noqa: ARG002
        """Never: whoever offers one to an agent like this fears for the game."""
        return False

    def stop(self) -> None:
        """Nothing to stop: choosing takes no time."""

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

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:  # noqa: ARG002
        """Never: whoever offers one to an agent like this fears for the game."""
        return False

    def stop(self) -> None:
        """Nothing to stop: choosing takes no time."""

    def __repr__(self) -> str:
        return f"RandomBot({self._seed!r})"


def _legal_moves(position: Position) -> tuple[Move, ...]:
    moves = position.legal_moves
    if not moves:
        msg = "The game is over in this position; there is no move to choose."
        raise ValueError(msg)
    return moves
