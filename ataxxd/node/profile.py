"""The profile of a node: home, key, journal, and known nodes."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import BatchedJournal, Journal
from ataxxd.node.names import NameBook
from ataxxd_protocol import SigningKey


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


@dataclass(frozen=True, slots=True)
class Profile:
    """A node's state on disk: its home, key, journal, and the nodes it knows by name."""

    home: Home
    key: SigningKey
    journal: Journal
    names: NameBook = field(default_factory=NameBook)

    @property
    def known_hosts(self) -> KnownHosts:
        """Whom it has joined under which names."""
        return KnownHosts(self.journal.known_hosts, self.key.node)


@asynccontextmanager
async def opened_profile(path: Path | None, *, many_games: bool = False) -> AsyncIterator[Profile]:
    """The profile in a home folder, its journal open.

    Args:
        path: the folder; the usual one when None.
        many_games: games share their syncs to disk, which costs each a little and all much less.

    Raises:
        StorageError: key or journal cannot be used.
    """
    home = Home(path)
    journal = (BatchedJournal if many_games else Journal)(home.journal)
    names = NameBook(home.names)
    try:
        yield Profile(home, load_identity(home.identity), journal, names)
    finally:
        names.close()
        journal.close()
