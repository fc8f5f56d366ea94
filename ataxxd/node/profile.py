"""The profile of a node: the home it lives in, its key and its journal."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.node.home import Home, load_identity
from ataxxd.node.journal import BatchedJournal, Journal
from ataxxd.node.known_hosts import KnownHosts
from ataxxd.node.names import NameBook
from ataxxd_protocol import SigningKey, Topics

TOPICS = Topics()
"""Where games are."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a node is and keeps: its home, its key, its journal, and whom it knows by name."""

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
    journal = BatchedJournal(home) if many_games else Journal(home.journal)
    names = NameBook(home.names)
    try:
        yield Profile(home, load_identity(home.identity), journal, names)
    finally:
        names.close()
        journal.close()
