"""The commands that ask a node how it is, as processes of their own."""

import json

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.serve.monitor import serve_monitor
from tests.e2e.nodes import Nodes
from tests.unit.serve.statuses import STATUS, status


@pytest.mark.gate
async def test_a_node_is_asked_for_its_status_without_any_configuration(nodes: Nodes) -> None:
    node = nodes.node("club")
    async with serve_monitor(Home(node.home), lambda: STATUS):
        told = await node.run("status")
        assert "ready, up" in told.out.lines[0]
        assert "club-2" in str(told.out)
        machine = await node.run("status", "--json")
        assert json.loads(machine.out.lines[0])["node"] == STATUS.node


async def test_a_node_that_takes_no_games_makes_status_fail(nodes: Nodes) -> None:
    node = nodes.node("club")
    async with serve_monitor(Home(node.home), lambda: status(draining=True)):
        told = await node.run("status", code=ExitCode.FAILURE)
    assert ": draining" in told.out.lines[0]


@pytest.mark.gate
async def test_top_without_a_terminal_prints_the_status_again_and_again(nodes: Nodes) -> None:
    node = nodes.node("club")
    async with serve_monitor(Home(node.home), lambda: STATUS):
        told = await node.run("top", "--count", "3", "--every", "0.1")
    assert sum(line.startswith("node ") for line in told.out.lines) == 3


async def test_where_no_node_serves_the_commands_say_so(nodes: Nodes) -> None:
    for command in ("status", "top"):
        told = await nodes.node("nobody").run(command, code=ExitCode.FAILURE)
        assert "No node serves" in told.err.lines[-1]


async def test_a_verbose_command_logs_for_programs_where_that_is_wanted(nodes: Nodes) -> None:
    told = await nodes.node("club").run("--verbose", "--log-format", "json", "doctor")
    lines = [json.loads(line) for line in told.err.lines]
    assert {line["level"] for line in lines} >= {"debug"}
    assert all(line.keys() >= {"time", "level", "logger", "text"} for line in lines)
