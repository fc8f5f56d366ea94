"""A peer that breaks the rules loses, and whoever asks can check why."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.player import Times
from ataxxd.session.state import Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import Consent, Move
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes
from tests.e2e.rogues import Rogue, rogue_guest, rogue_host
from tests.time_limits import DEADLINE


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


async def a_claim_of_a_silence_that_was_none(rogue: Rogue) -> None:
    side = "1-0" if rogue.session.role is Role.HOST else "0-1"
    claim = {"reason": "silence", "waited_ms": 1}
    await rogue.move()
    await rogue.sign("score", score=side, termination="abandoned", claim=claim)


async def a_takeback_nobody_agreed_to(rogue: Rogue) -> None:
    ledger = rogue.session.ledger
    own = {"game": ledger.game, "from": rogue.key.node, "what": "takeback", "to": 1}
    consent = signed(Consent.model_validate(own | {"tip": ledger.tip}), rogue.key)
    await rogue.sign("takeback", to=1, consent=consent.fields())


async def an_abort_nobody_agreed_to(rogue: Rogue) -> None:
    await rogue.sign("abort")


async def a_score_before_the_end(rogue: Rogue) -> None:
    side = "1-0" if rogue.session.role is Role.HOST else "0-1"
    await rogue.sign("score", score=side, termination="no-moves")


NEARLY_OVER = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"
Cheat: TypeAlias = Callable[[Rogue], Awaitable[None]]

CHEATS: dict[Cheat, tuple[str, str]] = {
    a_jump_too_far: ("illegal-move", "is 5 rows away; the limit is 2"),
    another_position: ("desync", "is not what the"),
    a_ply_left_out: ("protocol-violation", "number 99"),
    a_claim_of_a_silence_that_was_none: ("protocol-violation", "claimed the game after 0.001 s"),
    a_takeback_nobody_agreed_to: ("protocol-violation", "without the"),
    an_abort_nobody_agreed_to: ("protocol-violation", "without the"),
    a_score_before_the_end: ("protocol-violation", "before the game was over"),
    two_moves_under_one_number: ("double-dealing", "two different messages number"),
}


@pytest.mark.gate("guest-two_moves")
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
    judged = await nodes.node("anybody").run(
        "verify", proof, "--json", code=ExitCode.CHEATING_PROVED
    )
    verdict = json.loads(judged.out.lines[0])
    assert verdict["termination"] == termination
    assert verdict["score"] == ("0-1" if role == "host" else "1-0")
    assert words in verdict["fault"]
    told = await nodes.node("anybody").run("verify", proof, code=ExitCode.CHEATING_PROVED)
    assert "by the " + role in str(told.out)


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


async def test_a_false_score_is_proved_by_its_own_signature(nodes: Nodes) -> None:
    assert nodes.broker is not None
    victim = nodes.node("victim")
    host = await victim.host("ourgame", *AUTO, "--position", NEARLY_OVER)
    async with asyncio.timeout(2 * DEADLINE), rogue_guest(nodes.broker) as rogue:
        rogue.lies_about_the_score = True
        while rogue.session.ledger.outcome is None:
            await rogue.until(lambda: rogue.on_turn or rogue.session.ledger.outcome is not None)
            if rogue.on_turn:
                await rogue.move()
        await rogue.until(lambda: rogue.session.ledger.phase.value == "closed")
    await host.ends(ExitCode.CHEATING_PROVED)
    assert "signed another score than the result" in str(host.err)
    [proof] = (victim.home / "evidence").iterdir()
    judged = await nodes.node("anybody").run(
        "verify", proof, "--json", code=ExitCode.CHEATING_PROVED
    )
    verdict = json.loads(judged.out.lines[0])
    assert verdict["standing"] == "disputed"
    assert verdict["false_scores"] == ["guest"]


async def test_a_fallen_flag_is_in_the_evidence_with_both_sides_figures(nodes: Nodes) -> None:
    assert nodes.broker is not None
    victim = nodes.node("victim")
    host = await victim.host("ourgame", *AUTO, "--clock", "1s")
    async with asyncio.timeout(2 * DEADLINE), rogue_guest(nodes.broker) as rogue:
        # It never moves; the host moves once, which has half a minute of its own.
        rogue.times = Times(1, 1)
        await rogue.until(lambda: rogue.session.ledger.phase.value == "closed")
    await host.ends()
    [proof] = (victim.home / "evidence").iterdir()
    judged = await nodes.node("anybody").run("verify", proof)
    told = str(judged.out)
    assert "(time), contested" in told
    assert "claim   by the host: flag, waited" in told
    assert "the guest says it had the message for 0.001 s" in told
    assert "the guest says the claim came 0.001 s after its own" in told
