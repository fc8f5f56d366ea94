"""A node that serves: its tables and bots, stopped, killed and told of another configuration."""

import asyncio
import json
import re
import signal
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.session.state import Phase
from tests.brokers import Mosquitto
from tests.e2e.nodes import Node, Nodes, Running
from tests.e2e.rogues import rogue_guest
from tests.e2e.terminals import in_terminal
from tests.journals import let_time_pass

TABLE = """
[[tables]]
name = "club"
ruleset = "ataxx/uai"
player = "random"
color = "first"
"""
BOT = """
[[bots]]
group = "bots"
player = "random"
open_offers = true
greeting = "Good luck!"
"""


class Server:
    """A node that serves by a file."""

    def __init__(self, nodes: Nodes, name: str = "server") -> None:
        self.node: Node = nodes.node(name)
        self.path: Path = nodes.folder / f"{name}.toml"

    def configure(self, text: str) -> None:
        """Write the configuration."""
        self.path.write_text(text, encoding="utf-8")

    async def start(self, *options: str) -> Running:
        """Start serving, and wait until everything is there."""
        running = await self.node.start("serve", "--config", self.path, *options)
        await running.says("serving:")
        return running


@pytest.fixture
def server(nodes: Nodes) -> Server:
    return Server(nodes)


async def plays(node: Node, name: str, *options: str | Path) -> None:
    """Join a game and let the engine play it to its end."""
    await node.run("join", name, "--player", "random", *options)


async def test_what_is_served_is_counted_in_words(server: Server) -> None:
    for text, told in (
        (TABLE, "1 table and 0 bots"),
        (TABLE + TABLE.replace("club", "other") + BOT, "2 tables and 1 bot"),
    ):
        server.configure(text)
        checked = await server.node.run("config", "check", server.path)
        assert f"{server.path} is in order, with {told}." in str(checked.err)
        running = await server.start()
        assert (await running.says("serving:")).endswith(told.replace(" and", ","))
        await running.kill()


@pytest.mark.gate
async def test_the_home_of_the_file_goes_over_that_of_the_shell(
    server: Server, nodes: Nodes
) -> None:
    of_file, of_option = nodes.folder / "of-file", nodes.folder / "of-option"
    server.configure(f'[node]\nhome = "{of_file}"\n')
    for options, home in (((), of_file), (("--home", str(of_option)), of_option)):
        await (await server.start(*options)).kill()
        assert (home / "journal.db").exists()
    assert not server.node.home.exists()


async def test_our_engine_plays_at_a_table_with_limits_of_its_own(
    server: Server, nodes: Nodes
) -> None:
    limits = "auto:nodes=200,threads=2"
    server.configure(TABLE.replace('"random"', f'"{limits}"'))
    running = await server.start()
    await running.says("club: open")
    await plays(nodes.node("ann"), "club")
    await running.says("club: over")
    running.send(signal.SIGTERM)
    await running.ends()
    with closing(Journal(Home(server.node.home).journal)) as journal:
        games = [journal.find(*each) for each in journal.finished()]
    assert {game and game.settings["player"] for game in games} == {limits}


@pytest.mark.gate
async def test_guests_play_at_a_table_one_after_the_other(server: Server, nodes: Nodes) -> None:
    records = nodes.folder / "records"
    server.configure(TABLE + f'[records]\nfolder = "{records}"\n')
    running = await server.start()
    for guest, name in (("ann", "club"), ("bob", "club-2")):
        await running.says(f"{name}: open")
        await plays(nodes.node(guest), "club", "--transcript", nodes.folder / f"{guest}.json")
        await running.says(f"{name}: over")
    running.send(signal.SIGTERM)
    await running.says("stopped; games left for the next start: 0")
    await running.ends()
    kept = {path.read_bytes() for path in records.iterdir()}
    assert kept == {(nodes.folder / f"{guest}.json").read_bytes() for guest in ("ann", "bob")}


async def test_a_second_game_is_open_while_the_first_is_played(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE + 'at_once = 2\n[records]\nshown = "1ms"\n')
    running = await server.start()
    await nodes.node("ann").run("id", "--name", "ann")
    first = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club-2: open")
    second = await nodes.node("bob").start("join", "club", typed=True)
    await second.says('The open game at "club" is called "club-2".')
    assert re.search(r" against ann \(\w{4}-\w{4}\), ply 0$", await running.says("club: playing"))
    await running.says("club-2: playing against unnamed (")
    assert "club-3: open" not in str(running.err)
    heard = len(running.err.lines)
    await first.type("resign", "quit")
    await running.says("club: over")
    await running.says("club: open", heard)
    await second.kill()


async def test_the_name_of_a_table_leads_to_its_open_game_however_often_one_comes(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE + "at_once = 4\n")
    ann = nodes.node("ann")
    running = await server.start()
    for _ in range(2):
        await plays(ann, "club")
    running.send(signal.SIGTERM)
    await running.ends()
    again = await server.start()
    await plays(ann, "club")
    await again.says("club-3: over")
    again.send(signal.SIGTERM)
    await again.ends()
    # Nothing is open now, and what is over can be looked at.
    late = await ann.run("join", "club", "--wait", "0.5", code=ExitCode.SEAT_TAKEN)
    assert 'No game is open under the name "club"' in str(late.err)
    assert "which you played, is over" in str(late.err)
    assert "ataxxd watch club#" in str(late.err)


async def test_whoever_asks_while_the_server_is_down_is_told_and_may_ask_again(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE)
    running = await server.start()
    await running.says("club: open")
    await running.kill()
    ann = nodes.node("ann")
    asking = await ann.start("join", "club", "--player", "random")
    await asking.says("The host has not answered yet.")
    asking.send(signal.SIGINT)
    await asking.ends(ExitCode.INTERRUPTED)
    assert "To ask again: ataxxd join club" in str(asking.err)
    assert "resume" not in str(asking.err)
    # Both start at once: whoever asks gives up after a minute.
    again = await ann.start("join", "club", "--player", "random")
    running = await server.start()
    await again.says("You have the seat and play White.")
    await again.ends()
    running.send(signal.SIGTERM)
    await running.ends()


async def test_who_looks_on_at_a_table_sees_what_is_played_or_the_game_of_an_id(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE + "at_once = 4\n")
    running = await server.start()
    await running.says("club: open")
    await plays(nodes.node("ann"), "club")
    here = await nodes.node("bob").start("join", "club", typed=True)
    await here.says("You have the seat and play White.")
    seen = await nodes.node("ann").start("watch", "club", "--json")
    assert json.loads(await seen.prints('"event": "start"'))["name"] == "club-2"
    await here.type("resign", "quit")
    await seen.ends()
    listed = await nodes.node("bob").run("games", "--json")
    (first,) = [game for game in map(json.loads, listed.out.lines) if game["name"] == "club"]
    old = await nodes.node("bob").run("watch", f"club#{first['game'][:12]}", "--json")
    assert json.loads(old.out.lines[0])["name"] == "club"


async def test_two_who_come_to_a_table_at_once_both_play(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE + "at_once = 4\n")
    running = await server.start()
    await running.says("club: open")
    guests = [
        await nodes.node(f"guest-{number}").start("join", "club", "--player", "random")
        for number in range(2)
    ]
    for guest in guests:
        await guest.ends()


async def test_a_bot_joins_an_open_game_that_fits_and_greets(server: Server, nodes: Nodes) -> None:
    server.configure(BOT + 'rulesets = ["reversi/standard"]\n')
    running = await server.start()
    host = nodes.node("ann")
    misfit = await host.host("unfit", "--player", "random")
    fit = await host.start("host", "fits", "--game", "reversi", "--player", "random", "--line")
    await fit.says("Good luck!")
    await fit.ends()
    await running.says("fits: over")
    assert "unfit" not in str(running.err)
    await misfit.kill()


async def test_a_seat_that_no_silence_would_ever_free_is_freed(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE + 'grace = "never"\npatience = "1s"\n[records]\nshown = "1ms"\n')
    running = await server.start()
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    await guest.says("I leave this game: no move of yours has come for 1s.")
    left = await running.says("club: left: no move of yours has come for 1s")
    await running.says("club: open", running.err.lines.index(left))
    await guest.kill()


async def test_a_guest_is_not_told_of_a_rematch_that_the_table_does_not_play(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE)
    await (await server.start()).says("club: open")
    environment = {
        "ATAXXD_HOME": str(nodes.node("ann").home),
        "ATAXXD_BROKER": str(nodes.broker),
    }

    def play() -> None:
        with in_terminal(["join", "club"], environment=environment) as terminal:
            at = terminal.read_until("Type a move")
            terminal.type(b"resign\r")
            at = terminal.read_until("Your opponent has left", at)
            terminal.type(b"rematch\r")
            terminal.read_until("look for another game: ataxxd games", at)
            terminal.type(b"quit\r")
            assert terminal.wait() == ExitCode.OK
            assert "Type rematch" not in terminal.text

    await asyncio.to_thread(play)


async def test_a_silent_guest_gains_no_time_by_a_restart(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE + 'grace = "never"\npatience = "1h"\n')
    running = await server.start()
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    await guest.prints("Black moves")
    await running.kill()
    let_time_pass(server.node.home, hours=1)
    again = await server.start()
    await again.says("club: left: no move of yours has come for 1h")
    await again.says("club: open")
    again.send(signal.SIGTERM)
    await again.says("stopped; games left for the next start: 0")
    await again.ends()
    await guest.kill()


async def test_a_bot_says_why_it_takes_no_game_that_a_silent_player_never_loses(
    server: Server, nodes: Nodes
) -> None:
    server.configure(BOT)
    await server.start()
    ann = nodes.node("ann")
    asking = await ann.start("challenge", "bots", "--auto", "--grace", "never")
    await asking.says("give the game a clock or a grace")
    await asking.kill()


@pytest.mark.gate
async def test_killed_in_the_middle_of_its_games_it_comes_back_and_finishes_them_all(
    nodes: Nodes,
) -> None:
    games = 8
    names = ["club", *(f"club-{number}" for number in range(2, games + 1))]
    server, guests = Server(nodes), Server(nodes, "guests")
    # All share one core, so that several are under way at a time.
    table = TABLE.replace('"random"', '"auto"')
    server.configure(table + f"level = 7\nat_once = {games}\n[search]\nthreads = 1\n")
    guests.configure(BOT + f"at_once = {games}\nper_peer = {games}\n")
    first, playing = await server.start(), await guests.start()
    await first.says(f"{names[games // 2]}: playing")
    await first.kill()
    # What has begun, which it may not have told yet.
    with closing(Journal(Home(server.node.home).journal)) as journal:
        kept = [journal.find(*each) for each in journal.finished()]
        over = {game.offer.name for game in kept if game is not None}
        under_way = {
            game.offer.name
            for game in journal.unfinished()
            if journal.ledger(game).phase is not Phase.OPEN
        }
    assert len(under_way) > 1
    assert {name for name in names if f"{name}: playing" in str(first.err)} <= under_way | over
    # Only that is to be finished.
    server.configure("[search]\nthreads = 2\n")
    again = await server.start("--drain-for", "60")  # for the signatures of the last result
    assert f", {len(under_way)} games resumed" in await again.says("serving:")
    for name in under_way:
        await again.says(f"{name}: over")
        await playing.says(f"{name}: over")
    again.send(signal.SIGTERM)
    await again.says("games left for the next start: 0")
    await again.ends()


async def test_a_game_that_is_left_by_sigterm_is_gone_on_with(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE)
    running = await server.start()
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    running.send(signal.SIGTERM)
    await running.says("games left for the next start: 1")
    await running.ends()
    await guest.says("Your opponent has left")
    again = await server.start()
    await again.says("club: playing")
    await guest.type("resign", "quit")
    await again.says("club: over")


async def test_a_result_that_the_opponent_has_not_signed_is_left_for_the_next_start(
    server: Server, nodes: Nodes
) -> None:
    assert nodes.broker is not None
    server.configure(TABLE)
    running = await server.start()
    async with rogue_guest(nodes.broker, "club") as guest:
        await guest.until(lambda: guest.on_turn)
        await guest.carry_out(guest.session.resign())
        await running.says("club: over")
        running.send(signal.SIGTERM)
        await running.says("games left for the next start: 1")
        await running.ends()
    again = await server.start()
    assert ", 1 game resumed" in str(again.err)


async def test_sigterm_lets_games_end_for_as_long_as_it_was_told(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE)
    running = await server.start("--drain-for", "3600")
    guest = await nodes.node("ann").start("join", "club", typed=True)
    await running.says("club: playing")
    running.send(signal.SIGTERM)
    await running.says("no new games")
    await guest.type("resign", "quit")
    await running.says("games left for the next start: 0")
    await running.ends()
    games = await nodes.node("bob").run("games")
    assert "open" not in str(games.out)


async def test_an_offer_is_withdrawn_when_the_service_stops(server: Server, nodes: Nodes) -> None:
    server.configure(TABLE)
    running = await server.start()
    await running.says("club: open")
    running.send(signal.SIGINT)
    await running.ends()
    await nodes.node("ann").run("join", "club", "--wait", "0.5", code=ExitCode.NO_SUCH_GAME)


async def test_sighup_reads_the_file_again_and_keeps_the_old_one_when_it_is_wrong(
    server: Server, nodes: Nodes
) -> None:
    server.configure(TABLE)
    running = await server.start()
    await running.says("club: open")
    server.configure(TABLE.replace('"club"', '"Club"'))
    running.send(signal.SIGHUP)
    await running.says("SIGHUP: what was configured before stays")
    await running.says("server.toml, line 3: [[tables]] 1: name")
    server.configure(TABLE.replace("club", "salon") + "[web]\nport = 5\n")
    running.send(signal.SIGHUP)
    await running.says("[web] has changed; it counts from the next start")
    await running.says("salon: open")
    await nodes.node("ann").run("join", "club", "--wait", "0.5", code=ExitCode.NO_SUCH_GAME)
    await plays(nodes.node("ann"), "salon")


async def test_trouble_in_one_game_ends_that_game_only(server: Server, nodes: Nodes) -> None:
    broken = TABLE.replace("club", "broken").replace('"random"', '"engine:/bin/false"')
    server.configure(TABLE + broken.replace("ataxx/uai", "ataxx/cs61b-2022"))
    running = await server.start()
    unlucky = await nodes.node("ann").start("join", "broken", typed=True)
    await running.says("It is tried again")
    await plays(nodes.node("bob"), "club")
    await running.says("club: over")
    await unlucky.kill()


async def test_a_broker_that_is_away_is_waited_for(
    server: Server, nodes: Nodes, mosquitto: Mosquitto
) -> None:
    server.configure(TABLE)
    mosquitto.stop()
    running = await server.node.start("serve", "--config", server.path)
    await running.says("It is tried again")
    mosquitto.start()
    await running.says("club: open")
    mosquitto.restart()
    await running.says("connected again")
    await plays(nodes.node("ann"), "club")


async def test_a_service_that_still_waits_for_its_broker_stops_when_told(
    server: Server, mosquitto: Mosquitto
) -> None:
    server.configure(TABLE)
    mosquitto.stop()
    running = await server.node.start("serve", "--config", server.path)
    await running.says("It is tried again")
    running.send(signal.SIGTERM)
    await running.ends()


async def test_a_wrong_configuration_ends_it_before_it_begins(server: Server) -> None:
    server.configure("[[tables]]\n")
    running = await server.node.run("serve", "--config", server.path, code=ExitCode.USAGE)
    assert "2 faults" in str(running.err)


async def test_one_node_serves_once(server: Server) -> None:
    server.configure(TABLE)
    await server.start()
    second = await server.node.run("serve", "--config", server.path, code=ExitCode.NAME_IN_USE)
    assert "Another ataxxd process" in str(second.err)


async def test_a_log_for_programs_is_one_json_object_a_line(server: Server) -> None:
    server.configure(TABLE + '[log]\nformat = "json"\n')
    running = await server.start()
    await running.says("club: open")
    running.send(signal.SIGTERM)
    await running.ends()
    told = [json.loads(line) for line in running.err.lines]
    assert told[-1]["text"] == "stopped; games left for the next start: 0"
