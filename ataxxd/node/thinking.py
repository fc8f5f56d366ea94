"""How a bot chooses its moves: off the event loop, with a limited number of searches at once.

Among waiting games, the one whose flag falls first is next; without clocks, the first to arrive.
While others wait, a search is cut short, so that every game gets its turn before its time is up.
"""

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias, TypeVar

from ataxxd.engines.base import Bot, InstantBot
from ataxxd.engines.search_thread import StoppableCall
from ataxxd.rules import Move, Position
from ataxxd.rules.checkers import is_too_early_for_draw, plies_since_usual_draw, should_offer_draw

T = TypeVar("T")

Decision: TypeAlias = Move | Literal["offer_draw", "accept", "reject"]
"""What a bot can decide to do."""


class Ask(Protocol):
    """Asks a bot off the event loop, with a time budget in milliseconds."""

    def __call__(self, question: Callable[[int | None], T], /) -> Awaitable[T]:
        """Ask it."""
        ...


async def decide(
    bot: Bot,
    start: Position,
    moves: Sequence[Move],
    position: Position,
    think: Ask,
    *,
    seed: int,
    asked: bool,
    must_move: bool,
) -> Decision:
    """Decide what a bot does next.

    Args:
        bot: the bot.
        start: the position the game began from.
        moves: the moves since.
        position: the position now.
        think: runs the bot off the event loop.
        seed: the seed of its choices.
        asked: whether it is offered a draw.
        must_move: it can only move, as its own offer of a draw was rejected.
    """
    if asked:
        accepts = plies_since_usual_draw(start, moves) is not None or (
            not is_too_early_for_draw(start, moves)
            and await think(lambda ms: bot.accepts_draw(position, time_ms=ms))
        )
        return "accept" if accepts else "reject"
    if not must_move and should_offer_draw(start, moves):
        return "offer_draw"
    return await think(lambda ms: bot.choose(position, seed=seed, time_ms=ms))


@dataclass(frozen=True, slots=True)
class Budget:
    """A bot's time for an answer, in milliseconds; None without a clock.

    Attributes:
        answer_ms: the most it should spend on this answer.
        left_ms: the time until its flag falls.
    """

    answer_ms: int | None = None
    left_ms: int | None = None


class Scheduler(Protocol):
    """Decides when the bots of a node think.

    Attributes:
        ponders: whether bots may think on the opponent's time; not if games share cores.
    """

    ponders: bool

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """Ask a bot, and return its answer.

        Args:
            bot: the bot.
            question: calls the bot with the milliseconds that it may spend.
            budget: returns its time at this moment; called again when the search begins.
        """
        ...


class Unscheduled:
    """The usual `Scheduler`: every bot thinks at once, in a thread of its own."""

    ponders = True

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """Ask a bot in a thread of its own, at once."""
        return await think(bot, partial(question, budget().answer_ms))


UNSCHEDULED = Unscheduled()


async def think(bot: Bot, question: Callable[[], T]) -> T:
    """Ask a bot, in a thread unless it answers immediately, and return its answer.

    If cancelled, it stops the bot and waits for it, so that a bot never has two searches at once.

    Args:
        bot: the bot.
        question: calls the bot, such as ``partial(bot.choose, position)``.
    """
    if isinstance(bot, InstantBot):
        return question()
    return await StoppableCall(question, bot.stop).result()


def fair_ms(budget: Budget, waiting: Sequence[int | None], cores: int) -> int | None:
    """How long a search may take so that neither it nor those that wait lose on time.

    The search in place k of the queue begins after k // cores + 1 searches, if all take equally
    long. Waiting should cost it no more time than its own move: if each wait took half of the
    remaining time, every game would be lost after a dozen moves.

    Args:
        budget: the time of the search that begins.
        waiting: what each waiting search would spend on its move, in milliseconds and in the
            order of the queue; None without a clock.
        cores: how many searches run at once.

    Returns:
        Milliseconds, at least 1; None if no clock is running.
    """
    limits = [] if budget.answer_ms is None else [budget.answer_ms]
    if budget.left_ms is not None:
        limits.append(budget.left_ms // 2)
    limits += [
        answer // (place // cores + 1) for place, answer in enumerate(waiting) if answer is not None
    ]
    return max(1, min(limits)) if limits else None


class SearchScheduler:
    """A `Scheduler` that limits the number of bots thinking at once.

    Attributes:
        searching: how many searches are running.
        spent_ms: the total time of all finished searches, in milliseconds.
    """

    ponders = False

    def __init__(self, count: int, now: Callable[[], float] = time.monotonic) -> None:
        """Create a scheduler without searches.

        Args:
            count: how many searches may run at once, at least 1.
            now: a monotonic clock, in seconds.
        """
        self.searching = 0
        self.spent_ms = 0.0
        self._count = count
        self._now = now
        self._arrivals = itertools.count()
        # A heap: when the flag falls, in seconds; the order of arrival; what the search would
        # spend, in milliseconds; and the future that it waits for.
        self._queue: list[tuple[float, int, int | None, asyncio.Future[None]]] = []

    @property
    def waiting(self) -> int:
        """How many searches are waiting for a core."""
        return sum(not future.done() for *_, future in self._queue)

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """Ask a bot when it is its turn in the queue, and return its answer."""
        if isinstance(bot, InstantBot):
            return question(budget().answer_ms)
        await self._turn(budget())
        begun = self._now()
        try:
            answer_ms = fair_ms(budget(), self._answers(), self._count)
            return await think(bot, partial(question, answer_ms))
        finally:
            self.spent_ms += (self._now() - begun) * 1000
            self._pass_on()

    async def _turn(self, budget: Budget) -> None:
        if self.searching < self._count:
            self.searching += 1
            return
        falls = math.inf if budget.left_ms is None else self._now() + budget.left_ms / 1000
        future = asyncio.get_running_loop().create_future()
        entry = (falls, next(self._arrivals), budget.answer_ms, future)
        heapq.heappush(self._queue, entry)
        try:
            await future
        except asyncio.CancelledError:
            if not future.cancelled():
                self._pass_on()  # it was our turn already
            raise

    def _pass_on(self) -> None:
        """Give the core that has become free to the next search that waits."""
        while self._queue:
            *_, future = heapq.heappop(self._queue)
            if not future.done():
                future.set_result(None)
                return
        self.searching -= 1

    def _answers(self) -> list[int | None]:
        """What each waiting search would spend on its move, in milliseconds, the next one first."""
        return [answer for _, _, answer, future in sorted(self._queue) if not future.done()]
