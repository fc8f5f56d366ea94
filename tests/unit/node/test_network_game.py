"""What a game tells is told once and at once, whoever else looks at it."""

import asyncio
import threading
from pathlib import Path

import pytest

from ataxxd.engines.base import Bot, FirstBot
from ataxxd.errors import LocalProtocolError
from ataxxd.node.profile import open_profile
from ataxxd.node.settings import Settings
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import (
    Asked,
    DrawRefused,
    Keep,
    Moved,
    Notice,
    Over,
    Request,
    Said,
    Started,
    TakenBack,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from tests.conformance.games import GUEST_KEY
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import SECRET, Player, offered, two


async def test_what_happened_is_told_although_somebody_looked_at_the_table_first(
    tmp_path: Path,
) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, _):
        told = asyncio.create_task(host.reads("just now"))
        await asyncio.sleep(0)
        host.game._runtime._add_notice("just now")
        assert not host.game.idle
        async with asyncio.timeout(DEADLINE):
            await told
        assert host.heard[-1] == Notice("just now")


async def test_a_resignation_waits_for_ones_turn_over_a_restart(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        await guest.game.resign()
        assert guest.game.resigning
        assert guest.game.outcome is None
        await guest.leaves()
        guest.resume()
        await guest.seated()
        assert guest.game.resigning
        await host.game.play(host.game.position.legal_moves[0])
        lost = Over(Outcome("resignation", Side.FIRST))
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        assert host.heard[-1] == guest.heard[-1] == lost
        assert not guest.game.resigning


async def test_whoever_asked_for_a_takeback_is_told_after_a_restart_that_it_still_stands(
    tmp_path: Path,
) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        await host.game.play(host.game.position.legal_moves[0])
        await guest.hears(Moved)
        await host.game.ask("takeback")
        await guest.hears(Asked)
        await host.close()  # killed: it says nothing, and has nothing but its journal
        host.resume()
        await host.seated()
        await host.reads("you have asked to take a move back; the request stands until")
        assert host.game.refusal("takeback") is not None
        await guest.game.agree()
        await asyncio.gather(host.hears(TakenBack), guest.hears(TakenBack))
        assert not host.game.moves


async def test_what_was_asked_for_before_a_move_is_not_told_after_a_restart(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        await host.game.play(host.game.position.legal_moves[0])
        await guest.hears(Moved)
        await host.game.ask("takeback")
        await guest.hears(Asked)
        await guest.game.play(guest.game.position.legal_moves[0])
        await host.hears(Moved, lambda moved: moved.ply == 2)
        await host.leaves()
        host.resume()
        await host.seated()
        await host.game.play(host.game.position.legal_moves[0])
        await host.hears(Moved, lambda moved: moved.ply == 3)
        assert not any("you have asked" in str(each) for each in host.heard)


async def test_a_resignation_taken_back_stays_so_over_a_restart(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        await guest.game.resign()
        await guest.game.keep_playing()
        await guest.leaves()
        guest.resume()
        await guest.seated()
        await host.game.play(host.game.position.legal_moves[0])
        await guest.hears(Moved)
        assert guest.game.outcome is None
        assert guest.game.idle


async def test_a_takeback_is_refused_in_words_and_may_be_asked_for_again(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        for _ in range(2):
            await host.game.play(host.game.position.legal_moves[0])
            await guest.hears(Moved)
            await host.game.ask("takeback")
            await guest.hears(Asked)
            said = await guest.game.refuse()
            assert said == "I would rather not take the move back."
            await host.hears(Said)
            assert host.heard[-1] == Said(Side.SECOND, said)
            with pytest.raises(LocalProtocolError, match="has not asked for anything"):
                await guest.game.refuse()
            await guest.game.play(guest.game.position.legal_moves[0])
            await host.hears(Moved, lambda moved: moved.side is Side.SECOND)


@pytest.mark.parametrize(
    ("what", "said"),
    [
        ("takeback", "I would rather not take the move back."),
        ("abort", "I would rather not abort the game."),
    ],
)
async def test_a_bot_that_is_asked_for_an_abort_or_a_takeback_refuses_and_plays_on(
    tmp_path: Path, what: Request, said: str
) -> None:
    async with (
        two(tmp_path, MemoryBroker(), bot=FirstBot()) as (host, guest),
        asyncio.timeout(DEADLINE),
        asyncio.TaskGroup() as tasks,
    ):
        playing = tasks.create_task(host.hears(Over))
        await guest.hears(Moved)
        await guest.game.play(guest.game.position.legal_moves[0])
        await guest.hears(Moved, lambda moved: moved.side is Side.FIRST)
        await guest.game.ask(what)
        await guest.hears(Said)
        assert guest.heard[-1] == Said(Side.FIRST, said)
        assert guest.game.outcome is None
        assert len(guest.game.moves) == 3
        playing.cancel()


async def test_a_bot_agrees_to_an_abort_where_it_was_told_to(tmp_path: Path) -> None:
    async with (
        two(tmp_path, MemoryBroker(), bot=FirstBot(), agrees=True) as (host, guest),
        asyncio.timeout(DEADLINE),
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(host.hears(Over))
        await guest.hears(Moved)
        await guest.game.play(guest.game.position.legal_moves[0])
        await guest.hears(Moved, lambda moved: moved.side is Side.FIRST)
        await guest.game.ask("abort")
        await guest.hears(Over)
        assert guest.heard[-1] == Over(Outcome("aborted", None))


class Slow(Bot):
    """Thinks until it is told that it may move, and counts how often it was asked for a move."""

    @property
    def name(self) -> str:
        return "slow"

    def __init__(self) -> None:
        self.may_move, self.thinks = threading.Event(), threading.Event()
        self.choices = 0

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        self.choices += 1
        self.thinks.set()
        self.may_move.wait()
        return position.legal_moves[0]

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        return False

    def stop(self) -> None:
        self.may_move.set()


async def test_a_bot_that_refuses_does_not_think_again_about_its_move(tmp_path: Path) -> None:
    bot = Slow()
    async with (
        two(tmp_path, MemoryBroker(), bot=bot) as (host, guest),
        asyncio.timeout(DEADLINE),
        asyncio.TaskGroup() as tasks,
    ):
        playing = tasks.create_task(host.hears(Over))
        bot.may_move.set()
        await guest.hears(Moved)
        bot.may_move.clear()
        bot.thinks.clear()
        await guest.game.play(guest.game.position.legal_moves[0])
        await asyncio.to_thread(bot.thinks.wait)
        await guest.game.ask("abort")
        await host.game._runtime.events.wait_for_item()
        bot.may_move.set()
        await guest.hears(Said)
        await guest.hears(Moved, lambda moved: moved.side is Side.FIRST)
        assert bot.choices == 2
        playing.cancel()


class Timed(FirstBot):
    """Notes what time it has to answer an offer of a draw."""

    had: list[int | None]

    def __init__(self) -> None:
        self.had = []

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        self.had.append(time_ms)
        return super().accepts_draw(position)


async def test_an_offer_of_a_draw_is_answered_within_the_clock(tmp_path: Path) -> None:
    bot = Timed()
    # Not the usual start, after which a machine accepts no draw for a while.
    start = "B:W20,21,22,23,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,12,15"
    first = GameRecord(Position.from_text("checkers/cs61b-2004", start))
    clock = {"move_ms": 600_000, "lag_ms": 0}
    async with (
        two(tmp_path, MemoryBroker(), bot=bot, first=first, clock=clock) as (host, guest),
        asyncio.timeout(DEADLINE),
        asyncio.TaskGroup() as tasks,
    ):
        tasks.create_task(host.hears(DrawRefused))
        await guest.hears(Moved)
        await guest.game.offer_draw()
        await guest.hears(DrawRefused)
    (time_ms,) = bot.had
    assert time_ms is not None
    assert 0 < time_ms <= 300_000


async def test_a_host_stopped_before_it_gave_the_seat_is_told_who_has_it(tmp_path: Path) -> None:
    async with open_profile(tmp_path) as profile:
        offer = offered(profile)
        stored = profile.journal.begin(offer, Role.HOST, Settings(secret=SECRET).stored())
        asking = PlayerSession(Ledger(offer), Role.GUEST, GUEST_KEY).ask_to_join("cd" * 16, "x")
        join = [(Role.GUEST, each.message) for each in asking if isinstance(each, Keep)]
        profile.journal.keep(stored, join)
        player, told = Player(profile, MemoryBroker()), list[object]()
        player.resume(told.append)
        try:
            async with asyncio.timeout(DEADLINE):
                await player.seated()
        finally:
            await player.close()
        assert Started(GUEST_KEY.node, Side.FIRST) in told
