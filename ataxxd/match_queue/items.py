"""Games of a match as items of a queue: what is sent, which are out, and which results count.

Each game counts once. Bytes come in, and what to do with them comes out; nothing here knows of
networks.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

from ataxxd import __version__
from ataxxd.engines.benchmark import fingerprint, run_benchmark
from ataxxd.engines.match import Plan, Progress, Schedule, Team, WorkerStatus
from ataxxd.engines.match.checkpoint import SCORES, Result
from ataxxd.engines.native import Settings
from ataxxd.rules import Position, RulesError

FORMAT: Final = 4
"""The version of all messages; those of another version are not understood."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Build:
    """The versions that all workers of a match must share.

    Attributes:
        version: the version of the program.
        engine: the `fingerprint` of our engine.
        titles: the players' own names; external engines include their versions.
    """

    version: str
    engine: str
    titles: tuple[str, str]

    @classmethod
    def of(cls, team: Team, game: str) -> "Build":
        """The build of this program with these players, which must be prepared."""
        return cls(__version__, fingerprint(game), team.titles)

    def difference(self, other: "Build") -> str | None:
        """How the other build differs, in words; None if it does not."""
        if other.version != self.version:
            return f"ataxxd {other.version}, where the match has {self.version}"
        if other.engine != self.engine:
            return f"an engine that plays differently ({other.engine}, not {self.engine})"
        if other.titles != self.titles:
            return f"the players {' and '.join(other.titles)}, not {' and '.join(self.titles)}"
        return None


@dataclass(frozen=True, slots=True)
class GameItem:
    """A game to be played.

    Attributes:
        format: `FORMAT`.
        match: the id of its match; see `ataxxd.match_queue.server.Subjects`.
        number: the number of the game in the match, from 0.
        ruleset: the ruleset.
        start: the opening as a position text.
        plan: the settings of the match; the numbers of games do not matter here.
        speed: nodes per second of our search on the machine of the match, for which its time limits
            are meant; None without time limits.
        settings: both players' search parameters in this game, if they are tuned.
    """

    format: int
    match: str
    number: int
    ruleset: str
    start: str
    plan: Plan
    speed: float | None
    settings: tuple[Settings, Settings] | None = None


@dataclass(frozen=True, slots=True)
class GameReport:
    """A game that was played.

    Attributes:
        format: `FORMAT`.
        worker: the worker that played it.
        build: the build it was played with.
        factor: the factor on the plan's times, for this machine's speed; 1 without time limits.
        result: the finished game.
    """

    format: int
    worker: str
    build: Build
    factor: float
    result: Result


@dataclass(frozen=True, slots=True)
class MatchMessage:
    """A message from a match to its workers; it is repeated, so a lost one does no harm.

    Attributes:
        match: the id of the match.
        refused: the worker whose results do not count; None if the match is over.
        why: why they do not count.
    """

    match: str
    refused: str | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class PlayingReport:
    """What a worker sends at the start and end of a game of a match, and now and then in between.

    Attributes:
        worker: the worker.
        version: its version of ataxxd.
        numbers: the numbers of the games that it is playing now.
    """

    worker: str
    version: str
    numbers: tuple[int, ...]


def measure_speed(game: str) -> float:
    """The speed of our search on this machine now, in nodes per second; takes 1 to 2 seconds."""
    count = run_benchmark(game)
    return count.nodes / count.seconds


class Codec(Generic[T]):
    """Encodes and decodes the messages above."""

    def __init__(self, kind: type[T]) -> None:
        self._adapter = TypeAdapter(kind)

    def dump(self, value: T) -> bytes:
        """Encode a message."""
        return self._adapter.dump_json(value)

    def load(self, data: bytes) -> T | None:
        """Decode a message; None if it is not understood."""
        try:
            return self._adapter.validate_json(data)
        except ValidationError:
            return None


ITEMS: Final = Codec(GameItem)
REPORTS: Final = Codec(GameReport)
MATCH_MESSAGES: Final = Codec(MatchMessage)
PLAYING: Final = Codec(PlayingReport)
PROGRESS: Final = Codec(Progress)


@dataclass(frozen=True, slots=True)
class Refusal:
    """A result that does not count.

    Attributes:
        worker: the worker that sent it.
        number: the game that must be played again; None if it need not be.
        why: why it does not count, in words.
    """

    worker: str
    number: int | None
    why: str


class Dispatcher:
    """The games of a match: hands them out in order, and accepts each result once.

    Args:
        schedule: the games to play.
        games: how many there are in total.
        build: the build that workers must have.
        done: the numbers of games already played.
        is_ready: whether a game, by its number, may be handed out now; None allows all.
    """

    def __init__(
        self,
        schedule: Schedule,
        games: int,
        build: Build,
        done: Collection[int],
        is_ready: Callable[[int], bool] | None = None,
    ) -> None:
        self._schedule = schedule
        self._is_ready = is_ready
        self._build = build
        self._missing = {*range(games)} - {*done}
        self._pending = dict[int, Position]()
        self._workers = dict[str, WorkerStatus]()

    @property
    def pending(self) -> dict[int, Position]:
        """The games handed out and not finished, with their openings."""
        return dict(self._pending)

    @property
    def workers(self) -> dict[str, WorkerStatus]:
        """The workers whose results have counted, by name."""
        return dict(self._workers)

    @property
    def finished(self) -> bool:
        """Whether every game is finished."""
        return not self._missing

    def hand_out(self, max_pending: int) -> list[tuple[int, Position]]:
        """Hand out the next games, so that no more than `max_pending` are out."""
        given = list[tuple[int, Position]]()
        while (
            len(self._pending) < max_pending and (number := self._schedule.next_number) is not None
        ):
            if self._is_ready is not None and not self._is_ready(number):
                break
            job = _, opening = next(self._schedule)
            # Its result may already have arrived from an earlier run of the match.
            if number in self._missing:
                self._pending[number] = opening
                given.append(job)
        return given

    def accept_result(self, data: bytes) -> Result | Refusal | None:
        """Judge a message with a result; a valid result counts from now on.

        Returns:
            The result, or why it is refused; None if it is already known.
        """
        report = REPORTS.load(data)
        if report is None or report.format != FORMAT:
            return Refusal("", None, "it comes from another version, or is not a result")
        number = report.result.number
        if number not in self._missing:
            return None
        fault = self._build.difference(report.build)
        if fault is not None:
            return Refusal(report.worker, number, f"it has {fault}")
        fault = self._find_fault(report)
        if fault is not None:
            return Refusal(report.worker, number, fault)
        self._missing.remove(number)
        self._pending.pop(number, None)
        self._count(report)
        return report.result

    def _count(self, report: GameReport) -> None:
        name, half = report.worker, report.result.half_points
        before = self._workers.get(name, WorkerStatus(name, report.build.version)).games
        lost, drawn, won = (count + (half == each) for each, count in enumerate(before))
        self._workers[name] = WorkerStatus(
            name, report.build.version, (lost, drawn, won), factor=report.factor
        )

    def _find_fault(self, report: GameReport) -> str | None:
        """What is wrong with a game, by its opening and the rules."""
        result = report.result
        if result.score not in SCORES:
            return f"its game {result.number + 1} has no result"
        position = self._schedule.opening(result.number)
        if result.start != position.text:
            return f"its game {result.number + 1} has another opening"
        try:
            for text in result.moves:
                position = position.play(position.parse_move(text))
        except RulesError as error:
            return f"its game {result.number + 1} breaks the rules: {error}"
        outcome = position.outcome
        if outcome is not None and (outcome.score, outcome.termination) != (
            result.score,
            result.termination,
        ):
            return f"its game {result.number + 1} has another result by the rules"
        return None
