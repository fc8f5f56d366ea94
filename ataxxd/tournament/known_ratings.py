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

# From so many games on, reading them takes long enough to be told.
_MANY = 100


def _nobody(_: str) -> None:
    """Nobody is told."""


class KnownRatings:
    """Ratings by the signed games that this node has; nobody else's word counts."""

    def __init__(self, rows: Mapping[tuple[str, str], Row] | None = None) -> None:
        """Of the players in `rows`, by ruleset and node; of nobody when None."""
        self._rows = {} if rows is None else rows

    @classmethod
    def read(
        cls, home: Home, journal: Journal, now_ms: int, told: Callable[[str], None] = _nobody
    ) -> Self:
        """Rate the games of a journal, and of the club that its node keeps the log of.

        Args:
            home: the node's.
            journal: its journal.
            now_ms: the time of day.
            told: is told how far it is, when it takes long.

        Raises:
            StorageError: they cannot be read.
        """
        day = day_of(now_ms)
        found = gathered(chain(archived(journal, told), _of_club(home)), day=day)
        rated = tables(found.games, day)
        return cls({(table.ruleset, row.node): row for table in rated for row in table.rows})

    @classmethod
    def of_home(cls, home: Home, now_ms: int, told: Callable[[str], None] = _nobody) -> Self:
        """As `read`, of a home whose journal is not open."""
        with closing(Journal(home.journal)) as journal:
            return cls.read(home, journal, now_ms, told)

    def of(self, node: str) -> dict[str, Row]:
        """A player's ratings by rulesets."""
        return {ruleset: row for (ruleset, rated), row in self._rows.items() if rated == node}

    def row(self, node: str, ruleset: str) -> Row | None:
        """A player's rating by a ruleset; None for one who has no rated game here."""
        return self._rows.get((ruleset, node))

    def rated(self, node: str, ruleset: str) -> int | None:
        """The same as a number."""
        row = self.row(node, ruleset)
        return None if row is None else row.rating

    def rating(self, node: str, ruleset: str) -> int:
        """The same, where whoever has no rated game here has a newcomer's, 1500."""
        rated = self.rated(node, ruleset)
        return round(Rating().rating) if rated is None else rated


def archived(
    journal: Journal, told: Callable[[str], None] = _nobody
) -> Iterator[tuple[str, Ledger]]:
    """The finished games of a journal that were begun, with their names; reading checks them.

    Args:
        journal: this node's.
        told: is told how far it is, when it takes long.
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
