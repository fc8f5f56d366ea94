"""Programs that do not fit each other find out before the first move, and say who must upgrade."""

import asyncio
from typing import Any

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey, signed
from ataxxd_protocol.messages import Reject
from tests.conformance.games import OTHER_KEY, make_offer
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes
from tests.e2e.rogues import publish_offer, rogue_guest, rogue_host
from tests.time_limits import DEADLINE

ENDLESS = {"expires_ms": 2**52}


@pytest.mark.gate("newer")
@pytest.mark.parametrize(
    ("fields", "texts"),
    [
        ({"v": "1.99"}, ("speaks protocol 1.99, this node 1.2", "upgrade this node")),
        ({"v": "0.9"}, ("speaks protocol 0.9, this node 1.2", "upgrade the host")),
        ({"ruleset": "ataxx/mars"}, ("'ataxx/mars'", "Upgrade ataxxd on this side")),
        ({"ruleset": "chess/fide"}, ("'chess/fide'", "Upgrade ataxxd on this side")),
        ({"start_hash": "0" * 64}, ("start position reads differently", "upgrade the older")),
        ({"start": "x5o/7/2-1-2/7/2-1-2/7/o5x x 00 1"}, ("ataxx/cs61b-2022",)),
        ({"start": "7/7/7/7/7/7/7 x 0 1"}, ("already over",)),
    ],
    ids=["newer", "older", "ruleset", "game", "digest", "spelling", "over"],
)
async def test_an_offer_that_does_not_fit_is_refused_with_what_to_upgrade(
    fields: dict[str, Any], texts: tuple[str, ...], nodes: Nodes
) -> None:
    assert nodes.broker is not None
    await publish_offer(nodes.broker, make_offer(OTHER_KEY, **(ENDLESS | fields)))
    running = await nodes.node("node").run("join", "ourgame", code=ExitCode.INCOMPATIBLE)
    assert '"ourgame" cannot be played here' in str(running.err)
    for text in texts:
        assert text in str(running.err), running.report()


async def test_an_offer_that_does_not_fit_cannot_be_watched_and_is_listed_as_such(
    nodes: Nodes,
) -> None:
    assert nodes.broker is not None
    await publish_offer(nodes.broker, make_offer(OTHER_KEY, **ENDLESS, v="1.99"))
    running = await nodes.node("node").run("watch", "ourgame", code=ExitCode.INCOMPATIBLE)
    assert "upgrade this node" in str(running.err)
    await nodes.node("node").lists("unplayable")


async def test_an_offer_that_somebody_forged_is_not_even_shown(nodes: Nodes) -> None:
    assert nodes.broker is not None
    stranger = SigningKey(b"x" * 32)
    honest = make_offer(OTHER_KEY, **ENDLESS)
    for forged in (
        signed(honest, stranger),
        honest.model_copy(update={"color": "second"}),
        make_offer(stranger, host=OTHER_KEY.node, **ENDLESS),
    ):
        await publish_offer(nodes.broker, forged)
        running = await nodes.node("node").run("games", "--wait", "0.3")
        assert running.out.lines == []
    await nodes.node("node").run("join", "ourgame", "--wait", "0.3", code=ExitCode.NO_SUCH_GAME)


@pytest.mark.parametrize(
    ("join", "code"),
    [
        ({"v": "1.99"}, "handshake/version"),
        ({"ruleset": "ataxx/uai"}, "handshake/ruleset"),
        ({"start_hash": "0" * 64}, "handshake/start"),
    ],
    ids=["version", "ruleset", "start"],
)
async def test_a_host_refuses_a_join_that_does_not_fit_and_keeps_the_seat_free(
    join: dict[str, str], code: str, nodes: Nodes
) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host("ourgame", *AUTO)
    async with asyncio.timeout(DEADLINE), rogue_guest(nodes.broker, **join) as rogue:
        await rogue.until(lambda: bool(rogue.heard))
        [refusal] = rogue.heard
    assert isinstance(refusal, Reject)
    assert refusal.code == code
    await nodes.node("guest").run("join", "ourgame", *AUTO)
    await host.ends()


async def test_a_guest_that_is_refused_says_why_and_has_nothing_to_resume(nodes: Nodes) -> None:
    assert nodes.broker is not None
    async with asyncio.timeout(2 * DEADLINE), rogue_host(nodes.broker) as rogue:
        # A host of a program that asks for more than this one's rules do.
        rogue.session.receive = lambda message, timing=None: []  # type: ignore[method-assign]
        guest = await nodes.node("guest").start("join", "ourgame", *AUTO)
        await rogue.until(lambda: bool(rogue.heard))
        join = rogue.heard[0]
        assert rogue.session.role is Role.HOST
        refusal = {
            "game": rogue.session.ledger.game,
            "from": rogue.key.node,
            "to": getattr(join, "author", ""),
            "join": getattr(join, "digest", ""),
            "code": "handshake/version",
            "reason": "the guest must upgrade",
        }
        await rogue.publish(signed(Reject.model_validate(refusal), rogue.key))
        await guest.ends(ExitCode.INCOMPATIBLE)
    assert "the host refused: the guest must upgrade" in str(guest.err)
    await nodes.node("guest").run("resume", code=ExitCode.NO_SUCH_GAME)
