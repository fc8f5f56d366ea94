"""alphabeta:DEPTH: in reversi the laboratory's reference, held against plain minimax."""

import random
import threading
from functools import cache

import pytest

from ataxxd.engines.base import AlphaBetaBot
from ataxxd.engines.registry import make_bot
from ataxxd.errors import UsageError
from ataxxd.rules import Engine, Move, Position, Side, rulesets

# The laboratory's sheet, row by row.
WEIGHTS = """
120 -20 20 5 5 20 -20 120
-20 -40 -5 -5 -5 -5 -40 -20
20 -5 15 3 3 15 -5 20
5 -5 3 3 3 3 -5 5
5 -5 3 3 3 3 -5 5
20 -5 15 3 3 15 -5 20
-20 -40 -5 -5 -5 -5 -40 -20
120 -20 20 5 5 20 -20 120
"""
ROWS = [[int(weight) for weight in row.split()] for row in WEIGHTS.strip().splitlines()]
SIGNS = {"o": 1, "x": -1, ".": 0}  # White has o


def board_value(position: Position) -> int:
    return sum(
        weight * SIGNS[square]
        for weights, squares in zip(ROWS, position.rows, strict=True)
        for weight, square in zip(weights, squares, strict=True)
    )


@cache
def minimax(position: Position, depth: int) -> tuple[int, Move | None]:
    """Value and first best move, as the definition has them."""
    if depth == 0 or position.outcome is not None:
        return board_value(position), None
    better = max if position.turn is Side.SECOND else min
    values = [(minimax(position.play(move), depth - 1)[0], move) for move in position.legal_moves]
    best = better(value for value, _ in values)
    return best, next(move for value, move in values if value == best)


def random_positions(count: int, seed: int, most: int = 58) -> list[Position]:
    """Positions from random games, at every stage of the game."""
    choices = random.Random(seed)
    found: list[Position] = []
    while len(found) < count:
        position = Position.start("reversi/standard")
        for _ in range(choices.randrange(most)):
            if position.outcome is None:
                position = position.play(choices.choice(position.legal_moves))
        if position.outcome is None:
            found.append(position)
    return found


@pytest.mark.parametrize(("depth", "count"), [(1, 200), (2, 150), (3, 60), (4, 16), (5, 6)])
def test_move_and_value_are_those_of_minimax(depth: int, count: int) -> None:
    engine = Engine(1)
    for position in random_positions(count, seed=depth):
        value, move = minimax(position, depth)
        assert engine.alphabeta(position, depth) == (move, value), position
    minimax.cache_clear()


def test_the_end_of_the_game_is_seen_and_weighed_like_any_position() -> None:
    engine = Engine(1)
    late = [each for each in random_positions(60, seed=9, most=64) if sum(each.counts) > 56]
    assert len(late) >= 4
    for position in late:
        value, move = minimax(position, 12)
        assert engine.alphabeta(position, 12) == (move, value), position
    minimax.cache_clear()


def test_a_skipped_turn_is_a_ply() -> None:
    skipping = Position.from_text("reversi/standard", "{bw......|........}")
    assert Engine(1).alphabeta(skipping, 1) == (skipping.parse_move("--"), -140)
    assert Engine(1).alphabeta(skipping, 2) == (skipping.parse_move("--"), -120)


@pytest.mark.parametrize("ruleset", [info.id for info in rulesets()])
def test_it_plays_any_game_to_its_end(ruleset: str) -> None:
    bot = AlphaBetaBot(2)
    position = Position.start(ruleset)
    for _ in range(300):
        if position.outcome is not None:
            break
        move = bot.choose(position)
        assert move == bot.choose(position, seed=5)
        position = position.play(move)


def test_a_win_at_once_is_worth_more_than_anything_else() -> None:
    position = Position.from_text("ataxx/uai", "6o/5x1/7/7/7/7/7 x 0 20")
    move, value = Engine(1).alphabeta(position, 1)
    assert value == -30_000
    outcome = position.play(move).outcome
    assert outcome is not None
    assert outcome.winner is Side.FIRST


def test_a_deep_search_can_be_stopped_from_another_thread() -> None:
    bot = AlphaBetaBot(40)
    position = random_positions(1, seed=3, most=10)[0]
    chosen: list[Move] = []
    thinking = threading.Thread(target=lambda: chosen.append(bot.choose(position)))
    thinking.start()
    while thinking.is_alive():
        bot.stop()
        thinking.join(0.02)
    assert position.is_legal(chosen[0])


def test_time_cuts_a_search_short_and_leaves_no_value() -> None:
    position = Position.start("reversi/standard")
    move, value = Engine(1).alphabeta(position, 40, time_ms=5)
    assert value is None
    assert position.is_legal(move)


def test_a_draw_is_accepted_by_whoever_is_not_better_off() -> None:
    white_ahead = Position.from_text("checkers/cs61b-2004", "B:W21,22,23,24,25,26:B1,2")
    assert not AlphaBetaBot(2).accepts_draw(white_ahead)
    white_to_move = Position.from_text("checkers/cs61b-2004", "W:W21,22,23,24,25,26:B1,2")
    assert AlphaBetaBot(2).accepts_draw(white_to_move)


def test_an_offer_of_a_draw_that_time_leaves_unjudged_is_declined() -> None:
    white_to_move = Position.from_text("checkers/cs61b-2004", "W:W21,22,23,24,25,26:B1,2")
    assert not AlphaBetaBot(60).accepts_draw(white_to_move, time_ms=5)


def test_impossible_depths_and_finished_games_are_refused() -> None:
    for name in ("alphabeta:", "alphabeta:x", "alphabeta:0", "alphabeta:61"):
        with pytest.raises(UsageError, match="alphabeta"):
            make_bot(name)
    assert make_bot("AlphaBeta:8").name == "alphabeta:8"
    # The laboratory's own depth, where none is said.
    assert make_bot("alphabeta").name == "alphabeta:6"
    over = Position.from_text("reversi/standard", "{b.w}")
    with pytest.raises(ValueError, match="game is over"):
        Engine(1).alphabeta(over, 3)
    with pytest.raises(ValueError, match="at least 1"):
        Engine(1).alphabeta(Position.start("reversi/standard"), 0)
