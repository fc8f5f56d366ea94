"""A game that an older program began is finished by this one, on both sides."""

import asyncio

import pytest

from ataxxd.node.journal import Journal
from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.journals import OLD_VERSIONS, lay_out


@pytest.mark.gate("[1]")
@pytest.mark.parametrize("version", OLD_VERSIONS)
async def test_a_game_of_an_older_journal_is_resumed_and_holds(version: int, nodes: Nodes) -> None:
    journal = Journal(lay_out(nodes.folder / "host", version, "host"))
    lay_out(nodes.folder / "guest", version, "guest")
    (stored,) = journal.unfinished()
    position = journal.ledger(stored).position
    host, guest = [
        await nodes.node(role).start("resume", "--broker", nodes.broker or "", typed=True)
        for role in ("host", "guest")
    ]
    red, blue = Person(Side.FIRST, 1, position), Person(Side.SECOND, 2, position)
    await asyncio.gather(red.play(host), blue.play(guest))
    for running in (host, guest):
        running.hang_up()
        await running.ends()
    ledger = journal.ledger(stored)
    journal.close()
    await nodes.node("host").run("archive", "--export", nodes.folder, "underway")
    (record,) = nodes.folder.glob("underway-*.json")
    assert verify_record(record.read_bytes()).standing is Standing.AGREED
    assert len(ledger.moves) > 6
