"""Elo, errors and sequential tests, against published values.

The tables are those of fastchess's own tests (app/tests/elo_test.cpp and sprt_test.cpp),
which hold them to one percent.
"""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.engines.match.statistics import (
    SequentialTest,
    Verdict,
    elo_from_score,
    elo_interval,
    estimate,
    score_from_elo,
)


@pytest.mark.parametrize(
    ("counts", "elo", "error", "normalized", "normalized_superiority"),
    [
        ((34, 54, 31 + 32, 64, 75), 55.58, 27.65, 57.94, 1.0),
        ((332, 433, 457 + 41, 333, 334), -8.64, 10.33, -9.17, 0.0505),
        ((7895, 8757, 5485 + 200, 568, 9999), -21.04, 2.95, -19.01, 0.0),
    ],
)
def test_pairs_give_the_elo_that_fastchess_gives(
    counts: tuple[int, ...],
    elo: float,
    error: float,
    normalized: float,
    normalized_superiority: float,
) -> None:
    found = estimate(counts)
    assert found is not None
    assert found.elo == pytest.approx(elo, rel=0.01)
    assert found.error == pytest.approx(error, rel=0.01)
    assert found.normalized == pytest.approx(normalized, rel=0.01)
    assert found.superiority == pytest.approx(normalized_superiority, abs=0.0005)


@pytest.mark.parametrize(
    ("won", "lost", "drawn", "normalized", "superiority"),
    [(76, 89, 123, -20.76, 0.1553), (136, 96, 111, 49.77, 0.9960), (34, 356, 0, -508.44, 0.0)],
)
def test_single_games_give_the_elo_that_fastchess_gives(
    won: int, lost: int, drawn: int, normalized: float, superiority: float
) -> None:
    found = estimate((lost, drawn, won))
    assert found is not None
    assert found.normalized == pytest.approx(normalized, rel=0.01)
    assert found.superiority == pytest.approx(superiority, abs=0.0005)


def test_single_games_give_the_elo_and_the_error_of_a_published_table() -> None:
    found = estimate((96, 111, 136))
    assert found is not None
    assert found.elo == pytest.approx(40.70, rel=0.01)
    assert found.error == pytest.approx(30.43, rel=0.01)


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "ratio"),
    [
        # lost, drawn, won
        ((21184, 40708, 21404), 0.5, 2.5, -1.57),
        ((57030, 106593, 57433), 0, 2, -2.59),
        # pairs
        ((223, 9863, 20279 + 1000, 10037, 246), 0.5, 2.5, -3.07),
        ((871, 26175, 55003 + 980, 26678, 821), 0, 2, -4.98),
    ],
)
def test_the_log_likelihood_ratio_is_that_of_fastchess(
    counts: tuple[int, ...], elo0: float, elo1: float, ratio: float
) -> None:
    assert SequentialTest(elo0, elo1).ratio(counts) == pytest.approx(ratio, rel=0.01)


def test_the_bounds_are_walds() -> None:
    assert SequentialTest(0, 5).bounds == pytest.approx((-2.944, 2.944), abs=0.001)


def test_the_test_ends_at_either_bound() -> None:
    test = SequentialTest(0, 10)
    assert test.verdict((0, 0, 0, 0, 0)) is Verdict.GOES_ON
    assert test.verdict((10, 50, 100, 200, 150)) is Verdict.SHOWN
    assert test.verdict((150, 200, 100, 50, 10)) is Verdict.REFUTED
    assert test.verdict((1, 2, 3, 2, 1)) is Verdict.GOES_ON


@pytest.mark.parametrize("arguments", [(5, 0), (0, 0), (0, 5, 0), (0, 5, 0.05, 0.6)])
def test_a_test_that_can_prove_nothing_is_refused(arguments: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="must be"):
        SequentialTest(*arguments)


def test_no_results_say_nothing_and_an_interval_that_reaches_every_point_has_no_bound() -> None:
    assert estimate((0, 0, 0, 0, 0)) is None
    found = estimate((0, 0, 0, 0, 9))
    assert found is not None
    assert (found.elo, found.error, found.superiority) == (math.inf, math.inf, None)
    nearly = estimate((1, 0, 0, 0, 9))
    assert nearly is not None
    assert (round(nearly.elo), nearly.error) == (382, math.inf)
    level = estimate((0, 0, 4, 0, 0))
    assert level is not None
    assert (level.elo, level.superiority) == (0.0, None)


def test_an_interval_has_an_end_where_the_other_is_infinite() -> None:
    low, high = elo_interval((0, 0, 1, 2, 20))
    assert 200 < low < 400
    assert high == math.inf
    below, above = elo_interval((20, 2, 1, 0, 0))
    assert below == -math.inf
    assert above == pytest.approx(-low)
    assert elo_interval((0, 0, 0, 0, 9)) == elo_interval((0,) * 5) == (-math.inf, math.inf)


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=5))
def test_the_error_is_half_of_the_interval(counts: list[int]) -> None:
    low, high = elo_interval(counts)
    found = estimate(counts)
    assert found is None or found.error == pytest.approx((high - low) / 2)


@given(st.lists(st.integers(0, 1000), min_size=5, max_size=5), st.integers(-200, 199))
def test_the_ratio_changes_its_sign_with_the_point_of_view(counts: list[int], elo: int) -> None:
    forth = SequentialTest(elo, elo + 1).ratio(counts)
    back = SequentialTest(-elo - 1, -elo).ratio(counts[::-1])
    assert forth == pytest.approx(-back, rel=1e-6, abs=1e-6)


@given(st.floats(-1000, 1000))
def test_elo_and_score_are_each_others_inverse(elo: float) -> None:
    assert elo_from_score(score_from_elo(elo)) == pytest.approx(elo, abs=1e-6)
