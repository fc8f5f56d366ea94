"""Games between this program and the browser's node, as processes at a real broker.

The other node knows nothing of this one but SPEC.md. It plays legal moves by a seed.
"""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from ataxxd.rules import rulesets
from ataxxd.session.record import Standing, verify_record
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import decode
from ataxxd_protocol.messages import Move, Status, Unread
from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes, Running
from tests.e2e.terminals import in_terminal
from tests.faults import Publish
from tests.forgetful_relay import ForgetfulRelay
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
def mosquitto_with_websockets(make_mosquitto: Callable[..., Mosquitto]) -> Mosquitto:
    return make_mosquitto(websockets=True)


@pytest.fixture
async def place(
    mosquitto_with_websockets: Mosquitto, tmp_path: Path
) -> AsyncIterator[tuple[Nodes, Mosquitto]]:
    broker = mosquitto_with_websockets
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


async def test_a_guest_whose_game_the_host_has_replaced_is_told_so(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, tmp_path: Path
) -> None:
    nodes, broker = place
    ana = nodes.node("ana")
    host = await ana.host("ours")
    await host.kill()
    guest = await OtherProgram.start(
        stack, "join", broker.websocket_url, "ours", tmp_path / "guest.json"
    )
    await guest.says("connection")
    await ana.start("host", "ours", "--new")
    await guest.says("replaced")


@pytest.mark.gate
async def test_two_who_ask_for_a_rematch_at_once_get_one_game_and_others_see_it(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, tmp_path: Path
) -> None:
    nodes, broker = place
    series = ("--games", "2", "--rematch", "ask")
    url = broker.websocket_url
    host = await OtherProgram.start(
        stack, "host", url, "ours", tmp_path / "host.json", "--ruleset", "reversi/standard", *series
    )
    hosting = await host.says("hosting")
    ours = await nodes.node("carol").start(
        "watch", f"ours#{hosting['host']}", "--transcript", tmp_path / "ours.json"
    )
    await ours.says("Nobody has joined")
    seen = await OtherProgram.start(
        stack, "watch", url, "ours", tmp_path / "seen.json", "--games", "2"
    )
    await seen.says("connection")
    guest = await OtherProgram.start(stack, "join", url, "ours", tmp_path / "guest.json", *series)
    for each in (host, guest, seen):
        await each.says("finished")
    await ours.ends(0)
    first, second = (_agreed(tmp_path / f"host{number}.json") for number in ("", "-2"))
    assert (tmp_path / "ours-2.json").exists(), ours.report()
    for name in ("guest", "seen", "ours"):
        assert (tmp_path / f"{name}.json").read_bytes() == first
        assert (tmp_path / f"{name}-2.json").read_bytes() == second
    before, after = verify_record(first).ledger, verify_record(second).ledger
    assert after.offer.rematch_of == before.game
    assert after.host_side is not before.host_side


@pytest.mark.parametrize("rematch", ["ask", "agree"])
async def test_a_rematch_with_this_program_at_a_terminal(
    mosquitto_with_websockets: Mosquitto, stack: AsyncExitStack, tmp_path: Path, rematch: str
) -> None:
    broker = mosquitto_with_websockets
    environment = {"ATAXXD_HOME": str(tmp_path / "ana"), "ATAXXD_BROKER": broker.url}
    arguments = ("host", "ours", "--transcript", str(tmp_path / "host.json"))
    ana = stack.enter_context(
        in_terminal(arguments, environment=environment, program=(sys.executable, "-m", "ataxxd"))
    )
    ana.read_until("Waiting for a guest")
    guest = await OtherProgram.start(
        stack, "join", broker.websocket_url, "ours", tmp_path / "guest.json",
        "--games", "2", "--rematch", rematch,
    )  # fmt: skip
    await guest.says("started")
    ana.type(b"resign\n")
    at = await asyncio.to_thread(ana.read_until, "Type rematch for another game")
    if rematch == "ask":
        await asyncio.to_thread(ana.read_until, "Your opponent would like a rematch")
    ana.type(b"rematch\n")
    at = await asyncio.to_thread(ana.read_until, "A new game begins", at)
    ana.type(b"resign\n")
    await guest.says("finished")
    # It has played the games that it wanted, so that no other is spoken of.
    # Its "has left" or our "seems to have left", whichever is first.
    await asyncio.to_thread(ana.read_until, " left.]", at)
    ana.type(b"quit\n")
    assert await asyncio.to_thread(ana.wait) == 0
    for number in ("", "-2"):
        assert (
            _agreed(tmp_path / f"guest{number}.json")
            == (tmp_path / f"host{number}.json").read_bytes()
        )


@pytest.mark.gate
async def test_whoever_comes_back_hears_that_the_browsers_node_is_at_the_table(
    mosquitto_with_websockets: Mosquitto, stack: AsyncExitStack, tmp_path: Path
) -> None:
    broker = mosquitto_with_websockets
    environment = {"ATAXXD_HOME": str(tmp_path / "ana"), "ATAXXD_BROKER": broker.url}
    python = (sys.executable, "-m", "ataxxd")
    heard = await stack.enter_async_context(MqttTransport(broker.url))
    await heard.subscribe("ataxxd/#")
    ana = stack.enter_context(
        in_terminal(("host", "ours"), environment=environment, program=python)
    )
    ana.read_until("Waiting for a guest")
    guest = await OtherProgram.start(
        stack, "join", broker.websocket_url, "ours", tmp_path / "guest.json", "--games", "2"
    )
    await guest.says("started")
    ana.type(b"quit\n")
    assert await asyncio.to_thread(ana.wait) == 0
    statuses = _statuses(heard)
    host = await anext(each.author async for each in statuses if each.state == "left")
    again = stack.enter_context(in_terminal(("resume",), environment=environment, program=python))
    await _answered(statuses, host)
    # After a game the program has another connection.
    again.type(b"resign\n")
    await _answered(statuses, host)


async def test_the_browsers_node_leaves_its_move_for_a_host_that_goes(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, tmp_path: Path
) -> None:
    nodes, broker = place
    host = await nodes.node("ana").host("ours", "--color", "second", typed=True)
    guest = await OtherProgram.start(
        stack, "join", broker.websocket_url, "ours", tmp_path / "guest.json"
    )
    moved = await guest.says("moved")
    host.hang_up()
    await host.ends(0)
    heard = await stack.enter_async_context(MqttTransport(broker.url))
    await heard.subscribe("ataxxd/1/ours/+/+/unread")
    async with asyncio.timeout(DEADLINE):
        left = await anext(
            decode(event.payload)
            async for event in heard
            if isinstance(event, Received) and event.payload and b'"type":"move"' in event.payload
        )
    assert isinstance(left, Unread)
    assert [each.move for each in left.messages if isinstance(each, Move)] == [moved["move"]]


@pytest.mark.requirement("MP-SYNC-8", "MP-SYNC-12")
async def test_subscriptions_that_living_connections_lost_are_renewed(
    place: tuple[Nodes, Mosquitto], stack: AsyncExitStack, tmp_path: Path
) -> None:
    _, broker = place
    async with ForgetfulRelay(broker.websocket_url) as relay:
        connections = 0

        def on_message(message: Publish) -> None:
            nonlocal connections
            if not connections and b'"ply":4,' in message.payload:
                relay.forget()
                connections = relay.connections

        relay.on_message = on_message
        playing = []
        for what, event in (("host", "hosting"), ("watch", "connection"), ("join", "started")):
            each = await OtherProgram.start(
                stack, what, relay.url, "ours", tmp_path / f"{what}.json"
            )
            await each.says(event)
            playing.append(each)
        records = [await each.record() for each in playing]
        assert connections == relay.connections
    assert records == [_agreed(tmp_path / "host.json")] * 3


async def _statuses(heard: MqttTransport) -> AsyncIterator[Status]:
    async for event in heard:
        if isinstance(event, Received) and event.topic.endswith("/status"):
            status = decode(event.payload)
            assert isinstance(status, Status)
            yield status


async def _answered(statuses: AsyncIterator[Status], host: str) -> None:
    """Return when the guest has said that it is here after the host has."""
    async with asyncio.timeout(DEADLINE):
        for is_host in (True, False):
            await anext(
                each
                async for each in statuses
                if each.state == "online" and (each.author == host) is is_host
            )


async def _ended(running: Running, record: Path) -> bytes:
    await running.ends(0)
    return _agreed(record)


def _agreed(record: Path) -> bytes:
    data = record.read_bytes()
    assert verify_record(data).standing is Standing.AGREED
    return data
