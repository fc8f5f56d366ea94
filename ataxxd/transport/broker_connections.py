"""The connections of the embedded broker: what clients can make it hold, and how it reads them.

Packets are read whole and up to a limit, and clients take turns. Of what is scarce, each address
has a share, so that one machine cannot crowd out the others. Browsers speak MQTT in websockets, and
find the files of a page at the same port. That is plain http, for a local network: nobody
certifies the address of a machine at home.
"""

import asyncio
import contextlib
import gzip
import ipaddress
import logging
import ssl
from collections import Counter, OrderedDict, deque
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

from amqtt.adapters import ReaderAdapter  # type: ignore[import-untyped]
from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from ataxxd.transport.address import DEFAULT_WEBSOCKET_PATH


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits on what clients can make the broker hold.

    Limits per address keep one machine from using up what others need.

    Attributes:
        packet: bytes of a packet; a client that announces a longer one is disconnected unread.
        topic: bytes of a topic or filter.
        levels: levels of a topic or filter.
        connections: connections at once from all addresses.
        connections_of_address: connections at once from one address.
        connect_s: seconds within which a new connection must send CONNECT.
        silence_s: the longest silence in seconds, whatever keepalive the client asks for.
        subscriptions: subscriptions of all clients.
        subscriptions_of_address: subscriptions of all clients at one address.
        requests: a client's requests being carried out; with more, reading from it stops.
        messages_at_once: the burst of messages read from another machine.
        messages_per_s: the rate in the long run; beyond it, reading from that machine waits.
        in_turn: a client's messages in the queue to be passed on; addresses take turns, and so do
            the clients of each.
        retained: bytes of retained messages; beyond it, the oldest of the address with the most
            is dropped.
        retained_least: the least bytes that each counts for, which limits their number.
        waiting: messages waiting for one client; beyond it, each sending address has only its
            share, and the rest is lost to that client.
        waiting_bytes: the same in bytes.
        waiting_in_all: bytes waiting for all clients; beyond it, each client has only its share.
        share: an address's share in messages.
        waiting_share: a share in bytes.
        slow_s: seconds within which a client must take a message; else it is disconnected.
    """

    packet: int = 20 * 1024
    topic: int = 256
    levels: int = 16
    connections: int = 256
    connections_of_address: int = 64
    connect_s: float = 10.0
    silence_s: int = 300
    subscriptions: int = 16_384
    subscriptions_of_address: int = 4096
    requests: int = 64
    messages_at_once: int = 1000
    messages_per_s: float = 100.0
    in_turn: int = 8
    retained: int = 32 * 2**20
    retained_least: int = 4096
    waiting: int = 1000
    waiting_bytes: int = 16 * 2**20
    waiting_in_all: int = 64 * 2**20
    share: int = 64
    waiting_share: int = 128 * 1024
    slow_s: float = 30.0


_TYPES = {
    ".css": "text/css; charset=utf-8",
    # The page unpacks it by itself.
    ".gzip": "application/octet-stream",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
}
# Files of other types are small, or compressed already.
_PACKED = {".css", ".html", ".js"}
# Sent as a header with every file, since workers take their policy only from a header.
_POLICY_FILE = "content-security-policy.txt"
# Unread frames to keep for a websocket; while there are more, its socket is not read.
_WAITING_FRAMES = 1
_log = logging.getLogger(__name__)
# For the library, which logs a traceback for every client that goes away.
_silent = logging.getLogger(f"{__name__}.websockets")
_silent.setLevel(logging.CRITICAL + 1)


class ConnectionLimit(Protocol):
    """Limits the number of connections."""

    def admit(self, address: str) -> bool:
        """Count one more connection of an address, unless there are too many."""
        ...

    def leave(self, address: str) -> None:
        """Count one connection fewer."""


class FrameReader:
    """Reads the bytes in a websocket's frames as one stream."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._bytes = bytearray()

    async def readexactly(self, n: int) -> bytes:
        """Read exactly so many bytes.

        Raises:
            IncompleteReadError: the connection is closed, or sends text.
        """
        while len(self._bytes) < n:
            try:
                frame = await self._connection.recv()
            except ConnectionClosed:
                frame = ""
            if isinstance(frame, str):
                raise asyncio.IncompleteReadError(bytes(self._bytes), n)
            self._bytes += frame
        found = bytes(self._bytes[:n])
        del self._bytes[:n]
        return found

    def feed_eof(self) -> None:
        """Do nothing: the websocket itself notes the end of the input."""


class FrameWriter:
    """Writes bytes to a websocket in frames."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._bytes = bytearray()

    def write(self, data: bytes) -> None:
        """Buffer bytes until `drain`."""
        self._bytes += data

    async def drain(self) -> None:
        """Send the buffered bytes in one frame, and wait until the client takes them.

        Raises:
            ConnectionResetError: the connection is closed.
        """
        frame, self._bytes = bytes(self._bytes), bytearray()
        if frame:
            try:
                await self._connection.send(frame)
            except ConnectionClosed:
                raise ConnectionResetError from None

    def get_peer_info(self) -> tuple[str, int] | None:
        """The client's address and port."""
        peer = self._connection.remote_address
        return None if peer is None else (peer[0], peer[1])

    def get_ssl_info(self) -> ssl.SSLObject | None:
        """None: there is no TLS here."""
        return None

    async def close(self) -> None:
        """Close the connection with the websocket's closing handshake."""
        await self._connection.close()


async def listen(
    host: str,
    port: int,
    files: Mapping[str, bytes],
    gate: ConnectionLimit,
    bounds: Bounds,
    handle: Callable[[ServerConnection], Awaitable[None]],
) -> Server:
    """Listen for browsers.

    Args:
        host: the address to listen on.
        port: the port to listen on; 0 lets the system choose.
        files: the files of the page by name; see `Page`.
        gate: limits the connections.
        bounds: the limits on what clients can make the broker hold.
        handle: called with each client's websocket.

    Raises:
        OSError: nothing can listen there.
    """
    packed = {
        name: gzip.compress(content, mtime=0)
        for name, content in files.items()
        if _suffix(name) in _PACKED
    }

    def connection(*arguments: Any, **options: Any) -> ServerConnection:
        return _Gated(gate, *arguments, **options)

    return await serve(
        handle,
        host,
        port,
        create_connection=connection,  # type: ignore[arg-type] # any callable does
        subprotocols=[Subprotocol("mqtt")],
        compression=None,
        process_request=lambda _, request: _answer(request, files, packed),
        server_header=None,
        open_timeout=bounds.connect_s,
        # MQTT has a keepalive of its own.
        ping_interval=None,
        close_timeout=bounds.slow_s,
        max_size=2 * bounds.packet,
        max_queue=_WAITING_FRAMES,
        logger=_silent,
    )


class _Gated(ServerConnection):
    """A connection that counts from its first byte, not from its first request."""

    def __init__(self, gate: ConnectionLimit, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._gate = gate
        self._address: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        address = transport.get_extra_info("peername", ("",))[0]
        if self._gate.admit(address):
            self._address = address
        else:
            _log.debug("embedded broker: too many connections, also of %s", address)
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        if self._address is not None:
            self._gate.leave(self._address)
            self._address = None


def _suffix(name: str) -> str:
    return name[name.rfind(".") :]


def _answer(
    request: Request, files: Mapping[str, bytes], packed: Mapping[str, bytes]
) -> Response | None:
    """The answer to a request; None for one that opens a websocket."""
    path = request.path.partition("?")[0]
    if path == DEFAULT_WEBSOCKET_PATH:
        origin = request.headers.get("Origin")
        host = request.headers.get("Host")
        # Over https, our own Host is our page behind a TLS proxy; over http, anybody's name could
        # resolve to our address.
        if origin is None or origin == f"https://{host}" or _is_local_origin(origin, host):
            return None
        return _response(HTTPStatus.FORBIDDEN, b"Pages from elsewhere may not use this broker.\n")
    name = path.removeprefix("/") or "index.html"
    if (content := files.get(name)) is not None:
        wanted = ",".join(request.headers.get_all("Accept-Encoding"))
        encoded = name in packed and "gzip" in wanted
        response = _response(
            HTTPStatus.OK, packed[name] if encoded else content, _TYPES.get(_suffix(name))
        )
        if (policy := files.get(_POLICY_FILE)) is not None:
            response.headers["Content-Security-Policy"] = policy.decode().strip()
        # So a page that was opened without a link finds its broker.
        response.headers["Ataxxd-Broker"] = DEFAULT_WEBSOCKET_PATH
        if name in packed:
            response.headers["Vary"] = "Accept-Encoding"
        if encoded:
            response.headers["Content-Encoding"] = "gzip"
        return response
    return _response(HTTPStatus.NOT_FOUND, b"There is no such page here.\n")


def _is_local_origin(origin: str, asked: str | None) -> bool:
    """Whether a page comes from us or this network: by its address, or a name no stranger can have.

    Else any page on the Web could reach the broker through its visitors' browsers.
    """
    with contextlib.suppress(ValueError):
        host = urlsplit(origin).hostname or "."
        with contextlib.suppress(ValueError):
            return not ipaddress.ip_address(host).is_global or origin == f"http://{asked}"
        return "." not in host or host.endswith(".local")
    return False


def _response(status: HTTPStatus, body: bytes, kind: str | None = None) -> Response:
    headers = Headers(
        {
            "Content-Type": kind or "text/plain; charset=utf-8",
            "Content-Length": str(len(body)),
            "Connection": "close",
            "Cache-Control": "no-cache",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
            "X-Frame-Options": "DENY",
        }
    )
    return Response(status.value, status.phrase, headers, body)


class RateLimiter:
    """A rate limiter for all connections of one address: a burst, then a steady rate.

    Args:
        at_once: messages in a burst.
        per_s: messages per second, in the long run.
    """

    __slots__ = ("_ahead_s", "_due_s", "_each_s")

    def __init__(self, at_once: int, per_s: float) -> None:
        self._each_s = 1 / per_s
        self._ahead_s = at_once / per_s
        self._due_s = 0.0

    async def next(self) -> None:
        """Wait until one more message is allowed."""
        now = asyncio.get_running_loop().time()
        self._due_s = max(self._due_s, now) + self._each_s
        if (early_s := self._due_s - now - self._ahead_s) > 0:
            await asyncio.sleep(early_s)


class TurnQueue(asyncio.Queue[dict[str, Any]]):
    """A fair queue of messages: addresses take turns, and so do the clients of each.

    However much one address sends, a message from another waits for only one of its messages. A
    client that has its maximum in the queue waits to add another.

    Args:
        each: the most messages of one client in the queue.
    """

    def __init__(self, each: int) -> None:
        super().__init__()
        self._each = each

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 - bounded by its clients
        self._size = 0
        self._lanes: OrderedDict[str, OrderedDict[int, deque[dict[str, Any]]]] = OrderedDict()

    def qsize(self) -> int:
        """The number of messages."""
        return self._size

    def empty(self) -> bool:
        """Whether it is empty."""
        return not self._size

    async def put(self, item: dict[str, Any]) -> None:
        """Add a message, once its client may add one."""
        if (session := item["session"]) is not None:
            room = session.attributes.setdefault("room", asyncio.Semaphore(self._each))
            await room.acquire()
        await super().put(item)

    def _put(self, item: dict[str, Any]) -> None:
        session = item["session"]
        address = "" if session is None else str(session.remote_address)
        lanes = self._lanes.setdefault(address, OrderedDict())
        lanes.setdefault(id(session), deque()).append(item)
        self._size += 1

    def _get(self) -> dict[str, Any]:
        address, lanes = self._lanes.popitem(last=False)
        client, lane = lanes.popitem(last=False)
        item = lane.popleft()
        if lane:
            lanes[client] = lane
        if lanes:
            self._lanes[address] = lanes
        self._size -= 1
        if item["session"] is not None:
            item["session"].attributes["room"].release()
        return item


class QueuedMessages:
    """The messages queued for one client, in all and per sending address.

    Attributes:
        count: the number of messages.
        bytes: their total size.
        count_of: the number of messages by address.
        bytes_of: their size by address.
    """

    def __init__(self) -> None:
        """Begin with an empty queue."""
        self.count = self.bytes = 0
        self.count_of: Counter[str] = Counter()
        self.bytes_of: Counter[str] = Counter()

    def add(self, address: str, size: int) -> None:
        """Count a message that was queued."""
        self.count += 1
        self.bytes += size
        self.count_of[address] += 1
        self.bytes_of[address] += size

    def remove(self, address: str, size: int) -> None:
        """Count a message that was taken or dropped."""
        self.count -= 1
        self.bytes -= size
        self.count_of[address] -= 1
        self.bytes_of[address] -= size
        if not self.count_of[address]:
            del self.count_of[address], self.bytes_of[address]


class StorageShares:
    """Accounts for stored items by address; if space runs out, the largest user makes room.

    Args:
        most: the most bytes to store.
        least: the least bytes that each item counts for.
    """

    def __init__(self, max_bytes: int, min_share: int) -> None:
        self._max_bytes = max_bytes
        self._min_share = min_share
        self._sizes: dict[str, OrderedDict[str, int]] = {}
        self._owners: dict[str, str] = {}
        self._kept: Counter[str] = Counter()

    def drop(self, name: str) -> None:
        """Remove an item, if it is stored."""
        owner = self._owners.pop(name, None)
        if owner is not None:
            self._kept[owner] -= self._sizes[owner].pop(name)
            if not self._sizes[owner]:
                del self._sizes[owner], self._kept[owner]

    def add(self, owner: str, name: str, size: int) -> list[str]:
        """Add an item; returns the items that must be removed for it."""
        size = max(size, self._min_share)
        self._owners[name] = owner
        self._sizes.setdefault(owner, OrderedDict())[name] = size
        self._kept[owner] += size
        gone = []
        while self._kept.total() > self._max_bytes:
            ((richest, _),) = self._kept.most_common(1)
            oldest = next(iter(self._sizes[richest]))
            self.drop(oldest)
            gone.append(oldest)
        return gone


# The packet type of PUBLISH.
_PUBLISH = 3


class Packets(ReaderAdapter):  # type: ignore[misc] # amqtt carries no types
    """Reads a client's packets for amqtt one by one, each complete and within limits."""

    def __init__(
        self,
        reader: asyncio.StreamReader | FrameReader,
        transport: asyncio.WriteTransport,
        bounds: Bounds,
        limiter: RateLimiter | None,
    ) -> None:
        self._reader = reader
        self._transport = transport
        self._bounds = bounds
        self._limiter = limiter
        self._packet = b""
        self._at = 0
        self._running = 0
        self._room = asyncio.Event()
        self._room.set()

    @property
    def closed(self) -> bool:
        """Whether the connection is closed or closing."""
        return self._transport.is_closing()

    def hang_up(self) -> None:
        """Close the connection at once, without sending what is buffered."""
        self._transport.abort()

    def feed_eof(self) -> None:
        """Note the end of the input."""
        self._reader.feed_eof()

    def count_handlers(
        self, handle: Callable[[Any], Awaitable[None]]
    ) -> Callable[[Any], Coroutine[Any, Any, None]]:
        """Wrap a packet's handler so that handlers are counted: amqtt starts a task for each."""

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
        """Read the next bytes, never beyond the end of the packet."""
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
        # Yield before each packet, so that a client that never pauses does not starve the others.
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
        if self._limiter is not None and head[0] >> 4 == _PUBLISH:
            await self._limiter.next()
        self._packet, self._at = head + await self._reader.readexactly(length), 0
