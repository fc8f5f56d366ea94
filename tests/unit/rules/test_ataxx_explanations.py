"""What people are told about moves that are not allowed."""

import pytest

from ataxxd.rules import IllegalMoveError, InvalidMoveError, Move, Position

START = "x5o/7/7/7/7/7/o5x x 0 1"
MIDDLE = "x5o/7/2-1-2/7/2-1-2/1x5/o5x x 0 1"


def refusal(move: str, text: str = START, ruleset: str = "ataxx/cs61b-2022") -> str:
    position = Position.from_text(ruleset, text)
    with pytest.raises(IllegalMoveError) as caught:
        position.parse_move(move)
    return str(caught.value)


@pytest.mark.parametrize("spelling", ["a7-d4", "a7d4", "A7-D4"])
def test_a_jump_longer_than_two_columns_is_explained(spelling: str) -> None:
    assert refusal(spelling) == (
        "a7-d4 is not legal: d4 is 3 columns away; the limit is 2."
        " From a7 you can reach a5 a6 b5 b6 b7 c5 c6 c7."
    )


def test_a_jump_longer_than_two_rows_is_explained() -> None:
    assert refusal("a7-b2") == (
        "a7-b2 is not legal: b2 is 5 rows away; the limit is 2."
        " From a7 you can reach a5 a6 b5 b6 b7 c5 c6 c7."
    )


def test_an_empty_source_is_explained() -> None:
    assert refusal("c3-d4") == ("c3-d4 is not legal: c3 is empty. Red can move from a7 g1.")


def test_a_source_of_the_opponent_is_explained() -> None:
    assert refusal("g7-f6", ruleset="ataxx/uai") == (
        "g7-f6 is not legal: g7 holds a piece of White, and it is Black's turn."
        " Black can move from a7 g1."
    )


def test_a_block_as_source_is_explained() -> None:
    assert refusal("c5-c4", MIDDLE) == (
        "c5-c4 is not legal: c5 is a block. Red can move from a7 b2 g1."
    )


def test_an_occupied_target_is_explained() -> None:
    assert refusal("b2-a1", MIDDLE) == (
        "b2-a1 is not legal: a1 holds a piece of Blue."
        " From b2 you can reach a2 a3 a4 b1 b3 b4 c1 c2 c4 d1 d2 d3 d4."
    )


def test_a_target_that_holds_an_own_piece_is_explained() -> None:
    text = "x5o/7/7/7/7/7/o4xx x 0 1"
    assert refusal("g1-f1", text).startswith(
        "g1-f1 is not legal: f1 holds a piece of Red. From g1 you can reach "
    )


def test_a_block_as_target_is_explained() -> None:
    assert refusal("b2-c3", MIDDLE).startswith("b2-c3 is not legal: c3 is a block. From b2 ")


def test_the_own_square_as_target_is_explained() -> None:
    assert refusal("a7-a7").startswith(
        "a7-a7 is not legal: a piece cannot move to the square it stands on. From a7 "
    )


@pytest.mark.parametrize(
    ("move", "square"), [("a7-h6", "h6"), ("a7a8", "a8"), ("a7-a0", "a0"), ("z9-a1", "z9")]
)
def test_a_square_off_the_board_is_named(move: str, square: str) -> None:
    assert refusal(move).endswith(
        f" is not legal: {square} is off the board; columns are a to g and rows 1 to 7."
    )


def test_a_clone_out_of_touch_is_explained() -> None:
    assert refusal("d4") == (
        "d4 is not legal: no piece of Red stands next to d4. Red can clone to a6 b6 b7 f1 f2 g2."
    )


def test_a_clone_to_an_occupied_square_is_explained() -> None:
    assert refusal("g7") == (
        "g7 is not legal: g7 holds a piece of Blue. Red can clone to a6 b6 b7 f1 f2 g2."
    )


def test_a_pass_while_there_are_moves_is_explained_with_an_example_and_the_number_of_others() -> (
    None
):
    assert refusal("-") == (
        "A pass is not legal: it is allowed only when there is no other move,"
        " and Red can play g1-f1 or 15 others."
    )


def test_one_single_move_has_no_others_beside_it() -> None:
    text = "xo1oooo/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo/ooooooo x 0 1"
    assert refusal("-", text).endswith("and Red can play a7-c7.")


def test_whoever_must_pass_is_told_so() -> None:
    stuck = "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1"
    assert refusal("a1-a4", stuck) == (
        "a1-a4 is not legal: a4 is 3 rows away; the limit is 2."
        " From a1 you can reach no square. There is no move but a pass (-)."
    )
    assert refusal("c3-c4", stuck).endswith(
        "c3 holds a piece of Blue, and it is Red's turn. Red can move no piece."
        " There is no move but a pass (-)."
    )
    assert refusal("a4", stuck).endswith(
        "no piece of Red stands next to a4. Red can clone to no square."
        " There is no move but a pass (-)."
    )


@pytest.mark.parametrize(
    ("text", "ruleset", "why"),
    [
        (
            "7/7/7/3x3/7/7/7 o 0 9",
            "ataxx/cs61b-2022",
            "Red won (Blue has no pieces left).",
        ),
        (
            "xx4o/7/7/7/7/7/o5x x 25 9",
            "ataxx/cs61b-2022",
            "Red won (25 consecutive jumps, pieces 3 to 2).",
        ),
        (
            "xx4o/7/7/7/7/7/o5x x 100 9",
            "ataxx/uai",
            "it was a draw (100 plies without a clone).",
        ),
        (
            "x------/-------/-------/---1---/-------/-------/-----oo x 0 9",
            "ataxx/cs61b-2022",
            "Blue won (neither side can move, pieces 1 to 2).",
        ),
        ("7/7/7/7/7/7/7 x 0 1", "ataxx/uai", "it was a draw (neither side has any pieces)."),
    ],
)
@pytest.mark.parametrize("move", ["-", "a6", "a7-a6", "a7-z0"])
def test_after_the_end_every_move_is_answered_with_the_result(
    move: str, text: str, ruleset: str, why: str
) -> None:
    assert refusal(move, text, ruleset).endswith(f" is not legal: the game is over, {why}")


def test_play_and_parse_move_explain_alike() -> None:
    start = Position.start("ataxx/cs61b-2022")
    with pytest.raises(IllegalMoveError, match=r"c3-c5 is not legal: c3 is empty\."):
        start.play(Move("ataxx", "c3c5"))


@pytest.mark.parametrize(
    "text", ["", " ", "a", "a7-", "a7--a5", "77-a5", "a7 a5", "a7-a5x", "pass", "--", "000", "é7"]
)
def test_text_that_is_no_move_is_answered_with_what_a_move_looks_like(text: str) -> None:
    with pytest.raises(InvalidMoveError) as caught:
        Position.start("ataxx/uai").parse_move(text)
    assert str(caught.value) == (
        f'"{text}" is not a move. A move is two squares (a7-a5 or a7a5), the target alone when a'
        " piece is cloned (g2), or - (0000) for a pass."
    )


def test_long_and_unprintable_text_is_cut_and_escaped_in_messages() -> None:
    with pytest.raises(InvalidMoveError) as caught:
        Position.start("ataxx/uai").parse_move("\x1b[2J" + "y" * 10_000)
    assert str(caught.value).startswith('"\\u{1b}[2Jyyyy')
    assert len(str(caught.value)) < 250
