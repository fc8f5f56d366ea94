"""What is heard of the spectators' talk: true, new, and not too much of it."""

import pytest

from ataxxd.nicknames import player_name
from ataxxd.node.presence import TalkRoom
from ataxxd.node.receiving import Incoming
from ataxxd.session.events import Overheard
from ataxxd.times import Clock
from ataxxd_protocol import SigningKey, encode, signed
from ataxxd_protocol.messages import Talk
from ataxxd_protocol.topics import Address
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, make_offer
from tests.memory_broker import MemoryBroker

OFFER = make_offer()


class Hand:
    """The hands of a clock that is moved by hand."""

    seconds = 1_000.0

    def __call__(self) -> float:
        return self.seconds


def room(hand: Hand) -> TalkRoom:
    """A room that only listens."""
    transport = MemoryBroker().connect()
    return TalkRoom(OFFER, transport, clock=Clock(hand, hand))


def said(who: SigningKey, at_ms: int, text: str = "hello", **changes: str) -> bytes:
    fields = {"game": OFFER.digest, "from": who.node, "key": who.public_key, "at_ms": at_ms}
    return encode(signed(Talk.model_validate(fields | {"text": text} | changes), who))


def at(key: SigningKey) -> Address:
    return Address("talk", OFFER.name, OFFER.host, key.node)


@pytest.mark.requirement("MP-CHAT-1")
def test_what_a_spectator_says_is_heard_once() -> None:
    here = room(Hand())
    assert here.receive(Incoming(at(OTHER_KEY), said(OTHER_KEY, 5))) == Overheard(
        player_name(OTHER_KEY.node), "hello"
    )
    assert here.receive(Incoming(at(OTHER_KEY), said(OTHER_KEY, 5))) is None
    assert here.receive(Incoming(at(OTHER_KEY), said(OTHER_KEY, 6))) is not None


@pytest.mark.requirement("MP-CHAT-1")
@pytest.mark.parametrize(
    "payload",
    [
        said(OTHER_KEY, 5, key=GUEST_KEY.public_key),
        said(OTHER_KEY, 5, game="0" * 64),
        said(HOST_KEY, 5),
        said(HOST_KEY, 5, **{"from": OTHER_KEY.node, "key": OTHER_KEY.public_key}),
        b"{}",
    ],
    ids=["another's key", "another game", "another's topic", "forged", "malformed"],
)
def test_what_nobody_said_is_not_heard(payload: bytes) -> None:
    assert room(Hand()).receive(Incoming(at(OTHER_KEY), payload)) is None


def test_who_shouts_without_end_is_heard_a_little() -> None:
    hand = Hand()
    here = room(hand)
    heard = sum(
        here.receive(Incoming(at(OTHER_KEY), said(OTHER_KEY, n))) is not None for n in range(1, 100)
    )
    assert heard == 5
    assert here.receive(Incoming(at(GUEST_KEY), said(GUEST_KEY, 1))) is not None
    hand.seconds += 2
    assert here.receive(Incoming(at(OTHER_KEY), said(OTHER_KEY, 200))) is not None


def test_a_crowd_of_strangers_takes_a_bounded_place() -> None:
    here = room(Hand())
    keys = [SigningKey(bytes([n, 7] * 16)) for n in range(60)]
    heard = sum(here.receive(Incoming(at(key), said(key, 1))) is not None for key in keys)
    assert heard == 40
