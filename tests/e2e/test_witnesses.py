"""Witnesses of a game: named by its host, agreed to by its guest, and there when it is played."""

import pytest

from ataxxd.errors import ExitCode
from ataxxd.session.record import verify_record
from tests.e2e.nodes import Nodes


@pytest.mark.gate
async def test_a_host_names_witnesses_and_its_guest_agrees_to_them_by_joining(
    nodes: Nodes,
) -> None:
    witness, stranger = nodes.node("witness"), nodes.node("stranger")
    shown = (await witness.run("id", "--short")).out.lines[0]
    record = nodes.folder / "host.json"
    auto = ("--auto", "--level", "1")
    host = await nodes.node("host").host(
        "ourgame", *auto, "--witness", shown, "--transcript", record
    )
    refused = await stranger.run("watch", "ourgame", "--witness", code=ExitCode.USAGE)
    assert "does not name this node as a witness" in str(refused.err)
    watching = await witness.start("watch", "ourgame", "--witness")
    await watching.says("You are a witness of this game")
    guest = await nodes.node("guest").run("join", "ourgame", *auto)
    assert f"witnesses of claims: {shown}" in str(guest.err)
    await host.ends()
    await watching.ends()
    offer = verify_record(record.read_bytes()).ledger.offer
    assert offer.witnesses == (shown.replace("-", ""),)


@pytest.mark.parametrize(
    ("named", "why"),
    [
        (["nobody"], "is not a node id"),
        (["a" * 20, "a" * 20], "named twice"),
        ([f"{'a' * 19}{end}" for end in "234567ab"], "7 witnesses at most"),
    ],
)
async def test_what_names_no_witnesses_is_refused(nodes: Nodes, named: list[str], why: str) -> None:
    options = [word for each in named for word in ("--witness", each)]
    refused = await nodes.node("host").run("host", "ourgame", *options, code=ExitCode.USAGE)
    assert why in str(refused.err)
