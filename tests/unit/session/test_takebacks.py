"""Takebacks and aborts: by consent, here and now, and never without it."""

from typing import Any

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import Outcome, Side
from ataxxd.session.events import Asked, Refusing, Request, Said, Send, TakenBack
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey, signed
from ataxxd_protocol.messages import Consent
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, Pair, craft, of_kind


def consent(pair: Pair, key: SigningKey, **changes: Any) -> Consent:
    """A consent to take back to ply 1, signed; `changes` as on the wire."""
    ledger = pair.host.ledger
    fields = {"game": ledger.game, "from": key.node, "what": "takeback", "to": 1, "tip": ledger.tip}
    return signed(Consent.model_validate(fields | changes), key)


def played(*moves: str, **terms: Any) -> Pair:
    pair = Pair.started(**terms)
    pair.play(*moves)
    return pair


@pytest.mark.requirement("MP-BACK-1")
def test_who_has_just_moved_asks_and_the_other_agrees() -> None:
    pair = played("g2", "b1", "b6")
    before = pair.host.ledger.position
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    (asked,) = of_kind(pair.effects[Role.GUEST], Asked)
    assert asked == Asked(Side.FIRST, "takeback")
    assert (asked.role, asked.to) == (Role.HOST, 3)
    pair.carry(Role.GUEST, pair.guest.agree())
    for role in Role:
        ledger = pair.players[role].ledger
        assert [move.text for move in ledger.moves] == ["g2", "b1"]
        assert ledger.position != before
        assert ledger.on_turn is Role.HOST
        (event,) = of_kind(pair.effects[role], TakenBack)
        assert [move.text for move in event.moves] == ["b6"]
    pair.play("f2")
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)
    assert (
        verify_record(dump_record(pair.guest.ledger)).ledger.position == pair.host.ledger.position
    )


@pytest.mark.requirement("MP-BACK-1")
def test_who_is_on_turn_takes_its_move_and_the_answer_back() -> None:
    pair = played("g2", "b1")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    (asked,) = of_kind(pair.effects[Role.GUEST], Asked)
    assert (asked.role, asked.what, asked.to) == (Role.HOST, "takeback", 1)
    pair.carry(Role.GUEST, pair.guest.agree())
    assert pair.guest.ledger.moves == ()
    assert pair.guest.ledger.position == pair.guest.ledger.start


@pytest.mark.requirement("MP-BACK-3")
def test_a_request_lapses_with_the_next_move() -> None:
    pair = played("g2")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.play("b1")
    with pytest.raises(LocalProtocolError, match="has not asked for anything"):
        pair.guest.agree()


REFUSALS = {
    "takeback": "I would rather not take the move back.",
    "abort": "I would rather not abort the game.",
}


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refused_request_is_gone_and_the_other_player_reads_so(what: Request) -> None:
    pair = played("g2", "b1", "b6")
    (asked,) = pair.host.ask(what)
    assert isinstance(asked, Send)
    pair.carry(Role.HOST, [asked])
    pair.carry(Role.GUEST, pair.guest.refuse(1))
    assert of_kind(pair.effects[Role.HOST], Said) == [Said(Side.SECOND, REFUSALS[what])]
    heard = len(pair.effects[Role.HOST])
    pair.carry(Role.GUEST, pair.guest.receive(asked.message))
    assert len(pair.effects[Role.HOST]) == heard, "the same one, repeated"
    for answer in (pair.guest.agree, lambda: pair.guest.refuse(2)):
        with pytest.raises(LocalProtocolError, match="has not asked for anything"):
            answer()
    assert len(pair.guest.ledger.moves) == 3
    pair.play("b2", "a6")
    pair.carry(Role.HOST, pair.host.ask(what))
    assert len(of_kind(pair.effects[Role.GUEST], Asked)) == 2
    pair.carry(Role.GUEST, pair.guest.agree())
    assert pair.guest.ledger.phase is not Phase.PLAYING or len(pair.guest.ledger.moves) == 4


def test_two_requests_are_refused_one_by_one_and_whoever_then_wants_one_has_it() -> None:
    pair = played("g2", "b1", "b6")
    requests = [*pair.host.ask("abort"), *pair.host.ask("takeback")]
    for request in requests:
        pair.carry(Role.HOST, [request])
        pair.carry(Role.GUEST, pair.guest.refuse(1))
    for request in requests:
        assert isinstance(request, Send)
        assert not of_kind(pair.guest.receive(request.message), Asked)
    pair.carry(Role.GUEST, pair.guest.ask("abort"))
    pair.carry(Role.HOST, pair.host.agree())
    assert pair.guest.ledger.outcome == Outcome("aborted", None)


@pytest.mark.parametrize("what", REFUSALS)
def test_whoever_asks_again_at_the_same_position_reads_why_nothing_comes(what: Request) -> None:
    pair = played("g2", "b1", "b6")
    pair.carry(Role.HOST, pair.host.ask(what))
    pair.carry(Role.GUEST, pair.guest.refuse(1))
    with pytest.raises(LocalProtocolError, match="ask again after the next move"):
        pair.host.ask(what)
    pair.play("b2", "a6")
    pair.host.ask(what)


@pytest.mark.parametrize("what", REFUSALS)
def test_a_request_outlives_the_restart_of_whoever_asked(what: Request) -> None:
    pair = played("g2", "b1", "b6")
    (request,) = pair.host.ask(what)
    assert isinstance(request, Send)
    assert isinstance(request.message, Consent)
    given = request.message
    again = PlayerSession(pair.host.ledger.copy(), Role.HOST, HOST_KEY, own_consent=given)
    assert again.asking == what
    assert again.refusal(what) is not None, "it is asked for already"
    assert request in again.on_connected(), "the opponent may not have heard it"
    pair.play("b2")
    later = PlayerSession(pair.host.ledger.copy(), Role.HOST, HOST_KEY, own_consent=given)
    assert later.asking is None
    assert request not in later.on_connected()


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_outlives_the_restart_of_whoever_asked(what: Request) -> None:
    pair = played("g2", "b1", "b6")
    pair.carry(Role.HOST, pair.host.ask(what))
    pair.carry(Role.GUEST, pair.guest.refuse(1))
    again = PlayerSession(pair.host.ledger.copy(), Role.HOST, HOST_KEY)
    (request,) = again.ask(what)
    assert isinstance(request, Send)
    (answer,) = pair.guest.receive(request.message)
    assert isinstance(answer, Send)
    assert again.receive(answer.message) == [Said(Side.SECOND, REFUSALS[what])]
    assert pair.guest.asked is None


@pytest.mark.parametrize("what", REFUSALS)
def test_a_refusal_outlives_the_restart_of_whoever_refused(what: Request) -> None:
    pair = played("g2", "b1", "b6")
    (request,) = pair.host.ask(what)
    assert isinstance(request, Send)
    pair.carry(Role.HOST, [request])
    pair.carry(Role.GUEST, pair.guest.refuse(1))
    *_, refusing = of_kind(pair.effects[Role.GUEST], Refusing)
    again = PlayerSession(
        pair.guest.ledger.copy(), Role.GUEST, GUEST_KEY, refusals=refusing.answers
    )
    (answer,) = again.receive(request.message)
    assert isinstance(answer, Send)
    assert again.asked is None
    assert pair.host.receive(answer.message) == [], "it has been heard"


def test_a_refusal_is_forgotten_with_the_next_one_and_by_whoever_wants_it_after_all() -> None:
    pair = played("g2", "b1", "b6")
    pair.carry(Role.HOST, pair.host.ask("abort"))
    pair.carry(Role.GUEST, pair.guest.refuse(1))
    pair.play("b2", "a6")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.carry(Role.GUEST, pair.guest.refuse(2))
    *_, refusing = of_kind(pair.effects[Role.GUEST], Refusing)
    assert [request.what for request, _ in refusing.answers] == ["takeback"]
    pair.carry(Role.HOST, pair.host.ask("abort"))
    pair.carry(Role.GUEST, pair.guest.refuse(3))
    forgetting, *_ = pair.guest.ask("abort")
    assert isinstance(forgetting, Refusing)
    assert [request.what for request, _ in forgetting.answers] == ["takeback"]


def test_whoever_agrees_to_a_takeback_may_ask_for_one_of_its_own() -> None:
    pair = played("g2", "b1")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.guest.agree()
    (own,) = pair.guest.ask("takeback")
    assert isinstance(own, Send)
    assert isinstance(own.message, Consent)
    assert own.message.to == 2


def test_only_what_is_asked_for_and_not_agreed_to_can_be_refused() -> None:
    pair = played("g2", "b1")
    with pytest.raises(LocalProtocolError, match="has not asked for anything"):
        pair.guest.refuse(1)
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.guest.agree()
    with pytest.raises(LocalProtocolError, match="agreed to it already"):
        pair.guest.refuse(1)


@pytest.mark.requirement("MP-BACK-3")
@pytest.mark.parametrize(
    ("key", "changes"),
    [
        (HOST_KEY, {"tip": "0" * 64}),
        (HOST_KEY, {"game": "0" * 64}),
        (OTHER_KEY, {}),
        (OTHER_KEY, {"from": HOST_KEY.node}),
        (GUEST_KEY, {}),
    ],
    ids=["stale", "another game", "a stranger", "forged", "one's own"],
)
def test_a_consent_that_does_not_fit_is_ignored(key: SigningKey, changes: dict[str, str]) -> None:
    pair = played("g2")
    note = consent(pair, key, **changes)
    assert not of_kind(pair.guest.receive(note), Asked)
    with pytest.raises(LocalProtocolError):
        pair.guest.agree()


@pytest.mark.requirement("MP-BACK-1", "MP-BACK-3")
@pytest.mark.parametrize(
    ("signer", "changes", "to", "code"),
    [
        (OTHER_KEY, {}, 1, "takeback/no-consent"),
        (HOST_KEY, {"tip": "0" * 64}, 1, "takeback/no-consent"),
        (HOST_KEY, {"to": 2}, 1, "takeback/no-consent"),
        (HOST_KEY, {}, 2, "takeback/no-such-ply"),
        (HOST_KEY, {"what": "abort", "to": None}, 1, "takeback/no-consent"),
    ],
    ids=["a stranger's", "stale", "another ply", "not played yet", "something else"],
)
def test_a_takeback_without_a_consent_that_fits_loses(
    signer: SigningKey, changes: dict[str, Any], to: int, code: str
) -> None:
    pair = played("g2")
    given = consent(pair, signer, **changes).fields()
    cheat = craft(pair.guest.ledger, Role.GUEST, "takeback", to=to, consent=given)
    pair.carry(Role.HOST, pair.host.receive(cheat))
    assert pair.host.ledger.fault is not None
    assert pair.host.ledger.fault.code == code
    assert pair.host.ledger.outcome == Outcome("protocol-violation", Side.FIRST)


@pytest.mark.requirement("MP-BACK-2")
def test_a_game_may_be_played_without_takebacks() -> None:
    pair = played("g2", takebacks="never")
    with pytest.raises(LocalProtocolError, match="without takebacks"):
        pair.host.ask("takeback")
    given = consent(pair, HOST_KEY).fields()
    cheat = craft(pair.guest.ledger, Role.GUEST, "takeback", to=1, consent=given)
    pair.host.receive(cheat)
    assert pair.host.ledger.fault is not None
    assert pair.host.ledger.fault.code == "takeback/never"


def test_there_must_be_a_move_to_take_back() -> None:
    with pytest.raises(LocalProtocolError, match="no move to take back"):
        Pair.started().guest.ask("takeback")


def test_a_request_is_repeated_on_a_new_connection_while_it_is_current() -> None:
    pair = played("g2")
    (asked,) = pair.host.ask("takeback")
    assert asked in pair.host.on_connected()
    pair.play("b1")
    assert not [e for e in pair.host.on_connected() if isinstance(e, Send) and e == asked]


@pytest.mark.requirement("MP-ABORT-1")
@pytest.mark.parametrize("moves", [(), ("g2",)])
def test_before_its_first_move_a_player_may_abort_alone(moves: tuple[str, ...]) -> None:
    pair = played(*moves)
    role = pair.host.ledger.on_turn
    assert role is not None
    pair.carry(role, pair.players[role].ask("abort"))
    for each in Role:
        ledger = pair.players[each].ledger
        assert ledger.outcome == Outcome("aborted", None)
        assert Outcome("aborted", None).score == "*"
        assert ledger.phase is Phase.CLOSED
    assert verify_record(dump_record(pair.host.ledger)).standing is Standing.AGREED


@pytest.mark.requirement("MP-ABORT-1")
def test_later_an_abort_needs_the_others_consent() -> None:
    pair = played("g2", "b1")
    pair.carry(Role.HOST, pair.host.ask("abort"))
    assert pair.host.ledger.phase is Phase.PLAYING
    pair.carry(Role.GUEST, pair.guest.agree())
    assert pair.guest.ledger.outcome == Outcome("aborted", None)
    assert dump_record(pair.host.ledger) == dump_record(pair.guest.ledger)


@pytest.mark.requirement("MP-ABORT-1")
def test_an_abort_alone_after_a_move_loses() -> None:
    pair = played("g2", "b1")
    pair.guest.receive(craft(pair.host.ledger, Role.HOST, "abort"))
    assert pair.guest.ledger.fault is not None
    assert pair.guest.ledger.fault.code == "abort/no-consent"
