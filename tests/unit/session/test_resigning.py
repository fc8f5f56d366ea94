"""A decision to resign that comes on the opponent's turn waits for one's own."""

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import Outcome, Position, Side
from ataxxd.session.events import Resigning
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from ataxxd_protocol import position_digest
from ataxxd_protocol.messages import Resign
from tests.conformance.games import GUEST_KEY, Pair, sends

CHECKERS = "checkers/cs61b-2004"
LOST = Outcome("resignation", Side.FIRST)


@pytest.mark.requirement("MP-LOG-11")
def test_who_resigns_on_the_opponents_turn_does_so_when_it_has_moved() -> None:
    pair = Pair.started()
    decided = pair.guest.resign()
    assert decided == [Resigning(held=True)]
    assert not sends(decided)
    pair.play("g2")
    for role in Role:
        assert pair.players[role].ledger.outcome == LOST
        assert pair.players[role].ledger.fault is None
    assert [type(message) for message in pair.wire].count(Resign) == 1


def test_a_resignation_that_waits_can_be_taken_back() -> None:
    pair = Pair.started()
    pair.carry(Role.GUEST, pair.guest.resign())
    assert pair.guest.keep_playing() == [Resigning(held=False)]
    pair.play("g2", "b1")
    assert pair.host.ledger.outcome is None
    with pytest.raises(LocalProtocolError, match="No resignation of yours is waiting"):
        pair.guest.keep_playing()


def test_a_resignation_that_was_sent_cannot_be_taken_back() -> None:
    pair = Pair.started()
    pair.carry(Role.GUEST, pair.guest.resign())
    pair.play("g2")
    with pytest.raises(LocalProtocolError, match="one that was sent stands"):
        pair.guest.keep_playing()


def test_a_resignation_decided_before_a_restart_is_carried_out_after_it() -> None:
    pair = Pair.started()
    pair.play("g2", "b1", "b6")
    again = PlayerSession(pair.guest.ledger.copy(), Role.GUEST, GUEST_KEY, resigning=True)
    assert any(isinstance(message, Resign) for message in sends(again.complete_pending()))
    assert not again.resigning
    waiting = PlayerSession(Pair.started().guest.ledger, Role.GUEST, GUEST_KEY, resigning=True)
    assert waiting.complete_pending() == []
    assert waiting.resigning


@pytest.mark.requirement("MP-DRAW-4")
def test_who_must_move_after_a_rejected_draw_resigns_on_the_turn_after() -> None:
    start = Position.start(CHECKERS)
    digest = position_digest(CHECKERS, start.text)
    pair = Pair.started(ruleset=CHECKERS, start=start.text, start_hash=digest)
    pair.carry(Role.HOST, pair.host.offer_draw())
    pair.carry(Role.HOST, pair.host.resign())
    pair.carry(Role.GUEST, pair.guest.answer_draw(accept=False))
    assert pair.host.ledger.outcome is None
    assert pair.host.resigning
    pair.play("11-15", "22-18")
    assert pair.guest.ledger.outcome == Outcome("resignation", Side.SECOND)


def test_a_decision_to_resign_lapses_with_the_game() -> None:
    pair = Pair.started()
    pair.carry(Role.GUEST, pair.guest.resign())
    pair.carry(Role.HOST, pair.host.resign())
    assert pair.guest.ledger.outcome == Outcome("resignation", Side.SECOND)
    with pytest.raises(LocalProtocolError):
        pair.guest.keep_playing()
    with pytest.raises(LocalProtocolError, match="over"):
        pair.guest.resign()
