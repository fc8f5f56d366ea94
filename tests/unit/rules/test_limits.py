"""How a clock is shared out over the moves to come."""

import random
from collections.abc import Callable
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import Engine, Position, rulesets
from ataxxd.rules.limits import Clock, Limits

START = Position.start("ataxx/uai")
STARTS = [Position.start(info.id) for info in rulesets()]


def game_from(start: Position, plies: int) -> list[Position]:
    """The positions of a game by random moves that has so many plies, or ends before."""
    moves, positions = random.Random(plies), [start]
    while positions[-1].legal_moves and len(positions) <= plies:
        positions.append(positions[-1].play(moves.choice(positions[-1].legal_moves)))
    return positions


def left_after(
    moves: int, spent_ms: Callable[[Clock], int], left_ms: int, increment_ms: int = 0
) -> int:
    """What is left of a clock after moves that each take the time `spent_ms` says."""
    for _ in range(moves):
        left_ms += increment_ms - spent_ms(Clock(left_ms, increment_ms))
    return left_ms


@given(
    st.sampled_from(STARTS),
    st.integers(0, 60),
    st.integers(1, 10**9),
    st.integers(0, 10**6),
    st.none() | st.integers(1, 1000),
)
def test_a_move_never_gets_all_that_is_left(
    start: Position, plies: int, left: int, increment: int, moves: int | None
) -> None:
    position = game_from(start, plies)[-1]
    clock = Clock(left, increment, moves)
    assert 1 <= clock.aim_ms(position) <= clock.max_ms(position) <= max(1, left * 0.8)


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_a_clock_lasts_for_a_whole_game(start: Position) -> None:
    for position in game_from(start, 70):
        assert left_after(100, partial(Clock.aim_ms, position=position), 60_000) > 0


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_a_clock_lasts_even_if_every_move_is_in_doubt(start: Position) -> None:
    for position in game_from(start, 70):
        assert left_after(50, partial(Clock.max_ms, position=position), 60_000) > 0


def test_a_game_of_reversi_uses_nearly_all_of_its_clock() -> None:
    left = 10_000
    for position in game_from(Position.start("reversi/standard"), 60)[::2]:
        left += 100 - Clock(left, 100).aim_ms(position)
    assert 200 < left < 1_000


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_a_game_always_goes_on_for_some_moves(start: Position) -> None:
    assert all(1 <= Engine.moves_to_go(position) <= 60 for position in game_from(start, 300))


def test_the_end_of_a_game_of_reversi_is_near_when_few_squares_are_empty() -> None:
    game = game_from(Position.start("reversi/standard"), 100)
    moves = [Engine.moves_to_go(position) for position in game]
    assert moves == sorted(moves, reverse=True)
    assert moves[0] == 25
    assert moves[-1] == 4


def test_time_that_is_added_soon_makes_moves_longer_and_late_not_shorter() -> None:
    usual = Clock(60_000).aim_ms(START)
    assert Clock(60_000, moves_to_go=5).aim_ms(START) > 2 * usual
    assert Clock(60_000, moves_to_go=500).aim_ms(START) == usual


def test_a_clock_gives_an_aim_and_a_time_for_the_move_alone_does_not() -> None:
    clocks = (Clock(60_000), Clock(1_000))
    assert Limits(time_ms=100).aim_and_max(START) == (None, 100)
    aim, most = Limits(clocks=clocks).aim_and_max(START)
    assert aim is not None
    assert most is not None
    assert 2 * aim < most < 60_000
    assert Limits(time_ms=100, clocks=clocks).aim_and_max(START) == (aim, 100)


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_the_last_moves_leave_time_for_a_machine_that_lets_them_wait(start: Position) -> None:
    for position in game_from(start, 70):
        assert left_after(60, partial(Clock.aim_ms, position=position), 1_000, 10) > 150


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_a_nearly_empty_clock_fills_again_even_if_every_move_is_in_doubt(start: Position) -> None:
    for position in game_from(start, 70):
        assert left_after(40, partial(Clock.max_ms, position=position), 60, 10) > 120


def test_each_side_has_its_own_clock() -> None:
    limits = Limits(clocks=(Clock(60_000), Clock(1_000)))
    first, second = (
        limits.milliseconds(position) for position in (START, START.play(START.legal_moves[0]))
    )
    assert first is not None
    assert second is not None
    assert first > 10 * second


def test_the_tighter_of_two_limits_holds() -> None:
    assert Limits(depth=5, time_ms=100).within(Limits(depth=3, nodes=7)) == Limits(3, 7, 100)
    assert Limits().unlimited
    assert not Limits(nodes=1).unlimited
