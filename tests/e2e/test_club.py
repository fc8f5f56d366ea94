"""`ataxxd club`: a club's log, its ratings, and what shows that a club went back on it."""

import json
import signal
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import load_identity
from ataxxd.session.record import dump_record
from tests.conformance.clubs import Club, club_of_two, short_game
from tests.conformance.games import GUEST_KEY, HOST_KEY
from tests.e2e.nodes import Node, Nodes

TABLE = """
[[tables]]
name = "club"
ruleset = "ataxx/cs61b-2022"
position = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"
player = "random"
rated = "14d"
"""


def id_of(node: Node) -> str:
    node.home.mkdir(exist_ok=True, mode=0o700)
    return load_identity(node.home / "identity.key").node


async def played_event(host: Node, players: list[Node], name: str, *options: str) -> None:
    hosting = await host.start("event", "run", name, *options)
    play = ("event", "play", name, "--auto", "--nodes", "300")
    for each in (hosting, *[await player.start(*play) for player in players]):
        await each.ends()


@pytest.mark.gate
async def test_a_club_admits_members_and_anybody_checks_its_log(
    nodes: Nodes, tmp_path: Path
) -> None:
    club, other = nodes.node("club"), nodes.node("other")
    none = await club.run("club", "show", code=ExitCode.STORAGE)
    await none.says("Begin one: ataxxd club admit ID")
    await club.run("club", "admit", HOST_KEY.node, GUEST_KEY.node, HOST_KEY.node)
    first = tmp_path / "first.jsonl"
    await club.run("club", "show", "--save", first)
    await club.run("club", "remove", GUEST_KEY.node)
    again = await club.run("club", "remove", GUEST_KEY.node, code=ExitCode.USAGE)
    await again.says("is not a member")
    second = tmp_path / "second.jsonl"
    shown = await club.run("club", "show", "--save", second, "--json")
    assert json.loads(shown.out.lines[0])["members"] == [HOST_KEY.node]

    checked = await other.run("club", "check", second, "--earlier", first)
    assert checked.out.lines[0] == f"{second} extends {first}, by 1 entry."
    assert checked.out.lines[1].endswith("holds, 3 entries.")
    older = await other.run(
        "club", "check", first, "--earlier", second, code=ExitCode.VERIFICATION_FAILED
    )
    await older.says("an older copy")
    second.write_bytes(second.read_bytes()[:-1])
    cut = await other.run("club", "check", second, code=ExitCode.VERIFICATION_FAILED)
    await cut.says("this log is cut short")
    second.write_text('{"a":1}\n')
    for command in ("check", "adopt"):
        strange = await other.run("club", command, second, code=ExitCode.VERIFICATION_FAILED)
        await strange.says(f"{second}: this is not a club's log")
    folder = await other.run("club", "check", tmp_path, code=ExitCode.STORAGE)
    await folder.says("is a folder")


async def test_a_club_that_has_signed_two_logs_is_named(nodes: Nodes, tmp_path: Path) -> None:
    told, rewritten = club_of_two(), club_of_two()
    told.announce(short_game())
    rewritten.admit("a" * 20)
    shorter = Club()
    shorter.admit(GUEST_KEY.node)
    files = {}
    for name, club in (("told", told), ("rewritten", rewritten), ("shorter", shorter)):
        files[name] = tmp_path / f"{name}.jsonl"
        files[name].write_bytes(club.file)
    node = nodes.node("member")
    proof = tmp_path / "proof.json"
    game = short_game().offer.digest
    proved = await node.run("club", "prove", game[:12], files["told"])
    proof.write_text(proved.out.lines[0] + "\n")
    shown = await node.run("club", "check", proof)
    assert shown.out.lines[0].endswith("announcement")
    for name, earlier in (
        ("rewritten", files["told"]),
        ("rewritten", proof),
        ("shorter", files["told"]),
    ):
        forked = await node.run(
            "club", "check", files[name], "--earlier", earlier, code=ExitCode.CHEATING_PROVED
        )
        assert "has signed two logs" in forked.out.lines[0]


async def test_only_what_a_club_announced_is_rated(nodes: Nodes, tmp_path: Path) -> None:
    club, pair, unasked = club_of_two(), short_game(), short_game(name="unasked")
    club.announce(pair)
    for each in (pair, unasked):
        each.play_out()
        (tmp_path / f"{each.offer.name}.json").write_bytes(dump_record(each.host.ledger))
    log = tmp_path / "log.jsonl"
    log.write_bytes(club.file)
    rated = await nodes.node("member").run("ratings", "--log", log, tmp_path)
    assert rated.out.lines[-1].startswith("1 game, digest ")
    await rated.says("unasked.json: the club has not announced it.")


@pytest.mark.gate
async def test_the_games_of_a_rated_table_are_announced_and_their_records_logged(
    nodes: Nodes, tmp_path: Path
) -> None:
    server, member, stranger = nodes.node("server"), nodes.node("member"), nodes.node("stranger")
    table = tmp_path / "club.toml"
    table.write_text(TABLE)
    serving = await server.start("serve", "--config", table)
    await serving.says("club: no game is rated, as this node is not a member of its club")
    # The server and the member are admitted while the table is open.
    await server.run("club", "admit", id_of(server), id_of(member))
    await member.run("join", "club", "--player", "random")
    await serving.says("club: rated, against")
    await serving.says("club: over")
    await stranger.run("join", "club", "--player", "random")
    await serving.says("not rated")
    serving.send(signal.SIGTERM)
    await serving.ends()

    log = tmp_path / "log.jsonl"
    shown = await server.run("club", "show", "--json", "--save", log)
    (game,) = json.loads(shown.out.lines[0])["games"]
    assert (game["host"], game["guest"]) == (id_of(server), id_of(member))
    assert len(game["records"]) == 1
    checked = await member.run("club", "check", log, "--mine")
    assert checked.out.lines[-1] == "Nothing in this node's journal contradicts it."
    # The member's own record is the same, and what the log has not is not counted.
    ours, theirs = server.home / "club" / "records", tmp_path / "theirs"
    for node in (member, stranger):
        await node.run("archive", "--export", theirs)
    tables = [await member.run("ratings", "--log", log, folder) for folder in (ours, theirs)]
    assert tables[0].out.lines == tables[1].out.lines
    assert tables[0].out.lines[-1].startswith("1 game, digest ")
    await tables[1].says("the club has not announced it")


async def test_a_game_that_could_not_be_announced_is_announced_before_it_goes_on(
    nodes: Nodes, tmp_path: Path
) -> None:
    server, member = nodes.node("server"), nodes.node("member")
    await server.run("club", "admit", id_of(server), id_of(member))
    table = tmp_path / "club.toml"
    table.write_text(TABLE)
    serving = await server.start("serve", "--config", table)
    await serving.says("serving: 1 table")
    log = server.home / "club" / "log.jsonl"
    kept = log.rename(tmp_path / "kept.jsonl")
    log.mkdir()
    joining = await member.start("join", "club", "--player", "random")
    await serving.says("It is tried again")
    log.rmdir()
    kept.rename(log)
    await serving.says("club: rated, against")
    await joining.ends()
    shown = await server.run("club", "show", "--json")
    (game,) = json.loads(shown.out.lines[0])["games"]
    assert (game["host"], game["guest"]) == (id_of(server), id_of(member))


async def test_an_event_is_rated_only_when_the_log_has_it_from_the_beginning(
    nodes: Nodes, tmp_path: Path
) -> None:
    host, players = nodes.node("host"), [nodes.node("one"), nodes.node("two")]
    ids = [id_of(player) for player in players]
    named = [word for node in ids for word in ("--player", node)]
    await host.run("event", "plan", "cup", "--game", "reversi", *named)
    await host.run("club", "admit", ids[0])
    refused = await host.run("event", "run", "cup", "--rated", code=ExitCode.USAGE)
    await refused.says(f"ataxxd club admit {ids[1]}")
    await host.run("club", "admit", ids[1])
    await played_event(host, players, "cup", "--rated")

    log, records = tmp_path / "log.jsonl", host.home / "events" / "cup" / "records"
    shown = await host.run("club", "show", "--json", "--save", log)
    (event,) = json.loads(shown.out.lines[0])["events"]
    assert event["rounds"] == 2  # the second closes it
    rated = await players[0].run("ratings", "--log", log, records)
    assert rated.out.lines[-1].startswith("1 game, digest ")
    none = await players[0].run("ratings", "--log", log, tmp_path / "log.jsonl")
    await none.says("is not here")

    checked = await players[0].run("event", "check", records.parent, "--log", log)
    await checked.prints("The club's log has the event")

    # Another event, which is to count only after it was played.
    await host.run("event", "plan", "other", "--game", "reversi", *named)
    await played_event(host, players, "other")
    late = await host.run("event", "run", "other", "--rated", code=ExitCode.USAGE)
    await late.says("has begun without it")
    unasked = await players[0].run("ratings", "--log", log, host.home / "events" / "other")
    await unasked.says("the club has not announced it")
