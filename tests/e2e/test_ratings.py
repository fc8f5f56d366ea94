"""`ataxxd ratings`: two nodes and a folder of records come to the same figures."""

import json
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import load_identity
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd_protocol import grouped
from tests.conformance.games import GUEST_KEY, HOST_KEY, RULESET, Pair
from tests.e2e.nodes import Nodes

ENDGAME = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"


@pytest.mark.gate
async def test_whoever_has_the_records_gets_the_same_ratings(nodes: Nodes, tmp_path: Path) -> None:
    host, guest = nodes.node("host"), nodes.node("guest")
    for name in ("one", "two"):
        hosting = await host.host(name, "--auto", "--position", ENDGAME, "--level", "1")
        await guest.run("join", name, "--auto", "--level", "1")
        await hosting.ends()
    folder = tmp_path / "records"
    await guest.run("archive", "--export", folder)
    (folder / "notes.json").write_text("{}")
    # The documents of an event, beside its records, are passed over.
    players = [load_identity(node.home / "identity.key").node for node in (host, guest)]
    await host.run("event", "plan", "cup", *(f"--player={player}" for player in players))
    (folder / "plan.json").write_bytes((host.home / "events" / "cup" / "plan.json").read_bytes())

    ours = await host.run("ratings")
    theirs = await guest.run("ratings", "--game", "ataxx")
    shared = await nodes.node("other").run("ratings", folder, *sorted(folder.glob("one*")))
    assert ours.out.lines == theirs.out.lines == shared.out.lines
    assert ours.out.lines[-1].startswith("2 games, digest ")
    await shared.says("notes.json: this is not a record")
    assert "plan.json" not in str(shared.err)

    peer = load_identity(guest.home / "identity.key").node
    rows = await host.run("ratings", "--json", "--of", peer[:6])
    line, summary = map(json.loads, rows.out.lines)
    assert line["node"] == peer
    assert line["games"] == 2
    await host.run("id", "--name", "hanna")
    named = await host.run("ratings", "--json", "--of", "Hanna")
    assert json.loads(named.out.lines[0])["node"] == players[0]
    assert summary["digest"] in ours.out.lines[-1]

    none = await host.run("ratings", "--game", "loa")
    await none.says("No rating matches. Leave out --game or --of")
    missing = await host.run("ratings", tmp_path / "nowhere", code=ExitCode.STORAGE)
    await missing.says("there is no such file or folder")


async def test_a_club_names_its_members_and_the_day_of_its_table(
    nodes: Nodes, tmp_path: Path
) -> None:
    node = nodes.node("club")
    folder = tmp_path / "records"
    folder.mkdir()
    for name, day in (("now", 20_000), ("later", 2_900_000)):
        pair = Pair.started(created_ms=day * 86_400_000)
        pair.carry(Role.HOST, pair.host.resign())
        (folder / f"{name}.json").write_bytes(dump_record(pair.host.ledger))
    members = tmp_path / "members.txt"
    members.write_text(f"# the club\n\n{grouped(HOST_KEY.node)}  ann\n{GUEST_KEY.node}\n")

    rated = await node.run("ratings", folder, "--members", members, "--as-of", "2030-01-01")
    assert rated.out.lines[0] == f"{RULESET}, 1 game, as of 2030-01-01"
    await rated.says("later.json: it is dated 9909-12-07, later than the table.")
    assert rated.out.lines[-1].startswith("1 game, digest ")

    members.write_text(f"{HOST_KEY.node}\n")
    none = await node.run("ratings", folder, "--members", members)
    await none.says(f"now.json: {grouped(GUEST_KEY.node)} is not a member.")
    assert none.err.lines[-1] == "Nothing to rate: no game counts, for the reasons above."
    (tmp_path / "empty").mkdir()
    empty = await node.run("ratings", tmp_path / "empty")
    assert str(empty.err).startswith("There are no records here.")
    members.write_text("ann\n")
    wrong = await node.run("ratings", folder, "--members", members, code=ExitCode.USAGE)
    await wrong.says("members.txt, line 1: 'ann' is not a node id")


async def test_lists_show_what_this_node_knows_of_ratings_and_nothing_else(nodes: Nodes) -> None:
    ann, bob = nodes.node("ann"), nodes.node("bob")
    host = await ann.start("host", "ourgame", "--player", "random", "--ruleset", "ataxx/uai")
    await host.says("Waiting for a guest")
    guest = await bob.start("join", "ourgame", typed=True)
    await guest.says("You have the seat")
    await guest.type("resign")
    await host.ends()
    await guest.ends()
    listening = await ann.start("challenges", "--name", "ann")
    await listening.says("Waiting for challenges")
    assert ", rated 1662" in str((await bob.run("games", "--ratings")).out)
    (game,) = [
        json.loads(line) for line in (await bob.run("games", "--ratings", "--json")).out.lines
    ]
    assert game["rating"] == 1662
    assert "rated 1662 in ataxx/uai" in str((await bob.run("players", "--ratings")).out)
    (player,) = (await bob.run("players", "--ratings", "--json")).out.lines
    assert json.loads(player)["ratings"] == {"ataxx/uai": 1662}
    # A stranger has none of their games.
    for command in ("games", "players"):
        assert "rated" not in str((await nodes.node("cid").run(command, "--ratings")).out)
