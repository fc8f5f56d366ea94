"""An agent that hopes for a rematch hears what has become of it, however quickly that comes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from ataxxd.node.game_run import GameContext
from ataxxd.node.node import Node
from ataxxd.node.profile import open_profile
from ataxxd.serve.agents import GameTools
from ataxxd.session.record import dump_record
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE


@asynccontextmanager
async def agents(folder: Path, broker: MemoryBroker) -> AsyncIterator[tuple[GameTools, GameTools]]:
    """Two agents, each with a node of its own, whose game is over."""
    async with AsyncExitStack() as stack:
        made = []
        for name in ("ann", "bob"):
            profile = await stack.enter_async_context(open_profile(folder / name))
            place = GameContext(
                profile,
                lambda will: broker.connect(will=will),
                lambda ledger, _: dump_record(ledger),
                print,
            )
            made.append(GameTools(Node(place, broker.url)))
            stack.push_async_callback(made[-1].close)
        ann, bob = made
        await ann.host_game("ourgame", "ataxx/cs61b-2022")
        await bob.join_game("ourgame")
        await ann.wait("ourgame", DEADLINE)
        await ann.act("ourgame", "resign")
        await bob.wait("ourgame", DEADLINE)
        yield ann, bob


async def test_whoever_waits_for_a_rematch_hears_that_the_other_has_left_before_it_was_asked(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with agents(tmp_path, broker) as (ann, bob):
        await bob.act("ourgame", "rematch")
        waiting = asyncio.create_task(bob.wait("ourgame", 1e6))
        await ann.leave("ourgame")
        async with asyncio.timeout(DEADLINE):
            view = await waiting
        assert any("has left" in line for line in view.news), view.news


async def test_whoever_waits_for_a_rematch_waits_until_it_has_begun(tmp_path: Path) -> None:
    async with agents(tmp_path, MemoryBroker()) as (ann, bob):
        await bob.act("ourgame", "rematch")
        waiting = asyncio.create_task(bob.wait("ourgame", 1e6))
        await ann.act("ourgame", "rematch")
        async with asyncio.timeout(DEADLINE):
            view = await waiting
        assert (view.status, view.you, view.moves, view.your_turn) == ("playing", "Red", [], True)
