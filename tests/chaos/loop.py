"""An event loop in which no time passes but what its timers ask for.

When nothing is ready the clock jumps to the next timer, so hours of waiting cost nothing.
Nothing outside the process can wake it: no sockets, no threads, no signals. Two runs of the
same program do the same in the same order.
"""

import asyncio
import itertools
from asyncio import base_events
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class NothingLeftToDoError(Exception):
    """Every task waits for something that no timer will bring: the program hangs for ever."""


class _OrderedTask(asyncio.Task[Any]):
    """A task whose place in a set does not depend on where it lies in memory.

    Task groups cancel their tasks in the order of a set.
    """

    def __init__(self, coro: Any, number: int, **options: Any) -> None:
        self._number = number
        super().__init__(coro, **options)

    def __hash__(self) -> int:
        return self._number


class _NoSelector:
    """Stands where the loop would wait for files: moves the clock instead."""

    def __init__(self, loop: "VirtualLoop") -> None:
        self._loop = loop

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise NothingLeftToDoError("no task is ready and no timer runs")
        self._loop.now += timeout
        return []


class VirtualLoop(base_events.BaseEventLoop):
    """See the module.

    Attributes:
        now: seconds since the loop was made.
        faults: what reached the loop's last resort, as text: errors nobody caught.
    """

    # What BaseEventLoop asks of its subclasses, and typeshed does not tell.
    _clock_resolution: float
    _ready: Any

    def __init__(self) -> None:
        self.now = 0.0
        self.faults: list[str] = []
        super().__init__()
        self._selector = _NoSelector(self)
        # A timer is due exactly at its time: the clock never stands a little before it.
        self._clock_resolution = 1e-9
        numbers = itertools.count(1)
        self.set_task_factory(
            lambda loop, coro, **options: _OrderedTask(
                coro,
                next(numbers),
                loop=loop,
                **options,
            )
        )
        self.set_exception_handler(self._take_fault)

    def time(self) -> float:
        """The virtual time in seconds."""
        return self.now

    def _process_events(self, event_list: list[Any]) -> None:
        assert not event_list

    def _write_to_self(self) -> None:
        """Another thread wants to wake the loop; there is none."""

    def _take_fault(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        self.faults.append(f"{context.get('message')}: {context.get('exception')!r}")


def run_virtually(main: Coroutine[Any, Any, T], loop: VirtualLoop) -> T:
    """Run `main` to its end on a loop of its own, and close that.

    Raises:
        NothingLeftToDoError: `main` waits for ever.
    """
    try:
        return loop.run_until_complete(main)
    finally:
        left = asyncio.all_tasks(loop)
        for task in sorted(left, key=hash):
            task.cancel()
        if left:
            loop.run_until_complete(asyncio.gather(*sorted(left, key=hash), return_exceptions=True))
        loop.run_until_complete(loop.shutdown_asyncgens())
        loop.close()
