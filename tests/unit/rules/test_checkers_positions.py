"""Checkers: position text, and the draws of the tournament rules."""

import pytest

from ataxxd.rules import IllegalMoveError, InvalidPositionError, Outcome, Position

COURSE, ACF = "checkers/cs61b-2004", "checkers/acf"
ROUND = ["1-6", "32-28", "6-1", "28-32"]


def play(position: Position, moves: list[str]) -> Position:
    for move in moves:
        position = position.play(position.parse_move(move))
    return position


@pytest.mark.parametrize("ruleset", [COURSE, ACF])
def test_the_pieces_may_come_in_any_order_and_in_ranges(ruleset: str) -> None:
    start = Position.start(ruleset)
    assert start.text == "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12"
    assert Position.from_text(ruleset, "B:B1-12:W21-32") == start
    mixed = Position.from_text(ruleset, "W:B12,K3,7:WK30,K20-22,18")
    assert mixed.text == "W:W18,K20,K21,K22,K30:BK3,7,12"


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "has 1"),
        ("B:W1", "has 2"),
        ("X:W30:B1", 'B or W, not "X"'),
        ("B:W30:1", 'begin with its letter, B or W, such as "W:W18,K30:B7,8,K15"; not "1"'),
        ("B:W30:W5", "The pieces of B are missing"),
        ("B:W33:B1", 'White\'s pieces: "33" is not a square from 1 to 32'),
        ("B:W30,:B1", 'White\'s pieces: "" is not a square'),
        ("B:W30:B5-3", 'Black\'s pieces: "5-3" is not a square'),
        ("B:W30,5:B1,5", "Square 5 is named twice"),
        ("B:W3:B1", "A man of White on 3 would have been crowned; write K3."),
        ("B:W5:B31", "A man of Black on 31 would have been crowned; write K31."),
        ("B:W10-23:B1", "White has 14 pieces; there are 12 at most."),
        ("B:W30:é1", "B or W"),
    ],
)
def test_text_that_is_no_position_is_refused_with_the_place(text: str, what: str) -> None:
    for ruleset in (COURSE, ACF):
        with pytest.raises(InvalidPositionError) as caught:
            Position.from_text(ruleset, text)
        assert what in str(caught.value)


def test_the_course_rules_count_nothing() -> None:
    position = Position.from_text(COURSE, "B:WK32:BK1")
    for _ in range(50):
        again = play(position, ROUND)
        assert again == position
        assert again.outcome is None
    with pytest.raises(InvalidPositionError, match="counts nothing"):
        Position.from_text(COURSE, "B:WK32:BK1:H4")


def test_a_position_that_comes_for_the_third_time_is_a_draw() -> None:
    first = Position.from_text(ACF, "B:WK32:BK1")
    second = play(first, ROUND)
    assert second.outcome is None
    assert second.text == "B:WK32:BK1:H4:M1-6,32-28,6-1,28-32"
    assert second != first
    assert second.key != first.key
    third = play(second, ROUND)
    assert third.outcome == Outcome("repetition", None)
    assert third.legal_moves == ()
    with pytest.raises(IllegalMoveError, match=r"a draw \(the position came for the third time\)"):
        third.parse_move("1-6")


def test_repetitions_are_counted_from_the_text_alone() -> None:
    second = play(Position.from_text(ACF, "B:WK32:BK1"), ROUND)
    again = Position.from_text(ACF, second.text)
    assert again == second
    assert play(again, ROUND).outcome == Outcome("repetition", None)
    forgotten = Position.from_text(ACF, "B:WK32:BK1:H4")
    assert play(forgotten, ROUND).outcome is None


def test_a_capture_or_a_mans_move_starts_the_count_afresh() -> None:
    position = Position.from_text(ACF, "B:WK32,24:BK1,12")
    moved = play(position, ["1-6", "32-28"])
    assert moved.text.endswith(":H2:M1-6,32-28")
    assert play(moved, ["12-16"]).text == "W:W24,K28:BK6,16"
    captured = play(moved, ["12-16", "24-19", "16x23"])
    assert captured.text == "W:WK28:BK6,23"


def test_forty_moves_of_each_side_without_progress_are_a_draw() -> None:
    position = Position.from_text(ACF, "B:WK32:BK1:H79")
    assert position.outcome is None
    after = play(position, ["1-6"])
    assert after.outcome == Outcome("forty-moves", None)
    with pytest.raises(IllegalMoveError, match="40 moves of each side without a capture"):
        after.parse_move("32-28")
    assert Position.from_text(ACF, after.text) == after


def test_a_player_without_a_move_has_lost_all_the_same() -> None:
    text = "W:W9,5,13:BK1,K2,6,7,21,22:H80"
    outcome = Position.from_text(ACF, text).outcome
    assert outcome is not None
    assert outcome.termination == "no-moves"


@pytest.mark.parametrize(
    ("tail", "what"),
    [
        ("H", "H and a number from 0 to 80"),
        ("H81", "H and a number from 0 to 80"),
        ("4", "H and a number from 0 to 80"),
        ("H4:1-6", "The last field is M and moves"),
        ("H1:M32-28,1-6", "M has 2 moves, but H says 1."),
        ("H2:M1-6,32-28:M", "At most two fields follow the pieces"),
        ("H2:M1-6,28-31", '"28-31" is not a king\'s step'),
        ("H2:M1-6,28-24", '"28-24" does not lead to a king of the mover on 24'),
    ],
)
def test_a_history_that_cannot_be_is_refused(tail: str, what: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        Position.from_text(ACF, f"B:WK32:BK1:{tail}")
    assert what in str(caught.value)


def test_a_history_against_the_rules_is_refused() -> None:
    with pytest.raises(InvalidPositionError, match="cannot be: 1-5 is not legal: a capture is"):
        Position.from_text(ACF, "W:WK32,6:BK5:H1:M1-5")
