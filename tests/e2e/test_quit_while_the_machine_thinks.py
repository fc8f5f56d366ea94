"""`quit` at a terminal acts at once, also while the machine thinks or a move waits for its turn."""

import asyncio
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes
from tests.e2e.terminals import in_terminal


@pytest.mark.parametrize("options", [[], ["--line"]], ids=["friendly", "line"])
def test_nobody_waits_for_the_machine_to_quit(tmp_path: Path, options: list[str]) -> None:
    arguments = ["play", "--game", "reversi", "--time", "10h", *options]
    with in_terminal(arguments, environment={"ATAXXD_HOME": f"{tmp_path}"}) as terminal:
        at = terminal.read_until("Black:")
        move = "d3" if not options else "(3,2)"
        terminal.type(f"{move}\r".encode())
        terminal.read_until("Black plays d3" if not options else "", at)
        # What is typed next is not for the machine's turn, and not lost without a word.
        terminal.type(b"board\r")
        terminal.type(b"quit\r")
        assert terminal.wait() == ExitCode.OK
        assert "Not done, since it was not your turn yet: board" in terminal.text


async def test_a_move_that_waits_keeps_nobody_at_the_table(
    nodes: Nodes, mosquitto: Mosquitto, tmp_path: Path
) -> None:
    host = await nodes.node("host").host("ourgame", typed=True)
    environment = {"ATAXXD_HOME": f"{tmp_path / 'guest'}", "ATAXXD_BROKER": mosquitto.url}

    def join() -> str:
        with in_terminal(["join", "ourgame", "--line"], environment=environment) as terminal:
            terminal.read_until("You have the seat")
            terminal.type(b"g7-f6\rquit\r")
            assert terminal.wait() == ExitCode.OK
            return terminal.text

    said = await asyncio.to_thread(join)
    assert "Not done, since it was not your turn yet: g7-f6" in said
    command = f"ataxxd resume ourgame --home {tmp_path / 'guest'}"
    assert f"Continue with: {command}" in " ".join(said.split())
    await host.type("quit")
    await host.ends()
