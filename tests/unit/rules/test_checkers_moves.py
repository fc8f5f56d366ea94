"""Checkers: steps, captures, crowning and their explanations, by example."""

import pytest

from ataxxd.rules import IllegalMoveError, InvalidMoveError, Outcome, Position, Side

COURSE = "checkers/cs61b-2004"
START = Position.start(COURSE)
# The specification's figure 2, right: white 18 and the king 30; black 15, 8 and the king 7,
# pieces on 25, 26 and 27, and the piece on 6.
FIGURE = "W:W18,K30:B6,K7,8,15,25,26,27"
ALL = "Black can play 9-13, 9-14, 10-14, 10-15, 11-15, 11-16 or 12-16."


def checkers(text: str, ruleset: str = COURSE) -> Position:
    return Position.from_text(ruleset, text)


def moves(position: Position) -> list[str]:
    return [move.text for move in position.legal_moves]


def refusal(position: Position, move: str) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        position.parse_move(move)
    return str(caught.value).partition(" is not legal: ")[2]


def test_the_start_is_the_one_of_the_specification() -> None:
    assert START.rows == (
        " x x x x",
        "x x x x ",
        " x x x x",
        ". . . . ",
        " . . . .",
        "o o o o ",
        " o o o o",
        "o o o o ",
    )
    assert START.turn is Side.FIRST
    assert START.counts == (12, 12)
    assert moves(START) == ["9-13", "9-14", "10-14", "10-15", "11-15", "11-16", "12-16"]


def test_the_captures_of_the_specifications_figure_are_those_it_names() -> None:
    position = checkers(FIGURE)
    assert moves(position) == ["18x11x2", "18x11x4", "30x21", "30x23x32"]
    assert position.parse_move("18-11-2").text == "18x11x2"
    assert position.parse_move("30-23-32").text == "30x23x32"


def test_a_man_that_is_crowned_by_a_capture_stops_there() -> None:
    position = checkers("W:W18:B6,K7,15")
    after = position.play(position.parse_move("18x11x2"))
    assert after.text == "B:WK2:B6"
    assert refusal(position, "18-11-2-9") == (
        "a man that reaches the last row is crowned there, on 2, and stops: 18x11x2."
    )


def test_a_man_that_steps_onto_the_last_row_is_crowned() -> None:
    position = checkers("B:W32:B25")
    after = position.play(position.parse_move("25-30"))
    assert after.text == "W:W32:BK30"
    assert after.rows[7] == ". X . o "


def test_a_king_moves_and_jumps_both_ways() -> None:
    assert moves(checkers("B:WK1:BK18")) == ["18-22", "18-23", "18-14", "18-15"]
    assert moves(checkers("W:WK22:B17,18,25,26")) == ["22x29", "22x31", "22x13", "22x15"]


def test_a_man_neither_moves_nor_jumps_backwards() -> None:
    position = checkers("B:W14:B18")
    assert moves(position) == ["18-22", "18-23"]
    assert refusal(position, "18-15") == (
        "a man moves forward only. From 18 you can play 18-22 or 18-23."
    )
    assert refusal(position, "18x9") == (
        "a man moves forward only. From 18 you can play 18-22 or 18-23."
    )


def test_a_capture_is_forced() -> None:
    position = checkers("W:W22,32:B17,18")
    assert refusal(position, "32-28") == "a capture is forced: 22x13 or 22x15."
    assert refusal(position, "1-5") == "1 is empty. A capture is forced: 22x13 or 22x15."


def test_a_capture_must_be_completed() -> None:
    position = checkers(FIGURE)
    assert refusal(position, "18-11") == (
        "the jump from 11 to 2 is still to come, and a capture must be completed:"
        " 18x11x2 or 18x11x4."
    )


def test_any_capture_may_be_chosen_not_only_the_longest() -> None:
    assert {"30x21", "30x23x32"} <= set(moves(checkers(FIGURE)))


def test_captures_that_differ_in_path_only_are_different_moves() -> None:
    position = checkers("W:WK22:B17,18,9,10")
    assert moves(position) == ["22x13x6x15x22", "22x15x6x13x22"]
    ends = {position.play(move).text for move in position.legal_moves}
    assert ends == {"B:WK22:B"}
    assert position.perft(1) == 2


def test_a_piece_jumped_stays_until_the_move_is_over() -> None:
    # From 22 the way on to 29 is over 25, which stands free only once; 18 cannot go twice.
    position = checkers("W:WK22:B17,18,9,10,25")
    assert "22x13x6x15x22x29" in moves(position)
    assert not any(move.startswith("22x13x6x15x22x15") for move in moves(position))
    # A piece jumped still blocks: 10 can be jumped towards 6 only while 6 is free.
    blocked = checkers("W:WK15:B10,9,2")
    assert moves(blocked) == ["15x6x13"]


def test_the_last_piece_taken_ends_the_game() -> None:
    position = checkers("W:WK22:B17,18,9,10")
    after = position.play(position.parse_move("22x13x6x15x22"))
    assert after.outcome == Outcome("no-pieces", Side.SECOND)


def test_the_squares_between_have_to_be_named_under_the_course_rules() -> None:
    position = checkers(FIGURE)
    assert refusal(position, "18-2") == "every square of a jump has to be named: 18x11x2."
    assert checkers(FIGURE, "checkers/acf").parse_move("18x2").text == "18x11x2"


def test_an_abbreviation_that_fits_two_captures_is_refused() -> None:
    both = checkers("W:WK22:B17,18,9,10", "checkers/acf")
    with pytest.raises(IllegalMoveError, match="every square of a jump has to be named"):
        both.parse_move("22x22")
    assert both.parse_move("22x13x6x22").text == "22x13x6x15x22"


@pytest.mark.parametrize("text", ["11-15", "11x15", "11X15", " 11-15 "])
def test_spellings_of_a_step_are_read_alike(text: str) -> None:
    assert START.parse_move(text).text == "11-15"


@pytest.mark.parametrize(
    "text", ["", "11", "11-", "33-1", "0-5", "011-15", "11--15", "a3-b4", "1-2-3-4-5-6-7-8-9-10-11"]
)
def test_other_text_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError, match=r"is not a move\. A move is two or more squares"):
        START.parse_move(text)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("12-17", "17 is not a neighbour of 12. From 12 you can play 12-16."),
        (
            "1-5",
            f"5 holds a piece of Black. The piece on 1 cannot move. {ALL}",
        ),
        (
            "21-17",
            f"21 holds a piece of White, and it is Black's turn. {ALL}",
        ),
        ("11-18", "there is no piece on 15 to jump over. From 11 you can play 11-15 or 11-16."),
        ("11-11", "11 is not a neighbour of 11. From 11 you can play 11-15 or 11-16."),
    ],
)
def test_an_illegal_step_is_explained(move: str, reason: str) -> None:
    assert refusal(START, move) == reason


def test_a_player_without_a_move_has_lost() -> None:
    blocked = checkers("W:W9,5,13:BK1,K2,6,7,21,22")
    assert blocked.outcome == Outcome("no-moves", Side.FIRST)
    assert refusal(blocked, "5-1") == "the game is over, Black won (White cannot move)."
    gone = checkers("B:WK1:B")
    assert gone.outcome == Outcome("no-pieces", Side.SECOND)
    assert refusal(gone, "1-5") == "the game is over, White won (Black has no pieces left)."


def test_moves_are_written_in_three_ways() -> None:
    position = checkers(FIGURE)
    move = position.parse_move("18-11-4")
    assert position.format_move(move) == "18x11x4"
    assert position.format_move(move, "cs61b") == "18-11-4"
    # What is written is read again: the course rules take no move that leaves out a square.
    assert position.format_move(move, "pdn") == "18x11x4"
    acf = Position("checkers/acf", FIGURE)
    assert acf.format_move(move, "pdn") == "18x4"
    assert acf.parse_move("18x4") == move
    square = Position("checkers/acf", "W:WK22:B17,18,9,10")
    both_ways = [square.format_move(move, "pdn") for move in square.legal_moves]
    assert both_ways == ["22x13x6x15x22", "22x15x6x13x22"]
