"""When an opponent that does not answer may be claimed the game from, and who does it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ataxxd.node.events import MayClaim
from ataxxd.node.stopwatch import Stopwatch
from ataxxd.node.waiting import Signal
from ataxxd.session.seat import Seat


class Claims:
    """The claims that one player may make in the course of a game.

    A fallen flag is always claimed; a silence only when nobody is there to decide it.

    Attributes:
        stopwatch: how long is waited; told of every turn and connection by `turned` and
            `connected`.
    """

    def __init__(self, seat: Seat, stopwatch: Stopwatch, *, by_itself: bool) -> None:
        """Wait for the opponent of `seat`; `by_itself` claims its silence without asking."""
        self.stopwatch = stopwatch
        self._seat = seat
        self._by_itself = by_itself
        self._connected = True
        self._changed = Signal()

    def turned(self, *, ours: bool) -> None:
        """A message was added to the game."""
        self.stopwatch.turned(ours=ours)
        self._changed.set()

    def connected(self) -> None:
        """A connection was made: from now on an answer can reach us."""
        self._connected = True
        self.stopwatch.connected()
        self._changed.set()

    def disconnected(self) -> None:
        """The connection was lost: nobody is claimed anything from meanwhile."""
        self._connected = False
        self._changed.set()

    async def run(
        self, claim: Callable[[str, int], Awaitable[None]], tell: Callable[[MayClaim], None]
    ) -> None:
        """Claim, or tell that one may, whenever it is time.

        Args:
            claim: called with the reason and the milliseconds waited.
            tell: called once a turn, when a person may claim a silence.
        """
        told = False
        while True:
            due = [] if not self._connected else self._due()
            if told:
                due = [(left, reason) for left, reason in due if reason == "flag"]
            pause = max(min(due)[0], 0) / 1000 if due else None
            with suppress(TimeoutError):
                async with asyncio.timeout(pause):
                    await self._changed.wait()
                self._changed.clear()
                told = False
                continue
            left, reason = min(self._due(), default=(1, ""))
            if left > 0:
                continue
            waited = self.stopwatch.waited_ms
            if reason == "flag" or self._by_itself:
                await claim(reason, waited)
            elif not told:
                tell(MayClaim(waited))
                told = True

    def _due(self) -> list[tuple[int, str]]:
        """The claims that will be possible, each with the milliseconds until then."""
        ledger = self._seat.ledger
        if ledger.on_turn in (None, self._seat.role):
            return []
        waited = self.stopwatch.waited_ms
        limits = {reason: ledger.claimable_after_ms(reason) for reason in ("flag", "silence")}
        return [(ms - waited, reason) for reason, ms in limits.items() if ms is not None]
