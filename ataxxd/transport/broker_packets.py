"""How the embedded broker reads: each packet whole, none too long, and each client in its turn."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from amqtt.adapters import ReaderAdapter  # type: ignore[import-untyped]

from ataxxd.transport.broker_bounds import Bounds
from ataxxd.transport.broker_web import FrameReader
from ataxxd.transport.sharing import Pace

# The type of a packet.
_PUBLISH = 3
_log = logging.getLogger(__name__)


class Packets(ReaderAdapter):  # type: ignore[misc] # amqtt carries no types
    """What a client sends, for amqtt to read, packet by packet: each whole, and none too long."""

    def __init__(
        self,
        reader: asyncio.StreamReader | FrameReader,
        transport: asyncio.WriteTransport,
        bounds: Bounds,
        pace: Pace | None,
    ) -> None:
        self._reader = reader
        self._transport = transport
        self._bounds = bounds
        self._pace = pace
        self._packet = b""
        self._at = 0
        self._running = 0
        self._room = asyncio.Event()
        self._room.set()

    @property
    def closed(self) -> bool:
        """Whether the connection is, or is being."""
        return self._transport.is_closing()

    def hang_up(self) -> None:
        """Close the connection at once, whatever was still to be sent."""
        self._transport.abort()

    def feed_eof(self) -> None:
        """There is nothing more to read."""
        self._reader.feed_eof()

    def counted(
        self, handle: Callable[[Any], Awaitable[None]]
    ) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """What handles a packet, counted: amqtt starts a task for each, however many there are."""

        async def run(work: Awaitable[None]) -> None:
            try:
                await work
            finally:
                self._running -= 1
                self._room.set()

        def begin(packet: Any) -> Coroutine[Any, Any, None]:
            self._running += 1
            return run(handle(packet))

        return begin

    async def read(self, n: int = -1) -> bytes:
        """The next bytes; a packet's fields do not reach into the next packet."""
        if n == 0:
            return b""
        if self._at == len(self._packet):
            await self._next()
        left = len(self._packet) - self._at
        if n > left:
            self.hang_up()
            raise ConnectionResetError
        part = self._packet[self._at : None if n < 0 else self._at + n]
        self._at += len(part)
        return part

    async def _next(self) -> None:
        # A turn of the loop for each: whoever sends without a pause is not served alone.
        await asyncio.sleep(0)
        while self._running >= self._bounds.requests:
            self._room.clear()
            await self._room.wait()
        head = await self._reader.readexactly(2)
        while head[-1] & 0x80 and len(head) < 5:
            head += await self._reader.readexactly(1)
        length = sum((digit & 0x7F) << 7 * place for place, digit in enumerate(head[1:]))
        second_qos = head[0] >> 4 == _PUBLISH and head[0] & 0x04
        if length > self._bounds.packet or second_qos:
            _log.debug("embedded broker: a packet of %d bytes, or of QoS 2", length)
            self.hang_up()
            raise ConnectionResetError
        if self._pace is not None and head[0] >> 4 == _PUBLISH:
            await self._pace.next()
        self._packet, self._at = head + await self._reader.readexactly(length), 0
