"""The rated games of a serving node: announced in its club's log before they begin.

When a guest takes a seat at a rated table, the join is written to the journal, then the game is
announced, and only then is the guest answered. So the game is in the log before the guest, or
anybody else, knows that it begins.

Members can name the node as a witness of their games. It watches from the offer to the end, signs
what it has heard of a claim, and has its club announce the game when it begins. So where the club's
log decides which games count, every game between two members that counts has a witness.
"""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from ataxxd.errors import AtaxxdError, VerificationError
from ataxxd.nicknames import player_name
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game_finder import FoundGame, GameFinder
from ataxxd.node.home import AsText, keep_record
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.profile import Profile
from ataxxd.node.receiving import Recent
from ataxxd.node.watching import Watcher
from ataxxd.serve.plan import Plan
from ataxxd.session.events import Notice
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog
from ataxxd.transport.base import Transport
from ataxxd.transport.reconnecting import Backoff
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import (
    Announcement,
    GameResult,
    Join,
    Offer,
)
from ataxxd_protocol.signing import digest

_log = logging.getLogger(__name__)


class RatedGames:
    """Announces the node's rated games in its club's log."""

    def __init__(
        self,
        journal: Journal,
        keeper: ClubKeeper,
        allowed_ms: Callable[[str], int | None],
        format_player: Callable[[str], str] = player_name,
    ) -> None:
        """Announce the games of rated tables.

        Args:
            journal: has the games.
            keeper: keeps the club's log.
            allowed_ms: after how long a game of a part of the configuration counts as lost for
                both, in milliseconds; None if its games are not rated.
            format_player: turns a node id into the name that people read.
        """
        self._format_player = format_player
        self._journal = journal
        self._keeper = keeper
        self._allowed_ms = allowed_ms

    def announce(self, game: StoredGame, join: Join) -> None:
        """Announce a rated game that a guest has joined, once.

        Raises:
            StorageError: the log cannot be written: the game must not begin.
        """
        self.announce_offer(game.offer, join, self._allowed_ms(str(game.settings.get("served"))))

    def is_member(self, node: str) -> bool:
        """Whether a node is a member of the club; False without a club.

        Raises:
            StorageError: the log cannot be used.
        """
        return self._keeper.exists and node in self._keeper.log().members

    def needs_record(self, game: str) -> bool:
        """Whether a game is announced, and no record of it is in the log.

        Raises:
            StorageError: the log cannot be used.
        """
        games = self._keeper.log().games if self._keeper.exists else {}
        return any(digest == game and not known.records for (digest, _), known in games.items())

    def announce_offer(self, offer: Offer, join: Join, allowed_ms: int | None) -> None:
        """Announce a game, once.

        Args:
            offer: the game.
            join: the guest's join message.
            allowed_ms: after how many milliseconds it is lost for both; None to announce none.

        Raises:
            StorageError: the log cannot be written.
        """
        if allowed_ms is None:
            return

        def entries(log: ClubLog, now_ms: int) -> Sequence[Announcement]:
            if (offer.digest, join.author) in log.games:
                return []
            return [
                Announcement(offer=offer, join=join, deadline_ms=now_ms + allowed_ms, at_ms=now_ms)
            ]

        try:
            self._keeper.append(entries)
        except VerificationError as error:
            _log.info("%s: not rated: %s", offer.name, error)
        else:
            _log.info("%s: rated, against %s", offer.name, self._format_player(join.author))

    def warn_if_not_member(self, us: str, tables: Iterable[str]) -> None:
        """Warn that no game can be rated, if our own node is not a member of its club.

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

    def announce_resumed(self, game: StoredGame, ledger: Ledger) -> None:
        """Announce a game of the last run that was stored but not announced.

        Raises:
            StorageError: the log cannot be written.
        """
        if game.role is Role.HOST and ledger.join is not None and not ledger.moves:
            self.announce(game, ledger.join)

    def add_record(self, ledger: Ledger) -> None:
        """Log the record of a finished game, and store it beside the log, once."""
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
                self._keeper.write_record(f"{ledger.offer.name}-{game[:12]}", record)
        except AtaxxdError as error:
            # The next start adds it to the log.
            _log.error("%s: its record is not in the club's log: %s", ledger.offer.name, error)

    def add_missing_records(self) -> None:
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
                    self.add_record(self._journal.ledger(stored))
                except AtaxxdError as error:
                    _log.error("%s: %s", stored.offer.name, error)


# The most games watched at a time, since members could offer any number.
_MAX_WATCHED = 256
# The most games that are remembered as done, so that they are not watched again.
_MAX_DONE = 4096


class WitnessedGames:
    """The node as a witness of its members' games."""

    def __init__(
        self,
        profile: Profile,
        connect: Callable[[], Transport],
        rated: RatedGames,
        plan: Callable[[], Plan],
        as_text: AsText,
    ) -> None:
        """Begin without games; `run` watches them.

        Args:
            profile: the profile of the node.
            connect: creates a transport for one game, or for the finder.
            rated: announces the games.
            plan: returns the node's present plan.
            as_text: writes records.
        """
        self._profile = profile
        self._connect = connect
        self._rated = rated
        self._plan = plan
        self._as_text = as_text
        self._watched: dict[str, tuple[SpectatorSession, asyncio.Task[None]]] = {}
        self._done: Recent[str, None] = Recent(_MAX_DONE)

    async def run(self) -> None:
        """Watch the games that name this node as a witness, until cancelled."""
        backoff = Backoff(1.0, 60.0)
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    async with self._connect() as line:
                        finder = GameFinder(line)

                        def look(_connected: bool, finder: GameFinder = finder) -> None:
                            self._watch_new_games(finder, group)

                        with plain_errors():
                            await finder.follow(look)
                except AtaxxdError as error:
                    _log.warning("looking for games to witness: %s It is tried again.", error)
                await asyncio.sleep(backoff.next())

    def _watch_new_games(self, finder: GameFinder, group: asyncio.TaskGroup) -> None:
        for game in tuple(finder.games.values()):
            if self._profile.key.node not in (game.offer.witnesses or ()):
                finder.dismiss(game)  # to make room for others
            elif game.offer.digest not in self._watched and self._is_wanted(game):
                offer = game.offer
                session = SpectatorSession(Ledger(offer))
                task = group.create_task(self._watch(session), name=f"witness of {offer.name}")
                self._watched[offer.digest] = session, task
        # A missing offer was withdrawn, or is hidden by a flood of others: stop watching it only if
        # we need the room.
        full = len(self._watched) >= _MAX_WATCHED
        offered = {game.offer.digest for game in finder.games.values()}
        for game_id, (session, task) in self._watched.items():
            ledger = session.ledger
            expired = ledger.offer.expires_ms < SYSTEM_CLOCK.now_ms()
            if ledger.phase is Phase.OPEN and (expired or (full and game_id not in offered)):
                task.cancel()

    def _is_wanted(self, game: FoundGame) -> bool:
        game_id = game.offer.digest
        if game_id in self._done or len(self._watched) >= _MAX_WATCHED:
            return False
        if game.incompatibility is not None or not self._rated.is_member(game.offer.host):
            return False
        if game.is_over and not self._rated.needs_record(game_id):
            self._done.put(game_id, None)
            return False
        return True

    async def _watch(self, session: SpectatorSession) -> None:
        offer = session.ledger.offer
        try:
            async with self._connect() as line:
                watcher = Watcher(session, line, witness=self._profile.key)
                _log.info("%s: we are a witness of this game", offer.name)
                with plain_errors():
                    await self._follow(watcher, offer)
            if session.ledger.outcome is not None:
                self._store(session.ledger)
        except AtaxxdError as error:
            _log.warning("%s: %s", offer.name, error)
        finally:
            del self._watched[offer.digest]

    async def _follow(self, watcher: Watcher, offer: Offer) -> None:
        announced = False
        async for event in watcher.events():
            ledger = watcher.session.ledger
            if not announced and ledger.phase not in (Phase.OPEN, Phase.JOINED):
                announced = True
                # Nobody who knows the result may choose whether the game counts.
                if ledger.outcome is None:
                    assert ledger.join is not None, "begun"
                    self._rated.announce_offer(offer, ledger.join, self._plan().witnessed_ms)
            if isinstance(event, Notice):
                _log.info("%s: %s", offer.name, event.text)

    def _store(self, ledger: Ledger) -> None:
        self._done.put(ledger.game, None)
        self._rated.add_record(ledger)
        path = self._plan().record_of(ledger.offer)
        keep_record(self._profile.home, ledger, None if path is None else Path(path), self._as_text)
        _log.info("%s: over, and witnessed", ledger.offer.name)
