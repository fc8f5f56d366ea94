"""What is said of a match when it is over, or left."""

import json
from collections.abc import Sequence

import pytest

from ataxxd.cli.scoreboard import Scoreboard
from ataxxd.engines.match.checkpoint import Result, Standings
from ataxxd.engines.match.statistics import SequentialTest


def results(scores: Sequence[str]) -> list[Result]:
    """Games by what the first player made of each: + = -."""
    named = {"+": "1-0", "=": "1/2-1/2", "-": "0-1"}
    swapped = {"+": "0-1", "=": "1/2-1/2", "-": "1-0"}
    return [
        Result(number, "", (), (swapped if number % 2 else named)[score], "no-moves", "2026.11.21")
        for number, score in enumerate(scores)
    ]


def concluded(
    capsys: pytest.CaptureFixture[str],
    scores: str,
    *,
    games: int = 100,
    test: SequentialTest | None = None,
    as_json: bool = False,
) -> str:
    done = results(scores)
    with Scoreboard(("a", "b"), games, "ataxx/uai", test, None, done, json=as_json) as board:
        board.conclude(Standings(done))
    out, err = capsys.readouterr()
    return err + out


def test_where_a_pair_is_not_complete_it_is_told_of_how_many_pairs_elo_speaks(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert "whole" not in concluded(capsys, "+-++")
    odd = concluded(capsys, "+-++-")
    assert "score 60.0% (+3 =0 -2)" in odd
    assert " by 2 whole pairs, superior" in odd


def test_games_beyond_those_asked_for_count_and_are_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = concluded(capsys, "+-++-=", games=2)
    assert "6 of 6 games" in said
    assert "4 of them are more than --games 2 asks for; they count all the same." in said


def test_a_test_that_ends_without_a_decision_is_undecided(
    capsys: pytest.CaptureFixture[str],
) -> None:
    test = SequentialTest(0, 5)
    assert "(-2.94 to 2.94), undecided" in concluded(capsys, "+-++", test=test)
    said = concluded(capsys, "+-++", test=test, as_json=True)
    assert json.loads(said.splitlines()[-1])["verdict"] == "undecided"


def test_a_bound_is_told_where_the_other_one_is_infinite(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = concluded(capsys, "++" * 20 + "+=" * 2)
    assert " to +∞, 95 %), superior with over 99.9%" in said
    said = concluded(capsys, "--" * 20 + "-=" * 2)
    assert " (-∞ to -" in said
    assert "superior with under 0.1%" in said
    said = concluded(capsys, "++" * 20 + "+=" * 2, as_json=True)
    low, high = json.loads(said.splitlines()[-1])["interval"]
    assert low > 200
    assert high is None


def test_results_that_are_all_alike_have_no_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    assert concluded(capsys, "++++").splitlines()[-1] == "Elo +∞"
