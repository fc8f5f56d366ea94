"""What one task waits for and another says, made small: a node has a dozen for each game.

`asyncio.Event` and `asyncio.Queue` hold deques of half a kilobyte each, which a thousand games that
wait for their opponents would fill with nothing. Errors come out of task groups as themselves.
"""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Any, Generic, TypeVar


class _PlainErrors:
    """See `plain_errors`; a class, for every game is in four of them all the time."""

    __slots__ = ()

    def __enter__(self) -> None:
        """Nothing yet."""

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
    """Raise the first error of a group of errors alone.

    Our task groups end with their first error; what the others raise while they are
    stopped says nothing new.
    """
    return _PLAIN_ERRORS


T = TypeVar("T")


@asynccontextmanager
async def beside(work: Coroutine[Any, Any, T], name: str) -> AsyncIterator[asyncio.Task[T]]:
    """A task that is cancelled, and has ended, when the block ends; its errors are its own."""
    task = asyncio.create_task(work, name=name)
    try:
        yield task
    finally:
        task.cancel()
        await asyncio.wait({task})


async def ended(task: asyncio.Task[Any]) -> None:
    """Wait for the end of a task, however it ends; `asyncio.wait` takes a kilobyte for that."""
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def over(_: object) -> None:
        if not waiter.done():
            waiter.set_result(None)

    task.add_done_callback(over)
    await waiter


class Signal:
    """What `asyncio.Event` is."""

    __slots__ = ("_said", "_waiters")

    def __init__(self) -> None:
        """Not said yet."""
        self._said = False
        self._waiters: tuple[asyncio.Future[None], ...] = ()

    def is_set(self) -> bool:
        """Whether it is said."""
        return self._said

    def set(self) -> None:
        """Say it, to all who wait and all who will."""
        self._said = True
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)

    def clear(self) -> None:
        """Who comes from now on waits again."""
        self._said = False

    async def wait(self) -> None:
        """Until it is said."""
        if self._said:
            return
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters += (waiter,)
        try:
            await waiter
        finally:
            self._waiters = tuple(each for each in self._waiters if each is not waiter)


class Backlog(Generic[T]):
    """What `asyncio.Queue` is, for a single consumer."""

    __slots__ = ("_items", "_news")

    def __init__(self) -> None:
        """Nothing is in it."""
        self._items: list[T] = []
        self._news = Signal()

    def put_nowait(self, item: T) -> None:
        """Add one at the end."""
        self._items.append(item)
        self._news.set()

    async def get(self) -> T:
        """Take the first, as soon as there is one."""
        while not self._items:
            await self.news()
        return self._items.pop(0)

    async def news(self) -> None:
        """Wait until something is in it, or has been since, should others take it first."""
        if not self._items:
            self._news.clear()
            await self._news.wait()

    def get_nowait(self) -> T:
        """Take the first; there is one."""
        return self._items.pop(0)

    def empty(self) -> bool:
        """Whether nothing is in it."""
        return not self._items

    def qsize(self) -> int:
        """How many are in it."""
        return len(self._items)
