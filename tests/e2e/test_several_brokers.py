"""Commands that are given several brokers: here two that know nothing of each other."""

import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.brokers import Mosquitto, free_port
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.test_every_broker import ALMOST_FULL, AUTO, almost_full


@pytest.fixture
def brokers(make_mosquitto: Callable[..., Mosquitto]) -> tuple[Mosquitto, Mosquitto]:
    """Two of them."""
    return make_mosquitto(), make_mosquitto()


@pytest.fixture
async def nodes(brokers: tuple[Mosquitto, Mosquitto], tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that know both."""
    made = Nodes(tmp_path, ",".join(each.url for each in brokers))
    yield made
    await made.close()


@pytest.mark.gate
async def test_everybody_goes_on_to_the_next_broker_and_a_game_is_resumed_there(
    brokers: tuple[Mosquitto, Mosquitto], nodes: Nodes, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch")}
    nowhere = f"127.0.0.1:{free_port()}"
    host = await nodes.node("host").host(
        "ourgame", *AUTO, "--position", ALMOST_FULL, "--transcript", records["host"]
    )
    invitation = (await host.says("ataxxd join")).partition("ataxxd join ")[2]
    guest = await nodes.node("guest", broker=nowhere).start(
        "join", invitation, "--transcript", records["guest"], typed=True
    )
    watch = await nodes.node("watch").start(
        "watch", "ourgame", "--json", "--transcript", records["watch"]
    )
    person = Person(Side.SECOND, 3, almost_full())
    assert await person.play(guest, plies=2) is None
    await watch.prints('"ply": 4')
    # Whoever is killed remembers all of the invitation's brokers.
    await host.kill()
    brokers[0].kill()
    await guest.says("Connected again")
    host = await nodes.node("host", broker=nowhere).start("resume", "ourgame")
    assert await person.play(guest) is not None
    for running in (host, guest, watch):
        await running.ends()
    data = {path.read_bytes() for path in records.values()}
    assert len(data) == 1
    assert verify_record(data.pop()).standing is Standing.AGREED


async def test_the_doctor_looks_at_every_member(
    brokers: tuple[Mosquitto, Mosquitto], nodes: Nodes
) -> None:
    rows = (await nodes.node("ann").run("doctor")).out.lines
    assert [row.split()[:3] for row in rows[-2:]] == [
        ["ok", "broker", f"{each.url}:"] for each in brokers
    ]
    dead = f"127.0.0.1:{free_port()}"
    told = await nodes.node("ann", broker=f"{dead},{brokers[0].url}").run(
        "doctor", code=ExitCode.NO_BROKER
    )
    assert f"No broker answers at mqtt://{dead}" in str(told.err)
    assert f"ok    broker  {brokers[0].url}" in str(told.out)


@pytest.mark.parametrize("command", ["doctor", "games", "host"])
async def test_a_list_that_cannot_be_read_is_told_once(command: str, nodes: Nodes) -> None:
    node = nodes.node("ann", broker="mqtt://one.example,http://two.example")
    words = ("ourgame",) if command == "host" else ()
    told = await node.run(command, *words, code=ExitCode.USAGE)
    assert len(told.err.lines) == 1
    assert '"http" is not a way to reach a broker' in told.err.lines[0]


async def test_status_names_the_broker_that_is_used(
    brokers: tuple[Mosquitto, Mosquitto], nodes: Nodes, tmp_path: Path
) -> None:
    node = nodes.node("club")
    config = tmp_path / "club.toml"
    config.write_text(
        f'[broker]\nurl = "{nodes.broker}"\n'
        "[monitor]\nenabled = true\nport = 0\n"
        '[[tables]]\nname = "club"\nruleset = "ataxx/uai"\n'
    )
    serving = await node.start("serve", "--config", config)
    for broker in brokers:
        await serving.says("connected" if broker is brokers[0] else "connected again")
        told = await node.run("status", "--json")
        assert json.loads(told.out.lines[0])["broker"] == broker.url
        broker.kill()
