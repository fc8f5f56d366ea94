"""How what many want is shared among them: by address, so that one machine is one of them."""

import asyncio
from collections import Counter, OrderedDict, deque
from typing import Any


class Pace:
    """How fast one address may go on, whatever connections it has: so much at once, then by time.

    Args:
        at_once: things, before it has to wait.
        per_s: things a second, in the long run.
    """

    __slots__ = ("_ahead_s", "_due_s", "_each_s")

    def __init__(self, at_once: int, per_s: float) -> None:
        self._each_s = 1 / per_s
        self._ahead_s = at_once / per_s
        self._due_s = 0.0

    async def next(self) -> None:
        """Wait until there may be one more."""
        now = asyncio.get_running_loop().time()
        self._due_s = max(self._due_s, now) + self._each_s
        if (early_s := self._due_s - now - self._ahead_s) > 0:
            await asyncio.sleep(early_s)


class TurnQueue(asyncio.Queue[dict[str, Any]]):
    """Messages of many clients, one after the other: addresses take turns, and so do their clients.

    However much one address sends, a message of another waits for one of it and no more. Who has
    as many in the queue as it may waits before it puts in another.

    Args:
        each: messages of one client in the queue.
    """

    def __init__(self, each: int) -> None:
        super().__init__()
        self._each = each

    def _init(self, maxsize: int) -> None:  # noqa: ARG002 - bounded by its clients
        self._size = 0
        self._lanes: OrderedDict[str, OrderedDict[int, deque[dict[str, Any]]]] = OrderedDict()

    def qsize(self) -> int:
        """How many messages there are."""
        return self._size

    def empty(self) -> bool:
        """Whether there is none."""
        return not self._size

    async def put(self, item: dict[str, Any]) -> None:
        """Put a message in when its client may have one more."""
        if (session := item["session"]) is not None:
            room = session.attributes.setdefault("room", asyncio.Semaphore(self._each))
            await room.acquire()
        await super().put(item)

    def _put(self, item: dict[str, Any]) -> None:
        session = item["session"]
        address = "" if session is None else str(session.remote_address)
        lanes = self._lanes.setdefault(address, OrderedDict())
        lanes.setdefault(id(session), deque()).append(item)
        self._size += 1

    def _get(self) -> dict[str, Any]:
        address, lanes = self._lanes.popitem(last=False)
        client, lane = lanes.popitem(last=False)
        item = lane.popleft()
        if lane:
            lanes[client] = lane
        if lanes:
            self._lanes[address] = lanes
        self._size -= 1
        if item["session"] is not None:
            item["session"].attributes["room"].release()
        return item


class Waiting:
    """What waits for one client, in all and of each address.

    Attributes:
        count: messages.
        bytes: of them.
        count_of: messages of an address.
        bytes_of: of them.
    """

    def __init__(self) -> None:
        """Nothing waits."""
        self.count = self.bytes = 0
        self.count_of: Counter[str] = Counter()
        self.bytes_of: Counter[str] = Counter()

    def add(self, address: str, size: int) -> None:
        """A message more."""
        self.count += 1
        self.bytes += size
        self.count_of[address] += 1
        self.bytes_of[address] += size

    def remove(self, address: str, size: int) -> None:
        """A message was taken, or lost."""
        self.count -= 1
        self.bytes -= size
        self.count_of[address] -= 1
        self.bytes_of[address] -= size
        if not self.count_of[address]:
            del self.count_of[address], self.bytes_of[address]


class Shares:
    """What is kept for each address: who keeps the most makes room when there is none.

    Args:
        most: bytes that are kept.
        least: bytes that each thing counts for at least.
    """

    def __init__(self, most: int, least: int) -> None:
        self._most = most
        self._least = least
        self._sizes: dict[str, OrderedDict[str, int]] = {}
        self._owners: dict[str, str] = {}
        self._kept: Counter[str] = Counter()

    def drop(self, name: str) -> None:
        """Keep something no longer, if it is kept."""
        owner = self._owners.pop(name, None)
        if owner is not None:
            self._kept[owner] -= self._sizes[owner].pop(name)
            if not self._sizes[owner]:
                del self._sizes[owner], self._kept[owner]

    def add(self, owner: str, name: str, size: int) -> list[str]:
        """Keep something more; what has to go for it."""
        size = max(size, self._least)
        self._owners[name] = owner
        self._sizes.setdefault(owner, OrderedDict())[name] = size
        self._kept[owner] += size
        gone = []
        while self._kept.total() > self._most:
            ((richest, _),) = self._kept.most_common(1)
            oldest = next(iter(self._sizes[richest]))
            self.drop(oldest)
            gone.append(oldest)
        return gone
