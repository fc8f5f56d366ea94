"""What waits for the consumer: events in order, within bounds."""

import asyncio
from collections import deque

from ataxxd.transport.base import Connected, Counters, Disconnected, Received, TransportEvent


class Inbox:
    """A queue of transport events for one consumer, bounded in messages and bytes.

    When a flood fills it, the oldest *message* gives way and is counted in
    ``counters.overflowed``; connection events always stay, and consecutive ones
    are few because reconnecting backs off. Filling never blocks, so that
    acknowledgements and keepalives go on while a consumer is busy.

    Args:
        counters: where drops are counted.
        max_messages: undelivered messages kept at most.
        max_bytes: sum of their payloads at most.
    """

    def __init__(
        self, counters: Counters, *, max_messages: int = 4096, max_bytes: int = 16 * 2**20
    ) -> None:
        self._counters = counters
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._events: deque[TransportEvent] = deque()
        self._messages = 0
        self._bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._failure: BaseException | None = None

    def __len__(self) -> int:
        return len(self._events)

    def put(self, event: TransportEvent) -> None:
        """Queues an event; after ``close`` it is ignored."""
        if self._closed:
            return
        self._events.append(event)
        if isinstance(event, Received):
            self._counters.received += 1
            self._messages += 1
            self._bytes += len(event.payload)
            while self._messages > self._max_messages or self._bytes > self._max_bytes:
                self._drop_oldest_message()
        self._wake()

    def close(self, failure: BaseException | None = None) -> None:
        """Ends the stream after what is queued; `failure` is raised to the consumer then."""
        if not self._closed:
            self._closed = True
            self._failure = failure
            self._wake()

    def __aiter__(self) -> "Inbox":
        return self

    async def __anext__(self) -> TransportEvent:
        """The oldest event; waits for one.

        Raises:
            StopAsyncIteration: closed, and everything was delivered.
            RuntimeError: somebody else is already waiting; there is one consumer.
        """
        while not self._events:
            if self._closed:
                if self._failure is not None:
                    raise self._failure
                raise StopAsyncIteration
            if self._waiter is not None:
                raise RuntimeError("A transport's events have one consumer; another is waiting.")
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        event = self._events.popleft()
        if isinstance(event, Received):
            self._messages -= 1
            self._bytes -= len(event.payload)
        return event

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _drop_oldest_message(self) -> None:
        kept: list[Connected | Disconnected] = []
        while True:
            event = self._events.popleft()
            if isinstance(event, Received):
                break
            kept.append(event)
        self._events.extendleft(reversed(kept))
        self._messages -= 1
        self._bytes -= len(event.payload)
        self._counters.overflowed += 1
