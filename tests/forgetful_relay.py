"""A relay for websockets, which makes a broker lose subscriptions as a RabbitMQ cluster does.

After ``relay.forget()`` nothing that the clients have subscribed to reaches them any more, though
their connections live: not on a second SUBSCRIBE either, which such a broker takes for one that it
has, but only when they have unsubscribed before it.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import Self

from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.typing import Subprotocol

from ataxxd.transport.topics import matches
from tests.faults import Packets, Publish, packed

_PUBLISH, _PUBACK, _SUBSCRIBE, _UNSUBSCRIBE = 3, 4, 8, 10
_MQTT = Subprotocol("mqtt")


class ForgetfulRelay:
    """A relay on 127.0.0.1 to the websocket of a broker.

    Attributes:
        connections: how many there were.
        on_message: called with each message of a client, before the broker has it.
    """

    def __init__(self, broker: str) -> None:
        self.connections = 0
        self.on_message: Callable[[Publish], None] = lambda _message: None
        self._broker = broker
        self._clients: list[_Client] = []
        self._server: Server

    @property
    def url(self) -> str:
        """Address to give to the client."""
        return f"ws://127.0.0.1:{next(iter(self._server.sockets)).getsockname()[1]}/mqtt"

    def forget(self) -> None:
        """Lose all present subscriptions."""
        for client in self._clients:
            client.lost |= client.patterns

    async def __aenter__(self) -> Self:
        self._server = await serve(self._relay, "127.0.0.1", 0, subprotocols=[_MQTT])
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def _relay(self, page: ServerConnection) -> None:
        self.connections += 1
        async with connect(self._broker, subprotocols=[_MQTT], proxy=None) as broker:
            client = _Client(self, page, broker)
            self._clients.append(client)
            try:
                await asyncio.gather(client.to_broker(), client.to_page())
            finally:
                self._clients.remove(client)


class _Client:
    """One connection; what it has subscribed to, and which of that the broker has lost."""

    def __init__(self, relay: ForgetfulRelay, page: Connection, broker: Connection) -> None:
        self.patterns: set[str] = set()
        self.lost: set[str] = set()
        self._relay, self._page, self._broker = relay, page, broker

    async def to_broker(self) -> None:
        """Carry what the client says."""
        packets = Packets()
        with suppress(ConnectionClosed):
            async for data in self._page:
                assert isinstance(data, bytes)
                for kind, flags, body in packets.feed(data):
                    if kind == _PUBLISH:
                        self._relay.on_message(Publish.parse(flags, body))
                    elif kind == _SUBSCRIBE:
                        self.patterns |= set(_topics(body, 1))
                    elif kind == _UNSUBSCRIBE:
                        self.patterns -= set(_topics(body, 0))
                        self.lost -= set(_topics(body, 0))
                await self._broker.send(data)
        await self._broker.close()

    async def to_page(self) -> None:
        """Carry what the broker says, unless the subscription for it is lost."""
        packets = Packets()
        with suppress(ConnectionClosed):
            async for data in self._broker:
                assert isinstance(data, bytes)
                for kind, flags, body in packets.feed(data):
                    if kind == _PUBLISH and not self._wants(Publish.parse(flags, body)):
                        await self._acknowledge(Publish.parse(flags, body))
                    else:
                        await self._page.send(packed(kind, flags, body))
        await self._page.close()

    def _wants(self, message: Publish) -> bool:
        return any(matches(each, message.topic) for each in self.patterns - self.lost)

    async def _acknowledge(self, message: Publish) -> None:
        if message.packet_id is not None:
            await self._broker.send(packed(_PUBACK, 0, message.packet_id.to_bytes(2)))


def _topics(body: bytes, options: int) -> list[str]:
    """The topics of a SUBSCRIBE or an UNSUBSCRIBE, each with so many bytes of options."""
    topics, at = [], 2
    while at < len(body):
        end = at + 2 + int.from_bytes(body[at : at + 2])
        topics.append(body[at + 2 : end].decode())
        at = end + options
    return topics
