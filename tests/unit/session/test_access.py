"""Who may join: anyone, one node, or who was invited."""

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.session.events import Rejected
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol.messages import Join, Reject
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

INVITATION = "correct horse battery staple"


def invited(guest_knows: str) -> Pair:
    """Host and guest of a game for the invited."""
    offer = make_offer(access="invited")
    host = PlayerSession(Ledger(offer), Role.HOST, HOST_KEY, SECRET, INVITATION)
    guest = PlayerSession(Ledger(offer), Role.GUEST, GUEST_KEY, invitation=guest_knows)
    return Pair(offer, {Role.HOST: host, Role.GUEST: guest})


@pytest.mark.requirement("MP-HAND-13")
def test_who_knows_the_secret_of_the_invitation_gets_the_seat() -> None:
    pair = invited(INVITATION)
    pair.carry(Role.GUEST, pair.guest.ask_to_join(NONCE, AGENT))
    assert pair.guest.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-HAND-13")
def test_who_does_not_is_told_and_the_seat_stays_free() -> None:
    pair = invited("guessed")
    pair.carry(Role.GUEST, pair.guest.ask_to_join(NONCE, AGENT))
    (rejected,) = of_kind(pair.effects[Role.GUEST], Rejected)
    assert rejected.code == "seat/not-invited"
    assert pair.host.ledger.phase is Phase.OPEN
    with pytest.raises(LocalProtocolError, match="give the whole invitation"):
        invited("").guest.ask_to_join(NONCE, AGENT)


@pytest.mark.requirement("MP-HAND-13")
def test_a_ticket_that_was_overheard_is_of_no_use() -> None:
    pair = invited(INVITATION)
    (join,) = sends(pair.guest.ask_to_join(NONCE, AGENT))
    assert isinstance(join, Join)
    changes = {"from": OTHER_KEY.node, "key": OTHER_KEY.public_key}
    (answer,) = sends(pair.host.receive(forge(join, OTHER_KEY, **changes)))
    assert isinstance(answer, Reject)
    assert answer.code == "seat/not-invited"
    assert pair.host.ledger.phase is Phase.OPEN


@pytest.mark.requirement("MP-HAND-14")
def test_a_seat_may_be_kept_for_one_node() -> None:
    pair = Pair.started(access=GUEST_KEY.node)
    assert pair.host.ledger.phase is Phase.PLAYING
    reserved = Pair.make(access=OTHER_KEY.node)
    with pytest.raises(LocalProtocolError, match="kept for"):
        reserved.guest.ask_to_join(NONCE, AGENT)
    (join,) = sends(pair.guest.on_connected()[:0] or Pair.make().guest.ask_to_join(NONCE, AGENT))
    stranger = forge(join, GUEST_KEY, game=reserved.offer.digest)  # type: ignore[type-var]
    (answer,) = sends(reserved.host.receive(stranger))
    assert isinstance(answer, Reject)
    assert answer.code == "seat/reserved"
    assert reserved.host.ledger.phase is Phase.OPEN
