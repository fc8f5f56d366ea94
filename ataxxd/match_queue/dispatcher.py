"""Which games of a match are out, and which results count: each game once.

It knows nothing of networks: bytes come in, and what to do with them comes out.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from ataxxd.engines.match.checkpoint import SCORES, Result
from ataxxd.engines.match.progress import WorkerRow
from ataxxd.engines.match.run import Schedule
from ataxxd.match_queue.items import FORMAT, REPORTS, Build, Report
from ataxxd.rules import Position, RulesError


@dataclass(frozen=True, slots=True)
class Refusal:
    """A result that does not count.

    Attributes:
        worker: whose.
        number: of the game that must be played again; None when it need not be.
        why: it does not count, for people.
    """

    worker: str
    number: int | None
    why: str


class Dispatcher:
    """The games of a match: handed out in order, and each taken back once.

    Args:
        schedule: the games to be played.
        games: how many there are in all.
        build: with what they must be played.
        done: the numbers of games played before.
        ready: whether a game may be handed out now, by its number; any without.
    """

    def __init__(
        self,
        schedule: Schedule,
        games: int,
        build: Build,
        done: Collection[int],
        ready: Callable[[int], bool] | None = None,
    ) -> None:
        self._schedule = schedule
        self._ready = ready
        self._build = build
        self._missing = {*range(games)} - {*done}
        self._out = dict[int, Position]()
        self._workers = dict[str, WorkerRow]()

    @property
    def out(self) -> dict[int, Position]:
        """The games that have been handed out and are not back, with their openings."""
        return dict(self._out)

    @property
    def workers(self) -> dict[str, WorkerRow]:
        """Whose results have counted, by their names."""
        return dict(self._workers)

    @property
    def finished(self) -> bool:
        """Whether every game is back."""
        return not self._missing

    def hand_out(self, most: int) -> list[tuple[int, Position]]:
        """The next games, so many that no more than `most` are out."""
        given = list[tuple[int, Position]]()
        while len(self._out) < most and (number := self._schedule.next_number) is not None:
            if self._ready is not None and not self._ready(number):
                break
            job = _, opening = next(self._schedule)
            # Its result may have come in from an earlier run of the match.
            if number in self._missing:
                self._out[number] = opening
                given.append(job)
        return given

    def take(self, data: bytes) -> Result | Refusal | None:
        """What a message with a result is worth; a result counts from now on.

        Returns:
            None when the result is here already, and nothing has to be done.
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
        fault = self._fault(report)
        if fault is not None:
            return Refusal(report.worker, number, fault)
        self._missing.remove(number)
        self._out.pop(number, None)
        self._count(report)
        return report.result

    def _count(self, report: Report) -> None:
        name, half = report.worker, report.result.half_points
        before = self._workers.get(name, WorkerRow(name, report.build.version)).games
        lost, drawn, won = (count + (half == each) for each, count in enumerate(before))
        self._workers[name] = WorkerRow(
            name, report.build.version, (lost, drawn, won), factor=report.factor
        )

    def _fault(self, report: Report) -> str | None:
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
