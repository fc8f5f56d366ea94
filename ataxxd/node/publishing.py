"""Retained messages of players on the broker.

A host retains its offer and the record so far, in parts. Each player retains the messages that the
other one missed.
"""

import asyncio
import math
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

from ataxxd.node.concurrency import Duty
from ataxxd.node.receiving import Incoming
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import state_parts
from ataxxd.session.state import IN_PLAY, Phase
from ataxxd.transport.base import Transport
from ataxxd_protocol import TOPICS, SigningKey, encode, signature_holds, signed
from ataxxd_protocol.messages import AnyLogMessage, Offer, Unread
from ataxxd_protocol.topics import Address

# Seconds to wait for more of a growing state; and states per second, of all games together.
_STATE_PAUSE, _STATES_PER_S = 0.25, 64
# How often everything is published again because somebody asked for it or wiped it: this often at
# once, then once per pause, in seconds.
RENEWALS, RENEW_PAUSE_S = 4, 1.0


def is_newer_offer(message: object, offer: Offer) -> bool:
    """Whether a message is a newer offer of the same name by the same host."""
    return (
        isinstance(message, Offer)
        and message.name == offer.name
        and message.created_ms > offer.created_ms
        and signature_holds(message, offer.key)
    )


class StatePace:
    """How often the games of one node publish their growing states.

    Spectators get every message when it is sent; the state is for those who come later, and
    whoever asks for it gets it at once. So the games share a rate and queue for it: with a thousand
    games, each state is some seconds old, and the load is even.
    """

    def __init__(self) -> None:
        """Begin with an empty queue."""
        self._last_s = 0.0

    def wait_s(self) -> float:
        """Queue up; returns how many seconds to wait before the state is published."""
        now = asyncio.get_running_loop().time()
        self._last_s = max(now + _STATE_PAUSE, self._last_s + 1 / _STATES_PER_S)
        return self._last_s - now


class GamePublisher(Duty):
    """The retained messages of one game, published by its host."""

    def __init__(
        self,
        ledger: Callable[[], Ledger],
        transport: Transport,
        key: SigningKey,
        wait_until_stored: Callable[[], Awaitable[bool]],
        pace: StatePace,
        *,
        on_offered: Callable[[], None] = lambda: None,
        challenge_topic: str | None = None,
    ) -> None:
        """Prepare to publish.

        Args:
            ledger: the game.
            transport: the connection to the broker.
            key: our key.
            wait_until_stored: waits until what the ledger has is in the journal; False if it never
                will be, and then nothing is published.
            pace: the rate shared with other games.
            on_offered: called once, when the broker has the offer of a game that is still open.
            challenge_topic: the topic of a challenge that was left: the offer stays while we are
                away, and the challenge is cleared when the game has begun or the offer is
                withdrawn; None for no challenge.
        """
        super().__init__()
        self._ledger = ledger
        self._wait_until_stored = wait_until_stored
        self._transport = transport
        self._key = key
        self._pace = pace
        self._challenge_topic = challenge_topic
        self._publishing = asyncio.Lock()
        # The digest of each part that was published since everything was last due.
        self._published: dict[int, str] = {}
        self._on_offered: Callable[[], None] | None = on_offered
        # When everything is due, and the earliest time at which the next question makes it due.
        self._renewal_s = self._next_s = 0.0
        self.schedule(0.0)
        self._withdrawn = False
        # The hashes of the payloads that we accept on the offer's topic: the offer, and a newer one
        # by this node.
        self._own_payloads = [hash(encode(ledger().offer))]

    @property
    def part_topics(self) -> str:
        """The topics of all parts but the first."""
        return TOPICS.state(self._offer.name, self._offer.host) + "/+"

    @property
    def _offer(self) -> Offer:
        return self._ledger().offer

    @property
    def offer_topic(self) -> str:
        """The topic of the offer."""
        return TOPICS.offer(self._offer.name, self._offer.host)

    def on_question(self) -> None:
        """Publish everything because somebody asks: at once, or soon for all who ask meanwhile."""
        if self._renewal_s == math.inf:
            now = asyncio.get_running_loop().time()
            self._renewal_s = max(self._next_s, now - (RENEWALS - 1) * RENEW_PAUSE_S)
            self._next_s = self._renewal_s + RENEW_PAUSE_S
            self.schedule(min(self.due_s, self._renewal_s))

    def on_missed(self, _pattern: str) -> None:
        """Note that a question may have been missed."""
        self.on_question()

    def on_own_offer(self, incoming: Incoming) -> None:
        """Check what was published on the offer's topic, and replace what is not ours."""
        if self._renewal_s == math.inf and hash(incoming.payload) not in self._own_payloads:
            if is_newer_offer(incoming.message, self._offer):
                self._own_payloads[1:] = [hash(incoming.payload)]
            else:
                self.on_question()

    def renew(self) -> None:
        """Publish everything again soon: the broker may have lost it."""
        self._renewal_s = 0.0
        self.schedule(0.0)

    def publish_soon(self) -> None:
        """Publish the new part of the record soon.

        It waits for the answer that usually follows, unless the game is over.
        """
        if self._ledger().phase not in IN_PLAY:
            self.schedule(0.0)
        elif self.due_s == math.inf:
            self.schedule(asyncio.get_running_loop().time() + self._pace.wait_s())

    async def perform(self) -> None:
        """Publish what is due, and everything else that is new."""
        everything = self._renewal_s <= asyncio.get_running_loop().time()
        if everything:
            self._renewal_s = math.inf
        self.schedule(self._renewal_s)
        await self.publish(everything=everything)
        if self._on_offered is not None and self._ledger().phase is Phase.OPEN:
            await self._transport.drain()
            self._on_offered()
            self._on_offered = None

    async def publish(self, *, everything: bool = False) -> None:
        """Publish the new parts; with `everything`, also the offer and the other parts."""
        # One at a time: a publication that began earlier, with less of the game, must not end last.
        async with self._publishing:
            await self._publish(everything=everything)

    async def _publish(self, *, everything: bool) -> None:
        if not await self._wait_until_stored() or self._withdrawn:
            return
        parts = state_parts(self._ledger())
        if everything:
            self._published.clear()
            await self._transport.publish(self.offer_topic, encode(self._offer), retain=True)
        for part in parts:
            if self._published.get(part.part) != part.digest:
                topic = TOPICS.state(self._offer.name, self._offer.host, part.part)
                payload = encode(signed(part, self._key))
                await self._transport.publish(topic, payload, retain=True)
                self._published[part.part] = part.digest
        if self._ledger().phase is not Phase.OPEN:
            await self._clear_challenge()

    async def _clear_challenge(self) -> None:
        topic, self._challenge_topic = self._challenge_topic, None
        if topic is not None:
            await self._transport.publish(topic, b"", retain=True)

    async def leave(self, *, expired: bool) -> None:
        """Leave the broker in the state that latecomers should find.

        Args:
            expired: whether the offer has expired; if nobody joined, it is withdrawn.
        """
        if self._ledger().phase is not Phase.OPEN:
            await self.publish()
        elif self._challenge_topic is None or expired:
            await self.withdraw()

    async def clear_part(self, address: Address) -> None:
        """Clear a retained part beyond the end of this game.

        It is left over from an earlier, longer game of this name, or somebody else put it there.
        """
        if address.part > max(self._published, default=0):
            topic = TOPICS.state(address.name, self._offer.host, address.part)
            await self._transport.publish(topic, b"", retain=True)

    async def withdraw(self) -> None:
        """Withdraw an offer that nobody joined: nothing of it stays retained."""
        self._withdrawn = True
        for topic in (self.offer_topic, TOPICS.state(self._offer.name, self._offer.host)):
            await self._transport.publish(topic, b"", retain=True)
        await self._clear_challenge()


class UnreadMessages:
    """Our messages that the opponent, who is away, may not have read."""

    def __init__(
        self,
        session: PlayerSession,
        transport: Transport,
        key: SigningKey,
        wait_until_stored: Callable[[], Awaitable[bool]],
    ) -> None:
        """Begin without knowing what is at the broker.

        Args:
            session: our session.
            transport: the connection to the broker.
            key: our key.
            wait_until_stored: waits until what the session knows is in the journal; False if it
                never will be.
        """
        self._session = session
        self._transport = transport
        offer = session.ledger.offer
        self._topic = TOPICS.unread(offer.name, offer.host, key.node)
        self._out = TOPICS.out(offer.name, offer.host, key.node)
        self._key = key
        self._wait_until_stored = wait_until_stored
        # Numbers of the messages that this process has not published on the mailbox.
        self._unsent = {*range(len(session.ledger.log(session.role)))}
        self._published: Sequence[AnyLogMessage] = ()
        # Messages that were left before a restart may still be at the broker.
        self._may_be_retained = bool(session.ledger.log(session.role))

    def on_kept(self, message: AnyLogMessage) -> None:
        """Note that a message of ours was added to the game."""
        self._unsent.add(message.n)

    def on_sent(self, message: AnyLogMessage) -> None:
        """Note that a message was published on our mailbox."""
        self._unsent.discard(message.n)

    async def update(self, *, away: bool, settled: bool) -> bool:
        """Leave unread messages for an opponent who is away, and clear what was read.

        Args:
            away: whether the opponent may not hear us now.
            settled: whether the opponent is known to have the whole game.

        Returns:
            Whether unread messages are left at the broker.
        """
        if not away and not self._may_be_retained:
            return False
        unread = () if settled else self._session.unread
        if unread and not away:
            return False
        if list(unread) != list(self._published) or (self._may_be_retained and not unread):
            if not await self._wait_until_stored():
                return False
            await self._send_unsent(unread)
            payload = self._payload(unread)
            await self._transport.publish(self._topic, payload, retain=True)
            self._published = unread if payload else ()
            self._may_be_retained = bool(payload)
        return bool(self._published)

    async def clear(self) -> None:
        """Clear what was left: nobody will read it."""
        await self._transport.publish(self._topic, b"", retain=True)
        self._published, self._may_be_retained = (), False

    async def leave_receipt(self) -> bool:
        """Leave a receipt if the game's last message is the opponent's; returns whether it is."""
        receipt = self._session.receipt
        if receipt is None or not await self._wait_until_stored():
            return False
        await self._transport.publish(self._topic, encode(receipt), retain=True)
        return True

    async def _send_unsent(self, unread: Sequence[AnyLogMessage]) -> None:
        """Publish in the mailbox what a crash kept out of it: spectators read only the mailbox."""
        for message in unread:
            if message.n in self._unsent:
                await self._transport.publish(self._out, encode(message))
                self.on_sent(message)

    def _payload(self, unread: Sequence[AnyLogMessage]) -> bytes:
        # A score with a proof may be too long to fit in one payload with the messages before it:
        # then leave those first.
        while unread:
            message = Unread(
                game=self._session.ledger.game, author=self._key.node, messages=tuple(unread)
            )
            with suppress(ValueError):
                return encode(signed(message, self._key))
            unread = unread[:-1]
        return b""
