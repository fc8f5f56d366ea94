"""A broker, and the wires to it, in virtual time: late, twice, out of order, cut, or not at all.

The wires promise what TCP and QoS 1 promise and no more. What a node says arrives in the order
it was said, after a delay; what the broker delivers keeps its order within a topic only; an
acknowledgement comes back when the broker has the message, unless the connection went first.
The transports over these wires are the real ``ReconnectingTransport``.
"""

import asyncio
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial

from ataxxd.transport.base import BrokerUnreachable, Will, WillFactory
from ataxxd.transport.queues import Entry
from ataxxd.transport.reconnecting import (
    Backoff,
    Endpoint,
    LinkLostError,
    ReconnectingTransport,
    Sink,
)
from ataxxd.transport.topics import matches

_matches = lru_cache(maxsize=4096)(matches)
# Seconds between two messages on one wire: timers of one time would fire in any order.
_NEXT_S = 1e-6
# Seconds after which a side of a connection notices that the other is gone.
KEEPALIVE_S = 30.0


@dataclass
class Weather:
    """What the network does to what it carries; all of it may change at any time.

    Attributes:
        delay_s: seconds a message is under way at least, and at most on top.
        repeat: probability that the broker delivers a message twice.
        drop: probability that the broker delivers it to a subscriber not at all.
        reorder_s: seconds by which messages of different topics may overtake each other.
    """

    delay_s: tuple[float, float] = (0.001, 0.01)
    repeat: float = 0.0
    drop: float = 0.0
    reorder_s: float = 0.0


@dataclass
class SimBroker:
    """The broker of one simulated world.

    Attributes:
        fate: where all its choices come from.
        weather: what happens to messages now.
        retained: the retained payload of each topic.
        heard: called with each message that a client (by its name) has published.
        route: for a broker in league with a cheat: whether it delivers a payload to a client.
        up: whether it runs.
        split: whether its members, if it is a cluster, carry nothing to each other.
    """

    fate: random.Random
    weather: Weather = field(default_factory=Weather)
    retained: dict[str, bytes] = field(default_factory=dict)
    heard: list[Callable[[str, str, bytes], None]] = field(default_factory=list)
    route: Callable[[bytes, str], bool] = lambda _payload, _client: True
    up: bool = True
    split: bool = False
    links: list["SimLink"] = field(default_factory=list)
    carried: int = 0

    def stop(self, *, forget: bool) -> None:
        """Break every connection and accept none; `forget` loses what was retained."""
        self.up = False
        for link in [*self.links]:
            self.lose(link, will=False)
            link.end("the broker stopped")
        if forget:
            self.retained.clear()

    def start(self) -> None:
        """Accept connections again."""
        self.up = True

    def publish(
        self, client: str, topic: str, payload: bytes, *, retain: bool, member: int = 0
    ) -> None:
        """A message has reached the broker, or a member of it."""
        for listener in self.heard:
            listener(client, topic, payload)
        self.carried += 1
        if retain and payload:
            self.retained[topic] = payload
        elif retain:
            self.retained.pop(topic, None)
        for link in [*self.links]:
            if link.wants(topic) and (link.member == member or not self.split):
                link.deliver(topic, payload, retained=False)

    def lose(self, link: "SimLink", *, will: bool) -> None:
        """The broker's end of a connection is gone."""
        if link in self.links:
            self.links.remove(link)
            if will and link.will is not None and self.up:
                said, where = link.will, link.member
                self.publish(link.client, said.topic, said.payload, retain=False, member=where)


class SimLink:
    """One connection; see ``ataxxd.transport.reconnecting.Link``.

    Attributes:
        client: whose it is.
        member: where it is, in a cluster.
        deaf: nothing from the broker arrives any more, and nobody knows yet.
        mute: nothing reaches the broker any more, and nobody knows yet.
        last_heard_s: when the broker last said anything while it heard us, too.
    """

    def __init__(
        self,
        broker: SimBroker,
        client: "SimClient",
        will: Will | None,
        sink: Sink,
        member: int = 0,
    ) -> None:
        self.client = client.name
        self.member = member
        self.will = will
        self.patterns: list[str] = []
        self.deaf = self.mute = False
        self._owner = client
        self._broker = broker
        self._sink = sink
        self._loop = asyncio.get_running_loop()
        self._gone: asyncio.Future[str] = self._loop.create_future()
        self.last_heard_s = self._loop.time()
        self._sent_until = 0.0
        self._topic_until: dict[str, float] = {}
        broker.links.append(self)

    @property
    def open(self) -> bool:
        """Whether our end still believes in it."""
        return not self._gone.done()

    def wants(self, topic: str) -> bool:
        """Whether it subscribed to a topic."""
        return any(_matches(pattern, topic) for pattern in self.patterns)

    # The client's end

    def send(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        """See the protocol."""
        if not self.open or not self._owner.may_say(entry):
            return

        def arrive() -> None:
            if self.mute or self not in self._broker.links:
                return
            self._broker.publish(
                self.client, entry.topic, entry.payload, retain=entry.retain, member=self.member
            )
            self._loop.call_at(self._when(), confirm)

        def confirm() -> None:
            if self.open and not self.deaf and self._owner.alive:
                self._hear()
                on_acknowledged(entry)

        self._sent_until = max(self._sent_until + _NEXT_S, self._when())
        self._loop.call_at(self._sent_until, arrive)

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        """See the protocol."""
        await self._round_trip()
        for pattern in patterns:
            if pattern not in self.patterns:
                self.patterns.append(pattern)
        for topic, payload in [*self._broker.retained.items()]:
            if any(_matches(pattern, topic) for pattern in patterns):
                self.deliver(topic, payload, retained=True)
        return [True] * len(patterns)

    async def unsubscribe(self, pattern: str) -> None:
        """See the protocol."""
        await self._round_trip()
        if pattern in self.patterns:
            self.patterns.remove(pattern)

    def give_up(self, reason: str) -> None:
        """See the protocol."""
        self.end(reason)

    async def wait_until_lost(self) -> str:
        """See the protocol."""
        return await asyncio.shield(self._gone)

    async def close(self, *, graceful: bool) -> None:
        """See the protocol."""
        self.end("closed here")
        if graceful and self._owner.alive and not self.mute:
            self._broker.lose(self, will=False)
        elif self in self._broker.links:
            self._loop.call_later(KEEPALIVE_S, self._broker_gives_up)

    # The broker's end

    def deliver(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Put a message on its way to the client."""
        weather, fate = self._broker.weather, self._broker.fate
        if not self._broker.route(payload, self.client):
            return
        if weather.drop and not retained and fate.random() < weather.drop:
            return
        copies = 2 if weather.repeat and fate.random() < weather.repeat else 1
        for _ in range(copies):
            late = fate.uniform(0, weather.reorder_s) if weather.reorder_s else 0.0
            when = max(self._topic_until.get(topic, 0.0) + _NEXT_S, self._when() + late)
            self._topic_until[topic] = when
            self._loop.call_at(when, self._arrive, topic, payload, retained)

    # What happens to it

    def cut(self) -> None:
        """Both ends learn at once that the connection is gone, as by a reset."""
        self._broker.lose(self, will=True)
        self.end("the connection was reset")

    def half_open(self) -> None:
        """Nothing passes any more; each side notices on its own, when its keepalive runs out."""
        fate = self._broker.fate
        self.deaf = self.mute = True
        self._loop.call_later(KEEPALIVE_S * fate.uniform(0.5, 1.5), self.end, "timed out")
        self._loop.call_later(KEEPALIVE_S * fate.uniform(0.5, 3.0), self._broker_gives_up)

    def cut_here(self) -> None:
        """Our end knows that the connection is gone; the broker learns it from its keepalive."""
        self.mute = True
        self._loop.call_later(KEEPALIVE_S, self._broker_gives_up)
        self.end("the network is unreachable")

    def cut_there(self) -> None:
        """The broker has thrown us out; we learn it from our keepalive."""
        self.deaf = True
        self._broker.lose(self, will=True)
        self._loop.call_later(KEEPALIVE_S, self.end, "timed out")

    def end(self, reason: str) -> None:
        """Tell our end that the connection is gone."""
        if not self._gone.done():
            self._gone.set_result(reason)

    def _broker_gives_up(self) -> None:
        self._broker.lose(self, will=True)

    def _arrive(self, topic: str, payload: bytes, retained: bool) -> None:
        if self.open and not self.deaf and self._owner.alive:
            self._hear()
            self._sink(topic, payload, retained)

    def _hear(self) -> None:
        if not self.mute:
            self.last_heard_s = self._loop.time()

    async def _round_trip(self) -> None:
        for way in (self.mute, self.deaf):
            if not self.open:
                raise LinkLostError
            if way:
                await self.wait_until_lost()
                raise LinkLostError
            await asyncio.sleep(self._when() - self._loop.time())
        if not self.open or self not in self._broker.links:
            await self.wait_until_lost()
            raise LinkLostError

    def _when(self) -> float:
        least, most = self._broker.weather.delay_s
        return self._loop.time() + least + self._broker.fate.uniform(0, most)


@dataclass(slots=True)
class Machine:
    """Where a process runs.

    Attributes:
        online: whether it has a network.
        members: the members of a cluster that it knows, in the order in which it tries them.
    """

    online: bool = True
    members: Sequence[int] = (0,)


class SimClient:
    """One process that may connect to the broker, as the network sees it.

    Attributes:
        name: for the trace.
        machine: where it runs.
        alive: False once it was killed: nothing it does has an effect any more.
    """

    def __init__(self, broker: SimBroker, name: str, machine: Machine) -> None:
        self.name = name
        self.machine = machine
        self.alive = True
        self._broker = broker
        self.transports: list[SimTransport] = []

    @property
    def links(self) -> Iterable[SimLink]:
        """Its connections, as the broker has them."""
        return [link for link in self._broker.links if link._owner is self]

    def may_say(self, entry: Entry) -> bool:
        """Whether it lives to put a message on the wire."""
        return self.alive

    def transport(self, will: WillFactory | None = None) -> "SimTransport":
        """A transport to the broker, not yet opened."""
        made = SimTransport(self._broker, self, will)
        self.transports.append(made)
        return made

    def die(self) -> None:
        """The process is gone without a word; the broker notices by a reset or by its keepalive."""
        self.alive = False
        loop = asyncio.get_running_loop()
        for link in self.links:
            link.end("killed")
            quick = self._broker.fate.random() < 0.5
            loop.call_later(0.001 if quick else KEEPALIVE_S, link._broker_gives_up)


class SimTransport(ReconnectingTransport):
    """The real transport over simulated wires."""

    def __init__(self, broker: SimBroker, client: SimClient, will: WillFactory | None) -> None:
        async def dial(will: Will | None, sink: Sink, member: int) -> SimLink:
            await asyncio.sleep(broker.fate.uniform(0.0, 0.01))
            if not client.alive or not client.machine.online or not broker.up:
                raise BrokerUnreachable("No broker answers.")
            return SimLink(broker, client, will, sink, member)

        super().__init__(
            [
                Endpoint(f"sim://broker/{member}", partial(dial, member=member))
                for member in client.machine.members
            ],
            will=will,
            backoff=Backoff(uniform=broker.fate.uniform),
        )
