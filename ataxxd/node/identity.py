"""The node's key: made at first run, kept readable by its owner alone."""

import os
import secrets
import stat
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd_protocol import SigningKey

_HEADER = "ataxxd-ed25519-1"


def load_identity(path: Path) -> SigningKey:
    """The key in `path`; a new one is made when there is no file.

    Raises:
        StorageError: the file is damaged, readable by others, or cannot be read or made.
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
            "next start makes a new identity (games of the old one cannot be resumed then)."
        ) from None


def _create(path: Path) -> SigningKey:
    key = SigningKey(secrets.token_bytes(32))
    # Linked into place whole: two processes that start at once end up with one key.
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
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
    except OSError as error:
        raise StorageError(f"The key file {path} cannot be made: {error.strerror}.") from None
    return key
