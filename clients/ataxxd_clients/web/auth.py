"""Who may come in: only pages that this program has served to the person who started it.

Other programs and other people's pages on this machine can reach a loopback port too. A link
with a ticket is told to the person alone; it is good for one entry, which sets a cookie that
no script can read. Host and Origin are compared as well, so that no name that leads here
and no other site speaks for the page. A link that a browser is started with stands in the list of
processes, so then it lets in no other user of the machine, where the system tells them apart.
"""

import os
import secrets
from collections.abc import Iterable, Mapping
from contextlib import suppress
from hmac import compare_digest
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


class Auth:
    """The keeper of one port's ticket and cookie.

    Args:
        port: where the server listens on the loopback interface.

    Attributes:
        shown: links are shown to the other users of the machine, too.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.shown = False
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        # Cookies know no ports: two programs of one machine must not overwrite each other's.
        self.cookie = f"ataxxd-{port}"
        self.secret = secrets.token_urlsafe(32)
        self._ticket: str | None = None
        self._base = f"http://127.0.0.1:{port}/"

    def link(self) -> str:
        """A link that lets one browser in; the one before it is worth nothing any more."""
        self._ticket = secrets.token_urlsafe(24)
        return f"{self._base}?ticket={self._ticket}"

    @property
    def needs_link(self) -> bool:
        """Whether the last link has been used."""
        return self._ticket is None

    def redeem(self, ticket: str, port: int | None = None) -> bool:
        """Use a ticket up; False when it is none, used before, or another user's.

        Args:
            ticket: the ticket.
            port: from which it came.
        """
        if self._ticket is None or not _equal(ticket, self._ticket):
            return False
        if self.shown and port is not None and is_anothers(port, self.port):
            return False
        self._ticket = None
        return True

    def knows_host(self, headers: Mapping[str, str]) -> bool:
        """Whether a request was meant for this server, and not for a name that leads here."""
        return headers.get("host", "") in self._hosts

    def knows_page(self, cookies: Mapping[str, str]) -> bool:
        """Whether a request comes from a browser that has redeemed a ticket."""
        return _equal(cookies.get(self.cookie, ""), self.secret)

    def knows_origin(self, headers: Mapping[str, str]) -> bool:
        """Whether a script of our own page asks; browsers always say whose script it is."""
        return headers.get("origin", "") in {f"http://{host}" for host in self._hosts}


def _equal(one: str, other: str) -> bool:
    return compare_digest(one.encode(), other.encode())
