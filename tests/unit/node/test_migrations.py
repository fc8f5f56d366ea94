"""Journals of older programs, as they were really written, opened by this one."""

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from ataxxd.errors import StorageError
from ataxxd.node import journal_schema
from ataxxd.node.home import load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.journal_schema import VERSION, backup_path
from ataxxd.node.settings import Settings
from ataxxd.session.events import Refusing, Send
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Role
from ataxxd_protocol.messages import Consent
from tests.conformance.games import Pair, of_kind
from tests.journals import OLD_VERSIONS, lay_out


@contextmanager
def opened(path: Path) -> Iterator[Journal]:
    with closing(Journal(path)) as journal:
        yield journal


def shape(path: Path) -> list[tuple[str, str, str, int]]:
    """Every column of a journal: its table, name and type, and whether it must have a value."""
    with closing(sqlite3.connect(path)) as database:
        return [
            (table, name, kind, needed)
            for (table,) in database.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
            ).fetchall()
            for _, name, kind, needed, *_ in database.execute(f"PRAGMA table_info({table})")
        ]


def version_of(path: Path) -> int:
    with closing(sqlite3.connect(path)) as database:
        return int(database.execute("PRAGMA user_version").fetchone()[0])


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_an_older_journal_opens_with_all_its_games(
    version: int, role: Role, tmp_path: Path
) -> None:
    path = lay_out(tmp_path / "home", version, role)
    with opened(path) as journal:
        (under_way,) = journal.unfinished()
        assert under_way.offer.name == "underway"
        assert not under_way.restored
        assert Settings.restored(under_way.settings).player == "human"
        assert len(journal.ledger(under_way).moves) == 6
        assert journal.newest_ms(under_way)
        ((game, finished_as),) = journal.finished()
        done = journal.find(game, finished_as)
        assert done is not None
        verdict = verify_record(dump_record(journal.ledger(done)))
        assert verdict.standing is Standing.AGREED


@pytest.mark.requirement("MP-VER-4")
@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_a_game_begun_in_an_older_protocol_goes_on_by_its_rules(
    version: int, tmp_path: Path
) -> None:
    spoken = {4: "1.1", 5: "1.2", 6: "1.2", 7: "1.2", 8: "1.2"}.get(version, "1.0")
    seats, offers = {}, set()
    for role in Role:
        path = lay_out(tmp_path / role, version, role)
        with opened(path) as journal:
            (stored,) = journal.unfinished()
            assert stored.offer.v == spoken
            offers.add(stored.offer)
            key = load_identity(path.with_name("identity.key"))
            secret = Settings.restored(stored.settings).secret
            seats[role] = PlayerSession(journal.ledger(stored), role, key, secret)
    pair = Pair(offers.pop(), seats)
    pair.play_out()
    records = {dump_record(seat.ledger) for seat in seats.values()}
    assert len(records) == 1
    verdict = verify_record(records.pop())
    assert verdict.standing is Standing.AGREED
    assert verdict.ledger.offer.v == spoken


def test_what_was_refused_is_kept_until_something_else_is(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "home", max(OLD_VERSIONS), "host")
    with opened(path) as journal:
        (stored,) = journal.unfinished()
        assert journal.stored_refusals(stored) == []
        pair = Pair.started()
        pair.play("g2", "b1", "b6")
        for what in ("takeback", "abort"):
            pair.carry(Role.HOST, pair.host.ask(what))
            pair.carry(Role.GUEST, pair.guest.refuse(1))
            *_, refusing = of_kind(pair.effects[Role.GUEST], Refusing)
            journal.store_refusals(stored, refusing.answers)
    with opened(path) as journal:
        assert dict(journal.stored_refusals(stored)) == dict(refusing.answers)
        assert [request.what for request, _ in refusing.answers] == ["takeback", "abort"]
        journal.store_refusals(stored, [])
        assert journal.stored_refusals(stored) == []


def test_what_was_asked_for_is_kept_until_something_else_is(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "home", max(OLD_VERSIONS), "host")
    pair = Pair.started()
    pair.play("g2", "b1", "b6")
    requests = []
    for what in ("takeback", "abort"):
        (asking,) = pair.host.ask(what)
        assert isinstance(asking, Send)
        assert isinstance(asking.message, Consent)
        requests.append(asking.message)
    with opened(path) as journal:
        (stored,) = journal.unfinished()
        assert journal.stored_request(stored) is None
        for request in requests:
            journal.store_request(stored, request)
            assert journal.stored_request(stored) == request
    with opened(path) as journal:
        assert journal.stored_request(stored) == requests[-1]


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_a_migrated_journal_has_the_columns_of_a_new_one(version: int, tmp_path: Path) -> None:
    old, new = lay_out(tmp_path / "home", version, "host"), tmp_path / "new.db"
    for path in (old, new):
        with opened(path):
            pass
    assert shape(old) == shape(new)
    assert version_of(old) == version_of(new) == VERSION


@pytest.mark.parametrize("version", OLD_VERSIONS)
def test_the_journal_as_it_was_is_kept_for_its_owner_alone(version: int, tmp_path: Path) -> None:
    path = lay_out(tmp_path / "home", version, "guest")
    before = shape(path)
    with opened(path):
        pass
    kept = backup_path(path, version)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert (shape(kept), version_of(kept)) == (before, version)


def test_a_migration_that_fails_leaves_the_journal_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = lay_out(tmp_path / "home", 1, "host")
    before = shape(path)
    steps = {1: journal_schema.STEPS[1], 2: ("SELECT no_such_column FROM games",)}
    monkeypatch.setattr(journal_schema, "STEPS", steps)
    with pytest.raises(StorageError, match="no_such_column"), opened(path):
        pass
    assert (shape(path), version_of(path)) == (before, 1)


def test_a_journal_is_left_alone_where_its_copy_cannot_be_kept(tmp_path: Path) -> None:
    path = lay_out(tmp_path / "home", 1, "host")
    backup_path(path, 1).mkdir()
    with pytest.raises(StorageError, match=r"journal\.db\.v1 cannot be written"), opened(path):
        pass
    assert version_of(path) == 1


def test_every_version_before_this_one_has_a_journal_to_try() -> None:
    assert tuple(journal_schema.STEPS) == OLD_VERSIONS == tuple(range(1, VERSION))
