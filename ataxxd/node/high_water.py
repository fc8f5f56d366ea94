"""The journal's high-water mark, in a file of its own, to detect lost entries.

When SQLite finds a damaged entry at the end of its log, it silently drops it and all that follow.
The journal then looks intact, but is older than the messages sent, and continuing from it would
sign a second message with the same number.
"""

import fcntl
import hashlib
import os
import re
from collections.abc import Callable
from pathlib import Path
from threading import Lock, Thread

_HEADER = "ataxxd-mark-1"
_FORM = re.compile(rf"({_HEADER} ([0-9]{{20}})) ([0-9a-f]{{16}})\n")
_LENGTH = len(f"{_HEADER} {0:020} {0:016x}\n")
# fdatasync, where it exists: it does not write the time of the change, which nobody needs.
sync: Callable[[int], None] = getattr(os, "fdatasync", os.fsync)
"""Sync the content of an open file to the disk."""


def mark_path(journal: Path) -> Path:
    """The file that holds the mark of a journal."""
    return journal.with_suffix(".mark")


class _SyncThread:
    """A thread that syncs one file at a time; an executor would take longer than many disks do."""

    def __init__(self) -> None:
        self._asked, self._done = Lock(), Lock()
        self._asked.acquire()
        self._done.acquire()
        self._file: int | None = None
        self._error: Exception | None = None
        self._thread = Thread(target=self._run, name="mark of a journal", daemon=True)
        self._thread.start()

    def begin(self, file: int) -> None:
        """Begin to sync an open file; `end` must follow."""
        self._file, self._error = file, None
        self._asked.release()

    def end(self) -> None:
        """Wait until the file is on the disk; raises ``OSError`` if it cannot be synced."""
        self._done.acquire()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the thread."""
        self._file = None
        self._asked.release()
        self._thread.join()

    def _run(self) -> None:
        while self._asked.acquire() and self._file is not None:
            try:
                sync(self._file)
            except Exception as error:  # noqa: BLE001 - raised to who waits
                self._error = error
            finally:
                self._done.release()


class HighWaterMark:
    """A journal's greatest count so far; several processes may raise it."""

    def __init__(self, path: Path) -> None:
        """Keep the mark in the file `path`, which need not exist."""
        self._path = path
        self._file: int | None = None
        self._helper: _SyncThread | None = None

    def close(self) -> None:
        """Close the file."""
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.close()
        file, self._file = self._file, None
        if file is not None:
            os.close(file)

    def read(self) -> int | None:
        """The count; None if the file is missing or damaged.

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

    def raise_to(self, count: int, meanwhile: Callable[[], None] | None = None) -> None:
        """Raise the mark to `count`, unless it is higher; it is on disk when this returns.

        Args:
            count: the journal's count now.
            meanwhile: syncs the journal itself, at the same time: a disk needs little longer for
                both than for one. If a power cut lets only the mark survive, nothing that is
                missing from the journal was sent, so no harm is done.

        Raises:
            OSError: it cannot be written.
        """
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        try:
            marked = _read(self._file)
            if marked is None or count > marked:
                # Always the same length and place: a file that does not grow is synced faster.
                os.pwrite(self._file, _encode(count), 0)
                if meanwhile is None:
                    sync(self._file)
                else:
                    self._helper = self._helper or _SyncThread()
                    self._helper.begin(self._file)
                    try:
                        meanwhile()
                    finally:
                        self._helper.end()
            elif meanwhile is not None:
                meanwhile()
        finally:
            fcntl.flock(self._file, fcntl.LOCK_UN)


def _encode(count: int) -> bytes:
    text = f"{_HEADER} {count:020}"
    return f"{text} {hashlib.sha256(text.encode()).hexdigest()[:16]}\n".encode()


def _read(file: int) -> int | None:
    content = os.pread(file, _LENGTH + 1, 0)
    found = _FORM.fullmatch(content.decode("ascii", errors="replace"))
    return int(found[2]) if found and _encode(int(found[2])) == content else None
