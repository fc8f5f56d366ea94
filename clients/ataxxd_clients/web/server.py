"""Running the server of a room on the loopback interface."""

import asyncio
import os
import socket
import sys
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import uvicorn
from starlette.applications import Starlette

from ataxxd.node.game import Game
from ataxxd.rules.notation.game import GameRecord
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.study import GameFiles
from ataxxd_clients.web.app import make_app
from ataxxd_clients.web.auth import Auth
from ataxxd_clients.web.channel import MOST_CONNECTIONS, Channel
from ataxxd_clients.web.lobby_room import LobbyRoom
from ataxxd_clients.web.match_room import MatchRoom
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.study_room import StudyRoom

if TYPE_CHECKING:
    from ataxxd.node.open_games import OpenGames

# Every connection has one, and needs a few more while its page loads.
_MOST_CONNECTIONS = 8 * MOST_CONNECTIONS
_GOODBYE_S = 2


async def show_game(
    game: Game,
    *,
    say: Callable[[str], object],
    title: str = "",
    log: Callable[[str], object] | None = None,
    invitation: Invitation | None = None,
) -> None:
    """Show a game in the browser until somebody leaves it there.

    Args:
        game: the game, which nothing else may advance meanwhile; until it has begun the pages
            wait, and can be left.
        say: tells the person the link; the only way in.
        title: the game's name, where it has one.
        log: gets every command and move.
        invitation: how others come to the game, where they can.
    """
    # In an event it is known who will come, by themselves.
    waits_for = "your opponent" if game.in_event else ""
    room = Room(title=title, log=log, invitation=invitation, waits_for=waits_for)
    ready = "The board of this game is ready." if game.in_event else ""
    await _show(room, partial(_run, room, game), say=say, ready=ready)


async def show_study(game: GameRecord, files: GameFiles, *, say: Callable[[str], object]) -> None:
    """Show a study in the browser until somebody leaves it there.

    Args:
        game: what is studied.
        files: reads the games that pages send.
        say: tells the person the link; the only way in.

    Raises:
        StudyError: the game is too long.
    """
    room = StudyRoom(game, files)
    await _show(room, room.run, say=say)


async def show_lobby(
    lobby: "OpenGames", files: GameFiles, *, say: Callable[[str], object], port: int = 0
) -> None:
    """Show a lobby in the browser until somebody ends it there.

    Args:
        lobby: the games and players, which are followed.
        files: reads the games that are studied there.
        say: tells the person the link; the only way in.
        port: where to listen; 0 for a free one.

    Raises:
        OSError: nothing can listen there.
    """
    room = LobbyRoom(lobby, files)
    await _show(room, room.run, say=say, port=port)


async def show_match(
    room: MatchRoom, work: Callable[[], Coroutine[Any, Any, None]], *, say: Callable[[str], object]
) -> None:
    """Show matches in the browser until the work ends that follows them.

    Args:
        room: what is shown.
        work: shows there how the matches stand.
        say: tells the person the link; the only way in.
    """
    await _show(room, work, say=say)


async def _show(
    channel: Channel,
    work: Callable[[], Coroutine[Any, Any, None]],
    *,
    say: Callable[[str], object],
    ready: str = "",
    port: int = 0,
) -> None:
    """Show something until somebody leaves it, or its work ends."""
    async with served(channel, say=say, port=port) as auth:
        running = asyncio.create_task(work(), name=channel.shows)
        leaving = asyncio.create_task(channel.left.wait(), name="leaving")
        auth.shown, link = has_browser(), auth.link()
        say(f"{ready or channel.ready} Open: {link}")
        try:
            if auth.shown:
                # Starting a browser may take its time, and never has to succeed.
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
        room.sit(game)
        await room.run()


@asynccontextmanager
async def served(
    channel: Channel, *, say: Callable[[str], object], port: int = 0
) -> AsyncIterator[Auth]:
    """Serve a channel on the loopback interface, and let go of its pages at the end.

    Args:
        channel: what is shown.
        say: tells the person a new link, when an old one was tried.
        port: where to listen; 0 for a free one.

    Raises:
        OSError: nothing can listen there.
    """
    listener = socket.create_server(("127.0.0.1", port))
    auth = Auth(listener.getsockname()[1])
    what = f"A new link to the {channel.shows}"
    app = make_app(channel, auth, tell_link=lambda link: say(f"{what}: {link}"))
    async with running(app, listener, longest_command=channel.longest_command) as server:
        try:
            yield auth
        finally:
            channel.left.set()
            # Let the pages be told why: the server ends connections without a reason.
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
        app: what answers.
        listener: bound to the loopback interface.
        longest_command: the largest message of a websocket, in bytes.
        lifespan: whether the application has work of its own beside its answers.
    """
    server = _Server(
        uvicorn.Config(
            app,
            ws="websockets-sansio",
            ws_max_size=longest_command,
            limit_concurrency=_MOST_CONNECTIONS,
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
        """See uvicorn; nothing is captured here."""
        yield


def has_browser() -> bool:
    """Whether a browser with a window of its own can be started; one in the terminal cannot."""
    if sys.platform in ("darwin", "win32"):
        return True
    return any(os.environ.get(name) for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"))
