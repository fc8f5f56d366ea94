"""Ctrl-C and SIGTERM end a command in good order: the game is kept, an offer is withdrawn."""

import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.e2e.crashes import AUTO
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.recording import retained

SIGNALS = (signal.SIGINT, signal.SIGTERM)


@pytest.mark.parametrize("number", SIGNALS)
async def test_a_host_stopped_while_it_waits_leaves_nothing_on_the_broker(
    number: signal.Signals, nodes: Nodes
) -> None:
    assert nodes.broker is not None
    host = await nodes.node("host").host("ourgame", *AUTO)
    await nodes.node("other").lists("ourgame")
    host.send(number)
    await host.ends(ExitCode.INTERRUPTED)
    assert "withdrawn" in str(host.err)
    assert "ataxxd resume ourgame" in str(host.err)
    assert await retained(nodes.broker) == {}
    # The same offer, to whom the invitation has gone already, can be opened again.
    again = await nodes.node("host").start("resume")
    await again.says("Waiting for a guest")
    await nodes.node("guest").run("join", "ourgame", *AUTO)
    await again.ends()


@pytest.mark.gate
async def test_a_game_with_a_link_has_it_again_when_it_is_resumed(
    make_mosquitto: Callable[..., Mosquitto], tmp_path: Path
) -> None:
    broker = make_mosquitto(websockets=True)
    nodes = Nodes(tmp_path, broker.websocket_url)
    try:
        host = await nodes.node("host").host(
            *("ourgame", "--link", "--page", "http://127.0.0.1/"), *AUTO
        )
        link = await host.says("In a browser")
        host.send(signal.SIGINT)
        await host.ends(ExitCode.INTERRUPTED)
        again = await nodes.node("host").start("resume")
        assert await again.says("In a browser") == link
        again.send(signal.SIGINT)
        await again.ends(ExitCode.INTERRUPTED)
        # Where there is no websocket, there is no link.
        elsewhere = await nodes.node("host").start("resume", "--broker", broker.url)
        await elsewhere.says("--link: browsers speak to a broker's websocket only")
        await elsewhere.says("Waiting for a guest")
        assert "In a browser" not in str(elsewhere.err)
        await nodes.node("guest").run("join", "ourgame", *AUTO)
        await elsewhere.ends()
    finally:
        await nodes.close()


@pytest.mark.gate("host")
@pytest.mark.parametrize(("role", "number"), [("host", SIGNALS[0]), ("guest", SIGNALS[1])])
async def test_a_player_stopped_in_mid_game_says_so_and_goes_on_later(
    role: str, number: signal.Signals, nodes: Nodes, tmp_path: Path
) -> None:
    assert nodes.broker is not None
    record = tmp_path / "record.json"
    options = ("--transcript", record) if role == "host" else ()
    host = await nodes.node("host").host("ourgame", *AUTO, *options)
    options = ("--transcript", record) if role == "guest" else ()
    guest = await nodes.node("guest").start("join", "ourgame", *options, typed=True)
    person = Person(Side.SECOND, 1)
    await person.play(guest, plies=4)
    stopped, stays = (host, guest) if role == "host" else (guest, host)
    stopped.send(number)
    await stopped.ends(ExitCode.INTERRUPTED)
    assert "ataxxd resume ourgame" in str(stopped.err)
    await stays.says("has left")
    unfinished = verify_record(record.read_bytes())
    assert unfinished.standing is Standing.UNFINISHED
    assert unfinished.ledger.position == person.position
    # Who comes late sees the game as far as it went.
    assert any(topic.endswith("/state") for topic in await retained(nodes.broker))
    back = await nodes.node(role).start("resume", typed=True)
    await back.says("Continuing")
    playing = back if role == "guest" else guest
    assert await person.play(playing) is not None
    await back.ends()
    await stays.ends()
    assert verify_record(record.read_bytes()).standing is Standing.AGREED


async def test_a_spectator_stopped_keeps_what_it_saw(nodes: Nodes, tmp_path: Path) -> None:
    await nodes.node("host").host("ourgame", *AUTO)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await Person(Side.SECOND, 1).play(guest, plies=2)
    record = tmp_path / "watch.json"
    watch = await nodes.node("watch").start("watch", "ourgame", "--json", "--transcript", record)
    await watch.prints('"event": "move"')
    watch.send(signal.SIGTERM)
    await watch.ends(ExitCode.INTERRUPTED)
    assert verify_record(record.read_bytes()).standing is Standing.UNFINISHED


async def test_a_second_signal_ends_at_once_what_a_dead_broker_delays(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    host = await nodes.node("host").host("ourgame", *AUTO)
    mosquitto.kill()
    await host.says("Connection lost")
    host.send(signal.SIGTERM)
    await host.says("Stopping")
    host.send(signal.SIGTERM)
    await host.ends(-signal.SIGTERM, ExitCode.INTERRUPTED)


async def test_a_reader_that_closes_the_pipe_is_no_fault(nodes: Nodes) -> None:
    # As `ataxxd perft --divide 2 | head -n 1` does.
    running = await nodes.node("any").start("id", prefix=("sh", "-c", '"$@" | true', "piped"))
    await running.ends()
    assert str(running.err) == ""
