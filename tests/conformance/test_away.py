"""Players who are never there at the same time, as nodes at a broker in memory."""

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ataxxd.session.events import MayClaim
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd.transport.base import Received
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import Offer, Sync, Unread
from tests.conformance.games import (
    GUEST_KEY,
    HOST_KEY,
    OTHER_KEY,
    SHORT_ENDGAME,
    Pair,
    forge,
    make_offer,
)
from tests.conformance.nodes import TOPICS, Node, announcer, hall, playing
from tests.memory_broker import Carried, MemoryBroker


@asynccontextmanager
async def alone(
    broker: MemoryBroker, folder: Path, offer: Offer, role: Role
) -> AsyncIterator[Node]:
    """A player that comes back while the other is away, and leaves properly."""
    speaker = announcer(offer, role)
    async with broker.connect(will=speaker.will) as line:
        node = Node.make(folder, role, speaker, line)
        try:
            async with playing(node):
                yield node
                await node.runtime.leave()
        finally:
            node.journal.close()


async def a_turn(node: Node) -> None:
    """Read what was left, and make a move if it is our turn."""
    ledger = node.runtime.session.ledger
    while ledger.outcome is None and ledger.on_turn is not node.role:
        await node.runtime.events.get()
    if ledger.outcome is None:
        await node.runtime.play(ledger.position.legal_moves[0])


async def ended(node: Node) -> None:
    """Wait until the player has nothing more to do in the game."""
    while await node.runtime.events.get() is not None:
        pass


def check_said_first(said: Sequence[Carried], node: Node) -> None:
    """What a player left, it has published on its mailbox before."""
    name, host, writer = node.offer.name, node.offer.host, node.runtime.session.node
    heard: set[bytes] = set()
    for carried in said:
        if carried.topic == TOPICS.out(name, host, writer):
            heard.add(carried.payload)
        elif carried.payload and carried.topic == TOPICS.unread(name, host, writer):
            left = decode(carried.payload)
            assert isinstance(left, Unread)
            assert {encode(message) for message in left.messages} <= heard


def left_by(broker: MemoryBroker, node: Node) -> bytes:
    """What lies at the broker of what a player has said; empty for nothing."""
    name, host, writer = node.offer.name, node.offer.host, node.runtime.session.node
    return broker.retained.get(TOPICS.unread(name, host, writer), b"")


@pytest.mark.requirement("MP-AWAY-1", "MP-AWAY-2")
async def test_a_game_is_played_by_who_is_never_there_with_the_other(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    offer = make_offer(start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000)
    async with hall(tmp_path, offer) as there, playing(there.host, there.guest):
        while there.guest.runtime.session.ledger.phase is not Phase.PLAYING:
            await there.guest.runtime.events.get()
        await there.host.runtime.leave()
        await there.guest.runtime.leave()
    broker, last, ledger = there.broker, Role.GUEST, there.guest.runtime.session.ledger
    for turn in range(8):
        role, before = (Role.HOST, Role.GUEST)[turn % 2], len(broker.log)
        async with alone(broker, tmp_path, offer, role) as node:
            await a_turn(node)
            ledger, last = node.runtime.session.ledger, role
        check_said_first(broker.log[before:], node)
        if ledger.phase is Phase.CLOSED:
            break
        unread = decode(left_by(broker, node))
        assert isinstance(unread, Unread)
        assert unread.messages[-1] == ledger.log(role)[-1]
    record = dump_record(ledger)
    assert verify_record(record).standing is Standing.AGREED
    # Who spoke last has left it there; once the other has been there nothing is left.
    for role in (last.other, last):
        async with alone(broker, tmp_path, offer, role) as node:
            while not node.runtime.is_settled:
                await node.runtime.events.get()
        assert dump_record(node.runtime.session.ledger) == record
        assert left_by(broker, node) == b""


@pytest.mark.requirement("MP-AWAY-4")
async def test_a_host_that_wrote_last_learns_later_that_it_has_arrived(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    offer = make_offer(start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000, grace_ms=1)
    async with hall(tmp_path, offer) as there, playing(there.host, there.guest):
        while there.guest.runtime.session.ledger.phase is not Phase.PLAYING:
            await there.guest.runtime.events.get()
        await there.host.runtime.leave()
        await there.guest.runtime.leave()
    broker = there.broker
    async with alone(broker, tmp_path, offer, Role.GUEST) as node:
        await node.until(MayClaim)
        await node.runtime.claim()
    async with alone(broker, tmp_path, offer, Role.HOST) as node:
        while node.runtime.session.ledger.phase is not Phase.CLOSED:
            await node.runtime.events.get()
        assert node.runtime.session.ledger.entries[-1].by == "host"
        assert not node.runtime.is_settled
    async with alone(broker, tmp_path, offer, Role.GUEST) as guest:
        await ended(guest)
    assert guest.runtime.is_settled
    assert isinstance(decode(left_by(broker, guest)), Sync)
    async with alone(broker, tmp_path, offer, Role.HOST) as node:
        await ended(node)
    assert node.runtime.is_settled
    record = dump_record(node.runtime.session.ledger)
    assert record == dump_record(guest.runtime.session.ledger)


@pytest.mark.requirement("MP-AWAY-4")
async def test_who_was_there_at_the_end_finds_no_receipt(tmp_path: Path) -> None:
    now = time.time_ns() // 1_000_000
    offer = make_offer(start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000, grace_ms=1)
    async with hall(tmp_path, offer) as there, playing(there.host, there.guest):
        await there.guest.until(MayClaim)
        await there.guest.runtime.claim()
        for node in (there.host, there.guest):
            await ended(node)
            assert node.runtime.is_settled
    assert there.host.runtime.session.ledger.entries[-1].by == "host"
    assert left_by(there.broker, there.guest) == b""


@pytest.mark.requirement("MP-AWAY-2")
def test_what_somebody_else_has_put_together_is_ignored() -> None:
    pair, late = Pair.started(), Pair.started()
    assert late.guest.ledger.entries == pair.guest.ledger.entries
    pair.play("a7b6")
    said = pair.host.ledger.log(Role.HOST)
    unread = forge(
        Unread(game=pair.offer.digest, author=HOST_KEY.node, messages=tuple(said)), HOST_KEY
    )
    for other in (
        forge(unread, OTHER_KEY),
        forge(unread, HOST_KEY, game="0" * 64),
    ):
        assert late.guest.receive(other) == []
    late.guest.receive(decode(encode(unread)))
    assert late.guest.ledger.moves == pair.host.ledger.moves
    # Once more it says nothing new.
    assert late.guest.receive(unread) == []


@pytest.mark.requirement("MP-AWAY-3")
@pytest.mark.parametrize("kept", [True, False])
async def test_only_who_has_a_seat_of_its_own_leaves_its_join(tmp_path: Path, kept: bool) -> None:
    now = time.time_ns() // 1_000_000
    access = {"access": GUEST_KEY.node} if kept else {}
    offer = make_offer(start=SHORT_ENDGAME, created_ms=now, expires_ms=now + 600_000, **access)
    broker = MemoryBroker()
    async with broker.connect() as ear:
        await ear.subscribe(TOPICS.out(offer.name, offer.host, GUEST_KEY.node))
        async with alone(broker, tmp_path, offer, Role.GUEST) as node:
            await anext(event async for event in ear if isinstance(event, Received))
    left = left_by(broker, node)
    assert bool(left) == kept
    if kept:
        async with alone(broker, tmp_path, offer, Role.HOST) as host:
            while host.runtime.session.ledger.phase is not Phase.PLAYING:
                await host.runtime.events.get()
