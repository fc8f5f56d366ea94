"""Whoever looks on follows a rematch, and the next one, and goes when a player goes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ataxxd.node.game_finder import GameFinder, GameName
from ataxxd.node.presence import GONE_S, Announcer
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Begun, Closed, Moved, Notice, Over, RematchAsked, Said, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd_protocol.messages import Offer
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import Player, two


class Onlooker:
    """Somebody who looks on from some moment."""

    def __init__(self, broker: MemoryBroker, offer: Offer) -> None:
        self._transport = broker.connect()
        self._offer = offer
        self._events: asyncio.Queue[object] = asyncio.Queue()
        self.heard: list[object] = []
        self.watcher: Watcher

    async def looks(self) -> None:
        async with self._transport:
            session = SpectatorSession(Ledger(self._offer))
            self.watcher = Watcher(session, self._transport, follow_rematches=True)
            async for event in self.watcher.events():
                self._events.put_nowait(event)
        self._events.put_nowait(None)

    async def sees(self, kind: type[Any] | None) -> Any:
        """Wait for an event; for the end with None."""
        while True:
            event = await self._events.get()
            self.heard.append(event)
            if event is None if kind is None else isinstance(event, kind):
                return event
            assert event is not None, f"it ended without {kind}: {self.heard}"

    async def reads(self, words: str) -> None:
        """Wait for a notice that holds some words."""
        while words not in (await self.sees(Notice)).text:
            pass


@asynccontextmanager
async def looking_on(broker: MemoryBroker, offer: Offer) -> AsyncIterator[Onlooker]:
    onlooker = Onlooker(broker, offer)
    task = asyncio.create_task(onlooker.looks())
    try:
        yield onlooker
    finally:
        task.cancel()
        await asyncio.wait({task})


async def ends(mover: Player, other: Player) -> None:
    """End a game in which `mover` is on turn."""
    await mover.game.resign()
    await asyncio.gather(mover.hears(Over), other.hears(Over))


async def again(asks: Player, agrees: Player) -> None:
    """Begin a rematch, which `asks` hosts."""
    asks.game.ask_rematch()
    await agrees.hears(RematchAsked)
    agrees.game.ask_rematch()
    await asyncio.gather(asks.hears(Begun), agrees.hears(Begun))


async def plays(player: Player) -> None:
    await player.game.play(player.game.position.legal_moves[0])


async def test_every_rematch_is_followed_whoever_hosts_it(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        two(tmp_path, broker) as (host, guest),
        looking_on(broker, host.game.current.stored.offer) as onlooker,
    ):
        await onlooker.sees(Started)
        mover, other = host, guest
        for asks, agrees in ((guest, host), (guest, host), (host, guest)):
            await ends(mover, other)
            await onlooker.sees(Closed)
            await again(asks, agrees)
            followed = await onlooker.sees(Begun)
            assert followed.offer.host == asks.profile.key.node
            assert followed.offer.rematch_of == onlooker.watcher.earlier_games[-1].game
            assert (await onlooker.sees(Started)).guest == agrees.profile.key.node
            mover, other = other, mover
            await plays(mover)
            assert (await onlooker.sees(Moved)).ply == 1
            await plays(other)
            await onlooker.sees(Moved)
        for seen, played in zip(onlooker.watcher.earlier_games, host.ended, strict=True):
            assert dump_record(seen) == dump_record(played)
        await ends(mover, other)
        await onlooker.sees(Closed)
        await onlooker.sees(Notice)
        await guest.leaves()
        await onlooker.sees(None)


async def test_whoever_looks_on_is_told_when_a_player_goes_and_comes_back(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        two(tmp_path, broker) as (host, guest),
        looking_on(broker, host.game.current.stored.offer) as onlooker,
    ):
        await onlooker.sees(Started)
        await guest.leaves()
        assert await onlooker.sees(Notice) == Notice("Blue has left")
        guest.resume()
        assert await onlooker.sees(Notice) == Notice("Blue is back")
        await guest.seated()
        await ends(host, guest)
        await onlooker.sees(Closed)
        assert "both players stay" in (await onlooker.sees(Notice)).text
        await guest.leaves()
        assert await onlooker.sees(Notice) == Notice("Blue has left")
        await onlooker.sees(None)


async def test_who_comes_between_two_games_hears_that_the_players_stay(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        await ends(host, guest)
        async with looking_on(broker, host.game.current.stored.offer) as onlooker:
            await onlooker.sees(Over)
            assert "both players stay" in (await onlooker.sees(Notice)).text
            await again(guest, host)
            await onlooker.sees(Begun)
            await onlooker.sees(Started)


async def test_who_comes_to_a_game_that_others_have_followed_is_led_to_the_last(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        first = host.game.current.stored.offer
        await ends(host, guest)
        await again(guest, host)
        await ends(guest, host)
        await again(guest, host)
        async with looking_on(broker, first) as onlooker:
            await onlooker.sees(Begun)
            await plays(host)
            await onlooker.sees(Moved)
        # And the name alone is no question any more, though both have hosted under it.
        async with broker.connect() as line:
            found = await GameFinder(line).find_watchable(GameName("ourgame"), seconds=DEADLINE)
            assert found.offer == host.game.current.stored.offer


async def test_an_offer_that_is_taken_back_is_not_followed(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        two(tmp_path, broker) as (host, guest),
        looking_on(broker, host.game.current.stored.offer) as onlooker,
    ):
        await ends(host, guest)
        await onlooker.sees(Closed)
        host.game.ask_rematch()
        await guest.hears(RematchAsked)
        await host.leaves()
        await onlooker.sees(None)
        assert not any(isinstance(event, Begun) for event in onlooker.heard)


async def test_nobody_goes_for_a_player_who_leaves_while_the_next_game_is_offered(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with (
        two(tmp_path, broker) as (host, guest),
        looking_on(broker, host.game.current.stored.offer) as onlooker,
        broker.connect() as line,
    ):
        announcer = Announcer(host.game.current.stored.offer, host.profile.key)
        await ends(host, guest)
        await onlooker.sees(Closed)
        host.game.ask_rematch()
        await guest.hears(RematchAsked)
        for connection, state, told in (
            (2, "lost", "Red has lost the connection"),
            (3, "left", "Red has left"),
            (4, "online", "Red is back"),
        ):
            announcer.will(connection)
            await announcer.publish(line, state)
            while (await onlooker.sees(Notice)).text != told:
                pass
        await guest.reads("back")
        guest.game.ask_rematch()
        await onlooker.sees(Begun)


@pytest.mark.parametrize("over", [False, True], ids=["in play", "over"])
def test_nobody_is_told_that_a_player_is_lost_when_the_broker_is(
    tmp_path: Path, over: bool
) -> None:
    async def story() -> None:
        broker = MemoryBroker()
        async with (
            two(tmp_path, broker) as (host, guest),
            looking_on(broker, host.game.current.stored.offer) as onlooker,
        ):
            await onlooker.sees(Started)
            if over:
                await ends(host, guest)
                await onlooker.reads("both players stay")
            broker.stop(wills=True)
            await asyncio.sleep(2 * GONE_S)
            broker.start()
            await onlooker.reads("connected again")
            await asyncio.sleep(60)
            await host.game.say("here I am")
            await guest.hears(Said)
            assert not [each for each in guest.heard if "your opponent" in str(each)]
            assert not [each for each in onlooker.heard if "Red" in str(each)]

    run_virtually(story(), VirtualLoop())


async def test_a_board_turns_to_the_rematch_when_all_of_the_last_game_is_shown(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest), broker.connect() as line:
        offer = host.game.current.stored.offer
        watcher = Watcher(SpectatorSession(Ledger(offer)), line, follow_rematches=True)
        game = WatchedGame(watcher)
        running = asyncio.create_task(game.run())
        await ends(host, guest)
        await again(guest, host)
        await plays(guest)
        while not isinstance(event := await game.advance(), Begun):
            assert game.offer == offer
        assert event == Begun(None)
        assert game.outcome is None
        assert game.offer.host == guest.profile.key.node
        while not game.moves:
            await game.advance()
        running.cancel()
        await asyncio.wait({running})
