"""A spectator that keeps the raw payloads of a broker and judges what was said twice."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from ataxxd_protocol import MalformedMessage, decode
from ataxxd_protocol.messages import LogMessage


class Recording:
    """Everything that was published while it ran, as far as the broker passed it on.

    Attributes:
        messages: topics and payloads, in the order of arrival.
    """

    def __init__(self) -> None:
        self.messages: list[tuple[str, bytes]] = []

    def log_messages(self) -> list[LogMessage]:
        """The messages of mailboxes among them."""
        found: list[LogMessage] = []
        for _, payload in self.messages:
            with suppress(MalformedMessage):
                message = decode(payload)
                if isinstance(message, LogMessage):
                    found.append(message)
        return found

    def contradictions(self) -> list[tuple[LogMessage, LogMessage]]:
        """Pairs of different messages that one author published under one number."""
        first: dict[tuple[str, str, int], LogMessage] = {}
        return [
            (known, message)
            for message in self.log_messages()
            if (
                known := first.setdefault((message.game, message.author, message.n), message)
            ).digest
            != message.digest
        ]


@asynccontextmanager
async def recording(url: str) -> AsyncIterator[Recording]:
    """Record the broker at `url`; stays, and reconnects, while the context is open."""
    made = Recording()

    async def collect(transport: MqttTransport) -> None:
        async for event in transport:
            if isinstance(event, Received):
                made.messages.append((event.topic, event.payload))

    async with MqttTransport(url, backoff=Backoff(first=0.02, ceiling=0.05)) as transport:
        await transport.subscribe("ataxxd/#")
        task = asyncio.create_task(collect(transport), name="recording")
        try:
            yield made
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


async def retained(url: str, pattern: str = "ataxxd/#") -> dict[str, bytes]:
    """What the broker keeps under `pattern` right now."""
    kept: dict[str, bytes] = {}
    async with MqttTransport(url) as transport:
        await transport.subscribe(pattern)
        # Subscribed later, so it comes after everything retained.
        await transport.subscribe("tests/end")
        await transport.publish("tests/end", b"")
        async for event in transport:
            if isinstance(event, Received):
                if event.topic == "tests/end":
                    break
                if event.retained:
                    kept[event.topic] = event.payload
    return kept
