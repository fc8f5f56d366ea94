"""How a game that was lost on time is told to whom."""

import pytest

from ataxxd.rules import Outcome, Position, Side
from ataxxd_clients.endings import ending_text, own_side
from ataxxd_clients.text.games import line_language
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
    assert ending_text(LOST, line_language(RULESET), (2, 2), own) == told


def test_ones_own_side_is_the_one_that_is_played_here() -> None:
    first, second = linked_tables(Position.start(RULESET))
    assert (own_side(first), own_side(second)) == (Side.FIRST, Side.SECOND)
