"""Seats that a node takes, whoever sits in them."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ataxxd.node.errors import NameInUse
from ataxxd.node.game_run import GameContext
from ataxxd.node.node import Node
from ataxxd.node.profile import open_profile
from ataxxd.session.record import dump_record
from ataxxd.transport.base import Received
from ataxxd_protocol import TOPICS
from tests.memory_broker import MemoryBroker
from tests.unit.node.test_game_finder_bounds import live_offer


@pytest.fixture
def broker() -> MemoryBroker:
    return MemoryBroker()


@pytest.fixture
async def node(tmp_path: Path, broker: MemoryBroker) -> AsyncIterator[Node]:
    async with open_profile(tmp_path) as profile:
        yield Node(
            GameContext(
                profile,
                lambda will: broker.connect(will=will),
                lambda ledger, _: dump_record(ledger),
                print,
            ),
            broker.url,
        )


async def test_who_joins_again_unanswered_repeats_the_same_request(
    node: Node, broker: MemoryBroker
) -> None:
    offer, asked = live_offer(), list[bytes]()
    for _ in range(2):
        async with broker.connect() as host:
            await host.subscribe(TOPICS.out(offer.name, offer.host, node.id))
            with node.join_game(offer) as game:
                running = asyncio.create_task(game.run())
                async for event in host:
                    if isinstance(event, Received):
                        asked.append(event.payload)
                        break
                running.cancel()
                await asyncio.wait({running})
    first, again = asked
    assert first == again, "two requests of one node would prove that it double-dealt"


async def test_nobody_else_has_a_seat_until_it_is_let_go_of(node: Node) -> None:
    offer = live_offer()
    with node.join_game(offer) as game, pytest.raises(NameInUse):
        node.join_game(offer)
    node.resume_game(game.stored).close()
    with node.resume_game(game.stored) as again:
        assert again.offer == offer
