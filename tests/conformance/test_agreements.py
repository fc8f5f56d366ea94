"""Real nodes ask each other, talk, and claim what the offer allows."""

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from ataxxd.rules import Outcome, Side
from ataxxd.session.events import Asked, Closed, MayClaim, Moved, Over, Said, Started, TakenBack
from ataxxd.session.record import Standing, dump_record
from ataxxd_protocol.messages import Offer
from tests.conformance.games import make_offer
from tests.conformance.nodes import Hall, Node, hall, playing

BLINK_MS = 40


def an_offer(**terms: Any) -> Offer:
    """An offer made now, from the start position."""
    now = time.time_ns() // 1_000_000
    return make_offer(created_ms=now, expires_ms=now + 600_000, **terms)


async def first_move(node: Node) -> None:
    """Play the first legal move when it is our turn."""
    await node.runtime.play(node.runtime.session.ledger.position.legal_moves[0])


async def closed(here: Hall) -> list[Closed]:
    """Wait until both nodes have signed the result."""
    events = await asyncio.gather(here.host.until(Closed), here.guest.until(Closed))
    records = {dump_record(node.runtime.session.ledger) for node in (here.host, here.guest)}
    assert len(records) == 1
    return [event for event in events if isinstance(event, Closed)]


@pytest.mark.requirement("MP-CLAIM-2", "MP-CLAIM-5")
async def test_a_node_claims_by_itself_where_it_may(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer(grace_ms=BLINK_MS), claims=True) as here:
        async with playing(here.host, here.guest):
            await here.host.until(Started)
            await first_move(here.host)
            ended = await here.guest.until(Over)
            assert ended == Over(Outcome("abandoned", Side.FIRST), None)
            await closed(here)
        claim = here.guest.runtime.session.ledger.claim
        assert claim is not None
        assert claim.waited_ms >= BLINK_MS


@pytest.mark.requirement("MP-CLAIM-2")
async def test_a_person_is_told_that_it_may_claim_and_decides(tmp_path: Path) -> None:
    async with (
        hall(tmp_path, an_offer(grace_ms=BLINK_MS)) as here,
        playing(here.host, here.guest),
    ):
        await here.host.until(Started)
        await first_move(here.host)
        await here.host.until(MayClaim)
        assert here.host.runtime.session.ledger.outcome is None
        await here.host.runtime.claim()
        await closed(here)
        assert here.guest.runtime.session.ledger.outcome == Outcome("abandoned", Side.FIRST)


@pytest.mark.requirement("MP-CLAIM-3")
async def test_a_fallen_flag_is_always_claimed(tmp_path: Path) -> None:
    clock = {"move_ms": BLINK_MS, "lag_ms": BLINK_MS}
    async with (
        hall(tmp_path, an_offer(clock=clock)) as here,
        playing(here.host, here.guest),
    ):
        await here.host.until(Started)
        ended = await here.host.until(Over)
        assert ended == Over(Outcome("time", Side.SECOND), None)
        for event in await closed(here):
            assert event.standing in (Standing.AGREED, Standing.CONTESTED)


@pytest.mark.requirement("MP-BACK-1", "MP-CHAT-1")
async def test_players_talk_and_agree_on_a_takeback(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here, playing(here.host, here.guest):
        await here.host.until(Started)
        await first_move(here.host)
        await here.guest.until(Moved)
        await here.host.runtime.say("Oh no, may I?")
        assert await here.guest.until(Said) == Said(Side.FIRST, "Oh no, may I?")
        await here.host.runtime.carry_out(here.host.runtime.session.ask("takeback"))
        assert await here.guest.until(Asked) == Asked(Side.FIRST, "takeback")
        await here.guest.runtime.carry_out(here.guest.runtime.session.agree())
        await here.host.until(TakenBack)
        assert here.host.runtime.session.ledger.moves == ()
        await first_move(here.host)
        await here.guest.until(Moved)


@pytest.mark.requirement("MP-SYNC-7")
async def test_a_host_that_answers_a_claim_learns_that_its_answer_arrived(tmp_path: Path) -> None:
    offer = an_offer(color="second", grace_ms=BLINK_MS)
    async with hall(tmp_path, offer, claims=True) as here:
        async with asyncio.TaskGroup() as group:
            for node in (here.host, here.guest):
                group.create_task(node.run(), name=f"{node.role}")
            await here.guest.until(Started)
            await first_move(here.guest)
        assert here.host.runtime.is_settled
        assert here.guest.runtime.is_settled
