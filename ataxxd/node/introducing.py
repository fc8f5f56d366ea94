"""Introductions: in a game we tell our nickname, and learn those of the players.

Nothing waits for them. What of it may be looked at is bounded, whoever writes.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ataxxd.errors import TransportError
from ataxxd.node.admission import Rate, TokenBucket
from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.names import NameBook
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.node.waiting import Signal
from ataxxd.session.events import Named, Overheard
from ataxxd.session.ledger import Ledger
from ataxxd.transport.base import Transport
from ataxxd_protocol import Topics

# A name is told once a connection, and changed when a person feels like it.
_ONE = Rate(8, 0.2)
# The players and some who talk; others stay as they are known.
_MOST_NODES = 32

LEARN_S = 0.5
"""How long `learn` waits for names; not every node has one."""


class Introductions:
    """The nicknames of those who are in one game; `run` must run beside it.

    Attributes:
        names: what is known of them.
    """

    def __init__(
        self,
        names: NameBook,
        transport: Transport,
        topics: Topics,
        us: str | None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        most: int = _MOST_NODES,
    ) -> None:
        """Nobody is met yet.

        Args:
            names: what is known, and learns more.
            transport: the game's.
            topics: where nicknames are.
            us: this node, where its own nickname is to be told.
            clock: for how much is looked at.
            most: nodes that are met.
        """
        self.names = names
        self._transport = transport
        self._topics = topics
        self._us = us
        self._clock = clock
        self._most = most
        self._met: dict[str, TokenBucket] = {}
        self._to_ask: list[str] = []
        self._to_tell = us is not None
        self._due = Signal()
        self._due.set()
        self._learnt = Signal()

    def meet(self, node: str | None) -> None:
        """Learn what a node calls itself."""
        if node in (None, self._us) or node in self._met or len(self._met) >= self._most:
            return
        assert node is not None
        self._met[node] = TokenBucket(_ONE, self._clock.monotonic)
        self.names.seen(node)
        self._to_ask.append(node)
        self._due.set()

    def connected(self) -> None:
        """Tell our name again: the broker may have lost it."""
        self._to_tell = self._us is not None
        self._due.set()

    def hear(self, incoming: Incoming) -> bool:
        """Hear what came on the topic of a nickname; whether it is news of somebody we met."""
        bucket = self._met.get(str(incoming.address.writer))
        if bucket is None or not bucket.take() or not self.names.take(incoming):
            return False
        self._learnt.set()
        return True

    def named(self, incoming: Incoming, ledger: Ledger) -> Named | None:
        """Hear what came on the topic of a nickname; the event when it is news of a player."""
        node = str(incoming.address.writer)
        role = ledger.role_of(node) if self.hear(incoming) else None
        if role is None:
            return None
        nickname = str(self.names.name_of(node))
        return Named(ledger.side_of(role), self.names.shown(node), role, node, nickname)

    def introduced(self, heard: Overheard) -> Overheard:
        """What a spectator said, under its name; we learn it from now on."""
        self.meet(heard.node)
        return replace(heard, speaker=self.names.shown(heard.node))

    async def learn(self, node: str, seconds: float = LEARN_S) -> None:
        """Wait for the name of somebody we met, but not for long: not everybody has one."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.names.name_of(node) is None:
                    self._learnt.clear()
                    await self._learnt.wait()

    async def run(self) -> None:
        """Tell and ask whenever it is due, for ever."""
        while True:
            await self._due.wait()
            self._due.clear()
            # A broker that does not let us: then nobody has a name here.
            with suppress(TransportError):
                await self.tell()
            while self._to_ask:
                with suppress(TransportError):
                    await self._transport.subscribe(self._topics.nickname(self._to_ask.pop()))

    async def tell(self) -> None:
        """Tell our name, if it is to be told and there is one.

        Raises:
            TransportError: the broker does not let us.
        """
        if not self._to_tell or self._us is None:
            return
        self._to_tell = False
        payload = self.names.signed(self._us)
        if payload is not None:
            await self._transport.publish(self._topics.nickname(self._us), payload, retain=True)


async def learn(
    names: NameBook,
    transport: Transport,
    topics: Topics,
    nodes: Sequence[str],
    *,
    us: str | None = None,
    seconds: float = LEARN_S,
) -> None:
    """Learn what some nodes call themselves, from what a broker retains, and tell our own name.

    Args:
        names: what is known; it learns more.
        transport: open, and read by nobody else.
        topics: where nicknames are.
        nodes: their ids.
        us: this node, where its own nickname is to be told.
        seconds: how long at most.
    """
    here = Introductions(names, transport, topics, us, most=max(len(nodes), 1))
    with suppress(TransportError):
        await here.tell()
    missing = set(nodes) - {us}
    if not missing:
        return
    for node in nodes:
        here.meet(node)
    asking = asyncio.create_task(here.run(), name="nicknames")
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                async for event in Receiver(transport, topics):
                    if not isinstance(event, Incoming):
                        continue
                    here.hear(event)
                    missing.discard(str(event.address.writer))
                    if not missing:
                        return
    finally:
        asking.cancel()
        await asyncio.wait({asking})
