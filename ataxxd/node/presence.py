"""Presence (a player's own statements about its connection) and chat.

Both are only shown; no result depends on them. Statuses and the chat of spectators are signed, each
on a topic of its own.
"""

import asyncio
from collections.abc import Callable

from ataxxd.nicknames import player_name
from ataxxd.node.names import Introductions
from ataxxd.node.receiving import Incoming, Rate, Recent, TokenBucket
from ataxxd.session.events import Named, Overheard
from ataxxd.session.ledger import Ledger
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Transport, Will
from ataxxd_protocol import (
    TOPICS,
    SigningKey,
    encode,
    node_id,
    signature_holds,
    signed,
)
from ataxxd_protocol.messages import Offer, Status, Talk

GONE_S = 3.0
"""Seconds after which we report a lost connection: a page that is reloaded, or a phone that changes
its network, is back sooner."""
RETURN_S = 10.0
"""Seconds after our own return within which others return, too, if the broker was away: a node
waits no more than five seconds between two attempts to connect."""

_AWAY = {"lost": "has lost the connection", "left": "has left"}


class Announcer:
    """Our own presence in one game, as signed statuses.

    A connection's will and all statuses sent over that connection carry the same epoch, so that a
    late "lost" of an older connection can be told apart.

    Attributes:
        offer: the offer of the game.
        key: our key.
    """

    def __init__(self, offer: Offer, key: SigningKey, clock: Clock = SYSTEM_CLOCK) -> None:
        """Announce the node of `key` in the game of `offer`."""
        self.offer = offer
        self.key = key
        self._clock = clock
        self._epoch = clock.now_ms()

    @property
    def topic(self) -> str:
        """The topic of our statuses."""
        return TOPICS.status(self.offer.name, self.offer.host, self.key.node)

    def will(self, _connection: int) -> Will:
        """The will for the coming connection, which begins a new epoch."""
        # The time, not the number of connections: an epoch must grow across restarts, too.
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

    async def publish(self, transport: Transport, state: str) -> None:
        """Announce over `transport`, made with our will: ``online`` or ``left``."""
        await transport.publish(self.topic, self.status(state))


class PlayerPresence:
    """Follows a player's statuses; old and repeated ones are ignored.

    Attributes:
        reported: what people were told last about the player's absence; empty for its presence.
    """

    def __init__(self) -> None:
        """Begin without a status."""
        self._newest = (0, "")
        self.reported = ""

    @property
    def has_left(self) -> bool:
        """Whether the player has said that it is leaving, and has not come back."""
        return self._newest[1] == "left"

    @property
    def absence(self) -> str:
        """How the player is absent, in words; empty if it is present, as far as is known."""
        return _AWAY.get(self._newest[1], "")

    def is_old(self, status: Status) -> bool:
        """Whether a status of the player is from an older connection than its newest."""
        return status.epoch < self._newest[0]

    def update(self, status: Status) -> bool:
        """Whether a status of the player is news."""
        if self.is_old(status) or (status.epoch, status.state) == self._newest:
            return False
        self._newest = (status.epoch, status.state)
        return True


class AbsenceReporter:
    """Reports that a player has left (at once), was lost (after a while), or is back.

    While we have no connection ourselves, it reports nothing: if the broker goes, it may say of
    everybody that they are lost, on its way out or when it is back.
    """

    def __init__(self, presence: PlayerPresence, report: Callable[[str], bool]) -> None:
        """Report on the player that `presence` follows.

        Args:
            presence: follows the player.
            report: called with how the player is absent, in words, or an empty text once it is
                back; returns whether people were told.
        """
        self._presence = presence
        self._report = report
        self._timer: asyncio.TimerHandle | None = None
        self._connected = True
        self._patient_until = 0.0

    def update(self) -> None:
        """Note that there is news of the player."""
        presence = self._presence
        if presence.absence == presence.reported:
            self.close()
        elif presence.has_left or not presence.absence:
            self._report_now()
        elif self._timer is None and self._connected:
            loop = asyncio.get_running_loop()
            at = max(loop.time() + GONE_S, self._patient_until)
            self._timer = loop.call_at(at, self._report_now)

    def on_disconnected(self) -> None:
        """Note that we have lost the connection ourselves."""
        self._connected = False
        self.close()

    def on_connected(self) -> None:
        """Note that we are connected, perhaps again; then the player has time to return, too."""
        if not self._connected:
            self._connected = True
            self._patient_until = asyncio.get_running_loop().time() + RETURN_S
            self.update()

    def close(self) -> None:
        """Drop what has not been reported yet."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _report_now(self) -> None:
        self.close()
        if self._report(self._presence.absence):
            self._presence.reported = self._presence.absence


# Budgets for the chat of one spectator, and of all; a person types more slowly than that.
_SPEAKER_RATE, _TALK_RATE = Rate(5, 0.5), Rate(40, 10)
_MAX_SPEAKERS = 256


class TalkRoom:
    """The spectators' chat about one game."""

    def __init__(
        self,
        offer: Offer,
        transport: Transport,
        key: SigningKey | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Follow the chat about the game of `offer`, and take part as `key` if given."""
        self._offer = offer
        self._transport = transport
        self._key = key
        self._clock = clock
        self._spoken_ms = 0
        self._all_speakers = TokenBucket(_TALK_RATE, clock.monotonic)
        self._speakers: Recent[str, tuple[TokenBucket, int]] = Recent(_MAX_SPEAKERS)

    def follow(self, offer: Offer) -> None:
        """Follow the chat about another game from now on."""
        self._offer = offer

    @property
    def speaker(self) -> str | None:
        """This node's id, if it takes part; else None."""
        return None if self._key is None else self._key.node

    @property
    def pattern(self) -> str:
        """The topics to subscribe to."""
        return TOPICS.talk(self._offer.name, self._offer.host, "+")

    async def say(self, text: str) -> None:
        """Send one line to all spectators who listen.

        Raises:
            ValueError: it is not one line of 1 to 500 visible characters, or we have no key.
        """
        if self._key is None:
            raise ValueError("who has no key only listens")
        self._spoken_ms = max(self._clock.now_ms(), self._spoken_ms + 1)
        talk = Talk(
            game=self._offer.digest,
            author=self._key.node,
            key=self._key.public_key,
            at_ms=self._spoken_ms,
            text=text,
        )
        topic = TOPICS.talk(self._offer.name, self._offer.host, self._key.node)
        await self._transport.publish(topic, encode(signed(talk, self._key)))

    def receive(self, incoming: Incoming) -> Overheard | None:
        """The chat line in a message; None if it is invalid, repeated or one too many."""
        writer = incoming.address.writer or ""
        if self._key is not None and writer == self._key.node:
            return None
        known = self._speakers.get(writer)
        bucket, heard_ms = known or (TokenBucket(_SPEAKER_RATE, self._clock.monotonic), 0)
        if not bucket.take() or not self._all_speakers.take():
            return None
        self._speakers.put(writer, (bucket, heard_ms))
        talk = incoming.message
        if not isinstance(talk, Talk) or talk.game != self._offer.digest:
            return None
        if talk.at_ms <= heard_ms or node_id(talk.key) != writer:
            return None
        if not signature_holds(talk, talk.key):
            return None
        self._speakers[writer] = bucket, talk.at_ms
        return Overheard(player_name(writer), talk.text, writer)


def find_overheard_event(
    incoming: Incoming,
    ledger: Ledger,
    talk: TalkRoom | None,
    introductions: Introductions | None,
) -> Overheard | Named | None:
    """The event that a spectator's chat line or a player's nickname causes; None for none.

    Args:
        incoming: a message on a topic of chat or of a nickname.
        ledger: the game.
        talk: the spectators' chat; None to ignore it.
        introductions: the nicknames in the game; None to ignore them.
    """
    if incoming.address.kind == "nickname":
        return None if introductions is None else introductions.name_event(incoming, ledger)
    said = None if talk is None else talk.receive(incoming)
    return said if said is None or introductions is None else introductions.add_speaker_name(said)
