"""Who is away from the screen is told: by a command, a webhook, ntfy and mail, all of them real."""

import asyncio
import json
import os
import socket
import stat
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.time_limits import DEADLINE


class Posted:
    """A web server of ours, and what was posted to it: (path, authorization, fields)."""

    def __init__(self) -> None:
        self.port = 0
        self.got: asyncio.Queue[tuple[str, str | None, dict[str, object]]] = asyncio.Queue()

    async def take(self, request: Request) -> Response:
        """Take a post; those to /broken fail."""
        fields = json.loads(await request.body())
        self.got.put_nowait((request.url.path, request.headers.get("authorization"), fields))
        return Response(status_code=500 if request.url.path == "/broken" else 200)

    async def next(self) -> tuple[str, str | None, dict[str, object]]:
        """The next post."""
        return await asyncio.wait_for(self.got.get(), DEADLINE)


@pytest.fixture
async def posted() -> AsyncIterator[Posted]:
    posts = Posted()
    app = Starlette(routes=[Route("/{path:path}", posts.take, methods=["POST"])])
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        posts.port = listening.getsockname()[1]
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        yield posts
        server.should_exit = True
        await serving


@pytest.fixture
async def nodes(mosquitto: Mosquitto, tmp_path: Path) -> AsyncIterator[Nodes]:
    nodes = Nodes(tmp_path, mosquitto.url)
    yield nodes
    await nodes.close()


def program(path: Path, lines: str) -> Path:
    """A shell script."""
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


@pytest.mark.gate
async def test_a_player_is_told_of_its_turn_and_of_the_end_by_every_way(
    nodes: Nodes, posted: Posted, tmp_path: Path
) -> None:
    script = program(
        tmp_path / "tell me", f'echo "$ATAXXD_EVENT|$ATAXXD_GAME|$(cat)" >"{tmp_path}/$$"; '
        f'mv "{tmp_path}/$$" "{tmp_path}/$ATAXXD_EVENT.told"'
    )  # fmt: skip
    web = f"127.0.0.1:{posted.port}"
    host = await nodes.node("host").start("host", "club", "--auto", "--level", "1")
    await host.says("Waiting for a guest")
    guest = await nodes.node("guest").start(
        "join", "club", "--notify-after", "1ms",
        "--notify", f"command:'{script}'",
        "--notify", f"http://me:hidden@{web}/hook",
        "--notify", f"ntfy:http://{web}/under/topic",
        "--notify", f"http://{web}/broken",
        typed=True,
    )  # fmt: skip
    first = {each[0]: each for each in [await posted.next() for _ in range(3)]}
    assert set(first) == {"/hook", "/under/", "/broken"}
    _, authorization, fields = first["/hook"]
    assert authorization == "Basic bWU6aGlkZGVu"
    assert fields["event"] == "turn"
    assert fields["game"] == "club"
    assert "is waiting for your move" in str(fields["text"])
    assert first["/under/"][2] == {
        "topic": "topic",
        "title": "Your turn: club",
        "message": fields["text"],
        "priority": 3,
    }
    complaint = await guest.says("You could not be notified")
    assert "500" in complaint
    assert "/broken" not in complaint

    await guest.type("resign")
    last = {each[0]: each[2] for each in [await posted.next() for _ in range(3)]}
    assert last["/hook"]["event"] == "over"
    assert "resigned" in str(last["/hook"]["text"])
    assert last["/under/"]["title"] == "Game over: club"
    await guest.ends()
    await host.ends()
    assert (tmp_path / "turn.told").read_text() == f"turn|club|{fields['text']}\n"
    assert "resigned" in (tmp_path / "over.told").read_text()
    assert "hidden" not in str(guest.err)
    # Nothing is said a second time of what does not work.
    assert sum("could not be notified" in line for line in guest.err.lines) == 1


async def test_mail_goes_to_the_mail_server_of_this_machine(
    nodes: Nodes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "sbin"
    folder.mkdir()
    program(folder / "sendmail", f'echo "$@" >"{tmp_path}/to"; cat >"{tmp_path}/mail"')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    host = await nodes.node("host").start(
        "host", "club", "--notify", "mail:ann@example.org", typed=True
    )
    await host.says("Waiting for a guest")
    guest = await nodes.node("guest").start("join", "club", "--auto", "--level", "1")
    await guest.says("You have the seat")
    await host.type("resign")
    await host.ends()
    await guest.ends()
    assert (tmp_path / "to").read_text() == "-i -- ann@example.org\n"
    mail = (tmp_path / "mail").read_text()
    assert "To: ann@example.org" in mail
    assert "Subject: " in mail


async def test_a_challenge_is_told(nodes: Nodes, posted: Posted) -> None:
    hook = f"http://127.0.0.1:{posted.port}/"
    listener = await nodes.node("ann").start(
        "challenges", "--name", "ann", "--first", "--notify", hook
    )
    await listener.says("Waiting for challenges")
    challenger = await nodes.node("bob").start("challenge", "ann", typed=True)
    _, _, fields = await posted.next()
    assert fields["event"] == "challenge"
    assert "challenges you" in str(fields["text"])
    await listener.ends()
    challenger.hang_up()


@pytest.mark.parametrize(
    ("where", "words"),
    [
        ("smtp://me:hidden@host", "'smtp' is no way to tell you"),
        ("http://", "https://HOST/PATH"),
        ("http://host:port/", "https://HOST/PATH"),
        ("ntfy:https://host/", "ends with a topic"),
        ("command:no-such-program", "there is no program 'no-such-program'"),
        ("command:it's", "No closing quotation"),
        ("mail:ann@example.org,bob@example.org", "is not one address"),
    ],
)
async def test_what_is_no_way_is_refused_before_anything_else(
    nodes: Nodes, where: str, words: str
) -> None:
    running = await nodes.node("ann").start("join", "club", "--notify", where)
    await running.says(words)
    await running.ends(ExitCode.USAGE)
    assert "hidden" not in str(running.err)
