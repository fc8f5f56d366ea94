"""The way from bytes on a topic to a message: parsed once, and only where it belongs."""

import pytest

from ataxxd.node import receiving
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.session.state import Role
from ataxxd.transport.base import Connected
from ataxxd_protocol import Topics, decode, encode, signed
from ataxxd_protocol.messages import AnyMessage, Status, Talk, Who
from ataxxd_protocol.topics import Address
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, Pair
from tests.memory_broker import MemoryBroker

TOPICS = Topics()
PAIR = Pair.started()
OFFER = PAIR.offer
JOIN = PAIR.guest.ledger.log(Role.GUEST)[0]
TALK = signed(
    Talk(game=OFFER.digest, author=OTHER_KEY.node, key=OTHER_KEY.public_key, at_ms=1, text="hello"),
    OTHER_KEY,
)
STATUS = signed(
    Status(game=OFFER.digest, author=GUEST_KEY.node, epoch=1, state="online"), GUEST_KEY
)


def at(kind: str, writer: str) -> Address:
    return Address(kind, OFFER.name, OFFER.host, writer)


@pytest.mark.requirement("MP-TOPIC-2")
@pytest.mark.parametrize(
    ("address", "message"),
    [
        (at("offer", HOST_KEY.node), OFFER),
        (at("out", GUEST_KEY.node), JOIN),
        (at("status", GUEST_KEY.node), STATUS),
        (at("talk", OTHER_KEY.node), TALK),
        (Address("who", OFFER.name), Who()),
    ],
    ids=lambda value: value.kind if isinstance(value, Address) else "",
)
def test_a_message_is_read_on_its_own_topic_and_on_no_other(
    address: Address, message: AnyMessage
) -> None:
    assert Incoming(address, encode(message)).message == message
    strangers = [at(address.kind, OTHER_KEY.node), at(address.kind, "a" * 20)]
    others = [place for place in strangers if place != address and address.kind in ("out", "talk")]
    others += [Address("offer", "another", OFFER.host, OFFER.host)]
    others += [Address("event", OFFER.name, OFFER.host, OFFER.host)]
    others += [Address("card", "_", writer=OTHER_KEY.node)]
    others += [Address("post", "_", writer=OTHER_KEY.node, to=HOST_KEY.node)]
    assert not any(Incoming(place, encode(message)).message for place in others)


def test_a_message_is_parsed_when_it_is_asked_for_and_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[bytes] = []

    def parse(payload: bytes) -> AnyMessage:
        parsed.append(payload)
        return decode(payload)

    monkeypatch.setattr(receiving, "decode", parse)
    for payload in (encode(JOIN), b"no message", b""):
        incoming = Incoming(at("out", GUEST_KEY.node), payload)
        assert payload not in parsed
        assert incoming.message is incoming.message
        assert parsed.count(payload) == 1


@pytest.mark.requirement("MP-TOPIC-1")
async def test_what_comes_on_other_topics_is_ignored() -> None:
    broker = MemoryBroker()
    async with broker.connect() as line:
        await line.subscribe("#")
        receiver = Receiver(line)
        assert await anext(receiver) == Connected(1)
        topic = TOPICS.out(OFFER.name, OFFER.host, GUEST_KEY.node)
        for other in (f"{topic}/more", "another/1/game/who", topic):
            broker.inject(other, encode(JOIN))
        event = await anext(receiver)
        assert isinstance(event, Incoming)
        assert (event.address, event.message) == (at("out", GUEST_KEY.node), JOIN)
