"""The rated games of a serving node: announced in its club's log before they begin.

Keeps the messages of all games, as the journal does. Where a guest takes a seat at a rated table,
the game is announced when that is kept and before anything is answered; so it stands in the log
before its guest, or anybody else, knows that it begins.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence

from ataxxd.errors import AtaxxdError, VerificationError
from ataxxd.nicknames import player_name
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import (
    Announcement,
    AnyLogMessage,
    Chat,
    Consent,
    GameResult,
    Join,
    Offer,
    Statement,
)
from ataxxd_protocol.signing import digest

_log = logging.getLogger(__name__)


class RatedGames:
    """What a node's club says of its games; stands in the place of their journal."""

    def __init__(
        self,
        journal: Journal,
        keeper: ClubKeeper,
        lasts_ms: Callable[[str], int | None],
        shown: Callable[[str], str] = player_name,
    ) -> None:
        """Announce the games of rated tables.

        Args:
            journal: keeps the messages.
            keeper: of the club's log.
            lasts_ms: after how long a game of a part of the configuration counts as lost for
                both; None where its games are not rated.
            shown: a node as people read it.
        """
        self._shown = shown
        self._journal = journal
        self._keeper = keeper
        self._lasts_ms = lasts_ms

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None] | None:
        """Append messages to a game, all or none."""
        messages = list(messages)
        keeping = self._journal.keep(game, messages)
        join = next((each for _, each in messages if isinstance(each, Join)), None)
        if join is None or game.role is not Role.HOST:
            return keeping
        if keeping is None:
            self.announce(game, join)
            return None
        return asyncio.ensure_future(self._announce_when_kept(keeping, game, join))

    def ages_ms(self, game: StoredGame) -> list[tuple[Role, int]]:
        """How long ago each message of a game was kept, and whose it is, in order."""
        return self._journal.ages_ms(game)

    def refuses(self, game: StoredGame, answers: Sequence[tuple[Consent, Chat]]) -> None:
        """Remember what our player refuses as the game stands."""
        self._journal.refuses(game, answers)

    def asks(self, game: StoredGame, request: Consent) -> None:
        """Remember what our player asks for, or agrees to."""
        self._journal.asks(game, request)

    def attests(self, game: StoredGame, statement: Statement) -> None:
        """See `GameJournal.attests`."""
        self._journal.attests(game, statement)

    def resigns(self, game: StoredGame, *, held: bool) -> None:
        """Remember that our player resigns when it is its turn, or no longer."""
        self._journal.resigns(game, held=held)

    def announce(self, game: StoredGame, join: Join) -> None:
        """Announce a game that a guest has joined, once, where it is rated.

        Raises:
            StorageError: the log cannot be written: the game must not begin.
        """
        lasts_ms = self._lasts_ms(str(game.settings.get("served")))
        if lasts_ms is not None:
            self._announce(game.offer, join, lasts_ms)

    def announce_witnessed(self, offer: Offer, join: Join, lasts_ms: int | None) -> None:
        """Announce a game of two others that has begun, once.

        Args:
            offer: the game.
            join: its guest's.
            lasts_ms: after how long it counts as lost for both; None where none is announced.

        Raises:
            StorageError: the log cannot be written.
        """
        if lasts_ms is not None:
            self._announce(offer, join, lasts_ms)

    def is_member(self, node: str) -> bool:
        """Whether a node is a member of the club; nobody is where there is none.

        Raises:
            StorageError: the log cannot be used.
        """
        return self._keeper.exists and node in self._keeper.log().members

    def lacks_record(self, game: str) -> bool:
        """Whether a game is announced, and no record of it is in the log.

        Raises:
            StorageError: the log cannot be used.
        """
        games = self._keeper.log().games if self._keeper.exists else {}
        return any(digest == game and not known.records for (digest, _), known in games.items())

    def _announce(self, offer: Offer, join: Join, lasts_ms: int) -> None:
        def entries(log: ClubLog, now_ms: int) -> Sequence[Announcement]:
            if (offer.digest, join.author) in log.games:
                return []
            return [
                Announcement(offer=offer, join=join, deadline_ms=now_ms + lasts_ms, at_ms=now_ms)
            ]

        try:
            self._keeper.append(entries)
        except VerificationError as error:
            _log.info("%s: not rated: %s", offer.name, error)
        else:
            _log.info("%s: rated, against %s", offer.name, self._shown(join.author))

    def warn_unrated(self, us: str, tables: Iterable[str]) -> None:
        """Say so where no game can be rated, because our own node is not a member of its club.

        Args:
            us: our node's id.
            tables: the names of the rated tables.

        Raises:
            StorageError: the log cannot be used.
        """
        named = ", ".join(tables)
        if named and not (self._keeper.exists and us in self._keeper.log().members):
            _log.warning(
                "%s: no game is rated, as this node is not a member of its club. "
                "Admit it, in its home: ataxxd club admit %s",
                named,
                grouped(us),
            )

    def take_up(self, game: StoredGame, ledger: Ledger) -> None:
        """Announce a game of the last run that was kept, and no more.

        Raises:
            StorageError: as `announce`.
        """
        if game.role is Role.HOST and ledger.join is not None and not ledger.moves:
            self.announce(game, ledger.join)

    def over(self, ledger: Ledger) -> None:
        """Log the record of a game that is over, and keep it beside the log; each once."""
        if ledger.join is None or ledger.outcome is None or not self._keeper.exists:
            return
        game, guest, record = ledger.game, ledger.join.author, dump_record(ledger)

        def entries(log: ClubLog, now_ms: int) -> Sequence[GameResult]:
            known, name = log.games.get((game, guest)), digest(record)
            if known is None or name in known.records:
                return []
            return [GameResult(game=game, guest=guest, record=name, at_ms=now_ms)]

        try:
            known = self._keeper.append(entries).games.get((game, guest))
            if known is not None:
                self._keeper.keep_record(f"{ledger.offer.name}-{game[:12]}", record)
        except AtaxxdError as error:
            # The next start logs it.
            _log.error("%s: its record is not in the club's log: %s", ledger.offer.name, error)

    def catch_up(self) -> None:
        """Log the records of games that were over when this process, or its machine, ended.

        Raises:
            StorageError: the log cannot be used.
        """
        if not self._keeper.exists:
            return
        for (game, _), known in list(self._keeper.log().games.items()):
            stored = None if known.records else self._journal.find(game, Role.HOST)
            if stored is not None:
                try:
                    self.over(self._journal.ledger(stored))
                except AtaxxdError as error:
                    _log.error("%s: %s", stored.offer.name, error)

    async def _announce_when_kept(
        self, keeping: asyncio.Future[None], game: StoredGame, join: Join
    ) -> None:
        await keeping
        self.announce(game, join)
