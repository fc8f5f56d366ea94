"""Games between this program and the browser's node, as processes at a real broker.

The other node knows nothing of this one but SPEC.md. It plays legal moves by a seed.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ataxxd.rules import rulesets
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes, Running
from tests.interop.browser_peer import PEER, needs_browser_peer
from tests.time_limits import DEADLINE

pytestmark = needs_browser_peer

AUTO = ("--auto", "--level", "1", "--seed", "1")
GAMES = ["ataxx/cs61b-2022", "checkers/acf", "loa/cs61b", "reversi/standard"]


class OtherProgram:
    """The browser's node as a process."""

    def __init__(self, process: asyncio.subprocess.Process, record: Path) -> None:
        self._process, self._record = process, record

    @classmethod
    async def start(
        cls, stack: AsyncExitStack, what: str, broker: str, name: str, record: Path, *options: str
    ) -> "OtherProgram":
        process = await asyncio.create_subprocess_exec(
            *("node", "--experimental-websocket", "build/test/program.js"),
            *(what, broker, name, str(record), *options),
            cwd=PEER,
            env={"PATH": os.environ["PATH"]},
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        stack.push_async_callback(_reaped, process)
        return cls(process, record)

    async def says(self, kind: str) -> dict[str, object]:
        """The next event of a kind."""
        assert self._process.stdout is not None
        async with asyncio.timeout(DEADLINE):
            while line := await self._process.stdout.readline():
                event: dict[str, object] = json.loads(line)
                if event["type"] == kind:
                    return event
        assert self._process.stderr is not None
        raise AssertionError((await self._process.stderr.read()).decode())

    async def record(self) -> bytes:
        """The record that it has written, when both have all of the game."""
        await self.says("finished")
        return self._record.read_bytes()


async def _reaped(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
    await process.wait()


@pytest.fixture
async def stack() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as made:
        yield made


@pytest.fixture
async def place(
    make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> AsyncIterator[tuple[Nodes, Mosquitto]]:
    broker = make_mosquitto(websockets=True)
    nodes = Nodes(tmp_path, broker.url)
    yield nodes, broker
    await nodes.close()


def test_the_games_here_are_those_there_are() -> None:
    assert {ruleset.split("/")[0] for ruleset in GAMES} == {each.game for each in rulesets()}


@pytest.mark.gate("ataxx")
@pytest.mark.parametrize("ruleset", GAMES)
async def test_the_browsers_node_joins_and_comes_to_the_same_record(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, ruleset: str, tmp_path: Path
) -> None:
    nodes, broker = place
    record = tmp_path / "host.json"
    host = await nodes.node("ana").host("ours", "--ruleset", ruleset, "--transcript", record, *AUTO)
    guest = await OtherProgram.start(
        stack, "join", broker.websocket_url, "ours", tmp_path / "guest.json"
    )
    assert await guest.record() == await _ended(host, record)


@pytest.mark.gate("checkers")
@pytest.mark.parametrize("ruleset", GAMES)
async def test_the_browsers_node_hosts_and_a_spectator_sees_the_same(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, ruleset: str, tmp_path: Path
) -> None:
    nodes, broker = place
    host = await OtherProgram.start(
        stack, "host", broker.websocket_url, "ours", tmp_path / "host.json",
        "--ruleset", ruleset,
    )  # fmt: skip
    hosting = await host.says("hosting")
    seen = tmp_path / "seen.json"
    watching = await nodes.node("carol").start(
        "watch", f"ours#{hosting['host']}", "--transcript", seen
    )
    await watching.says("Nobody has joined")
    joined = tmp_path / "guest.json"
    guest = await nodes.node("bert").start("join", "ours", "--transcript", joined, *AUTO)
    record = await host.record()
    assert record == await _ended(guest, joined)
    await watching.ends(0)
    assert record == seen.read_bytes()


@pytest.mark.gate("reversi")
@pytest.mark.parametrize("ruleset", GAMES)
async def test_the_browsers_node_watches_and_comes_to_the_same_record(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, ruleset: str, tmp_path: Path
) -> None:
    nodes, broker = place
    record = tmp_path / "host.json"
    host = await nodes.node("ana").host("ours", "--ruleset", ruleset, "--transcript", record, *AUTO)
    seen = await OtherProgram.start(
        stack, "watch", broker.websocket_url, "ours", tmp_path / "seen.json"
    )
    await seen.says("connection")
    guest = await nodes.node("bert").start("join", "ours", *AUTO)
    assert await seen.record() == await _ended(host, record)
    await guest.ends(0)


async def test_the_browsers_node_sees_a_game_that_is_over(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, tmp_path: Path
) -> None:
    nodes, broker = place
    record = tmp_path / "host.json"
    host = await nodes.node("ana").host("ours", "--transcript", record, *AUTO)
    guest = await nodes.node("bert").start("join", "ours", *AUTO)
    await guest.ends(0)
    await host.ends(0)
    seen = await OtherProgram.start(
        stack, "watch", broker.websocket_url, "ours", tmp_path / "seen.json"
    )
    assert await seen.record() == _agreed(record)


async def _ended(running: Running, record: Path) -> bytes:
    await running.ends(0)
    return _agreed(record)


def _agreed(record: Path) -> bytes:
    data = record.read_bytes()
    assert verify_record(data).standing is Standing.AGREED
    return data
