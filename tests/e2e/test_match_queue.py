"""``ataxxd match --queue`` and ``ataxxd worker``: real processes at a real NATS server."""

import asyncio
import json
import os
import re
import shlex
import shutil
import signal
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import nats
import pytest
from nats.js.errors import NotFoundError

import ataxxd
from ataxxd.errors import ExitCode
from ataxxd.match_queue.server import connect
from tests.brokers import free_port
from tests.conftest import require
from tests.e2e.line_program import PROGRAM
from tests.e2e.spawned import Spawn
from tests.match_machines import play
from tests.nats_server import NatsServer
from tests.time_limits import DEADLINE

PLAYERS = ("auto", "auto:nodes:1200", "--nodes", "1500")
OURS = f"engine:limit=nodes:200 {shlex.join([*PROGRAM, 'uai'])}"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    require(NatsServer)
    with NatsServer(tmp_path / "nats") as running:
        yield running


def games_of(state: Path) -> list[str]:
    """The lines of a match's file in order, but for the day on which a game was played."""
    text = re.sub(r'"date":"[0-9.]+"', '"date":""', state.read_text())
    return sorted(text.splitlines())


def streams_of(server: NatsServer) -> dict[str, int]:
    """The streams of a server with the number of their messages."""

    async def ask() -> dict[str, int]:
        client = await nats.connect(server.url)
        try:
            return {
                str(each.config.name): each.state.messages
                for each in await client.jetstream().streams_info()
            }
        finally:
            await client.close()

    return asyncio.run(ask())


def until_one_is_played(server: NatsServer) -> None:
    """Wait until a worker has taken a game."""

    async def ask() -> None:
        client = await nats.connect(server.url)
        try:
            streams = client.jetstream()
            while True:
                with suppress(NotFoundError):  # before the worker has come
                    info = await streams.consumer_info("ATAXXD-GAMES", "workers")
                    if info.num_ack_pending == 1:
                        return
        finally:
            await client.close()

    asyncio.run(asyncio.wait_for(ask(), DEADLINE))


@pytest.mark.gate
def test_workers_play_the_same_match_though_one_is_killed_and_the_server_starts_again(
    server: NatsServer, spawn: Spawn, tmp_path: Path
) -> None:
    arguments = ("match", *PLAYERS, "--games", "10", "--json", "--sprt", "0:5")
    code, out, err = spawn(*arguments, "--state", "local").finished()
    assert code == ExitCode.NOT_SHOWN, err
    match = spawn(*arguments, "--state", "queued", "--queue", server.url)
    killed = spawn("worker", server.url, "--name", "killed")
    killed.until("Game ")
    killed.kill()
    match.until("Game ")
    server.kill()
    server.start()
    steady = spawn("worker", server.url, "--name", "steady")
    code, queued, err = match.finished()
    assert code == ExitCode.NOT_SHOWN, err
    assert queued == out
    assert games_of(tmp_path / "queued") == games_of(tmp_path / "local")
    assert re.search(r", \d workers?, [0-9.]+ games per second$", err, re.MULTILINE)
    assert streams_of(server) == {"ATAXXD-GAMES": 0}
    steady.send(signal.SIGINT)
    code, _, err = steady.finished()
    assert code == ExitCode.OK, err


def test_three_machines_of_which_two_fail_play_the_same_match(tmp_path: Path) -> None:
    require(NatsServer)
    same = play(30, tmp_path)
    if same is None:
        pytest.skip("no networks can be made here")
    assert same


def test_a_match_and_a_worker_that_are_stopped_lose_nothing(
    server: NatsServer, spawn: Spawn, tmp_path: Path
) -> None:
    # No move of this game comes while anybody waits for it.
    arguments = ("match", "auto", "random", "--nodes", "9000000000", "--games", "2")
    match = spawn(*arguments, "--state", "s", "--queue", server.url)
    worker = spawn("worker", server.url)
    until_one_is_played(server)
    worker.send(signal.SIGINT)
    code, _, err = worker.finished()
    assert code == ExitCode.OK
    assert "Played 0 games." in err
    assert streams_of(server)["ATAXXD-GAMES"] == 2
    match.send(signal.SIGINT)
    code, _, err = match.finished()
    assert code == ExitCode.INTERRUPTED
    assert "Stopped after 0 of 2 games; the same command continues" in err
    assert streams_of(server)["ATAXXD-GAMES"] == 0


def test_a_worker_is_stopped_while_its_server_is_gone(server: NatsServer, spawn: Spawn) -> None:
    spawn("match", "auto", "random", "--nodes", "9000000000", "--state", "s", "--queue", server.url)
    worker = spawn("worker", server.url)
    until_one_is_played(server)
    server.kill()
    worker.until("The NATS server at ")
    worker.send(signal.SIGINT)
    code, _, err = worker.finished()
    assert code == ExitCode.OK, err
    assert "Played 0 games." in err


def test_a_match_that_was_begun_here_goes_on_elsewhere(
    server: NatsServer, spawn: Spawn, tmp_path: Path
) -> None:
    arguments = ("match", *PLAYERS, "--json")
    code, whole, err = spawn(*arguments, "--games", "6", "--state", "local").finished()
    assert code == ExitCode.OK, err
    code, _, err = spawn(*arguments, "--games", "2", "--state", "queued").finished()
    assert code == ExitCode.OK, err
    spawn("worker", server.url, "--concurrency", "2")
    code, out, err = spawn(
        *arguments, "--games", "6", "--state", "queued", "--queue", server.url
    ).finished()
    assert code == ExitCode.OK, err
    assert "2 games already played; the match continues" in err
    assert out == whole
    assert games_of(tmp_path / "queued") == games_of(tmp_path / "local")


def test_a_match_that_was_killed_takes_the_results_that_came_meanwhile(
    server: NatsServer, spawn: Spawn, tmp_path: Path
) -> None:
    arguments = ("match", *PLAYERS, "--games", "6", "--json")
    _, whole, _ = spawn(*arguments, "--state", "local").finished()
    queued = (*arguments, "--state", "queued", "--queue", server.url)
    match, worker = spawn(*queued), spawn("worker", server.url)
    match.until("Game ")
    match.kill()
    for _ in range(6):
        worker.until("Game ")
    worker.kill()
    # Nobody plays now: all that is left of the match has come in.
    code, out, err = spawn(*queued).finished()
    assert code == ExitCode.OK, err
    assert out == whole
    assert games_of(tmp_path / "queued") == games_of(tmp_path / "local")


def test_a_server_that_lost_its_disk_is_given_the_games_again(
    server: NatsServer, spawn: Spawn, tmp_path: Path
) -> None:
    arguments = ("match", *PLAYERS, "--games", "4", "--json")
    _, whole, _ = spawn(*arguments, "--state", "local").finished()
    match = spawn(*arguments, "--state", "queued", "--queue", server.url)
    deadline = time.monotonic() + DEADLINE
    while streams_of(server).get("ATAXXD-GAMES") != 4:
        assert time.monotonic() < deadline
    server.kill()
    shutil.rmtree(server.store)
    server.start()
    match.until("Connected to ")
    spawn("worker", server.url)
    code, out, err = match.finished()
    assert code == ExitCode.OK, err
    assert out == whole
    assert games_of(tmp_path / "queued") == games_of(tmp_path / "local")


def test_a_worker_of_another_version_is_refused_once_and_its_game_is_played_again(
    server: NatsServer, spawn: Spawn
) -> None:
    other = "import ataxxd; ataxxd.__version__ = '0.0.1'; from ataxxd.__main__ import main; main()"
    match = spawn("match", *PLAYERS, "--games", "2", "--state", "s", "--queue", server.url)
    older = spawn("worker", server.url, "--name", "older", program=(sys.executable, "-c", other))
    code, _, err = older.finished()
    assert code == ExitCode.INCOMPATIBLE
    assert "The match does not count this worker's games: it has ataxxd 0.0.1, where" in err
    spawn("worker", server.url)
    code, out, err = match.finished()
    assert code == ExitCode.OK, err
    assert "2 of 2 games" in out
    assert err.count("The games of worker older do not count: it has ataxxd 0.0.1, where") == 1


def test_limits_in_time_are_longer_on_a_slower_machine(server: NatsServer, spawn: Spawn) -> None:
    def at(nodes_per_s: int) -> Sequence[str]:
        """The program on a machine of this speed."""
        places = "import ataxxd.match_queue as match, ataxxd.match_queue.worker as worker"
        speed = f"{places}; match.measure_speed = worker.measure_speed = lambda game: {nodes_per_s}"
        return (sys.executable, "-c", f"{speed}; from ataxxd.__main__ import main; main()")

    limits = ("--depth", "2", "--move-time", "30s", "--games", "4")
    arguments = ("match", "auto", "random", *limits, "--state", "s", "--queue", server.url)
    match = spawn(*arguments, program=at(3000))
    spawn("worker", server.url, "--name", "slow", program=at(2000))
    code, out, err = match.finished()
    assert code == ExitCode.OK, err
    assert "4 of 4 games" in out
    assert err.count("Worker slow plays with 1.50 times the time, by its speed.") == 1


def test_a_sequential_test_that_is_decided_ends_the_games_that_are_out(
    server: NatsServer, spawn: Spawn
) -> None:
    match = spawn(
        "match", "auto", "random", "--nodes", "200", "--games", "1000", "--sprt", "0:200",
        "--state", "s", "--queue", server.url,
    )  # fmt: skip
    spawn("worker", server.url)
    code, out, err = match.finished()
    assert code == ExitCode.OK, err
    assert ", shown" in out
    assert streams_of(server) == {"ATAXXD-GAMES": 0}


def test_a_worker_starts_programs_that_a_match_names_only_where_that_is_allowed(
    server: NatsServer, spawn: Spawn
) -> None:
    match = spawn(
        "match", OURS, "random", "--nodes", "200", "--games", "2", "--state", "s",
        "--queue", server.url,
    )  # fmt: skip
    code, _, err = spawn("worker", server.url).finished()
    assert code == ExitCode.USAGE
    assert "wants to start a program here: engine:limit=nodes:200" in err
    assert "allow it: --allow-engines" in err
    spawn("worker", server.url, "--allow-engines")
    code, out, err = match.finished()
    assert code == ExitCode.OK, err
    assert "2 of 2 games" in out


@pytest.mark.gate
def test_a_match_of_workers_is_watched_from_elsewhere(server: NatsServer, spawn: Spawn) -> None:
    match = spawn(
        "match", *PLAYERS, "--games", "6", "--sprt", "0:5", "--state", "s", "--queue", server.url
    )
    watching = spawn("match", "--watch", server.url)
    first = watching.until("ataxxd - ataxxd nodes:1200: ")
    assert first.startswith("ataxxd - ataxxd nodes:1200: 0 of 6 games; pairs by points 0: 0 ")
    assert first.endswith("log-likelihood ratio 0.00 (-2.94 to 2.94), goes on; 0 workers")
    spawn("worker", server.url, "--name", "steady")
    code, out, err = match.finished()
    assert code == ExitCode.NOT_SHOWN, err
    code, seen, err = watching.finished()
    assert code == ExitCode.OK, err
    # What the match itself says at its end, and who has played it.
    *table, columns, row = seen.splitlines()
    assert table == out.splitlines()
    assert columns.split() == [
        "worker",
        "version",
        "playing",
        "played",
        "score",
        "residual",
        "time",
    ]
    name, version, playing, played, _, time_factor = row.split()
    assert (name, version, playing, played) == ("steady", ataxxd.__version__, "0", "6")
    assert time_factor == "1.00"


def test_a_match_is_watched_by_its_file_until_nobody_plays_it(spawn: Spawn, tmp_path: Path) -> None:
    match = spawn(
        "match", "auto", "random", "--nodes", "500", "--games", "100000", "--state", "s", "--json"
    )
    match.until("Game 1")
    watching = spawn("match", "--watch", "s", "--sprt", "0:5", "--json")
    line = watching.until("ataxxd - random: ")
    assert " game" in line
    assert "SPRT 0 to 5: log-likelihood ratio " in line
    match.send(signal.SIGINT)
    code, out, err = match.finished()
    assert code == ExitCode.INTERRUPTED, err
    code, seen, err = watching.finished()
    assert code == ExitCode.OK, err
    there, here = json.loads(out), json.loads(seen)
    assert here["games"] is None
    assert here["players"] == there["players"]
    assert (here["won"], here["pairs"], here["elo"]) == (there["won"], there["pairs"], there["elo"])
    assert here["verdict"] == "undecided" or here["verdict"] == "shown"
    assert len((tmp_path / "s").read_text().splitlines()) == 2 + sum(
        here[each] for each in ("won", "drawn", "lost")
    )


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("auto", "random", "--watch", "s"), "leave out the players"),
        (("--watch", "s"), "cannot be opened"),
        (("--watch", "noise"), "is not the file of a match"),
        (("--watch", "mqtt://127.0.0.1"), "is not the address of a NATS server"),
        ((), "A match needs two players, such as: ataxxd match auto random"),
    ],
)
def test_what_cannot_be_watched_is_explained(
    arguments: Sequence[str], why: str, spawn: Spawn, tmp_path: Path
) -> None:
    (tmp_path / "noise").write_bytes(b"noise")
    code, _, err = spawn("match", *arguments).finished()
    assert code in (ExitCode.USAGE, ExitCode.STORAGE)
    assert why in err
    assert (tmp_path / "noise").read_bytes() == b"noise"


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--nodes", "200"), "--queue needs --state FILE"),
        (("--nodes", "200", "--state", "s", "--concurrency", "2"), "give --concurrency to ataxxd"),
    ],
)
def test_what_a_queue_cannot_do_is_explained(
    options: Sequence[str], why: str, spawn: Spawn
) -> None:
    code, _, err = spawn(
        "match", "auto", "random", *options, "--queue", "nats://[::1]:9"
    ).finished()
    assert code == ExitCode.USAGE
    assert why in err


@pytest.mark.parametrize("player", ["auto:100ms", "auto:time=100"])
def test_a_player_whose_own_limit_is_in_time_is_refused(player: str, spawn: Spawn) -> None:
    options = ("--nodes", "200", "--state", "s", "--queue", "nats://127.0.0.1:9")
    code, _, err = spawn("match", player, "random", *options).finished()
    assert code == ExitCode.USAGE
    assert "a player's own limit must not be in time" in err
    assert "Give the time by --clock or --move-time" in err


@pytest.mark.parametrize("url", ["127.0.0.1:4222", "mqtt://127.0.0.1", "nats://", "nats://a:b"])
def test_an_address_that_is_none_of_a_nats_server_is_explained(url: str, spawn: Spawn) -> None:
    code, _, err = spawn("worker", url).finished()
    assert code == ExitCode.USAGE
    assert "is not the address of a NATS server: write nats://HOST:PORT" in err


@pytest.mark.parametrize(
    "command",
    [("worker",), ("match", "auto", "random", "--nodes", "9", "--state", "s", "--queue")],
    ids=["worker", "match"],
)
def test_where_no_server_answers_it_is_said_how_to_start_one(
    command: Sequence[str], spawn: Spawn
) -> None:
    port = free_port()
    code, _, err = spawn(*command, f"nats://127.0.0.1:{port}").finished()
    assert code == ExitCode.NO_BROKER
    assert f"No NATS server answers at 127.0.0.1:{port} (nothing listens there)" in err
    assert "Start one with nats-server --jetstream" in err


def test_a_server_that_keeps_nothing_is_refused(tmp_path: Path, spawn: Spawn) -> None:
    require(NatsServer)
    with NatsServer(tmp_path / "nats", keeps=False) as server:
        code, _, err = spawn("worker", server.url).finished()
    assert code == ExitCode.BROKER_REFUSED
    assert "because JetStream is off" in err


@asynccontextmanager
async def relayed(
    server: NatsServer, passes: Callable[[int, bytes], Awaitable[bool]]
) -> AsyncIterator[str]:
    """The address of a relay to a server, left when all connections are closed.

    Args:
        server: a real one.
        passes: of each piece that comes, in either direction, whether it is carried; by the number
            of its connection, from 1.
    """
    carrying = list[asyncio.Task[None] | None]()

    async def serve(here: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        carrying.append(asyncio.current_task())
        number = len(carrying)

        async def carry(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
            with suppress(OSError):
                while data := await source.read(2**16):
                    if await passes(number, data):
                        sink.write(data)
            sink.close()

        there, on = await asyncio.open_connection("127.0.0.1", server.port)
        await asyncio.gather(carry(here, on), carry(there, back))

    port = free_port()
    async with await asyncio.start_server(serve, "127.0.0.1", port):
        yield f"nats://127.0.0.1:{port}"
        await asyncio.gather(*filter(None, carrying))


@pytest.mark.parametrize("last", [b"", b"CONNECT ", b"$JS.API.INFO"], ids=["info", "pong", "api"])
async def test_a_server_that_is_silent_at_first_is_asked_again(
    last: bytes, server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.match_queue.server._ANSWER_S", 1.0)
    silent = False

    async def passes(number: int, data: bytes) -> bool:
        """Nothing passes in the first connection from the `last` words on."""
        nonlocal silent
        silent = silent or last in data
        return number > 1 or not silent

    async with relayed(server, passes) as url:
        come = await connect(url, print)
        await come.make_games()
        await come.close()
    assert silent


async def test_a_server_that_falls_silent_is_told_of_once_and_asked_until_it_answers(
    server: NatsServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.match_queue.server._ANSWER_S", 1)
    monkeypatch.setattr("ataxxd.match_queue.server._SILENT_S", 1.5)
    said = asyncio.Queue[str]()
    here = await connect(server.url, said.put_nowait)
    os.kill(server.pid, signal.SIGSTOP)
    try:
        asked = [asyncio.create_task(here.wait_for_answer()) for _ in range(2)]
        silent = await said.get()
    finally:
        os.kill(server.pid, signal.SIGCONT)
    await asyncio.gather(*asked)
    await here.close()
    assert silent == f"The NATS server at {here.address} does not answer. Trying again and again."
    assert await said.get() == f"The NATS server at {here.address} answers again."
    assert said.empty()


async def test_a_lost_connection_is_told_of_while_a_match_waits_for_an_answer(
    server: NatsServer, spawn: Spawn
) -> None:
    async def passes(_: int, data: bytes) -> bool:
        """Each connection is lost once it asks for this, so that the match never has its answer."""
        if b"$JS.API.STREAM.PURGE" in data:
            raise ConnectionResetError
        return True

    async with relayed(server, passes) as url:
        match = spawn("match", "auto", "random", "--games", "2", "--state", "s", "--queue", url)
        await asyncio.to_thread(match.until, "The NATS server at ")
        await asyncio.to_thread(match.until, "Connected to ")
        match.kill()


async def test_a_stream_that_was_refused_while_another_made_it_is_asked_for_again(
    server: NatsServer,
) -> None:
    refused = 0
    maker = await nats.connect(server.url)
    streams = maker.jetstream()
    await streams.add_stream(name="MADE", subjects=["ataxxd.game.*"])

    async def passes(_: int, data: bytes) -> bool:
        """When it is refused, what was in the way is there no longer."""
        nonlocal refused
        if b"subjects overlap" in data:
            refused += 1
            await streams.delete_stream("MADE")
        return True

    async with relayed(server, passes) as url:
        come = await connect(url, print)
        await come.make_games()
        await come.close()
    assert refused == 1
    await maker.close()


def test_a_server_with_a_stream_in_the_way_is_refused(server: NatsServer, spawn: Spawn) -> None:
    async def make() -> None:
        client = await nats.connect(server.url)
        await client.jetstream().add_stream(name="MADE", subjects=["ataxxd.game.*"])
        await client.close()

    asyncio.run(make())
    code, _, err = spawn("worker", server.url).finished()
    assert code == ExitCode.BROKER_REFUSED
    assert "cannot keep the match (subjects overlap with an existing stream)" in err


def test_a_login_is_asked_for_and_not_shown(tmp_path: Path, spawn: Spawn) -> None:
    require(NatsServer)
    with NatsServer(tmp_path / "nats", login="club") as server:
        code, _, err = spawn("worker", server.url).finished()
        assert code == ExitCode.BROKER_REFUSED
        assert "does not let us in" in err
        worker = spawn("worker", server.url.replace("//", "//club:secret@"))
        assert "secret" not in worker.until("Worker ")


def test_a_login_that_may_not_use_jetstream_is_told_what_it_may_not(
    tmp_path: Path, spawn: Spawn
) -> None:
    require(NatsServer)
    with NatsServer(tmp_path / "nats", login="club", denied="$JS.API.>") as server:
        code, _, err = spawn("worker", server.url.replace("//", "//club:secret@")).finished()
    assert code == ExitCode.BROKER_REFUSED
    assert "does not let us use JetStream (permissions violation for publish to " in err


def test_a_plain_installation_says_how_to_add_the_client(spawn: Spawn) -> None:
    plain = "import sys; sys.modules['nats'] = None; from ataxxd.__main__ import main; main()"
    program = (sys.executable, "-c", plain)
    code, _, err = spawn("worker", "nats://127.0.0.1", program=program).finished()
    assert code == ExitCode.USAGE
    assert "needs the package nats-py, which a plain installation leaves out" in err
    assert "ataxxd[queue]" in err
