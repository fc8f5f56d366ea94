"""What a stopwatch says of thinking, waiting and having had, over connections and restarts."""

import pytest

from ataxxd.node.stopwatch import Stopwatch


class Clock:
    """A clock that goes when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.requirement("MP-TIME-3")
def test_thinking_goes_on_over_a_lost_connection_and_a_restart() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.turned(ours=False)
    clock.now += 5
    watch.connected()
    clock.now += 2
    assert watch.elapsed_ms == 7_000
    assert Stopwatch(clock, age_ms=9_000).elapsed_ms == 9_000


@pytest.mark.requirement("MP-CLAIM-5")
def test_waiting_begins_anew_with_a_connection_and_a_restart() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.turned(ours=False)
    clock.now += 5
    assert watch.waited_ms == 5_000
    watch.connected()
    clock.now += 2
    assert watch.waited_ms == 2_000
    assert Stopwatch(clock, age_ms=9_000).waited_ms == 0


@pytest.mark.requirement("MP-CLAIM-6")
def test_nobody_says_how_long_it_had_a_message_when_the_connection_was_lost_meanwhile() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.turned(ours=False)
    clock.now += 3
    told = [watch.had_ms]
    watch.connected()
    told.append(watch.had_ms)
    watch.turned(ours=False)
    told.append(watch.had_ms)
    assert told == [3_000, None, 0]
    assert Stopwatch(clock, age_ms=1).had_ms is None


@pytest.mark.requirement("MP-CLAIM-6")
def test_who_answered_had_a_message_until_then_however_long_the_other_waits() -> None:
    clock = Clock()
    watch = Stopwatch(clock)
    watch.turned(ours=False)
    clock.now += 2
    watch.turned(ours=True)
    clock.now += 60
    watch.turned(ours=True)
    assert (watch.had_ms, watch.elapsed_ms) == (2_000, 0)
    watch.connected()
    assert watch.had_ms is None
