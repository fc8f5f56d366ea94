"""What a lobby lets in and sends, and that its publication is current."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ataxxd.cli.files import LocalGameFiles
from ataxxd.node.game_run import GameContext
from ataxxd.node.journal import Journal
from ataxxd.node.node import Node
from ataxxd.node.open_games import MAX_OPEN, OpenGames
from ataxxd.node.profile import open_profile
from ataxxd.session.record import dump_record
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_clients.web.server import show_lobby
from ataxxd_protocol import decode
from ataxxd_protocol.messages import Offer
from tests.journals import lay_out
from tests.memory_broker import MemoryBroker
from tests.time_limits import DEADLINE
from tools import page_reference

VALIDATOR = Draft202012Validator(page_reference.LOBBY.schema())
HOST = {
    "type": "host", "name": "ourgame", "ruleset": "ataxx/cs61b-2022", "color": "first",
    "clock": "", "grace": "15m", "takebacks": True, "access": "anyone", "blocks": "",
    "position": "", "auto": False,
}  # fmt: skip


class Lobby:
    """A lobby at a broker in memory, with the way in."""

    def __init__(self, port: str, cookie: str) -> None:
        self._port = port
        self._cookie = cookie

    def visit(self, path: str = "lobby", **changes: str) -> connect:
        headers = {"Cookie": self._cookie, "Origin": f"http://127.0.0.1:{self._port}"} | changes
        return connect(
            f"ws://127.0.0.1:{self._port}/{path}",
            additional_headers={name: value for name, value in headers.items() if value},
            proxy=None,
            open_timeout=DEADLINE,
        )


@asynccontextmanager
async def opened(
    folder: Path, broker: MemoryBroker, name: str = "me", *, serves_network: bool = False
) -> AsyncIterator[Lobby]:
    async with AsyncExitStack() as stack:
        profile = await stack.enter_async_context(open_profile(folder / name))
        place = GameContext(
            profile,
            lambda will: broker.connect(will=will),
            lambda ledger, _: dump_record(ledger),
            print,
        )
        lobby = OpenGames(
            Node(place, broker.url),
            broker=broker.url,
            present=True,
            serves_network=serves_network,
        )
        said: asyncio.Queue[str] = asyncio.Queue()
        running = asyncio.create_task(lobby.run())
        showing = asyncio.create_task(
            show_lobby(lobby, LocalGameFiles(home=profile.home.path), print_line=said.put_nowait)
        )
        try:
            link = (await said.get()).partition("Open: ")[2]
            yield Lobby(*await enter(link))
        finally:
            for task in (showing, running):
                task.cancel()
            await asyncio.wait({showing, running})


async def enter(link: str) -> tuple[str, str]:
    """The port and the cookie behind a link."""
    port = link.partition("127.0.0.1:")[2].partition("/")[0]
    reader, writer = await asyncio.open_connection("127.0.0.1", int(port))
    path = link.partition(port)[2]
    writer.write(
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n".encode()
    )
    answer = (await reader.read()).decode()
    writer.close()
    await writer.wait_closed()
    cookie = next(line for line in answer.splitlines() if line.startswith("set-cookie: "))
    return port, cookie.partition(": ")[2].partition(";")[0]


async def receive(socket: ClientConnection, kind: str, **wanted: object) -> dict[str, Any]:
    """The next message of a kind with some fields; every one on the way fits the schema."""
    while True:
        message: dict[str, Any] = json.loads(await socket.recv())
        VALIDATOR.validate(message)
        if message["type"] == kind and all(message[name] == wanted[name] for name in wanted):
            return message


async def ask(socket: ClientConnection, command: dict[str, Any]) -> dict[str, Any] | None:
    """Send a command; why it was refused."""
    VALIDATOR.validate(command | {"id": 7})
    await socket.send(json.dumps(command | {"id": 7}))
    error: dict[str, Any] | None = (await receive(socket, "answer", id=7))["error"]
    return error


@pytest.mark.gate
async def test_a_game_is_hosted_listed_and_joined_over_the_sockets(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        opened(tmp_path, broker, "host") as host,
        opened(tmp_path, broker, "guest") as guest,
        host.visit() as one,
        guest.visit() as other,
    ):
        await receive(one, "lobby", connected=True)
        assert await ask(one, HOST) is None
        while not (games := (await receive(other, "lobby"))["games"]):
            pass
        assert games[0]["name"] == "ourgame"
        assert games[0]["obstacle"] is None
        await other.send(json.dumps({"type": "join", "invitation": "ourgame", "id": 1}))
        table = (await receive(other, "opened"))["table"]
        async with guest.visit(f"table/{table}/socket") as seat:
            while json.loads(await seat.recv())["type"] != "state":
                pass
        # Its own name once more, while the first is played.
        refused = await ask(one, HOST)
        assert refused is not None
        assert refused["field"] == "name"


@pytest.mark.parametrize("serves_network", [False, True])
async def test_a_broker_for_the_network_is_not_said_to_serve_this_machine_only(
    tmp_path: Path, serves_network: bool
) -> None:
    async with (
        opened(tmp_path, MemoryBroker(), serves_network=serves_network) as host,
        host.visit() as page,
    ):
        await receive(page, "lobby", connected=True)
        await page.send(json.dumps(HOST | {"id": 1}))
        table = (await receive(page, "opened"))["table"]
        async with host.visit(f"table/{table}/socket") as seat:
            while (share := json.loads(await seat.recv()))["type"] != "share":
                pass
        assert share["reaches"] is serves_network


async def test_a_game_hosted_on_the_page_has_the_usual_witnesses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATAXXD_WITNESSES", "abcd-efgh-ijkl-mnop-qrst")
    broker = MemoryBroker()
    async with opened(tmp_path, broker) as lobby, lobby.visit() as page:
        await receive(page, "lobby", connected=True)
        assert await ask(page, HOST) is None
        while not (await receive(page, "lobby"))["games"]:
            pass
        found = [decode(each) for topic, each in broker.retained.items() if "/offer" in topic]
        offers = [each for each in found if isinstance(each, Offer)]
        assert [each.witnesses for each in offers] == [("abcdefghijklmnopqrst",)]
        monkeypatch.setenv("ATAXXD_WITNESSES", "bob")
        refused = await ask(page, {**HOST, "name": "another"})
        assert refused is not None
        assert "ATAXXD_WITNESSES 'bob' is not a node id" in refused["text"]


async def test_a_challenge_on_the_page_has_the_usual_witnesses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATAXXD_WITNESSES", "abcd-efgh-ijkl-mnop-qrst")
    broker = MemoryBroker()
    async with (
        opened(tmp_path, broker, "ana") as ana,
        opened(tmp_path, broker, "bo") as bo,
        ana.visit() as one,
        bo.visit() as other,
    ):
        (player,) = (await until(one, "lobby", lambda told: bool(told["players"])))["players"]
        asks = {"type": "challenge", "player": player["node"], "ruleset": "reversi/standard"}
        await does(one, **asks, color="first", clock="")
        told = await until(other, "lobby", lambda told: bool(told["challenges"]))
        assert "witnesses of claims: abcd-efgh-ijkl-mnop-qrst" in told["challenges"][0]["terms"]


@pytest.mark.gate
async def test_strangers_and_nonsense_are_refused(tmp_path: Path) -> None:
    async with opened(tmp_path, MemoryBroker()) as lobby:
        for changes in ({"Cookie": ""}, {"Origin": "http://example.org"}):
            for path in ("lobby", "table/1/socket"):
                with pytest.raises(InvalidStatus):
                    async with lobby.visit(path, **changes):
                        pass
        for nonsense in ("{}", "[]", '{"type":"host","id":1}', "\x00"):
            async with lobby.visit() as socket:
                await socket.send(nonsense)
                with pytest.raises(ConnectionClosed) as closed:
                    await receive(socket, "never")
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1008
        async with lobby.visit("table/99/socket") as socket:
            with pytest.raises(ConnectionClosed) as left:
                await socket.recv()
            assert left.value.rcvd is not None
            assert left.value.rcvd.code == 1001


async def test_tables_are_bounded_in_number_and_free_when_left(tmp_path: Path) -> None:
    against = {"type": "against", "ruleset": "loa/cs61b", "color": "second", "level": "0"}
    async with opened(tmp_path, MemoryBroker()) as lobby, lobby.visit() as socket:
        await receive(socket, "lobby", connected=True)
        for _ in range(MAX_OPEN):
            assert await ask(socket, against) is None
        refused = await ask(socket, against)
        assert refused is not None
        assert "leave one of them first" in refused["text"]
        async with lobby.visit("table/1/socket") as table:
            await table.send('{"type":"leave","id":1}')
            while len((await receive(socket, "lobby"))["tables"]) == MAX_OPEN:
                pass
        assert await ask(socket, against) is None


async def test_a_broker_that_is_away_is_shown_and_comes_back(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with opened(tmp_path, broker) as lobby, lobby.visit() as socket:
        await receive(socket, "lobby", connected=True)
        broker.stop()
        await receive(socket, "lobby", connected=False)
        broker.start()
        await receive(socket, "lobby", connected=True)


async def test_a_game_out_of_a_backup_is_not_gone_on_with_before_it_is_caught_up(
    tmp_path: Path,
) -> None:
    journal = Journal(lay_out(tmp_path / "me", 2, "host"))
    journal.mark_restored()
    (stored,) = journal.unfinished()
    journal.close()
    async with opened(tmp_path, MemoryBroker()) as lobby, lobby.visit() as socket:
        await receive(socket, "lobby", connected=True)
        error = await ask(socket, {"type": "resume", "game": stored.offer.digest})
    assert error is not None
    assert error["field"] == "game"
    assert "ataxxd resume underway" in error["text"]


@pytest.mark.parametrize(("hours", "waits"), [(2, True), (25, False)])
async def test_a_game_that_waits_to_be_confirmed_says_so_for_a_day(
    tmp_path: Path, hours: int, waits: bool
) -> None:
    path = lay_out(tmp_path / "me", 2, "guest")
    ended_ms = SYSTEM_CLOCK.now_ms() - hours * 3_600_000
    with closing(sqlite3.connect(path)) as database, database:
        # Left are a game that is over, which nobody has confirmed, and one that is not.
        database.execute("UPDATE games SET finished = 0, settings = '{}'")
        database.execute("UPDATE messages SET kept_ms = ?", (ended_ms,))
    async with opened(tmp_path, MemoryBroker()) as lobby, lobby.visit() as socket:
        told = await receive(socket, "lobby", connected=True)
    waiting = [each["unconfirmed_s"] for each in told["kept"] if each["unconfirmed_s"] is not None]
    assert len(told["kept"]) == 1 + waits
    assert [each // 3600 for each in waiting] == [hours] * waits
    # In both games the host moves first.
    assert [each["players"] for each in told["kept"]] == [
        [each["opponent"], "you"] for each in told["kept"]
    ]
    assert len(told["finished"]) == (not waits)


async def until(
    socket: ClientConnection, kind: str, holds: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    """The next message of a kind of which something holds."""
    while not holds(message := await receive(socket, kind)):
        pass
    return message


async def does(socket: ClientConnection, **command: Any) -> str:
    """Send a command that opens a table; its number."""
    await socket.send(json.dumps(command | {"id": 3}))
    return str((await receive(socket, "opened"))["table"])


async def resigns(lobby: Lobby, table: str) -> None:
    """Resign at a table whose side is on turn, once its game has begun."""
    async with lobby.visit(f"table/{table}/socket") as seat:
        message: dict[str, Any] = {}
        while "resign" not in message.get("can", ()):
            message = json.loads(await seat.recv())
        await seat.send('{"type":"resign","id":1}')
        while message["type"] != "state" or message["ending"] is None:
            message = json.loads(await seat.recv())


def _by_ana(told: dict[str, Any]) -> bool:
    return all(each["name"].startswith("ana (") for each in told["challenges"])


async def test_players_see_each_other_challenge_and_play_twice(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        opened(tmp_path, broker, "ana") as ana,
        opened(tmp_path, broker, "bo") as bo,
        ana.visit() as one,
        bo.visit() as other,
    ):
        assert await ask(one, {"type": "call_me", "nickname": "Ana"}) is None
        assert await ask(other, {"type": "call_me", "nickname": "bo"}) is None
        seen = await until(
            one, "lobby", lambda told: any(p["name"].startswith("bo (") for p in told["players"])
        )
        (player,) = seen["players"]
        asks = {"type": "challenge", "player": player["node"], "ruleset": "reversi/standard"}
        table = await does(one, **asks, color="first", clock="10m+5s")
        await until(other, "lobby", lambda told: bool(told["challenges"]) and _by_ana(told))
        # A page that is loaded again shows it, too.
        async with bo.visit() as again:
            told = await until(again, "lobby", lambda told: bool(told["challenges"]))
            (challenge,) = told["challenges"]
        assert challenge["name"].startswith("ana (")
        assert challenge["side"] == "second"
        assert "10m each" in challenge["terms"]
        await does(other, type="accept", challenge=challenge["id"])
        told = await until(
            one, "lobby", lambda told: any(len(t["players"]) == 2 for t in told["tables"])
        )
        (listed,) = told["tables"]
        assert listed["players"] == ["you", player["name"]]
        await resigns(ana, table)

        async with ana.visit(f"table/{table}/socket") as seat:
            await seat.send('{"type":"leave","id":1}')
            told = await until(
                one, "lobby", lambda told: bool(told["finished"] and not told["tables"])
            )

        # From the list of finished games, with sides changed; declined at first.
        (finished,) = told["finished"]
        assert finished["players"] == ["you", player["name"]]
        assert finished["result"] == "White wins: Black resigned"
        for answer in ("decline", "accept"):
            table = await does(one, type="rematch", game=finished["id"])
            told = await until(other, "lobby", lambda told: bool(told["challenges"]))
            (challenge,) = told["challenges"]
            assert challenge["side"] == "first"
            await other.send(json.dumps({"type": answer, "challenge": challenge["id"], "id": 5}))
            if answer == "decline":
                trouble = await receive(one, "trouble")
                assert "declines" in trouble["text"]
                await until(one, "lobby", lambda told: not told["tables"])
                await until(other, "lobby", lambda told: not told["challenges"])
        place = str((await receive(other, "opened"))["table"])
        await resigns(bo, place)
        await until(one, "lobby", lambda told: len(told["finished"]) == 2)

        # And one of them is studied.
        study = await does(one, type="study", game=finished["id"])
        async with ana.visit(f"table/{study}/socket") as page:
            message: dict[str, Any] = {}
            while message.get("type") != "study":
                message = json.loads(await page.recv())
            assert "bo (" in message["title"]


async def test_a_withdrawn_challenge_can_be_accepted_no_longer(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with (
        opened(tmp_path, broker, "ana") as ana,
        opened(tmp_path, broker, "bo") as bo,
        ana.visit() as one,
        bo.visit() as other,
    ):
        told = await until(one, "lobby", lambda told: bool(told["players"]))
        node = told["players"][0]["node"]
        assert told["players"][0]["name"].startswith("unnamed (")
        asks = {"type": "challenge", "player": node, "ruleset": "loa/cs61b"}
        table = await does(one, **asks, color="random", clock="")
        told = await until(other, "lobby", lambda told: bool(told["challenges"]))
        (challenge,) = told["challenges"]
        async with ana.visit(f"table/{table}/socket") as seat:
            await seat.send('{"type":"leave","id":1}')
            await until(other, "lobby", lambda told: not told["challenges"])
        error = await ask(other, {"type": "accept", "challenge": challenge["id"]})
        assert error is not None
        assert "no longer open" in error["text"]
        told = await until(one, "lobby", lambda told: not told["tables"])
        assert told["kept"] == []


async def test_a_page_that_comes_after_its_challenge_was_declined_is_told_why(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with (
        opened(tmp_path, broker, "ana") as ana,
        opened(tmp_path, broker, "bo") as bo,
        ana.visit() as one,
        bo.visit() as other,
    ):
        told = await until(one, "lobby", lambda told: bool(told["players"]))
        asks = {"type": "challenge", "player": told["players"][0]["node"], "ruleset": "loa/cs61b"}
        table = await does(one, **asks, color="random", clock="")
        told = await until(other, "lobby", lambda told: bool(told["challenges"]))
        (challenge,) = told["challenges"]
        # The other one is quicker than the browser.
        assert await ask(other, {"type": "decline", "challenge": challenge["id"]}) is None
        await until(one, "lobby", lambda told: not told["tables"])
        async with ana.visit(f"table/{table}/socket") as late:
            heard = [json.loads(message) async for message in late]
        assert heard[-1]["type"] == "waiting"
        assert heard[-1]["who"].startswith("unnamed (")
        assert late.close_code == 1001
        assert "declines" in str(late.close_reason)


async def test_what_cannot_be_is_explained_beside_its_field(tmp_path: Path) -> None:
    async with opened(tmp_path, MemoryBroker()) as lobby, lobby.visit() as socket:
        await receive(socket, "lobby", connected=True)
        error = await ask(socket, {"type": "call_me", "nickname": "Ana Bo"})
        assert error is not None
        assert error["field"] == "nickname"
        nobody = {"type": "challenge", "player": "a" * 20, "ruleset": "loa/cs61b"}
        error = await ask(socket, nobody | {"color": "first", "clock": ""})
        assert error is not None
        assert "no longer there" in error["text"]
