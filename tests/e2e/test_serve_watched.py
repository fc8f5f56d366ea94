"""A node that serves, asked how it is, and restored from its backup."""

import asyncio
import http.client
import json
import shutil
import signal

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.brokers import free_port
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.retained import retains
from tests.e2e.test_serve import TABLE, Server
from tests.time_limits import DEADLINE


@pytest.fixture
def server(nodes: Nodes) -> Server:
    return Server(nodes)


def page(address: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=DEADLINE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


async def test_a_node_that_serves_tells_how_it_is(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE + "[monitor]\nenabled = true\n")
    running = await server.start()
    address = (await running.says("metrics at ")).split("metrics at ")[1].removesuffix("/metrics")
    assert await asyncio.to_thread(page, address, "/readyz") == (200, "ready\n")
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    told = json.loads((await server.node.run("status", "--json")).out.lines[0])
    playing = [game["name"] for game in told["games"] if game["state"] == "playing"]
    assert playing == ["club"]
    _, metrics = await asyncio.to_thread(page, address, "/metrics")
    assert 'ataxxd_games{role="host",ruleset="ataxx/uai",state="playing"} 1.0' in metrics
    await guest.kill()


async def test_a_node_that_drains_is_alive_and_not_ready(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE + "[monitor]\nenabled = true\n")
    running = await server.start("--drain-for", "120")
    address = (await running.says("metrics at ")).split("metrics at ")[1].removesuffix("/metrics")
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    running.send(signal.SIGTERM)
    await running.says("no new games")
    code, words = await asyncio.to_thread(page, address, "/readyz")
    assert (code, words) == (503, "draining: no new game is begun\n")
    assert (await asyncio.to_thread(page, address, "/healthz"))[0] == 200
    await server.node.run("status", code=ExitCode.FAILURE)
    await guest.type("resign", "quit")
    await running.ends()
    gone = await server.node.run("status", code=ExitCode.FAILURE)
    assert "No node serves" in str(gone.err)


async def test_without_a_broker_a_node_says_what_it_waits_for(nodes: Nodes) -> None:
    server = Server(nodes)
    server.configure("")
    nobody = f"mqtt://127.0.0.1:{free_port()}"
    running = await server.node.start("serve", "--config", server.path, "--broker", nobody)
    await running.says("It is tried again")
    told = await server.node.run("status", code=ExitCode.FAILURE)
    assert "not connected" in told.out.lines[0]


async def test_a_second_process_for_one_home_leaves_the_first_alone(server: Server) -> None:
    server.configure(TABLE)
    await server.start()
    await server.node.run("serve", "--config", server.path, code=ExitCode.NAME_IN_USE)
    assert (await server.node.run("status")).out.lines


async def test_a_game_out_of_a_backup_is_gone_on_with_when_it_is_known(
    server: Server, nodes: Nodes
) -> None:
    # Who moves at random loses everything within nine plies in one game of nine.
    table = TABLE.replace('"random"', '"first"')
    server.configure(table.replace("ataxx/uai", "ataxx/cs61b-2022"))
    running = await server.start()
    record, file = nodes.folder / "ann.json", nodes.folder / "backup.tar.gz"
    guest = await nodes.node("ann").start("join", "club", "--transcript", record, typed=True)
    person = Person(Side.SECOND, 1)
    await person.play(guest, plies=2)
    await server.node.run("backup", file)
    await person.play(guest, plies=2)
    await retains(nodes, server.node, "club", 9)
    await running.kill()
    shutil.rmtree(server.node.home)
    await server.node.run("restore", file)
    again = await server.start()
    await again.says("club: caught up, ply 9")
    await person.play(guest, plies=1)
    await guest.type("resign", "quit")
    await guest.ends()
    assert verify_record(record.read_bytes()).standing is Standing.AGREED
