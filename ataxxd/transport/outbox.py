"""What waits for the broker's acknowledgement, in order, within bounds.

Pure bookkeeping: no clock, no network. The owner asks for the next entry to
send, reports acknowledgements, and rewinds after a lost connection.
"""

from collections import deque
from dataclasses import dataclass

from ataxxd.transport.errors import OutboxFull


@dataclass(slots=True, eq=False)
class Entry:
    """One message on its way out; compared by identity.

    Attributes:
        number: counts the messages of its outbox, from 1.
    """

    topic: str
    payload: bytes
    retain: bool
    number: int


class Outbox:
    """A bounded queue of messages, of which the first few may be in flight.

    Invariants: entries leave for the wire in the order they came; an entry is
    forgotten only when acknowledged, or, if retained, when a newer one for its
    topic makes it pointless.

    Args:
        limit: entries held at most, those in flight included.
        window: entries in flight at most.
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
        """The number of the newest message taken in; 0 before the first."""
        return self._newest

    @property
    def oldest(self) -> int | None:
        """The number of the oldest message not yet acknowledged; None when there is none."""
        # Rewinding puts what flew back to the front, so both are in the order they came in.
        first = next(iter(self._flying), None) or (self._waiting[0] if self._waiting else None)
        return None if first is None else first.number

    @property
    def in_flight(self) -> int:
        """How many messages have been sent and are not acknowledged."""
        return len(self._flying)

    @property
    def half_full(self) -> bool:
        """Whether as much waits for its acknowledgement as half of what may be in flight."""
        return len(self) >= self._window // 2

    def __len__(self) -> int:
        return len(self._waiting) + len(self._flying)

    def add(self, topic: str, payload: bytes, *, retain: bool) -> None:
        """Takes a message in at the end.

        An older retained message for the topic that has not been sent yet goes:
        its place in the order is given up, so that the newest never overtakes
        what was published before it.

        Raises:
            OutboxFull: nothing is taken in and nothing has changed.
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
        """The next entry to send, which counts as in flight from now; None when there is none."""
        if not self._waiting or len(self._flying) >= self._window:
            return None
        entry = self._waiting.popleft()
        self._flying[entry] = None
        if entry.retain:
            del self._waiting_retained[entry.topic]
        return entry

    def acknowledge(self, entry: Entry) -> bool:
        """Forgets an entry in flight; False when it was not in flight (a late echo)."""
        if entry not in self._flying:
            return False
        del self._flying[entry]
        return True

    def rewind(self) -> None:
        """Puts everything in flight back to the front, in order, to be sent again.

        Of the retained messages of one topic only the newest stays.
        """
        entries = [*self._flying, *self._waiting]
        self._flying.clear()
        newest = {entry.topic: entry for entry in entries if entry.retain}
        self._waiting = deque(
            entry for entry in entries if not entry.retain or newest[entry.topic] is entry
        )
        self._waiting_retained = newest
