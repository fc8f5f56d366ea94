"""What a player has said is on the disk first, and so is the mark that tells of it."""

import errno
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from ataxxd.errors import StorageError
from ataxxd.node import high_water
from ataxxd.node.journal import Journal
from ataxxd.session.events import Keep
from ataxxd.session.state import Role
from tests.conformance.games import Pair, of_kind

Synced = Callable[[Callable[[str], None]], None]


@pytest.fixture
def on_sync(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Synced:
    """Has a function called with the name of each file of the journal that is to be synced."""
    real = high_water.sync

    def call(told: Callable[[str], None]) -> None:
        def sync(file: int) -> None:
            opened = os.fstat(file)
            (name,) = (
                each.name for each in tmp_path.iterdir() if os.path.samestat(each.stat(), opened)
            )
            told(name)
            real(file)

        monkeypatch.setattr("ataxxd.node.high_water.sync", sync)
        monkeypatch.setattr("ataxxd.node.journal.sync", sync)

    return call


def moves() -> tuple[Pair, list[Keep]]:
    """A game, and what its host is to keep of it: messages of both, by turns."""
    pair = Pair.started()
    pair.play("a7b6", "a1a2", "g1f2", "g7f6")
    return pair, of_kind(pair.effects[Role.HOST], Keep)


def test_the_log_and_the_mark_are_synced_once_for_each_message_of_ours_and_for_no_other(
    tmp_path: Path, on_sync: Synced
) -> None:
    synced: list[str] = []
    on_sync(synced.append)
    pair, kept = moves()
    with closing(Journal(tmp_path / "journal.db")) as journal:
        stored = journal.begin(pair.offer, Role.HOST, {})
        for each in kept:
            synced.clear()
            journal.keep(stored, [(each.role, each.message)])
            ours = each.role is Role.HOST
            assert sorted(synced) == (["journal.db-wal", "journal.mark"] if ours else [])


def test_whoever_is_killed_before_either_sync_has_lost_nothing(
    tmp_path: Path, on_sync: Synced, tmp_path_factory: pytest.TempPathFactory
) -> None:
    left: list[Path] = []

    def copy(name: str) -> None:
        home = tmp_path_factory.mktemp(name)
        for file in tmp_path.iterdir():
            shutil.copy(file, home)
        left.append(home)

    pair, kept = moves()
    newest = max(at for at, each in enumerate(kept) if each.role is Role.HOST)
    last = kept[newest]
    with closing(Journal(tmp_path / "journal.db")) as journal:
        stored = journal.begin(pair.offer, Role.HOST, {})
        journal.keep(stored, [(each.role, each.message) for each in kept[:newest]])
        on_sync(copy)
        journal.keep(stored, [(last.role, last.message)])
    assert len(left) == 2
    for home in left:
        with closing(Journal(home / "journal.db")) as journal:
            (again,) = journal.unfinished()
            assert not again.restored
            assert journal.ledger(again).head(Role.HOST) == last.message.digest


@pytest.mark.parametrize("file", ["journal.db-wal", "journal.mark"])
def test_a_disk_that_fails_at_a_sync_stops_the_game(
    file: str, tmp_path: Path, on_sync: Synced
) -> None:
    def fail(name: str) -> None:
        if name == file:
            raise OSError(errno.EIO, os.strerror(errno.EIO))

    pair, kept = moves()
    with closing(Journal(tmp_path / "journal.db")) as journal:
        stored = journal.begin(pair.offer, Role.HOST, {})
        on_sync(fail)
        ours = next(each for each in kept if each.role is Role.HOST)
        with pytest.raises(StorageError, match="Input/output error"):
            journal.keep(stored, [(ours.role, ours.message)])
