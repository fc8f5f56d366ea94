"""Random games of reversi, move by move, beside OpenSpiel."""

import random
import re

import pyspiel  # type: ignore[import-not-found]

from ataxxd.rules import Position


def test_random_games_agree_move_by_move() -> None:
    rng = random.Random(3)
    game = pyspiel.load_game("othello")
    for _ in range(600):
        ours, theirs = Position.start("reversi/standard"), game.new_initial_state()
        while not theirs.is_terminal():
            assert ours.outcome is None
            assert int(ours.turn) == theirs.current_player()
            names = {theirs.action_to_string(action): action for action in theirs.legal_actions()}
            names = {"--" if name == "pass" else name: action for name, action in names.items()}
            assert {move.text for move in ours.legal_moves} == names.keys()
            move = rng.choice(ours.legal_moves)
            theirs.apply_action(names[move.text])
            ours = ours.play(move)
            board = re.sub(r"[1-8a-h\s]", "", str(theirs).partition("\n")[2]).upper()
            assert ours.text.split()[0] == board
        assert ours.outcome is not None
        first, second = (int(value) for value in theirs.returns())
        assert ours.outcome.score == {1: "1-0", 0: "1/2-1/2", -1: "0-1"}[first]
        assert second == -first
