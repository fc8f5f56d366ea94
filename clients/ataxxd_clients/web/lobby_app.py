"""A lobby behind HTTP: its page, its websocket, and those of each of its tables."""

from collections.abc import Callable

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket

from ataxxd_clients.web.app import GOING_AWAY, converse, entrance, guarded, let_in, saved
from ataxxd_clients.web.auth import Auth
from ataxxd_clients.web.files import file_response
from ataxxd_clients.web.lobby_room import TABLE_LEFT, LobbyRoom


def make_lobby_app(
    lobby: LobbyRoom, auth: Auth, *, tell_link: Callable[[str], object]
) -> Starlette:
    """The application; see `ataxxd_clients.web.app.make_app`."""

    async def page(request: Request) -> Response:
        return entrance(request, auth, lobby.page, tell_link)

    async def session(request: Request) -> Response:
        return Response(status_code=204 if auth.knows_page(request.cookies) else 403)

    async def table_page(request: Request) -> Response:
        room = lobby.room(request.path_params["table"])
        if room is None or not auth.knows_page(request.cookies):
            return RedirectResponse("/", status_code=303)
        return file_response(request, room.page)

    async def export(request: Request) -> Response:
        room = lobby.room(request.path_params["table"])
        if room is None or not auth.knows_page(request.cookies):
            return Response(status_code=403)
        return await saved(room, request.path_params["name"])

    async def lobby_socket(websocket: WebSocket) -> None:
        if await let_in(websocket, auth):
            await converse(lobby, websocket)

    async def table_socket(websocket: WebSocket) -> None:
        if not await let_in(websocket, auth):
            return
        room = lobby.room(websocket.path_params["table"])
        if room is None:
            await websocket.close(GOING_AWAY, TABLE_LEFT)
        else:
            await converse(room, websocket)

    return guarded(
        auth,
        [
            Route("/", page),
            Route("/session", session),
            WebSocketRoute("/lobby", lobby_socket),
            Route("/table/{table}", table_page),
            Route("/table/{table}/export/{name}", export),
            WebSocketRoute("/table/{table}/socket", table_socket),
        ],
    )
