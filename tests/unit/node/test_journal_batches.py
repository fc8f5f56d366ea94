"""A journal whose syncs are shared keeps what the plain one keeps, and fails for everybody."""

import asyncio
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.home import Home
from ataxxd.node.journal import BatchedJournal, StoredGame
from ataxxd.session.events import Keep
from ataxxd.session.state import Role
from ataxxd_protocol.messages import AnyLogMessage
from tests.conformance.games import Pair, of_kind


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """An empty home."""
    return Home(tmp_path)


@pytest.fixture
def journal(home: Home) -> Iterator[BatchedJournal]:
    """Its journal."""
    opened = BatchedJournal(home.journal)
    yield opened
    opened.close()


def game_of(
    journal: BatchedJournal, name: str
) -> tuple[Pair, StoredGame, list[tuple[Role, AnyLogMessage]]]:
    """A whole game, and what its host is to keep of it."""
    pair = Pair.started(name=name)
    pair.play_out()
    kept = of_kind(pair.effects[Role.HOST], Keep)
    stored = journal.begin(pair.offer, Role.HOST, {})
    return pair, stored, [(effect.role, effect.message) for effect in kept]


async def test_what_many_games_keep_at_once_is_all_there_in_order(
    journal: BatchedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = [game_of(journal, f"game-{number}") for number in range(8)]
    commits: list[int] = []
    commit = journal._writer.commit

    def counted(batch: Any) -> None:
        commits.append(len(batch))
        commit(batch)

    monkeypatch.setattr(journal._writer, "commit", counted)
    await asyncio.gather(
        *(
            journal.keep(stored, [message])
            for messages in zip(*(kept for _, _, kept in games), strict=True)
            for (_, stored, _), message in zip(games, messages, strict=True)
        )
    )
    for pair, stored, _ in games:
        assert journal.ledger(stored).entries == pair.host.ledger.entries
    assert len(commits) == 1, "what comes together is synced together"


async def test_what_comes_during_a_sync_is_kept_by_the_next(
    journal: BatchedJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    pair, stored, kept = game_of(journal, "ourgame")
    loop, begun, commit = asyncio.get_running_loop(), asyncio.Event(), journal._writer.commit

    def told(batch: Any) -> None:
        loop.call_soon_threadsafe(begun.set)
        commit(batch)

    monkeypatch.setattr(journal._writer, "commit", told)
    first = journal.keep(stored, kept[:1])
    await begun.wait()
    second = journal.keep(stored, kept[1:])
    assert first is not second
    await asyncio.gather(first, second)
    assert journal.ledger(stored).entries == pair.host.ledger.entries


async def test_a_full_disk_is_told_to_everybody_who_waits(
    home: Home, journal: BatchedJournal
) -> None:
    _, one, kept = game_of(journal, "one")
    _, two, others = game_of(journal, "two")
    with closing(sqlite3.connect(home.journal)) as db:
        db.execute(
            "CREATE TRIGGER full BEFORE INSERT ON messages BEGIN SELECT raise(FAIL, 'full'); END"
        )
    results = await asyncio.gather(
        journal.keep(one, kept), journal.keep(two, others), return_exceptions=True
    )
    assert [type(result) for result in results] == [StorageError, StorageError]
    assert not journal.ledger(one).entries
    assert not journal.ledger(two).entries


async def test_a_command_that_looks_in_from_another_process_leaves_the_log_where_it_is(
    home: Home, journal: BatchedJournal
) -> None:
    _, stored, messages = game_of(journal, "ourgame")
    await journal.keep(stored, messages[:4])
    looks_in = (
        "import pathlib, sys; from ataxxd.node.journal import Journal; "
        "Journal(pathlib.Path(sys.argv[1])).close()"
    )
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", looks_in, home.journal)
    assert await other.wait() == 0
    assert home.journal.with_name("journal.db-wal").exists()
    await journal.keep(stored, messages[4:])
    copied = home.path / "copy.db"
    for end in ("", "-wal"):
        file = home.journal.with_name(home.journal.name + end)
        copied.with_name(copied.name + end).write_bytes(file.read_bytes())
    with closing(sqlite3.connect(copied)) as seen:
        assert seen.execute("SELECT count(*) FROM messages").fetchone() == (len(messages),)
