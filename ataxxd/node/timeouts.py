"""When an opponent that does not answer may be claimed the game from, and who does it."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

from ataxxd.node.stopwatch import Stopwatch
from ataxxd.node.waiting import Signal
from ataxxd.session.events import MayClaim
from ataxxd.session.player import PlayerSession


class Claims:
    """The claims that one player may make in the course of a game.

    A fallen flag is always claimed; a silence only when nobody is there to decide it. Who has
    decided to resign claims nothing but by its own will.

    Attributes:
        stopwatch: how long is waited; told of every turn and connection by `turned`,
            `connected` and `disconnected`.
    """

    def __init__(self, seat: PlayerSession, stopwatch: Stopwatch, *, by_itself: bool) -> None:
        """Wait for the opponent of `seat`; `by_itself` claims its silence without asking."""
        self.stopwatch = stopwatch
        self._seat = seat
        self._by_itself = by_itself
        self._connected = True
        self._changed = Signal()
        self._told = False
        # When it is time to look again, by the event loop's clock.
        self._look_s: float | None = None

    def turned(self, *, ours: bool) -> None:
        """A message was added to the game."""
        self.stopwatch.turned(ours=ours)
        self._told = False
        due = self._due()
        # Most messages change nothing: a look that comes earlier than need be finds nothing.
        if due and (self._look_s is None or self._after(min(due)[0]) < self._look_s):
            self._changed.set()

    def connected(self) -> None:
        """A connection was made: from now on an answer can reach us."""
        self._connected = True
        self.stopwatch.connected()
        self._told = False
        self._changed.set()

    def disconnected(self) -> None:
        """The connection was lost: nobody is claimed anything from meanwhile."""
        self._connected = self._told = False
        self.stopwatch.disconnected()
        self._changed.set()

    def reconsider(self) -> None:
        """Whether we resign has changed."""
        self._told = False
        self._changed.set()

    async def run(
        self, claim: Callable[[str, int], Awaitable[None]], tell: Callable[[MayClaim], None]
    ) -> None:
        """Claim, or tell that one may, whenever it is time.

        Args:
            claim: called with the reason and the milliseconds waited.
            tell: called once a turn, when a person may claim the game.
        """
        while True:
            due = [] if not self._connected else self._due()
            if self._told:
                due = [] if self._seat.resigning else [each for each in due if each[1] == "flag"]
            self._look_s = self._after(min(due)[0]) if due else None
            self._changed.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout_at(self._look_s):
                    await self._changed.wait()
                continue
            ripe = {reason for left, reason in self._due() if left <= 0}
            waited = self.stopwatch.waited_ms
            if "flag" in ripe and not self._seat.resigning:
                await claim("flag", waited)
            elif ripe and self._by_itself and not self._seat.resigning:
                await claim("silence", waited)
            elif ripe and not self._told:
                tell(MayClaim(waited / 1000))
                self._told = True

    @property
    def reason(self) -> str:
        """What the game can be claimed for now; ``silence`` when it is too early for either."""
        ripe = {reason for left, reason in self._due() if left <= 0}
        return "flag" if "flag" in ripe else "silence"

    @staticmethod
    def _after(ms: int) -> float:
        return asyncio.get_running_loop().time() + max(ms, 0) / 1000

    def _due(self) -> list[tuple[int, str]]:
        """The claims that will be possible, each with the milliseconds until then."""
        ledger = self._seat.ledger
        if ledger.on_turn in (None, self._seat.role):
            return []
        waited = self.stopwatch.waited_ms
        limits = {reason: ledger.claimable_after_ms(reason) for reason in ("flag", "silence")}
        return [(ms - waited, reason) for reason, ms in limits.items() if ms is not None]
