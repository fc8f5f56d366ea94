"""Forced wins through the public interface: the engine against the definition of a win."""

from functools import cache

import pytest
from hypothesis import HealthCheck, assume, event, given, settings
from hypothesis import strategies as st

from ataxxd.rules import Engine, Position, Side

LIMITS = {"ataxx/cs61b-2022": 25, "ataxx/uai": 100}

# Own moves the definition looks ahead in Python; the Rust tests go to four.
MOVES = 2

ENGINE = Engine(1)


@st.composite
def tight_positions(draw: st.DrawFn) -> Position:
    """Unfinished positions in which few moves are possible: nearly full, sparse, near a limit."""
    ruleset = draw(st.sampled_from(sorted(LIMITS)))
    filling = draw(st.sampled_from(["xxxo", "xo", "xooo", "--xo", "-----xo"]))
    squares = draw(st.lists(st.sampled_from(filling), min_size=49, max_size=49))
    for gap in draw(st.lists(st.integers(0, 48), min_size=1, max_size=6)):
        squares[gap] = "1"
    board = "/".join("".join(squares[start : start + 7]) for start in range(0, 49, 7))
    turn = draw(st.sampled_from("xo"))
    clock = draw(st.sampled_from([0, LIMITS[ruleset] - 3, LIMITS[ruleset] - 1]))
    position = Position.from_text(ruleset, f"{board} {turn} {clock} 30")
    assume(position.outcome is None)
    assume(len(position.legal_moves) <= 20)
    return position


@cache
def wins(position: Position, attacker: Side, plies: int) -> bool:
    """Whether the attacker has won, or wins by force, within some plies: the definition."""
    if position.outcome is not None:
        return position.outcome.winner is attacker
    if plies == 0:
        return False
    after = (wins(position.play(move), attacker, plies - 1) for move in position.legal_moves)
    return any(after) if position.turn is attacker else all(after)


@pytest.mark.parametrize("lowest", [{"depth": 1}, {"nodes": 1}])
@settings(max_examples=150, suppress_health_check=[HealthCheck.filter_too_much])
@given(position=tight_positions())
def test_a_win_that_exists_is_played_and_its_distance_is_known(
    lowest: dict[str, int], position: Position
) -> None:
    attacker = position.turn
    fewest = next((n for n in range(1, MOVES + 1) if wins(position, attacker, 2 * n)), None)
    event(f"won in {fewest}")
    result = ENGINE.search(position, depth=lowest.get("depth"), nodes=lowest.get("nodes"))
    assert position.is_legal(result.move)
    if fewest is not None:
        assert wins(position.play(result.move), attacker, 2 * fewest - 1)
        assert result.mate_in == fewest or len(position.legal_moves) == 1
    else:
        assert result.mate_in is None or result.mate_in > MOVES or result.mate_in < 0


@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much])
@given(position=tight_positions(), seed=st.integers(0, 2**64 - 1))
def test_a_decided_score_is_true(position: Position, seed: int) -> None:
    result = ENGINE.search(position, depth=4, seed=seed)
    assume(result.mate_in is not None)
    assert result.mate_in is not None
    winner = position.turn if result.mate_in > 0 else position.turn.opponent
    if abs(result.mate_in) <= MOVES:
        plies = 2 * abs(result.mate_in) + (result.mate_in < 0)
        assert wins(position.play(result.move), winner, plies)
