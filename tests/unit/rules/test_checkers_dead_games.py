"""When a game of checkers leads nowhere, and machines therefore offer a draw."""

import pytest

from ataxxd.rules import Move, Position
from ataxxd.rules.checkers import plies_since_usual_draw, should_offer_draw

# Two kings far apart, and a white man that Black may have to take.
TWO_KINGS = "B:WK32:BK1"
SHUFFLE = ("1-6", "32-27", "6-1", "27-32")


def shuffled(position: str, words: tuple[str, ...]) -> tuple[Position, list[Move]]:
    start = Position.from_text("checkers/cs61b-2004", position)
    return start, [Move("checkers", word) for word in words]


def test_a_position_that_came_back_twice_leads_nowhere() -> None:
    start, moves = shuffled(TWO_KINGS, SHUFFLE * 2)
    assert plies_since_usual_draw(start, moves[:-1]) is None
    assert plies_since_usual_draw(start, moves) == 0


def test_a_machine_offers_a_draw_at_once_and_again_after_forty_plies() -> None:
    start, moves = shuffled(TWO_KINGS, SHUFFLE * 14)
    offers = [ply for ply in range(len(moves) + 1) if should_offer_draw(start, moves[:ply])]
    assert offers == [8, 9, 48, 49]


def test_a_capture_gives_a_game_a_new_direction() -> None:
    start, moves = shuffled(
        "B:WK32,K31,K22:BK1,K12", (*SHUFFLE * 2, "1-6", "22-17", "6-1", "17-13", "1-6", "13-9")
    )
    assert plies_since_usual_draw(start, moves) == 6
    capture = [*moves, Move("checkers", "6x13")]
    assert plies_since_usual_draw(start, capture) is None


@pytest.mark.parametrize("ruleset", ["checkers/acf", "loa/cs61b", "ataxx/cs61b-2022"])
def test_rules_with_draws_of_their_own_are_left_alone(ruleset: str) -> None:
    assert plies_since_usual_draw(Position.start(ruleset), ()) is None
    assert not should_offer_draw(Position.start(ruleset), ())
