"""Clocks, and when a game of a match is ended for its players."""

import pytest

from ataxxd.engines.match.game import Adjudication, Clocks, TimeControl
from ataxxd.rules import Outcome, Side
from ataxxd.rules.limits import Clock, Limits


def test_a_clock_loses_what_a_move_takes_and_gains_the_increment() -> None:
    clocks = Clocks(TimeControl(base_ms=1000, increment_ms=100))
    assert clocks.limits.clocks == (Clock(1000, 100), Clock(1000, 100))
    assert clocks.spend(Side.FIRST, 300)
    assert clocks.limits.clocks == (Clock(800, 100), Clock(1000, 100))


def test_a_clock_that_runs_out_loses_but_for_the_margin() -> None:
    clocks = Clocks(TimeControl(base_ms=1000, margin_ms=50))
    assert clocks.spend(Side.SECOND, 1040)
    assert clocks.limits.clocks == (Clock(1000), Clock(1))
    assert not clocks.spend(Side.SECOND, 51)


def test_a_move_that_takes_longer_than_its_time_loses_but_for_the_margin() -> None:
    clocks = Clocks(TimeControl(Limits(time_ms=100), margin_ms=20))
    assert clocks.spend(Side.FIRST, 120)
    assert not clocks.spend(Side.FIRST, 121)


def test_nodes_and_depth_know_no_clock() -> None:
    clocks = Clocks(TimeControl(Limits(depth=4, nodes=100)))
    assert clocks.spend(Side.FIRST, 10**9)
    assert clocks.limits == Limits(depth=4, nodes=100)


def test_a_game_with_clocks_may_be_bound_by_nodes_too() -> None:
    limits = Clocks(TimeControl(Limits(nodes=100), base_ms=1000)).limits
    assert limits.nodes == 100
    assert limits.clocks is not None


@pytest.mark.parametrize(
    ("scores", "outcome"),
    [
        ([0, -900, 0, -900], None),
        ([0, -900, 0, -900, 0, -1000], Outcome("resignation", Side.FIRST)),
        ([0, -900, 0, -899, 0, -1000], None),
        ([0, -900, 0, None, 0, -1000], None),
        ([-900, 0, -900, 0, -900], Outcome("resignation", Side.SECOND)),
        ([0] * 20, Outcome("max-plies", None)),
    ],
)
def test_who_states_a_lost_position_often_enough_has_lost(
    scores: list[int | None], outcome: Outcome | None
) -> None:
    rules = Adjudication(most_plies=20, resign=(3, 900))
    assert rules.outcome(scores, Side.FIRST) == outcome
    swapped = None if outcome is None else outcome.winner
    found = rules.outcome(scores, Side.SECOND)
    assert (found is None) == (outcome is None)
    if found is not None and swapped is not None:
        assert found.winner is swapped.opponent


@pytest.mark.parametrize(
    ("scores", "drawn"),
    [
        ([500, -500] * 3 + [10, -10] * 2, True),
        ([500, -500] * 3 + [10, -10], False),
        ([0, 0] * 3, False),
        ([0, 0] * 3 + [10, -11] * 2, False),
        ([0, 0] * 3 + [None, 0] * 2, False),
    ],
)
def test_a_game_that_both_call_level_for_long_enough_is_drawn(
    scores: list[int | None], drawn: bool
) -> None:
    outcome = Adjudication(draw=(4, 2, 10)).outcome(scores, Side.FIRST)
    assert outcome == (Outcome("adjudication", None) if drawn else None)


def test_a_slower_machine_gets_more_time_and_the_same_nodes() -> None:
    control = TimeControl(Limits(nodes=100, time_ms=50), 1000, 100, margin_ms=20)
    assert control.scaled(1.5) == TimeControl(Limits(nodes=100, time_ms=75), 1500, 150, 20)
    assert TimeControl(Limits(nodes=100)).scaled(1.5) == TimeControl(Limits(nodes=100))


def test_a_move_on_a_much_faster_machine_has_time_left() -> None:
    assert TimeControl(Limits(time_ms=10)).scaled(0.01).per_move.time_ms == 1


@pytest.mark.parametrize(
    ("control", "timed"),
    [
        (TimeControl(Limits(depth=3, nodes=9)), False),
        (TimeControl(Limits(time_ms=9)), True),
        (TimeControl(base_ms=9), True),
    ],
)
def test_what_is_in_time_is_known(control: TimeControl, *, timed: bool) -> None:
    assert control.is_timed is timed


def test_a_limit_that_nobody_named_costs_nobody_a_game() -> None:
    usual = Clocks(TimeControl(Limits(time_ms=100), margin_ms=100, forgives=True))
    assert usual.limits == Limits(time_ms=100)
    assert usual.spend(Side.FIRST, 60_000)
