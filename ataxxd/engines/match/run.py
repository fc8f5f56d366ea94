"""A match: where its games begin, how long players may think, and all games, several at a time.

Each game has players of its own, and ends in any case.
"""

import hashlib
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Self

from ataxxd.engines.base import seed_for
from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.match.contestants import FAILED, LATE, Contestant, make_contestant
from ataxxd.engines.search_thread import end_threads
from ataxxd.errors import EngineError, StorageError, UsageError
from ataxxd.rules import Engine, Move, Outcome, Position, RulesError, Side
from ataxxd.rules.limits import Clock, Limits


@dataclass(frozen=True, slots=True)
class TimeControl:
    """What each player may spend.

    Attributes:
        per_move: time, nodes or depth of each move.
        base_ms: time for the whole game; None when there is no such clock.
        increment_ms: what each move adds.
        margin_ms: by how much a move may be late: what a busy machine does is nobody's fault.
    """

    per_move: Limits = field(default_factory=Limits)
    base_ms: int | None = None
    increment_ms: int = 0
    margin_ms: int = 0


class Clocks:
    """The clocks of one game."""

    def __init__(self, control: TimeControl) -> None:
        self._control = control
        self._left = [control.base_ms or 0] * 2

    @property
    def limits(self) -> Limits:
        """What the side to move may spend, and what both have left."""
        control = self._control
        if control.base_ms is None:
            return control.per_move
        first, second = (Clock(max(1, left), control.increment_ms) for left in self._left)
        return Limits(clocks=(first, second)).within(control.per_move)

    def spend(self, side: Side, spent_ms: int) -> bool:
        """Take the time of a move from a clock; false when it was too much."""
        control = self._control
        if control.per_move.time_ms is not None:
            return spent_ms <= control.per_move.time_ms + control.margin_ms
        if control.base_ms is None:
            return True
        self._left[side] -= spent_ms
        if self._left[side] < -control.margin_ms:
            return False
        self._left[side] = max(0, self._left[side]) + control.increment_ms
        return True


@dataclass(frozen=True, slots=True)
class Adjudication:
    """When a game is ended before its rules end it.

    Scores are in hundredths of a piece for the side that moves, as the players state them.

    Attributes:
        most_plies: a game of so many is a draw.
        resign: (moves, score): who states minus this or worse so often in a row has lost.
        draw: (from move, moves, score): a game is drawn when from then on both state so often
            in a row no more than this for either side.
    """

    most_plies: int = 500
    resign: tuple[int, int] | None = None
    draw: tuple[int, int, int] | None = None

    def outcome(self, scores: Sequence[int | None], first: Side) -> Outcome | None:
        """How a game ends now; None when it goes on.

        Args:
            scores: what each move was said to be worth, in order.
            first: who made the first of these moves.
        """
        if self.resign is not None and (loser := self._gives_up(scores, first)) is not None:
            return Outcome("resignation", loser.opponent)
        if self.draw is not None and self._agrees(scores):
            return Outcome("adjudication", None)
        if len(scores) >= self.most_plies:
            return Outcome("max-plies", None)
        return None

    def _gives_up(self, scores: Sequence[int | None], first: Side) -> Side | None:
        assert self.resign is not None
        moves, score = self.resign
        own = scores[::-2][:moves]
        if len(own) < moves or not all(said is not None and said <= -score for said in own):
            return None
        return first if len(scores) % 2 else first.opponent

    def _agrees(self, scores: Sequence[int | None]) -> bool:
        assert self.draw is not None
        begin, moves, score = self.draw
        last = scores[2 * (begin - 1) :][-2 * moves :]
        return len(last) == 2 * moves and all(
            said is not None and abs(said) <= score for said in last
        )


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played.

    Attributes:
        moves: from the opening on.
        outcome: how it ended; None when it was interrupted.
        fault: what the loser did wrong, where it failed.
    """

    moves: tuple[Move, ...]
    outcome: Outcome | None
    fault: str | None = None


def play_game(
    opening: Position,
    contestants: Mapping[Side, Contestant],
    control: TimeControl,
    adjudication: Adjudication,
    *,
    seed: int,
    interrupted: Callable[[], bool],
) -> Played:
    """Play a game to its end.

    Args:
        opening: where it begins; it must not be over.
        contestants: who plays which side.
        control: what each may spend. Those with limits of their own have no clock.
        adjudication: when it ends before its rules end it.
        seed: of what contestants leave to chance.
        interrupted: asked before every move; true leaves the game unfinished.
    """
    clocks = Clocks(control)
    position, moves = opening, list[Move]()
    scores = list[int | None]()
    for side, contestant in contestants.items():
        try:
            contestant.new_game()
        except EngineError as error:
            return Played((), Outcome(FAILED, side.opponent), str(error))
    while (outcome := position.outcome or adjudication.outcome(scores, opening.turn)) is None:
        side = position.turn
        contestant = contestants[side]
        limits = contestant.own_limits
        began = time.monotonic()
        try:
            choice = contestant.choose(
                position, limits or clocks.limits, seed_for(seed, len(moves))
            )
        except EngineError as error:
            # Whoever interrupts a match may have ended the engine.
            if interrupted():
                return Played(tuple(moves), None)
            return Played(tuple(moves), Outcome(FAILED, side.opponent), str(error))
        spent_ms = int((time.monotonic() - began) * 1000)
        if interrupted():
            return Played(tuple(moves), None)
        if limits is None and not clocks.spend(side, spent_ms):
            fault = f"{contestant.title} took {spent_ms} ms for move {len(moves) + 1}"
            return Played(tuple(moves), Outcome(LATE, side.opponent), fault)
        position = position.play(choice.move)
        moves.append(choice.move)
        scores.append(choice.score)
    return Played(tuple(moves), outcome)


# Tries for an opening that no other game had, before one may come again.
_TRIES = 200
_MOST_LINES = 1_000_000


def random_openings(start: Position, plies: int, seed: int) -> Iterator[Position]:
    """Positions some random moves after the start, for ever; each comes once while there are more.

    Args:
        start: where the moves begin.
        plies: how many; all legal moves are equally likely.
        seed: the same one gives the same openings.

    Raises:
        UsageError: every game is over after so many.
    """
    seen = set[str]()
    number = 0
    while True:
        opening = None
        for attempt in range(_TRIES):
            opening = _walk(start, plies, seed_for(seed, number * _TRIES + attempt)) or opening
            if opening is not None and opening.text not in seen:
                break
        if opening is None:
            raise UsageError(
                f"No game goes on after {plies} random moves from {start.text}. Take fewer: --plies"
            )
        seen.add(opening.text)
        number += 1
        yield opening


def openings_of_file(path: Path, ruleset: str) -> list[Position]:
    """The positions of a file, one per line; empty lines and those that begin with # are skipped.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is no text; a line is no position, or its game is over; or there is none.
    """
    try:
        # Some editors begin a file with a mark of its encoding.
        lines = path.read_text(encoding="utf-8-sig").splitlines()[:_MOST_LINES]
    except OSError as error:
        raise StorageError(f"--openings {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise UsageError(
            f"--openings {path} is not a text file: byte {error.start} is not UTF-8."
        ) from None
    openings = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            position = Position.from_text(ruleset, text)
        except RulesError as error:
            raise UsageError(f"--openings {path}, line {number}: {error}") from None
        if position.outcome is not None:
            raise UsageError(f"--openings {path}, line {number}: the game is over there.")
        openings.append(position)
    if not openings:
        raise UsageError(f"--openings {path} has no position in it: write one per line.")
    return openings


def digest_of(openings: Iterable[Position]) -> str:
    """What openings are known by: of a file, whatever its comments and its empty lines."""
    return hashlib.sha256("\n".join(each.text for each in openings).encode()).hexdigest()


def _walk(position: Position, plies: int, seed: int) -> Position | None:
    for ply in range(plies):
        moves = position.legal_moves
        if not moves:
            return None
        position = position.play(moves[seed_for(seed, ply) % len(moves)])
    return position if position.outcome is None else None


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


class Team:
    """Both players, who play one game after another, used from one thread but for `stop`.

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

    def prepare(self) -> None:
        """Be ready to play.

        Raises:
            EngineError: a player cannot be started.
        """
        for contestant in self._players:
            contestant.prepare()

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
            played.fault,
        )

    def stop(self) -> None:
        """Make a move under way in another thread come soon; as `Contestant.stop`."""
        for contestant in self._players:
            contestant.stop()

    def close(self) -> None:
        """End the players."""
        for contestant in self._players:
            contestant.close()


class Schedule:
    """The games of a match that are still to be played, in order, and where each begins.

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
        self._wanted = iter(wanted)
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
        number = next(self._wanted)
        return number, self.opening(number)

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

    Raises:
        UsageError: there is no such player.
        EngineError: a player cannot be started.
    """

    def __init__(
        self, plan: Plan, openings: Iterator[Position], done: Collection[int] = ()
    ) -> None:
        self._schedule = Schedule(plan.games, openings, done)
        self._lock = threading.Lock()
        self._interrupted = threading.Event()
        self._outcomes = queue.Queue[Result | BaseException]()
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
            self._teams[0].prepare()
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
    def pace(self) -> str | None:
        """How many workers play, and how fast, in words; None where there are none."""
        return None

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
        end_threads(self._threads, *(team.stop for team in self._teams))
        for team in self._teams:
            team.close()

    def _finished(self) -> Iterator[Result]:
        for _ in range(self._schedule.count):
            outcome = self._outcomes.get()
            if isinstance(outcome, BaseException):
                raise outcome
            yield outcome

    def _work(self, team: Team) -> None:
        try:
            while (job := self._next()) is not None:
                result = team.play(*job, self._interrupted.is_set)
                if result is None:
                    return
                self._outcomes.put(result)
        except BaseException as error:  # noqa: BLE001 - the main thread raises it
            self._outcomes.put(error)

    def _next(self) -> tuple[int, Position] | None:
        with self._lock:
            return None if self._interrupted.is_set() else next(self._schedule, None)


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
            f"{result.fault} This was the {in_a_row[loser]}th game in a row that it lost so: "
            "the match is given up."
        )
