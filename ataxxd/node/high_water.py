"""How far a journal had come, in a file of its own, so that one that has lost something is known.

SQLite drops what cannot be read at the end of its log, and all that follows, without a word: the
journal is whole then, and older than what was said. Whoever goes on from it signs a second message
of one number.
"""

import fcntl
import hashlib
import os
import re
from pathlib import Path

_HEADER = "ataxxd-mark-1"
_FORM = re.compile(rf"({_HEADER} ([0-9]{{20}})) ([0-9a-f]{{16}})\n")
_LENGTH = len(f"{_HEADER} {0:020} {0:016x}\n")
# Not the time of its change, which nobody needs; where there is such a thing.
_sync = getattr(os, "fdatasync", os.fsync)


def mark_of(journal: Path) -> Path:
    """The file in which the mark of a journal is."""
    return journal.with_suffix(".mark")


class HighWaterMark:
    """The greatest count that a journal has had; several processes may raise it."""

    def __init__(self, path: Path) -> None:
        """In the file `path`, which need not be there."""
        self._path = path
        self._file: int | None = None

    def close(self) -> None:
        """Close the file."""
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def read(self) -> int | None:
        """The count; None where there is no file, or one that does not hold.

        Raises:
            OSError: it cannot be read.
        """
        try:
            file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            return _read(file)
        finally:
            os.close(file)

    def raise_to(self, count: int) -> None:
        """Make the mark `count`, unless it is higher; on the disk when this returns.

        Raises:
            OSError: it cannot be written.
        """
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            marked = _read(self._file)
            if marked is None or count > marked:
                # Always as long and in the same place: a file that does not grow is synced sooner.
                os.pwrite(self._file, _written(count), 0)
                _sync(self._file)
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _written(count: int) -> bytes:
    text = f"{_HEADER} {count:020}"
    return f"{text} {hashlib.sha256(text.encode()).hexdigest()[:16]}\n".encode()


def _read(file: int) -> int | None:
    content = os.pread(file, _LENGTH + 1, 0)
    found = _FORM.fullmatch(content.decode("ascii", errors="replace"))
    return int(found[2]) if found and _written(int(found[2])) == content else None
