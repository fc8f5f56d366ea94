"""Whatever is killed, whenever: the game goes on, ends, verifies, and nothing is said twice."""

import asyncio
import random

import pytest

from tests.e2e.crashes import ROLES, RoughGame
from tests.e2e.nodes import Nodes
from tests.e2e.recording import recording

# Lines of output after which somebody is killed are drawn from this range; a game has about 70.
_LAST_LINE = 60


async def stumble(choices: random.Random) -> None:
    """Let a random moment pass, so that kills fall anywhere between two messages."""
    await asyncio.sleep(choices.uniform(0, 0.02))


@pytest.mark.parametrize("seed", range(6))
async def test_players_killed_at_random_moments_go_on_and_finish(seed: int, nodes: Nodes) -> None:
    choices = random.Random(seed)
    game = RoughGame(nodes)
    assert nodes.broker is not None
    async with recording(nodes.broker) as heard:
        await game.open()
        await game.join()
        for _ in range(4):
            victims = choices.choice((("host",), ("guest",), ROLES))
            watched = game.running[victims[0]]
            if not await watched.has_printed(choices.randrange(1, 16)):
                break
            await stumble(choices)
            await game.kill(*victims)
            for role in choices.sample(victims, len(victims)):
                await game.resume(role)
        await game.finish()
    assert game.resumed > 0
    assert heard.contradictions() == []


async def test_players_killed_around_the_join_go_on_and_finish(nodes: Nodes) -> None:
    choices = random.Random(11)
    game = RoughGame(nodes)
    assert nodes.broker is not None
    async with recording(nodes.broker) as heard:
        await game.open()
        # The host while it waits; the guest as soon as it has asked; then both at once.
        await game.kill("host")
        await game.resume("host")
        await game.running["host"].says("Waiting for a guest")
        await game.join()
        await game.running["guest"].says("Joining")
        await stumble(choices)
        await game.kill(*ROLES)
        await game.resume("guest")
        await game.resume("host")
        await game.finish()
    assert heard.contradictions() == []
