"""The end of a game: settled when both players have all of it, and know that of each other."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

from ataxxd.node.concurrency import Duty, Signal
from ataxxd.node.presence import PlayerPresence
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Phase
from ataxxd_protocol.messages import AnyLogMessage, StatePart, Sync

# Seconds to wait for the other side's score, or its receipt, when the game is over.
SCORE_GRACE = 10.0
# Seconds to go on trying to tell the other side how the game ended, before it is left to `resume`.
LAST_WORD_GRACE = 300.0
# The same if the other side is away and will find the end at the broker; longer if we have heard it
# before, as it may just be reconnecting.
BLIP_GRACE, AWAY_GRACE = 20.0, 2.0
# Seconds to wait for the witnesses' statements on a claim. They come at once or never, but a
# machine may be busy, and without a majority the game may count as lost for both.
STATEMENTS_GRACE = 15.0


class Settlement(Duty):
    """The end of one game: what a player knows about the messages that the other has."""

    def __init__(self, session: PlayerSession, on_over: Callable[[], Awaitable[None]]) -> None:
        """Watch the game of `session`, which may be over already, and call `on_over` when it is."""
        super().__init__()
        self._session = session
        self._on_over = on_over
        self._end_known = Signal()
        self._closed = Signal()
        self._arrived = Signal()
        # The digest of our newest message that the opponent is known to have; more may follow it
        # while the journal is being written.
        self._arrived_digest = ""
        self._opponent_unsure = False
        self._away_grace_s: float | None = None
        self._timeout: asyncio.Timeout | None = None

    @property
    def is_settled(self) -> bool:
        """Whether both players are known to have the whole game: nothing is left to resume."""
        ledger = self._session.ledger
        if ledger.fault is not None:
            return self._end_known.is_set()
        if ledger.phase is not Phase.CLOSED:
            return False
        # The player who wrote the last score needs a receipt for it.
        return self._has_receipt if self._spoke_last else self._end_known.is_set()

    @property
    def _newest(self) -> AnyLogMessage | None:
        return next(reversed(self._session.ledger.log(self._session.role)), None)

    @property
    def _has_receipt(self) -> bool:
        newest = self._newest
        return newest is not None and newest.digest == self._arrived_digest

    @property
    def _spoke_last(self) -> bool:
        return self._session.ledger.entries[-1].by == self._session.role.value

    def on_kept(self) -> None:
        """Note that messages were added to the game."""
        if self._session.is_end_known_to_opponent:
            self._end_known.set()

    def check_outcome(self) -> None:
        """Check whether the game is over."""
        if self._session.ledger.outcome is not None:
            self.schedule(0.0)

    async def perform(self) -> None:
        """Close the game."""
        await self._on_over()

    def on_closed(self) -> None:
        """Note that both scores are in."""
        self._closed.set()

    def on_messages_left(self, *, was_heard: bool) -> None:
        """Note that the opponent is away, and that what it lacks was left at the broker.

        Args:
            was_heard: whether the opponent was heard before.
        """
        self._away_grace_s = BLIP_GRACE if was_heard else AWAY_GRACE
        self._shorten_timeout()

    def _shorten_timeout(self) -> None:
        patience, left_s = self._timeout, self._away_grace_s
        if patience is None or left_s is None or patience.expired():
            return
        due, soon = patience.when(), asyncio.get_running_loop().time() + left_s
        if due is not None and soon < due:
            patience.reschedule(soon)

    def on_unread(self) -> None:
        """Note that the opponent has left messages: it does not know that we have them."""
        self._opponent_unsure = True

    def is_known_to(self, opponent: PlayerPresence) -> bool:
        """Whether an opponent who has left did so knowing that all is settled."""
        return opponent.has_left and not self._opponent_unsure

    def on_sync(self, sync: Sync) -> None:
        """Take in a sync: an opponent that lacks none of our messages has our last one."""
        ledger = self._session.ledger
        theirs = sync.game == ledger.game and sync.author == self._session.opponent
        complete = ledger.phase is Phase.CLOSED and sync.need >= len(ledger.log(self._session.role))
        if theirs and complete and self._session.is_signed_by_opponent(sync):
            self._on_arrived(ledger.log(self._session.role)[-1])

    def on_state(self, part: StatePart) -> None:
        """Take in the host's state: it is a receipt if it contains our newest message."""
        newest = self._newest
        if newest is None or not part.entries or not self._session.is_signed_by_opponent(part):
            return
        # Not only the last entry: when the host was at fault, its score comes after ours.
        if any(entry.check == newest.digest[:16] for entry in part.entries):
            self._on_arrived(newest)
            if self._session.ledger.outcome is not None:
                self._end_known.set()

    def _on_arrived(self, newest: AnyLogMessage) -> None:
        self._arrived_digest = newest.digest
        self._arrived.set()

    async def wait(self) -> None:
        """After the end of the game, wait for a reasonable time until it is settled."""
        if self._session.is_end_known_to_opponent:
            self._end_known.set()
        # A player who made the last move must not leave before it has arrived: the other side would
        # wait for it for ever. A player who claims a game knows that nobody is there.
        claimed = self._session.ledger.claim is not None
        async with self._time_limit(SCORE_GRACE if claimed else LAST_WORD_GRACE):
            await self._end_known.wait()
        async with self._time_limit(SCORE_GRACE):
            if self._session.ledger.phase is not Phase.CLOSED:
                await self._closed.wait()
            while self._spoke_last and not self._has_receipt:
                self._arrived.clear()
                await self._arrived.wait()

    @asynccontextmanager
    async def _time_limit(self, seconds: float) -> AsyncIterator[None]:
        """Stop waiting after so many seconds, or some time after `on_messages_left` was called."""
        try:
            with suppress(TimeoutError):
                async with asyncio.timeout(seconds) as self._timeout:
                    self._shorten_timeout()
                    yield
        finally:
            # `on_messages_left` may be called after this.
            self._timeout = None
