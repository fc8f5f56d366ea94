"""A mailroom for a command: cards and letters over a connection of its own."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from ataxxd.node.groups import plain_errors
from ataxxd.node.node import TOPICS
from ataxxd.node.post.cards import card_will
from ataxxd.node.post.mailroom import Mailroom
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import SigningKey
from ataxxd_protocol.messages import Card


@asynccontextmanager
async def opened_mailroom(
    url: str, key: SigningKey, *, has_card: bool = False
) -> AsyncIterator[Mailroom]:
    """A mailroom that runs while the context is open.

    Args:
        url: the broker's.
        key: whose letters they are.
        has_card: it puts up a card; otherwise that of another process is left alone.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    will = card_will(TOPICS, key.node) if has_card else None
    async with MqttTransport(url, will=will) as transport:
        room = Mailroom(transport, key)
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                running = group.create_task(room.run(), name="mailroom")
                yield room
                running.cancel()


def card_row(card: Card) -> dict[str, object]:
    """What a card says, for programs; without what proves it."""
    fields = card.fields()
    for name in ("type", "key", "sig", "v", "at_ms"):
        del fields[name]
    return {"node": fields.pop("from"), **fields}
