"""Messages pass between two sides, and nobody waits for what cannot come."""

import asyncio

import pytest

from ataxxd_clients.accept import Inbox, NoMoreMessagesError
from ataxxd_clients.accept.program import read_message

MOVE, RESULT = read_message("* Red moves a7-b6."), read_message("* Red wins.")


async def test_messages_come_out_in_the_order_they_went_in() -> None:
    inbox, _ = Inbox.make_pair()
    inbox.put(MOVE)
    inbox.put(RESULT)
    assert [await inbox.get(), await inbox.get()] == [MOVE, RESULT]


async def test_who_waits_gets_what_is_put_later() -> None:
    inbox, _ = Inbox.make_pair()
    waiting = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.put(MOVE)
    assert await waiting is MOVE


async def test_what_was_put_before_the_end_is_still_there_and_then_the_end_is_said() -> None:
    inbox, _ = Inbox.make_pair()
    inbox.put(MOVE)
    inbox.close()
    assert await inbox.get() is MOVE
    with pytest.raises(NoMoreMessagesError, match="come to its end"):
        await inbox.get()


async def test_the_end_wakes_who_waits() -> None:
    inbox, _ = Inbox.make_pair()
    waiting = asyncio.create_task(inbox.get())
    await asyncio.sleep(0)
    inbox.close()
    with pytest.raises(NoMoreMessagesError, match="come to its end"):
        await waiting


async def test_two_that_wait_for_each_other_are_told_so() -> None:
    one, two = Inbox.make_pair()
    waiting = asyncio.create_task(one.get())
    await asyncio.sleep(0)
    with pytest.raises(NoMoreMessagesError, match="each program waits for the other"):
        await two.get()
    one.close()
    with pytest.raises(NoMoreMessagesError):
        await waiting


async def test_who_has_mail_is_not_waiting_for_anybody() -> None:
    one, two = Inbox.make_pair()
    first = asyncio.create_task(one.get())
    await asyncio.sleep(0)
    one.put(MOVE)
    second = asyncio.create_task(two.get())
    assert await first is MOVE
    two.put(RESULT)
    assert await second is RESULT
