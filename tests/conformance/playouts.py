"""Games of every ruleset for the vectors: each position with its legal moves, and every end."""

from typing import Any

from ataxxd.rules import Position
from tests.conformance.games import ONE_MOVE_LEFT

_BLOCKS = "x5o/7/2-1-2/7/2-1-2/7/o5x x 0 1"
# Ruleset, start (None: the usual one), and the seed of the choices.
_PLAYOUTS = [
    ("ataxx/cs61b-2022", _BLOCKS, 86),
    ("ataxx/cs61b-2022", _BLOCKS, 165),
    ("ataxx/uai", _BLOCKS, 98),
    ("loa/cs61b", None, 1),
    ("checkers/cs61b-2004", None, 101),
    ("checkers/cs61b-2004", None, 147),
    ("checkers/acf", None, 76),
    ("checkers/acf", None, 101),
    ("reversi/standard", None, 9),
]
# Ruleset, start and moves: the ends that chance does not come to soon, and those of two reasons.
_ENDS = [
    ("ataxx/cs61b-2022", "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 3 1", "0000 a4 0000 c3c5"),
    ("ataxx/cs61b-2022", "x5o/7/7/7/7/7/o5x x 24 30", "a7a5"),
    ("ataxx/cs61b-2022", "x6/7/7/3o3/7/7/7 x 24 30", "a7c5"),
    ("ataxx/uai", "7/7/7/7/ooooooo/ooooooo/xxxxxxx x 3 1", "0000 a4 0000 c3c5"),
    ("ataxx/uai", "x5o/7/7/7/7/7/o5x x 99 30", "a7a5"),
    ("ataxx/uai", ONE_MOVE_LEFT, "0000 g1"),
    ("ataxx/uai", "x6/7/7/3o3/7/7/7 x 99 30", "a7c5"),
    ("loa/cs61b", "8/8/8/2x1o3/8/2x1o3/8/8 x 5 6", "c3-b4"),
    ("loa/cs61b", "8/8/8/6x1/5x2/2x1o3/oo6/8 x", "c3-e3"),
    ("checkers/acf", "B:WK32:BK1", "1-6 32-27 6-1 27-32 1-6 32-27 6-1 27-32"),
    ("checkers/acf", "W:WK30:BK1,K2:H78", "30-25 1-6"),
]


def playouts() -> list[dict[str, Any]]:
    """All of them, as the vectors have them."""
    made = []
    for ruleset, start, seed in _PLAYOUTS:
        position = Position.start(ruleset) if start is None else Position(ruleset, start)
        made.append(_told(position, _chosen(position, seed)))
    for ruleset, start, moves in _ENDS:
        made.append(_told(Position(ruleset, start), moves.split()))
    return made


def _chosen(position: Position, state: int) -> list[str]:
    """Moves to the end, by a generator that is the same everywhere."""
    moves = []
    while position.outcome is None:
        state = (state * 1_103_515_245 + 12_345) % 2**31
        legal = [move.text for move in position.legal_moves]
        moves.append(legal[(state >> 8) % len(legal)])
        position = position.play(position.parse_move(moves[-1]))
    return moves


def _told(position: Position, moves: list[str]) -> dict[str, Any]:
    made: dict[str, Any] = {"ruleset": position.ruleset, "positions": []}
    for text in [*moves, None]:
        legal = " ".join(sorted(move.text for move in position.legal_moves))
        step = {"text": position.text, "legal": legal}
        if text is not None:
            step["move"] = text
            position = position.play(position.parse_move(text))
        made["positions"].append(step)
    if position.outcome is not None:
        outcome = position.outcome
        made |= {"score": outcome.score, "termination": outcome.termination}
    return made
