"""Rooms behind HTTP on the loopback interface: files, who may come in, websockets, the server."""

import asyncio
import gzip
import os
import secrets
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from hmac import compare_digest
from pathlib import Path
from typing import Any, Literal

import uvicorn
from pydantic import ValidationError
from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route, WebSocketRoute
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from ataxxd.node.game import Game
from ataxxd.node.open_games import OpenGames
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.study import GameFiles
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.web.channel import MAX_CONNECTIONS, Channel, Connection, Table
from ataxxd_clients.web.lobby import TABLE_LEFT, LobbyRoom
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.study import StudyRoom

STATIC = Path(__file__).parent / "static"
_TYPES = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True)
class _File:
    plain: bytes
    packed: bytes
    tag: str
    media_type: str


def file_response(request: Request, name: str) -> Response:
    """A file of the page; 404 when there is no such file, 304 when the browser has it.

    Args:
        request: the request.
        name: such as ``pieces/discs.js``.
    """
    file = _files().get(name)
    if file is None:
        return Response(status_code=404)
    headers = {"etag": file.tag, "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == file.tag:
        return Response(status_code=304, headers=headers)
    content = file.plain
    if "gzip" in request.headers.get("accept-encoding", ""):
        content = file.packed
        headers["content-encoding"] = "gzip"
    return Response(content, headers=headers, media_type=file.media_type)


async def static_file(request: Request) -> Response:
    """The file that a route's ``name`` names."""
    return file_response(request, request.path_params["name"])


@cache
def _files() -> dict[str, _File]:
    return {
        path.relative_to(STATIC).as_posix(): _file(path.read_bytes(), path.suffix)
        for path in STATIC.rglob("*")
        if path.suffix in _TYPES
    }


def _file(plain: bytes, suffix: str) -> _File:
    tag = f'"{sha256(plain).hexdigest()[:16]}"'
    return _File(plain, gzip.compress(plain, mtime=0), tag, _TYPES[suffix])


# A browser's socket for both versions of IP is listed in the second.
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ROOT = 0


def is_of_other_user(port: int, server_port: int, tables: Iterable[Path] = TABLES) -> bool:
    """Whether a connection is known to belong to another user who is not root.

    Args:
        port: the port at its other end.
        server_port: the port at this end.
        tables: Linux's tables of TCP connections.
    """
    owner = _owner(port, server_port, tables)
    return owner is not None and owner not in (_ROOT, os.getuid())


def _owner(port: int, server_port: int, tables: Iterable[Path]) -> int | None:
    ends = (f"{port:04X}", f"{server_port:04X}")
    for table in tables:
        with suppress(OSError, ValueError, IndexError):
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if tuple(each.rpartition(":")[2] for each in fields[1:3]) == ends:
                    return int(fields[7])
    return None


class Auth:
    """Guards one port by a ticket and a cookie: only the person who started this program gets in.

    Other programs and other people's pages on this machine can reach a loopback port too. Only the
    person is shown a link with a ticket; it is good for one entry, which sets a cookie that no
    script can read. Host and Origin are checked as well, so that no other name for this address
    and no other site can act for the page. If a browser is started with a link, the list of
    processes shows it; then no other user of the machine gets in, where the system can tell.

    Args:
        port: where the server listens on the loopback interface.

    Attributes:
        links_are_visible: whether other users of the machine can see the links.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.links_are_visible = False
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Cookies ignore ports: two programs on one machine must not overwrite each other's.
        self.cookie = f"ataxxd-{port}"
        self.secret = secrets.token_urlsafe(32)
        self._ticket: str | None = None
        self._base = f"http://127.0.0.1:{port}/"

    def link(self) -> str:
        """Make a link that lets one browser in; the previous link becomes invalid."""
        self._ticket = secrets.token_urlsafe(24)
        return f"{self._base}?ticket={self._ticket}"

    @property
    def needs_link(self) -> bool:
        """Whether the last link has been used."""
        return self._ticket is None

    def redeem(self, ticket: str, port: int | None = None) -> bool:
        """Use a ticket up; False if it is invalid, already used, or sent by another user.

        Args:
            ticket: the ticket.
            port: the port it was sent from.
        """
        if self._ticket is None or not _equal(ticket, self._ticket):
            return False
        if self.links_are_visible and port is not None and is_of_other_user(port, self.port):
            return False
        self._ticket = None
        return True

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Whether a request names this server as its host, and not another name that leads here."""
        return headers.get("host", "") in self._hosts

    def knows_page(self, cookies: Mapping[str, str]) -> bool:
        """Whether a request comes from a browser that has redeemed a ticket."""
        return _equal(cookies.get(self.cookie, ""), self.secret)

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether the request is by a script of our own page; browsers always state the origin."""
        return headers.get("origin", "") in {f"http://{host}" for host in self._hosts}


def _equal(one: str, other: str) -> bool:
    return compare_digest(one.encode(), other.encode())


# Websocket close codes (RFC 6455, section 7.4.1; 1013 is IANA's "try again later").
GOING_AWAY, _POLICY, _TRY_LATER = 1001, 1008, 1013
_HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}
_STALE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>ataxxd: this link is used up</title><link rel="stylesheet" href="/static/page.css">
<main class="stale"><h1>This link is used up</h1>
<p>A link lets one browser in, once. The program has written a new one in its
terminal: open that.</p>
</main></html>
"""


def make_app(channel: Channel, auth: Auth, *, print_link: Callable[[str], object]) -> Starlette:
    """Make the web application.

    Args:
        channel: a table, or the lobby with its tables.
        auth: decides who gets in.
        print_link: shows the person a new link, after an old one was tried.
    """

    async def page(request: Request) -> Response:
        return page_response(request, auth, channel.page, print_link)

    async def session(request: Request) -> Response:
        """Whether this browser is still let in; scripts cannot see why a websocket was refused."""
        return Response(status_code=204 if auth.knows_page(request.cookies) else 403)

    async def socket(websocket: WebSocket) -> None:
        if await accept_websocket(websocket, auth):
            await serve_page(channel, websocket)

    routes: list[BaseRoute] = [
        Route("/", page),
        Route("/session", session),
        WebSocketRoute(channel.socket, socket),
    ]
    if isinstance(channel, LobbyRoom):
        routes += _lobby_routes(channel, auth)
    elif isinstance(channel, Table):
        routes.append(_export(channel, auth))
    return guard_routes(auth, routes)


def _export(table: Table, auth: Auth) -> Route:
    async def export(request: Request) -> Response:
        """The game as a file."""
        if not auth.knows_page(request.cookies):
            return Response(status_code=403)
        return await file_download(table, request.path_params["name"])

    return Route("/export/{name}", export)


def _lobby_routes(lobby: LobbyRoom, auth: Auth) -> list[BaseRoute]:
    async def table_page(request: Request) -> Response:
        room = lobby.room(request.path_params["table"])
        if room is None or not auth.knows_page(request.cookies):
            return RedirectResponse("/", status_code=303)
        return file_response(request, room.page)

    async def export(request: Request) -> Response:
        room = lobby.room(request.path_params["table"])
        if room is None or not auth.knows_page(request.cookies):
            return Response(status_code=403)
        return await file_download(room, request.path_params["name"])

    async def table_socket(websocket: WebSocket) -> None:
        if not await accept_websocket(websocket, auth):
            return
        room = lobby.room(websocket.path_params["table"])
        if room is None:
            await websocket.close(GOING_AWAY, TABLE_LEFT)
        else:
            await serve_page(room, websocket)

    return [
        Route("/table/{table}", table_page),
        Route("/table/{table}/export/{name}", export),
        WebSocketRoute("/table/{table}/socket", table_socket),
    ]


def guard_routes(auth: Auth, routes: list[BaseRoute]) -> Starlette:
    """An application with some routes and the static files, behind `auth`."""
    return Starlette(
        routes=[*routes, Route("/static/{name:path}", static_file)],
        middleware=[Middleware(_Guard, auth=auth)],
    )


def page_response(
    request: Request, auth: Auth, page: str, print_link: Callable[[str], object]
) -> Response:
    """The page, for a browser with a ticket or the cookie; else how to get a link."""
    ticket = request.query_params.get("ticket")
    port = None if request.client is None else request.client.port
    if ticket is not None and auth.redeem(ticket, port):
        entered = RedirectResponse("/", status_code=303)
        entered.set_cookie(auth.cookie, auth.secret, httponly=True, samesite="strict", path="/")
        return entered
    if not auth.knows_page(request.cookies):
        if auth.needs_link:
            print_link(auth.link())
        return HTMLResponse(_STALE, status_code=403)
    if ticket is not None:
        return RedirectResponse("/", status_code=303)
    return file_response(request, page)


async def accept_websocket(websocket: WebSocket, auth: Auth) -> bool:
    """Accept a websocket of one of our pages; refuse any other."""
    if auth.knows_origin(websocket.headers) and auth.knows_page(websocket.cookies):
        await websocket.accept()
        return True
    await websocket.close(_POLICY)
    return False


async def file_download(room: Table, notation: str) -> Response:
    """A file with the game, to be saved."""
    try:
        name, content = await room.export(notation)
    except CommandError as error:
        return PlainTextResponse(f"{error}\n", 409)
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


async def serve_page(room: Channel, websocket: WebSocket) -> None:
    """Serve one page, which was let in, until it disconnects or the channel is left."""
    if room.full:
        await websocket.close(_TRY_LATER, "There are too many pages of this kind.")
        return
    with room.connected() as connection:
        tasks = [
            asyncio.create_task(_send(room, connection, websocket), name="page: out"),
            asyncio.create_task(_receive(room, connection, websocket), name="page: in"),
            asyncio.create_task(_wait_until_left(room, connection), name="page: left"),
        ]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            results = await asyncio.gather(*tasks, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                raise result
        # The page may have disconnected at the same moment.
        gone = WebSocketState.DISCONNECTED in (websocket.client_state, websocket.application_state)
        if tasks[2] in done and not gone:
            with suppress(WebSocketDisconnect):
                await websocket.close(GOING_AWAY, _close_reason(room.close_reason))


def _close_reason(text: str) -> str:
    """`text`, as much of it as a websocket's close frame holds (RFC 6455, section 5.5)."""
    octets = text.encode()
    return text if len(octets) <= 123 else octets[:120].decode(errors="ignore") + "…"


async def _send(room: Channel, connection: Connection, websocket: WebSocket) -> None:
    async for text in room.outgoing(connection):
        await websocket.send_text(text)


async def _wait_until_left(room: Channel, connection: Connection) -> None:
    # A page that connects just before the end first learns what it is about.
    await room.left.wait()
    await connection.state_sent.wait()


async def _receive(room: Channel, connection: Connection, websocket: WebSocket) -> None:
    while True:
        try:
            command = room.commands.validate_json(await websocket.receive_text())
        except (ValidationError, KeyError):
            # KeyError: a binary frame. Our pages send neither.
            await websocket.close(_POLICY, "That is not a command of this version.")
            return
        await room.execute(connection, command)


class _Guard:
    """Refuses requests for other hosts, and gives every answer its security headers."""

    def __init__(self, app: ASGIApp, auth: Auth) -> None:
        self._app = app
        self._auth = auth

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers[name] = value
            await send(message)

        if self._auth.knows_host(Headers(scope=scope)):
            await self._app(scope, receive, guarded)
        elif scope["type"] == "websocket":
            await WebSocket(scope, receive, send).close(_POLICY)
        else:
            await Response("This server answers only for itself.", 403)(scope, receive, guarded)


# Every page has one connection, and needs a few more while it loads.
_MAX_CONNECTIONS = 8 * MAX_CONNECTIONS
_GOODBYE_S = 2


async def show_game(
    game: Game,
    *,
    print_line: Callable[[str], object],
    title: str,
    log: Callable[[str], object] | None,
    invitation: Invitation | None,
) -> None:
    """Show a game in the browser until somebody leaves it there.

    Args:
        game: the game, which nothing else may advance meanwhile; until it begins, the pages wait.
        print_line: shows the person the link, which is the only way in.
        title: the game's name; empty without one.
        log: receives every command and move.
        invitation: how others can join or watch; None if they cannot.
    """
    # In an event the opponent is known, and comes without an invitation.
    waits_for = "your opponent" if game.in_event else ""
    room = Room(title=title, log=log, invitation=invitation, waits_for=waits_for)
    ready = "The board of this game is ready." if game.in_event else ""
    await show(room, partial(_run, room, game), print_line=print_line, ready=ready)


async def show_study(
    game: GameRecord, files: GameFiles, *, print_line: Callable[[str], object]
) -> int:
    """Show a study in the browser until somebody leaves it there.

    Args:
        game: the game to study.
        files: reads the games that pages send.
        print_line: shows the person the link, which is the only way in.

    Returns:
        The exit code.

    Raises:
        CommandError: the game is too long.
    """
    room = StudyRoom(game, files)
    await show(room, room.run, print_line=print_line)
    return 0


async def show_lobby(
    lobby: OpenGames, files: GameFiles, *, print_line: Callable[[str], object], port: int = 0
) -> None:
    """Show a lobby in the browser until somebody ends it there.

    Args:
        lobby: the games and players.
        files: reads the games that are studied there.
        print_line: shows the person the link, which is the only way in.
        port: the port to listen on; 0 for a free one.

    Raises:
        OSError: nothing can listen there.
    """
    room = LobbyRoom(lobby, files)
    await show(room, room.run, print_line=print_line, port=port)


async def show(
    channel: Channel,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    print_line: Callable[[str], object],
    ready: str = "",
    port: int = 0,
) -> None:
    """Show something until somebody leaves it, or its work ends.

    Args:
        channel: what to show.
        work: the background work, such as following the game.
        print_line: shows the person the link, which is the only way in.
        ready: the sentence before the link; empty for the channel's own.
        port: the port to listen on; 0 for a free one.
    """
    async with serve_channel(channel, print_line=print_line, port=port) as auth:
        running = asyncio.create_task(work(), name=channel.subject)
        leaving = asyncio.create_task(channel.left.wait(), name="leaving")
        auth.links_are_visible, link = has_browser(), auth.link()
        print_line(f"{ready or channel.ready} Open: {link}")
        try:
            if auth.links_are_visible:
                # Starting a browser may take a while, and may fail.
                await asyncio.to_thread(webbrowser.open, link)
            await asyncio.wait([running, leaving], return_when=asyncio.FIRST_COMPLETED)
        finally:
            channel.left.set()
            leaving.cancel()
            running.cancel()
            results = await asyncio.gather(running, leaving, return_exceptions=True)
        if isinstance(results[0], Exception):
            raise results[0]


async def _run(room: Room, game: Game) -> None:
    if await game.begun():
        room.begin(game)
        await room.run()


@asynccontextmanager
async def serve_channel(
    channel: Channel, *, print_line: Callable[[str], object], port: int = 0
) -> AsyncIterator[Auth]:
    """Serve a channel on the loopback interface, and close its pages at the end.

    Args:
        channel: what to show.
        print_line: shows the person a new link, after an old one was tried.
        port: the port to listen on; 0 for a free one.

    Raises:
        OSError: nothing can listen there.
    """
    listener = socket.create_server(("127.0.0.1", port))
    auth = Auth(listener.getsockname()[1])
    what = f"A new link to the {channel.subject}"
    app = make_app(channel, auth, print_link=lambda link: print_line(f"{what}: {link}"))
    async with running(app, listener, longest_command=channel.longest_command) as server:
        try:
            yield auth
        finally:
            channel.left.set()
            # Give the pages time to be told why: the server closes connections without a reason.
            if tasks := [*server.server_state.tasks]:
                await asyncio.wait(tasks, timeout=_GOODBYE_S)


@asynccontextmanager
async def running(
    app: Starlette,
    listener: socket.socket,
    *,
    longest_command: int = Room.longest_command,
    lifespan: Literal["on", "off"] = "off",
) -> AsyncIterator[uvicorn.Server]:
    """Run a server of an application on a socket, which is closed at the end.

    Args:
        app: the application.
        listener: a socket bound to the loopback interface.
        longest_command: the largest message of a websocket, in bytes.
        lifespan: whether the application has work of its own beside its answers.
    """
    server = _Server(
        uvicorn.Config(
            app,
            ws="websockets-sansio",
            ws_max_size=longest_command,
            limit_concurrency=_MAX_CONNECTIONS,
            lifespan=lifespan,
            log_config=None,
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=_GOODBYE_S,
        )
    )
    serving = asyncio.create_task(server.serve([listener]), name="web server")
    try:
        yield server
    finally:
        server.should_exit = True
        await serving
        listener.close()


class _Server(uvicorn.Server):
    """A server that leaves signals to the program."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Replace uvicorn's handlers of signals by none, for as long as the server runs."""
        yield


def has_browser() -> bool:
    """Whether a browser with a window can be started; one in the terminal does not count."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
