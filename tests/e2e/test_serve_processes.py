"""A node that several processes serve: killed, told and asked like one, and its games shared."""

import asyncio
import json
import logging
import os
import re
import signal
import socket
import sys
from contextlib import closing

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.serve.config import Config
from ataxxd.serve.processes import Supervisor
from ataxxd.serve.status import ServiceStatus, fetch_page
from tests.brokers import Mosquitto
from tests.e2e.nodes import Node, Nodes, Running
from tests.e2e.test_serve import BOT, TABLE, Server, plays
from tests.time_limits import DEADLINE


def several(processes: int, text: str) -> str:
    """A configuration for so many processes."""
    return f"[node]\nprocesses = {processes}\n{text}"


@pytest.fixture
def server(nodes: Nodes) -> Server:
    return Server(nodes)


async def started(running: Running, process: str, start: int = 0) -> int:
    """The pid of a process, such as ``process 2 of 2``."""
    line = await running.says(f"{process}: started, pid ", start)
    return int(line.rpartition(" ")[2])


async def status_of(node: Node) -> dict[str, object]:
    """What the commands are told of a node, whatever state it is in."""
    running = await node.start("status", "--json")
    await running.ends(ExitCode.OK, ExitCode.FAILURE)
    told = json.loads(str(running.out))
    assert isinstance(told, dict)
    return told


async def until(node: Node, **wanted: object) -> dict[str, object]:
    """Ask for the status until it says so."""
    async with asyncio.timeout(DEADLINE):
        while True:
            told = await status_of(node)
            if all(told[key] == value for key, value in wanted.items()):
                return told


@pytest.mark.gate
async def test_a_process_that_is_killed_comes_back_and_all_games_end_with_one_record(
    server: Server, nodes: Nodes
) -> None:
    ours, theirs = nodes.folder / "ours", nodes.folder / "theirs"
    records = f'[records]\nfolder = "{ours}"\n[search]\nthreads = 2\n'
    table = TABLE.replace('player = "random"', "level = 6")
    server.configure(several(2, f"{table}at_once = 6\n{records}"))
    running = await server.start()
    await running.says("club: open")
    await running.says("club-2: open")
    transcript = nodes.folder / "ann.json"
    ann = await nodes.node("ann").start("join", "club-2", "--transcript", transcript, typed=True)
    await running.says("club-2: playing")
    guests = Server(nodes, "guests")
    guests.configure(f'{BOT}at_once = 5\nper_peer = 5\n[records]\nfolder = "{theirs}"\n')
    playing = await guests.start()
    # Both processes, of which one has the even numbers, play with some of the guests.
    for name in ("club", "club-3", "club-4"):
        await running.says(f"{name}: playing")
    heard = len(running.err.lines)
    os.kill(await started(running, "process 2 of 2"), signal.SIGKILL)
    await running.says("process 2 of 2 ended with status -9; it is started again")
    await running.says("club-2: playing", heard)
    # What has begun is finished, and nothing new is begun.
    server.configure(several(2, records))
    running.send(signal.SIGHUP)
    await running.says("the configuration is read again")
    await ann.type("resign", "quit")
    await ann.ends()
    told = await until(server.node, games=[], ready=True)
    assert (told["processes"], told["restarts"]) == (2, 1)
    begun = set(re.findall(r"(club\S*): playing", str(running.err)))
    for name in begun - {"club-2"}:
        await playing.says(f"{name}: over")
    running.send(signal.SIGTERM)
    await running.says("all processes have ended")
    await running.ends()
    mine = {path.name: path.read_bytes() for path in ours.iterdir()}
    yours = {path.name: path.read_bytes() for path in theirs.iterdir()}
    # A name serves again once its game is over; a file's name ends with the game's id.
    assert {name.rpartition("-")[0] for name in mine} == begun
    assert sorted(mine.values()) == sorted([*yours.values(), transcript.read_bytes()])
    await nodes.node("bob").run("verify", *(ours / name for name in mine))
    archived = await server.node.run("archive", "--json")
    assert len(archived.out.lines) == len(mine)


async def test_another_number_of_processes_goes_on_with_all_games(
    server: Server, nodes: Nodes
) -> None:
    names = ["club", "club-2", "club-3"]
    guests: list[Running] = []
    for processes in (2, 3, 1):
        server.configure(several(processes, f"{TABLE}at_once = 3\n"))
        running = await server.start()
        if not guests:
            for number, name in enumerate(names):
                await running.says(f"{name}: open")
                guest = await nodes.node(f"guest{number}").start("join", name, typed=True)
                await running.says(f"{name}: playing")
                guests.append(guest)
        for name in names:
            await running.says(f"{name}: playing")
        if processes > 1:
            running.send(signal.SIGTERM)
            await running.ends()
    for guest in guests:
        await guest.type("resign", "quit")
        await guest.ends()
    for name in names:
        await running.says(f"{name}: over")
    with closing(Journal(Home(server.node.home).journal)) as journal:
        assert {stored.offer.name for stored in journal.unfinished()}.isdisjoint(names)


async def test_a_killed_supervisor_leaves_no_process_behind(server: Server, nodes: Nodes) -> None:
    server.configure(several(2, f"{TABLE}at_once = 2\n"))
    running = await server.start()
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    async with asyncio.timeout(DEADLINE):
        # All of them write to its standard error, which ends with the last.
        await running.kill()
    again = await server.start()
    await again.says("club: playing")
    await guest.type("resign", "quit")
    await again.says("club: over")


async def test_a_signal_that_all_processes_get_stops_them_in_good_order(
    server: Server, nodes: Nodes
) -> None:
    server.configure(several(2, f"{TABLE}at_once = 2\n"))
    running = await server.start("--drain-for", "3600")
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    for number in (1, 2):
        os.kill(await started(running, f"process {number} of 2"), signal.SIGTERM)
    running.send(signal.SIGTERM)
    await running.says_often("no new games; those under way have 3600 s", 2)
    assert (await until(server.node, draining=True))["ready"] is not None
    await guest.type("resign", "quit")
    await running.says_often("games left for the next start: 0", 2)
    await running.ends()
    assert "ended with status" not in str(running.err)


async def test_a_service_that_has_just_begun_stops_when_told(server: Server) -> None:
    server.configure(several(2, TABLE))
    running = await server.node.start("serve", "--config", server.path)
    await started(running, "process 1 of 2")
    running.send(signal.SIGTERM)
    await running.says("all processes have ended")
    await running.ends()
    assert "ended with status" not in str(running.err)


async def test_a_table_of_one_game_is_one_processes_and_has_its_own_name(
    server: Server, nodes: Nodes
) -> None:
    server.configure(several(2, TABLE + TABLE.replace('"club"', '"salon"')))
    running = await server.start()
    await running.says("club: open")
    await running.says("salon: open")
    told = await status_of(server.node)
    games = told["games"]
    assert isinstance(games, list)
    assert sorted(game["name"] for game in games) == ["club", "salon"]
    await plays(nodes.node("ann"), "club")
    await plays(nodes.node("bob"), "salon")
    told = await until(server.node, finished=2)
    before = told["messages_out"]
    assert isinstance(before, int)
    heard = len(running.err.lines)
    for number in (1, 2):
        os.kill(await started(running, f"process {number} of 2"), signal.SIGKILL)
    await running.says("serving: 2 processes", heard)
    told = await until(server.node, ready=True, restarts=2)
    after = told["messages_out"]
    assert isinstance(after, int)
    assert told["finished"] == 2
    assert after >= before
    home = Home(server.node.home)
    assert await asyncio.to_thread(fetch_page, home, "/readyz") == (200, b"ready\n")
    _, metrics = await asyncio.to_thread(fetch_page, home, "/metrics")
    for sample in ("games_finished_total 2", "processes 2", "process_restarts_total 2"):
        assert f"ataxxd_{sample}.0\n".encode() in metrics
    shown = await server.node.run("top", "--count", "1")
    await shown.prints("; 2 processes, 2 restarts")
    await server.node.run("backup", nodes.folder / "node.tar.gz")


async def test_a_process_that_hangs_is_killed_and_started_again(
    nodes: Nodes, mosquitto: Mosquitto, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    home, url = nodes.folder / "server", mosquitto.url
    table = {"name": "club", "ruleset": "ataxx/uai", "player": "random", "at_once": 2}
    config = Config.model_validate(
        {"node": {"home": str(home), "processes": 2}, "broker": {"url": url}, "tables": [table]}
    )
    supervisor = Supervisor(
        [sys.executable, "-m", "ataxxd", "serve"],
        config,
        ServiceStatus.at_start(load_identity(Home(home).identity).node, url, ""),
        max_unanswered=2,
    )
    running = asyncio.create_task(supervisor.run())

    async def until_ready(restarts: int) -> None:
        async with asyncio.timeout(DEADLINE):
            while True:
                told = await supervisor.status()
                if told.ready and told.restarts >= restarts:
                    return

    await until_ready(0)
    pid = re.search(r"process 2 of 2: started, pid (\d+)", caplog.text)
    assert pid is not None
    os.kill(int(pid[1]), signal.SIGSTOP)
    await until_ready(1)
    assert "process 2 of 2 does not answer; it is killed" in caplog.text
    await nodes.node("ann").lists("club", "club-2")
    supervisor.stop()
    await running


async def test_processes_share_the_broker_that_their_supervisor_runs(nodes: Nodes) -> None:
    server = Server(nodes)
    server.node = nodes.node("server", broker="mqtt://127.0.0.1:1")
    embedded = "[broker]\nembedded = true\nport = 0\n"
    server.configure(several(2, f"{embedded}{TABLE}at_once = 2\n"))
    running = await server.start()
    line = await running.says("embedded broker listens on ")
    guest = nodes.node("ann", broker=f"mqtt://{line.rpartition(' ')[2]}")
    await guest.lists("club", "club-2")


async def test_what_keeps_a_process_from_starting_ends_the_service(server: Server) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        server.configure(several(2, f"{TABLE}[web]\nenabled = true\nport = {port}\n"))
        running = await server.node.run("serve", "--config", server.path, code=ExitCode.USAGE)
    assert f"[web] port {port}: nothing can listen there" in str(running.err)


async def test_one_node_has_one_supervisor(server: Server) -> None:
    server.configure(several(2, TABLE))
    await server.start()
    for processes in (1, 2):
        server.configure(several(processes, TABLE))
        second = await server.node.run("serve", "--config", server.path, code=ExitCode.NAME_IN_USE)
        assert "Another ataxxd process" in str(second.err)
