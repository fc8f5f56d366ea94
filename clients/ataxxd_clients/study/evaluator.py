"""Evaluating many positions in the background, and the one that is looked at more thoroughly."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any

from ataxxd.rules import Position
from ataxxd_clients.study.adviser import GLANCE, LOOK, Adviser, Effort
from ataxxd_clients.study.verdicts import Verdict, verdict_of_end

_MOST_VERDICTS = 20_000


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a survey has come: so many positions of so many."""

    done: int
    total: int


class Evaluator:
    """The engine's verdicts of positions, kept, and the work of getting them.

    Args:
        tell: called after a verdict has come or the progress has changed.
    """

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._adviser = Adviser()
        self._verdicts: dict[Position, Verdict] = {}
        self._survey: asyncio.Task[None] | None = None
        self._pondering: asyncio.Task[None] | None = None
        # Those that were cancelled as well: the engine takes a moment to hear it.
        self._running: set[asyncio.Task[None]] = set()
        self.progress: Progress | None = None
        """Of the survey; None when there is none."""

    def verdict(self, position: Position) -> Verdict | None:
        """What is known of a position; None when the engine has not been asked."""
        return verdict_of_end(position) or self._verdicts.get(position)

    def survey(self, positions: Iterable[Position]) -> None:
        """Begin to evaluate positions at a glance, in order; those that are known are skipped."""
        self.stop_survey()
        wanted = [each for each in positions if self.verdict(each) is None]
        if wanted:
            self.progress = Progress(0, len(wanted))
            self._survey = self._begin(self._go_through(wanted), "survey")
        self._tell()

    def stop_survey(self) -> None:
        """End the survey; what it has found is kept."""
        self.progress = None
        if self._survey is not None:
            self._survey.cancel()

    async def look(self, position: Position) -> Verdict:
        """The verdict of a thorough look at a position in which the game goes on."""
        return await self._consider(position, LOOK)

    def ponder(self, position: Position | None) -> None:
        """Look at a position thoroughly; None ends it. An earlier question is dropped."""
        if self._pondering is not None:
            self._pondering.cancel()
        self._pondering = None
        if position is None or position.outcome is not None:
            return
        known = self._verdicts.get(position)
        if known is None or known.nodes <= GLANCE.nodes:
            self._pondering = self._begin(self._ponder(position), "pondering")

    async def close(self) -> None:
        """End all work.

        Raises:
            Exception: what went wrong in it, if anything did.
        """
        tasks = [*self._running]
        for task in tasks:
            # A second time would cut short the wait for the engine.
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
        # What failed is kept for `close`, which tells it.
        if task.cancelled() or task.exception() is None:
            self._running.discard(task)

    async def _ponder(self, position: Position) -> None:
        # Something to show at once, then something better.
        for effort in (GLANCE, LOOK):
            if effort is LOOK or position not in self._verdicts:
                await self._consider(position, effort)
                self._tell()

    async def _go_through(self, positions: list[Position]) -> None:
        for number, position in enumerate(positions, 1):
            if position not in self._verdicts:
                await self._consider(position, GLANCE)
            done = number == len(positions)
            self.progress = None if done else Progress(number, len(positions))
            self._tell()

    async def _consider(self, position: Position, effort: Effort) -> Verdict:
        found = await self._adviser.consider(position, effort)
        known = self._verdicts.pop(position, found)
        better = found if found.nodes >= known.nodes else known
        self._verdicts[position] = better
        while len(self._verdicts) > _MOST_VERDICTS:
            del self._verdicts[next(iter(self._verdicts))]
        return better
