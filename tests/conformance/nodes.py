"""Real runtimes, journals and transports around the sessions, for requirements on nodes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.presence import Announcer
from ataxxd.node.runtime import OfferPublished, PlayerRuntime, RuntimeEvent
from ataxxd.session.events import Event, MayClaim, Moved, Notice, Over, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from ataxxd.transport.base import Transport
from ataxxd_protocol import Topics
from ataxxd_protocol.messages import Offer
from tests.conformance.games import AGENT, KEYS, NONCE, SECRET
from tests.memory_broker import MemoryBroker, MemoryTransport

TOPICS = Topics()


def announcer(offer: Offer, role: Role) -> Announcer:
    """What a player says of its presence in a game."""
    return Announcer(offer, KEYS[role])


@dataclass
class Node:
    """A player with its journal and its connection.

    Attributes:
        runtime: the seat; `run` it, or use `playing`.
        journal: where it keeps its messages.
    """

    role: Role
    offer: Offer
    transport: Transport
    runtime: PlayerRuntime
    journal: Journal
    stored: StoredGame

    @classmethod
    def make(
        cls,
        folder: Path,
        role: Role,
        speaker: Announcer,
        transport: Transport,
        *,
        claims: bool = False,
    ) -> "Node":
        """A player at the start of a game, or where its journal in `folder` left off."""
        offer = speaker.offer
        journal = Journal(folder / f"{role}.journal")
        stored = journal.find(offer.digest) or journal.begin(offer, role, {})
        ledger: Ledger = journal.ledger(stored)
        secret = SECRET if role is Role.HOST else ""
        session = PlayerSession(ledger, role, KEYS[role], secret)
        runtime = PlayerRuntime(session, speaker, transport, journal, stored, claims=claims)
        return cls(role, offer, transport, runtime, journal, stored)

    async def run(self) -> None:
        """Play until the game is closed; a guest asks for the seat first."""
        session = self.runtime.session
        asks = self.role is Role.GUEST and session.ledger.join is None
        timing = self.runtime.timing
        first = session.ask_to_join(NONCE, AGENT) if asks else session.complete_pending(timing)
        await self.runtime.run(first)

    async def until(self, *kinds: type[Event | Notice | OfferPublished | MayClaim]) -> RuntimeEvent:
        """The next event of these kinds."""
        while True:
            event = await self.runtime.events.get()
            assert event is not None, "the runtime has ended"
            if isinstance(event, kinds):
                return event

    async def play_by_itself(self) -> None:
        """Make the first legal move whenever it is our turn, until the game is over."""
        session = self.runtime.session
        while session.ledger.outcome is None:
            if session.ledger.on_turn is self.role:
                await self.runtime.play(session.ledger.position.legal_moves[0])
            else:
                await self.until(Started, Moved, Over)


@dataclass
class Hall:
    """A broker in memory with a host and a guest at it."""

    broker: MemoryBroker
    host: Node
    guest: Node
    host_line: MemoryTransport
    guest_line: MemoryTransport

    def said(self, node: Node, kind: str | None = None) -> list[bytes]:
        """What a node published in its mailbox, or to another topic of its own, so far."""
        name, host, key = node.offer.name, node.offer.host, KEYS[node.role].node
        topic = {
            None: TOPICS.out(name, host, key),
            "status": TOPICS.status(name, host, key),
            "offer": TOPICS.offer(name, host),
            "state": TOPICS.state(name, host),
        }[kind]
        return [carried.payload for carried in self.broker.log if carried.topic == topic]

    def inject(self, node: Node, payload: bytes, kind: str = "out") -> None:
        """Publish as a stranger to a topic of `node`'s."""
        name, host, key = node.offer.name, node.offer.host, KEYS[node.role].node
        topic = getattr(TOPICS, kind)(name, host, key)
        self.broker.inject(topic, payload)


@asynccontextmanager
async def hall(folder: Path, offer: Offer, *, claims: bool = False) -> AsyncIterator[Hall]:
    """Both players connected to a broker in memory, and nobody running yet."""
    broker = MemoryBroker()
    speakers = {role: announcer(offer, role) for role in Role}
    lines = {role: broker.connect(will=speakers[role].will) for role in Role}
    async with lines[Role.HOST], lines[Role.GUEST]:
        host, guest = (
            Node.make(folder, role, speakers[role], lines[role], claims=claims) for role in Role
        )
        here = Hall(broker, host, guest, lines[Role.HOST], lines[Role.GUEST])
        try:
            yield here
        finally:
            # Those who are there now: a test may have started others in their place.
            for node in (here.host, here.guest):
                node.journal.close()


@asynccontextmanager
async def playing(*nodes: Node) -> AsyncIterator[None]:
    """Run nodes while the block runs; what they raise is raised, what is left is cancelled."""
    async with asyncio.TaskGroup() as group:
        tasks: list[asyncio.Task[Any]] = [
            group.create_task(node.run(), name=f"{node.role}") for node in nodes
        ]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()


async def whole_game(*nodes: Node) -> None:
    """Play a game to its end, scores and all."""
    async with asyncio.TaskGroup() as group:
        for node in nodes:
            group.create_task(node.run(), name=f"{node.role}")
            group.create_task(node.play_by_itself(), name=f"{node.role} plays")
