"""The control interface: what it lets in, what it sends, and that its publication is current."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing, suppress
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from jsonschema import Draft202012Validator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ataxxd.node.local_game import LocalGame
from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.games import line_language
from ataxxd_clients.web import scene
from ataxxd_clients.web.channel import MAX_CONNECTIONS
from ataxxd_clients.web.room import Room
from ataxxd_clients.web.server import Auth, is_of_other_user, serve_channel
from tests.time_limits import DEADLINE
from tools import page_reference

RULESETS = ["ataxx/cs61b-2022", "reversi/standard", "checkers/cs61b-2004", "loa/cs61b"]


def both_human() -> LocalGame:
    return LocalGame(Position.start("ataxx/cs61b-2022"), {}, seats=dict.fromkeys(Side, Seat.HUMAN))


@asynccontextmanager
async def served_table(table: LocalGame, log: list[str] | None = None) -> AsyncIterator[Auth]:
    room = Room(table, log=None if log is None else log.append)
    async with serve_channel(room, print_line=str) as auth:
        running = asyncio.create_task(room.run())
        try:
            yield auth
        finally:
            running.cancel()
            with suppress(asyncio.CancelledError):
                await running


def visit(auth: Auth, **changes: str) -> connect:
    headers = {
        "Cookie": f"{auth.cookie}={auth.secret}",
        "Origin": f"http://127.0.0.1:{auth.port}",
    } | changes
    return connect(
        f"ws://127.0.0.1:{auth.port}/table",
        additional_headers={name: value for name, value in headers.items() if value},
        proxy=None,
        open_timeout=DEADLINE,
    )


async def receive(
    socket: ClientConnection, kind: str, schema: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The next message of a kind; every message on the way fits the published schema."""
    validator = Draft202012Validator(schema or page_reference.TABLE.schema())
    async with asyncio.timeout(DEADLINE):
        while True:
            message: dict[str, Any] = json.loads(await socket.recv())
            validator.validate(message)
            if message["type"] == kind:
                return message


async def command(socket: ClientConnection, **fields: Any) -> str | None:
    """Send a command; its refusal."""
    await socket.send(json.dumps({"id": 7} | fields))
    answer = await receive(socket, "answer")
    assert answer["id"] == 7
    error: str | None = answer["error"]
    return error


@pytest.mark.gate
@pytest.mark.parametrize(
    "changes",
    [
        {"Cookie": ""},
        {"Cookie": "ataxxd-1=guess"},
        {"Origin": ""},
        {"Origin": "http://example.org"},
        {"Origin": "https://127.0.0.1"},
    ],
)
async def test_who_has_not_the_cookie_and_the_origin_is_refused(
    changes: dict[str, str],
) -> None:
    async with served_table(both_human()) as auth:
        with pytest.raises(InvalidStatus) as refused:
            async with visit(auth, **changes):
                pass
        assert refused.value.response.status_code == 403


def get(auth: Auth, path: str, host: str, cookie: str = "") -> HTTPResponse:
    connection = HTTPConnection("127.0.0.1", auth.port, timeout=DEADLINE)
    connection.putrequest("GET", path, skip_host=True)
    connection.putheader("Host", host)
    connection.putheader("Cookie", cookie)
    connection.endheaders()
    with closing(connection):
        response = connection.getresponse()
        response.read()
        return response


async def test_only_its_own_names_are_answered_to_and_every_answer_is_locked_down() -> None:
    async with served_table(both_human()) as auth:
        ours, cookie = f"127.0.0.1:{auth.port}", f"{auth.cookie}={auth.secret}"
        for path, host, sent, status in (
            ("/", ours, cookie, 200),
            ("/static/main.js", ours, "", 200),
            ("/session", ours, cookie, 204),
            ("/", ours, "", 403),
            ("/", "example.org", cookie, 403),
            ("/static/main.js", "", "", 403),
            ("/static/../app.py", ours, cookie, 404),
        ):
            response = await asyncio.to_thread(get, auth, path, host, sent)
            assert response.status == status, (path, host)
            policy = response.getheader("content-security-policy") or ""
            assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self';")
            assert "unsafe" not in policy


@pytest.mark.gate
def test_a_ticket_lets_in_once_and_a_newer_one_replaces_it() -> None:
    auth = Auth(4000)
    first = auth.link().partition("ticket=")[2]
    second = auth.link().partition("ticket=")[2]
    assert not auth.redeem(first)
    assert not auth.redeem("é")
    assert auth.redeem(second)
    assert not auth.redeem(second)
    assert auth.needs_link


AS_NOBODY = """
import sys
from http.client import HTTPConnection
connection = HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=float(sys.argv[2]))
connection.request("GET", sys.argv[3])
print(connection.getresponse().status)
"""
_NOBODY = 65534


@pytest.mark.gate
@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
async def test_a_link_in_the_list_of_processes_lets_in_nobody_but_its_user() -> None:
    async with served_table(both_human()) as auth:
        auth.links_are_visible = True
        path = "/?" + auth.link().partition("/?")[2]
        arguments = ("-c", AS_NOBODY, str(auth.port), str(DEADLINE), path)
        other = await asyncio.create_subprocess_exec(
            "python3", *arguments, stdout=asyncio.subprocess.PIPE, user=_NOBODY, cwd="/"
        )
        told, _ = await other.communicate()
        assert told == b"403\n"
        ours = await asyncio.to_thread(get, auth, path, f"127.0.0.1:{auth.port}")
        assert ours.status == 303


@pytest.mark.gate
def test_a_connection_of_another_user_is_told_from_ours_and_from_roots(tmp_path: Path) -> None:
    table = tmp_path / "tcp"
    table.write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid\n"
        "   0: 0100007F:0FA0 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1234 0 1\n"
        "   1: 0100007F:9C41 0100007F:0FA0 01 00000000:00000000 00:00000000 00000000  1234 0 2\n"
        "   2: 0100007F:9C42 0100007F:0FA0 01 00000000:00000000 00:00000000 00000000     0 0 3\n"
        f"   3: 0100007F:9C43 0100007F:0FA0 01 0:0 0:0 0  {os.getuid()} 0 4\n"
        "   4: 0100007F:9C44 0100007F:0FA1 01 0:0 0:0 0  1234 0 5\n"
        "   5: 0100007F:9C45\n"
    )
    assert is_of_other_user(0x9C41, 4000, [table])
    for port in (0x9C42, 0x9C43, 0x9C44, 0x9C46):
        assert not is_of_other_user(port, 4000, [table])
    assert not is_of_other_user(0x9C41, 4000, [tmp_path / "none"])


@pytest.mark.gate
async def test_moves_commands_and_refusals_go_over_the_wire_as_the_schema_says() -> None:
    log: list[str] = []
    table = both_human()
    async with served_table(table, log) as auth, visit(auth) as socket:
        assert (await receive(socket, "hello"))["version"] == 1
        state = await receive(socket, "state")
        assert state["squares"][0][0] == "a7"
        assert len(state["legal"]) == 16
        error = await command(socket, type="play", ply=0, move="a7-d4")
        assert error is not None
        assert error.startswith("a7-d4 is not legal: d4 is 3 columns away")
        assert await command(socket, type="play", ply=0, move="a7-b6") is None
        assert (await receive(socket, "state"))["moves"][0]["name"] == "b6"
        error = await command(socket, type="play", ply=0, move="a1-a2")
        assert error == "The board has changed in the meantime; look again."
        assert await command(socket, type="say", text="hello") is not None
        assert await command(socket, type="undo") is None
        assert await command(socket, type="resign") is None
        assert (await receive(socket, "state"))["ending"]["termination"] == "resignation"
    assert log == ["a7-b6", "undo", "resign"]


async def test_a_move_made_beforehand_names_squares_and_is_for_the_board_that_was_seen() -> None:
    table = both_human()
    async with served_table(table) as auth, visit(auth) as socket:
        error = await command(socket, type="premove", ply=0, move="pass")
        assert error == "'pass' is not a premove: name its squares."
        # The other side has moved while the command was on its way: it is played at once.
        assert await command(socket, type="premove", ply=0, move="a7-b6") is None
        assert await command(socket, type="play", ply=1, move="a1-a2") is None
        assert [move.text for move in table.moves] == ["b6", "a2"]
        error = await command(socket, type="premove", ply=0, move="a7-a6")
        assert error == "The board has changed in the meantime; look again."
        error = await command(socket, type="premove", ply=2, move="a7-d4")
        assert error is not None
        assert error.startswith("a7-d4 is not legal")
        assert len(table.moves) == 2


async def test_what_is_said_offline_reaches_nobody_and_anybody_can_be_muted_within_a_bound() -> (
    None
):
    async with served_table(both_human()) as auth, visit(auth) as socket:
        error = await command(socket, type="say", text="hello")
        assert error == "Nobody sits on the other side of this table."
        for number in range(200):
            assert await command(socket, type="mute", speaker=f"s{number}", muted=True) is None
        error = await command(socket, type="mute", speaker="one more", muted=True)
        assert error == "You have muted 200 already; unmute one of them first."
        assert await command(socket, type="mute", speaker="s7", muted=False) is None
        assert await command(socket, type="mute", speaker="one more", muted=True) is None


@pytest.mark.parametrize(
    "text", ["", "{}", "[1]", '{"type":"undo"}', '{"type":"undo","id":1,"x":2}']
)
async def test_what_is_no_command_ends_the_connection_and_nothing_else(text: str) -> None:
    table = both_human()
    async with served_table(table) as auth:
        async with visit(auth) as socket:
            await socket.send(text)
            with pytest.raises(ConnectionClosed) as closed:
                await receive(socket, "answer")
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == 1008
        async with visit(auth) as socket:
            assert await command(socket, type="play", ply=0, move="a7-b6") is None


async def test_no_more_pages_are_let_in_than_the_bound() -> None:
    async with served_table(both_human()) as auth:
        sockets = [await visit(auth) for _ in range(MAX_CONNECTIONS)]
        for socket in sockets:
            await receive(socket, "state")
        async with visit(auth) as late:
            with pytest.raises(ConnectionClosed):
                await receive(late, "hello")
        for socket in sockets:
            await socket.close()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_legal_move_can_be_entered_by_squares_of_the_board(ruleset: str) -> None:
    language = line_language(ruleset)
    position = Position.start(ruleset)
    for number in range(60):
        legal = position.legal_moves
        if not legal:
            break
        names = {name for row in position.square_names for name in row}
        told = scene.legal_moves(position, language)
        assert [each.move for each in told] == [move.text for move in legal]
        entered = [tuple(path) for each in told for path in each.paths]
        assert len(set(entered)) == len(entered)
        assert all(each.paths and set(path) <= names for each in told for path in each.paths)
        for each, move in zip(told, legal, strict=True):
            assert each.board == [*position.play(move).rows]
            assert position.parse_move(each.move) == move
        position = position.play(legal[(11 * number) % len(legal)])


@pytest.mark.gate
@pytest.mark.parametrize("interface", page_reference.INTERFACES, ids=lambda each: each.name)
def test_the_published_page_and_schema_are_current(interface: page_reference.Interface) -> None:
    remedy = "run: python -m tools.page_reference"
    page = (page_reference.FOLDER / f"{interface.name}.md").read_text(encoding="utf-8")
    assert page == interface.page(), remedy
    schema = (page_reference.FOLDER / f"{interface.name}.schema.json").read_text(encoding="utf-8")
    assert json.loads(schema) == interface.schema(), remedy
    Draft202012Validator.check_schema(json.loads(schema))


async def test_a_page_is_told_why_it_is_left_before_the_server_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def wait_for_the_end(self: uvicorn.Server) -> None:
        # On a busy machine its pause is over when it is told to end.
        while not self.should_exit:  # noqa: ASYNC110 - as its own, without the pause
            await asyncio.sleep(0)

    monkeypatch.setattr(uvicorn.Server, "main_loop", wait_for_the_end)
    async with serve_channel(Room(both_human()), print_line=str) as auth:
        socket = await visit(auth)
        await receive(socket, "state")
    with pytest.raises(ConnectionClosed) as closed:
        await receive(socket, "nothing")
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "The program has ended.")


async def test_a_long_farewell_is_cut_to_what_a_close_frame_holds() -> None:
    room = Room(both_human())
    room.close_reason = "ä" * 100
    async with serve_channel(room, print_line=str) as auth, visit(auth) as socket:
        await receive(socket, "state")
        room.left.set()
        with pytest.raises(ConnectionClosed) as closed:
            await receive(socket, "nothing")
    assert closed.value.rcvd is not None
    assert (closed.value.rcvd.code, closed.value.rcvd.reason) == (1001, "ä" * 60 + "…")
