"""A few of the games of ``make chaos-real``, the same ones every time."""

from collections.abc import Callable

import pytest

from tests.brokers import Mosquitto
from tests.chaos_real.plan import Kind, plan_game
from tests.chaos_real.run import play_all

SEED, GAMES = 12, 12


@pytest.mark.gate
def test_a_plan_follows_from_its_seed_and_number_alone() -> None:
    plans = [plan_game(SEED, number) for number in range(1, 9)]
    assert plans == [plan_game(SEED, number) for number in range(1, 9)]
    assert plans[0] != plan_game(SEED + 1, 1)
    assert len({plan.language.game for plan in plans}) == 4


@pytest.mark.gate
def test_impatient_plans_leave_nothing_half_open_for_ever() -> None:
    patient = [plan_game(SEED, number) for number in range(1, 101)]
    plans = [plan_game(SEED, number, patient=False) for number in range(1, 101)]
    assert all(trouble.lasts_s is not None for plan in plans for trouble in plan.troubles)
    assert any(trouble.lasts_s is None for plan in patient for trouble in plan.troubles)
    assert {trouble.kind for plan in plans for trouble in plan.troubles} == {*Kind}


async def test_real_games_survive_kills_of_nodes_and_broker_and_a_bad_network(
    make_mosquitto: Callable[..., Mosquitto],
) -> None:
    plans = [plan_game(SEED, number, patient=False) for number in range(1, GAMES + 1)]
    figures = await play_all(plans, at_once=6)
    assert figures.failures == []
    assert figures.games == GAMES
    assert figures.done[Kind.KILL] > 0
    assert figures.done[Kind.BROKER] > 0
