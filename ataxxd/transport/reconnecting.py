"""A transport that keeps itself connected, over any kind of link.

A *link* is one connection, from its handshake to its loss; an *endpoint* is where one can be
opened: one broker, or one member of a cluster. This module owns everything that outlives a
link: which endpoint is used, which patterns are subscribed, what is not yet acknowledged, the
epoch, and the waiting between attempts. It does not know what protocol a link speaks;
``mqtt`` and ``memory`` provide the links.
"""

import asyncio
import contextlib
import logging
import math
import random
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, TypeAlias

from ataxxd.errors import TransportError
from ataxxd.transport.base import (
    MAX_PAYLOAD,
    BrokerRefused,
    BrokerUnreachable,
    Connected,
    Counters,
    Disconnected,
    PayloadTooLarge,
    Received,
    Refused,
    Sieve,
    SubscriptionRefused,
    TransportClosed,
    TransportEvent,
    Will,
    WillFactory,
)
from ataxxd.transport.queues import Entry, Inbox, Outbox, Throttle
from ataxxd.transport.topics import PatternIndex, check_pattern, check_topic
from ataxxd.wording import format_count


class Backoff:
    """The delays between attempts: exponential backoff with full jitter.

    Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015. Full
    jitter keeps the clients of a restarted broker from coming back in step.

    The ceiling is low, since a player's clock may be running. An attempt every two and a half
    seconds on average is no load for a broker, and a player is back at most five seconds after
    the broker is.

    Args:
        first: the upper limit of the first delay, in seconds; it doubles with each attempt.
        ceiling: the highest such limit, in seconds.
        uniform: draws a number between its two arguments; injected by tests.
    """

    def __init__(
        self,
        first: float = 0.25,
        ceiling: float = 5.0,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._first = first
        self._ceiling = ceiling
        self._uniform = uniform
        self._attempts = 0

    def next(self) -> float:
        """Seconds to wait before the coming attempt; grows until ``reset``."""
        ceiling = min(self._ceiling, self._first * 2.0 ** min(self._attempts, 32))
        self._attempts += 1
        return self._uniform(0.0, ceiling)

    def reset(self) -> None:
        """Start over; called once a connection has proved stable."""
        self._attempts = 0


_log = logging.getLogger(__name__)

# The most patterns in one request, since brokers limit the size of a packet. A cluster (NATS) that
# has lost a member can take seconds for each pattern, and does nothing else for us meanwhile. So
# there the patterns are spread over up to so many requests, with messages sent in between.
_MAX_AT_ONCE, _MAX_REQUESTS = 64, 64
# Attempts at a new subscription that is refused: a cluster that is electing a leader refuses for
# some seconds, a broker with access rules for ever.
_REQUESTS, _REQUESTS_IN_CLUSTER = 4, 8
# Attempts in a row to renew a subscription, before it is the next one's turn. At a cluster, success
# is a matter of luck: NATS keeps a client's messages on members chosen at random, even dead ones.
_IN_A_ROW = 3
# Seconds for which refused renewals are retried in silence; then the consumer is informed, or
# another member of the cluster is tried.
_REFUSED_S = 15.0
# Seconds between two changes of the member on demand: about a minute.
_CHANGE_PAUSE_S = 55.0
# A timer that fires this many seconds late means a suspended process, not a silent broker.
_LATE_S = 1.0

Sink: TypeAlias = Callable[[str, bytes, bool], None]
"""Takes each message of a link: topic, payload, retained."""


class LinkLostError(Exception):
    """The link ended before it could do what was asked."""


class Link(Protocol):
    """One connection to a broker, open until ``wait_until_lost`` returns."""

    @property
    def last_heard_s(self) -> float:
        """When the last packet came from the broker, by the event loop's clock."""
        ...

    def send(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        """Send at once; `on_acknowledged` is called if and when the broker confirms."""
        ...

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        """Subscribe; returns which patterns were granted. Raises ``LinkLostError``."""
        ...

    async def unsubscribe(self, pattern: str) -> None:
        """Unsubscribe; returns when confirmed. Raises ``LinkLostError``."""
        ...

    def give_up(self, reason: str) -> None:
        """Treat the link as lost."""
        ...

    async def wait_until_lost(self) -> str:
        """Wait until the link is lost; returns the reason for people."""
        ...

    async def close(self, *, graceful: bool) -> None:
        """Close the link and free its resources, in bounded time; may be called twice.

        With `graceful`, the broker is told, so that it does not publish the will.
        """
        ...


Dial: TypeAlias = Callable[[Will | None, Sink], Awaitable[Link]]
"""Opens a link, or raises ``TransportError``."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A place where a link can be opened.

    Attributes:
        url: the address, without secrets.
        dial: opens a link.
    """

    url: str
    dial: Dial


class ReconnectingTransport:
    """A `ataxxd.transport.base.Transport` that reconnects, over links of one kind.

    Args:
        endpoints: where links can be opened; at least one. If a link is lost, the next endpoint is
            tried; the delay is between two rounds of all.
        will: makes the will for the connection with the given epoch.
        max_payload: the most bytes of a payload, both ways.
        outbox: holds the unacknowledged messages.
        max_inbox: the most undelivered messages; beyond it, the oldest is dropped.
        backoff: the delays between attempts.
        sleep: waits so many seconds; injected by tests.
        stable_after: seconds that a link must last before the delays start over.
        ack_timeout: seconds without an acknowledgement, while any is due, after which a link counts
            as lost.
        flush_timeout: seconds that closing waits for acknowledgements.
    """

    def __init__(
        self,
        endpoints: Sequence[Endpoint],
        *,
        will: WillFactory | None = None,
        max_payload: int = MAX_PAYLOAD,
        outbox: Outbox | None = None,
        max_inbox: int = 4096,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        stable_after: float = 10.0,
        ack_timeout: float = 10.0,
        flush_timeout: float = 2.0,
    ) -> None:
        self.counters = Counters()
        self._endpoints = tuple(endpoints)
        self._endpoint = 0
        self._will = will
        self._max_payload = max_payload
        self._backoff = backoff if backoff is not None else Backoff()
        self._sleep = sleep
        self._stable_after = stable_after
        self._ack_timeout = ack_timeout
        self._flush_timeout = flush_timeout
        self._outbox = outbox if outbox is not None else Outbox()
        self._max_inbox = max_inbox
        self._inbox = Inbox(self.counters, max_messages=max_inbox)
        self._patterns: PatternIndex[str] = PatternIndex()
        self._confirmed: dict[str, None] = {}  # a set that keeps its order
        self._throttles: dict[str, Throttle] = {}
        self._sieves: dict[bytes, Sieve] = {}
        self._pauses: set[asyncio.Task[None]] = set()
        self._link: Link | None = None  # while it is believed alive
        self._newest: Link | None = None  # until it is closed
        self._link_up = asyncio.Event()
        self._reported = False  # the consumer believes that we are connected
        self._renewing: asyncio.Task[None] | None = None  # renews what this link has refused
        self._acked_at = 0.0
        self._ack_timer: asyncio.TimerHandle | None = None
        # The waiters of `drain`, oldest first, each for all messages up to a number.
        self._drain_waiters: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._changed_s = -math.inf
        self._open = False
        self._supervisor: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        state = "closed" if not self._open else "connected" if self._link else "disconnected"
        return f"<{type(self).__name__} {self.url} {state}>"

    @property
    def url(self) -> str:
        """The address, without secrets, of the endpoint in use or last tried."""
        return self._endpoints[self._endpoint].url

    @property
    def connected(self) -> bool:
        """Whether there is a link right now."""
        return self._link is not None

    @property
    def congested(self) -> bool:
        """Whether to hold back optional messages."""
        return self._outbox.half_full

    async def __aenter__(self) -> Self:
        """Connects, and returns once the broker has accepted us; raises ``TransportError``."""
        if self._supervisor is not None:
            raise TransportClosed("A transport is opened once; make a new one to connect again.")
        self._open = True
        try:
            link = await self._connect()
        except BaseException:
            self._open = False
            raise
        self._supervisor = asyncio.create_task(
            self._supervise(link), name=f"transport {self.url}: keep connected"
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        """Waits a moment for acknowledgements while connected, then says goodbye."""
        try:
            if self._link is not None and len(self._outbox):
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(self._flush_timeout):
                        await self.drain()
        finally:
            self._open = False
            if self._supervisor is not None:
                self._supervisor.cancel()
                await asyncio.wait([self._supervisor])
            self._link = None
            await self._leave_link()
            # Not left to the supervisor: a task cancelled before its first step never runs.
            if self._newest is not None:
                await self._newest.close(graceful=True)
            if len(self._outbox):
                _log.info(
                    "%s: closed with %s unsent; moves are stored, and are sent when their games "
                    "continue",
                    self.url,
                    format_count(len(self._outbox), "message"),
                )
            self._inbox.close()
            self._link_up.set()  # wakes those who wait for a link: there will be none
            self._wake_drain_waiters()

    def __aiter__(self) -> AsyncIterator[TransportEvent]:
        """The events, oldest first, for one consumer."""
        return self._inbox

    async def subscribe(self, pattern: str) -> None:
        """Subscribe to a pattern; returns when the broker has confirmed."""
        check_pattern(pattern)
        # Before the request: retained messages may arrive ahead of its confirmation.
        self._patterns.add(pattern, pattern)
        try:
            granted = await self._request(pattern)
        except BaseException:
            if pattern not in self._confirmed:
                self._forget(pattern)
            raise
        if granted:
            self._confirmed[pattern] = None
            return
        if pattern not in self._confirmed:
            self._forget(pattern)
        raise SubscriptionRefused(
            f'The broker {self.url} does not let us read "{pattern}". Use another user,'
            " or ask whoever runs the broker to allow it (its access control list)."
        )

    def patterns(self, topic: str) -> Sequence[str]:
        """The subscribed patterns that match a topic."""
        return self._patterns.matching(topic)

    def prefer(self, topic: str, sieve: Sieve | None = None) -> None:
        """Deliver messages on a topic by turns with all others."""
        self._inbox.prefer(topic)
        if sieve is not None:
            self.sift(topic, sieve)

    def unprefer(self, topic: str) -> None:
        """Give a topic no priority any more."""
        self._inbox.unprefer(topic)
        self.sift(topic, None)

    def sift(self, topic: str, sieve: Sieve | None) -> None:
        """Drop unread, during a flood, messages on a topic that a sieve refuses."""
        if sieve is None:
            self._sieves.pop(topic.encode(), None)
        else:
            self._sieves[topic.encode()] = sieve

    def throttle(
        self,
        pattern: str,
        *,
        exempt_topic: str = "",
        on_missed: Callable[[str], None] | None = None,
    ) -> None:
        """Pause a pattern whenever too many messages come on it."""
        throttle = self._throttles.setdefault(pattern, Throttle(asyncio.get_running_loop().time()))
        throttle.exempt_topic, throttle.on_missed = exempt_topic, on_missed

    def unthrottle(self, pattern: str) -> None:
        """Receive all messages on a pattern again."""
        self._throttles.pop(pattern, None)

    async def unsubscribe(self, pattern: str) -> None:
        """Unsubscribe; messages still on their way are dropped."""
        check_pattern(pattern)
        self._forget(pattern)
        if self._link is not None:
            with contextlib.suppress(LinkLostError):
                await self._link.unsubscribe(pattern)

    async def renew(self, *patterns: str) -> None:
        """Unsubscribe and subscribe again, as the broker may have lost a subscription unnoticed."""
        link = self._link
        if link is None or (self._renewing is not None and not self._renewing.done()):
            return
        # A mere second SUBSCRIBE does not do: RabbitMQ takes it for one that it has.
        with contextlib.suppress(LinkLostError):
            # All at once: what comes in between is lost.
            await asyncio.gather(*map(link.unsubscribe, self._renewable(patterns)))
            if refused := await self._renew(link, self._renewable(patterns)):
                link.give_up(f'the broker does not let us read "{refused[0]}" any more')

    @property
    def members(self) -> int:
        """How many endpoints there are."""
        return len(self._endpoints)

    def change_member(self, reason: str) -> bool:
        """Reconnect, to the next endpoint, if there is another; returns whether we do."""
        now = asyncio.get_running_loop().time()
        if self._link is None or self.members == 1 or now < self._changed_s + _CHANGE_PAUSE_S:
            return False
        self._changed_s = now
        self._link.give_up(reason)
        return True

    def _renewable(self, patterns: Sequence[str]) -> list[str]:
        throttles = self._throttles
        paused = {each for each in patterns if each in throttles and throttles[each].is_paused}
        return [each for each in patterns if each in self._confirmed and each not in paused]

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Queue a message for delivery, at least once and in order; returns at once."""
        check_topic(topic)
        if len(payload) > self._max_payload:
            raise PayloadTooLarge(
                f'A message of {len(payload)} bytes for "{topic}" was not sent: other nodes'
                f" accept {self._max_payload} bytes at most. Split it."
            )
        self._check_open()
        self._outbox.add(topic, payload, retain=retain)
        self.counters.published += 1
        self._pump()

    async def drain(self) -> None:
        """Wait until everything published is acknowledged."""
        self._check_open()
        # Only up to here: waiting for later messages too might never end on a busy connection.
        upto = self._outbox.newest
        if self._is_acknowledged(upto):
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._drain_waiters.append((upto, done))
        await done
        if not self._is_acknowledged(upto):
            raise self._closed_error()

    async def _supervise(self, link: Link) -> None:
        clock = asyncio.get_running_loop().time
        try:
            while True:
                since = clock()
                reason = await link.wait_until_lost()
                self._link = None
                self._link_up.clear()
                await self._leave_link()
                delivered = self._is_acknowledged(self._outbox.newest)
                self._outbox.rewind()
                if self._reported:
                    self._reported = False
                    self._inbox.put(Disconnected(reason, clock() - link.last_heard_s, delivered))
                _log.info("%s: disconnected: %s", self.url, reason)
                await link.close(graceful=False)
                self._newest = None
                if clock() - since >= self._stable_after:
                    self._backoff.reset()
                self._use_next_endpoint()
                link = await self._reconnect()
        except Exception as error:  # noqa: BLE001 - handed to the consumer
            # This is a bug; the consumer must not wait for ever.
            _log.exception("%s: the transport failed", self.url)
            self._inbox.close(error)

    async def _reconnect(self) -> Link:
        clock = asyncio.get_running_loop().time
        since, told, logged = clock(), "", ""
        while True:
            await self._sleep(self._backoff.next())
            try:
                return await self._connect()
            except TransportError as error:
                if str(error) != logged:
                    logged = str(error)
                    _log.info("%s: still not connected: %s", self.url, error)
                if not isinstance(error, BrokerRefused):
                    since = clock()
                elif clock() - since >= _REFUSED_S and str(error) != told:
                    told = str(error)
                    self._inbox.put(Refused(f"still not connected: {told}"))

    async def _connect(self) -> Link:
        """A link to the first endpoint that accepts us; each is tried once."""
        failures: list[TransportError] = []
        for _ in self._endpoints:
            try:
                return await self._connect_endpoint()
            except TransportError as error:
                failures.append(error)
                self._use_next_endpoint()
        raise _no_endpoint_error(failures)

    def _use_next_endpoint(self) -> None:
        self._endpoint = (self._endpoint + 1) % len(self._endpoints)

    async def _connect_endpoint(self) -> Link:
        """Dials, renews the subscriptions and reports the connection."""
        epoch = self.counters.connections + 1
        early: list[Received] = []
        held = True

        def sink(topic: str, payload: bytes, retained: bool) -> None:
            message = self._admit(topic, payload, retained)
            if message is None:
                return
            if not held:
                self._inbox.put(message)
            elif len(early) < self._max_inbox:
                early.append(message)  # the consumer sees Connected first
            else:
                self.counters.overflowed += 1

        will = self._will(epoch) if self._will is not None else None
        link = await self._endpoints[self._endpoint].dial(will, sink)
        patterns = list(self._confirmed)
        size = self._request_size(len(patterns))
        try:
            refused = await self._renew(link, patterns[:size])
        except LinkLostError as error:
            await link.close(graceful=True)
            raise TransportError(f"{self.url} hung up while subscriptions were renewed.") from error
        except BaseException:
            await link.close(graceful=True)
            raise
        self.counters.connections = epoch
        self._link = self._newest = link
        if not refused and len(patterns) <= size:
            self._report(epoch)
        else:
            # Use the link as far as it works: that may be enough for a game to continue.
            self._renewing = asyncio.create_task(
                self._renew_all(link, [*refused, *patterns[size:]], epoch),
                name=f"transport {self.url}: subscribe",
            )
        for message in early:
            self._inbox.put(message)
        held = False
        _log.info("%s: connected (epoch %d)", self.url, epoch)
        self._link_up.set()
        self._pump()
        return link

    def _report(self, epoch: int) -> None:
        self._reported = True
        self._inbox.put(Connected(epoch))

    async def _leave_link(self) -> None:
        """Cancels the timer and the tasks of the current link."""
        self._stop_waiting_for_ack()
        asking, self._renewing = self._renewing, None
        tasks = [*self._pauses] if asking is None else [*self._pauses, asking]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)

    def _request_size(self, patterns: int) -> int:
        if len(self._endpoints) == 1:
            return _MAX_AT_ONCE
        return min(_MAX_AT_ONCE, -(-patterns // _MAX_REQUESTS))

    async def _renew(self, link: Link, patterns: Sequence[str]) -> list[str]:
        """Subscribes again, in one request; returns what is refused. Raises ``LinkLostError``."""
        wanted = [pattern for pattern in patterns if pattern in self._confirmed]
        granted = await link.subscribe(wanted) if wanted else []
        return [pattern for pattern, ok in zip(wanted, granted, strict=True) if not ok]

    async def _renew_in_turn(self, link: Link, patterns: Sequence[str], size: int) -> list[str]:
        """Subscribes again, `size` patterns a request, and retries each: the first matter most."""
        refused: list[str] = []
        for begin in range(0, len(patterns), size):
            asked = list(patterns[begin : begin + size])
            for _ in range(_IN_A_ROW):
                if asked:
                    asked = await self._renew(link, asked)
            refused += asked
        return refused

    async def _renew_all(self, link: Link, missing: list[str], epoch: int) -> None:
        """Subscribes again to what is missing, on the same link, until all of it is granted."""
        clock = asyncio.get_running_loop().time
        backoff, since, told = Backoff(), clock(), False
        size = self._request_size(len(self._confirmed))
        with contextlib.suppress(LinkLostError):
            while missing := await self._renew_in_turn(link, missing, size):
                _log.info("%s: refused for now: %s", self.url, ", ".join(missing))
                if not told and clock() - since >= _REFUSED_S:
                    told = True
                    reason = f'the broker does not let us read "{missing[0]}" any more'
                    if len(self._endpoints) > 1:
                        # Another member may grant it: with NATS, a refusal can be mere bad luck.
                        link.give_up(reason)
                        return
                    self._inbox.put(Refused(f"{reason}; asking again"))
                await self._sleep(backoff.next())
                await asyncio.sleep(0)  # a `sleep` of tests may take no time at all
            if self._link is link:
                self._report(epoch)

    def _admit(self, topic: str, payload: bytes, retained: bool) -> Received | None:
        patterns = self._patterns.matching(topic)
        if not patterns:
            self.counters.unasked += 1
            return None
        # Retained messages come only once per subscription.
        if not retained and self._throttles and self._is_throttled(topic, patterns):
            self.counters.throttled += 1
            return None
        if len(payload) > self._max_payload:
            self.counters.oversize += 1
            _log.debug("%s: dropped %d bytes on %s", self.url, len(payload), topic)
            return None
        return Received(topic, payload, retained)

    def _is_sifted(self, topic: bytes, payload: bytes) -> bool:
        """Whether a message may be dropped unread, for links that can ask before reading it."""
        sieve = self._sieves.get(topic)
        if sieve is None or sieve(payload):
            return False
        self.counters.sifted += 1
        return True

    def _is_throttled(self, topic: str, patterns: Sequence[str]) -> bool:
        """Whether all patterns that match a topic are paused, or become so by this message."""
        too_much = True
        for pattern in patterns:
            throttle = self._throttles.get(pattern)
            if throttle is None or topic == throttle.exempt_topic:
                too_much = False
            elif not throttle.is_paused:
                if self._link is not None and throttle.is_exceeded(
                    asyncio.get_running_loop().time()
                ):
                    self._begin_pause(self._link, pattern, throttle)
                else:
                    too_much = False
        return too_much

    def _begin_pause(self, link: Link, pattern: str, throttle: Throttle) -> None:
        throttle.is_paused = True
        task = asyncio.create_task(
            self._pause(link, pattern, throttle), name=f"transport {self.url}: leave a flood alone"
        )
        self._pauses.add(task)
        task.add_done_callback(self._pauses.discard)

    async def _pause(self, link: Link, pattern: str, throttle: Throttle) -> None:
        """Pause a flooded pattern by unsubscribing from it for a moment."""
        clock, backoff, but = asyncio.get_running_loop().time, Backoff(), throttle.exempt_topic
        _log.info("%s: too much comes on %s", self.url, pattern)
        # Not at a cluster, which may be slow to answer and does nothing else for us meanwhile.
        leaves = len(self._endpoints) == 1
        try:
            if leaves and but:
                (leaves,) = await link.subscribe([but])
            if leaves:
                await link.unsubscribe(pattern)
            await asyncio.sleep(throttle.next_pause_s(clock()))
            throttle.resume(clock())
            while leaves and pattern in self._confirmed:
                (granted,) = await link.subscribe([pattern])
                if granted:
                    break
                await asyncio.sleep(backoff.next())
            if leaves and but and but not in self._confirmed:
                await link.unsubscribe(but)
            if throttle.on_missed is not None and self._throttles.get(pattern) is throttle:
                throttle.on_missed(pattern)
        except LinkLostError:
            pass  # the next link renews all confirmed patterns
        finally:
            if throttle.is_paused:
                throttle.resume(clock())

    def _pump(self) -> None:
        while (link := self._link) is not None and (entry := self._outbox.take()) is not None:
            link.send(entry, self._on_acknowledged)
            if self._ack_timer is None:
                self._acked_at = asyncio.get_running_loop().time()
                self._wait_for_ack(link, self._acked_at + self._ack_timeout)

    def _wait_for_ack(self, link: Link, until: float) -> None:
        self._ack_timer = asyncio.get_running_loop().call_at(until, self._check_ack, link, until)

    def _check_ack(self, link: Link, until: float) -> None:
        self._ack_timer = None
        now = asyncio.get_running_loop().time()
        if now > until + _LATE_S:
            self._acked_at = now
        if now < self._acked_at + self._ack_timeout:
            self._wait_for_ack(link, self._acked_at + self._ack_timeout)
        else:
            link.give_up("the broker acknowledges nothing")

    def _stop_waiting_for_ack(self) -> None:
        if self._ack_timer is not None:
            self._ack_timer.cancel()
            self._ack_timer = None

    def _on_acknowledged(self, entry: Entry) -> None:
        self._acked_at = asyncio.get_running_loop().time()
        if self._outbox.acknowledge(entry):
            self.counters.acknowledged += 1
            self._wake_drain_waiters()
            self._pump()
        if not self._outbox.in_flight:
            self._stop_waiting_for_ack()

    def _is_acknowledged(self, upto: int) -> bool:
        oldest = self._outbox.oldest
        return oldest is None or oldest > upto

    def _wake_drain_waiters(self) -> None:
        while self._drain_waiters and (
            not self._open or self._is_acknowledged(self._drain_waiters[0][0])
        ):
            _, done = self._drain_waiters.popleft()
            if not done.done():
                done.set_result(None)

    def _forget(self, pattern: str) -> None:
        self._patterns.discard(pattern, pattern)
        self._confirmed.pop(pattern, None)
        self._throttles.pop(pattern, None)

    async def _request(self, pattern: str) -> bool:
        backoff, asked = Backoff(), 0
        most = _REQUESTS if len(self._endpoints) == 1 else _REQUESTS_IN_CLUSTER
        while True:
            link = await self._wait_for_link()
            try:
                (granted,) = await link.subscribe([pattern])
            except LinkLostError:
                await self._wait_for_loss(link)
                continue
            asked += 1
            if granted or asked == most:
                return granted
            await self._sleep(backoff.next())

    async def _wait_for_link(self) -> Link:
        while True:
            self._check_open()
            if self._link is not None:
                return self._link
            await self._link_up.wait()

    async def _wait_for_loss(self, link: Link) -> None:
        # The supervisor learns of the loss on its own; until then the link looks alive.
        while self._link is link:
            await link.wait_until_lost()
            await asyncio.sleep(0)

    def _check_open(self) -> None:
        if not self._open:
            raise self._closed_error()

    def _closed_error(self) -> TransportClosed:
        return TransportClosed(f"The connection to {self.url} is closed; nothing more is sent.")


def _no_endpoint_error(failures: Sequence[TransportError]) -> TransportError:
    """Why no endpoint accepts us; unreachable if one is, since that may change."""
    if len(failures) == 1:
        return failures[0]
    chosen = next((each for each in failures if isinstance(each, BrokerUnreachable)), failures[0])
    reasons = "\n".join(f"  {each}" for each in failures)
    return type(chosen)(f"None of {len(failures)} brokers accepts us:\n{reasons}")
