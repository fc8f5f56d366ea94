"""Cards: what nodes say of themselves, those of others and our own.

A card counts only when the node that it names has signed it, and until it expires.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ataxxd.node.messaging.letters import is_signed, written
from ataxxd.node.offers import AGENT, wire_name
from ataxxd.node.receiving import Incoming, Rate, TokenBucket
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Transport, Will
from ataxxd_protocol import PROTOCOL_VERSION, TOPICS, SigningKey, encode
from ataxxd_protocol.messages import Card

# How long a card counts, and after how long it is signed anew, in milliseconds and seconds.
LASTS_MS, RENEW_S = 600_000, 240.0
# Seconds between two times that ours is put up, whoever wipes it.
PAUSE_S = 1.0
# Keys cost nothing, so anybody can put up any number of true cards.
MOST_CARDS = 1024
CHECKS, OWN_CHECKS = Rate(2 * MOST_CARDS, 64), Rate(16, 4)


@dataclass(slots=True)
class _Held:
    """What is known of a node: its newest card, or that it took it back."""

    at_ms: int
    card: Card | None
    payload_hash: int = 0


class CardBoard:
    """The cards of other nodes, each checked."""

    def __init__(self, clock: Clock = SYSTEM_CLOCK, most: int = MOST_CARDS) -> None:
        """An empty one.

        Args:
            clock: for the times at which cards expire.
            most: cards that are kept.
        """
        self._clock = clock
        self._most = most
        self._held: dict[str, _Held] = {}
        self._checks = TokenBucket(CHECKS, clock.monotonic)

    def take(self, incoming: Incoming) -> bool:
        """Take in what came on the topic of a card; True when it says something new."""
        node, payload = str(incoming.address.writer), incoming.payload
        known = self._held.get(node)
        if not payload:
            if known is None or known.card is None:
                return False
            self._held[node] = _Held(known.at_ms, None)
            return True
        if known is not None and hash(payload) == known.payload_hash:
            return False
        card = _card_in(incoming) if self._checks.take() else None
        if card is None or card.expires_ms <= self._clock.now_ms():
            return False
        if known is not None and card.at_ms < known.at_ms:
            return False
        if known is None and len(self._held) >= self._most and not self._make_room():
            return False
        self._held[node] = _Held(card.at_ms, card, hash(payload))
        return True

    def live(self) -> list[Card]:
        """The cards that count now, by the names on them."""
        now = self._clock.now_ms()
        cards = (held.card for held in self._held.values())
        live = [card for card in cards if card is not None and card.expires_ms > now]
        return sorted(live, key=lambda card: (card.name, card.author))

    def members(self, group: str, able: Callable[[Card], bool] = lambda _: True) -> set[str]:
        """The nodes whose cards name a group, those only of whose cards `able` holds."""
        return {card.author for card in self.live() if group in (card.groups or ()) and able(card)}

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
    """Our card, kept on the broker while `run` runs.

    Attributes:
        topic: where it is.
    """

    def __init__(self, transport: Transport, key: SigningKey, clock: Clock = SYSTEM_CLOCK) -> None:
        """No card yet.

        Args:
            transport: the connection whose `will` the caller has left with the broker.
            key: whose card it is.
            clock: for times of day.
        """
        self.topic = TOPICS.card(key.node)
        self._transport = transport
        self._key = key
        self._clock = clock
        self._fields: dict[str, Any] | None = None
        self._payload = b""
        self._at_ms = 0
        self._yields = False
        self._again = asyncio.Event()
        self._checks = TokenBucket(OWN_CHECKS, clock.monotonic)

    def put_up(self, **fields: Any) -> None:
        """Say what we are and take from now on.

        Args:
            **fields: of `Card`, but those that say who, when and with which program.
        """
        if fields != self._fields:
            self._fields = fields
            self._sign()
            self._again.set()

    async def take_back(self) -> None:
        """Leave no card; `put_up` puts one up again.

        Raises:
            TransportError: the broker can be told nothing.
        """
        self._fields, self._payload = None, b""
        self._again.clear()
        await self._transport.publish(self.topic, b"", retain=True)

    def seen(self, incoming: Incoming) -> None:
        """Hear what is on our card's topic; what this node did not put there is replaced."""
        if self._fields is None or incoming.payload == self._payload or not self._checks.take():
            return
        card = _card_in(incoming)
        # Another process of this node may have put up a newer one; it stays while it is there.
        self._yields = card is not None and card.at_ms > self._at_ms
        self.ask_again()

    def ask_again(self) -> None:
        """Put the card up again: somebody asks, or the broker may have lost it."""
        if self._fields is not None and not self._yields:
            self._again.set()

    async def run(self) -> None:
        """Keep the card there, for ever.

        Raises:
            TransportError: the broker can be told nothing.
        """
        while True:
            try:
                async with asyncio.timeout(RENEW_S):
                    await self._again.wait()
            except TimeoutError:
                self._sign()
            self._again.clear()
            if self._payload:
                await self._transport.publish(self.topic, self._payload, retain=True)
            await asyncio.sleep(PAUSE_S)

    def _sign(self) -> None:
        if self._fields is None:
            return
        self._yields = False
        now = self._clock.now_ms()
        self._at_ms = max(self._at_ms + 1, now)
        card = written(
            self._key,
            Card,
            **self._fields,
            v=PROTOCOL_VERSION,
            agent=AGENT,
            at_ms=self._at_ms,
            expires_ms=now + LASTS_MS,
        )
        self._payload = encode(card)


def _card_in(incoming: Incoming) -> Card | None:
    card = incoming.message
    return card if isinstance(card, Card) and is_signed(card) else None


def card_will(node: str) -> Callable[[int], Will]:
    """The will of a connection that puts up the card of `node`: nothing is left of it."""
    will = Will(TOPICS.card(node), b"", retain=True)
    return lambda _epoch: will


def named(cards: Sequence[Card], who: str) -> list[Card]:
    """The cards that a person can mean: by a node's id or its beginning, or by the name on it."""
    prefix = who.replace("-", "").lower()
    by_name = [card for card in cards if card.name == wire_name(who)]
    return by_name or [card for card in cards if card.author.startswith(prefix)]
