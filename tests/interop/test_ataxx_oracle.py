"""Agreement with the PyPI package ``ataxx`` (python-ataxx, MIT) under the rules of UAI."""

import random

import ataxx  # type: ignore[import-untyped]
import pytest

from ataxxd.rules import Position

STARTS = {
    "empty corners": "x5o/7/7/7/7/7/o5x x 0 1",
    "four corners": "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1",
    "four sides": "x5o/7/3-3/2-1-2/3-3/7/o5x x 0 1",
    "crowded": "x-1-1-o/-------/x1-o-1x/-------/o1-x-1o/7/o5x x 0 1",
    "walled in": "x1-1-1o/1------/-1---1-/-------/-1---1-/1----1-/o1-1-1x x 60 40",
    "must pass": "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 0 1",
    "late clock": "x5o/7/7/7/7/7/o5x o 93 70",
}


def compare(ours: Position, theirs: ataxx.Board) -> None:
    """Everything that both know of a position."""
    assert ours.text == theirs.get_fen()
    assert ours.counts == (theirs.num_black(), theirs.num_white())
    moves = [str(move) for move in ours.legal_moves]
    assert sorted(moves) == sorted(str(move) for move in theirs.legal_moves())
    assert (ours.outcome is not None) == theirs.gameover()
    if ours.outcome is not None:
        assert ours.outcome.score == theirs.result()


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS.keys())
def test_random_games_agree_move_by_move(start: str) -> None:
    rng = random.Random(start)
    finished = 0
    for _ in range(12):
        theirs = ataxx.Board(start)
        ours = Position.from_text("ataxx/uai", start)
        compare(ours, theirs)
        while ours.outcome is None and int(ours.text.split()[3]) < 150:
            # Jumps are many; half of the moves are clones so that games come to an end.
            moves = list(ours.legal_moves)
            clones = [move for move in moves if len(move.text) == 2]
            move = rng.choice(clones if clones and rng.random() < 0.5 else moves)
            theirs.makemove(ataxx.Move.from_san(move.text))
            ours = ours.play(move)
            compare(ours, theirs)
        finished += ours.outcome is not None
    assert finished


def test_games_of_jumps_alone_end_at_the_same_ply() -> None:
    rng = random.Random(1)
    theirs = ataxx.Board()
    ours = Position.start("ataxx/uai")
    plies = 0
    while ours.outcome is None:
        jumps = [move for move in ours.legal_moves if len(move.text) == 4]
        move = rng.choice(jumps or list(ours.legal_moves))
        theirs.makemove(ataxx.Move.from_san(move.text))
        ours = ours.play(move)
        compare(ours, theirs)
        plies += 1
    assert plies > 10


def test_random_boards_agree_though_no_game_reaches_them() -> None:
    rng = random.Random(2)
    for _ in range(400):
        alphabet = rng.choice(["xo1", "xo-1", "xo----1", "xxxxo1", "x-1"])
        board = "/".join("".join(rng.choices(alphabet, k=7)) for _ in range(7))
        text = f"{board} {rng.choice('xo')} {rng.choice([0, 50, 99, 100])} {rng.randint(1, 99)}"
        ours = Position.from_text("ataxx/uai", text)
        compare(ours, ataxx.Board(ours.text))


def test_perft_agrees() -> None:
    for start in STARTS.values():
        assert Position.from_text("ataxx/uai", start).perft(3) == ataxx.Board(start).perft(3)
