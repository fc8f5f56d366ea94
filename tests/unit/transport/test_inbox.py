"""The inbox: one consumer, bounded, oldest message first to go."""

import asyncio

import pytest

from ataxxd.transport.base import Connected, Counters, Disconnected, Received, TransportEvent
from ataxxd.transport.queues import Inbox


def message(number: int, size: int = 1) -> Received:
    return Received(f"t/{number}", b"x" * size, retained=False)


async def rest(inbox: Inbox) -> list[TransportEvent]:
    inbox.close()
    return [event async for event in inbox]


async def test_events_come_out_in_order() -> None:
    inbox = Inbox(Counters())
    events: list[TransportEvent] = [Connected(1), message(1), Disconnected("gone"), Connected(2)]
    for event in events:
        inbox.put(event)
    assert await rest(inbox) == events


async def test_a_flood_drops_the_oldest_messages_and_no_connection_event() -> None:
    counters = Counters()
    inbox = Inbox(counters, max_messages=2)
    inbox.put(Connected(1))
    inbox.put(message(1))
    inbox.put(Disconnected("gone"))
    inbox.put(message(2))
    inbox.put(message(3))
    assert counters.overflowed == 1
    assert await rest(inbox) == [Connected(1), Disconnected("gone"), message(2), message(3)]


async def test_large_messages_are_bounded_by_their_bytes() -> None:
    counters = Counters()
    inbox = Inbox(counters, max_bytes=100)
    for number in range(10):
        inbox.put(message(number, size=40))
    assert (counters.received, counters.overflowed) == (10, 8)
    assert await rest(inbox) == [message(8, 40), message(9, 40)]


async def test_a_flood_on_one_topic_pushes_nothing_of_another_out() -> None:
    counters = Counters()
    inbox = Inbox(counters, max_messages=64)
    inbox.put(message(1))
    for number in range(10_000):
        inbox.put(Received("flooded", str(number).encode(), retained=False))
        if number % 1000 == 0:
            inbox.put(message(number))
        assert len(inbox) <= 64
    delivered = await rest(inbox)
    assert delivered[0] == message(1)
    assert [event for event in delivered if event == message(9000)]
    assert counters.received - counters.overflowed == len(delivered) == 64
    assert delivered[-1] == Received("flooded", b"9999", retained=False)


async def test_a_preferred_topic_takes_turns_with_a_flood_of_all_others() -> None:
    counters = Counters()
    inbox = Inbox(counters, max_messages=64)
    inbox.prefer("move")
    moves = [Received("move", b"%d" % number, retained=False) for number in range(3)]
    for move in moves:
        for number in range(1000):
            inbox.put(message(number))
        inbox.put(move)
    for number in range(1000):
        inbox.put(message(number))
    first = [await anext(inbox) for _ in range(6)]
    assert [event for event in first if event in moves] == moves
    # The others have their turns, and nothing is lost but the oldest of them.
    assert len({*first} - {*moves}) == 3
    inbox.unprefer("move")
    for number in range(1000):
        inbox.put(message(number))
        if not number:
            inbox.put(moves[0])
    assert moves[0] not in await rest(inbox)


async def test_others_have_their_turn_while_a_flood_is_handed_over() -> None:
    inbox = Inbox(Counters())
    for number in range(1000):
        inbox.put(message(number))
    left: list[int] = []
    reading = asyncio.create_task(rest(inbox), name="consumer")
    other = asyncio.create_task(asyncio.sleep(0), name="other")
    other.add_done_callback(lambda _: left.append(len(inbox)))
    assert await reading == [message(number) for number in range(1000)]
    assert left[0] > 800


async def test_others_have_their_turn_when_what_is_handed_over_takes_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 0.0
    monkeypatch.setattr("ataxxd.transport.queues.time.monotonic", lambda: now)
    inbox = Inbox(Counters())
    for number in range(20):
        inbox.put(message(number))
    inbox.close()
    taken = 0

    async def other() -> int:
        turns = 0
        while taken < 20:
            turns += 1
            await asyncio.sleep(0)
        return turns

    turns = asyncio.create_task(other(), name="other")
    async for _ in inbox:
        taken += 1
        now += 0.0001  # as long as it takes to see that a signature is false
    assert await turns >= 5


async def test_a_preferred_message_does_not_come_before_the_connection_that_brought_it() -> None:
    inbox = Inbox(Counters())
    inbox.prefer("move")
    move = Received("move", b"1", retained=False)
    events: list[TransportEvent] = [message(1), Disconnected("gone"), Connected(2), move]
    for event in events:
        inbox.put(event)
    assert await rest(inbox) == events


async def test_what_was_taken_makes_room_again() -> None:
    counters = Counters()
    inbox = Inbox(counters, max_messages=1, max_bytes=10)
    for number in range(100):
        inbox.put(message(number, size=10))
        assert await anext(inbox) == message(number, size=10)
    assert counters.overflowed == 0


async def test_a_second_consumer_is_refused() -> None:
    inbox = Inbox(Counters())
    waiting = asyncio.create_task(inbox.__anext__())
    await asyncio.sleep(0)
    with pytest.raises(RuntimeError, match="one consumer"):
        await anext(inbox)
    inbox.put(Connected(1))
    assert await waiting == Connected(1)


async def test_a_consumer_that_was_cancelled_loses_nothing() -> None:
    inbox = Inbox(Counters())
    waiting = asyncio.create_task(inbox.__anext__())
    await asyncio.sleep(0)
    inbox.put(Connected(1))
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await anext(inbox) == Connected(1)


async def test_a_failure_reaches_the_consumer_after_what_was_queued() -> None:
    inbox = Inbox(Counters())
    inbox.put(Connected(1))
    inbox.close(LookupError("a fault of ours"))
    inbox.put(Connected(2))
    assert await anext(inbox) == Connected(1)
    with pytest.raises(LookupError, match="a fault of ours"):
        await anext(inbox)
