"""How a clock is shared out over the moves to come."""

from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import Side
from ataxxd.rules.limits import Clock, Limits


@given(st.integers(1, 10**9), st.integers(0, 10**6), st.none() | st.integers(1, 1000))
def test_a_move_never_gets_all_that_is_left(left: int, increment: int, moves: int | None) -> None:
    clock = Clock(left, increment, moves)
    assert 1 <= clock.aim_ms <= clock.for_this_move_ms <= clock.most_ms <= max(1, left * 0.8)


def test_a_clock_lasts_for_a_whole_game() -> None:
    left = 60_000
    for _ in range(200):
        left -= Clock(left).for_this_move_ms
    assert left > 0


def test_a_clock_lasts_even_if_every_move_is_in_doubt() -> None:
    left = 60_000
    for _ in range(50):
        left -= Clock(left).most_ms
    assert left > 0


def test_a_clock_gives_an_aim_and_a_time_for_the_move_alone_does_not() -> None:
    clocks = (Clock(60_000), Clock(1_000))
    assert Limits(time_ms=100).aim_and_most(Side.FIRST) == (None, 100)
    aim, most = Limits(clocks=clocks).aim_and_most(Side.FIRST)
    assert aim is not None
    assert most is not None
    assert 2 * aim < most < 60_000
    assert Limits(time_ms=100, clocks=clocks).aim_and_most(Side.FIRST) == (aim, 100)


def test_the_last_moves_leave_time_for_a_machine_that_lets_them_wait() -> None:
    left = 1_000
    for _ in range(60):
        left -= Clock(left, 10).for_this_move_ms - 10
    assert left > 150


def test_a_nearly_empty_clock_fills_again_even_if_every_move_is_in_doubt() -> None:
    left = 60
    for _ in range(40):
        left -= Clock(left, 10).most_ms - 10
    assert left > 150


def test_each_side_has_its_own_clock() -> None:
    limits = Limits(clocks=(Clock(60_000), Clock(1_000)))
    first, second = (limits.milliseconds(side) for side in Side)
    assert first is not None
    assert second is not None
    assert first > 10 * second


def test_the_tighter_of_two_limits_holds() -> None:
    assert Limits(depth=5, time_ms=100).within(Limits(depth=3, nodes=7)) == Limits(3, 7, 100)
    assert Limits().unlimited
    assert not Limits(nodes=1).unlimited
