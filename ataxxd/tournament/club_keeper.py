"""The club log that this node keeps, and the comparison of a log with a member's own journal.

The club's programs append to a file. No record shows when a game was announced, so a member
compares the log with its journal.
"""

import fcntl
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ataxxd.errors import StorageError, VerificationError, storage_errors
from ataxxd.node.high_water import HighWaterMark, mark_path
from ataxxd.node.home import Home, write_at_home, write_atomically
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK, Clock, format_duration
from ataxxd.tournament.club_log import ClubLog, read_log
from ataxxd_protocol import SigningKey, encode
from ataxxd_protocol.messages import AnyLogEntry


def club_log_path(home: Home) -> Path:
    """The file of the log that a node keeps."""
    return home.path / "club" / "log.jsonl"


class ClubKeeper:
    """The club's log in a home; several processes may append to it, one at a time."""

    def __init__(self, home: Home, key: SigningKey, clock: Clock = SYSTEM_CLOCK) -> None:
        """Keep the log of the node of `key`; the file is created with the first entry."""
        self.path = club_log_path(home)
        self._key = key
        self._clock = clock
        self._mark = HighWaterMark(mark_path(self.path))
        self._loaded: tuple[int, ClubLog] | None = None

    @property
    def exists(self) -> bool:
        """Whether there is a log."""
        return self.path.exists()

    def log(self) -> ClubLog:
        """The log as it is now.

        Raises:
            StorageError: it cannot be read, is damaged, or is not the newest copy.
        """
        with self._lock():
            return self._load()

    def append(self, make_entries: Callable[[ClubLog, int], Sequence[AnyLogEntry]]) -> ClubLog:
        """Append entries, all or none; they are on disk when this returns.

        Args:
            make_entries: makes the entries from the log and the time in Unix milliseconds; nobody
                else appends meanwhile.

        Raises:
            StorageError: they cannot be stored; or the log cannot be read, is damaged, or is not
                the newest copy.
            VerificationError: an entry does not follow; nothing is appended.
        """
        with self._lock():
            log = self._load()
            made = make_entries(log, log.next_entry_ms(self._clock.now_ms()))
            if not made:
                return log
            self._loaded = None  # in case writing fails half-way
            for entry in made:
                log.accept(entry)
            head = log.sign(self._key, self._clock.now_ms())
            lines = b"".join(encode(each) + b"\n" for each in (*made, head))
            size = self._append_to_file(lines)
            self._mark.raise_to(head.size)
            self._loaded = size, log
            return log

    def adopt(self, data: bytes) -> ClubLog:
        """Adopt a copy of our log as the newest, and continue from it.

        Raises:
            StorageError: it is another node's log, or does not extend ours.
            VerificationError: it is not valid.
        """
        copy = read_log(data)
        if copy.club != self._key.node:
            raise StorageError("That log belongs to another node. Only that node can continue it.")
        with self._lock():
            here = read_log(_signed_part(self._read_file())) if self.exists else None
            if here is not None and here.head is not None:
                try:
                    copy.check_head(here.head)
                except VerificationError as error:
                    raise StorageError(
                        f"That copy cannot take the place of {self.path}: {error}."
                    ) from None
            write_atomically(self.path, data)
            # Forget any newer copy that we have seen: the user says that this one is the newest.
            self._mark.close()
            mark_path(self.path).unlink(missing_ok=True)
            self._mark.raise_to(len(copy.entries))
            self._loaded = None
        return copy

    def write_record(self, name: str, record: bytes) -> None:
        """Store a record beside the log, for those who rate the games.

        Raises:
            StorageError: it cannot be written.
        """
        write_at_home(self.path.parent / "records" / f"{name}.json", record)

    def _load(self) -> ClubLog:
        data = self._read_file() if self.exists else b""
        if self._loaded is not None and self._loaded[0] == len(data):
            return self._loaded[1]
        marked = self._mark.read()
        try:
            kept = _signed_part(data)
            log = read_log(kept) if kept else ClubLog(self._key.node)
        except VerificationError as error:
            raise StorageError(f"{self.path} is damaged: {error}. {_ADOPT}") from None
        if log.club != self._key.node:
            raise StorageError(f"{self.path} is the log of another node. {_ADOPT}")
        if (marked or 0) > len(log.entries) or (marked is None and log.entries):
            raise StorageError(
                f"{self.path} may lack what this club signed last. Nothing is appended to it, or "
                f"there would be two logs. {_ADOPT}"
            )
        if len(kept) < len(data):
            os.truncate(self.path, len(kept))  # unsigned, so nobody has seen it
        self._loaded = len(kept), log
        return log

    def _read_file(self) -> bytes:
        with storage_errors(self.path, "read"):
            return self.path.read_bytes()

    def _append_to_file(self, lines: bytes) -> int:
        with (
            storage_errors(self.path, "written", "Free space, or fix the folder's permissions."),
            self.path.open("ab") as file,
        ):
            file.write(lines)
            file.flush()
            os.fsync(file.fileno())
            return file.tell()

    @contextmanager
    def _lock(self) -> Iterator[None]:
        folder = self.path.parent
        with storage_errors(folder, "written"):
            folder.mkdir(mode=0o700, exist_ok=True)
            lock = os.open(folder / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)


_ADOPT = "Get the newest copy from a member, and adopt it: ataxxd club adopt FILE"


def _signed_part(data: bytes) -> bytes:
    """The lines up to the last head: those after it are left from an interrupted write."""
    whole = data[: data.rfind(b"\n") + 1]
    # This occurs nowhere else: keys are sorted, and quotes within a text are escaped.
    head = whole.rfind(b'"type":"head"}\n')
    return whole[: whole.index(b"\n", head) + 1] if head >= 0 else b""


# How far the clocks of a member and of its club may differ.
_MAX_CLOCK_DIFFERENCE_MS = 60_000
# No game begins this long before its offer, whatever the clocks; a time before that is unknown.
_MAX_PLAUSIBLE_LEAD_MS = 86_400_000


def find_false_announcements(
    log: ClubLog, node: str, journal: Journal, clock: Clock = SYSTEM_CLOCK
) -> Iterator[str]:
    """What is wrong, in words, with a log's announcements of a member's own games.

    Args:
        log: the club's log.
        node: the member.
        journal: the member's journal.
        clock: the clock of that journal.
    """
    for (game, guest), known in log.games.items():
        offer = known.announcement.offer
        if node not in (offer.host, guest):
            continue
        stored = journal.find(game, Role.HOST if node == offer.host else Role.GUEST)
        began_ms = None if stored is None else _began_ms(journal, stored, clock)
        if began_ms is None:
            yield f"{offer.name} ({game[:12]}) is announced, and this node has not played it"
        elif began_ms < offer.created_ms - _MAX_PLAUSIBLE_LEAD_MS:
            continue  # restored from a backup, so we do not know when it began
        elif (late_ms := known.announcement.at_ms - began_ms) > _MAX_CLOCK_DIFFERENCE_MS:
            late = format_duration(late_ms // 1000 * 1000)
            yield f"{offer.name} ({game[:12]}) was announced {late} after it had begun"


def _began_ms(journal: Journal, stored: StoredGame, clock: Clock) -> int | None:
    """When the start of a game was written to the journal; None if it has not begun here."""
    ages = journal.ages_ms(stored)
    started = next((age for role, age in ages if role is Role.HOST), None)
    return None if started is None else clock.now_ms() - started
