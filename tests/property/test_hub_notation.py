"""Positions and moves of Hub: whatever is written is read back as the same."""

from hypothesis import given
from hypothesis import strategies as st

from ataxxd.rules import Position
from ataxxd.rules.notation.engine_protocols import (
    read_hub_move,
    read_hub_position,
    write_hub_move,
    write_hub_position,
)


@given(st.lists(st.integers(0, 2**16), max_size=120))
def test_positions_and_moves_of_a_game_survive(choices: list[int]) -> None:
    position = Position.start("checkers/cs61b-2004")
    for choice in choices:
        moves = position.legal_moves
        if not moves:
            break
        bare = read_hub_position(write_hub_position(position), position.ruleset)
        assert (bare.rows, bare.turn, bare.legal_moves) == (position.rows, position.turn, moves)
        for move in moves:
            found = read_hub_move(position, write_hub_move(move))
            # Two ways round a circle capture the same and end in the same place.
            assert position.play(found).rows == position.play(move).rows
        position = position.play(moves[choice % len(moves)])
