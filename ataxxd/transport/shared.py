"""One connection shared by many games: each has a transport of its own, a *line*.

For a thousand games of one node, the broker and the node have one connection instead of a thousand.
A line promises what :class:`ataxxd.transport.base.Transport` does, but has no will, since a
connection has only one.
"""

import asyncio
import math
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, suppress
from typing import Self

from ataxxd.errors import TransportError
from ataxxd.transport.base import (
    Connected,
    Counters,
    Received,
    Refused,
    Sieve,
    Transport,
    TransportClosed,
    TransportEvent,
)
from ataxxd.transport.queues import Inbox
from ataxxd.transport.topics import check_pattern

# A message that many lines subscribe to, such as a question to everybody, goes to so many lines at
# once, to so many more a second, and always to a few: each of them may send an answer.
_MANY, _PER_S, _FEW = 64.0, 64.0, 2
# The most that is queued for a line's consumer, in messages and bytes.
_LINE_MESSAGES, _LINE_BYTES = 1024, 4 * 2**20
# Seconds for which a line counts as heard after a message.
_HEARD_S = 60.0
# The most topics whose last message, and the line that sent it, are remembered.
_MAX_ECHOES = 1024


class SharedConnection:
    """A connection to a broker, shared by several lines; open while it is entered."""

    def __init__(
        self, transport: Transport, for_many: Callable[[str, bytes], bool] | None = None
    ) -> None:
        """Share a transport that is not yet open and has no other consumer.

        Args:
            transport: the transport to share.
            for_many: whether a message that several lines subscribe to is worth passing to them;
                if not, none of them gets it, and it does not count against their rates.
        """
        self._transport = transport
        self._for_many = for_many
        # The lines of each pattern, in the order in which they subscribed.
        self._lines: dict[str, tuple[_Line, ...]] = {}
        self._open: dict[_Line, None] = {}
        self._connected: Connected | None = None
        self._stack = AsyncExitStack()
        self._failure: BaseException | None = None
        self._missed_callback = self._on_missed  # one bound method for all patterns
        self._left = _MANY
        self._since = 0.0
        self._turn = 0
        # The last line to publish on each topic, and the hash of its payload. Python's hashes of
        # bytes are keyed, so nobody else can construct a payload with the same one.
        self._last_published: dict[str, tuple[_Line, int]] = {}

    @property
    def counters(self) -> Counters:
        """Counts of messages on the connection."""
        return self._transport.counters

    @property
    def url(self) -> str:
        """The broker's address, without secrets; of several, the one in use."""
        return self._transport.url

    @property
    def connected(self) -> bool:
        """Whether the broker is connected now."""
        return self._connected is not None

    def make_line(self, *, hears_itself: bool = True) -> Transport:
        """A transport over this connection, not open yet; it must not outlive the connection.

        Args:
            hears_itself: also deliver the messages that the line itself has published. For a host,
                which reads all mailboxes of its game, these are half of all messages.
        """
        return _Line(self, self._transport, hears_itself=hears_itself)

    async def __aenter__(self) -> Self:
        """Connects; raises as :meth:`ataxxd.transport.base.Transport.__aenter__`."""
        await self._stack.enter_async_context(self._transport)
        self._since = asyncio.get_running_loop().time()
        router = asyncio.create_task(self._route(), name=f"lines to {self._transport.url}")
        self._stack.push_async_callback(_cancel, router)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Says goodbye, once what was published is acknowledged, or has had a moment for it."""
        await self._stack.aclose()
        for line in [*self._open]:
            line.end(None)

    def add(self, line: "_Line") -> None:
        """Add a line, which is being opened."""
        self._open[line] = None
        if self._failure is not None:
            line.end(self._failure)
        elif self._connected is not None:
            line.receive(self._connected)

    def remove(self, line: "_Line") -> None:
        """Remove a line, which is being closed."""
        self._open.pop(line, None)

    async def subscribe(self, line: "_Line", pattern: str) -> None:
        """Subscribe to a pattern; returns when the broker has confirmed."""
        check_pattern(pattern)
        if line not in self._pattern_lines(pattern):
            self._lines[pattern] = (*self._pattern_lines(pattern), line)
        try:
            await self._transport.subscribe(pattern)
        except BaseException:
            self._discard(pattern, line)
            raise

    def throttle(self, pattern: str, *, exempt_topic: str) -> None:
        """Pause a pattern whenever too many messages come on it."""
        self._transport.throttle(
            pattern, exempt_topic=exempt_topic, on_missed=self._missed_callback
        )

    def sift(self, line: "_Line", topic: str, sieve: Sieve | None) -> None:
        """Drop messages that a line's sieve refuses, if no other line subscribes to the topic."""

        def passes(payload: bytes) -> bool:
            return self._topic_lines(topic) != (line,) or sieve is None or sieve(payload)

        self._transport.sift(topic, None if sieve is None else passes)

    def unthrottle(self, line: "_Line", pattern: str) -> None:
        """Receive all messages on a pattern again, if no other line subscribes to it."""
        if all(other is line for other in self._pattern_lines(pattern)):
            self._transport.unthrottle(pattern)

    async def unsubscribe(self, line: "_Line", pattern: str) -> None:
        """Unsubscribe; messages still on their way are dropped."""
        check_pattern(pattern)
        self._discard(pattern, line)
        if pattern not in self._lines:
            await self._transport.unsubscribe(pattern)

    async def publish(self, line: "_Line", topic: str, payload: bytes, *, retain: bool) -> None:
        """Queue a message for delivery, at least once and in order; returns at once."""
        await self._transport.publish(topic, payload, retain=retain)
        if not line.hears_itself:
            self._last_published[topic] = (line, hash(payload))
            if len(self._last_published) > _MAX_ECHOES:
                del self._last_published[next(iter(self._last_published))]

    def change_member(self, line: "_Line", reason: str) -> bool:
        """Reconnect, to the next member of a cluster, unless other lines hear something."""
        since = asyncio.get_running_loop().time() - _HEARD_S
        if any(other.heard_s > since for other in self._open if other is not line):
            return False
        return self._transport.change_member(reason)

    async def _route(self) -> None:
        try:
            async for event in self._transport:
                match event:
                    case Received(topic, payload, retained):
                        lines = self._topic_lines(topic)
                        said = self._last_published.get(topic)
                        if said is not None and hash(payload) == said[1] and not retained:
                            del self._last_published[topic]
                            lines = tuple(line for line in lines if line is not said[0])
                        if len(lines) > 1 and self._for_many is not None:
                            lines = lines if self._for_many(topic, payload) else ()
                        for line in self._limit_lines(lines):
                            line.receive(event)
                    case Refused():
                        for line in [*self._open]:
                            line.receive(event)
                    case _:
                        self._connected = event if isinstance(event, Connected) else None
                        for line in [*self._open]:
                            line.receive(event)
        except Exception as error:  # noqa: BLE001 - handed to every consumer
            self._failure = error
            for line in [*self._open]:
                line.end(error)

    def _on_missed(self, pattern: str) -> None:
        for line in self._limit_lines(self._pattern_lines(pattern)):
            line.on_missed(pattern)

    def _pattern_lines(self, pattern: str) -> "tuple[_Line, ...]":
        return self._lines.get(pattern, ())

    def _topic_lines(self, topic: str) -> "tuple[_Line, ...]":
        """The lines that subscribe to a topic, each once."""
        patterns = self._transport.patterns(topic)
        if len(patterns) == 1:
            return self._pattern_lines(patterns[0])
        return tuple(dict.fromkeys(line for each in patterns for line in self._pattern_lines(each)))

    def _discard(self, pattern: str, line: "_Line") -> None:
        left = tuple(other for other in self._pattern_lines(pattern) if other is not line)
        if left:
            self._lines[pattern] = left
        else:
            self._lines.pop(pattern, None)

    def _limit_lines(self, lines: "Sequence[_Line]") -> "Sequence[_Line]":
        if len(lines) <= 1:
            return lines
        now = asyncio.get_running_loop().time()
        self._left = min(_MANY, self._left + (now - self._since) * _PER_S)
        self._since = now
        count = min(len(lines), max(_FEW, int(self._left)))
        self._left = max(0.0, self._left - count)
        if count < len(lines):
            # Next time, begin with the lines that are left out now.
            turn = self._turn % len(lines)
            self._turn = (turn + count) % len(lines)
            lines = [*lines[turn:], *lines[:turn]]
        return lines[:count]


class _Line:
    """One transport over a shared connection; see `Transport` for what it does."""

    def __init__(
        self, shared: SharedConnection, transport: Transport, *, hears_itself: bool
    ) -> None:
        self.counters = Counters()
        self.hears_itself = hears_itself
        self.heard_s = -math.inf
        self._shared = shared
        self._transport = transport
        self._inbox = Inbox(self.counters, max_messages=_LINE_MESSAGES, max_bytes=_LINE_BYTES)
        self._patterns: dict[str, None] = {}
        self._missed_callbacks: dict[str, Callable[[str], None]] = {}
        self._open = False

    @property
    def url(self) -> str:
        return self._transport.url

    @property
    def congested(self) -> bool:
        """As for the whole connection: the line's messages queue with those of the others."""
        return self._transport.congested

    async def __aenter__(self) -> Self:
        """Opens the line; the connection is there, or coming back."""
        self._open = True
        self._shared.add(self)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Forgets what the line subscribed to; what it published is on its way."""
        self._open = False
        self._shared.remove(self)
        for pattern in [*self._patterns]:
            with suppress(TransportError):
                await self.unsubscribe(pattern)
        self._inbox.close()

    async def subscribe(self, pattern: str) -> None:
        self._check_open()
        await self._shared.subscribe(self, pattern)
        self._patterns[pattern] = None

    def prefer(self, topic: str, sieve: Sieve | None = None) -> None:
        self._inbox.prefer(topic)
        if sieve is not None:
            self.sift(topic, sieve)

    def unprefer(self, topic: str) -> None:
        self._inbox.unprefer(topic)
        self.sift(topic, None)

    def sift(self, topic: str, sieve: Sieve | None) -> None:
        self._shared.sift(self, topic, sieve)

    def throttle(
        self,
        pattern: str,
        *,
        exempt_topic: str = "",
        on_missed: Callable[[str], None] | None = None,
    ) -> None:
        """Pause a pattern, for all lines, whenever too many messages come on it."""
        if on_missed is not None:
            self._missed_callbacks[pattern] = on_missed
        self._shared.throttle(pattern, exempt_topic=exempt_topic)

    def on_missed(self, pattern: str) -> None:
        """Report that a pattern is received again after a pause."""
        if (missed := self._missed_callbacks.get(pattern)) is not None:
            missed(pattern)

    def unthrottle(self, pattern: str) -> None:
        self._missed_callbacks.pop(pattern, None)
        self._shared.unthrottle(self, pattern)

    def patterns(self, topic: str) -> Sequence[str]:
        return self._transport.patterns(topic)

    async def unsubscribe(self, pattern: str) -> None:
        self._patterns.pop(pattern, None)
        await self._shared.unsubscribe(self, pattern)

    async def renew(self, *patterns: str) -> None:
        await self._transport.renew(*patterns)

    @property
    def members(self) -> int:
        return self._transport.members

    def change_member(self, reason: str) -> bool:
        return self._shared.change_member(self, reason)

    async def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        self._check_open()
        await self._shared.publish(self, topic, payload, retain=retain)
        self.counters.published += 1

    async def drain(self) -> None:
        await self._transport.drain()

    def __aiter__(self) -> AsyncIterator[TransportEvent]:
        return self._inbox

    def receive(self, event: TransportEvent) -> None:
        """Queue an event of the connection for the line's consumer."""
        if isinstance(event, Connected):
            self.counters.connections = event.epoch
        elif isinstance(event, Received) and not event.retained:
            self.heard_s = asyncio.get_running_loop().time()
        self._inbox.put(event)

    def end(self, failure: BaseException | None) -> None:
        """End the line, since the connection is closed or has failed."""
        self._open = False
        self._inbox.close(failure)

    def _check_open(self) -> None:
        if not self._open:
            raise TransportClosed(f"This line to {self.url} is closed; nothing more is sent.")


async def _cancel(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.wait({task})
