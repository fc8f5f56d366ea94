"""Who has hosted the games that this node has joined, as ssh knows hosts by their keys."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from ataxxd.errors import StorageError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import Journal


class KnownHosts:
    """The hosts that this node has joined under each name."""

    def __init__(self, joined: Callable[[str], Sequence[str]], us: str) -> None:
        """Ask `joined` for the hosts of a name, the one seen last first; `us` is this node."""
        self.joined = joined
        self._us = us

    def instead_of(self, name: str, host: str) -> str | None:
        """Whom this node has joined under a name before, where `host` is somebody else."""
        known = self.joined(name)
        return known[0] if known and host not in (*known, self._us) else None


@contextmanager
def known_hosts(home: Home) -> Iterator[KnownHosts]:
    """What the node of a home knows, for a command without the rest of it; nothing is made there.

    What cannot be read is not known: the command can do without, and `join` says why.
    """
    journal = None
    us = ""
    with suppress(StorageError):
        if home.journal.exists() and home.identity.exists():
            us = load_identity(home.identity).node
            journal = Journal(home.journal)

    def joined(name: str) -> Sequence[str]:
        if journal is not None:
            with suppress(StorageError):
                return journal.known_hosts(name)
        return ()

    try:
        yield KnownHosts(joined, us)
    finally:
        if journal is not None:
            journal.close()
