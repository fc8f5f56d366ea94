"""What a player that is a program can do: choose a move.

Tables call `Bot.choose` in a thread of its own, unless the bot is instant, and end it by
`ataxxd.engines.search_thread`; nothing here knows of event loops.
"""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Protocol

from ataxxd.rules import Move, Position

_MASK = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move, and what it is said to be worth.

    Attributes:
        move: the move.
        score: in hundredths of a piece for who makes it; None when that is not said.
    """

    move: Move
    score: int | None = None


class Bot(Protocol):
    """Something that chooses moves.

    A bot's choice is a function of its settings, the position and the seed alone, never of
    what it was asked before: this is what makes `seed N` mean the same whenever it is given.
    """

    @property
    def name(self) -> str:
        """What people call it, and what `ataxxd.engines.registry.make_bot` makes it from."""
        ...

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move; blocks until it is found, so call it off the event loop.

        Args:
            position: where the game goes on; it must not be over.
            seed: 0 to 2**64 - 1; varies the choice among equally good moves.
            time_ms: a ceiling in milliseconds, for games with a clock; the bot's own limits
                hold besides. A choice cut short by it is no function of the seed any more.

        Raises:
            ValueError: the game is over in this position.
        """
        ...

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Whether to agree to a draw that the side to move offers in `position`; may think.

        Args:
            position: where the draw is offered.
            time_ms: as for `choose`. Who has come to no judgement by then declines.
        """
        ...

    def stop(self) -> None:
        """Make a `choose` or `accepts_draw` under way in another thread return soon.

        With what it has. One that has hardly begun may not hear it: so it is told again until it
        has returned, as `ataxxd.engines.search_thread` does, which nobody else has to do. Without
        one under way it does nothing, and it does not affect one that starts later.
        """
        ...


class Instant:
    """What bots are whose answers take no time worth a thread, and that agree to no draw."""

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:  # noqa: ARG002
        """Never: whoever offers one to an agent like this fears for the game."""
        return False

    def stop(self) -> None:
        """Nothing to stop."""


class Repeats(Bot):
    """A bot whose choices can be made to depend on nothing but position and seed.

    Attributes:
        was_cut_short: whether the last choice was ended by time after all, as a last resort.
    """

    was_cut_short: bool

    @abstractmethod
    def repeat(self) -> str | None:
        """From now on choose without what differs from run to run, such as several threads.

        Returns:
            What people should know of it, in one sentence; None when there is nothing.
        """


class Ponders(Bot):
    """A bot that thinks while the opponent does; tables ask for it and end it."""

    @abstractmethod
    def ponder(self, position: Position, *, seed: int) -> None:
        """Begin to think about the answer that is expected, in the background.

        Args:
            position: the opponent is to move, after what was chosen last.
            seed: of the next choice. A choice made after the expected answer and with this seed
                is what it would be without, only sooner, unless time decides.
        """

    @abstractmethod
    def follow(self, position: Position | None) -> None:
        """Rest unless the thought may still be wanted where the game stands; None: it is over."""

    @abstractmethod
    def rest(self) -> None:
        """Think no longer; returns when nothing is thought any more."""


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
