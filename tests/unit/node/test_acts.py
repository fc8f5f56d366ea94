"""Every kind of game says what can be done in it, and refuses the rest with its reason."""

import asyncio
from collections.abc import Callable
from inspect import isawaitable
from pathlib import Path

import pytest

from ataxxd.engines.base import FirstBot
from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import ACTS, Act, Game
from ataxxd.node.local_game import LocalGame
from ataxxd.node.watched_game import WatchedGame
from ataxxd.node.watching import Watcher
from ataxxd.rules import Position, Side
from ataxxd.session.events import Asked, Moved, Over, Seat
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from tests.conformance.games import Pair
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import two

START = Position.start("checkers/cs61b-2004")


PLAINLY: dict[Act, Callable[[Game], object]] = {
    "move": lambda game: game.play((game.position.legal_moves or game.start.legal_moves)[0]),
    "resign": lambda game: game.resign(),
    "keep_playing": lambda game: game.keep_playing(),
    "offer_draw": lambda game: game.offer_draw(),
    "answer_draw": lambda game: game.answer_draw(accept=True),
    "say": lambda game: game.say("hello"),
    "talk": lambda game: game.talk("hello"),
    "takeback": lambda game: game.ask("takeback"),
    "abort": lambda game: game.ask("abort"),
    "agree": lambda game: game.agree(),
    "refuse": lambda game: game.refuse(),
    "claim": lambda game: game.claim(),
    "rematch": lambda game: game.ask_rematch(),
    "new": lambda game: game.new(),
    "fill": lambda game: game.fill(Side.FIRST, Seat.HUMAN),
    "undo": lambda game: game.undo(),
    "redo": lambda game: game.redo(),
}


async def attempt(game: Game, act: Act) -> None:
    """Do something in the plainest way."""
    done = PLAINLY[act](game)
    if isawaitable(done):
        await done


async def can(game: Game) -> set[str]:
    """What can be done in a game; all else is refused with the reason that it gives."""
    before = game.position, [*game.moves], game.outcome, game.draw_offered_by
    for act in ACTS:
        if act not in game.can:
            refusal = game.refusal(act)
            assert refusal is not None
            with pytest.raises(LocalProtocolError) as raised:
                await attempt(game, act)
            assert (raised.value.code, str(raised.value)) == (refusal.code, str(refusal))
    assert (game.position, [*game.moves], game.outcome, game.draw_offered_by) == before
    return set(game.can)


async def test_a_game_on_this_machine_can_be_played_and_set_up() -> None:
    game = LocalGame(START, {}, seats=dict.fromkeys(Side, Seat.HUMAN))
    always = {"new", "fill"}
    assert await can(game) == {"move", "resign", "offer_draw", *always}
    await attempt(game, "move")
    assert await can(game) == {"move", "resign", "offer_draw", "undo", *always}
    await attempt(game, "undo")
    assert await can(game) == {"move", "resign", "offer_draw", "redo", *always}
    await attempt(game, "offer_draw")
    assert await can(game) == {"answer_draw", "redo", *always}
    await game.answer_draw(accept=False)
    assert await can(game) == {"move", "redo", *always}
    await attempt(game, "redo")
    await attempt(game, "resign")
    assert await can(game) == {"undo", *always}


async def test_a_person_who_waits_for_the_machine_can_only_resign() -> None:
    game = LocalGame(START, {Side.FIRST: FirstBot()}, seats={Side.FIRST: Seat.AUTO})
    assert await can(game) == {"resign", "new", "fill"}
    both = dict.fromkeys(Side, Seat.AUTO)
    game = LocalGame(START, dict.fromkeys(Side, FirstBot()), seats=both)
    assert await can(game) == {"new", "fill"}


def asked(game: Game) -> str | None:
    """Called, not read: a type checker holds an attribute to what it was compared with before."""
    return game.asked


async def test_what_can_be_done_in_a_network_game_follows_the_game(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest), asyncio.timeout(DEADLINE):
        assert await can(host.game) == {"move", "resign", "say", "abort"}
        assert await can(guest.game) == {"resign", "say", "abort"}
        await guest.game.resign()
        assert await can(guest.game) == {"resign", "keep_playing", "say", "abort"}
        await guest.game.keep_playing()
        await attempt(host.game, "move")
        assert await can(host.game) == {"resign", "say", "abort", "takeback"}
        await guest.hears(Moved)
        await attempt(host.game, "takeback")
        await guest.hears(Asked)
        assert asked(guest.game) == "takeback"
        assert await can(guest.game) == {"move", "resign", "say", "abort", "agree", "refuse"}
        await attempt(guest.game, "refuse")
        assert asked(guest.game) is None
        assert await can(guest.game) == {"move", "resign", "say", "abort"}
        await attempt(guest.game, "resign")
        await host.hears(Over)
        assert await can(host.game) == {"say", "rematch"}


@pytest.mark.parametrize("clock", [{"move_ms": 1, "lag_ms": 0}])
async def test_who_looks_on_can_do_nothing(clock: dict[str, int]) -> None:
    session = SpectatorSession(Ledger(Pair.started(clock=clock).offer))
    game = WatchedGame(Watcher(session, MemoryBroker().connect()))
    assert await can(game) == set()
