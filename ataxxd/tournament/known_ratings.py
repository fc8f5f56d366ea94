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
from ataxxd.tournament.club_keeper import club_log_path
from ataxxd.tournament.ratings import Rating, RatingRow, day_of, gather_games, rating_tables

# With this many games or more, reading them takes long enough to report progress.
_PROGRESS_INTERVAL = 100


def _ignore(_: str) -> None:
    """Ignore the call."""


class KnownRatings:
    """Ratings computed from the signed games that this node has, and from nothing else."""

    def __init__(self, rows: Mapping[tuple[str, str], RatingRow] | None = None) -> None:
        """Use `rows`, by ruleset and node id; without them nobody has a rating."""
        self._rows = {} if rows is None else rows

    @classmethod
    def read(
        cls, home: Home, journal: Journal, now_ms: int, on_progress: Callable[[str], None] = _ignore
    ) -> Self:
        """Rate the games in a journal, and those of the club whose log the node keeps.

        Args:
            home: the node's home.
            journal: the node's journal.
            now_ms: the time, in Unix milliseconds.
            on_progress: called with a sentence about the progress now and then, if it takes long.

        Raises:
            StorageError: they cannot be read.
        """
        day = day_of(now_ms)
        found = gather_games(
            chain(finished_games(journal, on_progress), _read_club_records(home)), day=day
        )
        rated = rating_tables(found.games, day)
        return cls({(table.ruleset, row.node): row for table in rated for row in table.rows})

    @classmethod
    def read_home(
        cls, home: Home, now_ms: int, on_progress: Callable[[str], None] = _ignore
    ) -> Self:
        """Open the journal of a home, and rate its games; arguments and errors as for `read`."""
        with closing(Journal(home.journal)) as journal:
            return cls.read(home, journal, now_ms, on_progress)

    def by_ruleset(self, node: str) -> dict[str, RatingRow]:
        """A player's ratings, by ruleset."""
        return {ruleset: row for (ruleset, rated), row in self._rows.items() if rated == node}

    def row(self, node: str, ruleset: str) -> RatingRow | None:
        """A player's rating under a ruleset; None without a rated game here."""
        return self._rows.get((ruleset, node))

    def known_rating(self, node: str, ruleset: str) -> int | None:
        """A player's rating under a ruleset as a number; None without a rated game here."""
        row = self.row(node, ruleset)
        return None if row is None else row.rating

    def rating_or_default(self, node: str, ruleset: str) -> int:
        """A player's rating under a ruleset; a newcomer's, 1500, without a rated game here."""
        rated = self.known_rating(node, ruleset)
        return round(Rating().rating) if rated is None else rated


def finished_games(
    journal: Journal, on_progress: Callable[[str], None]
) -> Iterator[tuple[str, Ledger]]:
    """The finished games in a journal, with their names, but for those that never began.

    Each game is verified as it is read.

    Args:
        journal: this node's journal.
        on_progress: called with a sentence about the progress now and then, if it takes long.
    """
    finished = journal.finished()
    for done, (game, role) in enumerate(finished, 1):
        if len(finished) > _PROGRESS_INTERVAL and done % _PROGRESS_INTERVAL == 0:
            on_progress(f"Reading {done} of {len(finished)} games …")
        stored = journal.find(game, role)
        if stored is None:
            continue
        ledger = journal.ledger(stored)
        if ledger.phase not in (Phase.OPEN, Phase.JOINED):
            yield f"{stored.offer.name} ({game[:12]})", ledger


def _read_club_records(home: Home) -> Iterator[tuple[str, bytes]]:
    for path in sorted((club_log_path(home).parent / "records").glob("*.json")):
        with storage_errors(path, "read"):
            yield str(path), path.read_bytes()
