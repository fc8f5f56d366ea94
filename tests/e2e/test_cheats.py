"""A peer that breaks the rules loses, and whoever asks can check why."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.roles import Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import Move
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import DEADLINE, Nodes
from tests.e2e.rogues import Rogue, rogue_guest, rogue_host


async def a_jump_too_far(rogue: Rogue) -> None:
    jump = "a7a2" if rogue.session.role is Role.HOST else "a1a6"
    await rogue.cheat(move=jump, position="0" * 64)


async def another_position(rogue: Rogue) -> None:
    await rogue.cheat(position="0" * 64)


async def a_ply_left_out(rogue: Rogue) -> None:
    await rogue.cheat(ply=99)


async def two_moves_under_one_number(rogue: Rogue) -> None:
    before = rogue.session.ledger.copy()
    await rogue.move()
    await rogue.until(lambda: rogue.on_turn)
    other = before.position.legal_moves[1]
    fields = before.predict(rogue.session.role, "move", other.text)
    await rogue.publish(
        signed(Move.model_validate(fields | {"move": other.text, "elapsed_ms": 1}), rogue.key)
    )


Cheat: TypeAlias = Callable[[Rogue], Awaitable[None]]

CHEATS: dict[Cheat, tuple[str, str]] = {
    a_jump_too_far: ("illegal-move", "is 5 rows away; the limit is 2"),
    another_position: ("desync", "is not what the"),
    a_ply_left_out: ("protocol-violation", "number 99"),
    two_moves_under_one_number: ("double-dealing", "two different messages number"),
}


@pytest.mark.parametrize("cheat", CHEATS, ids=lambda cheat: cheat.__name__)
@pytest.mark.parametrize("role", ["host", "guest"])
async def test_a_cheat_loses_and_the_proof_convinces_anybody(
    role: str, cheat: Cheat, nodes: Nodes
) -> None:
    assert nodes.broker is not None
    termination, words = CHEATS[cheat]
    victim = nodes.node("victim")
    async with asyncio.timeout(2 * DEADLINE):
        if role == "host":
            async with rogue_host(nodes.broker) as rogue:
                running = await victim.start("join", "ourgame", *AUTO)
                await break_the_rules(rogue, cheat)
        else:
            running = await victim.host("ourgame", *AUTO)
            async with rogue_guest(nodes.broker) as rogue:
                await break_the_rules(rogue, cheat)
    await running.ends(ExitCode.CHEATING_PROVED)
    assert "Your opponent broke the rules" in str(running.err)
    assert words in str(running.err)
    assert running.out.lines[-1] == ("* Blue wins." if role == "host" else "* Red wins.")

    [proof] = (victim.home / "evidence").iterdir()
    assert f"ataxxd verify {proof}" in str(running.err)
    judged = await nodes.node("anybody").run("verify", proof, "--json")
    verdict = json.loads(judged.out.lines[0])
    assert verdict["termination"] == termination
    assert verdict["score"] == ("0-1" if role == "host" else "1-0")
    assert words in verdict["fault"]
    assert "by the " + role in str((await nodes.node("anybody").run("verify", proof)).out)


async def break_the_rules(rogue: Rogue, cheat: Cheat) -> None:
    """Play a move each by the rules, then cheat, and stay until both scores are in."""
    await rogue.until(lambda: rogue.on_turn)
    await rogue.move()
    await rogue.until(lambda: rogue.on_turn)
    await cheat(rogue)
    await rogue.until(lambda: rogue.session.ledger.phase.value == "closed")


async def test_a_spectator_sees_the_cheat_too(nodes: Nodes) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host("ourgame", *AUTO)
    watch = await nodes.node("watch").start("watch", "ourgame", "--json")
    async with asyncio.timeout(2 * DEADLINE), rogue_guest(nodes.broker) as rogue:
        await break_the_rules(rogue, a_jump_too_far)
    await host.ends(ExitCode.CHEATING_PROVED)
    await watch.ends(ExitCode.CHEATING_PROVED)
    end = json.loads(await watch.prints('"event": "end"'))
    assert end["termination"] == "illegal-move"
    assert end["fault_by"] == "guest"
