"""Whatever is killed, whenever: the game goes on, ends, verifies, and nothing is said twice."""

import asyncio
import random
from pathlib import Path

import pytest

from tests.brokers import Mosquitto
from tests.e2e.crashes import ROLES, RoughGame
from tests.e2e.nodes import Nodes
from tests.e2e.recording import recording


async def stumble(choices: random.Random) -> None:
    """Let a random moment pass, so that kills fall anywhere between two messages."""
    await asyncio.sleep(choices.uniform(0, 0.02))


@pytest.mark.gate("[0]")
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


@pytest.mark.parametrize("seed", range(3))
async def test_a_broker_that_forgets_everything_in_mid_game_stops_nobody(
    seed: int, nodes: Nodes, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    choices = random.Random(seed)
    game = RoughGame(nodes)
    watched = tmp_path / "watch.json"
    async with recording(mosquitto.url) as heard:
        await game.open()
        watch = await nodes.node("watch").start("watch", "ourgame", "--transcript", watched)
        await watch.says("Watching")
        await game.join()
        for last_line in (10, 30):
            watcher = game.running[choices.choice(ROLES)]
            if await watcher.has_printed(choices.randrange(last_line - 9, last_line)):
                await stumble(choices)
                mosquitto.kill()
                # On a busy machine the game may be over by then.
                await game.running["host"].tells("Connection lost")
                mosquitto.start()
        await game.finish()
        await watch.ends()
    assert watched.read_bytes() == game.record("host").read_bytes()
    assert heard.contradictions() == []


@pytest.mark.parametrize("first", ROLES)
async def test_broker_and_both_players_gone_at_once_come_back_in_any_order(
    first: str, nodes: Nodes, mosquitto: Mosquitto
) -> None:
    choices = random.Random(first)
    game = RoughGame(nodes)
    async with recording(mosquitto.url) as heard:
        await game.open()
        await game.join()
        await game.running["host"].has_printed(choices.randrange(5, 25))
        await stumble(choices)
        mosquitto.kill()
        await game.kill(*ROLES)
        mosquitto.start()
        await game.resume(first)
        await game.running[first].says("Continuing")
        # Once more, while only one of them is back.
        mosquitto.kill()
        await game.kill(first)
        mosquitto.start()
        for role in (first, *(role for role in ROLES if role != first)):
            await game.resume(role)
        await game.finish()
    assert heard.contradictions() == []


async def test_a_broker_that_restarts_while_a_host_waits_gets_the_offer_again(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    game = RoughGame(nodes)
    await game.open()
    mosquitto.kill()
    await game.running["host"].says("Connection lost")
    mosquitto.start()
    await game.running["host"].says("Connected again")
    await game.join()
    await game.finish()
