"""Endgame tables of checkers that a user has made, for every search of this process."""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ataxxd._engine import check_tables, use_tables
from ataxxd.engines.memory import new_engine
from ataxxd.errors import StorageError
from ataxxd.rules import Engine

VARIABLE: Final = "ATAXXD_TABLES"


@functools.cache
def use_own_tables() -> None:
    """Have searches use the tables that ``$ATAXXD_TABLES`` names, if it names any.

    They are unpacked in the background; until then searches do without.

    Raises:
        StorageError: they cannot be read, are damaged, or add nothing to the program's own.
    """
    if named := os.environ.get(VARIABLE):
        _told(use_tables, Path(named))


def playing_engine(hash_mb: int, threads: int = 1) -> Engine:
    """An engine that uses our own tables as well; see `use_own_tables`.

    Raises:
        StorageError: see `use_own_tables`.
        ValueError: see `ataxxd.engines.memory.new_engine`.
    """
    use_own_tables()
    return new_engine(hash_mb, threads=threads)


def pieces_of(file: Path) -> int:
    """How many pieces a file of tables goes up to, after all of it was read and checked.

    Raises:
        StorageError: it cannot be read, or is damaged.
    """
    return _told(check_tables, file)


def _told(read: Callable[[Path], int], file: Path) -> int:
    try:
        return read(file)
    except OSError as error:
        raise StorageError(
            f"The endgame tables {file} cannot be read: {error.strerror}. Make them with ataxxd "
            f"tables make, or name others by {VARIABLE}."
        ) from None
    except ValueError as error:
        raise StorageError(
            f"{file}: {error}. Make them anew with ataxxd tables make, or do without: unset "
            f"{VARIABLE}."
        ) from None
