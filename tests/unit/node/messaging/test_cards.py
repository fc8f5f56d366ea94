"""Cards: which of them count, and that ours stays where it is while we are there."""

import pytest

from ataxxd.node.messaging.messenger import MAX_CARDS, CardBoard, find_cards_named
from ataxxd.node.receiving import Incoming
from ataxxd_protocol import SigningKey, decode, encode
from ataxxd_protocol.messages import Card, Who
from ataxxd_protocol.topics import Address
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, RULESET
from tests.conformance.letters import CREATED_MS, EXPIRES_MS, GROUP, make_card
from tests.memory_broker import MemoryBroker
from tests.messaging import TOPICS, Hand, open_messenger, until

OURS = {"name": "ours", "kind": "bot", "rulesets": [RULESET], "free": 2, "playing": 0}
TOPIC = TOPICS.card(GUEST_KEY.node)


def at(key: SigningKey = GUEST_KEY) -> Address:
    return Address("card", "_", writer=key.node)


@pytest.mark.requirement("MP-CARD-1")
@pytest.mark.parametrize(
    "payload",
    [
        encode(make_card(GUEST_KEY, key=OTHER_KEY.public_key)),
        encode(make_card(GUEST_KEY).model_copy(update={"free": 9})),
        encode(make_card(OTHER_KEY)),
        encode(make_card(GUEST_KEY, expires_ms=CREATED_MS)),
        encode(make_card(GUEST_KEY)) + b" ",
        encode(Who()),
    ],
    ids=["another's key", "altered", "another's topic", "expired", "malformed", "no card"],
)
def test_a_card_that_does_not_hold_is_not_shown(payload: bytes) -> None:
    board = CardBoard(Hand().clock)
    assert not board.receive(Incoming(at(), payload))
    assert board.live() == []


@pytest.mark.requirement("MP-CARD-1")
def test_of_two_cards_of_a_node_the_newer_counts_in_whatever_order_they_come() -> None:
    older, newer = make_card(), make_card(at_ms=CREATED_MS + 1, free=0)
    board = CardBoard(Hand().clock)
    assert board.receive(Incoming(at(), encode(newer)))
    assert not board.receive(Incoming(at(), encode(older)))
    assert board.live() == [newer]
    assert board.receive(Incoming(at(), b""))
    assert not board.receive(Incoming(at(), encode(older)))
    assert board.live() == []


@pytest.mark.requirement("MP-CARD-1")
def test_a_card_that_expired_is_not_shown() -> None:
    hand = Hand()
    board = CardBoard(hand.clock)
    assert board.receive(Incoming(at(), encode(make_card(groups=[GROUP]))))
    assert board.members(GROUP) == {GUEST_KEY.node}
    hand.seconds = EXPIRES_MS / 1000
    assert board.live() == []
    assert board.members(GROUP) == set()


@pytest.mark.requirement("MP-CARD-4")
def test_any_number_of_cards_takes_a_bounded_place() -> None:
    hand = Hand()
    board = CardBoard(hand.clock, max_cards=8)
    for number in range(20):
        key = SigningKey(bytes([number, 9] * 16))
        board.receive(Incoming(at(key), encode(make_card(key))))
    assert len(board.live()) == 8
    # The places of those that are over are given to others.
    hand.seconds = EXPIRES_MS / 1000
    late = make_card(OTHER_KEY, expires_ms=EXPIRES_MS + 60_000)
    assert board.receive(Incoming(at(OTHER_KEY), encode(late)))
    assert board.live() == [late]


@pytest.mark.requirement("MP-CARD-4")
def test_a_flood_of_cards_is_looked_at_a_bounded_number_of_times() -> None:
    board = CardBoard(Hand().clock)
    payloads = (encode(make_card(free=number)) for number in range(3 * MAX_CARDS))
    assert sum(board.receive(Incoming(at(), payload)) for payload in payloads) == 2 * MAX_CARDS


def test_a_player_is_meant_by_the_name_on_its_card_or_the_beginning_of_its_id() -> None:
    ours, theirs = make_card(GUEST_KEY), make_card(HOST_KEY, name="otherbot")
    assert find_cards_named([ours, theirs], "otherbot") == [theirs]
    assert find_cards_named([ours, theirs], GUEST_KEY.node[:4].upper() + "-") == [ours]
    assert find_cards_named([ours, theirs], "nobody") == []


@pytest.mark.requirement("MP-CARD-2")
async def test_a_card_is_taken_back_and_put_up_again() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY) as messenger:
        await messenger.read_cards()
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)
        card = decode(broker.retained[TOPIC])
        assert isinstance(card, Card)
        assert (card.name, card.free) == ("ours", 2)
        await messenger.card.withdraw()
        assert broker.retained == {}
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)


@pytest.mark.requirement("MP-CARD-2", "MP-TOPIC-4")
async def test_nothing_is_left_of_the_card_of_a_node_that_vanishes() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY) as messenger:
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)
        transport = messenger._transport
        transport.unplug()  # type: ignore[attr-defined]
        assert broker.retained == {}
        # And it is there again when the node is.
        transport.plug()  # type: ignore[attr-defined]
        await until(lambda: TOPIC in broker.retained)


@pytest.mark.requirement("MP-CARD-3")
@pytest.mark.parametrize(
    "payload", [b"", b"{}", encode(make_card(free=99))], ids=["wiped", "nonsense", "an old one"]
)
async def test_a_card_that_somebody_replaces_is_put_up_again(payload: bytes) -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY) as messenger:
        await messenger.read_cards()
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)
        ours = broker.retained[TOPIC]
        broker.inject(TOPIC, payload, retain=True)
        await until(lambda: broker.retained.get(TOPIC) == ours)


async def test_two_processes_of_a_node_do_not_fight_for_its_card() -> None:
    broker, hand = MemoryBroker(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        await messenger.read_cards()
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)
        newer = make_card(at_ms=CREATED_MS + 5_000)
        broker.inject(TOPIC, encode(newer), retain=True)
        # Nor when somebody asks for cards.
        async with open_messenger(broker, HOST_KEY, hand.clock) as other:
            await other.read_cards()
            await until(lambda: other.cards.live() == [newer])
        assert not messenger.card._due.is_set()
        # Once that one is gone, this one is back.
        broker.inject(TOPIC, b"", retain=True)
        await until(lambda: TOPIC in broker.retained)


@pytest.mark.requirement("MP-CARD-3")
async def test_a_card_is_published_again_for_who_asks() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY) as messenger:
        await messenger.read_cards()
        messenger.card.publish(**OURS)
        await until(lambda: TOPIC in broker.retained)
        # As a broker that gives nothing retained to a wildcard.
        broker.retained.clear()
        async with open_messenger(broker, HOST_KEY) as other:
            await other.read_cards()
            await until(lambda: [card.name for card in other.cards.live()] == ["ours"])
