"""`ataxxd club`: a club's log, its ratings, and what shows that a club went back on it."""

import json
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import dump_record
from tests.conformance.clubs import club_of_two, short_game
from tests.conformance.games import GUEST_KEY, HOST_KEY
from tests.e2e.nodes import Nodes


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
    await again.says("is no member")
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
    await cut.says("no whole log")


async def test_a_club_that_has_signed_two_logs_is_named(nodes: Nodes, tmp_path: Path) -> None:
    told, rewritten = club_of_two(), club_of_two()
    told.announce(short_game())
    rewritten.admit("a" * 20)
    files = {}
    for name, club in (("told", told), ("rewritten", rewritten)):
        files[name] = tmp_path / f"{name}.jsonl"
        files[name].write_bytes(club.file)
    node = nodes.node("member")
    proof = tmp_path / "proof.json"
    game = short_game().offer.digest
    proved = await node.run("club", "prove", game[:12], files["told"])
    proof.write_text(proved.out.lines[0] + "\n")
    shown = await node.run("club", "check", proof)
    assert shown.out.lines[0].endswith("announcement")
    for earlier in (files["told"], proof):
        forked = await node.run(
            "club", "check", files["rewritten"], "--earlier", earlier,
            code=ExitCode.CHEATING_PROVED,
        )  # fmt: skip
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
