"""`ataxxd event`: whole events between real nodes over Mosquitto."""

import asyncio
import json
import re
import secrets
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.nicknames import player_name
from ataxxd.node.archive import Archive, ArchiveQuery
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.folder import EventFolder
from ataxxd.tournament.playing import our_games
from ataxxd.tournament.ratings import day_of, gather_games
from ataxxd.tournament.tournament import Tournament
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import SigningKey, Topics, encode, grouped, signed
from ataxxd_protocol.messages import EventRound, Score
from tests.brokers import Mosquitto, free_port
from tests.conformance.games import HOST_KEY, OTHER_KEY, forge
from tests.conformance.scenarios import decision
from tests.conformance.tournaments import make_plan
from tests.e2e.nodes import Node, Nodes, Running
from tests.e2e.rogues import rogue_guest
from tests.e2e.terminals import in_terminal
from tests.time_limits import DEADLINE

WEAK_ENGINE = ("--auto", "--nodes", "300")


def short(node: Node | str) -> str:
    """A node as people read it that has no nickname."""
    return player_name(node if isinstance(node, str) else id_of(node))


def id_of(node: Node) -> str:
    node.home.mkdir(exist_ok=True, mode=0o700)
    return load_identity(node.home / "identity.key").node


async def planned(host: Node, players: list[Node], *options: str) -> None:
    ids = [word for player in players for word in ("--player", id_of(player))]
    await host.run("event", "plan", "open", "--game", "reversi", *ids, *options)


async def play(players: list[Node]) -> list[Running]:
    return [await player.start("event", "play", "open", *WEAK_ENGINE) for player in players]


def last_table(running: Running) -> list[str]:
    """The last table that it printed; after the players it may say whom only the seeding orders."""
    lines = running.out.lines
    return lines[max(at for at, line in enumerate(lines) if line.startswith("table after ")) :]


def check_archives(host: Node, players: list[Node]) -> None:
    """Every player has every game that it played in its archive, settled and counted."""
    tournament = EventFolder(host.home / "events" / "open").load().tournament
    for player in players:
        home = Home(player.home)
        with closing(Journal(home.journal)) as journal:
            with closing(Archive(home.archive, journal)) as archive:
                archive.refresh()
                found = archive.search(ArchiveQuery())
                counted = gather_games(
                    ((each.name, archive.ledger(each)) for each in found),
                    day=day_of(SYSTEM_CLOCK.now_ms()),
                )
            left = journal.unfinished()
        games = [game.name for game in our_games(tournament, id_of(player))]
        assert sorted(each.name for each in found) == sorted(games)
        assert {each.standing for each in found} == {"agreed"}
        assert len(counted.games) == len(games)
        assert not left


async def test_players_and_host_are_told_by_their_nicknames(nodes: Nodes) -> None:
    host, ana, ben = (nodes.node(name) for name in ("cleo", "ana", "ben"))
    await planned(host, [ana, ben])
    for node, name in ((host, "cleo"), (ana, "ana"), (ben, "ben")):
        await node.run("id", "--name", name)
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    players = {"ben": await ben.start("event", "play", "open", typed=True)}
    await players["ben"].says("Playing in")
    players["ana"] = await ana.start("event", "play", "open", typed=True)
    for name, other in (("ana", "ben"), ("ben", "ana")):
        assert "hosted by cleo (" in await players[name].says("Playing in")
        assert f"against {other} (" in await players[name].says("Round 1 of")
    await players["ana"].type("resign")
    await hosting.ends()
    for running in (hosting, *players.values()):
        for name in ("ana (", "ben ("):
            await running.prints(name)
        assert re.search(r"\nRound 1: (ana \(\S+\) 0-1 ben|ben \(\S+\) 1-0 ana) ", str(running.err))
    shown = await host.run("event", "show", "open")
    assert re.search(r"  ana \(\S+\) +0-1 +ben |  ben \(\S+\) +1-0 +ana ", str(shown.out))
    for each in players.values():
        await each.ends()


async def test_who_aborts_a_game_alone_has_lost_it(nodes: Nodes) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(2)]
    await planned(host, players)
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    aborting = await players[0].start("event", "play", "open", typed=True)
    other = await players[1].start("event", "play", "open", *WEAK_ENGINE)
    await aborting.says("open-r1-b1, you move first")
    await other.says("open-r1-b1, you move second")
    await aborting.type("abort")
    first, second = map(short, players)
    await hosting.says(f"Round 1: {first} 0-1 {second}.")
    await other.says(f"Round 1: {first} 0-1 {second}.")
    await hosting.ends()
    for each in (aborting, other):
        await each.ends()
    folder = host.home / "events" / "open"
    await (await host.run("event", "check", folder)).prints("Results: 1 holds.")


@pytest.mark.requirement("MP-EVENT-14")
@pytest.mark.parametrize("killed", [False, True], ids=["", "though it was killed"])
async def test_the_host_decides_about_a_claim_of_a_silence_that_was_none(
    killed: bool, nodes: Nodes, mosquitto: Mosquitto
) -> None:
    host, victim = nodes.node("host"), nodes.node("victim")
    key = SigningKey(secrets.token_bytes(32))
    names = ("--player", id_of(victim), "--player", key.node)
    # With this seed the first of the plan moves first.
    await host.run(
        "event", "plan", "open", "--game", "ataxx", *names, "--grace", "10m", "--seed", "2"
    )
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    playing = await victim.start("event", "play", "open", *WEAK_ENGINE)
    async with (
        asyncio.timeout(2 * DEADLINE),
        rogue_guest(mosquitto.url, "open-r1-b1", key) as rogue,
    ):
        ledger = rogue.session.ledger
        await rogue.until(lambda: bool(ledger.log(Role.HOST)))
        before = ledger.copy()
        await rogue.until(lambda: rogue.on_turn)
        if killed:
            await hosting.kill()
        # As if the first move had not come for ten minutes.
        lie = forge(decision(before, Role.GUEST, "silence", 600_000), key)
        ledger.accept(Role.GUEST, lie)
        await rogue.publish(lie)
        await rogue.until(lambda: any(isinstance(each, Score) for each in rogue.heard))
        if killed:
            hosting = await host.start("event", "run", "open")
        await hosting.says(f"Round 1: {short(victim)} 1-0 {short(key.node)}.")
    await hosting.ends()
    await playing.ends()
    folder = host.home / "events" / "open"
    checked = await host.run("event", "check", folder)
    await checked.prints("holds: the host decided about the claim, by what it has seen.")
    record = await host.run("verify", folder / "records" / "open-r1-b1.json")
    await record.prints("contested")


async def test_four_engines_play_a_round_robin(nodes: Nodes, tmp_path: Path) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(4)]
    await planned(host, players)
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    playing = await play(players)
    # A whole event is long on a busy machine: each game is waited for by itself.
    for number in (1, 2, 3):
        await hosting.says_often(f"Round {number}: ", 2)
    await hosting.ends()
    for each in playing:
        await each.ends()
        assert last_table(each) == last_table(hosting)
    assert last_table(hosting)[0] == "table after 3 of 3 rounds"

    folder = tmp_path / "saved"
    shown = await nodes.node("anybody").run("event", "show", "open", "--json", "--save", folder)
    found = json.loads(shown.out.lines[0])
    assert found["over"]
    scores = [board["score"] for each in found["rounds"] for board in each["boards"]]
    assert len(scores) == 6
    assert sum(line["points"] for line in found["table"]) == 12
    await shown.says("Wrote the event and 6 records")

    checked = await nodes.node("anybody").run("event", "check", folder)
    assert checked.out.lines[-1].endswith("Results: 6 hold.")
    live = await nodes.node("anybody").run("event", "check", "open")
    # The first line says where the documents come from.
    assert live.out.lines[1:] == checked.out.lines[1:]
    rated = await nodes.node("anybody").run("ratings", folder / "records")
    assert rated.out.lines[-1].startswith("6 games, digest ")
    assert len(rated.out.lines) == 6
    check_archives(host, players)


async def test_an_event_is_found_played_and_checked_over_every_broker(everywhere: Nodes) -> None:
    host = everywhere.node("host")
    players = [everywhere.node(f"player{number}") for number in range(2)]
    await planned(host, players)
    hosting = await host.start("event", "run", "open")
    for each in await play(players):
        await each.ends()
        assert "is up" not in str(each.err)
        assert "unsent" not in str(each.err)
        assert "The event is over. You are " in str(each.err)
    await hosting.ends()
    check_archives(host, players)
    event = f"open#{id_of(host)}"
    checked = await players[0].run("event", "check", event)
    assert checked.out.lines[-1].endswith("Results: 1 holds.")
    await host.run("event", "run", "open", "--take-down")
    gone = await players[0].start("event", "show", event, "--wait", "0.5")
    await gone.ends(ExitCode.NO_SUCH_GAME)


async def test_five_engines_play_three_swiss_rounds_though_the_host_is_killed(nodes: Nodes) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(5)]
    await planned(host, players, "--system", "swiss")
    hosting = await host.start("event", "run", "open")
    playing = await play(players)
    await hosting.says("Round 1: ")
    await hosting.kill()
    # Even its folder is lost: the broker has the plan and the rounds.
    shutil.rmtree(host.home / "events")
    again = await host.start("event", "run", "open")
    for number in (2, 3):
        await again.says_often(f"Round {number}: ", 2)
    await again.ends()
    for each in playing:
        await each.ends()
        assert last_table(each) == last_table(again)
    assert last_table(again)[0] == "table after 3 of 3 rounds"
    folder = host.home / "events" / "open"
    checked = await host.run("event", "check", folder)
    assert checked.out.lines == [
        f"open, as the folder {folder} has it:",
        "Rounds: 3, each as the plan and those before it require. Results: 6 hold.",
    ]


async def test_a_player_that_was_killed_goes_on_with_its_game(nodes: Nodes) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(2)]
    await planned(host, players, "--rounds", "2")
    hosting = await host.start("event", "run", "open")
    first, second = await play(players)
    assert await first.has_printed(12)
    await first.kill()
    (again,) = await play(players[:1])
    await again.says("Round 1 of 2: open-r1-b1, you move first")
    for each in (hosting, again, second):
        await each.ends()
    check_archives(host, players)


async def test_the_host_is_told_of_each_round_and_of_the_connection(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    host, ana, ben = (nodes.node(name) for name in ("cleo", "ana", "ben"))
    for node, name in ((host, "cleo"), (ana, "ana"), (ben, "ben")):
        await node.run("id", "--name", name)
    # With this seed the first of the plan moves first; the host has a bye.
    await planned(host, [ana, ben, host], "--rounds", "2", "--system", "swiss", "--seed", "2")
    hosting = await host.start("event", "run", "open")
    await hosting.says("Round 1 of 2, until ")
    waiting = await host.start("event", "play", "open", *WEAK_ENGINE)
    await waiting.says("Round 1 of 2: you have a bye.")
    players = [await node.start("event", "play", "open", typed=True) for node in (ana, ben)]
    for each in players:
        await each.says("Round 1 of 2: open-r1-b1, you move ")
    mosquitto.kill()
    await hosting.says("[Connection lost (")
    await waiting.says("[Connection lost (")
    mosquitto.start()
    await hosting.says("[Connected again.]")
    for each in (waiting, players[0]):
        await each.says("[Connected again.]")
    # The broker has forgotten all names, and all who play tell theirs again.
    async with asyncio.timeout(DEADLINE):
        while "hosted by cleo (" not in str(
            (await nodes.node("x").run("event", "show", "open")).out
        ):
            pass
    # Whoever comes back is told who plays whom.
    await hosting.kill()
    hosting = await host.start("event", "run", "open")
    await hosting.says("Round 1 of 2, until ")
    await hosting.says("open-r1-b1  ana (")
    await hosting.says("bye: cleo (")
    await players[0].type("resign")
    await hosting.says("Round 2 of 2, until ")
    # Whoever plays is told by the game, and once.
    assert str(players[0].err).count("[Connected again.]") == 1


async def test_a_player_is_told_that_the_host_is_awaited(nodes: Nodes) -> None:
    host, ana, ben = (nodes.node(name) for name in ("host", "ana", "ben"))
    await planned(host, [ana, ben], "--rounds", "2")
    hosting = await host.start("event", "run", "open")
    (ana_plays,) = await play([ana])
    ben_plays = await ben.start("event", "play", "open", typed=True)
    await ben_plays.says("you move ")
    await hosting.kill()
    await ben_plays.type("resign")
    for each in (ana_plays, ben_plays):
        await each.says(f"Waiting for {short(host)}, the host, to go on.")


async def test_whoever_comes_back_in_another_way_is_told_who_plays_on(nodes: Nodes) -> None:
    host, ana, ben = (nodes.node(name) for name in ("host", "ana", "ben"))
    # With this seed the first of the plan moves first.
    await planned(host, [ana, ben], "--rounds", "2", "--seed", "2")
    hosting = await host.start("event", "run", "open")
    (other,) = await play([ana])
    person = await ben.start("event", "play", "open", typed=True)
    await person.says("You have the seat")
    await person.kill()
    again = await ben.start("event", "play", "open", *WEAK_ENGINE, typed=True)
    await again.says("open-r1-b1 is played to its end as it began, by you.")
    await again.type("resign")
    for each in (hosting, other, again):
        await each.ends()
    check_archives(host, [ana, ben])


async def test_what_is_typed_while_the_opponent_is_awaited_is_not_for_the_game(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    host, late, early = (nodes.node(name) for name in ("host", "late", "early"))
    # With this seed the first of the plan moves first.
    await planned(host, [late, early], "--seed", "2", "--grace", "10m")
    hosting = await host.start("event", "run", "open")
    await hosting.says('Running "open"')
    environment = {"ATAXXD_HOME": str(early.home), "ATAXXD_BROKER": mosquitto.url}
    with in_terminal(["event", "play", "open"], environment=environment) as waiting:
        await asyncio.to_thread(waiting.read_until, "Terms: a player who is silent for 10m may")
        await asyncio.to_thread(
            waiting.read_until, "who moves first in open-r1-b1 and has not come yet."
        )
        waiting.type(b"resign\r")
        playing = await late.start("event", "play", "open", *WEAK_ENGINE)
        begun = await asyncio.to_thread(waiting.read_until, "you move second against")
        await asyncio.to_thread(waiting.read_until, "Black plays")
        assert "esign" not in waiting.text[begun:]
        assert waiting.text.count("who moves first") == 1
        await asyncio.to_thread(waiting.read_until, "White:", begun)
        waiting.type(b"resign\r")
        await hosting.says(f"Round 1: {short(late)} 1-0 {short(early)}.")
        await asyncio.to_thread(waiting.read_until, "The event is over.")
    await playing.ends()


async def test_the_last_table_has_the_names_of_those_who_came_later(nodes: Nodes) -> None:
    host, early, late = (nodes.node(name) for name in ("host", "early", "late"))
    third = nodes.node("third")
    await planned(host, [early, late, third], "--rounds", "1")
    for node in (early, late, third):
        await node.run("id", "--name", node.home.name)
    hosting = await host.start("event", "run", "open")
    playing = []
    for node in (early, late, third):
        playing.append(await node.start("event", "play", "open", *WEAK_ENGINE))
        await playing[-1].says("Playing in")
    await hosting.ends()
    for each in playing:
        await each.ends()
        assert {"early (", "late (", "third ("} <= set(
            re.findall(r"\w+ \(", "\n".join(last_table(each)))
        )


async def test_who_comes_before_the_host_waits_for_the_event(nodes: Nodes) -> None:
    host, player = nodes.node("host"), nodes.node("player")
    await planned(host, [host, player])
    (playing,) = await play([player])
    await playing.says("Waiting for it")
    await host.start("event", "run", "open")
    await playing.says('Playing in "open"')


async def test_who_comes_before_the_next_event_of_a_name_waits_for_it(nodes: Nodes) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(2)]
    await planned(host, players)
    for each in (await host.start("event", "run", "open"), *await play(players)):
        await each.ends()
    late = await players[0].run("event", "play", "open", "--wait", "0.5")
    await late.says('This is the result of the last "open", which ended on ')
    await late.says("Waiting for a new")
    await late.says("`ataxxd event plan open --new`, and")
    await late.prints("table after 1 of 1 rounds")
    assert "Playing in" not in str(late.err)
    # Whoever is only in the new one waits for it, too.
    newcomer = nodes.node("newcomer")
    early = await play([players[0], newcomer])
    for each in early:
        await each.says("Waiting for a new")
    await early[1].says("This node did not play in it.")
    await planned(host, [players[0], newcomer], "--new")
    hosting = await host.start("event", "run", "open")
    for each in (hosting, *early):
        await each.ends()
    assert "planned" not in str(early[0].err)  # nothing is lost by it: the last one was over
    for each in early:
        await each.says('Playing in "open"')
        await each.says("The event is over. You are ")
        # The game of the last event has the same name, and may still be there.
        assert "is not the game of this event" not in str(each.err)
    check_archives(host, [newcomer])


async def test_an_event_planned_anew_in_the_middle_is_played_instead(nodes: Nodes) -> None:
    host, person, engine = (nodes.node(name) for name in ("host", "person", "engine"))
    await planned(host, [person, engine])
    hosting = await host.start("event", "run", "open")
    playing = await person.start("event", "play", "open", typed=True)
    (other,) = await play([engine])
    for each in (playing, other):
        await each.says("Round 1 of 1: open-r1-b1, you move ")
    await hosting.kill()
    await planned(host, [person, engine], "--new", "--rounds", "2")
    again = await host.start("event", "run", "open")
    for each in (playing, other):
        await each.says('The host has planned "open" anew')
    for number in (1, 2):
        await playing.says(f"Round {number} of 2: open-r{number}-b1, you move ")
        await playing.type("resign")
    for each in (again, playing, other):
        await each.ends()
    checked = await host.run("event", "check", "open")
    assert checked.out.lines[-1].endswith("Results: 2 hold.")


async def test_who_does_not_come_has_lost_and_the_event_goes_on(nodes: Nodes) -> None:
    host = nodes.node("host")
    player, absent = nodes.node("player"), nodes.node("absent")
    await planned(host, [player, absent], "--rounds", "2", "--round-time", "5s")
    # Its time in the first round is not spent on its start.
    (playing,) = await play([player])
    await playing.says("Waiting for it")
    hosting = await host.start("event", "run", "open")
    await hosting.ends()
    await playing.ends()
    assert str(hosting.err).count(", forfeited: the time of the round is up.") == 2
    shown = await host.run("event", "show", "open")
    assert str(shown.out).count("forfeited") == 2
    assert shown.out.lines[2].startswith("  open-r1-b1  ")
    assert not shown.out.lines[2].startswith("  open-r1-b1   ")
    # Nothing is left behind of an offer to which nobody came.
    left = await player.run("resume", code=ExitCode.NO_SUCH_GAME)
    await left.says("No unfinished game")


async def test_a_player_who_is_withdrawn_is_named_and_not_awaited(nodes: Nodes) -> None:
    host, ana, ben, gone = (nodes.node(name) for name in ("host", "ana", "ben", "gone"))
    await planned(host, [ana, ben, gone])
    hosting = await host.start("event", "run", "open", "--withdraw", id_of(gone)[:8])
    await hosting.says(f"Withdrawn from the next round on: {short(gone)}.")
    for each in (*await play([ana, ben]), hosting):
        await each.ends()
    rows = [row for row in hosting.out.lines if row.endswith("  withdrawn")]
    assert len(rows) == 1
    assert short(gone) in rows[0]


async def test_a_wrong_round_is_named_and_not_played(nodes: Nodes, tmp_path: Path) -> None:
    player, opponent = nodes.node("player"), nodes.node("opponent")
    plan = make_plan(2, players=[id_of(player), id_of(opponent)], rounds=1)
    right = signed(Tournament(plan).next_round([], created_ms=plan.created_ms), HOST_KEY)
    pairing = right.pairings[0]
    turned = {"first": pairing.second, "second": pairing.first}
    wrong = forge(right, HOST_KEY, pairings=[turned])
    async with MqttTransport(str(nodes.broker)) as transport:
        for number, document in ((0, plan), (1, forge(right, OTHER_KEY)), (1, wrong)):
            topic = Topics().event("open", plan.host, number)
            await transport.publish(topic, encode(document), retain=True)
        await transport.drain()
    refused = await player.run("event", "play", "open", *WEAK_ENGINE, code=ExitCode.CHEATING_PROVED)
    await refused.says("round 1, board 1: ")
    checked = await player.run("event", "check", "open", code=ExitCode.CHEATING_PROVED)
    assert "broke the rules of the event: round 1, board 1: " in checked.out.lines[-1]
    stranger = await nodes.node("stranger").run("event", "play", "open", code=ExitCode.USAGE)
    await stranger.says("does not play in")


async def test_a_result_that_its_record_contradicts_is_named(nodes: Nodes, tmp_path: Path) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(2)]
    await planned(host, players)
    hosting = await host.start("event", "run", "open")
    for each in (hosting, *await play(players)):
        await each.ends()
    folder = tmp_path / "saved"
    await host.run("event", "show", "open", "--save", folder)
    key = load_identity(host.home / "identity.key")
    last = folder / "round-2.json"
    fields = json.loads(last.read_bytes())
    (result,) = fields["results"]
    result["score"] = "0-1" if result["score"] == "1-0" else "1-0"
    lie = forge(EventRound.model_validate(fields), key)
    last.write_bytes(encode(lie) + b"\n")
    named = await host.run("event", "check", folder, code=ExitCode.CHEATING_PROVED)
    names = r"Round 1: unnamed \(\S+\) (1-0|0-1) unnamed \(\S+\)"
    assert re.match(f"{names} is wrong: its own record gives ", named.out.lines[1])
    # A host that hides its record is contradicted by the players'.
    result["record"] = "0" * 64
    last.write_bytes(encode(forge(EventRound.model_validate(fields), key)) + b"\n")
    hidden = await host.run("event", "check", folder, code=ExitCode.VERIFICATION_FAILED)
    assert "both players signed" in hidden.out.lines[1]


async def test_where_the_broker_has_lost_the_records_they_are_taken_from_the_node(
    nodes: Nodes, mosquitto: Mosquitto
) -> None:
    host = nodes.node("host")
    players = [nodes.node(f"player{number}") for number in range(2)]
    await planned(host, players)
    for each in (await host.start("event", "run", "open"), *await play(players)):
        await each.ends()
    mosquitto.restart()
    await players[0].run("event", "show", "open", code=ExitCode.NO_SUCH_GAME)
    shown = await host.run("event", "show", "open")
    await shown.says(f"Taken from this node's folder: {host.home / 'events' / 'open'}")
    assert "table after 1 of 1 rounds" in shown.out.lines
    kept = await host.run("event", "check", "open")
    assert kept.out.lines[-1].endswith("Results: 1 holds.")
    # The documents come back with the host, and the games do not.
    again = await host.run("event", "run", "open")
    await again.says('"open" is over; its documents go to the broker again.')
    await again.says("--take-down")
    for asked in (host, *players):
        checked = await asked.run("event", "check", "open")
        assert checked.out.lines[0] == "open, as the broker has it, with 1 record of this node:"
        assert checked.out.lines[-1].endswith("Results: 1 holds.")
    stranger = await nodes.node("stranger").run("event", "check", "open", code=ExitCode.NOT_SHOWN)
    assert stranger.out.lines[-3].endswith(" cannot be checked: there is no record.")
    assert stranger.out.lines[-2].endswith("Results: 1 cannot be checked.")
    assert stranger.out.lines[-1].startswith("Nothing could be checked: neither the broker nor ")
    assert "events/open of its home: ask for that folder" in stranger.out.lines[-1]


async def test_an_event_that_is_another_node_s_or_nowhere_is_explained(nodes: Nodes) -> None:
    host, other, third = (nodes.node(name) for name in ("host", "other", "third"))
    await planned(host, [other, third])
    hosting = await host.start("event", "run", "open")
    await hosting.says("Round 1 of 1, until ")
    wrong = await other.run("event", "run", "open", code=ExitCode.STORAGE)
    await wrong.says(f"is hosted by {grouped(id_of(host))}, not us. If that is a node of yours")
    nowhere = ("--broker", f"mqtt://127.0.0.1:{free_port()}")
    for words in (("show", "open"), ("check", "open"), ("play", "open")):
        missing = await third.run(
            "event", *words, *nowhere, "--wait", "0.5", code=ExitCode.NO_BROKER
        )
        await missing.says("If the host's program is the broker, the host starts it with: ataxxd")


async def test_what_cannot_be_planned_is_explained(nodes: Nodes, tmp_path: Path) -> None:
    host = nodes.node("host")
    us = id_of(host)
    file = tmp_path / "plan.toml"
    file.write_text(f'system = "swiss"\nplayers = ["{us}", "{"a" * 20}"]\nround-time = "2h"\n')
    await host.run("event", "plan", "open", "--from", file)
    for words, said in (
        (("open", "--from", str(file)), "replace it: --new"),
        (("cup",), "An event has 2 to 64 players; this one has 0."),
        (("cup", "--player", us, "--player", us), "named twice"),
        (
            ("cup", "--player", "ann"),
            "is not a node id: an id has 20 letters and digits, and each player",
        ),
        (("cup", "--ruleset", "reversi"), "for its usual rules say --game reversi"),
        (("A" * 30, "--from", str(file)), "a name of up to 24 letters"),
        (("cup", "--from", str(file), "--round-time", "soon"), "not a length of time"),
        (("cup", "--from", str(file), "--game", "chess"), "There is no game"),
    ):
        refused = await host.run("event", "plan", *words, code=ExitCode.USAGE)
        await refused.says(said)
    for text, said in (
        ("rounds = 'two'", "line 1: rounds is a whole number, as in rounds = 5"),
        ("rounds = 0", "line 1: rounds is from 1 to 99, not 0"),
        ("clocks = 1", 'there is no key "clocks". Did you mean "clock"?'),
        ("\nclock = 'soon'", "line 2: clock 'soon' is not a clock: write 5+3"),
        ("players = [1]", "list of node ids"),
        ("=", "is not TOML"),
    ):
        file.write_text(text)
        refused = await host.run("event", "plan", "cup", "--from", file, code=ExitCode.USAGE)
        await refused.says(said)
    capital = await host.run("event", "plan", "Club Cup", "--player", us, "--player", "a" * 20)
    await capital.says("Publish it: ataxxd event run club-cup")
    nothing = await host.run("event", "run", "cup", code=ExitCode.STORAGE)
    await nothing.says("Plan it: ataxxd event plan cup")
    missing = await host.run("event", "show", "cup", "--wait", "0.2", code=ExitCode.NO_SUCH_GAME)
    await missing.says('No event "cup"')
