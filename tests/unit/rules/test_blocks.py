"""Blocks, placed by square and mirrored."""

import pytest

from ataxxd.rules import InvalidPositionError, Outcome, Position
from ataxxd.rules.ataxx import reflections, with_block, with_blocks

START = Position.start("ataxx/cs61b-2022")


def test_a_block_is_mirrored_across_both_middle_lines() -> None:
    assert with_block(START, "c3").text == "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"


@pytest.mark.parametrize(
    ("square", "expected"),
    [("b2", "b2 f2 b6 f6"), ("c4", "c4 e4"), ("d2", "d2 d6"), ("d4", "d4"), ("g7", "g7 a7 g1 a1")],
)
def test_a_square_on_a_middle_line_has_fewer_reflections(square: str, expected: str) -> None:
    assert " ".join(reflections(square)) == expected


def test_the_example_of_the_specification_can_be_described_in_two_ways() -> None:
    one = with_blocks(START, "b2 c3 c4")
    assert one == with_blocks(START, "F2, c3, E4")
    assert " ".join(one.rows) == ("x.....o .#...#. ..#.#.. ..#.#.. ..#.#.. .#...#. o.....x")


@pytest.mark.parametrize("square", ["a1", "A7", "g1", "g7"])
def test_a_corner_with_a_piece_takes_no_block(square: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        with_block(START, square)
    name = square.lower()
    assert str(caught.value) == f"No block can stand on {name}: {name} already holds a piece."


def test_a_reflection_that_holds_a_piece_is_named() -> None:
    later = START.play(START.parse_move("b6"))
    with pytest.raises(
        InvalidPositionError, match="on f2: its reflection b6 already holds a piece"
    ):
        with_block(later, "f2")


def test_a_block_on_a_block_is_refused() -> None:
    with pytest.raises(InvalidPositionError, match="on e5: e5 already holds a block"):
        with_block(with_block(START, "c3"), "e5")


def test_a_list_may_name_a_reflection_again() -> None:
    assert with_blocks(START, "b2 f6 b2") == with_block(START, "b2")
    assert with_blocks(START, " ") == START


@pytest.mark.parametrize("square", ["", "h1", "a8", "a0", "c", "c33", "3c", "٣c", "c٣"])
def test_what_is_no_square_is_refused_by_name(square: str) -> None:
    with pytest.raises(InvalidPositionError, match="is not a square for a block"):
        with_block(START, square)


def test_blocks_that_shut_everybody_in_end_the_game() -> None:
    position = START
    for square in ["a2", "a3", "b1", "b2", "b3", "c1", "c2", "c3"]:
        assert position.outcome is None
        position = with_block(position, square)
    assert position.outcome == Outcome("no-moves", None)


def test_clock_side_and_move_number_stay_as_they_are() -> None:
    position = Position.from_text("ataxx/uai", "x5o/7/7/7/7/7/o5x o 3 9")
    assert with_block(position, "d4").text == "x5o/7/7/3-3/7/7/o5x o 3 9"
