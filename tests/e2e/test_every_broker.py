"""The same games on every kind of broker: what one cannot do is skipped by name."""

import json
import re
import secrets
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Position, Side
from ataxxd.session.record import Standing, verify_record
from ataxxd_protocol import MAX_PAYLOAD
from tests.brokers import BrokerProcess
from tests.e2e.crashes import RoughGame
from tests.e2e.nodes import Nodes
from tests.e2e.people import RESULTS, Person
from tests.e2e.recording import recording
from tests.other_brokers import RETAINED_BY_WILDCARD, gap

# RabbitMQ takes its time to start again, and nodes wait the longer the longer it is away.

AUTO = ("--player", "random", "--seed", "1")
# One row is free: about forty plies between players who move at random.
ALMOST_FULL = "xxooxxo/ooxxoox/xxooxxo/7/ooxxoox/xxooxxo/ooxxoox x 0 1"


@pytest.fixture
def name() -> str:
    """A name that no other game on the broker has."""
    return f"game-{secrets.token_hex(4)}"


def almost_full() -> Position:
    """The position in which these games begin."""
    return Position.from_text("ataxx/cs61b-2022", ALMOST_FULL)


async def listed(nodes: Nodes, name: str) -> list[str]:
    """The states of the games of a name, as a stranger is shown them."""
    shown = await nodes.node("stranger").run("games", "--json", "--wait", "1")
    rows = [json.loads(line) for line in shown.out.lines]
    return [row["state"] for row in rows if row["name"] == name]


async def is_listed(nodes: Nodes, name: str, state: str) -> None:
    """Look until the game is listed, which takes a busy host a while where nothing is retained."""
    while not (states := await listed(nodes, name)):
        pass
    assert states == [state]


@pytest.mark.gate("nats")
async def test_players_and_spectators_early_and_late_end_with_one_record(
    everywhere: Nodes, name: str, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "early", "late")}
    host = await everywhere.node("host").host(
        name, *AUTO, "--position", ALMOST_FULL, "--transcript", records["host"]
    )
    early = await everywhere.node("early").start(
        "watch", name, "--json", "--transcript", records["early"]
    )
    guest = await everywhere.node("guest").start(
        "join", name, "--transcript", records["guest"], typed=True
    )
    person = Person(Side.SECOND, 2, almost_full())
    assert await person.play(guest, plies=3) is None
    # While it is this person's turn nothing happens, so whoever comes now is late.
    late = await everywhere.node("late").start(
        "watch", name, "--json", "--transcript", records["late"]
    )
    await late.prints('"event": "move"')
    third = await everywhere.node("third").run("join", name, *AUTO, code=ExitCode.SEAT_TAKEN)
    assert "seat is taken" in str(third.err)
    await is_listed(everywhere, name, "playing")
    result = await person.play(guest)
    for running in (host, guest, early, late):
        await running.ends()
    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1, {who: len(record) for who, record in data.items()}
    verdict = verify_record(data["host"])
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert result == RESULTS[verdict.ledger.outcome.score]
    for spectator in (early, late):
        events = [json.loads(line) for line in spectator.out.lines]
        moves = [event["move"] for event in events if event["event"] == "move"]
        assert moves == [move.text for move in verdict.ledger.moves]


@pytest.mark.gate("embedded")
async def test_players_killed_in_mid_game_go_on_and_finish(everywhere: Nodes, name: str) -> None:
    game = RoughGame(everywhere, name, ("--position", ALMOST_FULL))
    assert everywhere.broker is not None
    async with recording(everywhere.broker) as heard:
        await game.open()
        await game.join()
        for victims in (("guest",), ("host",), ("host", "guest")):
            if not await game.running[victims[0]].has_printed(4):
                break
            await game.kill(*victims)
            for role in victims:
                await game.resume(role)
        await game.finish()
    assert game.resumed > 0
    assert heard.contradictions() == []


@pytest.mark.gate("mosquitto")
async def test_a_broker_that_restarts_in_mid_game_stops_neither_players_nor_spectators(
    everywhere: Nodes, name: str, broker: BrokerProcess, tmp_path: Path
) -> None:
    host = await everywhere.node("host").host(
        name, *AUTO, "--position", ALMOST_FULL, "--transcript", tmp_path / "host.json"
    )
    watch = await everywhere.node("watch").start(
        "watch", name, "--transcript", tmp_path / "watch.json"
    )
    await watch.says("Watching")
    guest = await everywhere.node("guest").start("join", name, typed=True)
    person = Person(Side.SECOND, 5, almost_full())
    assert await person.play(guest, plies=2) is None
    broker.kill()
    for running in (host, guest):
        await running.says("Connection lost")
    # Played while there is no broker: the move has to wait for it.
    assert await person.play_one(guest) is None
    broker.start()
    for running in (host, guest):
        await running.says("Connected again")
    assert await person.play(guest) is not None
    for running in (host, guest, watch):
        await running.ends()
    record = (tmp_path / "host.json").read_bytes()
    assert record == (tmp_path / "watch.json").read_bytes()
    assert verify_record(record).standing is Standing.AGREED


@pytest.mark.gate("rabbitmq")
async def test_a_withdrawn_offer_is_neither_listed_nor_found(everywhere: Nodes, name: str) -> None:
    host = await everywhere.node("host").host(name, *AUTO)
    await is_listed(everywhere, name, "open")
    host.send(signal.SIGINT)
    await host.says("The offer is withdrawn")
    await host.ends(ExitCode.INTERRUPTED)
    assert await listed(everywhere, name) == []
    lost = await everywhere.node("guest").run(
        "join", name, "--wait", "0.5", code=ExitCode.NO_SUCH_GAME
    )
    assert f'No game "{name}"' in str(lost.err)


async def test_who_vanishes_without_a_word_is_reported_by_the_broker(
    everywhere: Nodes, name: str
) -> None:
    host = await everywhere.node("host").host(name, *AUTO, "--position", ALMOST_FULL)
    guest = await everywhere.node("guest").start("join", name, typed=True)
    await Person(Side.SECOND, 6, almost_full()).play(guest, plies=1)
    await guest.kill()
    await host.says("lost")


@pytest.mark.parametrize("by", ["name", "name and id"])
async def test_a_game_whose_players_have_gone_can_still_be_watched(
    by: str, everywhere: Nodes, name: str, broker: BrokerProcess, tmp_path: Path
) -> None:
    if by == "name" and (why := gap(broker, RETAINED_BY_WILDCARD)):
        pytest.skip(why)
    # One from the start is too long for one part of the state.
    begins = ("--position", ALMOST_FULL) if by == "name" else ()
    record, seen = tmp_path / "host.json", tmp_path / "after.json"
    host = await everywhere.node("host").host(name, *AUTO, *begins, "--transcript", record)
    invitation = await host.says("ataxxd join")
    await everywhere.node("guest").run("join", name, *AUTO)
    await host.ends()
    whole = re.search(rf"{name}#[a-z0-9-]+", invitation)
    assert whole is not None
    place = name if by == "name" else whole[0]
    await everywhere.node("after").run("watch", place, "--transcript", seen)
    assert seen.read_bytes() == record.read_bytes()
    assert (len(record.read_bytes()) > MAX_PAYLOAD) == (by != "name")
