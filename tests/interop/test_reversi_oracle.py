"""Random games of reversi, move by move, beside rust-reversi."""

import random
from typing import Any

import pytest

from ataxxd.rules import Move, Outcome, Position, Side

# There is no wheel of it yet for the newest Python.
rust_reversi = pytest.importorskip("rust_reversi")

PASS = Move("reversi", "--")


def square(move: Move) -> int:
    """The oracles' number of a square: a1 is 0, b1 is 1."""
    return ord(move.text[0]) - ord("a") + 8 * (int(move.text[1]) - 1)


def compare(ours: Position, theirs: Any) -> None:
    """Everything that both know of a position."""
    board, turn = ours.text.split()
    assert board == theirs.get_board_line()
    assert theirs.get_turn() == (
        rust_reversi.Turn.BLACK if turn == "X" else rust_reversi.Turn.WHITE
    )
    assert ours.counts == (theirs.black_piece_num(), theirs.white_piece_num())
    assert (ours.outcome is not None) == theirs.is_game_over()
    moves = ours.legal_moves
    assert theirs.is_pass() == (moves in {(), (PASS,)})
    squares = sorted(square(move) for move in moves if move != PASS)
    assert squares == theirs.get_legal_moves_vec()
    if ours.outcome is not None:
        winner = None
        if not theirs.is_draw():
            winner = Side.FIRST if theirs.is_black_win() else Side.SECOND
        assert ours.outcome == Outcome("no-moves", winner)


def test_random_games_agree_move_by_move() -> None:
    rng = random.Random(1)
    passes = 0
    for _ in range(600):
        ours, theirs = Position.start("reversi/standard"), rust_reversi.Board()
        compare(ours, theirs)
        while ours.outcome is None:
            move = rng.choice(ours.legal_moves)
            if move == PASS:
                theirs.do_pass()
                passes += 1
            else:
                theirs.do_move(square(move))
            ours = ours.play(move)
            compare(ours, theirs)
    assert passes > 100


def test_random_boards_agree_though_no_game_reaches_them() -> None:
    rng = random.Random(2)
    for _ in range(2000):
        alphabet = rng.choice(["XO-", "XO---", "XXXO-", "XOXO-", "XO"])
        board = "".join(rng.choices(alphabet, k=64))
        turn = rng.choice("XO")
        theirs = rust_reversi.Board()
        side = rust_reversi.Turn.BLACK if turn == "X" else rust_reversi.Turn.WHITE
        theirs.set_board_str(board, side)
        ours = Position.from_text("reversi/standard", f"{board} {turn}")
        compare(ours, theirs)
