"""Whole games over Mosquitto with the files of `deploy/mosquitto`: no rule is in the way."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import Home, load_identity
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto
from tests.certificates import Certificates
from tests.conftest import require
from tests.e2e.nodes import Node, Nodes
from tests.shipped import ShippedMosquitto

AUTO = ("--auto", "--level", "1", "--seed", "1")
WHO = ("host", "guest", "watch", "stranger")


@pytest.fixture
async def strangers(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes without a broker."""
    require(Mosquitto)
    made = Nodes(tmp_path, None)
    yield made
    await made.close()


def user_name(nodes: Nodes, who: str) -> str:
    """The user name of a node, whose key is made if need be."""
    return load_identity(Home(nodes.folder / who).identity).node


@pytest.mark.parametrize("door", ["password", "certificates"])
async def test_a_game_is_offered_listed_joined_watched_and_finished(
    door: str, strangers: Nodes, tmp_path: Path, certificates: Certificates
) -> None:
    names = {who: user_name(strangers, who) for who in WHO}
    words = {name: f"secret-of-{who}" for who, name in names.items()}
    with ShippedMosquitto(tmp_path / "shipped", door, words, certificates) as broker:

        def node(who: str) -> Node:
            if door == "password":
                return strangers.node(
                    who, broker=f"mqtt://:secret-of-{who}@127.0.0.1:{broker.port}"
                )
            place = f"127.0.0.1:{broker.port}?ca={certificates.ca}"
            cert, key = certificates.for_client(names[who])
            return strangers.node(who, broker=f"mqtts://{place}&cert={cert}&key={key}")

        records = [tmp_path / f"{who}.json" for who in ("host", "guest", "watch")]
        host = await node("host").host("ourgame", *AUTO, "--transcript", records[0])
        await node("stranger").lists("ourgame")
        watch = await node("watch").start("watch", "ourgame", "--transcript", records[2])
        await watch.says("Watching")
        await node("guest").run("join", "ourgame", *AUTO, "--transcript", records[1])
        await node("stranger").run("join", "ourgame", code=ExitCode.SEAT_TAKEN)
        for running in (host, watch):
            await running.ends()
        assert len({record.read_bytes() for record in records}) == 1
        assert verify_record(records[0].read_bytes()).standing is Standing.AGREED
        assert "Denied" not in broker.log


async def test_an_event_is_run_played_checked_and_taken_down(
    strangers: Nodes, tmp_path: Path
) -> None:
    names = {who: user_name(strangers, who) for who in WHO}
    words = {name: f"secret-of-{who}" for who, name in names.items()}
    with ShippedMosquitto(tmp_path / "shipped", "password", words) as broker:

        def node(who: str) -> Node:
            return strangers.node(who, broker=f"mqtt://:secret-of-{who}@127.0.0.1:{broker.port}")

        players = [word for who in ("guest", "watch") for word in ("--player", names[who])]
        await node("host").run("event", "plan", "open", "--game", "reversi", *players)
        running = [
            await node("host").start("event", "run", "open"),
            # Who names the same broker is let in by its own password.
            await node("guest").start("event", "play", f"open@127.0.0.1:{broker.port}", *AUTO),
            await node("watch").start("event", "play", "open", *AUTO),
        ]
        for each in running:
            await each.ends()
        checked = await node("stranger").run("event", "check", f"open@127.0.0.1:{broker.port}")
        assert checked.out.lines[-1].endswith("Results: 1 holds.")
        await node("host").run("event", "run", "open", "--take-down")
        await node("stranger").run(
            *("event", "show", "open", "--wait", "0.5"), code=ExitCode.NO_SUCH_GAME
        )
        assert "Denied" not in broker.log


async def test_the_doctor_says_which_user_name_the_access_rules_want(
    strangers: Nodes, tmp_path: Path
) -> None:
    name = user_name(strangers, "host")
    users = {name: "secret", "somebody": "secret"}
    with ShippedMosquitto(tmp_path / "shipped", "password", users) as broker:
        host = strangers.node("host")
        place = f"secret@127.0.0.1:{broker.port}"
        well = await host.run("doctor", "--broker", f"mqtt://:{place}")
        assert "a message took" in str(well.out)
        ill = await host.run(
            "doctor", "--broker", f"mqtt://somebody:{place}", code=ExitCode.FAILURE
        )
        assert f"may want the user name {name}" in str(ill.err)
