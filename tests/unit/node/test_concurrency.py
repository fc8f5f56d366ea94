"""The small kin of asyncio's event and queue."""

import asyncio

from ataxxd.node.concurrency import Backlog, Signal


async def test_all_who_wait_hear_what_is_said_and_who_comes_later_does_not_wait() -> None:
    signal = Signal()
    waiting = [asyncio.create_task(signal.wait()) for _ in range(3)]
    await asyncio.sleep(0)
    assert not signal.is_set()
    signal.set()
    await asyncio.gather(*waiting)
    await signal.wait()
    assert signal.is_set()


async def test_what_was_said_and_taken_back_is_heard_by_who_waited() -> None:
    signal = Signal()
    before = asyncio.create_task(signal.wait())
    await asyncio.sleep(0)
    signal.set()
    signal.clear()
    after = asyncio.create_task(signal.wait())
    await before
    assert not after.done()
    signal.set()
    await after


async def test_who_waits_no_longer_is_forgotten() -> None:
    signal = Signal()
    given_up, waiting = asyncio.create_task(signal.wait()), asyncio.create_task(signal.wait())
    await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.wait({given_up})
    assert len(signal._waiters) == 1
    signal.set()
    await waiting
    assert not signal._waiters


async def test_a_backlog_gives_what_was_put_in_its_order() -> None:
    backlog: Backlog[int] = Backlog()
    taking = asyncio.create_task(backlog.get())
    await asyncio.sleep(0)
    for number in range(3):
        backlog.put_nowait(number)
    assert await taking == 0
    assert (backlog.qsize(), backlog.get_nowait(), await backlog.get()) == (2, 1, 2)
    assert backlog.empty()


async def test_who_stops_waiting_for_a_backlog_takes_nothing() -> None:
    backlog: Backlog[str] = Backlog()
    taking = asyncio.create_task(backlog.get())
    await asyncio.sleep(0)
    taking.cancel()
    backlog.put_nowait("kept")
    await asyncio.wait({taking})
    assert taking.cancelled()
    assert await backlog.get() == "kept"
