"""The ratings that this node knows, from its own archive and its club's records."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from itertools import chain
from typing import Self

from ataxxd.errors import storage_errors
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase
from ataxxd.tournament.club_keeper import log_of
from ataxxd.tournament.ratings import Rating, Row, day_of, gathered, tables

# With this many games or more, reading them takes long enough to report progress.
_MANY = 100


def _nobody(_: str) -> None:
    """Ignore the call."""


class KnownRatings:
    """Ratings computed from the signed games that this node has, and from nothing else."""

    def __init__(self, rows: Mapping[tuple[str, str], Row] | None = None) -> None:
        """Use `rows`, by ruleset and node id; without them nobody has a rating."""
        self._rows = {} if rows is None else rows

    @classmethod
    def read(
        cls, home: Home, journal: Journal, now_ms: int, told: Callable[[str], None] = _nobody
    ) -> Self:
        """Rate the games in a journal, and those of the club whose log the node keeps.

        Args:
            home: the node's home.
            journal: the node's journal.
            now_ms: the time, in Unix milliseconds.
            told: called with a sentence about the progress now and then, if it takes long.

        Raises:
            StorageError: they cannot be read.
        """
        day = day_of(now_ms)
        found = gathered(chain(archived(journal, told), _of_club(home)), day=day)
        rated = tables(found.games, day)
        return cls({(table.ruleset, row.node): row for table in rated for row in table.rows})

    @classmethod
    def of_home(cls, home: Home, now_ms: int, told: Callable[[str], None] = _nobody) -> Self:
        """Open the journal of a home, and rate its games; arguments and errors as for `read`."""
        with closing(Journal(home.journal)) as journal:
            return cls.read(home, journal, now_ms, told)

    def of(self, node: str) -> dict[str, Row]:
        """A player's ratings, by ruleset."""
        return {ruleset: row for (ruleset, rated), row in self._rows.items() if rated == node}

    def row(self, node: str, ruleset: str) -> Row | None:
        """A player's rating under a ruleset; None without a rated game here."""
        return self._rows.get((ruleset, node))

    def rated(self, node: str, ruleset: str) -> int | None:
        """A player's rating under a ruleset as a number; None without a rated game here."""
        row = self.row(node, ruleset)
        return None if row is None else row.rating

    def rating(self, node: str, ruleset: str) -> int:
        """A player's rating under a ruleset; a newcomer's, 1500, without a rated game here."""
        rated = self.rated(node, ruleset)
        return round(Rating().rating) if rated is None else rated


def archived(
    journal: Journal, told: Callable[[str], None] = _nobody
) -> Iterator[tuple[str, Ledger]]:
    """The finished games in a journal, with their names, but for those that never began.

    Each game is verified as it is read.

    Args:
        journal: this node's journal.
        told: called with a sentence about the progress now and then, if it takes long.
    """
    finished = journal.finished()
    for done, (game, role) in enumerate(finished, 1):
        if len(finished) > _MANY and done % _MANY == 0:
            told(f"Reading {done} of {len(finished)} games …")
        stored = journal.find(game, role)
        if stored is None:
            continue
        ledger = journal.ledger(stored)
        if ledger.phase not in (Phase.OPEN, Phase.JOINED):
            yield f"{stored.offer.name} ({game[:12]})", ledger


def _of_club(home: Home) -> Iterator[tuple[str, bytes]]:
    for path in sorted((log_of(home).parent / "records").glob("*.json")):
        with storage_errors(path, "read"):
            yield str(path), path.read_bytes()
