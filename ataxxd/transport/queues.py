"""Bounded queues: to the consumer (`Inbox`), and to the broker (`Outbox`).

`Throttle` decides when to unsubscribe for a while from a pattern that strangers may write to.

Bookkeeping without a network; an inbox reads the clock only to see how long it has kept everything
else waiting. An outbox's owner asks for the next entry to send, reports acknowledgements, and
rewinds after a lost connection.
"""

import asyncio
import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

from ataxxd.transport.base import Counters, OutboxFull, Received, TransportEvent

# The most events handed over in one turn of the event loop, and the seconds after which the turn
# ends. Under a flood there are always more events, refusing each may cost a signature check, and
# meanwhile nothing is read, acknowledged or sent, and no other game on this connection is served.
_MAX_IN_A_TURN, _LONGEST_TURN_S = 32, 0.0003
# In a full inbox, one topic may have one in this many of the messages.
_SHARE = 8


class Inbox:
    """A queue of transport events for one consumer, bounded in messages and bytes.

    When a flood fills it, the oldest message is dropped and counted in ``counters.overflowed``:
    the oldest of a topic that has more than its share, so that a flood of one topic does not
    displace others, or else the oldest of all. Connection events are never dropped; there are few,
    since reconnecting backs off. Messages on a preferred topic take turns with all others, and are
    dropped last, so that they do not wait for a flood of other topics. Adding never blocks, so that
    acknowledgements and keepalives continue while the consumer is busy.

    Args:
        counters: counts the drops.
        max_messages: the most undelivered messages.
        max_bytes: the most bytes of their payloads.
    """

    def __init__(
        self, counters: Counters, *, max_messages: int = 4096, max_bytes: int = 16 * 2**20
    ) -> None:
        self._counters = counters
        self._max_messages = max_messages
        self._max_bytes = max_bytes
        self._events: OrderedDict[int, TransportEvent] = OrderedDict()
        self._lanes: dict[str, deque[int]] = {}  # undelivered messages by topic
        self._crowded = ""  # the last topic that exceeded its share
        self._preferred: set[str] = set()
        self._preferred_last = False  # whose turn it was
        self._in_turn = 0
        self._turn_began = 0.0
        self._next = 0
        self._notices = 0  # events other than messages
        self._messages = 0
        self._bytes = 0
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False
        self._failure: BaseException | None = None

    def __len__(self) -> int:
        return len(self._events)

    def prefer(self, topic: str) -> None:
        """Deliver messages on a topic by turns with all others."""
        self._preferred.add(topic)

    def unprefer(self, topic: str) -> None:
        """Give a topic no priority any more."""
        self._preferred.discard(topic)

    def put(self, event: TransportEvent) -> None:
        """Queue an event; ignored after ``close``."""
        if self._closed:
            return
        number, self._next = self._next, self._next + 1
        self._events[number] = event
        if isinstance(event, Received):
            self._counters.received += 1
            self._messages += 1
            self._bytes += len(event.payload)
            self._lanes.setdefault(event.topic, deque()).append(number)
            while self._messages > self._max_messages or self._bytes > self._max_bytes:
                self._remove(self._superfluous(event.topic))
                self._counters.overflowed += 1
        else:
            self._notices += 1
        self._wake()

    def close(self, failure: BaseException | None = None) -> None:
        """End the stream after what is queued; then `failure` is raised in the consumer."""
        if not self._closed:
            self._closed = True
            self._failure = failure
            self._wake()

    def __aiter__(self) -> "Inbox":
        return self

    async def __anext__(self) -> TransportEvent:
        """The next event, the oldest as a rule; waits for one.

        Raises:
            StopAsyncIteration: closed, and everything was delivered.
            RuntimeError: somebody else is already waiting; there is one consumer.
        """
        self._in_turn += 1
        spent = time.monotonic() - self._turn_began > _LONGEST_TURN_S
        if self._events and (spent or self._in_turn > _MAX_IN_A_TURN):
            await asyncio.sleep(0)
            self._begin_turn()
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
            self._begin_turn()
        return self._remove(self._first())

    def _begin_turn(self) -> None:
        self._in_turn, self._turn_began = 1, time.monotonic()

    def _first(self) -> int:
        oldest = next(iter(self._events))
        # While a connection event waits, keep the order: no message may overtake its `Connected`.
        self._preferred_last = not (self._notices or self._preferred_last)
        if self._preferred_last:
            for topic in self._preferred:
                if lane := self._lanes.get(topic):
                    return lane[0]
        return oldest

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _superfluous(self, newest: str) -> int:
        for topic in (newest, self._crowded):
            lane = self._lanes.get(topic)
            if lane and len(lane) > max(1, self._max_messages // _SHARE):
                self._crowded = topic
                return lane[0]
        messages = ((n, event) for n, event in self._events.items() if isinstance(event, Received))
        oldest = next(messages)
        for number, event in chain([oldest], messages):
            if event.topic not in self._preferred:
                return number
        return oldest[0]

    def _remove(self, number: int) -> TransportEvent:
        event = self._events.pop(number)
        if isinstance(event, Received):
            self._messages -= 1
            self._bytes -= len(event.payload)
            lane = self._lanes[event.topic]
            lane.popleft()  # the oldest of its topic
            if not lane:
                del self._lanes[event.topic]
        else:
            self._notices -= 1
        if not self._events:
            # Free the memory that emptied containers keep; it adds up over a thousand games.
            self._events.clear()
            self._lanes.clear()
        return event


@dataclass(slots=True, eq=False)
class Entry:
    """One message on its way out; compared by identity.

    Attributes:
        number: its number in the outbox, from 1.
    """

    topic: str
    payload: bytes
    retain: bool
    number: int


class Outbox:
    """A bounded queue of outgoing messages, of which the first few may be in flight.

    Invariants: entries are sent in order; an entry is forgotten only when it is acknowledged or,
    if retained, replaced by a newer one for its topic.

    Args:
        limit: the most entries, including those in flight.
        window: the most entries in flight.
    """

    def __init__(self, limit: int = 4096, window: int = 64) -> None:
        self._limit = limit
        self._window = window
        self._waiting: deque[Entry] = deque()
        self._flying: dict[Entry, None] = {}  # a set that keeps its order
        self._waiting_retained: dict[str, Entry] = {}
        self._newest = 0

    @property
    def newest(self) -> int:
        """The number of the newest message; 0 before the first."""
        return self._newest

    @property
    def oldest(self) -> int | None:
        """The number of the oldest unacknowledged message; None if there is none."""
        # Rewinding puts messages in flight back at the front, so both are sorted by number.
        first = next(iter(self._flying), None) or (self._waiting[0] if self._waiting else None)
        return None if first is None else first.number

    @property
    def in_flight(self) -> int:
        """How many messages are sent and not yet acknowledged."""
        return len(self._flying)

    @property
    def half_full(self) -> bool:
        """Whether half of the window is in flight."""
        return len(self) >= self._window // 2

    def __len__(self) -> int:
        return len(self._waiting) + len(self._flying)

    def add(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Add a message at the end.

        It replaces an older retained message for the topic that has not been sent yet, but not at
        that one's place, so that it never overtakes what was published before it.

        Raises:
            OutboxFull: nothing has changed.
        """
        superseded = self._waiting_retained.get(topic) if retain else None
        if superseded is None and len(self) >= self._limit:
            raise OutboxFull(
                f"{len(self)} messages wait for the broker's acknowledgement and no more are"
                " kept: it is unreachable or too slow. Check the connection, then try again."
            )
        if superseded is not None:
            self._waiting.remove(superseded)
        self._newest += 1
        entry = Entry(topic, payload, retain, self._newest)
        self._waiting.append(entry)
        if retain:
            self._waiting_retained[topic] = entry

    def take(self) -> Entry | None:
        """The next entry to send, now in flight; None if there is none."""
        if not self._waiting or len(self._flying) >= self._window:
            return None
        entry = self._waiting.popleft()
        self._flying[entry] = None
        if entry.retain:
            del self._waiting_retained[entry.topic]
        return entry

    def acknowledge(self, entry: Entry) -> bool:
        """Forget an entry in flight; returns False if it was not (a late acknowledgement)."""
        if entry not in self._flying:
            return False
        del self._flying[entry]
        return True

    def rewind(self) -> None:
        """Put everything in flight back at the front, in order, to be sent again.

        Of the retained messages for one topic, only the newest stays.
        """
        entries = [*self._flying, *self._waiting]
        self._flying.clear()
        newest = {entry.topic: entry for entry in entries if entry.retain}
        self._waiting = deque(
            entry for entry in entries if not entry.retain or newest[entry.topic] is entry
        )
        self._waiting_retained = newest


# The size of the bucket, and the messages that it gains per second. A node short of processor time
# reads no more than some hundreds a second of any flood, so the rate is far below that.
_BURST, _PER_S = 128.0, 32.0
# What the bucket holds after a pause.
_AFTER_PAUSE = 64.0
# The shortest and longest pause, in seconds. A pause is twice as long as the last one if that ended
# less than _CALM_S seconds ago.
_SHORTEST_S, _LONGEST_S, _CALM_S = 2.0, 16.0, 4.0


class Throttle:
    """A token bucket for the messages on one pattern; when it is empty, the pattern is paused.

    Attributes:
        exempt_topic: a topic under the pattern that is never paused; empty for none.
        on_missed: called with the pattern after each pause, since messages may have been missed.
        is_paused: whether the pattern is paused now.
    """

    __slots__ = (
        "_pause_s",
        "_resumed_at",
        "_since",
        "_tokens",
        "exempt_topic",
        "is_paused",
        "on_missed",
    )

    def __init__(self, now: float) -> None:
        """Begin without messages; all times are seconds of one clock."""
        self.exempt_topic = ""
        self.on_missed: Callable[[str], None] | None = None
        self.is_paused = False
        self._tokens, self._since = _BURST, now
        self._pause_s, self._resumed_at = _SHORTEST_S, now - _CALM_S

    def is_exceeded(self, now: float) -> bool:
        """Count a message; returns whether it is one too many."""
        self._tokens = min(_BURST, self._tokens + (now - self._since) * _PER_S) - 1
        self._since = now
        return self._tokens < 0

    def next_pause_s(self, now: float) -> float:
        """The length of a pause that begins now, in seconds.

        Pauses end at multiples of their length, so that those of several patterns end together.
        """
        again = now - self._resumed_at < _CALM_S
        self._pause_s = min(_LONGEST_S, 2 * self._pause_s) if again else _SHORTEST_S
        return self._pause_s - now % self._pause_s

    def resume(self, now: float) -> None:
        """Start counting again after a pause."""
        self.is_paused = False
        self._resumed_at = self._since = now
        self._tokens = _AFTER_PAUSE
