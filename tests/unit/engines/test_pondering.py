"""Our engine thinks while its opponent does."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import pytest

from ataxxd.engines.base import Ponderer, seed_for
from ataxxd.engines.native import NativeBot, PonderingBot, Strength, search_at_level
from ataxxd.engines.registry import make_bot
from ataxxd.node.local_game import LocalGame
from ataxxd.node.players import AUTO, Thinking
from ataxxd.rules import Engine, Move, Position, Side
from ataxxd.session.events import Moved, Over, Seat, TakenBack
from tests.docs.pages import ROOT
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import Player, two

STARTS = [Position.start(rules) for rules in ("ataxx/uai", "checkers/acf", "loa/cs61b")]
START = STARTS[0]
LONG = "time=600000"


@contextmanager
def pondering(strength: str) -> Iterator[PonderingBot]:
    bot = make_bot(f"native:{strength},ponder=1")
    assert isinstance(bot, PonderingBot)
    try:
        yield bot
    finally:
        bot.stop_pondering()
        assert not thinks()


def thinks() -> bool:
    return any(thread.name == "thinking" for thread in threading.enumerate())


def replies(position: Position, move: Move, strength: str, seed: int) -> tuple[Move, Move]:
    """The answer that a search expects, and another one."""
    found = search_at_level(Strength.parse(strength), Engine(16), position, seed=seed, time_ms=None)
    assert found.move == move
    others = [other for other in position.play(move).legal_moves if other != found.pv[1]]
    return found.pv[1], others[0]


def moved(bot: PonderingBot) -> tuple[Position, Position]:
    """After a first move for which a busy machine left enough time, and after its answer."""
    time_ms = 10
    while True:
        after = START.play(bot.choose(START, time_ms=time_ms))
        assert bot._last is not None
        if len(line := bot._last[1].pv) > 1:
            return after, after.play(line[1])
        time_ms *= 2


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
@pytest.mark.parametrize("strength", ["level=6", "level=8,threads=1", "nodes=5000"])
def test_the_expected_answer_is_thought_about_and_the_choice_is_the_same(
    start: Position, strength: str
) -> None:
    with pondering(strength) as bot:
        move = bot.choose(start, seed=3)
        after = start.play(move)
        bot.ponder(after, seed=4)
        assert thinks()
        expected, _ = replies(start, move, strength, 3)
        position = after.play(expected)
        bot.stop_pondering_unless(position)
        assert bot.choose(position, seed=4) == NativeBot(Strength.parse(strength)).choose(
            position, seed=4
        )
        assert bot.hits == 1
    assert not thinks()


@pytest.mark.parametrize("start", STARTS, ids=lambda start: start.ruleset)
def test_another_answer_drops_the_thought_and_the_choice_is_the_same(start: Position) -> None:
    with pondering("level=4") as bot:
        move = bot.choose(start, seed=3)
        after = start.play(move)
        bot.ponder(after, seed=4)
        _, other = replies(start, move, "level=4", 3)
        position = after.play(other)
        bot.stop_pondering_unless(position)
        assert not thinks()
        assert bot.choose(position, seed=4) == NativeBot(4).choose(position, seed=4)
        assert bot.hits == 0


def test_another_seed_drops_the_thought() -> None:
    with pondering("level=4") as bot:
        move = bot.choose(START, seed=3)
        bot.ponder(START.play(move), seed=4)
        expected, _ = replies(START, move, "level=4", 3)
        position = START.play(move).play(expected)
        assert bot.choose(position, seed=5) == NativeBot(4).choose(position, seed=5)
        assert bot.hits == 0


@pytest.mark.parametrize("threads", [1, 2])
def test_a_thought_that_only_time_limits_ends_after_a_hit_and_not_before(threads: int) -> None:
    with pondering(f"time=100,threads={threads}") as bot:
        after, expected = moved(bot)
        bot.ponder(after, seed=1)
        assert thinks()
        assert bot.choose(expected, seed=1) in expected.legal_moves
        assert bot.hits == 1


def test_a_clock_that_is_told_with_the_hit_ends_the_thought() -> None:
    with pondering(LONG) as bot:
        after, expected = moved(bot)
        bot.ponder(after, seed=1)
        assert bot.choose(expected, seed=1, time_ms=5) in expected.legal_moves
        assert bot.hits == 1


@pytest.mark.parametrize("end", ["rest", "over", "back", "draw"])
def test_what_ends_a_thought_ends_it_at_once(end: str) -> None:
    with pondering(LONG) as bot:
        after, _ = moved(bot)
        bot.ponder(after, seed=1)
        assert thinks()
        bot.stop_pondering_unless(after)
        assert thinks()
        match end:
            case "rest":
                bot.stop_pondering()
            case "over":
                bot.stop_pondering_unless(None)
            case "back":
                bot.stop_pondering_unless(START)
            case _:
                bot.accepts_draw(after)
        assert not thinks()


def test_a_process_ends_although_its_engine_ponders() -> None:
    script = (
        "from tests.unit.engines.test_pondering import *\n"
        f"bot = make_bot('native:{LONG},ponder=1')\n"
        "bot.ponder(moved(bot)[0], seed=1)\n"
        "assert bot._thread.busy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, timeout=DEADLINE, cwd=ROOT)


def test_pondering_is_an_option_of_our_engine_alone() -> None:
    assert Thinking(3, ponder=True).player(AUTO) == "auto:level=3,ponder=1"
    assert Thinking(3, ponder=True).player("human") == "human"
    assert not isinstance(make_bot("native:3"), Ponderer)


async def the_machine_moves(game: LocalGame) -> Move:
    async with asyncio.timeout(DEADLINE):
        while True:
            event = await game.advance()
            if isinstance(event, Moved) and event.seat is Seat.AUTO:
                return event.move


@contextmanager
def seated(strength: str) -> Iterator[tuple[LocalGame, PonderingBot]]:
    with pondering(strength) as bot:
        yield LocalGame(START, {Side.FIRST: bot}, seats={Side.FIRST: Seat.AUTO}, seed=1), bot


async def test_a_table_lets_its_bot_ponder_and_uses_it() -> None:
    with seated("nodes=3000") as (game, bot):
        move = await the_machine_moves(game)
        assert thinks()
        expected, _ = replies(START, move, "nodes=3000", seed_for(1, 0))
        await game.play(expected)
        position = game.position
        assert await the_machine_moves(game) == NativeBot(Strength(nodes=3000)).choose(
            position, seed=seed_for(1, 2)
        )
        assert bot.hits == 1


@pytest.mark.parametrize("end", ["undo", "resign", "new", "rest", "fill", "reseed"])
async def test_whatever_a_person_does_at_a_table_ends_its_bots_thought(end: str) -> None:
    with seated("nodes=3000") as (game, _):
        await the_machine_moves(game)
        assert thinks()
        match end:
            case "undo":
                game.undo()
            case "resign":
                await game.resign()
                assert isinstance(await game.advance(), Over)
            case "new":
                game.new()
            case "rest":
                game.stop_pondering()
            case "fill":
                game.fill(Side.FIRST, Seat.HUMAN)
            case _:
                game.reseed(9)
        assert not thinks()


async def test_two_machines_at_a_table_do_not_ponder() -> None:
    with pondering("level=1") as bot:
        game = LocalGame(START, dict.fromkeys(Side, bot), seats=dict.fromkeys(Side, Seat.AUTO))
        for _ in range(4):
            await the_machine_moves(game)
            assert not thinks()


@asynccontextmanager
async def hosting(folder: Path) -> AsyncIterator[tuple[Player, Player, PonderingBot]]:
    """A host that ponders after its first move, and a person."""
    with pondering("nodes=3000") as bot:
        async with two(folder, MemoryBroker(), bot=bot, stays=False, agrees=True) as (host, guest):
            async with asyncio.timeout(DEADLINE):
                await host.hears(Moved)
                await guest.hears(Moved)
                assert thinks()
                yield host, guest, bot


async def answers_as_expected(host: Player, guest: Player, bot: PonderingBot) -> None:
    """The person makes the expected move, and the bot the next one."""
    assert bot._pondering is not None
    expected, before = bot._pondering.expected, guest.game.position
    reply = next(move for move in before.legal_moves if before.play(move) == expected)
    await guest.game.play(reply)
    await host.hears(Moved, lambda event: event.seat is Seat.AUTO)
    await guest.hears(Moved, lambda event: event.seat is Seat.REMOTE)


async def test_a_node_lets_its_bot_ponder_and_uses_it(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (host, guest, bot):
        await answers_as_expected(host, guest, bot)
        assert bot.hits == 1
        assert thinks()


async def test_a_resignation_ends_the_thought_of_a_node(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (host, guest, _):
        await guest.game.resign()
        await host.hears(Over)
        assert not thinks()


async def test_a_move_taken_back_ends_the_thought_of_a_node(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (host, guest, bot):
        await answers_as_expected(host, guest, bot)
        assert thinks()
        await guest.game.ask("takeback")
        await host.hears(TakenBack)
        assert not thinks()


async def test_a_node_that_leaves_thinks_no_more(tmp_path: Path) -> None:
    async with hosting(tmp_path) as (host, _, _):
        await host.leaves()
        assert not thinks()
