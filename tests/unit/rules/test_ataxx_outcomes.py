"""How an Ataxx game ends, and who has won."""

import pytest

from ataxxd.rules import Outcome, Position, Side

COURSE = "ataxx/cs61b-2022"
UAI = "ataxx/uai"
BOTH = pytest.mark.parametrize("ruleset", [COURSE, UAI])


def outcome(text: str, ruleset: str = COURSE) -> Outcome | None:
    position = Position.from_text(ruleset, text)
    assert (position.outcome is None) == bool(position.legal_moves)
    return position.outcome


@BOTH
def test_a_full_board_goes_to_the_side_with_more_pieces(ruleset: str) -> None:
    full = "xxxxxxx/xxxxxxx/xxxxxxx/xxx-ooo/ooooooo/ooooooo/{} o 0 30"
    assert outcome(full.format("ooooooo"), ruleset) == Outcome("no-moves", None)
    assert outcome(full.format("oooooox"), ruleset) == Outcome("no-moves", Side.FIRST)
    assert outcome(full.format("ooooooo").replace("-", "o"), ruleset) == Outcome(
        "no-moves", Side.SECOND
    )


@BOTH
def test_the_game_ends_when_blocks_shut_both_sides_in_though_squares_are_empty(
    ruleset: str,
) -> None:
    text = "x------/-------/-------/---1---/-------/-------/------o {} 0 1"
    assert outcome(text.format("x"), ruleset) == Outcome("no-moves", None)
    assert outcome(text.format("o"), ruleset) == Outcome("no-moves", None)


@BOTH
@pytest.mark.parametrize("turn", ["x", "o"])
def test_a_side_without_pieces_has_lost_whoever_is_to_move(turn: str, ruleset: str) -> None:
    assert outcome(f"7/7/7/3x3/7/7/7 {turn} 0 1", ruleset) == Outcome("no-pieces", Side.FIRST)
    assert outcome(f"7/7/7/3o3/7/7/7 {turn} 0 1", ruleset) == Outcome("no-pieces", Side.SECOND)


@BOTH
def test_a_board_without_any_pieces_is_drawn(ruleset: str) -> None:
    assert outcome("7/7/7/7/7/7/7 x 0 1", ruleset) == Outcome("no-pieces", None)


@BOTH
def test_taking_the_last_piece_wins_at_once(ruleset: str) -> None:
    before = Position.from_text(ruleset, "7/7/7/2x1o2/7/7/7 x 0 1")
    assert before.outcome is None
    after = before.play(before.parse_move("d4"))
    assert after.outcome == Outcome("no-pieces", Side.FIRST)


@BOTH
def test_a_side_that_cannot_move_has_not_lost_while_the_other_can(ruleset: str) -> None:
    assert outcome("7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1", ruleset) is None


@pytest.mark.parametrize(
    ("corners", "winner"),
    [("x5o", None), ("xx4o", Side.FIRST), ("x4oo", Side.SECOND)],
)
def test_twenty_five_jumps_in_a_row_end_a_course_game_on_the_piece_count(
    corners: str, winner: Side | None
) -> None:
    board = f"{corners}/7/7/7/7/7/o5x"
    assert outcome(f"{board} x 24 30") is None
    assert outcome(f"{board} x 25 30") == Outcome("jump-limit", winner)


def test_the_twenty_fifth_jump_ends_a_course_game_when_it_is_played() -> None:
    position = Position.start(COURSE)
    shuttle = ["g1g3", "a1a3", "g3g1", "a3a1"]
    for ply in range(25):
        assert position.outcome is None
        position = position.play(position.parse_move(shuttle[ply % 4]))
    assert position.outcome == Outcome("jump-limit", None)
    assert position.legal_moves == ()


def test_a_clone_between_jumps_keeps_a_course_game_going() -> None:
    position = Position.start(COURSE)
    shuttle = ["g1g3", "a1a3", "g3g1", "a3a1"]
    for ply in range(24):
        position = position.play(position.parse_move(shuttle[ply % 4]))
    position = position.play(position.parse_move("b6"))
    assert position.text.split()[2] == "0"
    assert position.outcome is None


def test_a_hundred_plies_without_a_clone_draw_an_engine_game_whatever_the_count() -> None:
    assert outcome("xx4o/7/7/7/7/7/o5x x 99 80", UAI) is None
    assert outcome("xx4o/7/7/7/7/7/o5x x 100 80", UAI) == Outcome("halfmove-limit", None)


@BOTH
def test_a_full_board_outranks_the_clock(ruleset: str) -> None:
    full = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxooo/ooooooo/ooooooo/ooooooo"
    limit = 25 if ruleset == COURSE else 100
    assert outcome(f"{full} x {limit} 90", ruleset) == Outcome("no-moves", Side.FIRST)


def test_the_score_is_written_as_in_records() -> None:
    assert Outcome("no-moves", Side.FIRST).score == "1-0"
    assert Outcome("no-moves", Side.SECOND).score == "0-1"
    assert Outcome("no-moves", None).score == "1/2-1/2"
