"""Matches: two players, many games, and what the result says about their strength.

    statistics   scores of games and pairs, Elo with its error, the sequential test
    contestants  who plays: our search, our bots, engines of others
    game         one game: its opening, clocks, adjudication, moves
    checkpoint   finished games, kept on disk so that a match can be resumed

Here is a match with all its games, several at a time, each with players of its own, and its
progress, which a terminal, another machine or a page can show. Nothing here knows of networks, or
of how a match is shown.
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
from ataxxd.engines.match.checkpoint import Result, Standings, tell_apart
from ataxxd.engines.match.contestants import FAILED, OwnSearch, make_contestant
from ataxxd.engines.match.game import Adjudication, PlayedGame, TimeControl, play_game
from ataxxd.engines.match.statistics import SequentialTest
from ataxxd.engines.native import Settings
from ataxxd.engines.search_thread import end_threads
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules import Engine, Position, Side
from ataxxd.rules.limits import Limits

_RATED: Final = 200
"""The number of latest results from which games per second are computed."""


@dataclass(frozen=True, slots=True)
class WorkerStatus:
    """A worker of a match, since the match was last started.

    Attributes:
        name: its name.
        version: its version of ataxxd.
        games: the games it has played, as lost, drawn and won by the first player.
        there: whether it has played within the last seconds.
        playing: how many games it is playing now.
        factor: the factor on the plan's times, by its speed.
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
        playing: how many games are under way; None if not known.
        per_second: how many games end per second; None before two have ended.
        workers: its workers; None if it is played on this machine.
    """

    playing: int | None = None
    per_second: float | None = None
    workers: tuple[WorkerStatus, ...] | None = None


@dataclass(frozen=True, slots=True)
class TunedParameter:
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
        titles: the players' names.
        planned: how many games are planned; None if not known.
        games: games lost, drawn and won by the first player.
        pairs: pairs of games by half points of the first player, 0 to 4.
        failures: games that each player lost by failing or by time.
        test: the sequential test; None without one.
        activity: what the match is doing.
        over: whether the match is over.
        tuned: the parameters being tuned, if it is a tuning.
    """

    titles: tuple[str, str]
    planned: int | None
    games: tuple[int, int, int]
    pairs: tuple[int, int, int, int, int]
    failures: tuple[int, int]
    test: SequentialTest | None = None
    activity: Activity = Activity()
    over: bool = False
    tuned: tuple[TunedParameter, ...] = ()

    @classmethod
    def of(
        cls,
        titles: tuple[str, str],
        planned: int | None,
        standings: Standings,
        test: SequentialTest | None = None,
        activity: Activity = Activity(),
    ) -> "Progress":
        """The progress of a match with these results that is not over."""
        lost, drawn, won = standings.games
        none, half, one, more, all_ = standings.pairs
        first, second = standings.failures
        return cls(
            titles, planned, (lost, drawn, won), (none, half, one, more, all_), (first, second),
            test, activity,
        )  # fmt: skip

    @property
    def standings(self) -> Standings:
        """The totals."""
        standings = Standings()
        standings.games[:] = self.games
        standings.pairs[:] = self.pairs
        standings.failures[:] = self.failures
        return standings


def residual(part: Sequence[int], whole: Sequence[int]) -> float | None:
    """By how many standard errors one worker's mean result is above that of all the others.

    For all but one in some hundred honest workers, it is between -3 and 3. None if there are no
    others, or all results are the same.

    Args:
        part: the worker's games: lost, drawn, won.
        whole: all games of the match, including these.
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
        """Count a game that has just ended."""
        self._times.append(time.monotonic())

    @property
    def per_second(self) -> float | None:
        """How many games end per second; None before two have ended."""
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
        players: both names, as `ataxxd.engines.match.contestants.make_contestant` reads them.
        games: how many games.
        concurrency: how many at a time.
        control: each player's limits.
        adjudication: when a game is ended before its rules end it.
        seed: the seed of the players' random choices.
        hash_mb: the size of each player's transposition table in mebibytes.
    """

    players: tuple[str, str]
    games: int
    concurrency: int
    control: TimeControl
    adjudication: Adjudication
    seed: int
    hash_mb: int


class Team:
    """The two players, reused from game to game; for one thread only, except for `stop`.

    Args:
        plan: the settings of the match.
        game: the game to play.

    Raises:
        UsageError: there is no such player.
    """

    def __init__(self, plan: Plan, game: str) -> None:
        self._plan = plan
        self._players = tuple(make_contestant(name, game, plan.hash_mb) for name in plan.players)

    @property
    def titles(self) -> tuple[str, str]:
        """The players' names for people, which differ."""
        first, second = (contestant.title for contestant in self._players)
        return tell_apart(first, second)

    @property
    def own_limits(self) -> tuple[Limits | None, ...]:
        """Each player's own limits, whatever the match allows."""
        return tuple(contestant.own_limits for contestant in self._players)

    def prepare(self, on_notice: Callable[[str], object] | None = None) -> None:
        """Get ready to play.

        Args:
            on_notice: called with a sentence on what takes long.

        Raises:
            EngineError: a player cannot be started.
        """
        for contestant in self._players:
            contestant.prepare(on_notice)

    def play(
        self, number: int, opening: Position, interrupted: Callable[[], bool]
    ) -> Result | None:
        """Play a game of the match; None if it was interrupted.

        Args:
            number: its number, from 0; in odd ones the second player moves first.
            opening: the position it begins from; it must not be a final one.
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
            self._name_culprit(played, swapped),
        )

    def _name_culprit(self, played: PlayedGame, swapped: int) -> str | None:
        """The fault that ended a game; says whose it is where both players have one name."""
        first, second = (contestant.title for contestant in self._players)
        winner = None if played.outcome is None else played.outcome.winner
        if played.fault is None or winner is None or first != second:
            return played.fault
        return f"{self.titles[winner.opponent ^ swapped]}: {played.fault}"

    def tune(self, settings: tuple[Settings, Settings]) -> None:
        """Set both players' search parameters from the next game on.

        Raises:
            UsageError: a player does not have one of them.
        """
        for contestant, numbers in zip(self._players, settings, strict=True):
            if not isinstance(contestant, OwnSearch):
                raise UsageError(f"{contestant.title} has no numbers of the search to be set.")
            contestant.tune(numbers)

    def stop(self) -> None:
        """Make a search in another thread end soon; as `Contestant.stop`."""
        for contestant in self._players:
            contestant.stop()

    def close(self) -> None:
        """Close both players."""
        for contestant in self._players:
            contestant.close()


class TuningGuide(Protocol):
    """Decides when a game of a match may begin, and with which search parameters."""

    def is_ready(self, number: int) -> bool:
        """Whether a game may begin, by the results so far; called in any thread."""
        ...

    def settings(self, number: int) -> tuple[Settings, Settings]:
        """Both players' search parameters in a game that may begin; called in any thread."""
        ...


class Schedule:
    """The remaining games of a match, in order, with their openings.

    Args:
        games: how many games the match has.
        openings: one for each pair of games, in order; if there are too few, they are repeated.
        done: the numbers of games already played.
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
        """The number, from 0, of the first game with a repeated opening; None until then."""
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
        """The number of the game that `__next__` returns; None if none is left."""
        return self._wanted[0] if self._wanted else None

    def opening(self, number: int) -> Position:
        """The position that a game begins from."""
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
    """A match under way; `close` ends it and all its players.

    Args:
        plan: its settings.
        openings: one for each pair of games, as for `Schedule`.
        done: the numbers of games already played.
        on_notice: called with a sentence on what takes long before the first game.
        guide: decides when games may begin, and with which search parameters; the consumer of the
            results passes them to it. Without one, games begin in order with the usual parameters.

    Raises:
        UsageError: there is no such player.
        EngineError: a player cannot be started.
    """

    def __init__(
        self,
        plan: Plan,
        openings: Iterator[Position],
        done: Collection[int] = (),
        on_notice: Callable[[str], object] | None = None,
        guide: TuningGuide | None = None,
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
        # Prepare now, so that it does not cost time on a player's clock.
        Engine.prepare(opening)
        try:
            self._teams[0].prepare(on_notice)
        except BaseException:
            self.close()
            raise

    @property
    def titles(self) -> tuple[str, str]:
        """The players' names for people, which differ."""
        return self._teams[0].titles

    @property
    def repeats_from(self) -> int | None:
        """The number, from 0, of the first game with a repeated opening; None until then.

        From then on, deterministic players repeat their games.
        """
        return self._schedule.repeats_from

    @property
    def activity(self) -> Activity:
        """What the match is doing now; may be called from any thread."""
        return Activity(self._playing, self._pace.per_second)

    def answer_requests(self, progress: Callable[[], Progress]) -> None:
        """Do nothing: requests for the state of the match come only to matches on a server."""

    def results(self) -> Iterator[Result]:
        """The games as they finish; to be iterated once.

        Raises:
            EngineError: a player fails again and again.
        """
        for thread in self._threads:
            thread.start()
        yield from stop_after_failures(self._finished())

    def end(self) -> None:
        """End the match for good, which matters if it stores something elsewhere."""

    def close(self) -> None:
        """Stop the games under way, which do not count, and close the players."""
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
            # Other games may have been waiting for this result.
            self._wake()

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def _work(self, team: Team) -> None:
        try:
            while (job := self._next_game()) is not None:
                with self._count_playing():
                    if self._guide is not None:
                        team.tune(self._guide.settings(job[0]))
                    result = team.play(*job, self._interrupted.is_set)
                if result is None:
                    return
                self._outcomes.put(result)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._outcomes.put(error)

    @contextmanager
    def _count_playing(self) -> Iterator[None]:
        with self._changed:
            self._playing += 1
        try:
            yield
        finally:
            with self._changed:
                self._playing -= 1

    def _next_game(self) -> tuple[int, Position] | None:
        with self._changed:
            while not self._interrupted.is_set():
                number = self._schedule.next_number
                if number is None or self._guide is None or self._guide.is_ready(number):
                    return next(self._schedule, None)
                self._changed.wait()
            return None


def stop_after_failures(results: Iterator[Result]) -> Iterator[Result]:
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
