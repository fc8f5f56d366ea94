"""Anybody can leave any number of true offers on a broker: a finder stays of one size."""

import asyncio
import time
from pathlib import Path
from typing import Any

from ataxxd.node.game_finder import MAX_CHECKS, MAX_GAMES, FoundGame, GameFinder, GameName
from ataxxd.node.names import NameBook
from ataxxd.node.receiving import Incoming
from ataxxd.times import Clock
from ataxxd.transport.base import Received
from ataxxd_protocol import SigningKey, Topics, encode, signed
from ataxxd_protocol.messages import Nickname, Offer, Who
from ataxxd_protocol.topics import Address
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import HOST_KEY, forge, make_offer
from tests.events import next_of
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE

TOPICS = Topics()


def live_offer(key: SigningKey = HOST_KEY, /, **changes: Any) -> Offer:
    now = time.time_ns() // 1_000_000
    return make_offer(key, created_ms=now, expires_ms=now + 600_000, **changes)


def leave(broker: MemoryBroker, offer: Offer) -> None:
    broker.inject(TOPICS.offer(offer.name, offer.host), encode(offer), retain=True)


def is_ours(found: FoundGame) -> bool:
    """Whether it is the offer that is left last."""
    return found.offer.host == HOST_KEY.node


async def test_a_lobby_keeps_a_bounded_number_of_games() -> None:
    broker = MemoryBroker()
    for number in range(MAX_GAMES + 100):
        leave(broker, live_offer(name=f"game-{number}"))
    async with broker.connect() as transport:
        games = await GameFinder(transport).search(
            seconds=DEADLINE, enough=lambda found: found.offer.name == f"game-{MAX_GAMES - 1}"
        )
        assert len(games) == MAX_GAMES


def test_a_look_waits_for_answers_from_when_the_broker_has_the_question() -> None:
    async def story() -> None:
        broker = MemoryBroker()
        leave(broker, live_offer())
        async with broker.connect() as transport:
            transport.unplug()
            looking = asyncio.create_task(GameFinder(transport).search(seconds=1.5))
            # Such is a slow line, or a busy machine.
            await asyncio.sleep(5)
            transport.plug()
            assert [found.offer.host for found in await looking] == [HOST_KEY.node]

    run_virtually(story(), VirtualLoop())


async def test_a_game_that_is_dismissed_makes_room_and_does_not_come_back() -> None:
    broker = MemoryBroker()
    async with broker.connect() as transport:
        finder = GameFinder(transport)
        offers = [live_offer(name=f"game-{number}") for number in range(MAX_GAMES + 1)]
        for _ in range(2):
            for offer in offers:
                place = Address("offer", offer.name, offer.host, offer.host)
                finder._on_incoming(Incoming(place, encode(offer)))
            first = finder.games.get(("game-0", HOST_KEY.node))
            if first is not None:
                finder.dismiss(first)
        assert len(finder.games) == MAX_GAMES
        assert ("game-0", HOST_KEY.node) not in finder.games


async def test_one_host_does_not_crowd_out_the_others() -> None:
    broker = MemoryBroker()
    crowd = SigningKey(bytes([9]) * 32)
    for number in range(2 * MAX_GAMES):
        leave(broker, live_offer(crowd, name=f"game-{number}"))
    leave(broker, live_offer())
    async with broker.connect() as transport:
        games = await GameFinder(transport).search(seconds=DEADLINE, enough=is_ours)
        assert HOST_KEY.node in {game.offer.host for game in games}
        assert len(games) == MAX_GAMES


async def test_strangers_do_not_crowd_out_whom_we_know(tmp_path: Path) -> None:
    broker = MemoryBroker()
    names = NameBook(tmp_path / "names")
    name = Nickname(author=HOST_KEY.node, key=HOST_KEY.public_key, name="ann", at_ms=1)
    place = Address("nickname", "_", writer=HOST_KEY.node)
    assert names.receive(Incoming(place, encode(signed(name, HOST_KEY))))
    for number in range(MAX_GAMES + 50):
        leave(broker, live_offer(SigningKey((number + 500).to_bytes(32)), name="game"))
    leave(broker, live_offer())
    async with broker.connect() as transport:
        later = Clock(time.monotonic, lambda: time.time() + 1)
        looking = GameFinder(transport, later, names)
        games = await looking.search(seconds=DEADLINE, enough=is_ours)
        assert HOST_KEY.node in {game.offer.host for game in games}
        assert len(games) == MAX_GAMES
    names.close()


async def test_an_offer_that_is_wiped_is_gone_only_when_its_host_does_not_say_otherwise() -> None:
    broker = MemoryBroker()
    theirs, gone = live_offer(), live_offer(SigningKey(bytes([9]) * 32))
    for offer in (theirs, gone):
        leave(broker, offer)

    async with broker.connect() as transport, broker.connect() as host:
        finder = GameFinder(transport)
        changed = asyncio.Event()
        following = asyncio.create_task(finder.follow(lambda _: changed.set()))
        await host.subscribe(TOPICS.who())
        asked = await next_of(host, Received)
        while len(finder.games) < 2:
            await changed.wait()
            changed.clear()
        for offer in (theirs, gone):
            broker.inject(TOPICS.offer(offer.name, offer.host), b"", retain=True)
        asked = await next_of(host, Received)
        assert asked.payload == encode(Who())
        assert len(finder.games) == 2
        leave(broker, theirs)
        while len(finder.games) > 1:
            await changed.wait()
            changed.clear()
        assert [*finder.games] == [(theirs.name, theirs.host)]
        following.cancel()
        await asyncio.wait([following])


async def test_a_named_game_is_found_among_any_number_of_others() -> None:
    broker = MemoryBroker()
    for number in range(MAX_GAMES + 50):
        key = SigningKey((number + 500).to_bytes(32))
        leave(broker, live_offer(key, name="ourgame"))
    leave(broker, live_offer())
    async with broker.connect() as transport:
        wanted = GameName("ourgame", HOST_KEY.node)
        found = await GameFinder(transport).find(wanted, seconds=DEADLINE)
        assert found.offer.host == HOST_KEY.node


async def test_a_flood_of_forged_offers_costs_a_bounded_number_of_checks() -> None:
    broker = MemoryBroker()
    async with broker.connect() as transport:
        finder = GameFinder(transport)
        offer = live_offer()
        forged = forge(offer, SigningKey(bytes(32)), host=offer.host, key=offer.key)
        place = Address("offer", offer.name, offer.host, offer.host)
        for _ in range(MAX_CHECKS + 50):
            finder._on_incoming(Incoming(place, encode(forged)))
        assert (finder.games, finder._checks_left) == ({}, 0)
