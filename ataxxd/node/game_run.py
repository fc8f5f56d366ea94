"""One game over a broker, from the offer or the join to the settled result."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.errors import (
    AtaxxdError,
    GameError,
    RemoteProtocolError,
    StorageError,
    TransportError,
)
from ataxxd.node.concurrency import Signal, plain_errors
from ataxxd.node.errors import HostSilent, Incompatible
from ataxxd.node.home import AsText, keep_record
from ataxxd.node.journal import StoredGame
from ataxxd.node.names import Introductions
from ataxxd.node.offers import AGENT
from ataxxd.node.presence import Announcer, TalkRoom
from ataxxd.node.profile import Profile
from ataxxd.node.publishing import StatePace
from ataxxd.node.recovery import require_complete
from ataxxd.node.runtime import OnJoin, PlayerRuntime, RuntimeEvent
from ataxxd.node.seats import left_challenge
from ataxxd.node.settings import Settings
from ataxxd.session.events import Effect, Over, Started
from ataxxd.session.handshake import check_date
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Connect

# Seconds to wait for a first connection when we leave and have something left to send.
_CONNECT_S = 5.0


@dataclass(frozen=True, slots=True)
class GameContext:
    """What all games of a node share.

    Attributes:
        profile: the profile of the node that plays.
        connect: opens a connection to the broker.
        format_record: how records are written.
        on_note: tells a person what else went wrong beside the error that is raised.
        pace: limits how often its games publish their states.
        on_join: called with a guest's join to a game of ours; see `PlayerRuntime`.
    """

    profile: Profile
    connect: Connect
    format_record: AsText
    on_note: Callable[[str], None]
    pace: StatePace = field(default_factory=StatePace)
    on_join: OnJoin | None = None


class GameRun:
    """Our part in one game.

    The caller must hold the game's lock from before it reads the ledger until the end.

    Attributes:
        stored: the game in the journal.
        settings: how the seat was taken.
        runtime: runs it.
        announcer: announces our presence in it.
        proof: the file that proves a breach of the rules; None if there was none.
    """

    def __init__(
        self,
        context: GameContext,
        stored: StoredGame,
        ledger: Ledger,
        settings: Settings,
        *,
        claims: bool = False,
        stays: bool = False,
    ) -> None:
        """Take up a game, new or from the journal; `run` does the rest.

        Args:
            context: what the node's games share.
            stored: the game in the journal.
            ledger: the game so far; a guest that has not asked for the seat yet will do so.
            settings: how the seat is played.
            claims: claim the game without asking a person; see `PlayerRuntime`.
            stays: our player stays when the game has ended; see `PlayerRuntime`.

        Raises:
            IncompleteGameError: it came from a backup, and our messages since are not known yet.
        """
        require_complete(stored, context.profile.home)
        self.stored = stored
        self.settings = settings
        self.proof: Path | None = None
        self._context = context
        profile = context.profile
        session = PlayerSession(
            ledger,
            stored.role,
            profile.key,
            settings.secret,
            settings.invitation,
            resigning=stored.resigning,
            refusals=profile.journal.stored_refusals(stored),
            own_consent=profile.journal.stored_request(stored),
        )
        # Once the game has begun, the topic of its challenge may hold the next one.
        leaves_offer = settings.left and (
            ledger.phase is Phase.OPEN
            or left_challenge(profile.journal, str(stored.offer.access)) is None
        )
        # Read before `complete_pending`, which may write the start that a restart prevented.
        self._awaits_start = ledger.phase in (Phase.OPEN, Phase.JOINED)
        asks = stored.role is Role.GUEST and ledger.phase is Phase.OPEN
        self._must_join = asks
        self.announcer = Announcer(stored.offer, profile.key)
        self._transport = context.connect(self.announcer.will)
        self._connected = Signal()
        self._connecting: asyncio.Task[None] | None = None
        self.runtime = PlayerRuntime(
            session,
            self.announcer,
            self._transport,
            profile.journal,
            stored,
            claims=claims,
            talk=TalkRoom(stored.offer, self._transport) if settings.talk else None,
            stays=stays,
            leaves_offer=leaves_offer,
            pace=context.pace,
            on_join=context.on_join,
            introductions=Introductions(profile.names, self._transport, profile.key.node),
            home_option=profile.home.option,
        )
        self._first: Sequence[Effect] = (
            session.ask_to_join(secrets.token_hex(16), AGENT)
            if asks
            else session.complete_pending(self.runtime.timing)
        )

    @property
    def ledger(self) -> Ledger:
        """The game as we know it."""
        return self.runtime.session.ledger

    async def run(self) -> None:
        """Play until the game is settled, and keep its record.

        If it is cancelled, we leave the game, which can be resumed.

        Raises:
            AtaxxdError: as for `PlayerRuntime.run`; a `StorageError` also when the record cannot
                be written.
        """
        profile, stored = self._context.profile, self.stored
        async with self._transport:
            self._connected.set()
            try:
                if self._must_join:
                    self._check_date()
                with plain_errors():
                    await self.runtime.run(self._first)
            except HostSilent:
                raise  # it may answer yet
            except GameError:
                # We were refused, or nobody came: there is nothing to resume.
                profile.journal.finish(stored)
                raise
            except AtaxxdError:
                # The session may be ahead of the journal. Only what the journal has counts.
                self._write_stored_record()
                raise
            except asyncio.CancelledError:
                with suppress(TransportError):
                    await self.runtime.leave()
                self._write_stored_record()
                raise
        self._write_record(self.ledger)
        # Only after the record: killed between the two, we would have neither game nor record.
        if self.runtime.is_settled:
            profile.journal.finish(stored)

    def connection_task(self) -> "asyncio.Task[None] | None":
        """A task that waits briefly for a first connection, to send what was played before it.

        None if there is nothing to send.
        """
        if self._connected.is_set() or not self._transport.counters.published:
            return None
        self._connecting = asyncio.create_task(self._wait_until_connected(), name="the last word")
        return self._connecting

    async def _wait_until_connected(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_CONNECT_S):
                await self._connected.wait()

    def _check_date(self) -> None:
        """Refuse a game whose date is so wrong that ratings would ignore or misplace the game."""
        offer = self.stored.offer
        try:
            check_date(offer, SYSTEM_CLOCK.now_ms())
        except RemoteProtocolError as error:
            raise Incompatible(
                f'"{offer.name}" cannot be joined: {error}, by the clock of this machine. If that '
                "clock is wrong, set it; otherwise ask the host to set theirs, and to offer the "
                "game again."
            ) from None

    async def wait_until_started(self, on_event: Callable[[RuntimeEvent], None]) -> bool:
        """Wait for the game to begin; False if it ended before that.

        Args:
            on_event: called with the events meanwhile, the beginning included.
        """
        # Go by the events, not by the session's ledger, which is ahead of them.
        while self._awaits_start:
            event = await self.runtime.events.get()
            if event is None:
                return False
            on_event(event)
            self._awaits_start = not isinstance(event, Started | Over)
        return True

    def _write_record(self, ledger: Ledger) -> None:
        home = self._context.profile.home
        self.proof = keep_record(home, ledger, self.settings.record, self._context.format_record)

    def _write_stored_record(self) -> None:
        """Write the record of what the journal has; a failure is only noted, beside the error."""
        try:
            self._write_record(self._context.profile.journal.ledger(self.stored))
        except StorageError as error:
            self._context.on_note(f"Note: {error}")
