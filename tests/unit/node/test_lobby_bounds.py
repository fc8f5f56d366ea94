"""Anybody can leave any number of true offers on a broker: a lobby stays of one size."""

import time
from typing import Any

from ataxxd.node.lobby import MOST_CHECKS, MOST_GAMES, GameName, Lobby
from ataxxd.transport.base import Received
from ataxxd.transport.memory import MemoryBroker
from ataxxd_protocol import SigningKey, Topics, encode
from ataxxd_protocol.messages import Offer
from tests.conformance.games import HOST_KEY, forge, make_offer

TOPICS = Topics()


def live_offer(key: SigningKey = HOST_KEY, /, **changes: Any) -> Offer:
    now = time.time_ns() // 1_000_000
    return make_offer(key, created_ms=now, expires_ms=now + 600_000, **changes)


def leave(broker: MemoryBroker, offer: Offer) -> None:
    broker.inject(TOPICS.offer(offer.name, offer.host), encode(offer), retain=True)


async def test_a_lobby_keeps_a_bounded_number_of_games() -> None:
    broker = MemoryBroker()
    for number in range(MOST_GAMES + 100):
        leave(broker, live_offer(name=f"game-{number}"))
    async with broker.connect() as transport:
        assert len(await Lobby(transport, TOPICS).look(seconds=0.1)) == MOST_GAMES


async def test_a_game_that_is_dismissed_makes_room_and_does_not_come_back() -> None:
    broker = MemoryBroker()
    async with broker.connect() as transport:
        lobby = Lobby(transport, TOPICS)
        offers = [live_offer(name=f"game-{number}") for number in range(MOST_GAMES + 1)]
        for _ in range(2):
            for offer in offers:
                topic = TOPICS.offer(offer.name, offer.host)
                lobby._take(Received(topic, encode(offer), retained=False))
            first = lobby.games.get(("game-0", HOST_KEY.node))
            if first is not None:
                lobby.dismiss(first)
        assert len(lobby.games) == MOST_GAMES
        assert ("game-0", HOST_KEY.node) not in lobby.games


async def test_a_named_game_is_found_among_any_number_of_others() -> None:
    broker = MemoryBroker()
    for number in range(MOST_GAMES + 50):
        key = SigningKey((number + 500).to_bytes(32))
        leave(broker, live_offer(key, name="ourgame"))
    leave(broker, live_offer())
    async with broker.connect() as transport:
        wanted = GameName("ourgame", HOST_KEY.node)
        found = await Lobby(transport, TOPICS).find(wanted, seconds=2)
        assert found.offer.host == HOST_KEY.node


async def test_a_flood_of_forged_offers_costs_a_bounded_number_of_checks() -> None:
    broker = MemoryBroker()
    async with broker.connect() as transport:
        lobby = Lobby(transport, TOPICS)
        offer = live_offer()
        forged = forge(offer, SigningKey(bytes(32)), host=offer.host, key=offer.key)
        event = Received(TOPICS.offer(offer.name, offer.host), encode(forged), retained=False)
        for _ in range(MOST_CHECKS + 50):
            lobby._take(event)
        assert (lobby.games, lobby._checks_left) == ({}, 0)
