"""Backups as files: what is refused, and that a refusal changes nothing."""

import io
import json
import tarfile
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import GameError, StorageError
from ataxxd.node.backup import back_up, restore
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.high_water import mark_path
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.names import NameBook
from ataxxd.node.profile import Profile
from ataxxd.node.settings import Settings
from ataxxd.transport.base import Transport, WillFactory
from tests.journals import lay_out


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with a game that is over and one that is not."""
    lay_out(tmp_path / "home", 2, "host")
    evidence = tmp_path / "home" / "evidence"
    evidence.mkdir()
    (evidence / "proof.json").write_text("{}\n")
    records = tmp_path / "home" / "events" / "spring" / "records"
    records.mkdir(parents=True)
    (records.parent / "plan.json").write_text('{"plan":1}\n')
    (records / "spring-1-1.json").write_text('{"record":1}\n')
    return Home(tmp_path / "home")


@pytest.fixture
def backup(home: Home, tmp_path: Path) -> Path:
    """Its backup."""
    path = tmp_path / "backup.tar.gz"
    back_up(home, path)
    return path


def contents(path: Path) -> dict[str, bytes]:
    with tarfile.open(path) as tar:
        return {name: tar.extractfile(name).read() for name in tar.getnames()}  # type: ignore[union-attr]


def rewrite(path: Path, files: Mapping[str, bytes]) -> None:
    with tarfile.open(path, "w:gz") as tar:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))


def with_manifest(change: Callable[[dict[str, Any]], object]) -> Callable[[Path], None]:
    def changed(path: Path) -> None:
        files = contents(path)
        manifest = json.loads(files["manifest.json"])
        change(manifest)
        rewrite(path, files | {"manifest.json": json.dumps(manifest).encode()})

    return changed


def with_file(name: str, content: bytes) -> Callable[[Path], None]:
    return lambda path: rewrite(path, contents(path) | {name: content})


def cut_short(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-200])


def renamed(path: Path, name: str) -> None:
    files = contents(path)
    files[name] = files.pop("evidence/proof.json")
    manifest = json.loads(files["manifest.json"])
    manifest["files"][name] = manifest["files"].pop("evidence/proof.json")
    rewrite(path, files | {"manifest.json": json.dumps(manifest).encode()})


def test_nicknames_come_back(home: Home, tmp_path: Path) -> None:
    key = load_identity(home.identity)
    with closing(NameBook(home.names)) as names:
        names.set_nickname(key, "ana")
    back_up(home, tmp_path / "named.tar.gz")
    fresh = Home(tmp_path / "fresh")
    restore(fresh, tmp_path / "named.tar.gz")
    with closing(NameBook(fresh.names)) as names:
        assert names.name_of(key.node) == "ana"


def test_events_come_back_with_their_records(backup: Path, tmp_path: Path) -> None:
    restore(Home(tmp_path / "other"), backup)
    event = tmp_path / "other" / "events" / "spring"
    assert (event / "plan.json").read_text() == '{"plan":1}\n'
    assert (event / "records" / "spring-1-1.json").read_text() == '{"record":1}\n'


WRONG: Mapping[str, tuple[Callable[[Path], object], str]] = {
    "no archive": (
        lambda path: path.write_bytes(b"no archive at all"),
        "is damaged, or is not a backup",
    ),
    "cut short": (cut_short, "is damaged, or is not a backup"),
    "without a manifest": (lambda path: rewrite(path, {"x": b""}), "begin with its manifest"),
    "an altered journal": (with_file("journal.db", b"SQLite"), "is not what was backed up"),
    "an altered key": (with_file("identity.key", b"ataxxd"), "is not what was backed up"),
    "of another node": (
        with_manifest(lambda manifest: manifest.update(node="a" * 20)),
        "lacks the key of its node",
    ),
    "a missing file": (
        with_manifest(lambda manifest: manifest["files"].update({"evidence/x.json": {}})),
        "is damaged, or is not a backup",
    ),
    "a newer format": (with_manifest(lambda manifest: manifest.update(format=2)), "Upgrade ataxxd"),
    "a newer journal": (
        with_manifest(lambda manifest: manifest.update(journal=99)),
        "Upgrade ataxxd",
    ),
    "outside the home": (lambda path: renamed(path, "../escaped.json"), "is not a file of a node"),
    "an absolute path": (
        lambda path: renamed(path, "/tmp/escaped.json"),
        "is not a file of a node",
    ),
    "deeper than it may be": (
        lambda path: renamed(path, "evidence/../../x.json"),
        "is not a file of a node",
    ),
    "another kind of file": (
        lambda path: renamed(path, "evidence/run.sh"),
        "is not a file of a node",
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_backup_that_is_wrong_is_refused_and_changes_nothing(
    what: str, home: Home, backup: Path, tmp_path: Path
) -> None:
    spoil, words = WRONG[what]
    spoil(backup)
    before = {path: path.read_bytes() for path in home.path.rglob("*") if path.is_file()}
    with pytest.raises(StorageError, match=words):
        restore(home, backup, force=True)
    assert {path: path.read_bytes() for path in home.path.rglob("*") if path.is_file()} == before
    assert not list(tmp_path.rglob("*escaped*"))


def test_what_is_restored_is_what_was_backed_up(home: Home, backup: Path, tmp_path: Path) -> None:
    other = Home(tmp_path / "other")
    restored = restore(other, backup)
    assert restored.unfinished == ("underway",)
    assert restored.replaced is None
    assert other.identity.read_bytes() == home.identity.read_bytes()
    assert (other.path / "evidence" / "proof.json").read_text() == "{}\n"
    journals = [Journal(each.journal) for each in (home, other)]
    try:
        ours, theirs = [journal.unfinished()[0] for journal in journals]
        assert journals[0].ledger(ours).line == journals[1].ledger(theirs).line
        assert (ours.restored, theirs.restored) == (False, True)
        assert mark_path(other.journal).exists()
        assert journals[0].finished() == journals[1].finished()
    finally:
        for journal in journals:
            journal.close()


def test_a_node_that_was_there_is_moved_away_whole(home: Home, backup: Path) -> None:
    evidence = home.path / "evidence" / "newer.json"
    evidence.write_text("{}")
    replaced = restore(home, backup, force=True).replaced
    assert replaced is not None
    assert replaced.parent == home.path
    assert {path.name for path in replaced.iterdir()} == {
            "identity.key", "journal.db", "evidence", "events",
        }  # fmt: skip
    assert (replaced / "evidence" / "newer.json").exists()
    assert not evidence.exists()


def test_an_empty_home_has_nothing_to_back_up(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="nothing to back up"):
        back_up(Home(tmp_path / "empty"), tmp_path / "backup.tar.gz")
    assert not (tmp_path / "backup.tar.gz").exists()


def test_a_backup_into_a_folder_that_there_is_not_is_refused(home: Home, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=f"there is no folder {tmp_path / 'gone'}. Make it"):
        back_up(home, tmp_path / "gone" / "backup.tar.gz")


@pytest.mark.parametrize("force", [False, True])
def test_a_backup_that_is_not_there_is_missed_before_the_home_is_looked_at(
    force: bool, home: Home, tmp_path: Path
) -> None:
    with pytest.raises(StorageError, match=r"gone cannot be read: No such file or directory\."):
        restore(home, tmp_path / "gone", force=force)
    with pytest.raises(StorageError, match="cannot be read: Is a directory"):
        restore(home, tmp_path, force=force)


def test_nobody_takes_a_seat_in_a_restored_game_before_it_is_caught_up(
    backup: Path, tmp_path: Path
) -> None:
    other = Home(tmp_path / "other")
    restore(other, backup)
    journal = Journal(other.journal)
    (stored,) = journal.unfinished()
    node = Profile(other, load_identity(other.identity), journal)

    def connect(will: WillFactory | None) -> Transport:
        raise AssertionError("nothing is said")

    place = GameContext(node, connect, lambda ledger, path: b"", print)
    with pytest.raises(GameError, match="ataxxd resume underway"):
        GameRun(place, stored, journal.ledger(stored), Settings.restored(stored.settings))
    node.names.close()
    journal.close()
