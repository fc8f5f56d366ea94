"""Small games explored whole; `make explore` has the larger ones."""

from dataclasses import replace

import pytest

from ataxxd.rules import Position
from ataxxd.session.state import Role
from tests.explore.cheating import CheatExplorer
from tests.explore.explorer import Explorer
from tests.explore.terms import STARTS, Terms, moves_of

pytestmark = pytest.mark.gate

SMALL = Terms("ataxx", bound=4, asks=False)


def test_no_state_of_a_small_game_breaks_a_law() -> None:
    report = Explorer(SMALL).run()
    print(report)
    assert report.broken is None, str(report)
    # Another number means another set of states: count anew, and see why.
    assert (report.states, report.transitions, report.depth) == (1491, 10182, 12)


@pytest.mark.parametrize(
    ("clock", "found"),
    [(False, (1294, 4129, 16)), (True, (1147, 3626, 15))],
    ids=["silence", "flag"],
)
def test_claims_in_a_small_game_run_to_its_end_and_break_no_law(
    clock: bool, found: tuple[int, int, int]
) -> None:
    terms = Terms("ataxx", bound=3, ticks=2, clock=clock, kills=0, connections=0, asks=False)
    report = Explorer(replace(terms, resigns=False)).run()
    print(report)
    assert report.broken is None, str(report)
    assert (report.states, report.transitions, report.depth) == found


@pytest.mark.parametrize(
    ("cheat", "terms", "found"),
    [
        (Role.HOST, Terms("ataxx", bound=3, asks=False, resigns=False), (339, 676, 481)),
        (Role.GUEST, Terms("ataxx", bound=2, asks=False, resigns=False), (409, 816, 78)),
    ],
    ids=str,
)
def test_no_lie_in_a_small_game_breaks_a_law(
    cheat: Role, terms: Terms, found: tuple[int, int, int]
) -> None:
    report = CheatExplorer(terms, cheat, 1).run()
    print(report)
    assert report.broken is None, str(report)
    assert (report.states, report.transitions, report.nodes["spectators"]) == found


@pytest.mark.parametrize("game", ["checkers", "loa", "reversi"])
def test_the_rules_end_every_such_game_within_four_plies(game: str) -> None:
    positions = [Position.from_text(*STARTS[game])]
    for _ in range(4):
        positions = [
            position.play(move)
            for position in positions
            if position.outcome is None
            for move in moves_of(position)
        ]
    assert all(position.outcome is not None for position in positions)
