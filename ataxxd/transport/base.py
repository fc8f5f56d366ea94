"""What the runtime needs from a wire, the events a wire reports, and what can go wrong with it.

A transport moves opaque bytes between topics. It knows nothing of games,
messages, signatures or keys, and it promises little: a message may come twice,
late, out of order between topics, or never. It owns connecting, reconnecting,
renewing subscriptions and resending.

Delivery to the consumer is bounded: when it does not keep up, the *oldest*
undelivered messages are dropped and counted in :class:`Counters`. Connection
events are never dropped.

    TransportError (ataxxd.errors)
    ├── BrokerUnreachable      nothing answers, or not in time
    ├── BrokerRefused          it answers and says no: credentials, TLS, protocol
    ├── SubscriptionRefused    it does not let us read a topic
    ├── OutboxFull             too much is waiting for its acknowledgement
    ├── PayloadTooLarge        longer than any node would accept
    ├── TransportClosed        used before it was opened or after it was closed
    └── PortInUse              the embedded broker cannot listen there
    BrokerUrlError (ConfigError) is an address that cannot be read.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, Self, TypeAlias

from ataxxd.errors import ConfigError, ExitCode, TransportError


class BrokerUrlError(ConfigError):
    """A broker address that cannot be understood."""


class BrokerUnreachable(TransportError):
    """Nothing answers at the broker's address, or not in time."""

    exit_code = ExitCode.NO_BROKER


class BrokerRefused(TransportError):
    """The broker is there and does not accept us: credentials, TLS or protocol."""

    exit_code = ExitCode.BROKER_REFUSED


class SubscriptionRefused(TransportError):
    """The broker does not let us read a topic."""

    exit_code = ExitCode.BROKER_REFUSED


class OutboxFull(TransportError):
    """Too many messages wait for the broker's acknowledgement."""


class PayloadTooLarge(TransportError):
    """A payload longer than other nodes accept."""

    exit_code = ExitCode.FAILURE


class TransportClosed(TransportError):
    """The transport is not open."""

    exit_code = ExitCode.FAILURE


class PortInUse(TransportError):
    """Another program listens where the embedded broker should."""


MAX_PAYLOAD = 16 * 1024
"""Bytes; a longer payload is dropped before the consumer sees it, and never sent."""


class Received(NamedTuple):  # made faster than a frozen dataclass, which a flood feels
    """A message on a topic that somebody here subscribed to.

    Attributes:
        retained: it was stored by the broker before we subscribed.
    """

    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker is there and every subscription is in place.

    Attributes:
        epoch: counts the connections of this transport, from 1.
    """

    epoch: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is lost; the transport is already trying to get it back.

    Attributes:
        reason: plain words for a person.
        silent_s: seconds since the broker last said anything, or since the connection was made:
            for no longer than that can it have been dead.
        delivered: whether the broker had acknowledged all that was published.
    """

    reason: str
    silent_s: float = field(default=math.inf, compare=False)
    delivered: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """The broker is there again, and has not let us subscribe again for some time.

    The transport goes on asking, and sends and hears what it may; ``Connected`` follows when
    every subscription is in place.

    Attributes:
        reason: plain words for a person.
    """

    reason: str


TransportEvent: TypeAlias = Received | Connected | Disconnected | Refused


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker publishes for us if the connection is lost.

    Attributes:
        retain: it takes the place of what is retained on the topic; without a payload, nothing
            is left there.
    """

    topic: str
    payload: bytes
    retain: bool = False


WillFactory: TypeAlias = Callable[[int], Will]
"""Called with the epoch of the coming connection, before each attempt."""

Sieve: TypeAlias = Callable[[bytes], bool]
"""Whether a payload is worth reading; cheap, for all of a flood passes it."""


@dataclass(slots=True)
class Counters:
    """Counts of what has happened so far; they only grow.

    Attributes:
        published: messages accepted into the outbox.
        acknowledged: messages the broker has confirmed.
        received: messages queued for the consumer.
        oversize: dropped because longer than the payload limit.
        unasked: dropped because nobody here subscribed to the topic.
        throttled: dropped because too much came on all patterns that ask for the topic.
        sifted: dropped because a sieve refused it.
        overflowed: dropped, oldest first, because the consumer did not keep up.
        connections: the epoch of the newest connection.
    """

    published: int = 0
    acknowledged: int = 0
    received: int = 0
    oversize: int = 0
    unasked: int = 0
    throttled: int = 0
    sifted: int = 0
    overflowed: int = 0
    connections: int = 0


class Transport(Protocol):
    """One node's connection to one broker."""

    @property
    def url(self) -> str:
        """The broker's address without secrets, for people; of several, the one that is used."""
        ...

    @property
    def counters(self) -> Counters:
        """What happened so far."""
        ...

    @property
    def congested(self) -> bool:
        """Whether what need not be sent should not be: half of what may be on its way is.

        What is published goes out at once only while there is room in the other half.
        """
        ...

    async def __aenter__(self) -> Self:
        """Connects, and returns once the broker has accepted us.

        Raises:
            BrokerUnreachable: nothing answers there.
            BrokerRefused: wrong credentials, or TLS failed.
        """
        ...

    async def __aexit__(self, *_: object) -> None:
        """Says goodbye (so no will is published) after a bounded try to send what is left."""
        ...

    async def subscribe(self, pattern: str) -> None:
        """Subscribes, and returns when the broker has confirmed.

        The pattern is remembered and renewed on every reconnect, before
        ``Connected`` is reported; one that is refused then is asked for on the same connection
        until it is granted. While disconnected this waits for the next
        connection. Subscribing again makes the broker send its retained
        messages again.

        Raises:
            SubscriptionRefused: the broker does not allow it, asked several times; a new
                pattern is not remembered.
            ValueError: not an MQTT topic filter.
        """
        ...

    def patterns(self, topic: str) -> Sequence[str]:
        """Which patterns that are subscribed to over this connection ask for a topic."""
        ...

    def prefer(self, topic: str, sieve: Sieve | None = None) -> None:
        """Hands over what comes on a topic by turns with all the rest, whatever came before.

        It is dropped last, too. What comes on it stays in order. What `sieve` refuses may be
        dropped unread.
        """
        ...

    def unprefer(self, topic: str) -> None:
        """Treats a topic as all the others."""
        ...

    def sift(self, topic: str, sieve: Sieve | None) -> None:
        """May drop unread what `sieve` refuses of a topic; without one, reads all of it again."""
        ...

    def throttle(
        self, pattern: str, *, but: str = "", missed: Callable[[str], None] | None = None
    ) -> None:
        """Pauses a pattern for some seconds whenever more than 32 messages a second come on it.

        Bursts of 128 are let through. During a pause the node is unsubscribed, so the broker drops
        the messages. Retained messages, and those on the topic `but`, are always received. After
        each pause, `missed` is called with the pattern.
        """
        ...

    def unthrottle(self, pattern: str) -> None:
        """Receives all messages on a pattern again."""
        ...

    async def unsubscribe(self, pattern: str) -> None:
        """Forgets the pattern; what is still on its way under it is dropped."""
        ...

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Accepts a message for delivery, at least once, in order, and returns at once.

        It stays in a bounded outbox until the broker has acknowledged it, and is
        sent again after a reconnect. Of the messages retained on one topic only the
        newest is kept there, in the place of the newest.

        Raises:
            OutboxFull: the broker has acknowledged too little for too long; nothing is kept.
            PayloadTooLarge: longer than the payload limit.
            ValueError: not an MQTT topic name.
        """
        ...

    async def drain(self) -> None:
        """Waits until everything published is acknowledged; while disconnected, for as long."""
        ...

    def __aiter__(self) -> AsyncIterator[TransportEvent]:
        """The events, oldest first, for a single consumer; ends when the transport is closed."""
        ...


Connect: TypeAlias = Callable[[WillFactory | None], Transport]
"""Makes a transport that leaves such a will."""


async def subscribe_all(transport: Transport, *patterns: str) -> None:
    """Subscribe to several patterns without waiting for each: a busy broker answers late.

    Raises:
        SubscriptionRefused: see `Transport.subscribe`; the others are subscribed to.
    """
    asked = (transport.subscribe(pattern) for pattern in patterns)
    for failure in await asyncio.gather(*asked, return_exceptions=True):
        if failure is not None:
            raise failure
