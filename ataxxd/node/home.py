"""A node's home: its key and records; files are written completely or not at all."""

import fcntl
import os
import secrets
import shlex
import stat
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ataxxd.errors import StorageError, storage_errors
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NameInUse
from ataxxd.node.home_location import HOME_VARIABLE, home_folder, home_option
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase
from ataxxd_protocol import SigningKey

_HEADER = "ataxxd-ed25519-1"


def load_identity(path: Path) -> SigningKey:
    """The key in the file `path`; a new one is made if there is none.

    Raises:
        StorageError: the file is damaged or readable by others, or cannot be read or created.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return _create(path)
    except OSError as error:
        raise StorageError(f"The key file {path} cannot be read: {error.strerror}.") from None
    with os.fdopen(descriptor, "rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if mode & (stat.S_IRWXG | stat.S_IRWXO):
            raise StorageError(
                f"The key file {path} can be read by others (mode {stat.S_IMODE(mode):04o}), "
                f"so it is not used. If nobody else has copied it: chmod 600 {path}"
            )
        content = file.read(1024)
    try:
        header, secret = content.decode("ascii").split()
        if header != _HEADER or len(secret) != 64:
            raise ValueError
        return SigningKey(bytes.fromhex(secret))
    except ValueError:
        raise StorageError(
            f"The key file {path} is damaged. Restore it from a backup; or move it away, and the "
            "next start creates a new identity, which cannot resume the old one's games."
        ) from None


def _create(path: Path) -> SigningKey:
    key = SigningKey(secrets.token_bytes(32))
    # Linked into place when it is complete: two processes that start at once get the same key.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    with storage_errors(f"The key file {path}", "made"):
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(f"{_HEADER} {key.seed.hex()}\n".encode())
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(temporary, path)
        except FileExistsError:
            return load_identity(path)
        finally:
            temporary.unlink()
    return key


class Home:
    """A node's state folder: identity, journal, locks. Two nodes on one machine have two homes."""

    def __init__(self, path: Path | None = None) -> None:
        """Use the folder `path`, else ``$ATAXXD_HOME``, else the user's state folder.

        Raises:
            StorageError: the folder cannot be created, or others may write to it.
        """
        self.path = path or home_folder()
        with storage_errors(
            f"The state folder {self.path}",
            "made",
            f"Choose another with --home DIR or {HOME_VARIABLE}.",
        ):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        if self.path.stat().st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            raise StorageError(
                f"Others can write to the state folder {self.path}, and replace its key and "
                f"journal. Close it to them: chmod go-w {self.path}. If you cannot, as on a "
                f"shared volume, choose a new folder with --home DIR or {HOME_VARIABLE}."
            )

    @property
    def option(self) -> str:
        """What names this home in a command to type: `` --home DIR``; empty if none is needed."""
        return home_option(self.path)

    def resume_command(self, game: str) -> str:
        """The command to type that continues a game, as ``resume`` calls it."""
        return command_line(f"resume {shlex.quote(game)}", self.option)

    @property
    def identity(self) -> Path:
        """The private key file."""
        return self.path / "identity.key"

    @property
    def journal(self) -> Path:
        """The write-ahead journal."""
        return self.path / "journal.db"

    @property
    def archive(self) -> Path:
        """The index of finished games; it can be rebuilt from the journal."""
        return self.path / "archive.db"

    @property
    def names(self) -> Path:
        """The nicknames of this node and of those it has met."""
        return self.path / "names.db"

    def input_history(self, game: str) -> Path:
        """The history of lines typed in games of this kind."""
        return self.path / "typed" / f"{game}.txt"

    @property
    def level_games(self) -> Path:
        """The results of games against our engine's levels, for `ataxxd.node.level_games`."""
        return self.path / "levels.txt"

    def tables(self, pieces: int) -> Path:
        """The folder for checkers endgame tables of up to `pieces` pieces; it may not exist."""
        return self.path / "tables" / f"checkers-{pieces}.tables"

    def lock(self, game: str, what: str) -> "Lock":
        """Lock a game for this process, so that no two play the same seat.

        Raises:
            NameInUse: another process has locked it.
            StorageError: the lock cannot be created.
        """
        folder = self.path / "locks"
        path = folder / f"{game[:32]}.lock"
        with storage_errors(
            f"The lock {path}",
            "made",
            "Fix the folder's permissions, or let this process open more files.",
        ):
            folder.mkdir(mode=0o700, exist_ok=True)
            file = _locked(path)
        if file is None:
            raise NameInUse(
                f"Another ataxxd process with the home {self.path} plays {what} right now. "
                "Stop it first, or use another --home."
            )
        return Lock(str(path), file)

    @contextmanager
    def idle(self) -> Iterator[None]:
        """Lock every game of this home during the block, so that no other process resumes one.

        Raises:
            NameInUse: another process is playing one.
        """
        with ExitStack() as held:
            for path in sorted((self.path / "locks").glob("*.lock")):
                file = _locked(path)
                if file is None:
                    raise NameInUse(
                        f"Another ataxxd process is using the home {self.path} right now. "
                        "Stop it first, or use another --home."
                    )
                held.callback(os.close, file)
            yield


class Lock:
    """A game's lock, held until it is closed or its context ends."""

    __slots__ = ("_file", "_path")

    def __init__(self, path: str, file: int) -> None:
        """Wrap the descriptor `file`, which holds the lock on `path`."""
        self._path = path
        self._file: int | None = file

    def fileno(self) -> int:
        """The open descriptor; a process that inherits it also holds the lock until it ends."""
        assert self._file is not None, "held"
        return self._file

    def close(self) -> None:
        """Release the lock; may be called twice."""
        file, self._file = self._file, None
        if file is not None:
            # Otherwise a node that plays for months would leave a file for every game.
            with suppress(FileNotFoundError):
                os.unlink(self._path)  # noqa: PTH108 - a path takes ten times the room
            os.close(file)

    def __enter__(self) -> None:
        """Do nothing: the lock is held already."""

    def __exit__(self, *_: object) -> None:
        """Release it."""
        self.close()


def _locked(path: Path) -> int | None:
    """Lock a file, creating it if necessary; returns its descriptor, or None if it is locked."""
    while True:
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with suppress(FileNotFoundError):
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                os.close(file)
                return None
            # The last holder may have removed it meanwhile: then others would lock a new file.
            if os.path.samestat(os.fstat(file), path.stat()):
                return file
        os.close(file)


def write_at_home(path: Path, data: bytes, remedy: str = "") -> Path:
    """Write a file in a home as `write_atomically` does, creating its folder; return its path.

    Raises:
        StorageError: it cannot be written, or its folder cannot be made; for the folder, the text
            ends with `remedy`.
    """
    with storage_errors(path.parent, "made", remedy):
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_atomically(path, data)
    return path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that, even after a power cut, it is either the old one or all of the new one.

    Raises:
        StorageError: it cannot be written; the old file, if any, is untouched.
    """
    temporary = ""
    try:
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), 0o644)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError as error:
        if temporary:
            with suppress(OSError):
                Path(temporary).unlink()
        raise StorageError(
            f"{path} cannot be written: {error.strerror}. Free space or choose another place."
        ) from None


def check_writable(path: Path, named: str) -> Path:
    """The absolute path of a file to be written later, after checking that it can be.

    Args:
        path: the file.
        named: the option that names it, such as ``--transcript``.

    Raises:
        StorageError: it cannot be written; better to know before the game than after it.
    """
    target = path.absolute()
    if target.is_dir():
        raise StorageError(f"{named} {path} is a folder. Name a file in it.")
    with (
        storage_errors(
            f"{named} {path}", "written", "Choose another place; nothing has been played."
        ),
        tempfile.TemporaryFile(dir=target.parent),
    ):
        return target


AsText = Callable[[Ledger, Path], bytes]
"""What is written into the file that the user named: the signed record or a notation."""


def keep_record(home: Home, ledger: Ledger, target: Path | None, as_text: AsText) -> Path | None:
    """Write the record of a game that has begun, and the proof when there was a fault.

    Returns:
        The file with the proof; None if there is nothing to prove.

    Raises:
        StorageError: a file cannot be written; the text says where the record is instead.
    """
    if ledger.phase in (Phase.OPEN, Phase.JOINED):
        return None
    record = dump_record(ledger)
    name = f"{ledger.offer.name}-{ledger.game[:12]}.json"
    timed = ledger.outcome is not None and ledger.outcome.termination == "time"
    proof, remedy = None, f"The journal {home.journal} has the game."
    if ledger.fault is not None or ledger.false_scores or ledger.claim is not None or timed:
        proof = write_at_home(home.path / "evidence" / name, record, remedy)
    if target is not None:
        try:
            write_atomically(target, as_text(ledger, target))
        except StorageError as error:
            kept = write_at_home(home.path / "records" / name, record, remedy)
            raise StorageError(f"{error} The record of the game is in {kept} instead.") from None
    return proof
