"""What may be played in Ataxx, and what it does to the board."""

import pytest

from ataxxd.rules import IllegalMoveError, Position, Side

BOTH = pytest.mark.parametrize("ruleset", ["ataxx/cs61b-2022", "ataxx/uai"])


def position(text: str, ruleset: str = "ataxx/cs61b-2022") -> Position:
    return Position.from_text(ruleset, text)


def play(start: Position, *moves: str) -> Position:
    for text in moves:
        start = start.play(start.parse_move(text))
    return start


@BOTH
def test_the_first_side_starts_with_two_corners_and_sixteen_moves(ruleset: str) -> None:
    start = Position.start(ruleset)
    assert start.turn is Side.FIRST
    assert start.counts == (2, 2)
    assert start.rows[0] == "x.....o"
    assert start.rows[6] == "o.....x"
    assert len(start.legal_moves) == 16
    assert start.outcome is None


@BOTH
def test_a_clone_adds_a_piece_and_turns_its_neighbours(ruleset: str) -> None:
    before = position("7/7/2o1o2/1x5/2o4/7/7 x 3 5", ruleset)
    after = play(before, "c4")
    assert " ".join(after.rows) == "....... ....... ..x.o.. .xx.... ..x.... ....... ......."
    assert after.counts == (4, 1)
    assert after.text.split()[1:] == ["o", "0", "5"]


@BOTH
def test_a_jump_moves_a_piece_and_turns_its_neighbours(ruleset: str) -> None:
    after = play(position("7/7/2o1o2/1x5/2o4/7/7 x 3 5", ruleset), "b4d4")
    assert " ".join(after.rows) == "....... ....... ..x.x.. ...x... ..x.... ....... ......."
    assert after.text.split()[1:] == ["o", "4", "5"]


@BOTH
def test_blocks_are_never_turned_or_entered_but_jumped_over(ruleset: str) -> None:
    before = position("7/7/7/x-1o3/--5/7/7 x 0 1", ruleset)
    assert (
        " ".join(map(str, before.legal_moves))
        == "a5 b5 a4a2 a4b2 a4c2 a4c3 a4c4 a4c5 a4a6 a4b6 a4c6"
    )
    after = play(before, "a4c4")
    assert after.rows[3] == ".#xx..."


@BOTH
def test_clones_come_first_by_target_then_jumps_by_source(ruleset: str) -> None:
    moves = " ".join(map(str, Position.start(ruleset).legal_moves))
    assert moves == ("f1 f2 g2 a6 b6 b7 g1e1 g1e2 g1e3 g1f3 g1g3 a7a5 a7b5 a7c5 a7c6 a7c7")


@BOTH
def test_moves_are_read_in_every_spelling(ruleset: str) -> None:
    start = Position.start(ruleset)
    for text in ("b6", "B6", "a7b6", "a7-b6", " A7-B6 "):
        assert str(start.parse_move(text)) == "b6"
    for text in ("a7c5", "a7-c5", "A7C5"):
        assert str(start.parse_move(text)) == "a7c5"


@BOTH
@pytest.mark.parametrize("text", ["-", "0000", " - "])
def test_a_pass_is_read_where_there_is_no_other_move(text: str, ruleset: str) -> None:
    stuck = position("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1", ruleset)
    (only,) = stuck.legal_moves
    assert str(only) == "0000"
    assert stuck.parse_move(text) == only
    after = stuck.play(only)
    assert after.turn is Side.SECOND
    assert after.rows == stuck.rows


def test_the_move_number_grows_after_the_second_side_has_moved() -> None:
    line = ["g1f2", "a1b2", "f1", "-"]
    texts = []
    now = Position.start("ataxx/uai")
    for move in line[:3]:
        now = play(now, move)
        texts.append(now.text.split()[3])
    assert texts == ["1", "2", "2"]


def test_the_clock_counts_jumps_in_the_course_rules_and_a_pass_leaves_it() -> None:
    stuck = position("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 7 1")
    assert play(stuck, "-").text.split()[2] == "7"
    assert play(stuck, "-", "a3a5").text.split()[2] == "8"
    assert play(stuck, "-", "a4").text.split()[2] == "0"


def test_the_clock_counts_passes_too_in_the_engine_rules() -> None:
    stuck = position("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 7 1", "ataxx/uai")
    assert play(stuck, "-").text.split()[2] == "8"


@BOTH
def test_the_course_notation_names_a_source_for_a_clone(ruleset: str) -> None:
    start = Position.start(ruleset)
    texts = [start.format_move(start.parse_move(text), "cs61b") for text in ("b6", "a7c5")]
    assert texts == ["a7-b6", "a7-c5"]
    stuck = position("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1", ruleset)
    assert stuck.format_move(stuck.legal_moves[0], "cs61b") == "-"
    assert stuck.format_move(stuck.legal_moves[0]) == "0000"


@BOTH
def test_the_course_notation_of_every_move_reads_back_as_the_same_move(ruleset: str) -> None:
    middle = position("x5o/1xo4/2-1-2/3x3/2-1-2/2oxo2/o5x o 2 9", ruleset)
    for move in middle.legal_moves:
        assert middle.parse_move(middle.format_move(move, "cs61b")) == move


def test_an_unknown_notation_is_refused_by_name() -> None:
    start = Position.start("ataxx/uai")
    with pytest.raises(ValueError, match='no notation "pgn"; it has canonical, cs61b'):
        start.format_move(start.legal_moves[0], "pgn")


def test_a_move_that_is_not_legal_here_has_no_text_here() -> None:
    start = Position.start("ataxx/uai")
    elsewhere = play(start, "b6").legal_moves[0]
    with pytest.raises(IllegalMoveError):
        start.format_move(elsewhere, "cs61b")
