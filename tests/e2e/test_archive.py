"""`ataxxd archive`: games played by real nodes are found, exported and forgotten."""

import json
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import load_identity
from ataxxd.session.record import verify_record
from tests.e2e.nodes import Nodes

ENDGAMES = {
    "ataxx": "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1",
    "checkers": "W:W18,23,K6:B2",
}


@pytest.mark.gate
async def test_finished_games_are_listed_exported_and_forgotten(
    nodes: Nodes, tmp_path: Path
) -> None:
    host, guest = nodes.node("host"), nodes.node("guest")
    await host.run("id", "--name", "hanna")
    for game, position in ENDGAMES.items():
        hosting = await host.host(
            *(f"our-{game}", "--game", game, "--auto", "--position", position, "--level", "1")
        )
        await guest.run("join", f"our-{game}", "--auto", "--level", "1")
        await hosting.ends()

    listed = await guest.run("archive")
    assert len(listed.out.lines) == 2
    assert "our-checkers" in listed.out.lines[0]
    rows = [json.loads(line) for line in (await guest.run("archive", "--json")).out.lines]
    peer = load_identity(host.home / "identity.key").node
    assert {row["peer"] for row in rows} == {peer}
    assert {row["standing"] for row in rows} == {"agreed"}
    narrowed = await guest.run(
        *("archive", "--game", "ataxx", "--position", ENDGAMES["ataxx"], "--with", peer[:8])
    )
    assert len(narrowed.out.lines) == 1
    assert (await guest.run("archive", "--with", "Hanna")).out.lines == listed.out.lines
    assert len((await guest.run("archive", "--with", "hanna", "--limit", "1")).out.lines) == 1
    none = await guest.run("archive", "--until", "2000-01-01")
    assert none.out.lines == []
    await none.says(f"No finished game in {guest.home} matches.")
    await none.says(f"list them all: ataxxd archive --home {guest.home}")

    folder = tmp_path / "games"
    await guest.run("archive", "--export", folder)
    found = [verify_record(path.read_bytes()) for path in sorted(folder.glob("*.json"))]
    assert [each.ledger.offer.name for each in found] == ["our-ataxx", "our-checkers"]
    mixed = await guest.run("archive", "--export", folder, "--to", "pdn")
    await mixed.says("Not written: our-ataxx")
    await mixed.says("Wrote 1 of 2 games")
    (checkers,) = folder.glob("*.pdn")
    alone = await guest.run("archive", "our-checkers", "--export", folder, "--to", "pdn")
    await alone.says(f"Wrote {checkers}.")

    asked = await guest.run("archive", "our-ataxx", "--forget", code=ExitCode.USAGE)
    await asked.says("cannot be undone")
    await (await guest.run("archive", "our-ataxx", "--forget", "--yes")).says("Forgot 1 of 1 game.")
    left = (await guest.run("archive")).out.lines
    assert len(left) == 1
    assert "our-checkers" in left[0]
    forgotten = await guest.run("archive", "our-ataxx", code=ExitCode.NO_SUCH_GAME)
    await forgotten.says(f"List all finished games: ataxxd archive --home {guest.home}")
    assert len((await host.run("archive")).out.lines) == 2


async def test_a_name_without_a_finished_game_is_refused_as_by_resume(nodes: Nodes) -> None:
    node = nodes.node("host")
    for command, kind in (("archive", "finished"), ("resume", "unfinished")):
        none = await node.run(command, "ourgame", code=ExitCode.NO_SUCH_GAME)
        await none.says(f'No {kind} game "ourgame" in {node.home}')
    hosting = await node.host("ourgame", "--auto", "--level", "1")
    await hosting.kill()
    begun = await node.run("archive", "Our_Game", "--json", code=ExitCode.NO_SUCH_GAME)
    await begun.says('No finished game "Our_Game"')
    begun = await node.run("archive", "ourgame", code=ExitCode.NO_SUCH_GAME)
    await begun.says("it is not over. Continue it: ataxxd resume ourgame")


async def test_what_cannot_be_looked_for_is_explained(nodes: Nodes) -> None:
    node = nodes.node("host")
    for arguments, words in (
        (("--moves", "a7-b6 z9"), "--moves: "),
        (("--game", "chess"), "There is no game 'chess'"),
        (("--ruleset", "ataxx/uai"), "give one of them"),
        (("--to", "pgn"), "name the folder as well"),
        (("--yes",), "give both, or neither"),
        (("--export", "x", "--to", "svg"), "there is no such format"),
        (("--since", "yesterday"), "--since"),
    ):
        refused = await node.run("archive", *arguments, code=ExitCode.USAGE)
        await refused.says(words)
