"""Timers and waiting with little memory, for nodes with thousands of games.

Most of what a game waits for never comes: a silence, a fallen flag, a missing nickname. A sleeping
task for each would take a kilobyte; a `Duty` takes a number, and a task only while it is performed.
`asyncio.Event` and `asyncio.Queue` hold deques of half a kilobyte each, even when empty. Errors
leave the task groups here as themselves, not in exception groups.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Generic, Self, TypeVar


class _PlainErrors:
    """A block that raises the first error of an exception group instead of the group.

    It has no state, so all blocks share one instance. A generator for each would cost memory:
    every game is in four such blocks all the time.
    """

    __slots__ = ()

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Raise the first error of a group instead of the group."""
        if isinstance(error, BaseExceptionGroup):
            while isinstance(error, BaseExceptionGroup):
                error = error.exceptions[0]
            raise error from error.__cause__


_PLAIN_ERRORS = _PlainErrors()


def plain_errors() -> _PlainErrors:
    """A block from which an exception group leaves as its first error, with the group's cause.

    Our task groups end with their first error; what the other tasks raise while they are being
    stopped is of no interest.
    """
    return _PLAIN_ERRORS


T = TypeVar("T")


@asynccontextmanager
async def run_beside(work: Coroutine[Any, Any, T], name: str) -> AsyncIterator[asyncio.Task[T]]:
    """Run a task during the block; at its end it is cancelled and awaited, its errors ignored."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def wait_until_done(task: asyncio.Task[Any]) -> None:
    """Wait until a task ends, however it ends; `asyncio.wait` would take a kilobyte for that."""
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def on_done(_: object) -> None:
        if not waiter.done():
            waiter.set_result(None)

    task.add_done_callback(on_done)
    await waiter


class Signal:
    """A small replacement for `asyncio.Event`."""

    __slots__ = ("_is_set", "_waiters")

    def __init__(self) -> None:
        """Start unset."""
        self._is_set = False
        self._waiters: tuple[asyncio.Future[None], ...] = ()

    def is_set(self) -> bool:
        """Whether it is set."""
        return self._is_set

    def set(self) -> None:
        """Set it, and wake all who wait."""
        self._is_set = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def clear(self) -> None:
        """Unset it: later calls of `wait` wait again."""
        self._is_set = False

    async def wait(self) -> None:
        """Wait until it is set."""
        if self._is_set:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters += (waiter,)
        try:
            await waiter
        finally:
            self._waiters = tuple(each for each in self._waiters if each is not waiter)


class Backlog(Generic[T]):
    """A small replacement for `asyncio.Queue`, for a single consumer."""

    __slots__ = ("_added", "_items")

    def __init__(self) -> None:
        """Start empty."""
        self._items: list[T] = []
        self._added = Signal()

    def put_nowait(self, item: T) -> None:
        """Add an item at the end."""
        self._items.append(item)
        self._added.set()

    async def get(self) -> T:
        """Remove and return the first item, waiting for one if there is none."""
        while not self._items:
            await self.wait_for_item()
        return self._items.pop(0)

    async def wait_for_item(self) -> None:
        """Wait until an item has been added, even if another consumer has taken it by then."""
        if not self._items:
            self._added.clear()
            await self._added.wait()

    def get_nowait(self) -> T:
        """Remove and return the first item, which must exist."""
        return self._items.pop(0)

    def empty(self) -> bool:
        """Whether it is empty."""
        return not self._items

    def qsize(self) -> int:
        """The number of items."""
        return len(self._items)


class Duty(ABC):
    """An action with a due time, performed once at a time.

    Attributes:
        due_s: when it is due, in seconds of the event loop's clock; `math.inf` when it is not.
        busy: whether it is being performed.
    """

    def __init__(self) -> None:
        """Start with no due time."""
        self.due_s = math.inf
        self.busy = False
        self._timetable: Timetable | None = None

    def schedule(self, at_s: float) -> None:
        """Set the due time, in place of any other; a performance under way ends first."""
        self.due_s = at_s
        if self._timetable is not None:
            self._timetable.reschedule(self)

    @abstractmethod
    async def perform(self) -> None:
        """Perform the action; `schedule` makes it due again."""

    def set_timetable(self, timetable: "Timetable | None") -> None:
        """Belong to this timetable from now on, or to none."""
        self._timetable = timetable

    async def run(self) -> None:
        """Perform the action whenever it is due, for ever; passes its errors on."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                with Timetable(group, self):
                    await asyncio.Event().wait()


class Timetable:
    """Performs duties when they are due, each in a task of a group, while it is entered.

    An error in a duty ends the group.
    """

    __slots__ = ("_duties", "_group", "_timer")

    def __init__(self, group: asyncio.TaskGroup, *duties: Duty) -> None:
        """Perform `duties` in `group`, which must outlive the timetable."""
        self._group: asyncio.TaskGroup | None = group
        self._duties = duties
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        """Begin to perform the duties, of which some may be due already."""
        for duty in self._duties:
            duty.set_timetable(self)
        self._wait()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Start no more duties."""
        self.close()

    def close(self) -> None:
        """Start no more duties; may be called twice."""
        self._group = None
        self._stop()
        for duty in self._duties:
            duty.set_timetable(None)

    def reschedule(self, duty: Duty) -> None:
        """Note that the due time of a duty has changed."""
        # If the new time is later, leave the timer: it will find nothing due, and set itself again.
        if not duty.busy and (self._timer is None or duty.due_s < self._timer.when()):
            self._wait()

    def _wait(self) -> None:
        self._stop()
        due_s = min((duty.due_s for duty in self._duties if not duty.busy), default=math.inf)
        if self._group is not None and due_s < math.inf:
            self._timer = asyncio.get_running_loop().call_at(due_s, self._on_timer)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _on_timer(self) -> None:
        now = asyncio.get_running_loop().time()
        for duty in self._duties:
            if self._group is not None and duty.due_s <= now and not duty.busy:
                duty.due_s, duty.busy = math.inf, True
                self._group.create_task(self._perform(duty), name=type(duty).__name__)
        self._wait()

    async def _perform(self, duty: Duty) -> None:
        try:
            await duty.perform()
        except BaseException:
            # At once: the group has not ended yet, and would wait for any duty that starts now.
            self.close()
            raise
        finally:
            duty.busy = False
        self.reschedule(duty)
