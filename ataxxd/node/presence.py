"""Presence: what a player says of its connection, and what is shown of the opponent's.

It is shown, never judged by.
"""

from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Will
from ataxxd_protocol import SigningKey, Topics, encode, signed
from ataxxd_protocol.messages import Offer, Status

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
    """What a player's statuses amount to; older and repeated ones say nothing."""

    def __init__(self) -> None:
        """Know nothing yet."""
        self._newest = (0, "")

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
