"""The values of the laboratory: boardEval and minimax, by its sheet."""

import random

import pytest

from ataxxd.engines.laboratory import RULESET, ReferencePlayer
from ataxxd.rules import Engine, InvalidPositionError, Position, Side
from ataxxd.rules.reversi import SQUARE_WEIGHTS, board_eval

# The state of the sheet's example, after Black's move to (5,4).
AFTER_5_4 = "{........|........|........|...wb...|...bbb..|........|........|........}"


def state(text: str) -> Position:
    return Position.from_text(RULESET, text)


def game(seed: int) -> list[Position]:
    """All positions of a random game, its end included."""
    choices = random.Random(seed)
    positions = [Position.start(RULESET)]
    while positions[-1].outcome is None:
        positions.append(positions[-1].play(choices.choice(positions[-1].legal_moves)))
    return positions


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("", 0),
        (AFTER_5_4, 3 - 4 * 3),
        ("{w}", 120),
        ("[w]", 120),
        ("{b......w|w......b}", 0),
        ("{.b|ww}", 20 - 20 - 40),
        # All of one colour, whoever is to move: the sum of the sheet's table.
        ("{" + "|".join(["w" * 8] * 8) + "}", sum(map(sum, SQUARE_WEIGHTS))),
        ("[" + "|".join(["b" * 8] * 8) + "]", -sum(map(sum, SQUARE_WEIGHTS))),
    ],
)
def test_board_eval_is_the_weights_of_white_minus_those_of_black(text: str, value: int) -> None:
    assert board_eval(state(text)) == value


def test_board_eval_is_what_the_search_counts_at_its_last_ply() -> None:
    engine = Engine(1)
    for position in game(1):
        values = [board_eval(position.play(move)) for move in position.legal_moves]
        if values:
            best = max(values) if position.turn is Side.SECOND else min(values)
            assert engine.alphabeta(position, 1)[1] == best


def test_positions_of_other_games_have_no_board_eval() -> None:
    with pytest.raises(InvalidPositionError, match="ataxx"):
        board_eval(Position.start("ataxx/cs61b-2022"))


@pytest.mark.parametrize("depth", [1, 2, 3, 5])
def test_a_state_is_worth_what_the_best_of_its_moves_is(depth: int) -> None:
    reference = ReferencePlayer()
    for position in game(depth)[::6]:
        judged = reference.judge(position, depth)
        assert [each.move for each in judged.moves] == list(position.legal_moves)
        if position.outcome is not None:
            continue
        best = max if position.turn is Side.SECOND else min
        assert judged.value == best(each.value for each in judged.moves)
        # The first of equal moves.
        assert judged.choice == next(
            each.move for each in judged.moves if each.value == judged.value
        )
        assert judged.choice == reference.choose_move(position, depth)
        assert judged.value == reference.value(position, depth)


def test_a_finished_game_is_worth_its_board_at_any_depth() -> None:
    over = game(3)[-1]
    for depth in (0, 1, 8):
        judged = ReferencePlayer().judge(over, depth)
        assert (judged.value, judged.choice, judged.moves) == (board_eval(over), None, ())


def test_nothing_is_looked_at_zero_plies_ahead() -> None:
    assert ReferencePlayer().judge(state(AFTER_5_4), 0).value == board_eval(state(AFTER_5_4))


def test_a_skipped_turn_is_a_ply() -> None:
    white_skips = state("{bw}")
    reference = ReferencePlayer()
    assert [move.text for move in white_skips.legal_moves] == ["--"]
    # After the skip alone the board is as it was; a ply later Black has turned (1,0).
    assert reference.value(white_skips, 1) == board_eval(white_skips) == -120 - 20
    assert reference.value(white_skips, 2) == -120 + 20 - 20
