"""The embedded broker for browsers: MQTT in websockets, and the files of a page at the same port.

Plain http, for a local network: nobody certifies the address of a machine at home. What clients
can make it hold counts together with what they hold of the broker's other listener.
"""

import asyncio
import contextlib
import ipaddress
import logging
import ssl
from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any, Protocol
from urllib.parse import urlsplit

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from ataxxd.transport.address import DEFAULT_WEBSOCKET_PATH
from ataxxd.transport.broker_bounds import Bounds

_TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
}
# Frames that wait to be read; whoever sends more is not read meanwhile.
_WAITING_FRAMES = 1
_log = logging.getLogger(__name__)
# The library's own, which reports every client that goes away with a traceback.
_silent = logging.getLogger(f"{__name__}.websockets")
_silent.setLevel(logging.CRITICAL + 1)


class Gate(Protocol):
    """Who may connect."""

    def admit(self, address: str) -> bool:
        """Count one more connection of an address, unless there are too many."""
        ...

    def leave(self, address: str) -> None:
        """Count one fewer."""


class FrameReader:
    """The bytes inside a websocket's frames, wherever they are cut."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._bytes = bytearray()

    async def readexactly(self, n: int) -> bytes:
        """So many bytes.

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
        """See `asyncio.StreamReader`; the websocket knows by itself."""


class FrameWriter:
    """Puts what is written into frames."""

    def __init__(self, connection: ServerConnection) -> None:
        self._connection = connection
        self._bytes = bytearray()

    def write(self, data: bytes) -> None:
        """Take bytes, to be sent by `drain`."""
        self._bytes += data

    async def drain(self) -> None:
        """Send them in one frame, and wait while the client does not take them.

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
        """Never any."""
        return None

    async def close(self) -> None:
        """Close the connection in the websocket's way."""
        await self._connection.close()


async def listen(
    host: str,
    port: int,
    files: Mapping[str, bytes],
    gate: Gate,
    bounds: Bounds,
    handle: Callable[[ServerConnection], Awaitable[None]],
) -> Server:
    """Listen for browsers.

    Args:
        host: the address to listen at.
        port: to listen on; 0 lets the system choose.
        files: of the page, by their names.
        gate: who may connect.
        bounds: of what clients can make it hold.
        handle: gets each client's websocket.

    Raises:
        OSError: nothing can listen there.
    """

    def connection(*arguments: Any, **options: Any) -> ServerConnection:
        return _Gated(gate, *arguments, **options)

    return await serve(
        handle,
        host,
        port,
        create_connection=connection,  # type: ignore[arg-type] # any callable does
        subprotocols=[Subprotocol("mqtt")],
        compression=None,
        process_request=lambda _, request: _answer(request, files),
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

    def __init__(self, gate: Gate, *arguments: Any, **options: Any) -> None:
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


def _answer(request: Request, files: Mapping[str, bytes]) -> Response | None:
    """The answer to a request; None for one that opens a websocket."""
    path = request.path.partition("?")[0]
    if path == DEFAULT_WEBSOCKET_PATH:
        origin = request.headers.get("Origin")
        host = request.headers.get("Host")
        # A server with TLS in front of us passes on what is ours; a name alone could be anybody's.
        if origin is None or origin == f"https://{host}" or _is_near(origin, host):
            return None
        return _response(HTTPStatus.FORBIDDEN, b"Pages from elsewhere may not use this broker.\n")
    name = path.removeprefix("/") or "index.html"
    if (content := files.get(name)) is not None:
        return _response(HTTPStatus.OK, content, _TYPES.get(name[name.rfind(".") :]))
    return _response(HTTPStatus.NOT_FOUND, b"There is no such page here.\n")


def _is_near(origin: str, asked: str | None) -> bool:
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
