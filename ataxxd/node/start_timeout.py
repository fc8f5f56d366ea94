"""The time before the start of a game: how long to wait for a guest, or for the host's answer."""

import asyncio
import math
from collections.abc import Awaitable, Callable

from ataxxd.errors import GameError
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import Duty
from ataxxd.node.errors import HostSilent, NobodyCame, NoSuchGame
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import Clock
from ataxxd_protocol import grouped

# Seconds after a newer offer within which an answer that the host has left for us arrives.
REPLACED_S = 2.0
# Seconds of an unbroken connection within which a host that is present answers a join.
ANSWER_S = 60.0


class StartTimeout(Duty):
    """The time before the start of a game; gives up if nobody comes or answers."""

    def __init__(
        self,
        session: PlayerSession,
        clock: Clock,
        connections: Callable[[], int | None],
        announce_leaving: Callable[[], Awaitable[None]],
        *,
        home_option: str,
    ) -> None:
        """Watch over the game of `session` until it starts.

        Args:
            session: our session; the game may have started already.
            clock: decides when the offer has expired.
            connections: the number of connections made so far; None while disconnected.
            announce_leaving: called before giving up.
            home_option: how errors name our home; see `Home.option`.
        """
        super().__init__()
        self._session = session
        self._clock = clock
        self._connections = connections
        self._announce_leaving = announce_leaving
        self._home_option = home_option
        self._last_connection: int | None = None
        self.is_replaced = False
        """Whether the host has made another offer of the name."""

    def begin(self) -> None:
        """Begin to wait for the start, unless the game has started."""
        offer, phase = self._session.ledger.offer, self._session.ledger.phase
        now = asyncio.get_running_loop().time()
        if self._session.role is Role.HOST and phase is Phase.OPEN:
            self.schedule(now + max(offer.expires_ms / 1000 - self._clock.wall(), 0.0))
        elif self._session.role is Role.GUEST and phase is Phase.JOINED:
            # We cannot wait for the offer to expire: our clock may be a day behind.
            self._last_connection = self._connections()
            self.schedule(now + ANSWER_S)

    def on_started(self) -> None:
        """Note that the game has started."""
        self.schedule(math.inf)

    def on_replaced(self) -> None:
        """Note that the host has made another offer of the name: it answers soon or never."""
        if not self.is_replaced:
            self.is_replaced = True
            self.schedule(asyncio.get_running_loop().time() + REPLACED_S)

    async def perform(self) -> None:
        """Give up, unless the connection was too short for the host to answer.

        Raises:
            NobodyCame: the host's offer expired.
            NoSuchGame: the host has replaced the offer.
            HostSilent: the host did not answer the guest.
        """
        if self._session.ledger.phase not in (Phase.OPEN, Phase.JOINED):
            return  # it has just started
        now = self._connections()
        answered = now is not None and now == self._last_connection
        if self._session.role is Role.HOST or self.is_replaced or answered:
            await self._announce_leaving()
            raise self._failure()
        self._last_connection = now
        self.schedule(asyncio.get_running_loop().time() + ANSWER_S)

    def _failure(self) -> GameError:
        offer, home = self._session.ledger.offer, self._home_option
        if self._session.role is Role.HOST:
            again = command_line(f"host {offer.name} --expires TIME", home)
            again = f"Offer it again, for longer: {again}"
            if offer.access is not None and offer.access != "invited":
                again = command_line(f"challenge {grouped(offer.access)} --leave TIME", home)
                again = f"Challenge them again: {again}"
            return NobodyCame(f'Nobody joined "{offer.name}" before the offer expired. {again}')
        if self.is_replaced:
            name = offer.name
            return NoSuchGame(
                f'The challenge to "{name}" is no longer open: its host has made another offer of '
                f"that name. Look at it: `{command_line('games')}`. Take it: "
                f"{command_line(f'join {name}', home)}"
            )
        if offer.access == self._session.node:
            return HostSilent(
                f'The host of "{offer.name}" is away, and will find your answer. '
                "See later whether the game has begun: "
                f"{command_line(f'resume {offer.name}', home)}"
            )
        return HostSilent(
            f'The host of "{offer.name}" does not answer. It is away, or its offer is an old one '
            "that somebody has put up again; is this machine's clock right? Try again later."
        )
