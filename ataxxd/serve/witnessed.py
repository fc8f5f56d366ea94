"""The games of members with each other that name a serving node as a witness.

The node looks on from the offer to the end, signs what it has heard of a claim, and has its club
announce the game when it begins. So where the club's log decides which games count, a game of two
members that counts is a witnessed one.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path

from ataxxd.errors import AtaxxdError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.home import AsText, keep_record
from ataxxd.node.lobby import FoundGame, Lobby
from ataxxd.node.profile import TOPICS, Profile
from ataxxd.node.receiving import Recent
from ataxxd.node.watching import Watcher
from ataxxd.serve.plan import Plan
from ataxxd.serve.rated import RatedGames
from ataxxd.session.events import Notice
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Transport
from ataxxd.transport.reconnecting import Backoff
from ataxxd_protocol.messages import Offer

_log = logging.getLogger(__name__)

# Games that are watched at a time: members could offer any number.
_MOST = 256
# Games of which is remembered that nothing more is to be done.
_MOST_DONE = 4096


class WitnessedGames:
    """A node as the witness of its club's members."""

    def __init__(
        self,
        profile: Profile,
        connect: Callable[[], Transport],
        rated: RatedGames,
        plan: Callable[[], Plan],
        as_text: AsText,
    ) -> None:
        """Watch nothing yet.

        Args:
            profile: of the node.
            connect: makes a transport for one game, or for the lobby.
            rated: announces games.
            plan: what the node does at present.
            as_text: how records are written.
        """
        self._profile = profile
        self._connect = connect
        self._rated = rated
        self._plan = plan
        self._as_text = as_text
        self._watched: dict[str, tuple[SpectatorSession, asyncio.Task[None]]] = {}
        self._done: Recent[str, None] = Recent(_MOST_DONE)

    async def run(self) -> None:
        """Watch what names this node, until cancelled."""
        backoff = Backoff(1.0, 60.0)
        async with asyncio.TaskGroup() as group:
            while True:
                try:
                    async with self._connect() as line:
                        lobby = Lobby(line, TOPICS)

                        def look(_connected: bool, lobby: Lobby = lobby) -> None:
                            self._look(lobby, group)

                        with plain_errors():
                            await lobby.follow(look)
                except AtaxxdError as error:
                    _log.warning("looking for games to witness: %s It is tried again.", error)
                await asyncio.sleep(backoff.next())

    def _look(self, lobby: Lobby, group: asyncio.TaskGroup) -> None:
        for game in tuple(lobby.games.values()):
            if self._profile.key.node not in (game.offer.witnesses or ()):
                lobby.dismiss(game)  # others need the room
            elif game.offer.digest not in self._watched and self._wanted(game):
                offer = game.offer
                session = SpectatorSession(Ledger(offer))
                task = group.create_task(self._watch(session), name=f"witness of {offer.name}")
                self._watched[offer.digest] = session, task
        # A flood of offers may hide one from us; what was withdrawn goes when there is no room.
        full = len(self._watched) >= _MOST
        offered = {game.offer.digest for game in lobby.games.values()}
        for digest, (session, task) in self._watched.items():
            ledger = session.ledger
            expired = ledger.offer.expires_ms < SYSTEM_CLOCK.now_ms()
            if ledger.phase is Phase.OPEN and (expired or (full and digest not in offered)):
                task.cancel()

    def _wanted(self, game: FoundGame) -> bool:
        digest = game.offer.digest
        if digest in self._done or len(self._watched) >= _MOST:
            return False
        if game.misfit is not None or not self._rated.is_member(game.offer.host):
            return False
        if game.over and not self._rated.lacks_record(digest):
            self._done.put(digest, None)
            return False
        return True

    async def _watch(self, session: SpectatorSession) -> None:
        offer = session.ledger.offer
        try:
            async with self._connect() as line:
                watcher = Watcher(session, line, TOPICS, witness=self._profile.key)
                _log.info("%s: we are a witness of this game", offer.name)
                with plain_errors():
                    await self._follow(watcher, offer)
            if session.ledger.outcome is not None:
                self._keep(session.ledger)
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
                # Whoever knows the result must not choose whether it counts.
                if ledger.outcome is None:
                    assert ledger.join is not None, "begun"
                    self._rated.announce_witnessed(offer, ledger.join, self._plan().witnessed_ms)
            if isinstance(event, Notice):
                _log.info("%s: %s", offer.name, event.text)

    def _keep(self, ledger: Ledger) -> None:
        self._done.put(ledger.game, None)
        self._rated.over(ledger)
        path = self._plan().record_of(ledger.offer)
        keep_record(self._profile.home, ledger, None if path is None else Path(path), self._as_text)
        _log.info("%s: over, and witnessed", ledger.offer.name)
