"""MQTT 3.1.1 links for many messages: everything to send in one turn of the loop is one write.

A client library spends a task, a lock and several system calls on each message. A node with a
thousand games, or under a flood, cannot afford that. Websockets are not supported.
"""

import asyncio
import contextlib
import secrets
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from ataxxd.transport import packets
from ataxxd.transport.address import BrokerAddress
from ataxxd.transport.base import Will
from ataxxd.transport.queues import Entry
from ataxxd.transport.reconnecting import LinkLostError, Sink
from ataxxd.transport.refusals import connection_error, explain_loss

_GOODBYE_TIMEOUT = 1.0
# What the codes of a refusal mean; MQTT 3.1.1, section 3.2.2.3.
_REFUSALS = {
    1: "it does not speak MQTT 3.1.1",
    2: "it does not accept our client id",
    3: "server unavailable",
    4: "bad user name or password",
    5: "not authorized",
}
_LAST_ID = 65_535

_Sent: TypeAlias = tuple[Entry, Callable[[Entry], None]]


class DirectLink(asyncio.Protocol):
    """One MQTT connection; implements ``reconnecting.Link``.

    Attributes:
        last_heard_s: when the last packet came from the broker, by the event loop's clock.
    """

    def __init__(
        self,
        sink: Sink,
        *,
        keepalive: int,
        timeout: float,
        max_payload: int,
        qos: int,
        sifts: packets.Sifts | None,
    ) -> None:
        """Create a link that is not open yet.

        Args:
            sink: receives the messages.
            keepalive: seconds of silence after which a ping is sent; after twice that the
                link counts as lost.
            timeout: seconds that the broker may take to answer.
            max_payload: bytes; for a longer message, the sink is told only that it was too long.
            qos: the QoS of subscriptions.
            sifts: decides which messages at QoS 0 are not read.
        """
        self._sink = sink
        self._keepalive = keepalive
        self._timeout = timeout
        self._max_payload = max_payload
        self._qos = qos
        self._decoder = packets.Decoder(max_payload, sifts)
        self._loop = asyncio.get_running_loop()
        self._lost: asyncio.Future[str] = self._loop.create_future()
        self._closed: asyncio.Future[None] = self._loop.create_future()
        self._accepted: asyncio.Future[int] = self._loop.create_future()
        self._transport: asyncio.Transport | None = None
        self._raw: socket.socket | None = None
        self._failure: BaseException | None = None
        self._pending = bytearray()
        self._flushing = False
        self._unacknowledged: dict[int, _Sent] = {}
        self._requests: dict[int, asyncio.Future[tuple[int, ...]]] = {}
        self._last_id = 0
        self.last_heard_s = self._last_sent_s = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None

    async def open(
        self, address: BrokerAddress, will: Will | None, context: ssl.SSLContext | None
    ) -> None:
        """Connect; if that fails, free everything and raise ``TransportError``."""
        try:
            async with asyncio.timeout(self._timeout):
                await self._loop.create_connection(
                    lambda: self,
                    sock=await self._connect_socket(address),
                    ssl=context,
                    server_hostname=address.host if context is not None else None,
                )
                self._write(
                    packets.connect(
                        f"ataxxd{secrets.token_hex(8)}",
                        keepalive=self._keepalive,
                        user=address.user,
                        password=address.password,
                        will=None if will is None else (will.topic, will.payload, will.retain),
                    )
                )
                await wait_for_first(self._accepted, self._lost)
        except (OSError, TimeoutError, UnicodeError) as error:
            self._abort()
            raise connection_error(error, None, address, self._timeout) from None
        except BaseException:
            self._abort()
            raise
        code = self._accepted.result() if self._accepted.done() else None
        if code != 0:
            self._abort()
            answer = None if code is None else _REFUSALS.get(code, f"code {code}")
            # Without TLS, a reset tells no more than a close: the broker hung up.
            cause = self._failure if context is not None else None
            raise connection_error(cause, answer, address, self._timeout)
        self._check_alive()

    def send(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        """Send at once; `on_acknowledged` is called if and when the broker confirms."""
        packet_id = self._next_id()
        self._unacknowledged[packet_id] = (entry, on_acknowledged)
        self._write(packets.publish(entry.topic, entry.payload, packet_id, retain=entry.retain))

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        """Subscribe; returns which patterns were granted. Raises ``LinkLostError``."""
        packet_id = self._next_id()
        codes = await self._request(packet_id, packets.subscribe(patterns, packet_id, self._qos))
        if len(codes) != len(patterns):
            self._end("the broker answered another request than ours")
            raise LinkLostError
        return [code < 0x80 for code in codes]

    async def unsubscribe(self, pattern: str) -> None:
        """Unsubscribe; returns when confirmed. Raises ``LinkLostError``."""
        packet_id = self._next_id()
        await self._request(packet_id, packets.unsubscribe(pattern, packet_id))

    def give_up(self, reason: str) -> None:
        """Treat the link as lost."""
        self._end(reason)

    async def wait_until_lost(self) -> str:
        """Wait until the link is lost; returns the reason for people."""
        return await asyncio.shield(self._lost)

    async def close(self, *, graceful: bool) -> None:
        """Close the link and free its resources, in bounded time."""
        alive = not self._lost.done()
        self._end("closed here")
        if graceful and alive and self._transport is not None:
            self._transport.write(packets.DISCONNECT)
            self._transport.close()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_GOODBYE_TIMEOUT):
                    await asyncio.shield(self._closed)
        self._abort()
        # asyncio closes the socket in the next turn of the loop.
        await asyncio.sleep(0)

    # Callbacks from asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin the MQTT handshake (called by asyncio)."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        wire = transport.get_extra_info("socket")
        if wire is not None:
            raw: socket.socket = wire.dup()
            self._raw = raw
            with contextlib.suppress(OSError):
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def connection_lost(self, exc: Exception | None) -> None:
        """Note the end of the connection (called by asyncio)."""
        self._failure = exc
        self._end(explain_loss(exc))
        if self._raw is not None:
            self._raw.close()
            self._raw = None
        if not self._closed.done():
            self._closed.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Take in bytes from the broker (called by asyncio)."""
        self.last_heard_s = self._loop.time()
        enable_quick_ack(self._raw)
        try:
            for packet in self._decoder.feed(data):
                self._on_packet(packet)
            # At once: until a broker has enough of these it sends nothing more.
            self._flush()
        except packets.MalformedPacketError as error:
            self._end(f"the broker sent {error}")
            self._abort()

    # Connecting, reading and writing

    async def _connect_socket(self, address: BrokerAddress) -> socket.socket:
        """A socket to the first address of a host that answers.

        Each address has an equal share of the time: often only one of IPv6 and IPv4 works.
        """
        places = await self._loop.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)
        failure = OSError("its name has no address")
        for family, kind, protocol, _, place in places:
            wire = socket.socket(family, kind, protocol)
            wire.setblocking(False)
            try:
                async with asyncio.timeout(self._timeout / len(places)):
                    await self._loop.sock_connect(wire, place)
            except OSError as error:  # TimeoutError is one
                wire.close()
                failure = error
            except BaseException:
                wire.close()
                raise
            else:
                return wire
        raise failure

    def _on_packet(self, packet: packets.Packet) -> None:
        match packet:
            case packets.Publish(topic, payload, retain, packet_id):
                if packet_id is not None:
                    self._write(packets.puback(packet_id))
                if not self._lost.done():
                    # The payload was skipped; the sink only needs to see that it is too long.
                    too_long = bytes(self._max_payload + 1)
                    self._sink(topic, too_long if payload is None else payload, retain)
            case packets.Acknowledgement(packet_id, codes):
                self._on_acknowledgement(packet_id, codes)
            case packets.Connack(code) if not self._accepted.done():
                self._accepted.set_result(code)
            case _:
                pass

    def _on_acknowledgement(self, packet_id: int, codes: tuple[int, ...]) -> None:
        if (asked := self._requests.pop(packet_id, None)) is not None:
            if not asked.done():
                asked.set_result(codes)
        elif (sent := self._unacknowledged.pop(packet_id, None)) is not None:
            entry, tell = sent
            if not self._lost.done():
                tell(entry)

    async def _request(self, packet_id: int, request: bytes) -> tuple[int, ...]:
        if self._lost.done():
            raise LinkLostError
        asked: asyncio.Future[tuple[int, ...]] = self._loop.create_future()
        self._requests[packet_id] = asked
        self._write(request)
        try:
            # The keepalive detects a silent broker; a busy one may take its time to answer.
            await wait_for_first(asked, self._lost, within_s=2 * self._keepalive)
            if asked.done():
                return asked.result()
        finally:
            self._requests.pop(packet_id, None)
        self._end("the broker did not answer a request")
        raise LinkLostError

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % _LAST_ID + 1
            if self._last_id not in self._unacknowledged and self._last_id not in self._requests:
                return self._last_id

    def _write(self, data: bytes) -> None:
        if self._transport is None or self._lost.done():
            return
        self._pending += data
        if not self._flushing:
            self._flushing = True
            self._loop.call_soon(self._flush)

    def _flush(self) -> None:
        self._flushing = False
        if not self._pending or self._transport is None or self._transport.is_closing():
            return
        self._last_sent_s = self._loop.time()
        self._transport.write(bytes(self._pending))
        self._pending.clear()

    def _check_alive(self) -> None:
        now = self._loop.time()
        if now - self.last_heard_s > 2 * self._keepalive:
            self._end("the broker no longer answers")
            return
        if max(now - self._last_sent_s, now - self.last_heard_s) >= self._keepalive:
            self._write(packets.PINGREQ)
        self._timer = self._loop.call_later(self._keepalive / 4, self._check_alive)

    def _end(self, reason: str) -> None:
        if not self._lost.done():
            self._lost.set_result(reason)
        if self._timer is not None:
            self._timer.cancel()

    def _abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()


_QUICK_ACK = getattr(socket, "TCP_QUICKACK", None)


def enable_quick_ack(wire: socket.socket | None) -> None:
    """Have the kernel acknowledge at once what has just been read, where it can.

    Mosquitto leaves Nagle's algorithm on: what follows its acknowledgement of our message waits
    until our kernel confirms that, which it delays by 40 ms unless told each time not to.
    """
    if _QUICK_ACK is not None and wire is not None:
        with contextlib.suppress(OSError):
            wire.setsockopt(socket.IPPROTO_TCP, _QUICK_ACK, 1)


async def wait_for_first(*futures: asyncio.Future[Any], within_s: float | None = None) -> None:
    """Wait until one of `futures` is done, or `within_s` seconds have passed."""
    await asyncio.wait(futures, timeout=within_s, return_when=asyncio.FIRST_COMPLETED)
