"""The marking scheme: its thresholds, as the sheet has them."""

import pytest

from ataxxd.engines.laboratory import RULESET, SCHEMES, PlayedTrial, Trial, Turn, calculate_marks
from ataxxd.rules import Position, Side

START = Position.start(RULESET)
C4, D3 = START.parse_move("c4"), START.parse_move("d3")
# Black has gained three pieces.
AFTER = START.play(C4)


def turn(*, right: bool = True, value: bool = True, seconds: float = 0.1) -> Turn:
    move = C4 if right else D3
    worth = None if right else (1, 2)
    return Turn(1, START, C4, move, "", worth, 0.01, seconds, 0, 0 if value else 1, "")


def game(number: int, turns: list[Turn], *, won: bool = True) -> PlayedTrial:
    scheme = SCHEMES[(number - 1) // 4]
    side = Side.FIRST if won else Side.SECOND
    return PlayedTrial(Trial(number, scheme, side, START, 0), tuple(turns), AFTER)


def marks(turns: list[Turn], handicap: float = 1.0) -> dict[str, int]:
    """For twelve games, all won, of which the first has these turns."""
    games = [game(number, turns if number == 1 else []) for number in range(1, 13)]
    return {mark.what: mark.marks for mark in calculate_marks(games, handicap)}


def test_all_right_is_twenty_marks_of_twenty() -> None:
    games = [game(number, [turn()] * 10) for number in range(1, 13)]
    found = calculate_marks(games, 1.0)
    assert [mark.most for mark in found] == [4, 4, 4, 2, 4, 2]
    assert sum(mark.marks for mark in found) == 20


def test_each_game_won_is_a_mark() -> None:
    games = [game(number, [], won=number not in (2, 5, 6)) for number in range(1, 13)]
    assert [mark.marks for mark in calculate_marks(games, 1.0)][:3] == [3, 2, 4]


@pytest.mark.parametrize(
    ("right", "given"), [(100, 4), (99, 3), (80, 3), (79, 2), (65, 2), (64, 1), (50, 1), (49, 0)]
)
def test_right_moves_earn_up_to_four(right: int, given: int) -> None:
    turns = [turn(right=number < right) for number in range(100)]
    assert marks(turns)["minimax search"] == given


@pytest.mark.parametrize(("right", "given"), [(100, 2), (99, 1), (50, 1), (49, 0)])
def test_right_values_and_fast_moves_earn_up_to_two(right: int, given: int) -> None:
    assert marks([turn(value=n < right) for n in range(100)])["board evaluation"] == given
    assert marks([turn(seconds=0.1 if n < right else 0.5) for n in range(100)])["speed"] == given


def test_only_right_moves_are_fast_and_a_handicap_gives_time() -> None:
    assert marks([turn(right=False)] * 4)["speed"] == 0
    slow = [turn(seconds=0.55)] * 4
    assert marks(slow)["speed"] == 0
    assert marks(slow, handicap=50.0)["speed"] == 2


def test_no_turn_is_no_mark() -> None:
    assert marks([])["minimax search"] == 0
