"""The level that a player's results against levels come to, and how certain that is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.node.level_games import ABOVE, BELOW, Result, estimate

GAMES = ("ataxx", "checkers", "loa", "reversi")
results = st.lists(st.builds(Result, st.integers(1, 10), st.sampled_from([0, 1, 2])), max_size=40)


def of(*played: tuple[int, int]) -> list[Result]:
    return [Result(level, halves) for level, halves in played]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", range(1, 11))
def test_whoever_holds_the_balance_against_a_level_is_of_that_level(game: str, level: int) -> None:
    found = estimate(game, of(*[(level, 2), (level, 0)] * 15))
    assert found is not None
    assert abs(found.level - level) <= 1
    assert found.low <= level <= found.high
    assert found.games == 30


def test_five_games_are_needed_and_a_game_whose_levels_were_not_measured_has_no_estimate() -> None:
    assert estimate("ataxx", of(*[(3, 2)] * 4)) is None
    assert estimate("ataxx", of(*[(3, 2)] * 5)) is not None
    assert estimate("chess", of(*[(3, 2)] * 9)) is None


def test_beyond_the_ladder_there_is_no_level_and_the_next_one_is_at_its_end() -> None:
    worst, best = estimate("loa", of(*[(1, 0)] * 9)), estimate("loa", of(*[(10, 2)] * 9))
    assert worst is not None
    assert best is not None
    assert (worst.level, worst.next_level) == (BELOW, 1)
    assert (best.level, best.next_level) == (ABOVE, 10)
    assert str(worst).startswith("below level 1")
    assert str(best).startswith("above level 10")


def test_an_estimate_is_told_with_its_interval() -> None:
    mixed = of((4, 2), (4, 0), (5, 0), (3, 2), (4, 2), (4, 0), (5, 2))
    assert str(estimate("ataxx", mixed)) == "about level 4 (between 3 and 6), from 7 games"
    assert str(estimate("checkers", of(*[(6, 1)] * 30))) == "about level 6, from 30 games"
    assert str(estimate("ataxx", of(*[(5, 2)] * 5))) == "about level 7 (at least 5), from 5 games"
    assert str(estimate("loa", of(*[(6, 0)] * 5))) == "about level 2 (at most 5), from 5 games"


def test_what_was_played_long_ago_no_longer_counts() -> None:
    new = of(*[(7, 2), (7, 0)] * 15)
    assert estimate("reversi", [*of(*[(1, 0)] * 50), *new]) == estimate("reversi", new)


@given(st.sampled_from(GAMES), results, st.integers(1, 10))
def test_a_win_never_lowers_an_estimate_and_a_loss_never_raises_it(
    game: str, played: list[Result], level: int
) -> None:
    played = played[-29:]
    before = estimate(game, played)
    if before is None:
        return
    won = estimate(game, [*played, Result(level, 2)])
    lost = estimate(game, [*played, Result(level, 0)])
    assert won is not None
    assert lost is not None
    assert lost.level <= before.level <= won.level
    assert before.low <= before.level <= before.high
