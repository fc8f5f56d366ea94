"""Which search of a serving node runs when: its games share the cores.

At most so many searches run at once. Of those that wait, the one whose flag falls first goes
first; without clocks, whoever came first. While others wait a search is cut short, so that
every game has its turn before its time is up.
"""

import asyncio
import heapq
import itertools
import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from ataxxd.engines.base import Bot, Instant
from ataxxd.node.thinking import Budget, think

T = TypeVar("T")


def fair_ms(budget: Budget, waiting: Sequence[int | None], cores: int) -> int | None:
    """How long a search may take so that it and those that wait keep their clocks.

    Whoever waits in place k begins after k // cores + 1 searches, if all take as long. That should
    take no more of its time than it would spend on the move itself: to lose half of what is left
    by waiting for each move would end every game after a dozen.

    Args:
        budget: what the search that begins has.
        waiting: what each that waits would spend on its move, in milliseconds and in the order
            in which they begin; None without a clock.
        cores: how many search at once.

    Returns:
        Milliseconds, at least 1; None when there is no clock to keep.
    """
    limits = [] if budget.answer_ms is None else [budget.answer_ms]
    if budget.left_ms is not None:
        limits.append(budget.left_ms // 2)
    limits += [
        answer // (place // cores + 1) for place, answer in enumerate(waiting) if answer is not None
    ]
    return max(1, min(limits)) if limits else None


class SearchScheduler:
    """Lets so many bots think at once; a `ataxxd.node.thinking.Scheduler`.

    Attributes:
        searching: searches under way.
        spent_ms: the time of all searches that have ended, in milliseconds.
    """

    ponders = False

    def __init__(self, count: int, now: Callable[[], float] = time.monotonic) -> None:
        """A scheduler without searches.

        Args:
            count: how many searches may run at once, at least 1.
            now: the time in seconds.
        """
        self.searching = 0
        self.spent_ms = 0.0
        self._count = count
        self._now = now
        self._arrivals = itertools.count()
        # When the flag falls, in seconds; who came first; what it would spend; who waits.
        self._queue: list[tuple[float, int, int | None, asyncio.Future[None]]] = []

    @property
    def waiting(self) -> int:
        """How many searches wait for a core."""
        return sum(not future.done() for *_, future in self._queue)

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """What a bot answers within its budget of time."""
        if isinstance(bot, Instant):
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
        """Give a core that is free now to the next that waits."""
        while self._queue:
            *_, future = heapq.heappop(self._queue)
            if not future.done():
                future.set_result(None)
                return
        self.searching -= 1

    def _answers(self) -> list[int | None]:
        """What each that waits would spend on its move, in the order in which they begin."""
        return [answer for _, _, answer, future in sorted(self._queue) if not future.done()]
