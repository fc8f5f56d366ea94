"""The end of a game: who scores when, what disputes a result, what closes a game."""

import pytest

from ataxxd.errors import RemoteProtocolError
from ataxxd.rules import Outcome, Side
from ataxxd.session.events import Closed, Effect, Ignored
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, dump_record, standing_of, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol.messages import Score
from tests.conformance.games import ONE_MOVE_LEFT, Pair, craft, of_kind, sends

TAMPERED = "0" * 64


def played_out() -> Pair:
    """A game that has ended by the rules and been scored by both."""
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play_out()
    return pair


def at_the_score(role: Role) -> Ledger:
    """The ledger of a game that is over, just before `role` writes its score."""
    ledger = Ledger(played_out().offer)
    for entry in played_out().host.ledger.entries:
        author, message = ledger.expand(entry)
        if ledger.scorer is role:
            return ledger
        ledger.accept(author, message)
    raise AssertionError("the game has no score by that player")


def resigned_to_the_host() -> Ledger:
    """The host's ledger after the guest has resigned and before any score."""
    pair = Pair.started()
    pair.play("g2")
    ledger = pair.host.ledger.copy()
    ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "resign"))
    return ledger


@pytest.mark.requirement("MP-SCORE-1", "MP-SCORE-2")
def test_both_score_the_host_first_and_the_game_is_closed() -> None:
    pair = played_out()
    authors = [entry.by for entry in pair.host.ledger.entries[-2:]]
    assert authors == ["host", "guest"]
    for role, player in pair.players.items():
        score = player.ledger.log(role)[-1]
        outcome = player.ledger.position.outcome
        assert isinstance(score, Score)
        assert outcome is not None
        assert (score.score, score.termination) == (outcome.score, outcome.termination)
        (closed,) = of_kind(pair.effects[role], Closed)
        assert closed.standing is Standing.AGREED
        assert player.ledger.phase is Phase.CLOSED


@pytest.mark.requirement("MP-SCORE-1")
def test_after_the_hosts_fault_the_guest_scores_first() -> None:
    pair = Pair.started()
    bad = craft(pair.guest.ledger, Role.HOST, "move", move="d4", position=TAMPERED, elapsed_ms=1)
    kinds = [type(message) for message in sends(pair.guest.receive(bad))]
    assert kinds == [Score]
    assert pair.guest.ledger.scorer is Role.HOST


@pytest.mark.requirement("MP-SCORE-1")
def test_after_the_guests_fault_the_host_scores_first() -> None:
    pair = Pair.started()
    pair.play("g2")
    bad = craft(pair.host.ledger, Role.GUEST, "move", move="d4", position=TAMPERED, elapsed_ms=1)
    assert [type(message) for message in sends(pair.host.receive(bad))] == [Score]
    assert pair.host.ledger.scorer is Role.GUEST


@pytest.mark.requirement("MP-SCORE-1", "MP-LOG-7")
def test_a_score_out_of_order_is_refused() -> None:
    ledger = resigned_to_the_host()
    with pytest.raises(RemoteProtocolError, match="not the guest's turn") as caught:
        ledger.accept(Role.GUEST, craft(ledger, Role.GUEST, "score"))
    assert caught.value.code == "score/order"
    assert ledger.phase is Phase.OVER


@pytest.mark.requirement("MP-SCORE-4")
def test_nobody_scores_for_both() -> None:
    ledger = resigned_to_the_host()
    proof = craft(ledger, Role.GUEST, "move", move="b1", elapsed_ms=0).fields()
    ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score"))
    for fields in ({}, {"proof": proof}):
        with pytest.raises(RemoteProtocolError) as caught:
            ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score", **fields))
        assert caught.value.code == "score/order"
    assert ledger.phase is Phase.SCORED


@pytest.mark.requirement("MP-SCORE-4")
def test_a_score_at_fault_is_not_its_authors_score() -> None:
    pair = Pair.started()
    early = craft(pair.host.ledger, Role.GUEST, "score", score="0-1", termination="resignation")
    scores = [message for message in sends(pair.host.receive(early)) if isinstance(message, Score)]
    assert [score.termination for score in scores] == ["protocol-violation"]
    assert pair.host.ledger.scorer is Role.GUEST
    assert standing_of(pair.host.ledger) is Standing.UNCONFIRMED


@pytest.mark.requirement("MP-SCORE-4")
def test_after_both_scores_nothing_is_accepted() -> None:
    pair = played_out()
    for role in Role:
        before = dump_record(pair.players[role].ledger)
        late = craft(pair.players[role].ledger, role.other, "score")
        (ignored,) = pair.players[role].receive(late)
        assert isinstance(ignored, Ignored)
        assert dump_record(pair.players[role].ledger) == before


@pytest.mark.requirement("MP-SCORE-5")
def test_an_accusation_after_the_game_is_refused() -> None:
    ledger = resigned_to_the_host()
    proof = ledger.log(Role.GUEST)[-1].fields()
    with pytest.raises(RemoteProtocolError) as caught:
        ledger.accept(Role.HOST, craft(ledger, Role.HOST, "score", proof=proof))
    assert caught.value.code == "score/too-late"
    assert ledger.phase is Phase.OVER


@pytest.mark.requirement("MP-SCORE-5", "MP-CROSS-1")
def test_a_true_proof_that_crossed_the_end_stands_before_it() -> None:
    pair = Pair.started()
    second = craft(pair.guest.ledger, Role.HOST, "move", move="g2", elapsed_ms=1)
    pair.play("b6", "b1")
    # The host resigns while the guest finds the second message.
    effects: list[Effect] = pair.host.resign()
    accusation = sends(pair.guest.receive(second))[0]
    pair.host.receive(accusation)
    assert effects
    assert pair.host.ledger.outcome == Outcome("double-dealing", Side.SECOND)
    assert verify_record(dump_record(pair.host.ledger)).standing is Standing.AGREED


@pytest.mark.requirement("MP-SCORE-3", "MP-REC-6")
@pytest.mark.parametrize(
    "changes", [{"score": "0-1"}, {"termination": "boredom"}, {"position": TAMPERED}]
)
@pytest.mark.parametrize("role", Role)
def test_a_score_that_is_not_the_result_disputes_it_for_everybody(
    role: Role, changes: dict[str, str]
) -> None:
    ledger = at_the_score(role)
    ledger.accept(role, craft(ledger, role, "score", **changes))
    assert ledger.disputed
    assert standing_of(ledger) is Standing.DISPUTED
    assert ledger.outcome == ledger.position.outcome
    if (other := ledger.scorer) is not None:
        ledger.accept(other, craft(ledger, other, "score"))
        assert standing_of(ledger) is Standing.DISPUTED
    assert ledger.phase is Phase.CLOSED


@pytest.mark.requirement("MP-SCORE-3")
def test_a_disputed_game_is_announced_as_such() -> None:
    pair = Pair.started(start=ONE_MOVE_LEFT)
    pair.play("-")
    (last,) = [m for m in pair.guest.ledger.position.legal_moves if m.text == "g1"]
    answers = sends(pair.guest.play(last, 0))
    (score,) = sends(pair.host.receive(answers[0]))
    assert isinstance(score, Score)
    disputing = craft(pair.host.ledger, Role.GUEST, "score", score="0-1")
    (closed,) = of_kind(pair.host.receive(disputing), Closed)
    assert closed.standing is Standing.DISPUTED
