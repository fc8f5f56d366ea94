"""Duties are done when they are due, in simulated time; what they raise is not lost."""

import asyncio
import math
from collections.abc import Awaitable, Callable

import pytest

from ataxxd.node.concurrency import Duty, Timetable, plain_errors
from tests.chaos.loop import VirtualLoop, run_virtually


def now() -> float:
    return asyncio.get_running_loop().time()


class Bell(Duty):
    """Notes when it is done, and does something then."""

    def __init__(self, then: Callable[["Bell"], Awaitable[None]] | None = None) -> None:
        super().__init__()
        self.rung: list[float] = []
        self._then = then

    async def perform(self) -> None:
        self.rung.append(now())
        if self._then is not None:
            await self._then(self)


def test_each_is_done_at_its_time_whatever_the_others_wait_for() -> None:
    async def story() -> None:
        async def stuck(_: Bell) -> None:
            await asyncio.sleep(100)

        first, second, third = Bell(stuck), Bell(), Bell()
        first.schedule(1)
        second.schedule(5)
        async with asyncio.TaskGroup() as group:
            with Timetable(group, first, second, third):
                await asyncio.sleep(3)
                third.schedule(4)
                await asyncio.sleep(3)
                second.schedule(20)
                second.schedule(30)
                third.schedule(7)
                third.schedule(math.inf)
                await asyncio.sleep(50)
        assert (first.rung, second.rung, third.rung) == ([1], [5, 30], [4])

    run_virtually(story(), VirtualLoop())


def test_what_is_due_again_while_it_is_done_is_done_once_more_afterwards() -> None:
    async def story() -> None:
        async def slow(_: Bell) -> None:
            await asyncio.sleep(10)

        bell = Bell(slow)
        bell.schedule(0)
        async with asyncio.TaskGroup() as group:
            with Timetable(group, bell):
                await asyncio.sleep(1)
                assert bell.busy
                bell.schedule(2)
                await asyncio.sleep(60)
        assert bell.rung == [0, 10]

    run_virtually(story(), VirtualLoop())


def test_an_error_ends_the_group_and_nothing_is_begun_after_it() -> None:
    async def story() -> None:
        async def fail(_: Bell) -> None:
            raise OSError("the disk is full")

        async def spoil(_: Bell) -> None:
            after.schedule(now())
            raise OSError("the disk is full")

        async def both(*bells: Bell) -> None:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    with Timetable(group, *bells):
                        await asyncio.Event().wait()

        for failing in (Bell(fail), Bell(spoil)):
            after = Bell()
            failing.schedule(now() + 1)
            after.schedule(now() + 2)
            with pytest.raises(OSError, match="full"):
                await both(failing, after)
            failing.schedule(now())
            await asyncio.sleep(10)
            assert len(failing.rung) == 1
            assert not after.rung

    run_virtually(story(), VirtualLoop())


def test_a_duty_alone_is_done_until_it_is_cancelled_and_can_go_on_after() -> None:
    async def story() -> None:
        async def again(bell: Bell) -> None:
            bell.schedule(now() + 1)
            await asyncio.sleep(0.5)

        bell = Bell(again)
        bell.schedule(0)
        for upto in (3, 6):
            running = asyncio.create_task(bell.run())
            await asyncio.sleep(upto - 0.75 - now())
            running.cancel()
            await asyncio.wait({running})
            assert running.cancelled()
            assert asyncio.all_tasks() == {asyncio.current_task()}
            await asyncio.sleep(upto - now())
        assert bell.rung == [0, 1, 2, 3, 4, 5]

    run_virtually(story(), VirtualLoop())
