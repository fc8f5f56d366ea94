"""How a match stands while it is played: what a terminal, another machine and a page show of it."""

import collections
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from ataxxd.engines.match.checkpoint import Standings
from ataxxd.engines.match.statistics import SequentialTest

_RATED: Final = 200
"""Results by which games per second are told."""


@dataclass(frozen=True, slots=True)
class WorkerRow:
    """A worker of a match, since the match was last started.

    Attributes:
        name: what it calls itself.
        version: of ataxxd.
        games: of the first player that it has played: lost, drawn, won.
        there: whether it has played within the last seconds.
        playing: how many it plays now.
        factor: times the time in the plan that its players have, by its speed.
    """

    name: str
    version: str
    games: tuple[int, int, int] = (0, 0, 0)
    there: bool = False
    playing: int = 0
    factor: float = 1.0


@dataclass(frozen=True, slots=True)
class Activity:
    """What goes on in a match now.

    Attributes:
        playing: how many games are under way; None where that is not known.
        per_second: how many games end in a second; None before there are two.
        workers: who plays them; None for a match that is played where it runs.
    """

    playing: int | None = None
    per_second: float | None = None
    workers: tuple[WorkerRow, ...] | None = None


@dataclass(frozen=True, slots=True)
class Tuned:
    """A number that is tuned by a match: where it began, and what it has come to."""

    name: str
    start: int
    now: float


TUNED_SIDES: Final = ("moved one way", "moved the other way")
"""The titles of both players of a tuning."""


@dataclass(frozen=True, slots=True)
class Progress:
    """A match at one moment.

    Attributes:
        titles: of the players.
        planned: how many games there are to be; None where that is not known.
        games: of the first player: lost, drawn, won.
        pairs: of games, by half points of the first player, 0 to 4.
        failures: of each player: games lost by failing or by time.
        test: the sequential test, if there is one.
        activity: what goes on.
        over: whether nothing more is played.
        tuned: the numbers, if it is a tuning.
    """

    titles: tuple[str, str]
    planned: int | None
    games: tuple[int, int, int]
    pairs: tuple[int, int, int, int, int]
    failures: tuple[int, int]
    test: SequentialTest | None = None
    activity: Activity = Activity()
    over: bool = False
    tuned: tuple[Tuned, ...] = ()

    @classmethod
    def of(
        cls,
        titles: tuple[str, str],
        planned: int | None,
        standings: Standings,
        test: SequentialTest | None = None,
        activity: Activity = Activity(),
    ) -> "Progress":
        """That of a match that goes on, with these results."""
        lost, drawn, won = standings.games
        none, half, one, more, all_ = standings.pairs
        first, second = standings.failures
        return cls(
            titles, planned, (lost, drawn, won), (none, half, one, more, all_), (first, second),
            test, activity,
        )  # fmt: skip

    @property
    def standings(self) -> Standings:
        """The sums."""
        standings = Standings()
        standings.games[:] = self.games
        standings.pairs[:] = self.pairs
        standings.failures[:] = self.failures
        return standings


def residual(part: Sequence[int], whole: Sequence[int]) -> float | None:
    """By how many standard errors one worker's mean result is above that of all the others.

    An honest worker's is between -3 and 3, but for one in some hundred. None where nothing can be
    said: there are no others, or all results are alike.

    Args:
        part: the worker's games: lost, drawn, won.
        whole: all games of the match, these included.
    """
    rest = [every - own for every, own in zip(whole, part, strict=True)]
    here, there, total = sum(part), sum(rest), sum(whole)
    if not here or there <= 0:
        return None
    mean = _points(whole) / total
    variance = sum(count * (half / 2 - mean) ** 2 for half, count in enumerate(whole)) / total
    if variance == 0:
        return None
    difference = _points(part) / here - _points(rest) / there
    return float(difference / (variance * (1 / here + 1 / there)) ** 0.5)


def _points(games: Sequence[int]) -> float:
    return sum(half / 2 * count for half, count in enumerate(games))


class Pace:
    """How fast results come in."""

    def __init__(self) -> None:
        self._times = collections.deque[float](maxlen=_RATED)

    def count(self) -> None:
        """A game has ended now."""
        self._times.append(time.monotonic())

    @property
    def per_second(self) -> float | None:
        """How many games end in a second; None before there are two."""
        times = [*self._times]
        if len(times) < 2 or times[-1] == times[0]:
            return None
        return (len(times) - 1) / (times[-1] - times[0])
