"""How the end of a game is told, and to whom."""

import pytest

from ataxxd.rules import Outcome, Position, Side
from ataxxd.rules.values import ending_text
from ataxxd.session.ledger import CLAIMED, TERMINATIONS
from ataxxd_clients.labels import own_side
from tests.unit.text.linked import linked_tables

RULESET = "ataxx/cs61b-2022"
LOST = Outcome("time", Side.SECOND)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        (Side.FIRST, "You lost on time."),
        (Side.SECOND, "Your opponent's time ran out: you win."),
        (None, "Red lost on time."),
    ],
)
def test_each_is_told_of_a_fallen_flag_in_its_own_person(own: Side | None, told: str) -> None:
    assert ending_text(LOST, Position.start(RULESET), own) == told


@pytest.mark.parametrize(
    "termination", sorted({*TERMINATIONS.values(), *CLAIMED.values(), "protocol-violation"})
)
def test_every_way_to_lose_by_the_protocol_is_told_in_words(termination: str) -> None:
    told = ending_text(Outcome(termination, Side.SECOND), Position.start(RULESET))
    assert told.startswith(("Blue wins: Red ", "Red lost on time"))
    assert told.count(" ") > 2


@pytest.mark.parametrize(
    ("ruleset", "termination", "told"),
    [
        (RULESET, "jump-limit", "A draw, 2 to 2: 25 jumps in a row."),
        ("checkers/acf", "draw-agreed", "A draw: both agreed."),
        (RULESET, "aborted", "No result: the game was aborted."),
    ],
)
def test_a_draw_is_called_a_draw_and_an_aborted_game_has_no_result(
    ruleset: str, termination: str, told: str
) -> None:
    assert ending_text(Outcome(termination, None), Position.start(ruleset)) == told


def test_ones_own_side_is_the_one_that_is_played_here() -> None:
    first, second = linked_tables(Position.start(RULESET))
    assert (own_side(first), own_side(second)) == (Side.FIRST, Side.SECOND)
