"""`ataxxd ratings`: two nodes and a folder of records come to the same figures."""

import json
from pathlib import Path

from ataxxd.errors import ExitCode
from ataxxd.node.identity import load_identity
from tests.e2e.nodes import Nodes

ENDGAME = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"


async def test_whoever_has_the_records_gets_the_same_ratings(nodes: Nodes, tmp_path: Path) -> None:
    host, guest = nodes.node("host"), nodes.node("guest")
    for name in ("one", "two"):
        hosting = await host.host(name, "--auto", "--position", ENDGAME, "--level", "1")
        await guest.run("join", name, "--auto", "--level", "1")
        await hosting.ends()
    folder = tmp_path / "records"
    await guest.run("archive", "--export", folder)
    (folder / "notes.json").write_text("{}")

    ours = await host.run("ratings")
    theirs = await guest.run("ratings", "--game", "ataxx")
    shared = await nodes.node("other").run("ratings", folder, *sorted(folder.glob("one*")))
    assert ours.out.lines == theirs.out.lines == shared.out.lines
    assert ours.out.lines[-1].startswith("2 records, digest ")
    await shared.says("notes.json: this is no record")

    peer = load_identity(guest.home / "identity.key").node
    rows = await host.run("ratings", "--json", "--of", peer[:6])
    line, summary = map(json.loads, rows.out.lines)
    assert line["node"] == peer
    assert line["games"] == 2
    assert summary["digest"] in ours.out.lines[-1]

    none = await host.run("ratings", "--game", "loa")
    await none.says("No rating matches. Leave out --game or --of")
    missing = await host.run("ratings", tmp_path / "nowhere", code=ExitCode.USAGE)
    await missing.says("there is no such file or folder")
