"""A bad network for tests: an MQTT-aware wire between clients and a broker.

``async with FaultProxy(broker.port) as proxy``, and connect to ``proxy.url``, from this
process or from others: the proxy runs in the test's event loop and may be told at any
moment to

- break all connections (``cut``), or one (``proxy.wires[0].cut()``);
- carry nothing while every connection looks alive (``freeze``, ``thaw``), in one direction
  only if wanted: towards the client it is a consumer that does not read;
- leave the present connections half-open for ever (``strand``) while new ones work, as a
  router does that has forgotten them;
- do to each published message what ``proxy.fault`` says: repeat, delay (and so reorder),
  drop or change it; see `Fault` and `RandomFaults`;
- withhold the acknowledgements of published messages (``proxy.acknowledges = False``);
- publish forgeries straight to the clients (``forge``).

A client and a broker that keep MQTT 3.1.1 stay in agreement whatever happens to messages:
repetitions travel with QoS 0, so nobody acknowledges them (and a broker may let them overtake
others), and the proxy itself acknowledges what it drops. Only plain TCP is read: let nodes
reach it by ``mqtt://``.
"""

import asyncio
import contextlib
import random
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from types import TracebackType
from typing import Self, TypeAlias

_CONNECT, _PUBLISH, _PUBACK = 1, 3, 4


class Direction(Enum):
    """Which way a message travels."""

    TO_BROKER = "to the broker"
    TO_CLIENT = "to the client"

    @property
    def opposite(self) -> "Direction":
        """The other way."""
        return Direction.TO_CLIENT if self is Direction.TO_BROKER else Direction.TO_BROKER


@dataclass(frozen=True, slots=True)
class Publish:
    """A published message on its way.

    Attributes:
        packet_id: None with QoS 0.
        retain: towards the broker: keep it; towards the client: it was kept.
    """

    topic: str
    payload: bytes
    packet_id: int | None = None
    retain: bool = False

    @classmethod
    def parse(cls, flags: int, body: bytes) -> "Publish":
        """Read the body of a PUBLISH packet."""
        end = 2 + int.from_bytes(body[:2])
        topic = body[2:end].decode()
        if not flags & 0b110:
            return cls(topic, body[end:], None, bool(flags & 1))
        number = int.from_bytes(body[end : end + 2])
        return cls(topic, body[end + 2 :], number, bool(flags & 1))

    @property
    def packet(self) -> bytes:
        """The message as a PUBLISH packet."""
        topic = self.topic.encode()
        flags = int(self.retain)
        number = b""
        if self.packet_id is not None:
            flags |= 0b10
            number = self.packet_id.to_bytes(2)
        return packed(_PUBLISH, flags, len(topic).to_bytes(2) + topic + number + self.payload)

    @property
    def copy(self) -> "Publish":
        """The same message once more, for which nobody wants an acknowledgement."""
        return replace(self, packet_id=None)


Fault: TypeAlias = Callable[[Publish, Direction], Iterable[tuple[float, Publish]]]
"""What becomes of a message: (seconds to wait, message) for each time that it goes on.

Nothing at all drops it. The first in the list is the message itself, so change it with
`dataclasses.replace`; the others are to be copies (`Publish.copy`).
"""


@dataclass
class RandomFaults:
    """A `Fault` that repeats, delays and drops by chance, the same for the same seed.

    Delayed messages are overtaken by others, so delaying is reordering too.

    Attributes:
        repeat, delay, drop: how likely each is, from 0 to 1.
        longest: seconds that a message is held back at most.
        done: how often each was done, and how many messages went by.
    """

    seed: int
    repeat: float = 0.0
    delay: float = 0.0
    drop: float = 0.0
    longest: float = 0.1
    done: dict[str, int] = field(
        default_factory=lambda: dict.fromkeys(("seen", "repeat", "delay", "drop"), 0)
    )

    def __post_init__(self) -> None:
        self._choices = random.Random(self.seed)

    def __call__(self, message: Publish, direction: Direction) -> list[tuple[float, Publish]]:
        """Decide about one message."""
        self.done["seen"] += 1
        if self._happens("drop", self.drop):
            return []
        again = self._happens("repeat", self.repeat)
        copies = [message, message.copy] if again else [message]
        return [
            (
                self._choices.uniform(0, self.longest) if self._happens("delay", self.delay) else 0,
                each,
            )
            for each in copies
        ]

    def _happens(self, what: str, chance: float) -> bool:
        # Drawn whatever the chance is, so that one chance changed leaves the other draws.
        happens = self._choices.random() < chance
        self.done[what] += happens
        return happens


def packed(kind: int, flags: int, body: bytes) -> bytes:
    """An MQTT packet (MQTT 3.1.1, section 2.2)."""
    length, rest = bytearray(), len(body)
    while rest > 127:
        length.append(rest % 128 + 128)
        rest //= 128
    return bytes([kind << 4 | flags, *length, rest]) + body


class Packets:
    """Cuts a stream into MQTT packets, wherever its chunks end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> Iterator[tuple[int, int, bytes]]:
        """(kind, flags, body) of each packet that is now whole."""
        self._rest += chunk
        while (end := self._end()) is not None:
            start, stop = end
            first, body = self._rest[0], bytes(self._rest[start:stop])
            del self._rest[:stop]
            yield first >> 4, first & 15, body

    def _end(self) -> tuple[int, int] | None:
        length = 0
        for index in range(1, 5):
            if index >= len(self._rest):
                return None
            length |= (self._rest[index] & 127) << 7 * (index - 1)
            if self._rest[index] < 128:
                stop = index + 1 + length
                return (index + 1, stop) if stop <= len(self._rest) else None
        raise ValueError("this is no MQTT: a packet's length has more than four bytes")


class Wire:
    """One connection through the proxy.

    Attributes:
        client_id: as the client gave it; empty until it has.
    """

    def __init__(
        self, proxy: "FaultProxy", client: asyncio.StreamWriter, broker: asyncio.StreamWriter
    ) -> None:
        self.client_id = ""
        self._proxy = proxy
        self._ends = {Direction.TO_CLIENT: client, Direction.TO_BROKER: broker}
        self._stranded = False
        self._flowing = {direction: asyncio.Event() for direction in Direction}
        self._held = {direction: bytearray() for direction in Direction}
        self.thaw()

    def cut(self) -> None:
        """Break the connection at once, on both sides, without a goodbye."""
        for end in self._ends.values():
            end.transport.abort()

    def freeze(self, *directions: Direction) -> None:
        """Carry nothing any more (in `directions`), while the connection looks alive."""
        for direction in directions or Direction:
            self._flowing[direction].clear()

    def thaw(self) -> None:
        """Carry everything again, what was held back first; not once stranded."""
        if not self._stranded:
            for direction, event in self._flowing.items():
                event.set()
                self._send(direction, bytes(self._held[direction]))
                self._held[direction].clear()

    def strand(self) -> None:
        """Carry nothing ever again, while the connection looks alive."""
        self._stranded = True
        self.freeze()

    def forge(self, message: Publish) -> None:
        """Publish a message to the client as if the broker had."""
        self._send(Direction.TO_CLIENT, message.copy.packet)

    async def carry(self, reader: asyncio.StreamReader, direction: Direction) -> None:
        """Carry one direction until its sender ends."""
        packets = Packets()
        while chunk := await reader.read(65536):
            await self._flowing[direction].wait()
            for kind, flags, body in packets.feed(chunk):
                if kind == _CONNECT:
                    # After the protocol's name (6 bytes), level, flags and keepalive (4).
                    self.client_id = body[12 : 12 + int.from_bytes(body[10:12])].decode()
                if kind == _PUBACK and not self._proxy.acknowledges:
                    continue
                if kind == _PUBLISH and self._proxy.fault is not None:
                    self._pass_on(Publish.parse(flags, body), direction, self._proxy.fault)
                else:
                    self._send(direction, packed(kind, flags, body))
            with suppress(OSError):
                await self._ends[direction].drain()
        # One side has ended: so does the wire, unless nothing passes, not even that.
        await self._flowing[direction].wait()
        self._ends[direction].close()

    def _pass_on(self, message: Publish, direction: Direction, fault: Fault) -> None:
        ways = [*fault(message, direction)]
        if not ways and message.packet_id is not None:
            self._send(direction.opposite, packed(_PUBACK, 0, message.packet_id.to_bytes(2)))
        for wait, each in ways:
            if wait:
                self._proxy.later(wait, self._send, direction, each.packet)
            else:
                self._send(direction, each.packet)

    def _send(self, direction: Direction, packet: bytes) -> None:
        if not self._flowing[direction].is_set():
            self._held[direction] += packet
        elif not self._ends[direction].is_closing():
            self._ends[direction].write(packet)


class FaultProxy:
    """A wire between clients and a broker on 127.0.0.1, with the faults of this module.

    Attributes:
        fault: what becomes of published messages; None leaves them alone.
        acknowledges: whether acknowledgements of published messages pass.
        port: where clients connect.
        wires: the connections open now, oldest first.
        connections: how many there were.
    """

    def __init__(self, target_port: int, fault: Fault | None = None) -> None:
        self.fault = fault
        self.acknowledges = True
        self.port = 0
        self.wires: list[Wire] = []
        self.connections = 0
        self._target = target_port
        self._frozen: tuple[Direction, ...] | None = None
        self._server: asyncio.Server | None = None
        self._handlers: set[asyncio.Task[None]] = set()
        self._delayed: set[asyncio.TimerHandle] = set()

    @property
    def url(self) -> str:
        """Address to give to the client."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def waiting(self) -> int:
        """How many messages are held back by their delay."""
        return len(self._delayed)

    def cut(self) -> None:
        """Break all connections at once, on both sides, without a goodbye."""
        for wire in [*self.wires]:
            wire.cut()

    def freeze(self, *directions: Direction) -> None:
        """Carry nothing any more (in `directions`), new connections included."""
        self._frozen = directions
        for wire in self.wires:
            wire.freeze(*directions)

    def thaw(self) -> None:
        """Carry everything again, what was held back first."""
        self._frozen = None
        for wire in self.wires:
            wire.thaw()

    def strand(self) -> None:
        """Leave every present connection half-open for ever; new ones work."""
        for wire in self.wires:
            wire.strand()

    def forge(self, topic: str, payload: bytes, *, retain: bool = False) -> None:
        """Publish a message to every client as if the broker had."""
        for wire in self.wires:
            wire.forge(Publish(topic, payload, retain=retain))

    def later(self, wait: float, work: Callable[..., None], *arguments: object) -> None:
        """Call `work` after `wait` seconds, unless the proxy is closed before."""

        def run() -> None:
            self._delayed.discard(handle)
            work(*arguments)

        handle = asyncio.get_running_loop().call_later(wait, run)
        self._delayed.add(handle)

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        assert self._server is not None
        self._server.close()
        for handle in self._delayed:
            handle.cancel()
        self.cut()
        for handler in [*self._handlers]:
            handler.cancel()
        await asyncio.gather(*self._handlers, return_exceptions=True)
        await self._server.wait_closed()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._handlers.add(task)
        try:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await self._carry_both(reader, writer)
        finally:
            await _free(writer)
            self._handlers.discard(task)

    async def _carry_both(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self._target)
        wire = Wire(self, writer, far_writer)
        if self._frozen is not None:
            wire.freeze(*self._frozen)
        self.wires.append(wire)
        self.connections += 1
        try:
            await asyncio.gather(
                wire.carry(reader, Direction.TO_BROKER), wire.carry(far_reader, Direction.TO_CLIENT)
            )
        finally:
            self.wires.remove(wire)
            await _free(far_writer)


async def _free(writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()
    with suppress(OSError):
        await writer.wait_closed()
