"""A mailroom over a connection of its own, for as long as it is wanted."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ataxxd.node.groups import plain_errors
from ataxxd.node.names import NameBook
from ataxxd.node.node import TOPICS
from ataxxd.node.post.cards import card_will
from ataxxd.node.post.mailroom import Mailroom
from ataxxd.node.taken_seat import Connect
from ataxxd_protocol import SigningKey


@asynccontextmanager
async def mailroom(
    connect: Connect,
    key: SigningKey,
    *,
    has_card: bool = False,
    names: NameBook | None = None,
) -> AsyncIterator[Mailroom]:
    """A mailroom that runs while the context is open.

    Args:
        connect: how to reach the broker.
        key: whose letters they are.
        has_card: it puts up a card; otherwise that of another process is left alone.
        names: the nicknames known here; see `Mailroom`.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    will = card_will(TOPICS, key.node) if has_card else None
    async with connect(will) as transport:
        room = Mailroom(transport, key, names=names)
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                running = group.create_task(room.run(), name="mailroom")
                try:
                    yield room
                finally:
                    running.cancel()
