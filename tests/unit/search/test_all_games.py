"""What the search promises in the games other than Ataxx: short wins, and sane play."""

import random
from collections.abc import Iterator
from itertools import islice

import pytest

from ataxxd.rules import Engine, Move, Position, Side

RULESETS = ["loa/cs61b", "checkers/cs61b-2004", "checkers/acf", "reversi/standard"]


def wins_at_once(position: Position) -> bool:
    """Whether some move wins the game there and then."""
    ends = (position.play(move).outcome for move in position.legal_moves)
    return any(end is not None and end.winner is position.turn for end in ends)


def wins_in_two(position: Position) -> bool:
    """Whether the side to move has won with its second move, whatever the opponent does."""
    for move in position.legal_moves:
        after = position.play(move)
        if after.outcome is not None:
            continue
        if all(
            wins_at_once(last)
            if (last := after.play(answer)).outcome is None
            else last.outcome.winner is position.turn
            for answer in after.legal_moves
        ):
            return True
    return False


def weak_game(ruleset: str, rng: random.Random, engine: Engine) -> list[Position]:
    """The positions of a game in which three moves of ten are random."""
    position = Position.start(ruleset)
    positions = []
    while position.outcome is None:
        positions.append(position)
        if rng.random() < 0.3:
            move = rng.choice(position.legal_moves)
        else:
            move = engine.search(position, depth=2, seed=rng.getrandbits(16)).move
        position = position.play(move)
        if len(positions) > 300:  # checkers without draw rules may go on for ever
            break
    return positions


def weak_games(ruleset: str, rng: random.Random, engine: Engine) -> Iterator[list[Position]]:
    """One such game after the other, without end."""
    while True:
        yield weak_game(ruleset, rng, engine)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_win_at_once_is_never_missed(ruleset: str) -> None:
    rng, engine = random.Random(ruleset), Engine(1)
    games = weak_games(ruleset, rng, engine)
    won = (position for game in games for position in game[-8:] if wins_at_once(position))
    for position in islice(won, 16):
        result = engine.search(position, depth=1)
        end = position.play(result.move).outcome
        assert end is not None
        assert end.winner is position.turn
        assert result.mate_in == 1


def test_a_win_in_two_moves_of_lines_of_action_is_found_at_any_depth() -> None:
    rng, engine = random.Random(5), Engine(1)
    found = 0
    for _ in range(12):
        for position in weak_game("loa/cs61b", rng, engine)[-6:]:
            if not wins_at_once(position):
                result = engine.search(position, depth=1)
                assert (result.mate_in == 2) == wins_in_two(position)
                found += result.mate_in == 2
    assert found >= 3


def best_end(position: Position) -> int:
    """1, 0 or -1 with best play for the side to move, by trying everything."""
    if position.outcome is not None:
        winner = position.outcome.winner
        return 0 if winner is None else 1 if winner is position.turn else -1
    return max(-best_end(position.play(move)) for move in position.legal_moves)


def ends_by(position: Position, line: tuple[Move, ...]) -> int:
    """By how many pieces the side to move wins when a line of moves ends the game."""
    end = position
    for move in line:
        end = end.play(move)
    assert end.outcome is not None
    ours, theirs = end.counts[position.turn], end.counts[position.turn.opponent]
    empty = 64 - ours - theirs
    return ours - theirs + empty * ((ours > theirs) - (ours < theirs))


def test_the_last_moves_of_reversi_are_played_out() -> None:
    rng, engine = random.Random(6), Engine(1)
    games = weak_games("reversi/standard", rng, engine)
    # Some games are over long before the board is full.
    late = (position for game in games for position in game if sum(position.counts) == 58)
    for position in islice(late, 20):
        result = engine.search(position, depth=20)
        best = best_end(position)
        if len(position.legal_moves) > 1:  # an only move comes at once, with a guess
            assert (result.score > 0) - (result.score < 0) == best
            assert result.margin is not None or result.mate_in is not None
        if result.margin is not None:
            assert (result.margin > 0) - (result.margin < 0) == best
            assert ends_by(position, result.pv) == result.margin
        assert best_end(position.play(result.move)) == -best


def test_a_checkers_player_gives_nothing_away_for_nothing() -> None:
    # 22-18 loses a man to 15x22 and takes it back; 22-17 loses one for nothing.
    position = Position.from_text("checkers/acf", "W:W22,26,30:B13,6,2")
    result = Engine(1).search(position, depth=5)
    assert result.move.text != "22-17"


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_engine_beats_a_random_player(ruleset: str) -> None:
    rng, engine = random.Random(1), Engine(1)
    won = 0
    for game in range(6):
        us = Side(game % 2)
        position = Position.start(ruleset)
        while position.outcome is None:
            if position.turn is us:
                move = engine.search(position, depth=4).move
            else:
                move = rng.choice(position.legal_moves)
            position = position.play(move)
        won += position.outcome.winner is us
    assert won >= 5
