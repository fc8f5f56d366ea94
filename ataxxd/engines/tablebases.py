"""Memory for hash tables, and endgame tables made by the user.

Memory is checked before it is allocated, because a process that takes more than the machine has is
killed by its own allocator or by the system. The user's endgame tables of checkers serve all
searches of this process.
"""

import functools
import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ataxxd._engine import check_tables, use_tables
from ataxxd.errors import ConfigError, StorageError
from ataxxd.rules import Engine

# The share of the free memory that a table may take.
_MEMORY_SHARE = 0.9
_PROC = Path("/proc/meminfo")
# The memory limit of a container, which may be less than the machine has.
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


class TableTooLargeError(ConfigError, ValueError):
    """There is not enough memory for a table of this size."""


def new_engine(hash_mb: int, *, threads: int = 1) -> Engine:
    """Create an engine with a transposition table of so many mebibytes.

    Raises:
        TableTooLargeError: there is not enough memory.
        ValueError: there is no such size or number of threads.
    """
    check_table(hash_mb)
    try:
        return Engine(hash_mb, threads=threads)
    except MemoryError:
        msg = f"There is not enough memory for a table of {hash_mb} mebibytes. Use a smaller one."
        raise TableTooLargeError(msg) from None


def check_table(hash_mb: int) -> None:
    """Check that there is enough memory for a transposition table.

    Raises:
        TableTooLargeError: there is not.
    """
    largest = largest_table_mb()
    if largest is not None and hash_mb > largest:
        msg = (
            f"There is not enough memory for a table of {hash_mb} mebibytes; this machine has "
            f"{largest} now. Use a smaller one."
        )
        raise TableTooLargeError(msg)


def largest_table_mb() -> int | None:
    """The largest possible table now, in mebibytes; None if the system does not tell."""
    known = [each for each in (_available_mb(), _container_mb()) if each is not None]
    return max(1, int(_MEMORY_SHARE * min(known))) if known else None


def _available_mb() -> int | None:
    try:
        for line in _PROC.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) >> 10
    except OSError:
        pass
    try:
        # The total memory: better than nothing if the system does not say what is free.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, OSError, ValueError):
        return None


def _container_mb() -> int | None:
    try:
        return int(_CONTAINER.read_text()) >> 20
    except (OSError, ValueError):
        return None


VARIABLE: Final = "ATAXXD_TABLES"


@functools.cache
def use_own_tables() -> None:
    """Make searches use the endgame tables that ``$ATAXXD_TABLES`` names, if any.

    They are unpacked in the background; until then, searches do without them.

    Raises:
        StorageError: they cannot be read, are damaged, or add nothing to the program's own.
    """
    if named := os.environ.get(VARIABLE):
        _read_tables(use_tables, Path(named))


def new_playing_engine(hash_mb: int, threads: int = 1) -> Engine:
    """Create an engine that also uses the user's endgame tables; see `use_own_tables`.

    Raises:
        StorageError: as for `use_own_tables`.
        ValueError: as for `ataxxd.engines.tablebases.new_engine`.
    """
    use_own_tables()
    return new_engine(hash_mb, threads=threads)


def count_pieces(file: Path) -> int:
    """The most pieces that a file of endgame tables covers, after checking the whole file.

    Raises:
        StorageError: it cannot be read, or is damaged.
    """
    return _read_tables(check_tables, file)


def _read_tables(read: Callable[[Path], int], file: Path) -> int:
    try:
        return read(file)
    except OSError as error:
        raise StorageError(
            f"The endgame tables {file} cannot be read: {error.strerror}. Make them with "
            f"`ataxxd tables make`, or name others by {VARIABLE}."
        ) from None
    except ValueError as error:
        raise StorageError(
            f"{file}: {error}. Make them anew with `ataxxd tables make`, or do without: unset "
            f"{VARIABLE}."
        ) from None
