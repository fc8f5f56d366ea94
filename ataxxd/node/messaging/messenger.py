"""Messages between nodes outside of games: letters and cards, over one connection.

Only valid messages are passed on: signed by the owner of the topic, addressed to us, not expired,
and each letter once. Budgets limit the cost of a flood before anything is parsed. A card counts
only if its own node has signed it, and until it expires.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from ataxxd.errors import TransportError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.messaging.letters import expires_ms, is_signed, make_letter, parse_letter, topic_of
from ataxxd.node.names import Introductions, NameBook
from ataxxd.node.offers import AGENT, wire_name
from ataxxd.node.receiving import Buckets, Incoming, Rate, Receiver, Recent, TokenBucket
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Connect, Connected, Disconnected, Transport, Will, WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.topics import shared
from ataxxd_protocol import PROTOCOL_VERSION, TOPICS, SigningKey, encode
from ataxxd_protocol.messages import (
    Analyse,
    Analysis,
    AnyLetter,
    CallClaim,
    Card,
    Challenge,
    Decline,
    Offer,
    Who,
)
from ataxxd_protocol.topics import Address

_log = logging.getLogger(__name__)

LetterT = TypeVar("LetterT", Challenge, Decline, CallClaim, Analyse, Analysis)

# Budgets for letters: of one author, of one member's calls and claims in a group, and of all
# together. An honest author repeats a call after seconds; a member may claim every call.
AUTHOR, MEMBER, EVERYBODY = Rate(16, 2), Rate(128, 32), Rate(512, 128)
# How many authors, and how many letters, are remembered.
_MAX_AUTHORS, _MAX_LETTERS = 512, 4096
# Seconds within which a broker delivers what was left for us.
_RETAINED_DELIVERY_S = 3.0


class Messenger:
    """Sends and receives the letters of one node; `run` must run beside whatever uses it.

    Attributes:
        key: this node's key.
        clock: decides what has expired.
        cards: the cards of others, after `read_cards`.
        card: our own card.
        connected: whether the broker is connected.
        introductions: learns the nicknames of authors; None if they do not matter.
        on_expired: called with challenges that were left for us and have expired.
        on_own_decline: called with our declines that we left at the broker, after
            `read_retained_challenges`.
        dropped_count: how many letters were dropped unread or were invalid.
    """

    def __init__(
        self,
        transport: Transport,
        key: SigningKey,
        *,
        clock: Clock = SYSTEM_CLOCK,
        names: NameBook | None = None,
    ) -> None:
        """Create a messenger that reads nothing yet.

        Args:
            transport: an open connection that nobody else reads.
            key: this node's key.
            clock: decides what has expired.
            names: the nicknames known here; those of authors are added, and ours is published.
        """
        self.key = key
        self.clock = clock
        self.cards = CardBoard(clock)
        self.card = OwnCard(transport, key, clock)
        self.connected = False
        self.on_expired: Callable[[Challenge], None] = lambda _: None
        self.on_own_decline: Callable[[Decline], None] = lambda _: None
        self.dropped_count = 0
        self._transport = transport
        self.introductions = None
        if names is not None:
            self.introductions = Introductions(names, transport, key.node, clock)
        self._readers: dict[type[AnyLetter], list[Callable[[Any], None]]] = {}
        self._everybody = TokenBucket(EVERYBODY, clock.monotonic)
        self._authors = Buckets(_MAX_AUTHORS, clock.monotonic)
        self._read_letters: Recent[str, None] = Recent(_MAX_LETTERS)
        # The challenges that were left for us at the broker, and our declines that we left there.
        self._retained_challenges: Recent[str, None] = Recent(_MAX_LETTERS)
        self._declines: Recent[str, Decline] = Recent(_MAX_LETTERS)
        self._watched_offers: Recent[tuple[str, str], Callable[[], None]] = Recent(_MAX_LETTERS)
        self._answers = TokenBucket(EVERYBODY, clock.monotonic)
        self._expected: dict[bytes, str | None] = {}
        self._group: asyncio.TaskGroup | None = None
        self._changed = asyncio.Event()

    async def run(self) -> None:
        """Receive letters and keep our card published, until the connection is closed.

        Raises:
            TransportError: nothing can be sent to the broker.
        """
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._group = group
                beside = [group.create_task(self.card.run(), name="our card")]
                if self.introductions is not None:
                    beside.append(group.create_task(self.introductions.run(), name="nicknames"))
                async for event in Receiver(self._transport):
                    match event:
                        case Incoming():
                            self._on_incoming(event)
                        case Connected():
                            self.connected = True
                            self.card.publish_again()
                            if self.introductions is not None:
                                self.introductions.on_connected()
                        case Disconnected():
                            self.connected = False
                for task in beside:
                    task.cancel()

    # Receiving

    def on(self, kind: type[LetterT], on_letter: Callable[[LetterT], None]) -> Callable[[], None]:
        """Pass letters of a type to `on_letter` from now on.

        Returns:
            A function that stops it.
        """
        readers = self._readers.setdefault(kind, [])
        readers.append(on_letter)
        return lambda: readers.remove(on_letter)

    async def read_post(self) -> None:
        """Receive letters to this node."""
        await self._transport.subscribe(TOPICS.post("+", self.key.node))

    async def read_retained_challenges(self) -> None:
        """Receive the challenges that were left for this node while it was away.

        Those that it has declined are not reported again.
        """
        await self._transport.subscribe(TOPICS.decline(self.key.node, "+"))
        await self._transport.drain()
        await self._transport.subscribe(TOPICS.challenge("+", self.key.node))

    async def watch_offer(self, offer: Offer, on_withdrawn: Callable[[], None]) -> None:
        """Call `on_withdrawn` if the offer of a challenge is withdrawn before anybody joins."""
        self._watched_offers.put((offer.name, offer.host), on_withdrawn)
        await self._transport.subscribe(TOPICS.offer(offer.name, offer.host))

    async def read_cards(self) -> None:
        """Receive the cards of all nodes, and keep our own published."""
        await self._transport.subscribe(TOPICS.card("+"))
        await self._transport.subscribe(TOPICS.who())
        # Not every broker delivers retained messages to wildcards, so ask the nodes.
        await self._transport.publish(TOPICS.who(), encode(Who()))

    async def ask_for_cards(self) -> None:
        """Receive the cards of all nodes; returns when the broker has the question."""
        await self.read_cards()
        await self._transport.drain()

    async def collect_cards(self, seconds: float) -> list[Card]:
        """The cards of all nodes that arrive within `seconds`."""
        await self.ask_for_cards()
        await asyncio.sleep(seconds)
        return self.cards.live()

    async def read_calls(self, group: str, *, by_turns: bool) -> None:
        """Receive the calls to a group.

        Args:
            group: its name.
            by_turns: have the broker choose one member for each.
        """
        await self._transport.subscribe(self._call_pattern("+", group, by_turns=by_turns))

    async def stop_reading_calls(self, group: str, *, by_turns: bool) -> None:
        """Undo `read_calls`."""
        await self._transport.unsubscribe(self._call_pattern("+", group, by_turns=by_turns))

    async def read_own_calls(self, group: str, share: str, *, wanted: bool) -> None:
        """Begin or stop to receive our own calls to a group by a shared subscription."""
        pattern = shared(share, TOPICS.call(self.key.node, group))
        if wanted:
            await self._transport.subscribe(pattern)
        else:
            await self._transport.unsubscribe(pattern)

    # Sending

    async def send(self, letter: AnyLetter) -> None:
        """Send a letter of ours.

        Raises:
            ValueError: it is longer than a message may be.
            TransportError: nothing can be sent to the broker.
        """
        await self._transport.publish(topic_of(letter), encode(letter))

    async def retain_challenge(self, challenge: Challenge) -> None:
        """Leave a challenge to a node with the broker; returns when the broker has it.

        Raises:
            TransportError: the broker does not accept it.
        """
        topic = TOPICS.challenge(challenge.author, str(challenge.to))
        await self._transport.publish(topic, encode(challenge), retain=True)
        await self.drain()

    async def decline(self, letter: Decline) -> None:
        """Decline a challenge; if it was left, leave the decline, too, as its author is away.

        Raises:
            TransportError: the broker does not accept it.
        """
        await self.send(letter)
        if letter.answers in self._retained_challenges:
            self._declines.put(letter.to, letter)
            topic = TOPICS.decline(letter.author, letter.to)
            await self._transport.publish(topic, encode(letter), retain=True)
        await self.drain()

    async def clear_old_declines(self) -> None:
        """Clear our declines of challenges that are no longer there.

        Call `read_retained_challenges` before; this waits until the challenges have arrived.

        Raises:
            TransportError: nothing can be sent to the broker.
        """
        await asyncio.sleep(_RETAINED_DELIVERY_S)
        for to, letter in self._declines.items():
            if letter.answers not in self._retained_challenges:
                await self._transport.publish(TOPICS.decline(self.key.node, to), b"", retain=True)

    async def drain(self) -> None:
        """Wait until the broker has everything that was sent.

        Raises:
            TransportError: the connection is closed before that.
        """
        await self._transport.drain()

    def expect_answers(self, digest: str, by: str | None) -> Callable[[], None]:
        """Let answers to a letter of ours through even during a flood.

        Args:
            digest: the digest of the letter.
            by: the only node that may answer it; None if any may.

        Returns:
            A function that stops it.
        """
        mark = f'"answers":"{digest}"'.encode()
        self._expected[mark] = by

        def end() -> None:
            self._expected.pop(mark, None)

        return end

    def spawn(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Run a task beside the messenger; a broker that cannot be reached is no error in it."""

        async def carry() -> None:
            try:
                await work
            except TransportError as error:
                _log.info("%s: %s", name, error)

        assert self._group is not None, "`run` runs"
        self._group.create_task(carry(), name=name)

    async def wait_for_change(self) -> None:
        """Wait until the cards may have changed."""
        await self._changed.wait()
        self._changed.clear()

    # Incoming messages

    def _call_pattern(self, writer: str, group: str, *, by_turns: bool) -> str:
        pattern = TOPICS.call(writer, group)
        return shared(group, pattern) if by_turns else pattern

    def _on_incoming(self, incoming: Incoming) -> None:
        address = incoming.address
        if address.kind == "who":
            self.card.publish_again()
        elif address.kind == "card":
            if address.writer == self.key.node:
                self.card.on_own_card(incoming)
            elif self.cards.receive(incoming):
                self._changed.set()
        elif address.kind == "nickname":
            if self.introductions is not None and self.introductions.receive(incoming):
                self._changed.set()
        elif address.kind == "decline":
            self._on_own_decline(incoming)
        elif address.kind == "offer":
            self._on_offer(incoming)
        # Nobody leaves other letters at a broker: a retained one is forged or out of date.
        elif address.kind == "challenge" or not incoming.retained:
            self._on_letter(incoming)

    def _on_own_decline(self, incoming: Incoming) -> None:
        """Take in a decline of our own that we left at the broker."""
        message, ours = incoming.message, incoming.address.writer == self.key.node
        if ours and isinstance(message, Decline) and is_signed(message):
            self._declines.put(message.to, message)
            self.on_own_decline(message)

    def _on_offer(self, incoming: Incoming) -> None:
        if not incoming.payload:
            key = str(incoming.address.name), str(incoming.address.writer)
            on_withdrawn = self._watched_offers.pop(key, None)
            if on_withdrawn is not None:
                on_withdrawn()

    def _on_letter(self, incoming: Incoming) -> None:
        if incoming.address.kind not in ("challenge", "post", "call"):
            return
        letter = self._read(incoming)
        if letter is None:
            self.dropped_count += 1
            return
        if incoming.address.kind == "challenge" and not self._is_open(letter):
            return
        if self.introductions is not None and isinstance(letter, Challenge | Decline):
            self.introductions.meet(letter.author)
        for read in [*self._readers.get(type(letter), ())]:
            read(letter)

    def _is_open(self, challenge: AnyLetter) -> bool:
        """Whether we have not declined a challenge that was left for us."""
        self._retained_challenges.put(challenge.digest, None)
        ours = self._declines.get(challenge.author)
        return ours is None or ours.answers != challenge.digest

    def _read(self, incoming: Incoming) -> AnyLetter | None:
        address = incoming.address
        if not self._admits(address, incoming.payload):
            return None
        letter = parse_letter(incoming.message)
        if letter is None:
            return None
        # Our own calls come back to us; only our claims matter, as `calls.supports_sharing` sends
        # one to test the broker.
        if letter.author == self.key.node and not isinstance(letter, CallClaim):
            return None
        until = expires_ms(letter)
        expired = until is not None and until <= self.clock.now_ms()
        if expired and address.kind != "challenge":
            return None
        if address.kind != "call":
            if letter.digest in self._read_letters:
                return None
            self._read_letters.put(letter.digest, None)
        if expired and isinstance(letter, Challenge):
            self._report_expired(letter)
            return None
        return letter

    def _report_expired(self, left: Challenge) -> None:
        if self._is_open(left):
            if self.introductions is not None:
                self.introductions.meet(left.author)
            self.on_expired(left)

    def _admits(self, address: Address, payload: bytes) -> bool:
        writer = str(address.writer)
        # The canonical form has one spelling: a letter without this text is by somebody else.
        if f'"from":"{writer}"'.encode() not in payload:
            return False
        # A member has a budget of its own for each group; its card does not give it more for post.
        member = address.kind == "call" and self.cards.is_member(writer, address.name)
        place, rate = (f"{writer}/{address.name}", MEMBER) if member else (writer, AUTHOR)
        if not self._authors.take(place, rate):
            return False
        # Answers that we await have a budget of their own, which strangers cannot use up.
        awaited = any(
            by in (None, writer) and mark in payload for mark, by in self._expected.items()
        )
        return (self._answers if awaited else self._everybody).take()


@asynccontextmanager
async def open_messenger(
    connect: Connect,
    key: SigningKey,
    *,
    has_card: bool = False,
    names: NameBook | None = None,
) -> AsyncIterator[Messenger]:
    """A running messenger on a connection of its own, while the block lasts.

    Args:
        connect: opens a connection to the broker.
        key: the key of this node.
        has_card: whether it publishes a card; if not, that of another process is left alone.
        names: the nicknames known here, as for `Messenger`.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    will = card_will(key.node) if has_card else None
    async with connect(will) as transport:
        messenger = Messenger(transport, key, names=names)
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                running = group.create_task(messenger.run(), name="messenger")
                try:
                    yield messenger
                finally:
                    running.cancel()


def messenger_at(
    url: str, key: SigningKey, *, has_card: bool = False, names: NameBook | None = None
) -> AbstractAsyncContextManager[Messenger]:
    """As `open_messenger`, on a connection to the broker at `url`."""

    def connect(will: WillFactory | None) -> MqttTransport:
        return MqttTransport(url, will=will)

    return open_messenger(connect, key, has_card=has_card, names=names)


# How long a card is valid, in milliseconds, and after how long we sign a new one, in seconds.
LASTS_MS, RENEW_S = 600_000, 240.0
# Seconds between two publications of our card, even if somebody keeps wiping it.
PAUSE_S = 1.0
# Keys cost nothing, so anybody can publish any number of valid cards.
MAX_CARDS = 1024
CHECKS, OWN_CHECKS = Rate(2 * MAX_CARDS, 64), Rate(16, 4)


@dataclass(slots=True)
class _HeldCard:
    """The newest card of a node; `card` is None if the node has withdrawn it."""

    at_ms: int
    card: Card | None
    payload_hash: int = 0


class CardBoard:
    """The valid cards of other nodes."""

    def __init__(self, clock: Clock, max_cards: int = MAX_CARDS) -> None:
        """Create an empty board.

        Args:
            clock: decides which cards have expired.
            max_cards: how many cards to keep.
        """
        self._clock = clock
        self._max_cards = max_cards
        self._held: dict[str, _HeldCard] = {}
        self._checks = TokenBucket(CHECKS, clock.monotonic)

    def receive(self, incoming: Incoming) -> bool:
        """Take in a message on a card's topic; returns whether it is news."""
        node, payload = str(incoming.address.writer), incoming.payload
        known = self._held.get(node)
        if not payload:
            if known is None or known.card is None:
                return False
            self._held[node] = _HeldCard(known.at_ms, None)
            return True
        if known is not None and hash(payload) == known.payload_hash:
            return False
        card = _read_card(incoming) if self._checks.take() else None
        if card is None or card.expires_ms <= self._clock.now_ms():
            return False
        if known is not None and card.at_ms < known.at_ms:
            return False
        if known is None and len(self._held) >= self._max_cards and not self._make_room():
            return False
        self._held[node] = _HeldCard(card.at_ms, card, hash(payload))
        return True

    def live(self) -> list[Card]:
        """The cards that have not expired, sorted by the names on them."""
        now = self._clock.now_ms()
        cards = (held.card for held in self._held.values())
        live = [card for card in cards if card is not None and card.expires_ms > now]
        return sorted(live, key=lambda card: (card.name, card.author))

    def members(self, group: str, is_able: Callable[[Card], bool] = lambda _: True) -> set[str]:
        """The nodes whose cards name a group and satisfy `is_able`."""
        return {
            card.author for card in self.live() if group in (card.groups or ()) and is_able(card)
        }

    def is_member(self, node: str, group: str) -> bool:
        """Whether the card of a node names a group."""
        held = self._held.get(node)
        card = None if held is None else held.card
        return (
            card is not None
            and group in (card.groups or ())
            and card.expires_ms > self._clock.now_ms()
        )

    def _make_room(self) -> bool:
        now = self._clock.now_ms()
        for node, held in self._held.items():
            if held.card is None or held.card.expires_ms <= now:
                del self._held[node]
                return True
        return False


class OwnCard:
    """Our card, kept published while `run` runs.

    Attributes:
        topic: the card's topic.
    """

    def __init__(self, transport: Transport, key: SigningKey, clock: Clock) -> None:
        """Begin without a card.

        Args:
            transport: the connection, opened with `card_will` as its will.
            key: the key of this node.
            clock: dates the card.
        """
        self.topic = TOPICS.card(key.node)
        self._transport = transport
        self._key = key
        self._clock = clock
        self._fields: dict[str, Any] | None = None
        self._payload = b""
        self._at_ms = 0
        self._yields = False
        self._due = asyncio.Event()
        self._checks = TokenBucket(OWN_CHECKS, clock.monotonic)

    def publish(self, **fields: Any) -> None:
        """Publish a card that says what we are and take from now on.

        Args:
            **fields: those of `Card`, except for node, time and program.
        """
        if fields != self._fields:
            self._fields = fields
            self._sign()
            self._due.set()

    async def withdraw(self) -> None:
        """Withdraw the card; `publish` publishes one again.

        Raises:
            TransportError: nothing can be sent to the broker.
        """
        self._fields, self._payload = None, b""
        self._due.clear()
        await self._transport.publish(self.topic, b"", retain=True)

    def on_own_card(self, incoming: Incoming) -> None:
        """Check what is on our card's topic, and replace what this node did not publish."""
        if self._fields is None or incoming.payload == self._payload or not self._checks.take():
            return
        card = _read_card(incoming)
        # Another process of this node may have published a newer card; then we leave that alone.
        self._yields = card is not None and card.at_ms > self._at_ms
        self.publish_again()

    def publish_again(self) -> None:
        """Publish the card again: somebody asks, or the broker may have lost it."""
        if self._fields is not None and not self._yields:
            self._due.set()

    async def run(self) -> None:
        """Keep the card published, for ever.

        Raises:
            TransportError: nothing can be sent to the broker.
        """
        while True:
            try:
                async with asyncio.timeout(RENEW_S):
                    await self._due.wait()
            except TimeoutError:
                self._sign()
            self._due.clear()
            if self._payload:
                await self._transport.publish(self.topic, self._payload, retain=True)
            await asyncio.sleep(PAUSE_S)

    def _sign(self) -> None:
        if self._fields is None:
            return
        self._yields = False
        now = self._clock.now_ms()
        self._at_ms = max(self._at_ms + 1, now)
        card = make_letter(
            self._key,
            Card,
            **self._fields,
            v=PROTOCOL_VERSION,
            agent=AGENT,
            at_ms=self._at_ms,
            expires_ms=now + LASTS_MS,
        )
        self._payload = encode(card)


def _read_card(incoming: Incoming) -> Card | None:
    card = incoming.message
    return card if isinstance(card, Card) and is_signed(card) else None


def card_will(node: str) -> Callable[[int], Will]:
    """The will of a connection that publishes the card of `node`: it clears the card."""
    will = Will(TOPICS.card(node), b"", retain=True)
    return lambda _epoch: will


def find_cards_named(cards: Sequence[Card], text: str) -> list[Card]:
    """The cards that a person can mean by a node's id or its beginning, or by a card's name."""
    prefix = text.replace("-", "").lower()
    by_name = [card for card in cards if card.name == wire_name(text)]
    return by_name or [card for card in cards if card.author.startswith(prefix)]
