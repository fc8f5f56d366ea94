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
    """The broker does not accept us: credentials, TLS or protocol."""

    exit_code = ExitCode.BROKER_REFUSED


class SubscriptionRefused(TransportError):
    """The broker does not let us read a topic."""

    exit_code = ExitCode.BROKER_REFUSED


class OutboxFull(TransportError):
    """Too many messages are waiting for the broker's acknowledgement."""


class PayloadTooLarge(TransportError):
    """A payload longer than other nodes accept."""

    exit_code = ExitCode.FAILURE


class TransportClosed(TransportError):
    """The transport is not open."""

    exit_code = ExitCode.FAILURE


class PortInUse(TransportError):
    """Another program listens on the embedded broker's port."""


MAX_PAYLOAD = 16 * 1024
"""Bytes; a longer payload is dropped before the consumer sees it, and never sent."""


class Received(NamedTuple):  # faster to create than a frozen dataclass, for floods
    """A message on a topic that we have subscribed to.

    Attributes:
        retained: whether the broker had retained it before we subscribed.
    """

    topic: str
    payload: bytes
    retained: bool


@dataclass(frozen=True, slots=True)
class Connected:
    """The broker is connected, and every subscription is in place.

    Attributes:
        epoch: the number of this connection, from 1.
    """

    epoch: int


@dataclass(frozen=True, slots=True)
class Disconnected:
    """The connection is lost; the transport is already reconnecting.

    Attributes:
        reason: a sentence for people.
        silent_s: seconds since the last packet from the broker, or since the connection was made;
            the connection cannot have been dead for longer.
        delivered: whether the broker had acknowledged everything that was published.
    """

    reason: str
    silent_s: float = field(default=math.inf, compare=False)
    delivered: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class Refused:
    """The broker has refused something for some time; the transport keeps trying.

    Either we are not connected, as the broker no longer lets us in, or we are connected again, but
    without every subscription: what may be sent and received is. ``Connected`` follows when all is
    in place.

    Attributes:
        reason: the refusal, in words for people.
    """

    reason: str


TransportEvent: TypeAlias = Received | Connected | Disconnected | Refused


@dataclass(frozen=True, slots=True)
class Will:
    """The message that the broker publishes for us if the connection is lost.

    Attributes:
        retain: whether it replaces the retained message of the topic; with an empty payload, it
            clears the topic.
    """

    topic: str
    payload: bytes
    retain: bool = False


WillFactory: TypeAlias = Callable[[int], Will]
"""Called with the epoch of the coming connection, before each attempt."""

Sieve: TypeAlias = Callable[[bytes], bool]
"""Whether a payload is worth reading; must be cheap, since it sees every message of a flood."""


@dataclass(slots=True)
class Counters:
    """Counts of messages since the start.

    Attributes:
        published: accepted into the outbox.
        acknowledged: acknowledged by the broker.
        received: queued for the consumer.
        oversize: dropped, as they were longer than the payload limit.
        unasked: dropped, as nothing here subscribes to the topic.
        throttled: dropped, as all patterns that match the topic were paused.
        sifted: dropped, as a sieve refused them.
        overflowed: dropped, oldest first, as the consumer did not keep up.
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
        """The broker's address for people, without secrets; of several, the one in use."""
        ...

    @property
    def counters(self) -> Counters:
        """Counts of messages so far."""
        ...

    @property
    def congested(self) -> bool:
        """Whether to hold back optional messages: half of the messages allowed in flight are.

        The other half is kept for messages that must go out at once.
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
        """Subscribe to a pattern; returns when the broker has confirmed.

        The pattern is renewed on every reconnect, before ``Connected`` is reported; if it is
        refused then, it is asked for again until it is granted. While disconnected, this waits
        for the next connection. Subscribing again makes the broker send its retained messages
        again.

        Raises:
            SubscriptionRefused: the broker has refused it several times; a new pattern is then
                forgotten.
            ValueError: it is not an MQTT topic filter.
        """
        ...

    def patterns(self, topic: str) -> Sequence[str]:
        """The subscribed patterns that match a topic."""
        ...

    def prefer(self, topic: str, sieve: Sieve | None = None) -> None:
        """Give a topic priority: its messages are delivered by turns with all others.

        They stay in order, and are the last to be dropped. Those that `sieve` refuses may be
        dropped unread.
        """
        ...

    def unprefer(self, topic: str) -> None:
        """Give a topic no priority any more."""
        ...

    def sift(self, topic: str, sieve: Sieve | None) -> None:
        """Allow messages on a topic that `sieve` refuses to be dropped unread; None ends this."""
        ...

    def throttle(
        self,
        pattern: str,
        *,
        exempt_topic: str = "",
        on_missed: Callable[[str], None] | None = None,
    ) -> None:
        """Pause a pattern for some seconds whenever it gets more than 32 messages a second.

        Bursts of 128 are let through. During a pause the node is unsubscribed, so the broker drops
        the messages. Retained messages, and those on the topic `exempt_topic`, are always received.
        After each pause, `on_missed` is called with the pattern.
        """
        ...

    def unthrottle(self, pattern: str) -> None:
        """Receive all messages on a pattern again."""
        ...

    async def unsubscribe(self, pattern: str) -> None:
        """Unsubscribe; messages still on their way are dropped."""
        ...

    async def renew(self, *patterns: str) -> None:
        """Unsubscribe and subscribe again, as the broker may have lost a subscription unnoticed.

        Messages in between are lost, so what may be missing is to be asked for afterwards. Does
        nothing while disconnected, nor to patterns that are paused or not subscribed; if the
        broker refuses one, the transport reconnects.
        """
        ...

    @property
    def members(self) -> int:
        """How many addresses the broker has: more than one for a cluster."""
        ...

    def change_member(self, reason: str) -> bool:
        """Reconnect, to the next member of a cluster: two members may carry nothing to each other.

        Does nothing while disconnected, where there is only one, within about a minute of the last
        time, nor while anybody else who shares the connection hears something.

        Args:
            reason: why the connection is given up, for people.

        Returns:
            Whether the connection is given up.
        """
        ...

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Queue a message for delivery, at least once and in order; returns at once.

        It stays in a bounded outbox until the broker has acknowledged it, and is sent again after
        a reconnect. Of several retained messages for one topic, only the newest is kept, in its
        own place in the order.

        Raises:
            OutboxFull: the broker has acknowledged too little for too long; nothing is queued.
            PayloadTooLarge: it is longer than the payload limit.
            ValueError: it is not an MQTT topic name.
        """
        ...

    async def drain(self) -> None:
        """Wait until everything published is acknowledged, even while disconnected."""
        ...

    def __aiter__(self) -> AsyncIterator[TransportEvent]:
        """The events, oldest first, for a single consumer; ends when the transport is closed."""
        ...


Connect: TypeAlias = Callable[[WillFactory | None], Transport]
"""Creates a transport with this will."""


async def subscribe_all(transport: Transport, *patterns: str) -> None:
    """Subscribe to several patterns at once, since a busy broker answers late.

    Raises:
        SubscriptionRefused: as for `Transport.subscribe`; the other patterns are subscribed to.
    """
    asked = (transport.subscribe(pattern) for pattern in patterns)
    for failure in await asyncio.gather(*asked, return_exceptions=True):
        if failure is not None:
            raise failure
