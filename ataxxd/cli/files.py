"""Files that a command reads, and those that it writes: what is read is never written over."""

import os
import stat
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Final, TextIO, TypeAlias

from ataxxd.errors import StorageError, UsageError
from ataxxd.node.home import check_writable

STANDARD: Final = Path("-")
"""Standard input among what is read, standard output among what is written."""

Named: TypeAlias = tuple[str, Path | None]
"""What the user calls a file, such as ``--log``, and the file; None where there is none."""

_Identity: TypeAlias = tuple[int, int] | str


def check_transcript(path: Path | None) -> Path | None:
    """The absolute path of a file for the record, known to be writable now.

    Raises:
        StorageError: it is not; better known before the game than after it.
    """
    return None if path is None else check_writable(path, "--transcript")


def check_apart(*, reads: Iterable[Named], writes: Iterable[Named]) -> None:
    """Check, before anything is opened to be written, that it is no file that is read.

    The same file is known under any name: by links, and as standard input. Terminals, pipes and
    devices hold nothing that could be lost.

    Raises:
        UsageError: a file would be written over that is read, or written twice.
    """
    sources = [(_label(named), _identity(named[1], sys.stdin)) for named in reads]
    taken: list[tuple[str, _Identity]] = []
    for named in writes:
        label, target = _label(named), _identity(named[1], sys.stdout)
        if target is None:
            continue
        for source, identity in sources:
            if identity == target:
                raise UsageError(
                    f"{label} would overwrite {source}: they are the same file. Name another file "
                    "to write to."
                )
        for other, identity in taken:
            if identity == target:
                raise UsageError(
                    f"{label} and {other} would both write to the same file. Name two files."
                )
        taken.append((label, target))


def opened(path: Path, mode: str) -> TextIO:
    """A file of text, opened.

    Raises:
        StorageError: it cannot be opened.
    """
    try:
        return path.open(mode, encoding="utf-8")  # type: ignore[return-value]
    except OSError as error:
        what = "read" if mode == "r" else "written"
        raise StorageError(f"{path} cannot be {what}: {error.strerror}.") from None


def _label(named: Named) -> str:
    what, path = named
    return what if path is None or path == STANDARD else f"{what} {path}"


def _identity(path: Path | None, standard: TextIO) -> _Identity | None:
    """What a file is known by under any name; None for what is no file."""
    if path is None:
        return None
    try:
        found = os.fstat(standard.fileno()) if path == STANDARD else path.stat()
    except (OSError, ValueError):
        # One that does not exist yet may still be named twice.
        return None if path == STANDARD else os.path.realpath(path)
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None
