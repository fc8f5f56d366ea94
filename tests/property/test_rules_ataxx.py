"""Laws that hold in every Ataxx position."""

import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import (
    IllegalMoveError,
    InvalidMoveError,
    InvalidPositionError,
    Move,
    Outcome,
    Position,
    RulesError,
    Side,
)
from ataxxd.rules.ataxx import with_block

LIMITS = {"ataxx/cs61b-2022": 25, "ataxx/uai": 100}


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Any position that text can say, most of them never reached in play."""
    ruleset = draw(st.sampled_from(sorted(LIMITS)))
    alphabet = draw(st.sampled_from(["xo1", "xo11111", "xo-1", "x111", "xxxxo1", "x-1"]))
    squares = draw(st.text(alphabet, min_size=49, max_size=49))
    board = "/".join(squares[start : start + 7] for start in range(0, 49, 7))
    turn = draw(st.sampled_from("xo"))
    clock = draw(st.integers(0, LIMITS[ruleset]) | st.just(LIMITS[ruleset] - 1))
    number = draw(st.integers(1, 2**32 - 1))
    return Position.from_text(ruleset, f"{board} {turn} {clock} {number}")


@st.composite
def played(draw: st.DrawFn) -> tuple[Position, Move, Position]:
    """A position, a legal move in it, and the position after it, from a random game."""
    position = Position.start(draw(st.sampled_from(sorted(LIMITS))))
    for square in draw(st.sets(st.sampled_from(["b2", "c3", "d1", "d4", "b4"]))):
        position = with_block(position, square)
    choices = draw(st.lists(st.integers(0, 255), min_size=1, max_size=60))
    before, move = position, position.legal_moves[0]
    for choice in choices:
        if position.outcome is not None:
            break
        before, move = position, position.legal_moves[choice % len(position.legal_moves)]
        position = before.play(move)
    return before, move, position


move_texts = st.from_regex(r"[a-hA-H][0-8]-?[a-hA-H]?[0-8]?|-|0000", fullmatch=True)


@given(positions())
def test_position_text_reads_back_to_an_equal_position(position: Position) -> None:
    again = Position.from_text(position.ruleset, position.text)
    assert again == position
    assert hash(again) == hash(position)
    assert again.text == position.text
    assert again.key == position.key
    assert pickle.loads(pickle.dumps(position)) == position


@given(positions())
def test_moves_are_there_exactly_while_the_game_goes_on(position: Position) -> None:
    assert bool(position.legal_moves) == (position.outcome is None)
    assert len(set(position.legal_moves)) == len(position.legal_moves)
    assert position.perft(1) == len(position.legal_moves)


@given(positions())
def test_a_pass_is_the_only_move_wherever_it_is_legal(position: Position) -> None:
    texts = [move.text for move in position.legal_moves]
    assert "0000" not in texts or texts == ["0000"]


@given(positions())
def test_exactly_the_listed_moves_are_legal(position: Position) -> None:
    squares = [column + row for column in "abcdefg" for row in "1234567"]
    candidates = ["0000", *squares]
    for source in squares[::5]:
        candidates += [source + target for target in squares if _is_jump(source, target)]
    legal = {move.text for move in position.legal_moves}
    for text in candidates:
        move = Move("ataxx", text)
        assert position.is_legal(move) == (text in legal)
        if text in legal:
            assert position.parse_move(text) == move
        else:
            for refuse in (position.play, position.format_move):
                with pytest.raises(IllegalMoveError, match=" is not legal: "):
                    refuse(move)


def _is_jump(source: str, target: str) -> bool:
    columns = abs(ord(source[0]) - ord(target[0]))
    return max(columns, abs(int(source[1]) - int(target[1]))) == 2


@given(positions())
def test_every_notation_of_a_legal_move_reads_back_to_it(position: Position) -> None:
    for move in position.legal_moves:
        for notation in ("canonical", "cs61b"):
            text = position.format_move(move, notation)
            assert position.parse_move(text) == move
            assert position.parse_move(text.upper()) == move
        assert Move("ataxx", move.text) == move


@given(played())
def test_a_move_conserves_squares_and_changes_the_turn(
    step: tuple[Position, Move, Position],
) -> None:
    before, move, after = step
    assert after.turn is before.turn.opponent
    gained = {0: 0, 2: 1, 4: 0}[0 if move.text == "0000" else len(move.text)]
    assert sum(after.counts) == sum(before.counts) + gained
    assert [row.count("#") for row in after.rows] == [row.count("#") for row in before.rows]
    assert after.key != before.key


@given(played())
def test_the_key_kept_up_by_moves_is_the_key_of_the_text(
    step: tuple[Position, Move, Position],
) -> None:
    after = step[2]
    again = Position.from_text(after.ruleset, after.text)
    assert again.key == after.key
    assert again == after


@given(st.lists(st.integers(1, 2**32), min_size=40, max_size=80), st.integers(20, 200))
def test_a_course_game_ends_at_the_twenty_fifth_jump_without_a_clone_between(
    choices: list[int], clone_every: int
) -> None:
    position = Position.start("ataxx/cs61b-2022")
    jumps_in_a_row = 0
    for choice in choices:
        if position.outcome is not None:
            break
        jumps = [
            move for move in position.legal_moves if len(move.text) == 4 and move.text != "0000"
        ]
        moves = jumps if jumps and choice % clone_every else position.legal_moves
        move = moves[choice % len(moves)]
        position = position.play(move)
        if len(move.text) == 2:
            jumps_in_a_row = 0
        elif move.text != "0000":
            jumps_in_a_row += 1
        assert position.text.split()[2] == str(jumps_in_a_row)
        stopped = position.outcome is not None and position.outcome.termination == "jump-limit"
        assert not stopped or jumps_in_a_row == 25
        assert jumps_in_a_row < 25 or position.outcome is not None


@given(positions())
def test_the_board_looks_the_same_to_both_sides(position: Position) -> None:
    """With colours and turn swapped, moves are the same and the winner is the other."""
    board, turn, clock, number = position.text.split()
    swap = str.maketrans("xo", "ox")
    swapped = Position.from_text(
        position.ruleset, f"{board.translate(swap)} {turn.translate(swap)} {clock} {number}"
    )
    assert swapped.legal_moves == position.legal_moves
    assert swapped.counts == position.counts[::-1]
    assert swapped.outcome == _mirrored(position.outcome)


def _mirrored(outcome: Outcome | None) -> Outcome | None:
    if outcome is None or outcome.winner is None:
        return outcome
    winner = Side.SECOND if outcome.winner is Side.FIRST else Side.FIRST
    return Outcome(outcome.termination, winner)


def answer(call: Callable[..., object], *arguments: str) -> object:
    """What a call returns, or the refusal that it raises."""
    try:
        return call(*arguments)
    except RulesError as error:
        return error


@given(positions(), move_texts | st.text())
def test_any_text_is_a_move_or_an_explained_error(position: Position, text: str) -> None:
    said = answer(position.parse_move, text)
    if isinstance(said, IllegalMoveError):
        assert " is not legal: " in str(said)
        assert str(said).endswith((".", "(-)."))
    elif isinstance(said, InvalidMoveError):
        assert "is not a move. A move is two squares" in str(said)
        assert len(str(said)) < 1000
    else:
        assert said in position.legal_moves


@given(st.text() | st.from_regex(r"([xo1-8-]{1,9}/?){7} [xow] [0-9]{1,3} [0-9]{1,12}"))
def test_any_text_is_a_position_or_an_explained_error(text: str) -> None:
    for ruleset in LIMITS:
        said = answer(Position.from_text, ruleset, text)
        if isinstance(said, Position):
            assert Position.from_text(ruleset, said.text) == said
        else:
            assert isinstance(said, InvalidPositionError)
            assert str(said).endswith(".")
            assert len(str(said)) < 1200
