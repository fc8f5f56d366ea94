"""When each thing is due that is done unasked, and one timer for the first of them.

What a game waits for nearly never comes: a silence, a fallen flag, a name to ask for. A task for
each, that sleeps, takes a kilobyte; a `Duty` takes a number, and a task while it is performed.
"""

import asyncio
import math
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self

from ataxxd.node.concurrency import plain_errors


class Duty(ABC):
    """Something that is done when it is due, once at a time.

    Attributes:
        due_s: when, by the event loop's clock; `math.inf` when it is not.
        busy: whether it is being done.
    """

    def __init__(self) -> None:
        """Not due."""
        self.due_s = math.inf
        self.busy = False
        self._timetable: Timetable | None = None

    def be_due(self, at_s: float) -> None:
        """Be due then, and at no other time; when it is being done, once that is over."""
        self.due_s = at_s
        if self._timetable is not None:
            self._timetable.look(self)

    @abstractmethod
    async def perform(self) -> None:
        """Do it; it is due again when `be_due` says so, now or later."""

    def stand_in(self, timetable: "Timetable | None") -> None:
        """Be done by a timetable from now on, or by none."""
        self._timetable = timetable

    async def run(self) -> None:
        """Do it whenever it is due, for ever; raises what it does."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                with Timetable(group, self):
                    await asyncio.Event().wait()


class Timetable:
    """Has duties done when they are due, each in a task of a group, while it is entered.

    What a duty raises is the group's: it ends with it.
    """

    __slots__ = ("_duties", "_group", "_timer")

    def __init__(self, group: asyncio.TaskGroup, *duties: Duty) -> None:
        """Have `duties` done in `group`, which is to end later than this."""
        self._group: asyncio.TaskGroup | None = group
        self._duties = duties
        self._timer: asyncio.TimerHandle | None = None

    def __enter__(self) -> Self:
        """Look at all that may be due already."""
        for duty in self._duties:
            duty.stand_in(self)
        self._wait()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Begin nothing any more."""
        self.close()

    def close(self) -> None:
        """Begin nothing any more; may be called again."""
        self._group = None
        self._stop()
        for duty in self._duties:
            duty.stand_in(None)

    def look(self, duty: Duty) -> None:
        """When a duty is due has changed."""
        # Later than the timer is no reason to set it anew: it finds nothing, and looks when to.
        if not duty.busy and (self._timer is None or duty.due_s < self._timer.when()):
            self._wait()

    def _wait(self) -> None:
        self._stop()
        due_s = min((duty.due_s for duty in self._duties if not duty.busy), default=math.inf)
        if self._group is not None and due_s < math.inf:
            self._timer = asyncio.get_running_loop().call_at(due_s, self._ring)

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
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
            # At once: the group has not ended yet, but begins nothing that it would wait for.
            self.close()
            raise
        finally:
            duty.busy = False
        self.look(duty)
