"""Laws that hold in every position of every game that random play reaches."""

import itertools
import pickle
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import (
    IllegalMoveError,
    InvalidMoveError,
    InvalidPositionError,
    Move,
    Position,
    RulesError,
    rulesets,
)
from ataxxd.rules.reversi import laboratory_text

RULESETS = [info.id for info in rulesets()]
NOTATIONS = {
    "ataxx": ["cs61b"],
    "loa": ["cs61b", "pgn"],
    "checkers": ["cs61b", "pdn"],
    "reversi": ["laboratory"],
}
# Endings that random play from the start seldom reaches, for each game.
LATE = {
    "loa": [
        "8/8/8/8/8/2x5/3xx3/o6o o 4 60 set",
        "8/2o5/2x5/3o4/4x3/8/1x6/6o1 x 50 60",
        "3x4/8/o6x/8/8/3o4/8/x6o o 0 8",
    ],
    "checkers": ["W:WK22,K30:BK5,K9,14", "B:WK7,K8,K14,K15:BK5,K9,K10", "W:W18,K30:B6,K7,8,15,25"],
    "reversi": [
        "--XXXXX---XXXX---OOOXX---OOXXXX--OOXXXO-OOOOXOO----XOX----XXXXX- O",
        "O--OOOOX-OOOOOOXOOXXOOOXOOXOOOXXOOOOOOXX---OOOOX----O--X-------- X",
    ],
}


@st.composite
def games(draw: st.DrawFn) -> list[Position]:
    """All positions of a random game, from the start or from an ending."""
    ruleset = draw(st.sampled_from(RULESETS))
    starts = [Position.start(ruleset).text, *LATE.get(ruleset.partition("/")[0], [])]
    position = Position.from_text(ruleset, draw(st.sampled_from(starts)))
    positions = [position]
    for choice in draw(st.lists(st.integers(0, 255), max_size=90)):
        moves = position.legal_moves
        if not moves:
            break
        position = position.play(moves[choice % len(moves)])
        positions.append(position)
    return positions


positions = games().map(lambda game: game[-1])
move_texts = st.from_regex(
    r"[a-i][0-9]([-x]?[a-i][0-9])?|\(-?[0-9],-?[0-9]\)|-{1,2}|pass"
    r"|[0-9]{1,2}([-x][0-9]{1,2}){1,5}",
    fullmatch=True,
)


def answer(call: Callable[..., object], *arguments: str) -> object:
    """What a call returns, or the refusal that it raises."""
    try:
        return call(*arguments)
    except RulesError as error:
        return error


@given(positions)
def test_a_move_names_squares_of_the_board_and_takes_what_the_board_loses(
    position: Position,
) -> None:
    board = {name for row in position.square_names for name in row if name is not None}
    for move in position.legal_moves:
        assert board.issuperset(move.squares)
        assert move.squares[-1:] == ((move.to_square,) if move.to_square else ())
        after = position.play(move)
        other = position.turn.opponent
        captured = position.captures(move)
        assert len(captured) == position.counts[other] - after.counts[other]
        assert len(set(captured)) == len(captured)


@given(games())
def test_position_text_reads_back_to_an_equal_position(game: list[Position]) -> None:
    for position in game:
        again = Position.from_text(position.ruleset, position.text)
        assert again == position
        assert hash(again) == hash(position)
        assert again.text == position.text
        assert again.key == position.key
    assert pickle.loads(pickle.dumps(game[-1])) == game[-1]


@given(games())
def test_the_laboratorys_text_of_reversi_reads_back_too(game: list[Position]) -> None:
    for position in game:
        if position.game == "reversi":
            assert Position.from_text(position.ruleset, laboratory_text(position)) == position


@given(games())
def test_moves_are_there_exactly_while_the_game_goes_on(game: list[Position]) -> None:
    assert all(position.outcome is None for position in game[:-1])
    last = game[-1]
    assert bool(last.legal_moves) == (last.outcome is None)
    assert len(set(last.legal_moves)) == len(last.legal_moves)
    if last.outcome is None:
        assert last.perft(1) == len(last.legal_moves)


@given(games())
def test_a_move_changes_the_turn_and_counts_only_as_the_rules_say(game: list[Position]) -> None:
    for before, after in itertools.pairwise(game):
        assert after.turn is before.turn.opponent
        own, other = before.turn, before.turn.opponent
        change = sum(after.counts) - sum(before.counts)
        assert after.counts[own] >= before.counts[own] - (before.game == "ataxx")
        assert after.counts[other] <= before.counts[other]
        assert {"ataxx": 0 <= change <= 1, "reversi": 0 <= change <= 1}.get(
            before.game, change == after.counts[other] - before.counts[other]
        )
        for position in (before, after):
            squares = "".join(position.rows).lower()
            assert (squares.count("x"), squares.count("o")) == position.counts


@given(games())
def test_positions_of_a_game_have_keys_of_their_own(game: list[Position]) -> None:
    distinct = {p.text.rsplit(" ", 1)[0] if p.game == "ataxx" else p.text for p in game}
    assert len({position.key for position in game}) == len(distinct)


@given(positions)
def test_every_notation_of_a_legal_move_reads_back_to_it(position: Position) -> None:
    for move in position.legal_moves:
        assert Move(move.game, move.text) == move
        for notation in ("canonical", *NOTATIONS.get(position.game, ())):
            text = position.format_move(move, notation)
            assert position.parse_move(text) == move
            assert position.parse_move(text.upper()) == move
            assert position.parse_move(f" {text} ") == move


@given(games(), st.data())
def test_moves_of_other_positions_are_legal_or_explained(
    game: list[Position], data: st.DataObject
) -> None:
    there = data.draw(st.sampled_from(game))
    here = game[-1]
    for move in there.legal_moves:
        assert here.is_legal(move) == (move in here.legal_moves)
        if here.is_legal(move):
            continue
        for refuse in (here.play, here.format_move):
            with pytest.raises(IllegalMoveError, match=" is not legal: "):
                refuse(move)


@given(positions, move_texts | st.text())
def test_any_text_is_a_move_or_an_explained_error(position: Position, text: str) -> None:
    said = answer(position.parse_move, text)
    if isinstance(said, IllegalMoveError):
        assert " is not legal: " in str(said)
        assert str(said).endswith((".", "(-).", "(--)."))
    elif isinstance(said, InvalidMoveError):
        assert "is not a move. A move is" in str(said)
    else:
        assert said in position.legal_moves
    assert len(str(said)) < 1500


@given(positions, st.data())
def test_damaged_position_text_is_a_position_or_an_explained_error(
    position: Position, data: st.DataObject
) -> None:
    text = position.text
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 3)))
    patch = data.draw(st.text(st.sampled_from("xoXOBWKHM-:,/ 0123456789w.|{}[]é"), max_size=3))
    said = answer(Position.from_text, position.ruleset, text[:at] + patch + text[until:])
    if isinstance(said, Position):
        assert Position.from_text(position.ruleset, said.text) == said
    else:
        assert isinstance(said, InvalidPositionError)
        assert str(said).endswith(".")


@given(st.text())
def test_any_text_is_a_position_or_an_explained_error(text: str) -> None:
    for ruleset in RULESETS:
        said = answer(Position.from_text, ruleset, text)
        if isinstance(said, Position):
            assert Position.from_text(ruleset, said.text) == said
        else:
            assert isinstance(said, InvalidPositionError)
            assert len(str(said)) < 1200
