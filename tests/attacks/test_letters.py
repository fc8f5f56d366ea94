"""Attacks by cards, nicknames and challenges that are said again, late, or to somebody else."""

from pathlib import Path

import pytest

from ataxxd.node.messaging.challenges import IncomingChallenges
from ataxxd.node.messaging.messenger import CardBoard
from ataxxd.node.names import NameBook
from ataxxd.node.receiving import Incoming
from ataxxd.times import Clock
from ataxxd_protocol import encode
from ataxxd_protocol.messages import Challenge
from ataxxd_protocol.topics import Address
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY
from tests.conformance.letters import (
    CREATED_MS,
    EXPIRES_MS,
    make_card,
    make_challenge,
    make_nickname,
)
from tests.memory_broker import MemoryBroker
from tests.messaging import TOPICS, Hand, open_messenger, until


@pytest.mark.attack("A-41")
def test_cards_and_nicknames_said_again_show_nothing_old(tmp_path: Path) -> None:
    hand = Hand()
    board, book = CardBoard(hand.clock), NameBook(tmp_path / "names.db", Clock(hand, hand))
    card_at = Address("card", "_", writer=GUEST_KEY.node)
    name_at = Address("nickname", "_", writer=GUEST_KEY.node)
    old, new = make_card(free=2), make_card(free=0, at_ms=CREATED_MS + 1)
    first, renamed = make_nickname(name="ana"), make_nickname(name="bea", at_ms=CREATED_MS + 1)
    for card, nickname in ((old, first), (new, renamed), (old, first), (new, renamed)):
        board.receive(Incoming(card_at, encode(card)))
        book.receive(Incoming(name_at, encode(nickname)))
    assert board.live() == [new]
    assert book.name_of(GUEST_KEY.node) == "bea"
    # On another's topic they are nobody's.
    assert not board.receive(Incoming(Address("card", "_", writer=OTHER_KEY.node), encode(new)))
    assert not book.receive(
        Incoming(Address("nickname", "_", writer=OTHER_KEY.node), encode(renamed))
    )
    hand.seconds = EXPIRES_MS / 1000
    board.receive(Incoming(card_at, encode(new)))
    assert board.live() == []
    book.close()


@pytest.mark.attack("A-42")
async def test_a_challenge_is_taken_once_and_by_whom_it_is_for() -> None:
    broker, hand = MemoryBroker(), Hand()
    taken: list[Challenge] = []
    challenge = make_challenge()
    others, last = make_challenge(to=OTHER_KEY.node), make_challenge(OTHER_KEY)
    ours = TOPICS.post(HOST_KEY.node, GUEST_KEY.node)
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here = IncomingChallenges(messenger, lambda _: None, taken.append)
        await here.open()
        for _ in range(5):
            broker.inject(ours, encode(challenge))
        broker.inject(TOPICS.post(OTHER_KEY.node, GUEST_KEY.node), encode(challenge))
        broker.inject(ours, encode(others))
        broker.inject(TOPICS.post(HOST_KEY.node, OTHER_KEY.node), encode(challenge))
        broker.inject(ours, encode(challenge), retain=True)
        broker.inject(TOPICS.post(OTHER_KEY.node, GUEST_KEY.node), encode(last))
        await until(lambda: len(taken) >= 2)
    assert taken == [challenge, last]
