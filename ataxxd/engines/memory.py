"""The memory for tables of positions, asked for before it is taken.

A process that takes more than the machine has is ended, by its own allocator or by the system.
"""

import os
from pathlib import Path

from ataxxd.errors import ConfigError
from ataxxd.rules import Engine

# What a table may take of the memory that nothing else uses.
_SHARE = 0.9
_PROC = Path("/proc/meminfo")
# A container is told here what it may use, also where the machine has more.
_CONTAINER = Path("/sys/fs/cgroup/memory.max")


class TableTooLarge(ConfigError, ValueError):
    """There is no memory for a table of this size."""


def new_engine(hash_mb: int, *, threads: int = 1) -> Engine:
    """An engine with a table of so many mebibytes.

    Raises:
        TableTooLarge: the machine cannot give them.
        ValueError: there is no such size or number of threads.
    """
    check_table(hash_mb)
    try:
        return Engine(hash_mb, threads=threads)
    except MemoryError:
        msg = f"There is no memory for a table of {hash_mb} mebibytes. Take a smaller one."
        raise TableTooLarge(msg) from None


def check_table(hash_mb: int) -> None:
    """Check that there is the memory for a table.

    Raises:
        TableTooLarge: there is not.
    """
    largest = largest_table_mb()
    if largest is not None and hash_mb > largest:
        msg = (
            f"There is no memory for a table of {hash_mb} mebibytes; this machine can give "
            f"{largest} now. Take a smaller one."
        )
        raise TableTooLarge(msg)


def largest_table_mb() -> int | None:
    """Mebibytes that a table can have now; None where the system does not tell."""
    known = [each for each in (_available_mb(), _container_mb()) if each is not None]
    return max(1, int(_SHARE * min(known))) if known else None


def _available_mb() -> int | None:
    try:
        for line in _PROC.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) >> 10
    except OSError:
        pass
    try:
        # What there is at all: better than nothing where it is not told what is free.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
    except (AttributeError, OSError, ValueError):
        return None


def _container_mb() -> int | None:
    try:
        return int(_CONTAINER.read_text()) >> 20
    except (OSError, ValueError):
        return None
