"""Patterns that strangers may write to are left alone for a moment when too much comes on them."""

import asyncio
from collections.abc import Callable

from ataxxd.transport.base import Connected, Received
from ataxxd.transport.queues import Throttle
from ataxxd.transport.shared import SharedConnection
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.events import next_of
from tests.memory_broker import MemoryBroker, MemoryTransport

MANY = 1_000
# What a node looks at at once: more of one pattern, and it is left alone.
MOST = 128


def asked(transport: MemoryTransport) -> set[str]:
    """What the broker sends to a transport now."""
    return set(transport._link.patterns)  # type: ignore[union-attr] # in memory


async def heard(listener: MemoryTransport, broker: MemoryBroker) -> list[str]:
    """The topics of all that has come until now."""
    broker.inject("end", b"")
    topics: list[str] = []
    while (topic := (await next_of(listener, Received)).topic) != "end":
        topics.append(topic)
    return topics


def test_what_is_too_much_stays_at_the_broker_for_a_moment_and_what_is_dear_is_heard() -> None:
    async def play() -> None:
        broker, missed = MemoryBroker(), asyncio.Event()
        async with broker.connect() as listener:
            for pattern in ("end", "calm/+", "t/+"):
                await listener.subscribe(pattern)
            listener.throttle("t/+", exempt_topic="t/dear", on_missed=lambda _: missed.set())
            listener.throttle("calm/+")
            for number in range(MANY):
                broker.inject(f"t/{number}", b"junk")
                if number % 100 == 0:
                    broker.inject("t/dear", b"")
                    broker.inject("calm/1", b"")
            topics = await heard(listener, broker)
            assert topics.count("t/dear") == topics.count("calm/1") == MANY / 100
            assert len(topics) == MOST + 2 * MANY / 100
            assert listener.counters.throttled == MANY - MOST
            # By now the broker was asked to keep it.
            assert asked(listener) == {"end", "calm/+", "t/dear"}
            broker.inject("t/dear", b"")
            assert await heard(listener, broker) == ["t/dear"]
            broker.inject("t/kept", b"retained meanwhile", retain=True)
            await missed.wait()
            assert asked(listener) == {"end", "calm/+", "t/+"}
            broker.inject("t/1", b"")
            assert await heard(listener, broker) == ["t/kept", "t/1"]

    run_virtually(play(), VirtualLoop())


def test_a_new_connection_hears_everything_again() -> None:
    async def play() -> None:
        broker = MemoryBroker()
        async with broker.connect() as listener:
            await listener.subscribe("end")
            await listener.subscribe("t/+")
            listener.throttle("t/+")
            for number in range(MANY):
                broker.inject(f"t/{number}", b"junk")
            await heard(listener, broker)
            assert asked(listener) == {"end"}
            listener.cut()
            while (await next_of(listener, Connected)).epoch < 2:
                pass
            assert asked(listener) == {"end", "t/+"}
            broker.inject("t/1", b"")
            assert await heard(listener, broker) == ["t/1"]

    run_virtually(play(), VirtualLoop())


def test_each_rest_from_a_flood_that_goes_on_is_longer_up_to_a_bound() -> None:
    throttle, now, rests = Throttle(0.0), 0.0, list[float]()
    for _ in range(6):
        while not throttle.is_exceeded(now):
            pass
        rests.append(throttle.next_pause_s(now))
        now += rests[-1]
        throttle.resume(now)
    assert rests == [2.0, 2.0, 4.0, 8.0, 16.0, 16.0]
    now += 60.0
    while not throttle.is_exceeded(now):
        pass
    assert throttle.next_pause_s(now) <= 2.0


def test_a_flood_that_is_read_slowly_is_one_all_the_same() -> None:
    throttle, now = Throttle(0.0), 0.0
    while not throttle.is_exceeded(now):
        now += 1 / 100
    assert now < 3.0
    throttle = Throttle(0.0)
    assert not any(throttle.is_exceeded(number / 30) for number in range(3000))


def test_what_is_forgotten_meanwhile_is_not_asked_for_again() -> None:
    async def play() -> None:
        broker, missed = MemoryBroker(), asyncio.Event()
        async with broker.connect() as listener:
            for pattern in ("end", "t/+", "other/+"):
                await listener.subscribe(pattern)
            listener.throttle("t/+", exempt_topic="t/dear")
            listener.throttle("other/+", on_missed=lambda _: missed.set())
            for number in range(MANY):
                broker.inject(f"t/{number}", b"junk")
                broker.inject(f"other/{number}", b"junk")
            await heard(listener, broker)
            await listener.unsubscribe("t/+")
            await missed.wait()
            await heard(listener, broker)
            assert asked(listener) == {"end", "other/+"}

    run_virtually(play(), VirtualLoop())


def test_all_lines_learn_that_they_may_have_missed_something_until_they_are_closed() -> None:
    async def play() -> None:
        broker = MemoryBroker()
        transport = broker.connect()
        told: list[int] = []
        told_all = asyncio.Event()

        def noted(number: int) -> Callable[[str], None]:
            def note(_pattern: str) -> None:
                told.append(number)
                if len(told) == 2:
                    told_all.set()

            return note

        async with SharedConnection(transport) as shared:
            lines = [shared.make_line() for _ in range(3)]
            for number, line in enumerate(lines):
                await line.__aenter__()
                await line.subscribe("who")
                line.throttle("who", on_missed=noted(number))
            await lines[0].__aexit__(None, None, None)
            for _ in range(MANY):
                broker.inject("who", b"junk")
            await told_all.wait()
            assert sorted(told) == [1, 2]
            # One that hears all of it again ends that for nobody else.
            lines[1].unthrottle("who")
            before = transport.counters.throttled
            for _ in range(MANY):
                broker.inject("who", b"junk")
            assert transport.counters.throttled > before
            for line in lines[1:]:
                await line.__aexit__(None, None, None)

    run_virtually(play(), VirtualLoop())
