"""A move is asked of the rules once by whoever makes it and by whoever is told of it."""

from typing import Any

import pytest

from ataxxd.rules import IllegalMoveError, InvalidMoveError, Move
from ataxxd.session import state
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from tests.conformance.games import Pair


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The moves that were found legal, each time that one was."""
    found: list[str] = []

    class Counted(state.JudgedMove):
        def __init__(self, text: str, *rest: Any) -> None:
            found.append(text)
            super().__init__(text, *rest)

    monkeypatch.setattr(state, "JudgedMove", Counted)
    return found


def test_a_move_is_judged_once_by_each(judged: list[str]) -> None:
    pair = Pair.started()
    watching = SpectatorSession(pair.host.ledger.copy())
    pair.play("g2", "b1")
    assert judged == ["g2", "g2", "b1", "b1"]
    for message in pair.wire[-2:]:
        watching.receive(message)
    assert judged == ["g2", "g2", "b1", "b1", "g2", "b1"]
    assert watching.ledger.position == pair.host.ledger.position


def test_a_move_of_another_game_is_refused_and_changes_nothing() -> None:
    pair = Pair.started()
    before = pair.host.ledger.position
    for move, error in (
        (Move("ataxx", "d4"), IllegalMoveError),
        (Move("reversi", "g2"), IllegalMoveError),
        (Move("checkers", "11-15"), InvalidMoveError),
    ):
        with pytest.raises(error):
            pair.host.play(move, 1)
    assert pair.host.ledger.position is before
    assert pair.host.ledger.on_turn is Role.HOST
