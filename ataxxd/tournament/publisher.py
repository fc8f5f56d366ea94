"""The host's documents on the broker: put up, put up again, taken down."""

import asyncio

from ataxxd.transport.base import Connected, Received, Transport
from ataxxd_protocol import MalformedMessage, Topics, decode, encode
from ataxxd_protocol.messages import EventPlan, EventRound, Offer

# Seconds between two times that a document is put up again: who takes it down may try for long.
_AGAIN_S = 1.0


class Publisher:
    """Keeps an event's documents retained, and hears the offers of its games; `run` it."""

    def __init__(self, transport: Transport, topics: Topics, plan: EventPlan) -> None:
        """Speak for the event of `plan`; nobody else may read `transport`."""
        self._transport = transport
        self._topics = topics
        self._plan = plan
        self._documents: dict[str, bytes] = {}
        self._missing: set[str] = set()
        self._news = asyncio.Event()
        self._offers: dict[tuple[str, str], asyncio.Queue[Offer]] = {}

    async def put_up(self, document: EventPlan | EventRound) -> None:
        """Publish a document, and see that it stays."""
        number = document.number if isinstance(document, EventRound) else 0
        topic = self._topics.event(self._plan.name, self._plan.host, number)
        self._documents[topic] = encode(document)
        await self._transport.publish(topic, self._documents[topic], retain=True)
        await self._transport.subscribe(topic)

    async def offers(self, name: str, host: str) -> asyncio.Queue[Offer]:
        """The offers of a game as they come, also the one that is there."""
        queue = self._offers.setdefault((name, host), asyncio.Queue(maxsize=16))
        await self._transport.subscribe(self._topics.offer(name, host))
        return queue

    async def forget(self, name: str, host: str) -> None:
        """Hear the offers of a game no more."""
        self._offers.pop((name, host), None)
        await self._transport.unsubscribe(self._topics.offer(name, host))

    async def run(self) -> None:
        """Listen, for ever."""
        # For whoever does not know our id, where brokers keep nothing for a wildcard.
        await self._transport.subscribe(self._topics.who())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._mend(), name="documents again")
            async for event in self._transport:
                match event:
                    case Received(topic, payload) if topic in self._documents:
                        if payload != self._documents[topic]:
                            self._missing.add(topic)
                            self._news.set()
                    case Received(topic) if topic == self._topics.who():
                        self._missing.add(self._topics.event(self._plan.name, self._plan.host))
                        self._news.set()
                    case Received(topic, payload):
                        self._hear(topic, payload)
                    case Connected(epoch) if epoch > 1:
                        self._missing.update(self._documents)
                        self._news.set()
                    case _:
                        pass

    async def _mend(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            missing, self._missing = self._missing, set()
            for topic in sorted(missing):
                await self._transport.publish(topic, self._documents[topic], retain=True)
            await asyncio.sleep(_AGAIN_S)

    def _hear(self, topic: str, payload: bytes) -> None:
        address = self._topics.parse(topic)
        if address is None or address.kind != "offer" or address.host is None:
            return
        queue = self._offers.get((address.name, address.host))
        if queue is None or queue.full():
            return
        try:
            offer = decode(payload)
        except MalformedMessage:
            return
        if isinstance(offer, Offer) and (offer.name, offer.host) == (address.name, address.host):
            queue.put_nowait(offer)


async def take_down(transport: Transport, topics: Topics, plan: EventPlan) -> None:
    """Clear the documents of an event, whatever rounds it has come to."""
    for number in range(plan.rounds + 1, -1, -1):
        await transport.publish(topics.event(plan.name, plan.host, number), b"", retain=True)
    await transport.drain()
