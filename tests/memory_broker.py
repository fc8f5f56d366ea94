"""A broker in memory.

It has the semantics that the wire rules count on: exact and wildcard
subscriptions, retained messages, wills, at-least-once with acknowledgements,
connections that break and come back. The transports are the same
``ReconnectingTransport`` as over MQTT, so what holds there holds here.

Deterministic: no time passes, nothing is random. A message reaches the inbox of
every subscriber before ``publish`` returns; a transport that lost its
connection comes back as soon as broker and cable are there again. A broker may
drop, repeat, reorder and forge: see ``interfere`` and ``inject``.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from ataxxd.transport.base import BrokerUnreachable, Will, WillFactory
from ataxxd.transport.queues import Entry
from ataxxd.transport.reconnecting import Endpoint, LinkLostError, ReconnectingTransport, Sink
from ataxxd.transport.topics import check_topic, matches, unshared


@dataclass(frozen=True, slots=True)
class Carried:
    """A message inside the broker, on its way to the subscribers."""

    topic: str
    payload: bytes
    retain: bool


Interference: TypeAlias = Callable[[Carried], Iterable[Carried]]
"""What the broker makes of a message: itself, nothing, copies, or something else."""


class MemoryBroker:
    """A broker that is a Python object; usable on one event loop.

    Attributes:
        retained: the retained payload of each topic; tests may look and change.
        log: every message published, in order, before any interference.
        interfere: applied to each published message, when set.
        refused: patterns that may not be subscribed to, exactly as asked for.
        persistent: whether retained messages survive ``stop``.
        shares: whether there are shared subscriptions; without, such a filter matches nothing.
        acknowledges: whether who publishes is told that the message is there.
        resubscribes: whether a SUBSCRIBE to what a client has subscribed to already does anything:
            without, it brings neither what is retained nor a subscription that was lost.
        unsubscribed: the patterns that were unsubscribed from, in order.
    """

    def __init__(
        self, name: str = "memory", *, persistent: bool = False, shares: bool = True
    ) -> None:
        self.url = f"memory://{name}"
        self.retained: dict[str, bytes] = {}
        self.log: list[Carried] = []
        self.interfere: Interference | None = None
        self.refused: set[str] = set()
        self.persistent = persistent
        self.shares = shares
        self.acknowledges = True
        self.resubscribes = True
        self.unsubscribed: list[str] = []
        self._turns: dict[str, int] = {}
        self._links: list[_MemoryLink] = []
        self._up = asyncio.Event()
        self._up.set()

    @property
    def running(self) -> bool:
        """Whether clients can connect."""
        return self._up.is_set()

    @property
    def client_count(self) -> int:
        """Connected clients."""
        return len(self._links)

    def connect(self, *, will: WillFactory | None = None, **options: Any) -> "MemoryTransport":
        """A transport, not yet opened; `options` as for ``ReconnectingTransport``."""
        return MemoryTransport(self, will=will, **options)

    def stop(self, *, wills: bool = False) -> None:
        """Breaks every connection and accepts no new one; publishes all wills before if asked."""
        self._up.clear()
        for link in [*self._links] if wills else ():
            self._publish_will(link)
        for link in [*self._links]:
            self._drop(link, "the broker stopped")
        if not self.persistent:
            self.retained.clear()

    def start(self) -> None:
        """Accepts connections again; transports that lost theirs come back."""
        self._up.set()

    def inject(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publishes as if from an unknown client; never interfered with."""
        check_topic(topic)
        self._deliver(Carried(topic, payload, retain))

    def _accept(self, link: "_MemoryLink") -> None:
        self._links.append(link)

    def _receive(self, message: Carried) -> None:
        self.log.append(message)
        for carried in [message] if self.interfere is None else [*self.interfere(message)]:
            self._deliver(carried)

    def _deliver(self, message: Carried) -> None:
        if message.retain and message.payload:
            self.retained[message.topic] = message.payload
        elif message.retain:
            self.retained.pop(message.topic, None)
        sharing: dict[str, list[_MemoryLink]] = {}
        for link in [*self._links]:
            asked = [pattern for pattern in link.patterns if matches(pattern, message.topic)]
            if any(unshared(pattern)[0] is None for pattern in asked):
                link.sink(message.topic, message.payload, False)
            for pattern in asked:
                if unshared(pattern)[0] is not None and self.shares:
                    sharing.setdefault(pattern, []).append(link)
        for pattern, links in sharing.items():
            turn = self._turns.get(pattern, 0)
            self._turns[pattern] = turn + 1
            links[turn % len(links)].sink(message.topic, message.payload, False)

    def _subscribe(self, link: "_MemoryLink", patterns: Sequence[str]) -> list[bool]:
        granted = [pattern not in self.refused for pattern in patterns]
        for pattern, ok in zip(patterns, granted, strict=True):
            known = not self.resubscribes and pattern in link.patterns | link.forgotten
            if ok and not known:
                link.patterns.add(pattern)
                if unshared(pattern)[0] is not None:
                    continue
                for topic, payload in [*self.retained.items()]:
                    if matches(pattern, topic):
                        link.sink(topic, payload, True)
        return granted

    def _drop(self, link: "_MemoryLink", reason: str, *, will: bool = False) -> None:
        if link not in self._links:
            return
        self._links.remove(link)
        link.end(reason)
        if will:
            self._publish_will(link)

    def _publish_will(self, link: "_MemoryLink") -> None:
        if link.will is not None:
            self._receive(Carried(link.will.topic, link.will.payload, link.will.retain))


class MemoryTransport(ReconnectingTransport):
    """A node's connection to a :class:`MemoryBroker`, with a cable that can be pulled."""

    def __init__(
        self, broker: MemoryBroker, *, will: WillFactory | None = None, **options: Any
    ) -> None:
        self._broker = broker
        self._plugged = asyncio.Event()
        self._plugged.set()
        options.setdefault("sleep", self._until_reachable)
        super().__init__([Endpoint(broker.url, self._open_link)], will=will, **options)

    def cut(self) -> None:
        """Breaks the connection as a crash would: the will is published; it comes back at once."""
        if isinstance(self._link, _MemoryLink):
            self._broker._drop(self._link, "the connection was cut", will=True)

    def unplug(self) -> None:
        """Breaks the connection until ``plug``; the broker publishes the will."""
        self._plugged.clear()
        self.cut()

    def plug(self) -> None:
        """Lets the transport reconnect after ``unplug``."""
        self._plugged.set()

    def forget(self) -> None:
        """Makes the broker forget what this connection has subscribed to, without a word."""
        if isinstance(self._link, _MemoryLink):
            self._link.forgotten |= self._link.patterns
            self._link.patterns.clear()

    async def _until_reachable(self, _seconds: float) -> None:
        while not (self._broker.running and self._plugged.is_set()):
            await self._broker._up.wait()
            await self._plugged.wait()

    async def _open_link(self, will: Will | None, sink: Sink) -> "_MemoryLink":
        if not self._broker.running or not self._plugged.is_set():
            raise BrokerUnreachable(
                f"No broker answers at {self.url}: it is stopped. Start it and try again."
            )
        return _MemoryLink(self._broker, will, sink)


class _MemoryLink:
    """One connection; see ``reconnecting.Link``: it is lost at the moment when it breaks."""

    def __init__(self, broker: MemoryBroker, will: Will | None, sink: Sink) -> None:
        self.will = will
        self.sink = sink
        self.patterns: set[str] = set()
        self.forgotten: set[str] = set()
        self._broker = broker
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[str] = self._loop.create_future()
        broker._accept(self)

    @property
    def last_heard_s(self) -> float:
        return self._loop.time()

    def send(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        if not self._gone.done():
            self._broker._receive(Carried(entry.topic, entry.payload, entry.retain))
            if self._broker.acknowledges:
                self._loop.call_soon(self._confirm, entry, on_acknowledged)

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        self._check()
        return self._broker._subscribe(self, patterns)

    async def unsubscribe(self, pattern: str) -> None:
        self._check()
        self.patterns.discard(pattern)
        self.forgotten.discard(pattern)
        self._broker.unsubscribed.append(pattern)

    def give_up(self, reason: str) -> None:
        self._broker._drop(self, reason, will=True)

    async def wait_until_lost(self) -> str:
        return await asyncio.shield(self._gone)

    async def close(self, *, graceful: bool) -> None:
        self._broker._drop(self, "closed here", will=not graceful)

    def end(self, reason: str) -> None:
        """Reports the loss to whoever waits for it."""
        if not self._gone.done():
            self._gone.set_result(reason)

    def _confirm(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        # A connection that broke in between leaves the sender in doubt, as it should.
        if not self._gone.done():
            on_acknowledged(entry)

    def _check(self) -> None:
        if self._gone.done():
            raise LinkLostError
