"""Who is away from the screen is told: by a command, a webhook, ntfy and mail, all of them real."""

import asyncio
import json
import os
import re
import socket
import stat
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from ataxxd.errors import ExitCode
from ataxxd.notify import Notice, Occasion, parse_destination
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes, Running
from tests.e2e.rogues import rogue_guest
from tests.e2e.test_events import WEAK_ENGINE, planned
from tests.time_limits import DEADLINE
from tests.web.test_lobby_messages import HOST, Lobby, ask, enter


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
    assert str(last["/hook"]["text"]).startswith("You lost against ")
    assert "resigned" in str(last["/hook"]["text"])
    assert last["/under/"]["title"] == "Game over: club"
    await guest.ends()
    await host.ends()
    assert (tmp_path / "turn.told").read_text() == f"turn|club|{fields['text']}\n"
    assert "resigned" in (tmp_path / "over.told").read_text()
    assert "hidden" not in str(guest.err)
    # Nothing is said a second time of what does not work.
    assert sum("could not be notified" in line for line in guest.err.lines) == 1


async def test_a_player_whose_silence_may_soon_be_claimed_is_told(
    nodes: Nodes, posted: Posted
) -> None:
    host = await nodes.node("host").start("host", "club", "--grace", "4s", typed=True)
    await host.says("Waiting for a guest")
    guest = await nodes.node("guest").start(
        "join", "club", "--notify", f"http://127.0.0.1:{posted.port}/", typed=True
    )
    await guest.says("You have the seat")
    await host.type("a7-b6")
    await guest.says("Move ")
    _, _, fields = await posted.next()
    assert fields["event"] == "low"
    assert fields["title"] == "Move soon: club"
    assert re.fullmatch(r"Move (within 1s|now), or .* may claim the game\.", str(fields["text"]))
    await guest.type("resign")
    await guest.ends()
    await host.ends()


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
        ("smtp://me:hidden@host", "'smtp' is not a way to notify you"),
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


def configure(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


async def serving(nodes: Nodes, posted: Posted, text: str) -> Running:
    """A service that tells of what matters there by a webhook with a password."""
    path = nodes.folder / "club.toml"
    hook = f"http://me:hidden@127.0.0.1:{posted.port}/secret-hook"
    configure(path, f'[notify]\nto = ["{hook}"]\nafter = "1ms"\n{text}')
    running = await nodes.node("server").start("serve", "--config", path)
    await running.says("serving:")
    return running


NOTICE = Notice(Occasion.OVER, "Game over", "You win.")
TABLE = '[[tables]]\nname = "club"\nruleset = "ataxx/uai"\nplayer = "random"\ncolor = "second"\n'
BOT = '[[bots]]\ngroup = "bots"\nplayer = "random"\nwithout_clock = false\n'


@pytest.mark.gate
async def test_whoever_runs_a_service_is_told_of_challenges_and_of_results_that_need_a_look(
    nodes: Nodes, mosquitto: Mosquitto, posted: Posted, tmp_path: Path
) -> None:
    server = await serving(nodes, posted, TABLE + BOT)
    await server.says("challenges are heard")
    # A game without trouble is nothing to look at.
    await nodes.node("ann").run("join", "club", "--player", "random")
    await server.says(": over, ")
    who = (await nodes.node("server").run("id")).out.lines[0].split()[0]
    await nodes.node("ann").run(
        "challenge", who, "--name", "duel", "--auto", code=ExitCode.OPPONENT_GONE
    )
    path, authorization, fields = await posted.next()
    assert (path, authorization) == ("/secret-hook", "Basic bWU6aGlkZGVu")
    assert (fields["event"], fields["game"]) == ("challenge", "duel")
    assert "Declined: this bot plays with a clock only" in str(fields["text"])
    async with rogue_guest(mosquitto.url, "club-2") as rogue:
        await rogue.until(lambda: rogue.on_turn)
        await rogue.cheat(position="0" * 64)
        _, _, fields = await posted.next()
    assert (fields["event"], fields["game"]) == ("disputed", "club-2")
    assert "one of them broke the rules" in str(fields["text"])
    for secret in ("hidden", "secret-hook"):
        assert secret not in str(server.err)


async def test_a_person_at_the_page_of_a_service_is_told_of_its_turn(
    nodes: Nodes, posted: Posted, tmp_path: Path
) -> None:
    server = await serving(nodes, posted, "[web]\nenabled = true\n")
    link = (await server.says("Open: ")).partition("Open: ")[2]
    async with Lobby(*await enter(link)).visit() as page:
        assert await ask(page, HOST) is None
        guest = await nodes.node("guest").start("join", "ourgame", "--auto", "--level", "1")
        _, _, fields = await posted.next()
        assert (fields["event"], fields["game"]) == ("turn", "ourgame")
        assert "is waiting for your move" in str(fields["text"])
    await guest.kill()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ('["smtp://me:hidden@host"]', "club.toml, line 2: [notify] to.1: 'smtp' is not a way"),
        ('"https://host/hidden"', 'club.toml, line 2: [notify] to: "..." is not a list'),
        ('["mail:ann@example.org,bob"]', "[notify] to.1: mail: 'ann@example.org,bob' is not one"),
    ],
)
async def test_a_configuration_that_names_no_way_is_refused(
    nodes: Nodes, tmp_path: Path, value: str, words: str
) -> None:
    path = tmp_path / "club.toml"
    configure(path, f"[notify]\nto = {value}\n")
    running = await nodes.node("server").start("serve", "--config", path)
    await running.says(words)
    await running.ends(ExitCode.USAGE)
    assert "hidden" not in str(running.err)


def opened_and_read(pipe: Path) -> int:
    """A pipe that somebody writes to, from its second byte on."""
    opened = os.open(pipe, os.O_RDONLY)
    assert os.read(opened, 1) == b"\0"
    return opened


def read_to_its_end(opened: int) -> None:
    while os.read(opened, 1 << 20):
        pass
    os.close(opened)


async def test_what_a_command_has_started_goes_on_when_the_command_is_done(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = program(tmp_path / "starts", f'head -c 1000000 /dev/zero >"{pipe}" &')
    hearing = asyncio.create_task(asyncio.to_thread(opened_and_read, pipe))
    await parse_destination(f"command:'{script}'").send(NOTICE)
    opened = await hearing
    # A pipe holds less than this: whoever writes it is still there.
    left, read = 999_999, b"more"
    while read:
        read = await asyncio.to_thread(os.read, opened, 1 << 20)
        left -= len(read)
    os.close(opened)
    assert left == 0


async def test_a_command_that_is_not_done_is_ended_with_all_that_it_has_started(
    tmp_path: Path,
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = program(tmp_path / "hangs", f'cat /dev/zero >"{pipe}" & wait')
    hearing = asyncio.create_task(asyncio.to_thread(opened_and_read, pipe))
    sending = asyncio.create_task(parse_destination(f"command:'{script}'").send(NOTICE))
    opened = await hearing
    sending.cancel()
    await asyncio.wait({sending})
    await asyncio.wait_for(asyncio.to_thread(read_to_its_end, opened), DEADLINE)


async def test_a_command_that_is_given_up_while_it_starts_is_ended_with_all_that_it_has_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    start, looked = asyncio.create_subprocess_exec, asyncio.Event()

    async def late(*arguments: str, **options: Any) -> asyncio.subprocess.Process:
        running = await start(*arguments, **options)
        try:
            await looked.wait()
        except asyncio.CancelledError:
            running.kill()  # as asyncio does
            raise
        return running

    # On a busy machine it has started others before asyncio has looked at it.
    monkeypatch.setattr(asyncio, "create_subprocess_exec", late)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = program(tmp_path / "hangs", f'cat /dev/zero >"{pipe}" & wait')
    hearing = asyncio.create_task(asyncio.to_thread(opened_and_read, pipe))
    sending = asyncio.create_task(parse_destination(f"command:'{script}'").send(NOTICE))
    opened = await hearing
    sending.cancel()
    await asyncio.sleep(0)
    looked.set()
    await asyncio.wait({sending})
    await asyncio.wait_for(asyncio.to_thread(read_to_its_end, opened), DEADLINE)


async def test_a_player_of_an_event_is_told_of_their_turn_in_each_game(
    nodes: Nodes, posted: Posted
) -> None:
    host, person, engine = (nodes.node(name) for name in ("host", "person", "engine"))
    await planned(host, [person, engine], "--rounds", "2")
    hosting = await host.start("event", "run", "open")
    way = f"http://127.0.0.1:{posted.port}/hook"
    playing = await person.start(
        "event", "play", "open", "--notify", way, "--notify-after", "1ms", typed=True
    )
    other = await engine.start("event", "play", "open", *WEAK_ENGINE)
    for number in (1, 2):
        fields: dict[str, object] = {}
        while fields.get("event") != "turn":
            _, _, fields = await posted.next()
        assert fields["game"] == f"open-r{number}-b1"
        await playing.type("resign")
        while fields.get("event") != "over":
            _, _, fields = await posted.next()
    for each in (playing, other, hosting):
        await each.ends()
