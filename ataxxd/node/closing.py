"""How a game is settled: both players have all of it, and know that the other has."""

import asyncio
from contextlib import suppress

from ataxxd.node.waiting import Signal
from ataxxd.session.player import PlayerSession
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
from ataxxd_protocol.messages import StatePart, Sync

# Seconds to wait for the other side's score, or its receipt, when the game is over.
SCORE_GRACE = 10.0
# Seconds to go on trying to tell the other side how the game ended, before it is left to `resume`.
LAST_WORD_GRACE = 300.0


class Closing:
    """What one player knows of the other's knowledge of the end."""

    def __init__(self, seat: PlayerSession) -> None:
        """Of the game of `seat`, which may be over already."""
        self._seat = seat
        self._over = Signal()
        self._told = Signal()
        self._closed = Signal()
        self._receipt = Signal()

    @property
    def settled(self) -> bool:
        """Whether both players are known to have all of the game: nothing is left to resume."""
        ledger = self._seat.ledger
        if ledger.fault is not None:
            return self._told.is_set()
        if ledger.phase is not Phase.CLOSED:
            return False
        # Whoever wrote the last score wants to know that it has arrived.
        return (self._receipt if self._spoke_last else self._told).is_set()

    @property
    def _spoke_last(self) -> bool:
        return self._seat.ledger.entries[-1].by == self._seat.role.value

    def kept(self, roles: set[Role]) -> None:
        """Messages of `roles` were added to the game."""
        if self._seat.role in roles:
            self._receipt.clear()
        if self._seat.opponent_knows_the_end:
            self._told.set()

    def ended(self) -> None:
        """The game is over."""
        self._over.set()

    def closed(self) -> None:
        """Both scores are in."""
        self._closed.set()

    def on_sync(self, sync: Sync) -> None:
        """Who lacks nothing of a mailbox that is complete has our last word."""
        ledger = self._seat.ledger
        theirs = sync.game == ledger.game and sync.author == self._seat.opponent
        complete = ledger.phase is Phase.CLOSED and sync.need >= len(ledger.log(self._seat.role))
        if theirs and complete and self._seat.vouches(sync):
            self._receipt.set()

    def on_state(self, part: StatePart) -> None:
        """The host's state that holds our newest message is its receipt."""
        newest = self._seat.ledger.log(self._seat.role)[-1:]
        if not newest or not part.entries or not self._seat.vouches(part):
            return
        # Not only the last entry: when the host was at fault, its score comes after ours.
        if any(entry.check == newest[0].digest[:16] for entry in part.entries):
            self._receipt.set()
            if self._seat.ledger.outcome is not None:
                self._told.set()

    async def wait(self) -> None:
        """Wait for the end, and as long as is reasonable until it is settled."""
        if self._seat.ledger.outcome is None:
            await self._over.wait()
        if self._seat.opponent_knows_the_end:
            self._told.set()
        with suppress(TimeoutError):
            # Who made the last move must not leave before it has arrived: the other side
            # would wait for it for ever. Who claims a game knows that nobody is there.
            claimed = self._seat.ledger.claim is not None
            async with asyncio.timeout(SCORE_GRACE if claimed else LAST_WORD_GRACE):
                await self._told.wait()
        with suppress(TimeoutError):
            async with asyncio.timeout(SCORE_GRACE):
                if self._seat.ledger.phase is not Phase.CLOSED:
                    await self._closed.wait()
                if self._spoke_last:
                    await self._receipt.wait()
