"""Reversi: moves, passes, ends and both texts, by example."""

import pytest

from ataxxd.rules import (
    IllegalMoveError,
    InvalidMoveError,
    InvalidPositionError,
    Outcome,
    Position,
    Side,
)
from ataxxd.rules.reversi import laboratory_text

START = Position.start("reversi/standard")


def reversi(text: str) -> Position:
    return Position.from_text("reversi/standard", text)


def refusal(position: Position, move: str) -> str:
    with pytest.raises(IllegalMoveError) as caught:
        position.parse_move(move)
    return str(caught.value)


def test_the_start_is_the_one_of_the_laboratory() -> None:
    assert START.rows[3] == "...ox..."
    assert START.rows[4] == "...xo..."
    assert START.turn is Side.FIRST
    assert laboratory_text(START) == (
        "[........|........|........|...wb...|...bw...|........|........|........]"
    )
    assert reversi("") == reversi("  ") == START


def test_the_first_move_of_the_laboratory_gives_its_position() -> None:
    after = START.play(START.parse_move("(5,4)"))
    assert laboratory_text(after) == (
        "{........|........|........|...wb...|...bbb..|........|........|........}"
    )
    assert after.counts == (4, 1)


def test_legal_moves_come_column_by_column() -> None:
    assert [move.text for move in START.legal_moves] == ["c4", "d3", "e6", "f5"]
    laboratory = [START.format_move(move, "laboratory") for move in START.legal_moves]
    assert laboratory == ["(2,3)", "(3,2)", "(4,5)", "(5,4)"]


def test_a_move_turns_pieces_in_every_direction() -> None:
    star = "X--X--X--O-O-O----OOO---XOO-OOOX--OOO----O-O-O--X--O--X----X----"
    position = reversi(star + " X")
    after = position.play(position.parse_move("d4"))
    assert after.counts[1] == 0
    assert after.outcome == Outcome("no-moves", Side.FIRST)


def test_a_player_without_a_move_has_to_pass() -> None:
    position = reversi("XO-" + "-" * 61 + " O")
    assert [move.text for move in position.legal_moves] == ["--"]
    assert position.format_move(position.legal_moves[0], "laboratory") == "(-1,-1)"
    after = position.play(position.parse_move("(-1,-1)"))
    assert after.rows == position.rows
    assert [move.text for move in after.legal_moves] == ["c1"]
    assert refusal(position, "c1") == (
        "c1 is not legal: a piece on c1 would bracket no piece of Black. White has no move but a"
        " pass, --."
    )


@pytest.mark.parametrize("text", ["--", "-", "pa", "PASS", "skip", "0000", "(-1,-1)", "-1,-1"])
def test_a_pass_with_moves_left_is_explained(text: str) -> None:
    example = "(2,3)" if "," in text else "c4"
    assert refusal(START, text) == (
        "A pass is not legal: a turn is skipped only when there is no other move, and Black has 4"
        f" moves, such as {example}."
    )


@pytest.mark.parametrize("text", ["d3", "D3", " d3 ", "(3,2)", "( 3, 2 )", "3,2"])
def test_spellings_of_a_move_are_read_alike(text: str) -> None:
    assert START.parse_move(text).text == "d3"


@pytest.mark.parametrize("text", ["", "d", "d33", "(3,2", "3,2)", "(-1,2)", "(10,1)", "3 2", "é3"])
def test_other_text_is_no_move(text: str) -> None:
    with pytest.raises(InvalidMoveError, match=r"is not a move\. A move is a square"):
        START.parse_move(text)


LISTED = "(2,3) (3,2) (4,5) (5,4)."


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("e4", "e4 holds a piece of Black. Black can play c4 d3 e6 f5."),
        ("d4", "d4 holds a piece of White. Black can play c4 d3 e6 f5."),
        ("a1", "a piece on a1 would bracket no piece of White. Black can play c4 d3 e6 f5."),
        ("i1", "i1 is off the board; columns are a to h and rows 1 to 8."),
        ("(3,3)", "(3,3) holds a piece of White. Black can play " + LISTED),
        ("0,0", "a piece on (0,0) would bracket no piece of White. Black can play " + LISTED),
        ("(8,0)", "(8,0) is off the board; x and y are 0 to 7."),
    ],
)
def test_an_illegal_move_is_explained(move: str, reason: str) -> None:
    assert refusal(START, move).partition(" is not legal: ")[2] == reason


def test_the_game_ends_when_neither_can_move_and_most_pieces_win() -> None:
    full = reversi("X" * 40 + "O" * 24 + " O")
    assert full.outcome == Outcome("no-moves", Side.FIRST)
    assert reversi("X" * 32 + "O" * 32 + " O").outcome == Outcome("no-moves", None)
    assert reversi("O" + "-" * 63 + " X").outcome == Outcome("no-moves", Side.SECOND)
    assert full.legal_moves == ()
    assert refusal(full, "--") == (
        "A pass is not legal: the game is over, Black won (neither side can move, pieces 40 to 24)."
    )


def test_a_finished_game_is_one_leaf_at_any_depth() -> None:
    assert [reversi("X" * 64 + " O").perft(depth) for depth in range(8)] == [1] * 8


def test_perft_equals_the_number_of_lines_played_out() -> None:
    def lines(position: Position, depth: int) -> int:
        if depth == 0 or position.outcome is not None:
            return 1
        return sum(lines(position.play(move), depth - 1) for move in position.legal_moves)

    late = reversi("O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X")
    for position in (START, late, reversi("XO-" + "-" * 61 + " O")):
        for depth in range(4):
            assert position.perft(depth) == lines(position, depth)


def test_short_rows_and_blanks_of_the_laboratory_are_filled() -> None:
    short = reversi("{|||...wb|...bbb}")
    assert short.text == 27 * "-" + "OX------" + 3 * "X" + 26 * "-" + " O"
    spread = "{ ... .. ...|........|........|...wb...|...bbb..|....\n....|........|........}"
    assert reversi(spread) == short


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("x", "has 1 characters"),
        ("-" * 63 + " X", "has 64 characters"),
        ("-" * 64 + " B", "X or O, not 'B'"),
        ("--Y" + "-" * 61 + " X", "Square c1 (character 3): 'Y'"),
        ("[.........]", "Row 1 (y = 0) has 9 squares"),
        ("[||..x]", "(2,2): 'x' stands where w, b or ."),
        ("[" + "|" * 8 + "]", "8 rows with | between them; there are more"),
        ("{...wb", "begins with { but does not end with }"),
        ("[...wb}", "begins with [ but does not end with ]"),
    ],
)
def test_text_that_is_no_position_is_refused_with_the_place(text: str, what: str) -> None:
    with pytest.raises(InvalidPositionError) as caught:
        reversi(text)
    assert what in str(caught.value)


def test_only_reversi_has_the_laboratorys_text() -> None:
    with pytest.raises(InvalidPositionError, match="the position is one of loa"):
        laboratory_text(Position.start("loa/cs61b"))
