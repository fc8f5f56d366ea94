"""Whole games through every fault; `make chaos` plays ten thousand others."""

import random
import subprocess
import sys
from collections import Counter

import pytest

from tests.chaos.__main__ import describe
from tests.chaos.cheats import CHEATS
from tests.chaos.faults import FAULTS, WEATHERS
from tests.chaos.game import Report, simulate
from tests.chaos.laws import PERMITTED_ENDS
from tests.chaos.scenario import Scenario
from tests.time_limits import DEADLINE

GAMES, BATCH = 300, 30


@pytest.mark.gate("[0]")
@pytest.mark.parametrize("first", range(0, GAMES, BATCH))
def test_games_through_all_faults_break_no_law(first: int) -> None:
    ends: Counter[str] = Counter()
    for seed in range(first, first + BATCH):
        report = simulate(seed)
        assert not report.broken, describe(report)
        ends.update(report.ends)
    assert ends.keys() <= PERMITTED_ENDS.keys()
    assert ends["agreed"] > BATCH / 2


@pytest.mark.gate
def test_the_games_of_the_test_know_every_fault_every_cheat_and_every_game() -> None:
    scenarios = [Scenario.of(random.Random(seed)) for seed in range(GAMES)]
    assert {fault for each in scenarios for fault in each.faults} == {*FAULTS, *WEATHERS}
    assert {each.kind for each in scenarios if each.cheat} == set(CHEATS)
    assert {each.start.game for each in scenarios} == {"ataxx", "reversi", "checkers", "loa"}


@pytest.mark.parametrize(
    "seed",
    [
        730_109_149,  # what a spectator saw whose program was killed was held against the next one
        731_001_875,  # a clock was set back a day while a game was claimed
        # A spectator could not learn of an earlier claim: the broker had lost the game, and its
        # players had gone.
        732_007_012,
        732_018_208,
        1_820_264_717,  # a stranger wiped the offer when the host had said all and was leaving
        1_820_265_010,  # who looked on left with the later of two claims, and knew of an earlier
        1_820_266_897,  # a cheat whose own offer of a draw was open answered it
        1_820_268_114,
    ],
)
def test_a_game_that_once_broke_a_law_breaks_none(seed: int) -> None:
    report = simulate(seed)
    assert not report.broken, describe(report)


def test_a_seed_is_the_same_game_to_the_last_message() -> None:
    assert simulate(5) == simulate(5)


def test_a_seed_is_the_same_game_in_another_process() -> None:
    told = {
        subprocess.run(
            [sys.executable, "-m", "tests.chaos", "--replay", "5"],
            env={"PYTHONHASHSEED": number},
            capture_output=True,
            check=True,
            timeout=DEADLINE,
        ).stdout
        for number in ("1", "2")
    }
    assert len(told) == 1
    assert b"--replay 5" in told.pop()


def test_who_breaks_a_law_is_told_with_the_way_to_see_it_again() -> None:
    scenario = Scenario.of(random.Random(1))
    report = Report(7, scenario, ("host hangs",), ("hangs",), (), 1.0, 2)
    told = describe(report)
    assert told.startswith(f"seed 7: {scenario}")
    assert "  host hangs\n" in told
    assert told.endswith("--replay 7")
