"""A journal that lost what was said last, by whatever damage: nothing is ever said twice."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.crashes import ROLES, RoughGame
from tests.e2e.nodes import Nodes
from tests.e2e.recording import recording

Damage = Callable[[Path], None]


def one_wrong_bit(log: Path) -> None:
    content = bytearray(log.read_bytes())
    # In the head of the second page of the log, so that it is lost with all that follow.
    content[32 + 24 + 4096 + 9] ^= 1
    log.write_bytes(content)


def cut(log: Path) -> None:
    with log.open("r+b") as file:
        file.truncate(log.stat().st_size // 3)


def rows_gone(log: Path) -> None:
    """The newest messages, out of the file itself: for SQLite nothing is wrong."""
    with closing(sqlite3.connect(log.with_name("journal.db"), isolation_level=None)) as database:
        database.execute("DELETE FROM messages WHERE seq > (SELECT max(seq) FROM messages) - 3")


@pytest.mark.requirement("MP-NODE-2", "MP-SYNC-9")
@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("damage", [one_wrong_bit, cut, Path.unlink, rows_gone])
async def test_a_player_whose_log_was_damaged_never_says_another_thing(
    damage: Damage, role: str, nodes: Nodes
) -> None:
    game = RoughGame(nodes)
    assert nodes.broker is not None
    async with recording(nodes.broker) as heard:
        await game.open()
        await game.join()
        assert await game.running[role].has_printed(12)
        await game.kill(role)
        damage(nodes.node(role).home / "journal.db-wal")
        await game.resume(role)
        await game.running[role].says("lacks what this node sent last")
        await game.finish()
    assert heard.contradictions() == []
