"""A node in one file: key, journal, evidence, events and club log; making it and restoring it.

A backup may be made while the node plays. So a restored journal is older than the node's last
messages, and a second message with the same number would break the rules. Unfinished games are
therefore marked, and continue only when it is known how far they had come: see
`ataxxd.node.recovery`.
"""

import hashlib
import io
import os
import shutil
import sqlite3
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ataxxd import __version__
from ataxxd.errors import StorageError, storage_errors
from ataxxd.node.high_water import HighWaterMark, mark_path
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal
from ataxxd.node.journal_schema import VERSION, copy_database
from ataxxd.session.state import Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol import PROTOCOL_VERSION
from ataxxd_protocol.faults import first_fault

_FORMAT = 1
_MANIFEST = "manifest.json"
_KEY, _JOURNAL, _NAMES, _LEVELS = "identity.key", "journal.db", "names.db", "levels.txt"
_MARK = mark_path(Path(_JOURNAL)).name
# Folders of the home whose files cannot be made again.
_KEPT_FOLDERS = ("events", "evidence", "records", "club")
# The club's log, without its mark: it must not be continued before it is known to be the newest.
_LOG = "club/log.jsonl"
# The files of a home that a restore replaces; the archive is rebuilt from the journal.
_REPLACED = (
    _KEY,
    _MARK,
    _LEVELS,
    *(f"{name}{end}" for name in (_JOURNAL, _NAMES, "archive.db") for end in ("", "-wal", "-shm")),
    *_KEPT_FOLDERS,
)
_LONGEST_MANIFEST = 1 << 20


class BackedUpFile(BaseModel):
    """One file of a backup: its length in bytes, and its SHA-256."""

    model_config = ConfigDict(frozen=True, strict=True)

    size: Annotated[int, Field(ge=0)]
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class Manifest(BaseModel):
    """The first file of a backup: its version and the digests of the other files.

    Attributes:
        format: of the backup; this program knows 1.
        ataxxd: the version of the program that made it.
        protocol: the version of the wire protocol that it spoke.
        journal: the version of its journals.
        node: whose backup it is.
        made_ms: when it was made, in Unix milliseconds.
        files: every other file of it, by name.
    """

    model_config = ConfigDict(frozen=True, strict=True)

    format: int
    ataxxd: str
    protocol: str
    journal: int
    node: Annotated[str, StringConstraints(pattern=r"^[a-z2-7]{20}$")]
    made_ms: int
    files: dict[str, BackedUpFile]


class Restored(BaseModel):
    """The contents of a restored home.

    Attributes:
        manifest: the backup's.
        unfinished: names of the games that are not over.
        offered: names of those among them that nobody had joined.
        replaced: where the previous content of the home is now; None if there was none.
    """

    model_config = ConfigDict(frozen=True)

    manifest: Manifest
    unfinished: tuple[str, ...]
    offered: frozenset[str]
    replaced: Path | None


def back_up(home: Home, target: Path) -> Manifest:
    """Write a backup of a home to `target`, completely or not at all, readable by its owner alone.

    Raises:
        StorageError: the home has no node or cannot be read, or the file cannot be written, such
            as in a folder that there is not.
    """
    if not home.identity.exists():
        raise StorageError(
            f"There is no node in {home.path}, so nothing to back up. Name its home: --home DIR."
        )
    if not target.parent.is_dir():
        raise StorageError(
            f"The backup {target} cannot be written: there is no folder {target.parent}. Make it, "
            "or choose another place."
        )
    node = load_identity(home.identity).node
    with (
        _backup_errors(f"The backup {target} cannot be written"),
        _staging_folder(target.parent) as folder,
    ):
        copied = _collect(home, folder)
        manifest = Manifest(
            format=_FORMAT,
            ataxxd=__version__,
            protocol=PROTOCOL_VERSION,
            journal=VERSION,
            node=node,
            made_ms=SYSTEM_CLOCK.now_ms(),
            files={name: _describe_file(path) for name, path in copied.items()},
        )
        packed = folder / "packed"
        with packed.open("xb") as file:
            os.fchmod(file.fileno(), 0o600)
            with tarfile.open(fileobj=file, mode="w:gz") as tar:
                text = manifest.model_dump_json(indent=1).encode() + b"\n"
                _add(tar, _MANIFEST, len(text), io.BytesIO(text), manifest)
                for name, path in copied.items():
                    with path.open("rb") as content:
                        _add(tar, name, path.stat().st_size, content, manifest)
            file.flush()
            os.fsync(file.fileno())
        packed.replace(target)
    return manifest


def restore(home: Home, source: Path, *, force: bool = False) -> Restored:
    """Restore a home from a backup; nothing is deleted.

    Args:
        home: the home to restore.
        source: the backup.
        force: move a node that is already there into a folder within the home.

    Raises:
        NameInUse: another process is playing a game of that home.
        StorageError: the backup is damaged, of a newer program or cannot be read; or there is a
            node in that home, and no `force`. The home is as it was.
    """
    with storage_errors(f"The backup {source}", "read", "Name the file that `backup` wrote."):
        source.open("rb").close()
    if not force and (home.identity.exists() or home.journal.exists()):
        raise StorageError(
            f"There is a node in {home.path} already. Restore into another home, --home DIR; or "
            "add --force, which moves that node into a folder of the home."
        )
    with (
        home.idle(),
        _backup_errors(f"The backup {source} cannot be restored"),
        _staging_folder(home.path) as folder,
    ):
        manifest = _unpack(source, folder)
        unfinished, offered = _mark_unfinished_games(folder / _JOURNAL)
        replaced = _move_away(home)
        # The key last: if this is interrupted, a folder without a key is not a home.
        for name in (*_KEPT_FOLDERS, _LEVELS, _NAMES, _MARK, _JOURNAL, _KEY):
            if (folder / name).exists():
                (folder / name).rename(home.path / name)
    return Restored(manifest=manifest, unfinished=unfinished, offered=offered, replaced=replaced)


# Packing


def _collect(home: Home, folder: Path) -> dict[str, Path]:
    """The files to back up, by name; those that may change meanwhile are copied."""
    found = {_KEY: home.identity}
    if home.journal.exists():
        copy_database(home.journal, folder / _JOURNAL)
        found[_JOURNAL] = folder / _JOURNAL
    if home.names.exists():
        copy_database(home.names, folder / _NAMES)
        found[_NAMES] = folder / _NAMES
    if home.level_games.exists():
        found[_LEVELS] = Path(shutil.copyfile(home.level_games, folder / _LEVELS))
    for name in _KEPT_FOLDERS:
        for path in sorted((home.path / name).rglob("*.json")):
            place = path.relative_to(home.path)
            copy = folder / place
            copy.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            found[place.as_posix()] = Path(shutil.copyfile(path, copy))
    if (home.path / _LOG).exists():
        (folder / _LOG).parent.mkdir(mode=0o700, exist_ok=True)
        found[_LOG] = Path(shutil.copyfile(home.path / _LOG, folder / _LOG))
    return found


def _describe_file(path: Path) -> BackedUpFile:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return BackedUpFile(size=path.stat().st_size, sha256=digest)


def _add(
    tar: tarfile.TarFile, name: str, size: int, content: io.BufferedIOBase, manifest: Manifest
) -> None:
    member = tarfile.TarInfo(name)
    member.size, member.mode, member.mtime = size, 0o600, manifest.made_ms // 1000
    tar.addfile(member, content)


# Unpacking


def _unpack(source: Path, folder: Path) -> Manifest:
    """Unpack a backup into `folder` and check every file; returns its manifest."""
    try:
        with tarfile.open(source, "r:gz") as tar:
            manifest = _manifest_of(tar, source)
            for name, described in manifest.files.items():
                target = folder / _check_name(name, source)
                target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                content = tar.extractfile(name)
                if content is None:
                    raise _damaged(source, f"{name} is not a file")
                with content, target.open("xb") as file:
                    os.fchmod(file.fileno(), 0o600 if "/" not in name else 0o644)
                    shutil.copyfileobj(content, file)
                    file.flush()
                    os.fsync(file.fileno())
                if _describe_file(target) != described:
                    raise _damaged(source, f"{name} is not what was backed up")
    except (tarfile.TarError, EOFError, KeyError, ValueError) as error:
        raise _damaged(source, str(error).strip("'\"")) from None
    if _KEY not in manifest.files or load_identity(folder / _KEY).node != manifest.node:
        raise _damaged(source, "it lacks the key of its node")
    return manifest


def _manifest_of(tar: tarfile.TarFile, source: Path) -> Manifest:
    first = tar.next()
    if first is None or first.name != _MANIFEST or first.size > _LONGEST_MANIFEST:
        raise _damaged(source, "it does not begin with its manifest")
    content = tar.extractfile(first)
    assert content is not None
    try:
        manifest = Manifest.model_validate_json(content.read())
    except ValidationError as error:
        raise _damaged(source, f"{_MANIFEST}: {first_fault(error, Manifest)}") from None
    if manifest.format != _FORMAT or manifest.journal > VERSION:
        raise StorageError(
            f"The backup {source} is of ataxxd {manifest.ataxxd}, format {manifest.format} with "
            f"journals of version {manifest.journal}; this ataxxd {__version__} knows {_FORMAT} "
            f"and {VERSION}. Upgrade ataxxd."
        )
    return manifest


def _check_name(name: str, source: Path) -> PurePosixPath:
    path = PurePosixPath(name)
    *folders, file = path.parts or ("",)
    allowed = name in (_KEY, _JOURNAL, _NAMES, _LEVELS, _LOG) or (
        folders[:1] in [[each] for each in _KEPT_FOLDERS] and file.endswith(".json")
    )
    if not allowed or ".." in folders or str(path) != name:
        raise _damaged(source, f"{name} is not a file of a node")
    return path


def _mark_unfinished_games(journal: Path) -> tuple[tuple[str, ...], frozenset[str]]:
    """Mark a journal's unfinished games as restored; returns their names, and the open offers'."""
    if not journal.exists():
        return (), frozenset()
    # A new mark: that this journal is older than what was sent is known, and is no damage.
    with closing(HighWaterMark(mark_path(journal))) as mark:
        mark.raise_to(0)
    with closing(Journal(journal)) as opened:
        opened.mark_restored()
        games = opened.unfinished()
        offered = (game for game in games if opened.ledger(game).phase is Phase.OPEN)
        return (
            tuple(game.offer.name for game in games),
            frozenset(game.offer.name for game in offered),
        )


def _move_away(home: Home) -> Path | None:
    there = [name for name in _REPLACED if (home.path / name).exists()]
    if not there:
        return None
    moment = datetime.fromtimestamp(SYSTEM_CLOCK.now_ms() / 1000, UTC)
    folder = home.path / f"replaced-{moment:%Y%m%dT%H%M%S.%fZ}"
    folder.mkdir(mode=0o700)
    for name in there:
        (home.path / name).rename(folder / name)
    return folder


# Packing and unpacking


@contextmanager
def _staging_folder(beside: Path) -> Iterator[Path]:
    """A temporary folder on the same disk, so that its files can be moved into place."""
    with tempfile.TemporaryDirectory(dir=beside, prefix=".ataxxd-") as folder:
        yield Path(folder)


@contextmanager
def _backup_errors(what: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{what}: {error.strerror}. Free space, fix the permissions or choose another place."
        ) from None
    except sqlite3.Error as error:
        raise StorageError(f"{what}: the journal cannot be copied: {error}.") from None


def _damaged(source: Path, what: str) -> StorageError:
    return StorageError(
        f"The backup {source} is damaged, or is not a backup ({what}). Nothing was changed; try "
        "an older one."
    )
