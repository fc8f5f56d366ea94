"""No broker is configured: the host starts one on the default port, and everybody finds it."""

import json
import random
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.e2e.crashes import AUTO, RoughGame
from tests.e2e.namespaces import own_network
from tests.e2e.nodes import Nodes
from tests.e2e.people import RESULTS, Person
from tests.e2e.test_events import WEAK_ENGINE, planned


@pytest.fixture
async def nodes(tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes without any configured broker, alone in their network."""
    async with own_network() as prefix:
        if prefix is None:
            pytest.skip("no network namespace can be made, and port 1883 is taken")
        made = Nodes(tmp_path, None, prefix)
        yield made
        await made.close()


@pytest.mark.gate
async def test_host_guest_and_spectators_from_separate_homes_end_with_one_record(
    nodes: Nodes, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "early", "late")}
    host = await nodes.node("host").host("ourgame", *AUTO, "--transcript", records["host"])
    assert "the embedded one is started" in str(host.err)
    assert "mqtt://127.0.0.1:1883" in str(host.err)
    assert "serves this machine only" in str(host.err), "a friend elsewhere cannot come"
    early = await nodes.node("early").start(
        "watch", "ourgame", "--json", "--transcript", records["early"]
    )
    guest = await nodes.node("guest").start(
        "join", "ourgame", "--transcript", records["guest"], typed=True
    )
    person = Person(Side.SECOND, 2)
    assert await person.play(guest, plies=5) is None
    late = await nodes.node("late").start(
        "watch", "ourgame", "--json", "--transcript", records["late"]
    )
    await late.prints('"event": "move"')
    result = await person.play(guest)
    for running in (guest, early, late, host):
        await running.ends()

    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1, {who: len(record) for who, record in data.items()}
    verdict = verify_record(data["host"])
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.outcome is not None
    assert result == RESULTS[verdict.ledger.outcome.score]
    for who, path in records.items():
        await nodes.node(who).run("verify", path)
    for spectator in (early, late):
        assert json.loads(spectator.out.lines[-1]) == {"event": "closed", "standing": "agreed"}


@pytest.mark.parametrize("seed", range(2))
async def test_the_host_that_carries_the_broker_is_killed_and_goes_on(
    seed: int, nodes: Nodes
) -> None:
    choices = random.Random(seed)
    game = RoughGame(nodes)
    await game.open()
    await game.join()
    for last_line in (8, 16):
        if await game.running["host"].has_printed(choices.randrange(last_line - 7, last_line)):
            await game.kill("host")
            await game.running["guest"].says("Connection lost")
            await game.resume("host")
    await game.finish()
    assert game.resumed > 0


async def test_a_second_host_uses_the_broker_of_the_first(nodes: Nodes) -> None:
    await nodes.node("first").host("ourgame", *AUTO)
    second = await nodes.node("second").host("another", *AUTO)
    assert "embedded" not in str(second.err)
    await nodes.node("guest").lists("ourgame", "another")
    await nodes.node("guest").run("join", "another", *AUTO)
    await second.ends()


@pytest.mark.gate
async def test_a_broker_alone_carries_the_games_of_others(nodes: Nodes) -> None:
    broker = await nodes.node("club").start("broker")
    await broker.says("listens at mqtt://127.0.0.1:1883")
    busy = await nodes.node("other").start("broker")
    await busy.ends(ExitCode.NO_BROKER)
    assert "another program does" in str(busy.err)
    host = await nodes.node("host").host("ourgame", *AUTO)
    await nodes.node("guest").run("join", "ourgame", *AUTO)
    await host.ends()
    checked = await nodes.node("host").run("doctor")
    assert "mqtt://127.0.0.1:1883" in str(checked.out)


async def test_a_second_host_beside_a_broker_for_the_network_is_not_told_that_it_serves_nobody(
    tmp_path: Path,
) -> None:
    async with own_network("192.0.2.7") as network:
        if not network:
            pytest.skip("no network namespaces here")
        nodes = Nodes(tmp_path, None, network)
        try:
            first = await nodes.node("first").host("ourgame", "--lan", typed=True)
            assert "Invite somebody on this network: ataxxd join ourgame#" in str(first.err)
            second = await nodes.node("second").host("another", typed=True)
            assert "Invite somebody on this network: ataxxd join another#" in str(second.err)
            assert "serves this machine only" not in str(second.err)
            third = await nodes.node("third").run("host", "x", "--link", code=ExitCode.USAGE)
            assert "--broker ws://192.0.2.7:8083/mqtt --page http://192.0.2.7:8083/" in str(
                third.err
            )
        finally:
            await nodes.close()


async def test_without_a_broker_a_guest_is_told_how_to_get_one(nodes: Nodes) -> None:
    for command in (("join", "ourgame"), ("watch", "ourgame"), ("games",)):
        running = await nodes.node("guest").run(*command, code=ExitCode.NO_BROKER)
        assert "mqtt://127.0.0.1:1883" in str(running.err)
        assert "ataxxd broker" in str(running.err)


async def test_a_guest_who_comes_back_before_the_broker_is_told_who_may_have_run_it(
    nodes: Nodes,
) -> None:
    host = await nodes.node("host").host("ourgame", typed=True)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.says("You have the seat and play Blue.")
    await guest.kill()
    await host.kill()
    refused = await nodes.node("guest").run("resume", code=ExitCode.NO_BROKER)
    again = f"ataxxd resume ourgame --home {nodes.node('guest').home}"
    told = f"If your opponent's program ran it, it comes back with that; then: {again}"
    assert told in str(refused.err)


async def test_whoever_joins_a_game_again_that_is_not_there_is_told_of_the_one_they_left(
    nodes: Nodes,
) -> None:
    host = await nodes.node("host").host("ourgame", typed=True)
    guest = await nodes.node("guest").start("join", "ourgame", typed=True)
    await guest.says("You have the seat and play Blue.")
    await guest.kill()
    await host.kill()
    told = "a game of that name which is not over. Continue it: ataxxd resume ourgame"
    refused = await nodes.node("host").run("join", "ourgame", code=ExitCode.NO_BROKER)
    assert told in str(refused.err)
    broker = await nodes.node("anybody").start("broker")
    await broker.says("The broker listens")
    refused = await nodes.node("guest").run("join", "ourgame", code=ExitCode.NO_SUCH_GAME)
    assert told in str(refused.err)
    refused = await nodes.node("guest").run("join", "another", code=ExitCode.NO_SUCH_GAME)
    assert "resume" not in str(refused.err)


async def test_an_event_that_is_over_is_there_to_look_at_until_its_host_is_stopped(
    nodes: Nodes,
) -> None:
    host, other = nodes.node("host"), nodes.node("other")
    await planned(host, [host, other])
    await other.run("id", "--name", "ben")
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    for each in [await node.start("event", "play", "open", *WEAK_ENGINE) for node in (host, other)]:
        await each.ends()
    await hosting.ends()
    await hosting.says('To let others look at "open" again: ataxxd event run open')
    again = await host.start("event", "run", "open")
    await again.says(
        "has it until Ctrl-C. Look at it from another terminal: ataxxd event show open"
    )
    shown = await nodes.node("anybody").run("event", "show", "open")
    await shown.prints("table after 1 of 1 rounds")
    # That broker has never seen the player.
    await shown.prints("  ben (")
    again.send(signal.SIGINT)
    await again.ends(ExitCode.INTERRUPTED)


async def test_whoever_runs_an_event_that_is_not_there_is_not_sent_for_a_broker(
    nodes: Nodes,
) -> None:
    nothing = await nodes.node("host").run("event", "run", "cup", code=ExitCode.STORAGE)
    await nothing.says("and no broker to ask. Plan it: ataxxd event plan cup")
