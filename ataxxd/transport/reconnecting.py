"""A transport that keeps itself connected, over any kind of link.

A *link* is one connection, from its handshake to its loss. This module owns
everything that outlives a link: which patterns are subscribed, what is not yet
acknowledged, the epoch, and the waiting between attempts. It does not know
what protocol a link speaks; ``mqtt`` and ``memory`` provide the links.
"""

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from types import TracebackType
from typing import Protocol, Self, TypeAlias

from ataxxd.errors import TransportError
from ataxxd.transport.backoff import Backoff
from ataxxd.transport.base import (
    MAX_PAYLOAD,
    Connected,
    Counters,
    Disconnected,
    Received,
    TransportEvent,
    Will,
    WillFactory,
)
from ataxxd.transport.errors import PayloadTooLarge, SubscriptionRefused, TransportClosed
from ataxxd.transport.inbox import Inbox
from ataxxd.transport.outbox import Entry, Outbox
from ataxxd.transport.topics import PatternIndex, check_pattern, check_topic

_log = logging.getLogger(__name__)

# Patterns in one request: brokers bound the size of a packet.
_MOST_AT_ONCE = 64

Sink: TypeAlias = Callable[[str, bytes, bool], None]
"""Takes each message of a link: topic, payload, retained."""


class LinkLostError(Exception):
    """The link ended before it could do what was asked."""


class Link(Protocol):
    """One connection to a broker, open until ``lost`` returns."""

    def send(self, entry: Entry, acknowledged: Callable[[Entry], None]) -> None:
        """Sends at once; `acknowledged` is called when the broker has confirmed, or never."""
        ...

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        """Which of the patterns were granted. Raises ``LinkLostError``."""
        ...

    async def unsubscribe(self, pattern: str) -> None:
        """Returns when confirmed. Raises ``LinkLostError``."""
        ...

    async def lost(self) -> str:
        """Waits until the link is lost; the reason in plain words."""
        ...

    async def close(self, *, graceful: bool) -> None:
        """Ends the link and frees what it holds, in bounded time; may be called again.

        With `graceful` the broker is told, so that it publishes no will.
        """
        ...


Dial: TypeAlias = Callable[[Will | None, Sink], Awaitable[Link]]
"""Opens a link, or raises ``TransportError``."""


class ReconnectingTransport:
    """The :class:`ataxxd.transport.base.Transport` over links of one kind.

    Args:
        dial: opens a link.
        url: the broker's address without secrets.
        will: makes the will of the connection with the given epoch.
        max_payload: bytes of a payload at most, both ways.
        outbox: holds what is not yet acknowledged.
        max_inbox: undelivered messages kept at most; then the oldest is dropped.
        backoff: the waiting between attempts.
        sleep: how to wait; injected by tests.
        stable_after: seconds a link must last before the waiting starts small again.
        flush_timeout: seconds that closing waits for acknowledgements.
    """

    def __init__(
        self,
        dial: Dial,
        *,
        url: str,
        will: WillFactory | None = None,
        max_payload: int = MAX_PAYLOAD,
        outbox: Outbox | None = None,
        max_inbox: int = 4096,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        stable_after: float = 10.0,
        flush_timeout: float = 2.0,
    ) -> None:
        self.url = url
        self.counters = Counters()
        self._dial = dial
        self._will = will
        self._max_payload = max_payload
        self._backoff = backoff if backoff is not None else Backoff()
        self._sleep = sleep
        self._stable_after = stable_after
        self._flush_timeout = flush_timeout
        self._outbox = outbox if outbox is not None else Outbox()
        self._max_inbox = max_inbox
        self._inbox = Inbox(self.counters, max_messages=max_inbox)
        self._patterns: PatternIndex[str] = PatternIndex()
        self._confirmed: dict[str, None] = {}  # a set that keeps its order
        self._link: Link | None = None  # while it is believed alive
        self._newest: Link | None = None  # until it is closed
        self._linked = asyncio.Event()
        # Who waits for all messages up to a number, oldest first.
        self._draining: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._open = False
        self._supervisor: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        state = "closed" if not self._open else "connected" if self._link else "disconnected"
        return f"<{type(self).__name__} {self.url} {state}>"

    @property
    def connected(self) -> bool:
        """Whether there is a link right now."""
        return self._link is not None

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

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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
            # Not the supervisor's task: one that is cancelled before its first step never runs.
            if self._newest is not None:
                await self._newest.close(graceful=True)
            if len(self._outbox):
                # What matters is kept by whoever published it, and said again.
                _log.info("%s: closed with %d messages unsent", self.url, len(self._outbox))
            self._inbox.close()
            self._linked.set()  # whoever waits for a link learns that there will be none
            self._tell_drained()

    def __aiter__(self) -> AsyncIterator[TransportEvent]:
        """The events, oldest first, for one consumer."""
        return self._inbox

    async def subscribe(self, pattern: str) -> None:
        """See :meth:`ataxxd.transport.base.Transport.subscribe`."""
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
        self._forget(pattern)
        raise SubscriptionRefused(
            f'The broker {self.url} does not let us read "{pattern}". Use another user,'
            " or ask whoever runs the broker to allow it (its access control list)."
        )

    async def unsubscribe(self, pattern: str) -> None:
        """See :meth:`ataxxd.transport.base.Transport.unsubscribe`."""
        check_pattern(pattern)
        self._forget(pattern)
        if self._link is not None:
            with contextlib.suppress(LinkLostError):
                await self._link.unsubscribe(pattern)

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """See :meth:`ataxxd.transport.base.Transport.publish`."""
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
        """See :meth:`ataxxd.transport.base.Transport.drain`."""
        self._check_open()
        # Not for what others publish meanwhile: on a busy connection that never ends.
        upto = self._outbox.newest
        if self._is_acknowledged(upto):
            return
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._draining.append((upto, done))
        await done
        if not self._is_acknowledged(upto):
            raise self._closed_error()

    async def _supervise(self, link: Link) -> None:
        clock = asyncio.get_running_loop().time
        try:
            while True:
                since = clock()
                reason = await link.lost()
                self._link = None
                self._linked.clear()
                self._outbox.rewind()
                self._inbox.put(Disconnected(reason))
                _log.info("%s: disconnected: %s", self.url, reason)
                await link.close(graceful=False)
                self._newest = None
                if clock() - since >= self._stable_after:
                    self._backoff.reset()
                link = await self._reconnect()
        except Exception as error:  # noqa: BLE001 - handed to the consumer
            # A fault of ours: the consumer must not wait for ever.
            _log.exception("%s: the transport failed", self.url)
            self._inbox.close(error)

    async def _reconnect(self) -> Link:
        while True:
            await self._sleep(self._backoff.next())
            try:
                return await self._connect()
            except TransportError as error:
                _log.info("%s: still not connected: %s", self.url, error)

    async def _connect(self) -> Link:
        """Dials, renews the subscriptions and reports the connection."""
        epoch = self.counters.connections + 1
        early: list[Received] = []
        reported = False

        def sink(topic: str, payload: bytes, retained: bool) -> None:
            message = self._admit(topic, payload, retained)
            if message is None:
                return
            if reported:
                self._inbox.put(message)
            elif len(early) < self._max_inbox:
                early.append(message)  # the consumer sees Connected first
            else:
                self.counters.overflowed += 1

        will = self._will(epoch) if self._will is not None else None
        link = await self._dial(will, sink)
        try:
            await self._renew(link)
        except BaseException:
            await link.close(graceful=True)
            raise
        self.counters.connections = epoch
        self._link = self._newest = link
        self._inbox.put(Connected(epoch))
        for message in early:
            self._inbox.put(message)
        reported = True
        _log.info("%s: connected (epoch %d)", self.url, epoch)
        self._linked.set()
        self._pump()
        return link

    async def _renew(self, link: Link) -> None:
        patterns = list(self._confirmed)
        granted: list[bool] = []
        try:
            for begin in range(0, len(patterns), _MOST_AT_ONCE):
                granted += await link.subscribe(patterns[begin : begin + _MOST_AT_ONCE])
        except LinkLostError as error:
            raise TransportError(f"{self.url} hung up while subscriptions were renewed.") from error
        refused = [pattern for pattern, ok in zip(patterns, granted, strict=True) if not ok]
        if refused:
            raise SubscriptionRefused(
                f"The broker {self.url} no longer lets us read {', '.join(refused)}."
                " Ask whoever runs it; trying again."
            )

    def _admit(self, topic: str, payload: bytes, retained: bool) -> Received | None:
        if not self._patterns.matching(topic):
            self.counters.unasked += 1
            return None
        if len(payload) > self._max_payload:
            self.counters.oversize += 1
            _log.debug("%s: dropped %d bytes on %s", self.url, len(payload), topic)
            return None
        return Received(topic, payload, retained)

    def _pump(self) -> None:
        while (link := self._link) is not None and (entry := self._outbox.take()) is not None:
            link.send(entry, self._acknowledged)

    def _acknowledged(self, entry: Entry) -> None:
        if self._outbox.acknowledge(entry):
            self.counters.acknowledged += 1
            self._tell_drained()
            self._pump()

    def _is_acknowledged(self, upto: int) -> bool:
        oldest = self._outbox.oldest
        return oldest is None or oldest > upto

    def _tell_drained(self) -> None:
        while self._draining and (not self._open or self._is_acknowledged(self._draining[0][0])):
            _, done = self._draining.popleft()
            if not done.done():
                done.set_result(None)

    def _forget(self, pattern: str) -> None:
        self._patterns.discard(pattern, pattern)
        self._confirmed.pop(pattern, None)

    async def _request(self, pattern: str) -> bool:
        while True:
            link = await self._wait_for_link()
            try:
                (granted,) = await link.subscribe([pattern])
            except LinkLostError:
                await self._wait_for_loss(link)
            else:
                return granted

    async def _wait_for_link(self) -> Link:
        while True:
            self._check_open()
            if self._link is not None:
                return self._link
            await self._linked.wait()

    async def _wait_for_loss(self, link: Link) -> None:
        # The supervisor learns of the loss on its own; until then the link looks alive.
        while self._link is link:
            await link.lost()
            await asyncio.sleep(0)

    def _check_open(self) -> None:
        if not self._open:
            raise self._closed_error()

    def _closed_error(self) -> TransportClosed:
        return TransportClosed(f"The connection to {self.url} is closed; nothing more is sent.")
