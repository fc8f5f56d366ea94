"""What a player that is a program can do: choose a move; and the simplest such players.

Tables call `Bot.choose` in a thread of its own, unless the bot is instant, and end it by
`ataxxd.engines.search_thread`; nothing here knows of event loops.

The bots here have no search of their own to speak of: they are for tests, beginners and comparison.
`AlphaBetaBot` looks a fixed number of plies ahead and does nothing cleverer; in reversi it is the
reference player of the COMP24011 laboratory, move for move.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol

from ataxxd.rules import Engine, Move, Position, Side

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move with its score.

    Attributes:
        move: the move.
        score: hundredths of a piece for the side that makes it; None if there is no score.
    """

    move: Move
    score: int | None = None


class Bot(Protocol):
    """Something that chooses moves.

    A bot's choice depends only on its settings, the position and the seed, never on earlier
    questions, so that `seed N` has the same effect at any time.
    """

    @property
    def name(self) -> str:
        """The name for people, and for `ataxxd.engines.registry.make_bot`."""
        ...

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move; blocks until it is found, so call it off the event loop.

        Args:
            position: the position, in which the game must not be over.
            seed: 0 to 2**64 - 1; varies the choice among equally good moves.
            time_ms: the most milliseconds, for games with a clock, besides the bot's own limits. A
                choice that it cuts short does not depend on the seed alone.

        Raises:
            ValueError: the game is over in this position.
        """
        ...

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Whether to accept a draw that the side to move offers in `position`; may take time.

        Args:
            position: the position in which the draw is offered.
            time_ms: as for `choose`; without a decision by then, the bot rejects the draw.
        """
        ...

    def stop(self) -> None:
        """Make `choose` or `accepts_draw`, running in another thread, return what it has soon.

        A call that has only just begun may miss it, so repeat it until the call has returned, as
        `ataxxd.engines.search_thread` does. It has no effect on calls that start later.
        """
        ...


class InstantBot:
    """Mixin for bots that answer at once, need no thread, and reject every draw."""

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:  # noqa: ARG002
        """Always False: whoever offers a draw to such a bot expects to lose."""
        return False

    def stop(self) -> None:
        """Do nothing: such a bot has already answered."""


class ReproducibleBot(Bot):
    """A bot whose choices can be made to depend only on the position and the seed.

    Attributes:
        was_cut_short: whether the last choice was ended by time after all.
    """

    was_cut_short: bool

    @abstractmethod
    def make_reproducible(self) -> str | None:
        """From now on, avoid everything that makes choices vary, such as several threads.

        Returns:
            A sentence on this for people, or None.
        """


class Ponderer(Bot):
    """A bot that can think on the opponent's time; games start and stop it."""

    @abstractmethod
    def ponder(self, position: Position, *, seed: int) -> None:
        """Begin to think, in the background, about the expected answer.

        Args:
            position: the position after the last choice, with the opponent to move.
            seed: the seed of the next choice. Unless time decides, that choice is the same as
                without pondering, only sooner.
        """

    @abstractmethod
    def stop_pondering_unless(self, position: Position | None) -> None:
        """Stop pondering unless it may still be of use in this position; None: the game is over."""

    @abstractmethod
    def stop_pondering(self) -> None:
        """Stop pondering; returns when it has stopped."""


def seed_for(seed: int, ply: int) -> int:
    """The seed of one choice in a game, from the game's seed and the moves made so far.

    Neighbouring seeds and plies give unrelated results (the finaliser of SplitMix64,
    Steele, Lea & Flood 2014).

    Args:
        seed: any integer.
        ply: moves made before this choice.

    Returns:
        An integer from 0 to 2**64 - 1.
    """
    z = (seed + (ply + 1) * 0x9E3779B97F4A7C15) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


class FirstBot(InstantBot):
    """Plays the first legal move."""

    name = "first"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose a legal move; seed and time do not matter."""
        return _legal_moves(position)[0]

    def __repr__(self) -> str:
        return "FirstBot()"


class RandomBot(InstantBot):
    """Plays any legal move, all equally likely.

    Args:
        seed: a seed of its own, so that two of these differ in one game; it is combined with
            the seed of each choice.
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
MAX_DEPTH = 60
# The laboratory's own default.
DEFAULT_DEPTH = 6


class AlphaBetaBot:
    """Plays the move of `ataxxd.rules.Engine.alphabeta` at a fixed depth of 1 to 60 plies."""

    def __init__(self, depth: int) -> None:
        """Create a bot that searches to a depth.

        Raises:
            ValueError: there is no such depth.
        """
        if not 1 <= depth <= MAX_DEPTH:
            msg = f"alphabeta:{depth}: the depth is a number of plies from 1 to {MAX_DEPTH}."
            raise ValueError(msg)
        self._depth = depth
        self._engine = Engine(_HASH_MB)

    @property
    def name(self) -> str:
        """``alphabeta:DEPTH``."""
        return f"alphabeta:{self._depth}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose the best move at its depth; the seed has no effect."""
        return self._engine.alphabeta(position, self._depth, time_ms=time_ms)[0]

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accept if the offering side is not worse, as far as it sees."""
        value = self._engine.alphabeta(position, self._depth, time_ms=time_ms)[1]
        if value is None:
            return False
        return value <= 0 if position.turn is Side.FIRST else value >= 0

    def stop(self) -> None:
        """Make a choice under way in another thread return soon."""
        self._engine.stop()

    def __repr__(self) -> str:
        return f"AlphaBetaBot({self._depth})"
