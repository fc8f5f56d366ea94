"""Random games of checkers, move by move, beside pydraughts.

pydraughts is slow, a few milliseconds a move; hence few games, and many lone positions
that no random game would reach.
"""

import random
from typing import Any

import draughts  # type: ignore[import-untyped]

from ataxxd.rules import Position

RULESET = "checkers/cs61b-2004"


def compare(ours: Position, theirs: draughts.Board) -> dict[str, Any]:
    """Everything that both know of a position; returns the oracle's moves by their text."""
    assert Position.from_text(RULESET, theirs.fen) == ours
    moves = [("-".join(map(str, move.steps_move)), move) for move in theirs.legal_moves()]
    written = sorted(ours.format_move(move, "cs61b") for move in ours.legal_moves)
    assert written == sorted(text for text, _ in moves)
    return dict(moves)


def test_random_games_agree_move_by_move() -> None:
    rng = random.Random(1)
    longest = finished = 0
    for _ in range(30):
        theirs = draughts.Board(variant="english")
        ours = Position.start(RULESET)
        moves = compare(ours, theirs)
        while moves and len(theirs.move_stack) < 150:
            move = rng.choice(ours.legal_moves)
            written = ours.format_move(move, "cs61b")
            longest = max(longest, written.count("-"))
            theirs.push(moves[written])
            ours = ours.play(move)
            moves = compare(ours, theirs)
        if ours.outcome is not None:
            finished += 1
            assert ours.outcome.winner is ours.turn.opponent
    assert longest >= 2
    assert finished > 10


def test_random_boards_agree_though_no_game_reaches_them() -> None:
    rng = random.Random(2)
    longest = 0
    for _ in range(1500):
        squares = rng.sample(range(1, 33), rng.randint(2, 20))
        split = rng.randint(1, len(squares) - 1)
        kings = rng.choice([0.1, 0.5, 0.9])
        sides = []
        for side, own, crowned in (
            ("W", squares[:split], range(1, 5)),
            ("B", squares[split:], range(29, 33)),
        ):
            pieces = [
                f"K{square}" if square in crowned or rng.random() < kings else str(square)
                for square in own[:12]
            ]
            sides.append(side + ",".join(pieces))
        text = f"{rng.choice('WB')}:{':'.join(sides)}"
        ours = Position.from_text(RULESET, text)
        compare(ours, draughts.Board(variant="english", fen=text))
        longest = max([longest, *(move.text.count("x") for move in ours.legal_moves)])
    assert longest >= 4
