"""The profile of a node: home, key, journal, and known nodes."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import StorageError
from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import BatchedJournal, Journal, StoredGame
from ataxxd.node.names import NameBook
from ataxxd_protocol import SigningKey


class KnownHosts:
    """The hosts that this node has joined under each name."""

    def __init__(self, joined: Callable[[str], Sequence[str]], us: str) -> None:
        """Look up the hosts of a name by `joined`, latest first; `us` is this node."""
        self.joined = joined
        self._us = us

    def instead_of(self, name: str, host: str) -> str | None:
        """The host that this node joined under a name before, if that is not `host`; else None."""
        known = self.joined(name)
        return known[0] if known and host not in (*known, self._us) else None


@contextmanager
def known_hosts(home: Home) -> Iterator[KnownHosts]:
    """The hosts known in a home, for a command that needs nothing else of it; creates nothing.

    If they cannot be read, none are known: such a command can do without, and `join` says why.
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


def own_game(home: Home, game: str) -> StoredGame | None:
    """This node's game with an id, for a command that needs no other; creates nothing.

    None if there is none, or if it cannot be read: such a command can do without.
    """
    with suppress(StorageError):
        if home.journal.exists():
            with closing(Journal(home.journal)) as journal:
                return journal.find(game)
    return None


@dataclass(frozen=True, slots=True)
class Profile:
    """A node's state on disk: its home, key, journal, and the nodes it knows by name."""

    home: Home
    key: SigningKey
    journal: Journal
    names: NameBook = field(default_factory=NameBook)

    @property
    def known_hosts(self) -> KnownHosts:
        """The hosts that this node has joined under each name."""
        return KnownHosts(self.journal.known_hosts, self.key.node)


@asynccontextmanager
async def open_profile(path: Path | None, *, many_games: bool = False) -> AsyncIterator[Profile]:
    """The profile in a home folder, its journal open.

    Args:
        path: the folder; the default one if None.
        many_games: games share syncs to disk: each waits a little longer, but all cost much less.

    Raises:
        StorageError: the key or the journal cannot be used.
    """
    home = Home(path)
    journal = (BatchedJournal if many_games else Journal)(home.journal)
    names = NameBook(home.names)
    try:
        yield Profile(home, load_identity(home.identity), journal, names)
    finally:
        names.close()
        journal.close()
