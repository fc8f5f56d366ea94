"""Whose programs are at the other ends of connections on this machine, where Linux tells."""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

# A browser's socket for both versions of IP stands in the second.
TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
_ROOT = 0


def is_anothers(port: int, server_port: int, tables: Iterable[Path] = TABLES) -> bool:
    """Whether a connection is known to be another user's, who is not root.

    Args:
        port: at the other end of it.
        server_port: at this end.
        tables: of the machine's connections, as of Linux.
    """
    owner = _owner(port, server_port, tables)
    return owner is not None and owner not in (_ROOT, os.getuid())


def _owner(port: int, server_port: int, tables: Iterable[Path]) -> int | None:
    ends = (f"{port:04X}", f"{server_port:04X}")
    for table in tables:
        with suppress(OSError, ValueError, IndexError):
            for line in table.read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if tuple(each.rpartition(":")[2] for each in fields[1:3]) == ends:
                    return int(fields[7])
    return None
