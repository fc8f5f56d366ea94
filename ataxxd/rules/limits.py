"""What a search may spend, and how a clock is shared out over the moves to come."""

from dataclasses import dataclass
from typing import Final

from ataxxd._engine import Engine, Position

DEFAULT_HASH_MB: Final = 16
"""The default size of the transposition table, in mebibytes."""

# The milliseconds of a clock to keep in reserve, for the network and for a machine that stalls a
# move; but at least this share of the clock can be used, over at least so many moves. On a nearly
# empty clock, only moves that take less than a time slice of a busy processor let it fill again.
_RESERVE_MS, _OF_RESERVE, _ON_RESERVE = 300, 0.1, 25
# An increment comes back with every move; a part of it is kept for the last ones, and more of it
# where the clock is nearly empty.
_OF_INCREMENT, _OF_LEFT = 0.75, 0.1
# The most that a move gets if the best one is unclear, in even shares of the clock.
_MAX_EVEN_SHARES = 3.0
# The most of a clock that one move gets, however few are said to be left.
_LARGEST_SHARE = 0.8


@dataclass(frozen=True, slots=True)
class Clock:
    """One side's clock.

    Attributes:
        left_ms: the time left, in milliseconds.
        increment_ms: what each move adds, in milliseconds.
        moves_to_go: moves until time is added; None for the rest of the game.
    """

    left_ms: int
    increment_ms: int = 0
    moves_to_go: int | None = None

    def aim_ms(self, position: Position) -> int:
        """The time in milliseconds for a move that is neither obvious nor difficult.

        It is at least 1, and short enough to keep the clock if every move takes as long.

        Args:
            position: in which the side of this clock is to move.
        """
        return self._shares(1.0, position)

    def max_ms(self, position: Position) -> int:
        """The most time in milliseconds for a difficult move, when others are to follow.

        Args:
            position: in which the side of this clock is to move.
        """
        return self._shares(_MAX_EVEN_SHARES, position)

    def _shares(self, factor: float, position: Position) -> int:
        left, expected = float(self.left_ms - _RESERVE_MS), Engine.moves_to_go(position)
        if left < _OF_RESERVE * self.left_ms:
            left, expected = _OF_RESERVE * self.left_ms, max(expected, _ON_RESERVE)
        moves = min(self.moves_to_go or expected, expected)
        share = left / moves + min(_OF_INCREMENT * self.increment_ms, _OF_LEFT * left)
        return max(1, int(min(factor * share, left * _LARGEST_SHARE)))


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one search, which ends at the first one that it reaches.

    Attributes:
        depth: plies.
        nodes: positions searched.
        time_ms: milliseconds for this move.
        clocks: the clocks of the first and the second side.
        temperature: how random the choice of a move is; see `ataxxd.rules.Engine.search`.
        oversight: percent of turns in which the opponent's answers are overlooked; see there.
    """

    depth: int | None = None
    nodes: int | None = None
    time_ms: int | None = None
    clocks: tuple[Clock, Clock] | None = None
    temperature: int = 0
    oversight: int = 0

    def milliseconds(self, position: Position) -> int | None:
        """The time for a move that uses all it gets, in milliseconds; None if it is not limited."""
        times = [] if self.time_ms is None else [self.time_ms]
        if self.clocks is not None:
            times.append(self.clocks[position.turn].aim_ms(position))
        return min(times, default=None)

    def aim_and_max(self, position: Position) -> tuple[int | None, int | None]:
        """The usual and the most time for a move, in milliseconds.

        Returns:
            The ``aim_ms`` and ``time_ms`` of `ataxxd.rules.Engine.search`.
        """
        if self.clocks is None:
            return None, self.time_ms
        clock = self.clocks[position.turn]
        return clock.aim_ms(position), _least(self.time_ms, clock.max_ms(position))

    @property
    def unlimited(self) -> bool:
        """Whether only a request to stop ends the search."""
        return self == Limits()

    def within(self, other: "Limits") -> "Limits":
        """The stricter of these limits and those of `other`, each by itself."""
        return Limits(
            _least(self.depth, other.depth),
            _least(self.nodes, other.nodes),
            _least(self.time_ms, other.time_ms),
            self.clocks or other.clocks,
            self.temperature or other.temperature,
            self.oversight or other.oversight,
        )


def _least(one: int | None, other: int | None) -> int | None:
    return one if other is None else other if one is None else min(one, other)
