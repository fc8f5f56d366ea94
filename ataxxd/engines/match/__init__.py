"""Matches: two players, many games, and what the result says about their strength.

    statistics   scores of games and pairs, Elo with its error, the sequential test
    contestants  who plays: our search, our bots, engines of others
    game         one game: its opening, clocks, adjudication, moves
    checkpoint   what is played, kept on disk so that a match can go on

Here is a match with all its games, several at a time, each with players of its own; and how it
stands while it is played, which a terminal, another machine and a page show of it. It knows nothing
of networks and of how a match is shown.
"""

import collections
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final, Protocol, Self

from ataxxd.engines.base import seed_for
from ataxxd.engines.match.checkpoint import Result, Standings
from ataxxd.engines.match.contestants import FAILED, OwnSearch, make_contestant
from ataxxd.engines.match.game import Adjudication, Played, TimeControl, play_game
from ataxxd.engines.match.statistics import SequentialTest
from ataxxd.engines.native import Settings
from ataxxd.engines.search_thread import end_threads
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Engine, Position, Side
from ataxxd.rules.limits import Limits

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
    """What a match is doing now: games under way and workers.

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
    """A parameter being tuned by a match: its first and its current value."""

    name: str
    start: int
    now: float


TUNED_SIDES: Final = ("moved one way", "moved the other way")
"""The titles of both players of a tuning."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a match at one moment.

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
    """The rate at which results arrive."""

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


# A player that fails so often in a row will not do better in the next game.
_FAILURES_IN_A_ROW = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """The settings of a match.

    Attributes:
        players: the names of both; see `ataxxd.engines.match.contestants.make_contestant`.
        games: how many.
        concurrency: how many at a time.
        control: what each player may spend.
        adjudication: when a game ends before its rules end it.
        seed: of what players leave to chance.
        hash_mb: the size of each player's table of positions in mebibytes.
    """

    players: tuple[str, str]
    games: int
    concurrency: int
    control: TimeControl
    adjudication: Adjudication
    seed: int
    hash_mb: int


class Team:
    """The two players of a game, reused from game to game; used from one thread except for `stop`.

    Args:
        plan: of the match.
        game: what is played.

    Raises:
        UsageError: there is no such player.
    """

    def __init__(self, plan: Plan, game: str) -> None:
        self._plan = plan
        self._players = tuple(make_contestant(name, game, plan.hash_mb) for name in plan.players)

    @property
    def titles(self) -> tuple[str, str]:
        """What people call the players; no two the same."""
        first, second = (contestant.title for contestant in self._players)
        return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")

    @property
    def own_limits(self) -> tuple[Limits | None, ...]:
        """What each player may spend whatever the match allows."""
        return tuple(contestant.own_limits for contestant in self._players)

    def prepare(self, tell: Callable[[str], object] | None = None) -> None:
        """Be ready to play.

        Args:
            tell: told what takes long.

        Raises:
            EngineError: a player cannot be started.
        """
        for contestant in self._players:
            contestant.prepare(tell)

    def play(
        self, number: int, opening: Position, interrupted: Callable[[], bool]
    ) -> Result | None:
        """Play a game of the match; None when it was interrupted.

        Args:
            number: from 0; with an odd one the second player has the side that moves first.
            opening: where the game begins; it must not be over.
            interrupted: asked before every move.
        """
        swapped = number % 2
        played = play_game(
            opening,
            {side: self._players[side ^ swapped] for side in Side},
            self._plan.control,
            self._plan.adjudication,
            seed=seed_for(self._plan.seed, number),
            interrupted=interrupted,
        )
        if played.outcome is None:
            return None
        return Result(
            number,
            opening.text,
            tuple(map(str, played.moves)),
            played.outcome.score,
            played.outcome.termination,
            datetime.now(UTC).strftime("%Y.%m.%d"),
            self._attributed(played, swapped),
        )

    def _attributed(self, played: Played, swapped: int) -> str | None:
        """The fault that ended a game; says whose it is where both players have one name."""
        first, second = (contestant.title for contestant in self._players)
        winner = None if played.outcome is None else played.outcome.winner
        if played.fault is None or winner is None or first != second:
            return played.fault
        return f"{self.titles[winner.opponent ^ swapped]}: {played.fault}"

    def tune(self, settings: tuple[Settings, Settings]) -> None:
        """Have both players search from the next game on with these numbers.

        Raises:
            UsageError: a player has none of these.
        """
        for contestant, numbers in zip(self._players, settings, strict=True):
            if not isinstance(contestant, OwnSearch):
                raise UsageError(f"{contestant.title} has no numbers of the search to be set.")
            contestant.tune(numbers)

    def stop(self) -> None:
        """Make a move under way in another thread come soon; as `Contestant.stop`."""
        for contestant in self._players:
            contestant.stop()

    def close(self) -> None:
        """End the players."""
        for contestant in self._players:
            contestant.close()


class Guide(Protocol):
    """Decides when a game of a match may begin, and with which search parameters."""

    def ready(self, number: int) -> bool:
        """Whether a game may begin, by the results so far; asked in any thread."""
        ...

    def settings(self, number: int) -> tuple[Settings, Settings]:
        """The numbers of both players in a game that may begin; asked in any thread."""
        ...


class Schedule:
    """The remaining games of a match, in order, with their openings.

    Args:
        games: how many there are.
        openings: of the pairs of games, in order; more than enough, or all there are: then
            they begin anew.
        done: the numbers of games played before.
    """

    def __init__(self, games: int, openings: Iterator[Position], done: Collection[int]) -> None:
        self._openings = openings
        self._drawn: list[Position] = []
        self._texts = set[str]()
        self._repeats_from: int | None = None
        wanted = [number for number in range(games) if number not in done]
        self._wanted = deque(wanted)
        self.count = len(wanted)
        """How many games `__next__` gives in all."""

    @property
    def repeats_from(self) -> int | None:
        """The first game, from 0, whose opening an earlier pair had; None until there is one."""
        return self._repeats_from

    def __iter__(self) -> Self:
        """Itself."""
        return self

    def __next__(self) -> tuple[int, Position]:
        """The next game: its number and where it begins."""
        if not self._wanted:
            raise StopIteration
        number = self._wanted.popleft()
        return number, self.opening(number)

    @property
    def next_number(self) -> int | None:
        """Which game `__next__` gives; None when there is none left."""
        return self._wanted[0] if self._wanted else None

    def opening(self, number: int) -> Position:
        """Where a game begins."""
        pair = number // 2
        while len(self._drawn) <= pair:
            opening = next(self._openings, None)
            if self._repeats_from is None and (opening is None or opening.text in self._texts):
                self._repeats_from = 2 * len(self._drawn)
            if opening is None:
                return self._drawn[pair % len(self._drawn)]
            self._drawn.append(opening)
            self._texts.add(opening.text)
        return self._drawn[pair]


class Match:
    """A match under way; `close` ends it, and leaves nothing behind.

    Args:
        plan: what is to be played.
        openings: of the pairs of games; see `Schedule`.
        done: the numbers of games played before.
        tell: told what takes long before the first game.
        guide: when games may begin and with which numbers; it hears of results from whoever asks
            for them. Without one they begin in order, as the players are.

    Raises:
        UsageError: there is no such player.
        EngineError: a player cannot be started.
    """

    def __init__(
        self,
        plan: Plan,
        openings: Iterator[Position],
        done: Collection[int] = (),
        tell: Callable[[str], object] | None = None,
        guide: Guide | None = None,
    ) -> None:
        self._schedule = Schedule(plan.games, openings, done)
        self._guide = guide
        self._changed = threading.Condition()
        self._interrupted = threading.Event()
        self._outcomes = queue.Queue[Result | BaseException]()
        self._playing, self._pace = 0, Pace()
        opening = self._schedule.opening(0)
        self._teams = [
            Team(plan, opening.game)
            for _ in range(max(1, min(plan.concurrency, self._schedule.count)))
        ]
        self._threads = [
            threading.Thread(target=self._work, args=(team,), name="match") for team in self._teams
        ]
        # No player's clock is to pay for it.
        Engine.prepare(opening)
        try:
            self._teams[0].prepare(tell)
        except BaseException:
            self.close()
            raise

    @property
    def titles(self) -> tuple[str, str]:
        """What people call the players; no two the same."""
        return self._teams[0].titles

    @property
    def repeats_from(self) -> int | None:
        """The first game, from 0, whose opening an earlier pair had; None until there is one.

        Players that play the same each time play the same games again then.
        """
        return self._schedule.repeats_from

    @property
    def activity(self) -> Activity:
        """What goes on; may be asked from any thread."""
        return Activity(self._playing, self._pace.per_second)

    def answer(self, progress: Callable[[], Progress]) -> None:
        """Tell whoever looks on from elsewhere how the match stands; here nobody can."""

    def results(self) -> Iterator[Result]:
        """The games as they are finished; once.

        Raises:
            EngineError: a player fails again and again.
        """
        for thread in self._threads:
            thread.start()
        yield from unless_given_up(self._finished())

    def end(self) -> None:
        """Nothing more is to be played, which matters where a match leaves something elsewhere."""

    def close(self) -> None:
        """Stop the games under way, which count for nothing, and end the players."""
        self._interrupted.set()
        self._wake()
        end_threads(self._threads, *(team.stop for team in self._teams))
        for team in self._teams:
            team.close()

    def _finished(self) -> Iterator[Result]:
        for _ in range(self._schedule.count):
            outcome = self._outcomes.get()
            if isinstance(outcome, BaseException):
                raise outcome
            self._pace.count()
            yield outcome
            # Its result may be what others wait for.
            self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _work(self, team: Team) -> None:
        try:
            while (job := self._next()) is not None:
                with self._counted():
                    if self._guide is not None:
                        team.tune(self._guide.settings(job[0]))
                    result = team.play(*job, self._interrupted.is_set)
                if result is None:
                    return
                self._outcomes.put(result)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._outcomes.put(error)

    @contextmanager
    def _counted(self) -> Iterator[None]:
        with self._changed:
            self._playing += 1
        try:
            yield
        finally:
            with self._changed:
                self._playing -= 1

    def _next(self) -> tuple[int, Position] | None:
        with self._changed:
            while not self._interrupted.is_set():
                number = self._schedule.next_number
                if number is None or self._guide is None or self._guide.ready(number):
                    return next(self._schedule, None)
                self._changed.wait()
            return None


def unless_given_up(results: Iterator[Result]) -> Iterator[Result]:
    """The results, until a player fails again and again.

    Raises:
        EngineError: it does.
    """
    in_a_row = [0, 0]
    for result in results:
        yield result
        _count_failures(result, in_a_row)


def _count_failures(result: Result, in_a_row: list[int]) -> None:
    loser = 0 if result.half_points == 0 else 1
    if result.termination != FAILED:
        in_a_row[:] = [0, 0]
        return
    in_a_row[loser] += 1
    if in_a_row[loser] >= _FAILURES_IN_A_ROW:
        raise EngineError(
            f"{result.fault} It has lost {in_a_row[loser]} games in a row in this way, so the "
            "match was stopped."
        )
