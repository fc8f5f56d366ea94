"""The PettingZoo environments: the public interface of PettingZoo, and the rules behind it."""

import random

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from ataxxd.rules import Position, Side, rulesets
from ataxxd_clients.rl import GameEnv, env

GAMES = ("ataxx", "checkers", "loa", "reversi")


# It says so of its own classic games too: dictionaries with a mask are not what it expects.
@pytest.mark.filterwarnings("ignore:Observation:UserWarning")
@pytest.mark.parametrize("game", GAMES)
def test_pettingzoos_own_tests_pass(game: str) -> None:
    api_test(env(game), num_cycles=300, verbose_progress=False)
    seed_test(lambda: env(game), num_cycles=50)


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_every_legal_move_can_be_made_by_steps_and_nothing_else(ruleset: str) -> None:
    chance = random.Random(7)
    board = GameEnv(ruleset.partition("/")[0], ruleset=ruleset, max_plies=60)
    trial = GameEnv(ruleset.partition("/")[0], ruleset=ruleset)
    for _ in range(2):
        board.reset()
        position = Position.start(ruleset)
        while not any((*board.terminations.values(), *board.truncations.values())):
            reached = _reached_by_steps(board, trial)
            assert reached == {position.play(move).text for move in position.legal_moves}
            before = board.position
            while board.position == before:
                mask = board.observe(board.agent_selection)["action_mask"]
                board.step(int(chance.choice(np.flatnonzero(mask))))
                if any(board.terminations.values()):
                    break
            position = board.position
        assert (position.outcome is not None) == any(board.terminations.values())


def _reached_by_steps(board: GameEnv, trial: GameEnv) -> set[str]:
    """The positions that complete moves lead to."""
    found = set()
    for pending in board._moves:
        trial.reset()
        trial._place(board.position)
        for number in range(max(1, len(pending.steps))):
            steps = pending.steps
            action = trial._actions.steps.index(steps[number]) if steps else trial._actions.passing
            assert trial.observe(trial.agent_selection)["action_mask"][action] or number == 0
            trial.agent_selection = trial._agent(trial.position.turn)
            trial.step(action)
        found.add(trial.position.text)
    return found


def test_who_wins_gets_one_and_who_loses_minus_one() -> None:
    board = GameEnv(
        "ataxx", position="xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/oooooo1 x 0 1"
    )
    board.reset()
    board.step(board._actions.passing)
    assert board.agent_selection == "player_1"
    board.step(board._actions.steps.index(("g1", "g1")))
    assert board.terminations == {"player_0": True, "player_1": True}
    winner = board.position.outcome
    assert winner is not None
    assert winner.winner is Side.FIRST
    assert board.rewards == {"player_0": 1, "player_1": -1}


def test_each_side_sees_its_own_pieces_first() -> None:
    board = GameEnv("ataxx")
    board.reset()
    first, second = (board.observe(agent)["observation"] for agent in ("player_0", "player_1"))
    assert first[:, :, 0].sum() == second[:, :, 2].sum() == 2
    assert (first[:, :, 0] == second[:, :, 2]).all()
    assert not board.observe("player_1")["action_mask"].any()


def test_a_jump_of_several_captures_is_several_steps_of_one_player() -> None:
    board = GameEnv("checkers", position="B:W18,9:B5")
    board.reset()
    before = board.position
    (first,) = np.flatnonzero(board.observe("player_0")["action_mask"])
    board.step(int(first))
    assert board.position == before
    assert board.agent_selection == "player_0"
    assert board.observe("player_0")["observation"][:, :, -1].sum() == 1
    (second,) = np.flatnonzero(board.observe("player_0")["action_mask"])
    board.step(int(second))
    assert board.position != before


def test_what_is_not_in_the_mask_is_refused() -> None:
    board = GameEnv("reversi")
    board.reset()
    with pytest.raises(ValueError, match="not legal"):
        board.step(0)
    with pytest.raises(ValueError, match="there are ataxx/"):
        GameEnv("chess")


def test_a_game_without_end_is_cut_off() -> None:
    board = GameEnv("loa", max_plies=2)
    board.reset()
    for _ in range(2):
        board.step(int(np.flatnonzero(board.observe(board.agent_selection)["action_mask"])[0]))
    assert board.truncations == {"player_0": True, "player_1": True}
    assert board.rewards == {"player_0": 0, "player_1": 0}
