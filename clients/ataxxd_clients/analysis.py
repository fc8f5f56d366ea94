"""The engine's opinion of positions: as a number, in words, and how to ask for it.

A `Verdict` is always from the first side's view, so that the numbers of a whole game can be
compared. An `Adviser` analyses one position off the event loop, an `Evaluator` many.
"""

import asyncio
import math
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from ataxxd.engines.search_thread import StoppableCall
from ataxxd.engines.tablebases import new_playing_engine
from ataxxd.node.game import Game
from ataxxd.rules import Move, Outcome, Position, SearchResult, Side, ruleset_info
from ataxxd.rules.limits import DEFAULT_HASH_MB
from ataxxd.session.events import Seat
from ataxxd_clients.labels import move_name
from ataxxd_clients.text.commands import CommandError

# A lead of this many centipieces fills 73 % of the bar.
_SCALE = 200


@dataclass(frozen=True, slots=True)
class Verdict:
    """The evaluation of a position, or the end of the game.

    Attributes:
        score: the first side's lead in hundredths of a piece.
        mate_in: moves until a forced win; positive for the first side. None if none is known.
        outcome: how the game ended; None while it goes on.
        line: the moves expected from here, the best one first.
        depth: plies looked ahead.
        nodes: positions searched; of two verdicts, the one with more is better.
    """

    score: int
    mate_in: int | None = None
    outcome: Outcome | None = None
    line: tuple[Move, ...] = ()
    depth: int = 0
    nodes: int = 0


def verdict_of(result: SearchResult, position: Position) -> Verdict:
    """The verdict of a search."""
    sign = 1 if position.turn is Side.FIRST else -1
    mate_in = None if result.mate_in is None else sign * result.mate_in
    return Verdict(sign * result.score, mate_in, None, result.pv, result.depth, result.nodes)


def verdict_of_end(position: Position) -> Verdict | None:
    """The verdict of a final position; None if the game goes on."""
    outcome = position.outcome
    return None if outcome is None else Verdict(0, outcome=outcome)


def verdict_text(verdict: Verdict, names: tuple[str, str]) -> str:
    """A verdict in words: ``Red +0.35``, ``Blue wins in 3``, ``Red has won``."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return "nobody has won" if winner is None else f"{names[winner]} has won"
    if verdict.mate_in is not None:
        winner = Side.FIRST if verdict.mate_in > 0 else Side.SECOND
        return f"{names[winner]} wins in {abs(verdict.mate_in)}"
    if verdict.score == 0:
        return "even"
    better = Side.FIRST if verdict.score > 0 else Side.SECOND
    return f"{names[better]} +{abs(verdict.score) / 100:.2f}"


def short_verdict_text(verdict: Verdict, names: tuple[str, str]) -> str:
    """The same in about twelve columns: ``Red +0.3``, ``Blue in 3``, ``Red won``."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return "draw" if winner is None else f"{names[winner]} won"
    if verdict.mate_in is not None:
        return verdict_text(verdict, names).replace(" wins in ", " in ")
    return verdict_text(verdict, names) if verdict.score == 0 else verdict_text(verdict, names)[:-1]


def bar_share(verdict: Verdict) -> float:
    """The first side's share of an evaluation bar, from 0 to 1."""
    if verdict.outcome is not None:
        winner = verdict.outcome.winner
        return 0.5 if winner is None else float(winner is Side.FIRST)
    if verdict.mate_in is not None:
        return float(verdict.mate_in > 0)
    # Beyond this the bar is full, and the exponential would be too large.
    return 1 / (1 + math.exp(-min(max(verdict.score / _SCALE, -20), 20)))


@dataclass(frozen=True, slots=True)
class Effort:
    """How long the engine may search one position.

    Attributes:
        nodes: positions to search; the usual limit, so that the same question has the same answer.
        time_ms: the most milliseconds, for slow machines.
    """

    nodes: int
    time_ms: int


# Chosen for about three million nodes a second.
QUICK_SEARCH = Effort(60_000, 1_000)
THOROUGH_SEARCH = Effort(1_500_000, 3_000)


class Adviser:
    """An engine to ask about positions, one at a time."""

    def __init__(self) -> None:
        self._engine = new_playing_engine(DEFAULT_HASH_MB)
        self._busy = asyncio.Lock()

    async def evaluate(self, position: Position, effort: Effort) -> Verdict:
        """Evaluate a position in which the game is not over.

        Cancelling it stops the search.
        """
        async with self._busy:
            # Forget earlier searches, or the answer would depend on the questions before.
            self._engine.clear()
            search = partial(
                self._engine.search, position, nodes=effort.nodes, time_ms=effort.time_ms
            )
            return verdict_of(await StoppableCall(search, self._engine.stop).result(), position)


def obstacle_to_advice(game: Game) -> str | None:
    """Why advice is not allowed in a game now; None if it is."""
    seats = {game.seat(side) for side in Side}
    if game.outcome is None and Seat.REMOTE in seats and len(seats) > 1:
        return "In a game with somebody else there is no advice until it is over."
    return None


def allowed_advice(game: Game) -> tuple[Literal["hint", "evaluate"], ...]:
    """The kinds of advice that are allowed in a game now."""
    if obstacle_to_advice(game) is not None:
        return ()
    return ("evaluate",) if game.outcome is not None else ("hint", "evaluate")


def check_advice(game: Game, *, hint: bool = False) -> None:
    """Check that advice, or a `hint`, is allowed in a game now, and note its use in the game.

    Raises:
        CommandError: it would be unfair, or there is no move to show.
    """
    if (refusal := obstacle_to_advice(game)) is not None:
        raise CommandError(refusal)
    if hint and game.outcome is not None:
        msg = "The game is over: there is no move to show."
        raise CommandError(msg)
    game.advised()


def explain_best_move(verdict: Verdict, position: Position) -> str | None:
    """What the best move of a position does, as `Position.reason` says it."""
    if not verdict.line:
        return None
    sign = 1 if position.turn is Side.FIRST else -1
    mate_in = None if verdict.mate_in is None else sign * verdict.mate_in
    return position.reason(verdict.line[0], mate_in)


def hint_text(verdict: Verdict, position: Position, following: str = "") -> str:
    """A hint in words, and why.

    Args:
        verdict: the verdict on the position.
        position: the position, which is not a final one.
        following: text to add, such as the expected continuation.
    """
    because = explain_best_move(verdict, position)
    wins = verdict.mate_in is not None and (verdict.mate_in > 0) is (position.turn is Side.FIRST)
    # If the side wins, `because` says so already.
    worth = "" if wins else f" ({verdict_text(verdict, ruleset_info(position.ruleset).side_names)})"
    said = "" if because is None else f", which {because}"
    return f"The engine would play {move_name(verdict.line[0])}{worth}{said}{following}."


_MAX_VERDICTS = 20_000


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a survey: how many positions of how many."""

    done: int
    total: int


class Evaluator:
    """Evaluates positions in the background, and caches the verdicts.

    Args:
        on_change: called after a verdict has come or the progress has changed.
    """

    def __init__(self, on_change: Callable[[], object]) -> None:
        self._on_change = on_change
        self._adviser = Adviser()
        self._verdicts: dict[Position, Verdict] = {}
        self._survey: asyncio.Task[None] | None = None
        self._pondering: asyncio.Task[None] | None = None
        self._hinting: asyncio.Task[None] | None = None
        # Cancelled tasks included: the engine takes a moment to stop.
        self._running: set[asyncio.Task[None]] = set()
        self.progress: Progress | None = None
        """The progress of the survey; None when there is none."""

    def verdict(self, position: Position) -> Verdict | None:
        """The verdict on a position; None if it has not been evaluated."""
        return verdict_of_end(position) or self._verdicts.get(position)

    def survey(self, positions: Iterable[Position]) -> None:
        """Begin a quick evaluation of positions, in order, skipping those already known."""
        self.stop_survey()
        wanted = [each for each in positions if self.verdict(each) is None]
        if wanted:
            self.progress = Progress(0, len(wanted))
            self._survey = self._begin(self._evaluate_all(wanted), "survey")
        self._on_change()

    def stop_survey(self) -> None:
        """Stop the survey; its verdicts are kept."""
        self.progress = None
        if self._survey is not None:
            self._survey.cancel()

    def hint(self, position: Position, on_found: Callable[[Verdict], None]) -> None:
        """Search a position, which is not a final one, thoroughly for the best move.

        Args:
            position: the position.
            on_found: called with the verdict, unless another hint is asked for first.
        """
        if self._hinting is not None:
            self._hinting.cancel()
        self._hinting = self._begin(self._hint(position, on_found), "hint")

    def ponder(self, position: Position | None) -> None:
        """Search a position thoroughly, in place of any other; None stops it."""
        if self._pondering is not None:
            self._pondering.cancel()
        self._pondering = None
        if position is None or position.outcome is not None:
            return
        known = self._verdicts.get(position)
        if known is None or known.nodes <= QUICK_SEARCH.nodes:
            self._pondering = self._begin(self._ponder(position), "pondering")

    async def close(self) -> None:
        """Stop all work.

        Raises:
            Exception: the error that ended the work, if there was one.
        """
        tasks = [*self._running]
        for task in tasks:
            # A second cancellation would cut short its wait for the engine.
            if not task.cancelling():
                task.cancel()
        for result in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(result, Exception):
                raise result

    def _begin(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=name)
        self._running.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[None]) -> None:
        # A task that failed is kept for `close`, which raises its error.
        if task.cancelled() or task.exception() is None:
            self._running.discard(task)

    async def _hint(self, position: Position, on_found: Callable[[Verdict], None]) -> None:
        on_found(await self._evaluate(position, THOROUGH_SEARCH))

    async def _ponder(self, position: Position) -> None:
        # Something to show at once, then something better.
        for effort in (QUICK_SEARCH, THOROUGH_SEARCH):
            if effort is THOROUGH_SEARCH or position not in self._verdicts:
                await self._evaluate(position, effort)
                self._on_change()

    async def _evaluate_all(self, positions: list[Position]) -> None:
        for number, position in enumerate(positions, 1):
            if position not in self._verdicts:
                await self._evaluate(position, QUICK_SEARCH)
            done = number == len(positions)
            self.progress = None if done else Progress(number, len(positions))
            self._on_change()

    async def _evaluate(self, position: Position, effort: Effort) -> Verdict:
        found = await self._adviser.evaluate(position, effort)
        known = self._verdicts.pop(position, found)
        better = found if found.nodes >= known.nodes else known
        self._verdicts[position] = better
        while len(self._verdicts) > _MAX_VERDICTS:
            del self._verdicts[next(iter(self._verdicts))]
        return better
