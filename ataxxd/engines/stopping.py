"""Ending a search in another thread: it is told to stop until it has ended.

To tell it once is not enough. An engine forgets the word when its search begins, and a bot first
clears its table or starts a program; whoever wants the answer cannot see how far it has come.
"""

import asyncio
import threading
from collections.abc import Callable, Collection
from typing import Generic, TypeVar

# How often it is told again.
_AGAIN_S = 0.02

T = TypeVar("T")


def end_threads(threads: Collection[threading.Thread], *stops: Callable[[], object]) -> None:
    """Return when threads have ended, whose searches `stops` make end soon if they hear it."""
    while alive := [thread for thread in threads if thread.is_alive()]:
        for stop in stops:
            stop()
        for thread in alive:
            thread.join(_AGAIN_S)


class StoppableCall(Generic[T]):
    """A question that is answered off the event loop; used from the loop in which it is made."""

    def __init__(self, question: Callable[[], T], stop: Callable[[], object]) -> None:
        """Begin to think.

        Args:
            question: returns the answer, and may take long.
            stop: makes it return soon, if it hears it.
        """
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(asyncio.to_thread(question), name="thinking")
        self._stop = stop
        self._stopping = False

    async def answer(self) -> T:
        """The answer; when cancelled, the thought is stopped, and has ended."""
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.exception()  # looked at, so that asyncio does not complain of it
            raise

    def stop(self) -> None:
        """Have the answer soon, with what is known; returns at once."""
        if not self._stopping:
            self._stopping = True
            self._tell()

    def _tell(self) -> None:
        # Who thinks is asked nothing else before this loop has seen the answer, and so no later
        # question is stopped.
        if not self._task.done():
            self._stop()
            self._loop.call_later(_AGAIN_S, self._tell)
