"""Attacks on seats: joins, tickets, invitations, offers, refusals and requests said again."""

import pytest

from ataxxd.errors import RemoteProtocolError
from ataxxd.session.events import Keep, Rejected, Send
from ataxxd.session.handshake import check_date, check_join_fits, make_ticket
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import SigningKey, signature_holds, signed
from ataxxd_protocol.messages import Join, LogMessage, Recall, Reject, SignedMessage, Start, Sync
from tests.conformance.games import (
    AGENT,
    GUEST_KEY,
    HOST_KEY,
    NONCE,
    OTHER_KEY,
    SECRET,
    Pair,
    forge,
    make_offer,
    of_kind,
    sends,
)

INVITATION = "0123456789abcdef"


def a_join(pair: Pair, key: SigningKey = GUEST_KEY, nonce: str = NONCE) -> Join:
    """What a guest says first."""
    asking = PlayerSession(Ledger(pair.offer), Role.GUEST, key, invitation=INVITATION)
    (join,) = sends(asking.ask_to_join(nonce, AGENT))
    assert isinstance(join, Join)
    return join


@pytest.mark.attack("A-11")
def test_a_join_that_is_said_again_takes_no_other_seat() -> None:
    pair = Pair.started()
    join = next(each for each in pair.wire if isinstance(each, Join))
    before = dump_record(pair.host.ledger)
    assert [type(each) for each in sends(pair.host.receive(join))] == [Start]
    assert dump_record(pair.host.ledger) == before
    again = Pair.make(rematch_of=pair.offer.digest, created_ms=pair.offer.created_ms + 1)
    assert not of_kind(again.host.receive(join), Send)
    assert again.host.ledger.phase is Phase.OPEN


@pytest.mark.attack("A-12")
def test_a_stolen_ticket_fits_no_other_node_game_or_nonce() -> None:
    offer = make_offer(access="invited")
    pair = Pair(offer, {Role.HOST: PlayerSession(
        Ledger(offer), Role.HOST, HOST_KEY, SECRET, INVITATION
    )})  # fmt: skip
    join = a_join(pair)
    thief = {"from": OTHER_KEY.node, "key": OTHER_KEY.public_key}
    elsewhere = make_ticket(INVITATION, "0" * 64, OTHER_KEY.node, NONCE)
    for stolen in (
        forge(join, OTHER_KEY, **thief),
        forge(join, OTHER_KEY, **thief, ticket=elsewhere),
        forge(join, GUEST_KEY, nonce="0b" * 16),
    ):
        (answer,) = sends(pair.host.receive(stolen))
        assert isinstance(answer, Reject)
        assert answer.code == "seat/not-invited"
    assert pair.host.ledger.phase is Phase.OPEN
    assert of_kind(pair.host.receive(join), Keep)


@pytest.mark.attack("A-13")
def test_of_two_guests_at_once_one_has_the_seat_and_the_other_is_told() -> None:
    pair = Pair.make()
    first, second = a_join(pair), a_join(pair, OTHER_KEY)
    twin = a_join(pair, nonce="0c" * 16)  # the same node, started twice
    (start,) = sends(pair.host.receive(first))
    assert isinstance(start, Start)
    for late in (second, twin):
        (answer,) = sends(pair.host.receive(late))
        assert isinstance(answer, Reject)
        assert (answer.code, answer.join) == ("seat/taken", late.digest)
    starts = [each for each in pair.host.ledger.log(Role.HOST) if isinstance(each, Start)]
    assert [each.guest for each in starts] == [GUEST_KEY.node]
    loser = PlayerSession(Ledger(pair.offer), Role.GUEST, OTHER_KEY)
    loser.ask_to_join(NONCE, AGENT)
    loser.receive(start)
    assert loser.ledger.phase is Phase.JOINED


@pytest.mark.attack("A-14")
def test_a_refusal_that_is_said_again_refuses_nobody_else() -> None:
    pair = Pair.make()
    other = PlayerSession(Ledger(pair.offer), Role.GUEST, OTHER_KEY)
    other.ask_to_join(NONCE, AGENT)
    pair.carry(Role.GUEST, pair.guest.ask_to_join(NONCE, AGENT))
    (reject,) = sends(pair.host.receive(a_join(pair, OTHER_KEY)))
    assert isinstance(reject, Reject)
    assert of_kind(other.receive(reject), Rejected)
    fresh = PlayerSession(Ledger(pair.offer), Role.GUEST, OTHER_KEY)
    fresh.ask_to_join("0d" * 16, AGENT)
    assert not of_kind(fresh.receive(reject), Rejected)
    assert not of_kind(pair.guest.receive(reject), Rejected)


@pytest.mark.attack("A-15")
@pytest.mark.parametrize("days", [-32, 2, 365, -365])
def test_an_offer_that_is_dated_far_off_is_not_joined(days: int) -> None:
    offer = make_offer()
    now_ms = offer.created_ms - days * 86_400_000
    with pytest.raises(RemoteProtocolError, match="dated"):
        check_date(offer, now_ms)


@pytest.mark.attack("A-16")
def test_requests_said_again_are_answered_by_what_everybody_knows() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    before = dump_record(pair.host.ledger)
    known = {each.digest for each in pair.host.ledger.log(Role.HOST)}
    asked = 0
    for need in (0, 1, 99_999):
        for head in (0, 2, 99_999):
            sync = Sync(game=pair.offer.digest, author=GUEST_KEY.node, need=need, head=head)
            for _ in range(5):
                answers = sends(pair.host.receive(signed(sync, GUEST_KEY)))
                mine = [each for each in answers if isinstance(each, LogMessage)]
                assert {each.digest for each in mine} <= known
                asked += sum(isinstance(each, Sync) for each in answers)
    assert asked == 1, "it asks once for what nobody has"
    assert dump_record(pair.host.ledger) == before


@pytest.mark.attack("A-17")
def test_nobody_is_given_back_what_it_never_signed() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    altered = forge(pair.guest.ledger.log(Role.GUEST)[1], HOST_KEY, elapsed_ms=9)
    recall = Recall(game=pair.offer.digest, author=HOST_KEY.node, message=altered)
    before = dump_record(pair.guest.ledger)
    assert pair.guest.receive(signed(recall, HOST_KEY)) == []
    assert dump_record(pair.guest.ledger) == before


@pytest.mark.attack("A-18")
def test_no_signature_is_good_for_another_message() -> None:
    pair = Pair.started()
    pair.play("g2", "b1")
    pair.carry(Role.HOST, pair.host.ask("takeback"))
    pair.carry(Role.HOST, pair.host.say("hello", 1))
    pair.carry(Role.HOST, pair.host.on_connected())
    said = [each for each in pair.wire if isinstance(each, SignedMessage)] + [pair.offer]
    assert len({type(each) for each in said}) > 6
    for one in said:
        for other in said:
            if one.digest != other.digest:
                swapped = one.model_copy(update={"sig": other.sig})
                for key in (HOST_KEY, GUEST_KEY):
                    assert not signature_holds(swapped, key.public_key)


@pytest.mark.attack("A-19")
def test_an_offer_with_other_terms_is_another_game() -> None:
    offer = make_offer(grace_ms=60_000)
    join = a_join(Pair.make(grace_ms=60_000))
    for changes in ({"grace_ms": 1}, {"color": "second"}, {"takebacks": "never"}, {"name": "b"}):
        altered = offer.model_copy(update=changes)
        with pytest.raises(RemoteProtocolError, match="does not hold"):
            Ledger(altered)
        signed_anew = forge(offer, HOST_KEY, **changes)
        host = PlayerSession(Ledger(signed_anew), Role.HOST, HOST_KEY, SECRET)
        assert not of_kind(host.receive(join), Keep)
    check_join_fits(offer, join)
