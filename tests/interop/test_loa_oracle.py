"""Random games of Lines of Action, move by move, beside OpenSpiel.

OpenSpiel ends a game when a board comes a second time, which the course rules do not,
and knows no move limit; up to there the rules are the same.
"""

import random
import re

import pyspiel  # type: ignore[import-not-found]

from ataxxd.rules import Move, Position, Side

START = Position.start("loa/cs61b").text + " 0 1000000"


def board(theirs: object) -> tuple[str, ...]:
    """The rows as `Position.rows` has them; only the board has a digit before eight squares."""
    return tuple(re.findall(r"^[1-8]([xo.]{8})$", str(theirs), re.MULTILINE))


def play_and_compare(rng: random.Random, gather: bool) -> str:
    """One game; how it ended."""
    ours = Position.from_text("loa/cs61b", START)
    theirs = pyspiel.load_game("lines_of_action").new_initial_state()
    seen = {board(theirs)}
    while not theirs.is_terminal():
        assert ours.outcome is None
        assert int(ours.turn) == theirs.current_player()
        names = {theirs.action_to_string(action): action for action in theirs.legal_actions()}
        assert {ours.format_move(move, "pgn") for move in ours.legal_moves} == names.keys()
        move = rng.choice(ours.legal_moves)
        if gather:  # the more central of two moves, so that games end by connecting
            move = min(move, rng.choice(ours.legal_moves), key=distance_from_the_middle)
        theirs.apply_action(names[ours.format_move(move, "pgn")])
        ours = ours.play(move)
        assert ours.rows == board(theirs)
        if theirs.is_terminal() and board(theirs) in seen and ours.outcome is None:
            return "repetition"
        seen.add(board(theirs))
    assert ours.outcome is not None
    assert ours.outcome.termination == "connected"
    first, second = theirs.returns()
    assert ours.outcome.winner is (Side.FIRST if first > second else Side.SECOND)
    return "connected"


def distance_from_the_middle(move: Move) -> float:
    column, row = ord(move.text[-2]) - ord("a"), int(move.text[-1]) - 1
    return abs(column - 3.5) + abs(row - 3.5)


def test_random_games_agree_move_by_move() -> None:
    rng = random.Random(1)
    ends = [play_and_compare(rng, gather=False) for _ in range(150)]
    assert ends.count("connected") > 50


def test_games_that_gather_agree_move_by_move() -> None:
    rng = random.Random(2)
    ends = [play_and_compare(rng, gather=True) for _ in range(500)]
    assert ends.count("connected") > 350
