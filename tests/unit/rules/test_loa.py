"""Lines of Action: moves, ends and set-up, by example."""

import pytest

from ataxxd.rules import (
    IllegalMoveError,
    InvalidMoveError,
    InvalidPositionError,
    Outcome,
    Position,
    Side,
)
from ataxxd.rules.loa import move_limit, moves_made, with_limit, with_square

START = Position.start("loa/cs61b")


def loa(text: str) -> Position:
    return Position.from_text("loa/cs61b", text)


def targets(position: Position, source: str) -> set[str]:
    moves = (move.text.split("-") for move in position.legal_moves)
    return {target for start, target in moves if start == source}


def refusal(position: Position, move: str) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        position.parse_move(move)
    return str(caught.value).removeprefix(f"{move} is not legal: ")


def test_the_start_is_the_one_of_the_specification() -> None:
    assert START.text == "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x"
    assert START.rows[0] == ".xxxxxx."
    assert START.counts == (12, 12)
    assert START.turn is Side.FIRST
    assert len(START.legal_moves) == 36


def test_a_piece_moves_as_far_as_pieces_stand_on_the_line() -> None:
    assert targets(START, "b1") == {"b3", "d3", "h1"}
    assert targets(START, "d1") == {"b3", "d3", "f3"}


def test_a_piece_may_pass_over_its_own_side_and_not_over_the_other() -> None:
    own = loa("7x/7o/8/8/8/8/2o5/xx6 x")
    assert "c1" in targets(own, "a1")
    enemy = loa("7x/8/8/8/8/8/8/xox4o x")
    assert "e1" not in targets(enemy, "a1")
    assert refusal(enemy, "a1-e1").startswith("an enemy piece on b1 is in the way")


def test_a_piece_takes_what_it_lands_on() -> None:
    position = loa("7o/8/8/8/8/3o4/8/3x3x x")
    after = position.play(position.parse_move("d1xd3"))
    assert after.counts == (2, 1)
    assert position.format_move(position.parse_move("d1-d3"), "pgn") == "d1xd3"
    assert position.format_move(position.parse_move("d1-d3"), "cs61b") == "d1-d3"


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("b1-b4", "b1 must move 2 squares along that column, as many as the 2 pieces on it"),
        ("b1-c1", "b1 must move 6 squares along that row, as many as the 6 pieces on it"),
        ("b1-a2", "b1 must move 2 squares along that diagonal"),
        ("b1-c3", "b1 and c3 are on no common row, column or diagonal"),
        ("b1-b1", "a piece cannot move to the square it stands on"),
        ("a2-c2", "a2 holds a piece of White, and it is Black's turn. Black can move from b1 b8"),
        ("d4-d5", "d4 is empty. Black can move from b1 b8 c1 c8"),
        ("b1-b9", "b9 is off the board; columns are a to h and rows 1 to 8."),
        ("k1-b9", "k1 is off the board; columns are a to h and rows 1 to 8."),
    ],
)
def test_an_illegal_move_is_explained(move: str, reason: str) -> None:
    assert refusal(START, move).startswith(reason)


def test_an_explanation_says_where_the_piece_can_go() -> None:
    assert refusal(START, "b1-b4").endswith("b4 is 3 away. From b1 you can reach b3 d3 h1.")


def test_a_lone_piece_on_a_line_moves_one_square() -> None:
    position = loa("7x/8/8/8/8/8/8/x1o4o x")
    assert refusal(position, "a1-a3").startswith(
        "a1 must move 1 square along that column, as many as the 1 piece on it; a3 is 2 away"
    )


def test_a_pass_is_legal_only_without_a_move() -> None:
    with pytest.raises(IllegalMoveError, match="Black has 36 moves, such as b1-b3"):
        START.parse_move("-")
    stuck = loa("xoo5/ooo5/ooo5/8/8/5ooo/5ooo/5oox x")
    assert [move.text for move in stuck.legal_moves] == ["-"]
    assert refusal(stuck, "a8-b8").endswith("no square.")
    assert refusal(stuck, "d1-d2") == "d1 is empty. Black has no move but a pass (-)."
    after = stuck.play(stuck.parse_move("pass"))
    assert after.rows == stuck.rows
    assert after.turn is Side.SECOND
    assert after.text.endswith(" o 1 60")


@pytest.mark.parametrize(
    "text", ["b1-d3", "B1-D3", " b1d3 ", "b1xd3"], ids=["canonical", "capitals", "glued", "x"]
)
def test_spellings_of_a_move_are_read_alike(text: str) -> None:
    assert START.parse_move(text).text == "b1-d3"


@pytest.mark.parametrize("text", ["", "b1", "b1-d", "b1--d3", "b1-d3-f5", "11-22", "0-0", "é1-d3"])
def test_other_text_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError, match=r"is not a move\. A move is two squares"):
        START.parse_move(text)


def test_whoever_is_connected_has_won() -> None:
    position = loa("8/8/8/8/8/3xx3/5x2/o6o o 9 60")
    assert position.outcome == Outcome("connected", Side.FIRST)
    assert position.legal_moves == ()
    assert refusal(position, "a1-a2").startswith("the game is over, Black won")


def test_a_move_that_connects_both_wins_for_the_mover() -> None:
    # White takes the black piece that stood apart and joins its own piece.
    position = loa("8/8/8/8/1o1x4/xx6/2o5/8 o")
    assert position.outcome is None
    after = position.play(position.parse_move("b4-d4"))
    assert after.counts == (2, 2)
    both = loa("8/8/8/3oo3/8/8/xx6/8 x 8 60")
    assert both.outcome == Outcome("connected", Side.SECOND)
    assert loa("8/8/8/3oo3/8/8/xx6/8 o 9 60").outcome == Outcome("connected", Side.FIRST)


def test_a_lone_piece_is_connected() -> None:
    assert loa("o6o/8/8/8/8/8/8/3x4 o 7 60").outcome == Outcome("connected", Side.FIRST)
    assert loa("o6o/8/8/8/8/8/8/x6x o 7 60").outcome is None


def test_the_game_is_a_tie_after_sixty_moves_in_all() -> None:
    position = START
    back_and_forth = ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]
    for ply in range(60):
        assert position.outcome is None, ply
        position = position.play(position.parse_move(back_and_forth[ply % 4]))
    assert position.outcome == Outcome("move-limit", None)
    assert refusal(position, "b1-b3") == "the game is over, it was a tie (60 moves in all)."


def test_a_win_by_the_last_move_is_a_win() -> None:
    connected = "8/8/8/8/8/3xx3/5x2/o6o"
    assert loa(f"{connected} o 60 60").outcome == Outcome("connected", Side.FIRST)


def test_the_limit_is_part_of_the_position() -> None:
    assert (moves_made(START), move_limit(START)) == (0, 60)
    limited = with_limit(START, 2)
    assert limited.text == f"{START.text} 0 4"
    assert limited != START
    for move in ["b1-b3", "a2-c2", "b3-b1", "c2-a2"]:
        assert limited.outcome is None
        limited = limited.play(limited.parse_move(move))
    assert limited.outcome == Outcome("move-limit", None)
    assert (moves_made(limited), move_limit(limited)) == (4, 4)


def test_a_limit_that_a_side_has_reached_is_refused() -> None:
    position = START.play(START.parse_move("b1-b3"))
    with pytest.raises(
        InvalidPositionError, match="a side has made 1 already, so it must be at least 2"
    ):
        with_limit(position, 1)
    with pytest.raises(InvalidPositionError, match="cannot be 0: it must be at least 1"):
        with_limit(START, 0)
    assert move_limit(with_limit(position, 2)) == 4
    with pytest.raises(InvalidPositionError, match="from 1"):
        with_limit(position, 2**40)


def test_a_square_can_be_set_and_the_turn_with_it() -> None:
    position = with_square(START, "A1", Side.SECOND, Side.SECOND)
    assert position.text == "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/oxxxxxx1 o"
    assert with_square(position, "a1", None, Side.FIRST) == START
    later = START.play(START.parse_move("b1-b3"))
    assert with_square(later, "e5", Side.FIRST, Side.FIRST).text.endswith(" x 1 60")


def test_a_position_set_up_is_judged_only_after_the_next_move() -> None:
    connected = loa("8/8/8/8/8/8/3xx3/o6o o 4 60")
    assert connected.outcome == Outcome("connected", Side.FIRST)
    position = with_square(connected, "c3", Side.FIRST, Side.SECOND)
    assert position.text == "8/8/8/8/8/2x5/3xx3/o6o o 4 60 set"
    assert loa(position.text) == position
    assert position.outcome is None
    after = position.play(position.parse_move("a1-a2"))
    assert after.text == "8/8/8/8/8/2x5/o2xx3/7o x 5 60"
    assert after.outcome == Outcome("connected", Side.FIRST)
    # Where nobody is connected there is nothing to put off.
    assert not with_square(position, "h8", Side.FIRST, Side.SECOND).text.endswith("set")
    assert with_limit(position, 10).text.endswith(" 4 20 set")


def test_a_tie_is_judged_again_after_a_square_was_set() -> None:
    tie = loa("1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 x 60 60")
    position = with_square(tie, "d4", Side.FIRST, Side.FIRST)
    assert position.outcome is None
    assert position.play(position.parse_move("d4-g4")).outcome == Outcome("move-limit", None)


@pytest.mark.parametrize("square", ["", "a0", "a9", "i1", "a", "a11", "é1"])
def test_a_square_off_the_board_cannot_be_set(square: str) -> None:
    with pytest.raises(InvalidPositionError, match="columns are a to h and rows 1 to 8"):
        with_square(START, square, None, Side.FIRST)


def test_only_lines_of_action_has_squares_to_set() -> None:
    with pytest.raises(InvalidPositionError, match="this is a position of ataxx"):
        with_square(Position.start("ataxx/uai"), "a1", None, Side.FIRST)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "has 1"),
        ("8/8/8/8/8/8/8/8", "has 1"),
        ("8/8/8/8/8/8/8 x", "8 rows"),
        ("8/8/8/8/8/8/8/7 x", "only 7 squares"),
        ("8/8/8/8/8/8/8/x8 x", "more than 8 squares"),
        ("8/8/8/8/8/8/8/7b x", "Row 1, column h: 'b' stands where"),
        ("8/8/8/8/8/8/8/8 w", 'x or o, not "w"'),
        ("8/8/8/8/8/8/8/8 x 61 60", "from 0 to 60"),
        ("8/8/8/8/8/8/8/8 x 0 0", "whole number from 1"),
        ("8/8/8/8/8/8/8/8 x -1 60", "from 0 to 60"),
        ("8/8/8/8/8/8/8/8 x 3", "has 3"),
    ],
)
def test_text_that_is_no_position_is_refused_with_the_place(text: str, what: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        loa(text)
    assert what in str(caught.value)


def test_the_key_ignores_nothing_but_how_the_moves_left_came_about() -> None:
    keys = {loa(f"{START.text}{tail}").key for tail in ("", " 1 60", " 0 61", " 2 60")}
    assert len(keys) == 4
    assert loa(f"{START.text} 10 70").key == START.key
