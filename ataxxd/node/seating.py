"""How long a player waits for the other one to come: a host for a guest, a guest for the host."""

import asyncio
from collections.abc import Callable

from ataxxd.node.clock import Clock
from ataxxd.node.errors import HostSilent, NobodyCame
from ataxxd.node.waiting import Signal
from ataxxd.session.player import PlayerSession
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase

# Seconds of one connection in which a host that is there has answered a join.
ANSWER_S = 60.0


class Seating:
    """The time before the start of a game."""

    def __init__(
        self, seat: PlayerSession, clock: Clock, connections: Callable[[], int | None]
    ) -> None:
        """Of the game of `seat`.

        Args:
            seat: whose; the game may have started already.
            clock: for the day's time at which an offer expires.
            connections: how many connections were made so far, None while there is none.
        """
        self._seat = seat
        self._clock = clock
        self._connections = connections
        self._started = Signal()

    def started(self) -> None:
        """Both players are there."""
        self._started.set()

    async def wait(self) -> None:
        """Until the game has started, if it has not.

        Raises:
            NobodyCame: the host's offer expired.
            HostSilent: the host did not answer the guest.
        """
        if self._seat.role is Role.HOST and self._seat.ledger.phase is Phase.OPEN:
            await self._for_a_guest()
        elif self._seat.role is Role.GUEST and self._seat.ledger.phase is Phase.JOINED:
            await self._for_the_host()

    async def _for_a_guest(self) -> None:
        offer = self._seat.ledger.offer
        left_s = offer.expires_ms / 1000 - self._clock.wall()
        if not await self._within(max(left_s, 0.0)):
            raise NobodyCame(
                f'Nobody joined "{offer.name}" before the offer expired. '
                f"Offer it again, for longer: ataxxd host {offer.name} --expires MINUTES"
            )

    async def _for_the_host(self) -> None:
        # Our clock may be a day behind: that the offer has not expired yet proves nothing.
        before = self._connections()
        while not await self._within(ANSWER_S):
            now = self._connections()
            if now is not None and now == before:
                name = self._seat.ledger.offer.name
                raise HostSilent(
                    f'The host of "{name}" does not answer. It is away, or its offer is an old one '
                    "that somebody has put up again; is this machine's clock right? Try again "
                    "later."
                )
            before = now

    async def _within(self, seconds: float) -> bool:
        try:
            async with asyncio.timeout(seconds):
                await self._started.wait()
        except TimeoutError:
            return False
        return True
