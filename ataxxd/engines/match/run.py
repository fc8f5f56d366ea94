"""All games of a match, several at a time, each with players of its own."""

import queue
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from ataxxd.engines.base import seed_for
from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.match.contestants import Contestant, make_contestant
from ataxxd.engines.match.control import Adjudication, TimeControl
from ataxxd.engines.match.game import FAILED, play_game
from ataxxd.engines.stopping import end_threads
from ataxxd.errors import EngineError
from ataxxd.rules import Engine, Position, Side

# A player that fails so often in a row will not do better in the next game.
_FAILURES_IN_A_ROW = 6


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played.

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


class Match:
    """A match under way; `close` ends it, and leaves nothing behind.

    Args:
        plan: what is to be played.
        openings: of the pairs of games, in order; more than enough, or all there are: then
            they begin anew.
        done: the numbers of games played before.

    Raises:
        UsageError: there is no such player.
        EngineError: a player cannot be started.
    """

    def __init__(
        self, plan: Plan, openings: Iterator[Position], done: Collection[int] = ()
    ) -> None:
        self._plan = plan
        self._openings = openings
        self._drawn: list[Position] = []
        self._texts = set[str]()
        self._repeats_from: int | None = None
        self._jobs = iter([number for number in range(plan.games) if number not in done])
        self._lock = threading.Lock()
        self._interrupted = threading.Event()
        self._outcomes = queue.Queue[Result | BaseException]()
        self._left = plan.games - len([number for number in done if number < plan.games])
        opening = self._opening(0)
        game = opening.game
        self._teams = [
            tuple(make_contestant(name, game, plan.hash_mb) for name in plan.players)
            for _ in range(max(1, min(plan.concurrency, self._left)))
        ]
        self._threads = [
            threading.Thread(target=self._work, args=(team,), name="match") for team in self._teams
        ]
        # No player's clock is to pay for it.
        Engine.prepare(opening)
        try:
            for contestant in self._teams[0]:
                contestant.prepare()
        except BaseException:
            self.close()
            raise

    @property
    def titles(self) -> tuple[str, str]:
        """What people call the players; no two the same."""
        first, second = (contestant.title for contestant in self._teams[0])
        return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")

    @property
    def repeats_from(self) -> int | None:
        """The first game, from 0, whose opening an earlier pair had; None until there is one.

        Players that play the same each time play the same games again then.
        """
        return self._repeats_from

    def results(self) -> Iterator[Result]:
        """The games as they are finished; once.

        Raises:
            EngineError: a player fails again and again.
        """
        in_a_row = [0, 0]
        for thread in self._threads:
            thread.start()
        for _ in range(self._left):
            outcome = self._outcomes.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome
            _count_failures(outcome, in_a_row)

    def close(self) -> None:
        """Stop the games under way, which count for nothing, and end the players."""
        contestants = [contestant for team in self._teams for contestant in team]
        self._interrupted.set()
        end_threads(self._threads, *(contestant.stop for contestant in contestants))
        for contestant in contestants:
            contestant.close()

    def _work(self, team: Sequence[Contestant]) -> None:
        try:
            while (job := self._next()) is not None:
                result = self._play(team, *job)
                if result is None:
                    return
                self._outcomes.put(result)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._outcomes.put(error)

    def _next(self) -> tuple[int, Position] | None:
        with self._lock:
            number = None if self._interrupted.is_set() else next(self._jobs, None)
            return None if number is None else (number, self._opening(number // 2))

    def _opening(self, pair: int) -> Position:
        while len(self._drawn) <= pair:
            opening = next(self._openings, None)
            if self._repeats_from is None and (opening is None or opening.text in self._texts):
                self._repeats_from = 2 * len(self._drawn)
            if opening is None:
                return self._drawn[pair % len(self._drawn)]
            self._drawn.append(opening)
            self._texts.add(opening.text)
        return self._drawn[pair]

    def _play(self, team: Sequence[Contestant], number: int, opening: Position) -> Result | None:
        swapped = number % 2
        played = play_game(
            opening,
            {side: team[side ^ swapped] for side in Side},
            self._plan.control,
            self._plan.adjudication,
            seed=seed_for(self._plan.seed, number),
            interrupted=self._interrupted.is_set,
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
            played.fault,
        )


def _count_failures(result: Result, in_a_row: list[int]) -> None:
    loser = 0 if result.half_points == 0 else 1
    if result.termination != FAILED:
        in_a_row[:] = [0, 0]
        return
    in_a_row[loser] += 1
    if in_a_row[loser] >= _FAILURES_IN_A_ROW:
        raise EngineError(
            f"{result.fault} This was the {in_a_row[loser]}th game in a row that it lost so: "
            "the match is given up."
        )
