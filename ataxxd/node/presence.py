"""Presence: what a player says of its connection, and what is shown of the opponent's.

It is shown, never judged by.
"""

import asyncio
from collections.abc import Callable

from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Will
from ataxxd_protocol import SigningKey, Topics, encode, signed
from ataxxd_protocol.messages import Offer, Status

GONE_S = 3.0
"""Seconds after which people are told of a lost connection: a page that is loaded anew, or a phone
that changes its network, is back sooner."""

_AWAY = {"lost": "has lost the connection", "left": "has left"}


class Announcer:
    """A player's own statuses in one game.

    The will that a connection leaves with the broker and everything said over that
    connection carry one epoch, so that a late "lost" of an older connection is told apart.

    Attributes:
        topics: where to speak.
        offer: the game.
        key: who speaks.
    """

    def __init__(
        self, topics: Topics, offer: Offer, key: SigningKey, clock: Clock = SYSTEM_CLOCK
    ) -> None:
        """Speak as `key` in the game of `offer`."""
        self.topics = topics
        self.offer = offer
        self.key = key
        self._clock = clock
        self._epoch = clock.now_ms()

    @property
    def topic(self) -> str:
        """Where our statuses go."""
        return self.topics.status(self.offer.name, self.offer.host, self.key.node)

    def will(self, _connection: int) -> Will:
        """The will for the coming connection, which begins a new epoch."""
        # Time and not the count of connections: it must grow over restarts too.
        self._epoch = max(self._epoch + 1, self._clock.now_ms())
        return Will(self.topic, self.status("lost"))

    def status(self, state: str) -> bytes:
        """A signed status of this connection: ``online``, ``left`` or ``lost``."""
        fields = {
            "game": self.offer.digest,
            "from": self.key.node,
            "epoch": self._epoch,
            "state": state,
        }
        return encode(signed(Status.model_validate(fields), self.key))


class Listener:
    """What a player's statuses amount to; older and repeated ones say nothing.

    Attributes:
        told: how people were told last that the player is gone; empty when it is here.
    """

    def __init__(self) -> None:
        """Know nothing yet."""
        self._newest = (0, "")
        self.told = ""

    @property
    def has_left(self) -> bool:
        """Whether the player has said that it leaves, and not come back."""
        return self._newest[1] == "left"

    @property
    def away(self) -> str:
        """How the player is gone, in words; empty when it is here, as far as is known."""
        return _AWAY.get(self._newest[1], "")

    def is_old(self, status: Status) -> bool:
        """True when a status, known to be the player's, is of a connection before its newest."""
        return status.epoch < self._newest[0]

    def news(self, status: Status) -> bool:
        """True when a status, known to be the player's, says something new."""
        if self.is_old(status) or (status.epoch, status.state) == self._newest:
            return False
        self._newest = (status.epoch, status.state)
        return True


class Absence:
    """Tells people that a player is gone, and back: a goodbye at once, a lost connection later."""

    def __init__(self, listener: Listener, tell: Callable[[str], bool]) -> None:
        """Tell of the player that `listener` hears.

        Args:
            listener: hears the player.
            tell: told how it is gone, in words, or by nothing that it is back; whether it has
                told people.
        """
        self._listener = listener
        self._tell = tell
        self._timer: asyncio.TimerHandle | None = None

    def update(self) -> None:
        """Something new is known of the player."""
        listener = self._listener
        if listener.away == listener.told:
            self.close()
        elif listener.has_left or not listener.away:
            self._now()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(GONE_S, self._now)

    def close(self) -> None:
        """Tell no more of what is not told yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _now(self) -> None:
        self.close()
        if self._tell(self._listener.away):
            self._listener.told = self._listener.away
