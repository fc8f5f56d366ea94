"""The embedded broker beside others that could be in its place, each a process, in turns.

What a connection takes of memory while it is quiet; what a message of 300 bytes from one client to
another takes of the broker's processor; and whether retained messages, wills and websockets come.

Run with ``python -m tests.bench.bench_brokers [RUMQTTD]``. RUMQTTD is a program that runs the Rust
library rumqttd with the configuration in a file: ``Broker::new(config).start()``.
"""

import asyncio
import socket
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import aiomqtt

from tests.brokers import BrokerProcess, Mosquitto, free_port

CONNECTIONS = 200
MESSAGES = 2000
ROUNDS = 3
PAYLOAD = b"x" * 300
PATIENCE_S = 5.0
# MQTT 3.1.1, a clean session, a keepalive of a minute; the will has quality of service 1.
CONNECT_WITH_WILL = b"\x10\x1d\x00\x04MQTT\x04\x0e\x00\x3c\x00\x04lost\x00\x04last\x00\x05words"


class Embedded(BrokerProcess):
    """Ours, with its page for browsers, and more connections from this machine than it takes."""

    program = package = sys.executable

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.websocket_port = free_port()

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        code = (
            "import asyncio\n"
            "from ataxxd.transport.broker import EmbeddedBroker, Page\n"
            "from ataxxd.transport.broker_connections import Bounds\n"
            "async def main():\n"
            f"    page = Page({{'index.html': b''}}, {self.websocket_port})\n"
            f"    bounds = Bounds(connections_of_address={2 * CONNECTIONS})\n"
            f"    async with EmbeddedBroker({self.port}, page=page, bounds=bounds):\n"
            "        await asyncio.Event().wait()\n"
            "asyncio.run(main())"
        )
        return [sys.executable, "-c", code]


class Rumqttd(BrokerProcess):
    """The library of Rust, in a program of its own."""

    def __init__(self, folder: Path, program: str) -> None:
        super().__init__(folder)
        self.program = program
        self.websocket_port = free_port()

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        listeners = {"v4": self.port, "ws": self.websocket_port}
        text = "id = 0\n[router]\nid = 0\nmax_connections = 1000\n"
        text += "max_outgoing_packet_count = 200\nmax_segment_size = 1048576\n"
        text += "max_segment_count = 10\n"
        for kind, port in listeners.items():
            text += f'[{kind}.1]\nname = "{kind}"\nlisten = "127.0.0.1:{port}"\n'
            text += f"next_connection_delay_ms = 1\n[{kind}.1.connections]\n"
            text += "connection_timeout_ms = 60000\nmax_payload_size = 20480\n"
            text += "max_inflight_count = 100\ndynamic_filters = true\n"
        path = self.folder / "rumqttd.toml"
        path.write_text(text)
        return [self.program, path]


@dataclass(frozen=True, slots=True)
class Figures:
    """What one round with a broker gave.

    Attributes:
        start_ms: until it listened.
        quiet_mb: what it takes with no client.
        connection_kb: what each client more takes.
        message_us: processor time a message.
    """

    start_ms: float
    quiet_mb: float
    connection_kb: float
    message_us: float


def memory_kb(process: int) -> int:
    """What a process has in memory."""
    (line,) = (
        line
        for line in Path(f"/proc/{process}/status").read_text().splitlines()
        if line.startswith("VmRSS")
    )
    return int(line.split()[1])


def processor_us(process: int) -> float:
    """Microseconds of processor that a process and its threads have taken."""
    return sum(
        int(each.read_text().split()[0]) / 1000
        for each in Path(f"/proc/{process}/task").glob("*/schedstat")
    )


def client(port: int) -> aiomqtt.Client:
    return aiomqtt.Client("127.0.0.1", port, identifier=uuid.uuid4().hex[:20])


async def measured(broker: BrokerProcess) -> Figures:
    """One round with a broker."""
    begun = time.perf_counter()
    broker.start()
    start_ms = (time.perf_counter() - begun) * 1000
    try:
        async with client(broker.port):
            before = memory_kb(broker.pid)
        async with AsyncExitStack() as stack:
            for number in range(CONNECTIONS):
                each = await stack.enter_async_context(client(broker.port))
                await each.subscribe(f"games/{number}/#", qos=1)
            after = memory_kb(broker.pid)
        async with client(broker.port) as reader, client(broker.port) as writer:
            await reader.subscribe("moves", qos=1)
            spent = processor_us(broker.pid)
            for _ in range(MESSAGES):
                await writer.publish("moves", PAYLOAD, qos=1)
                await anext(reader.messages)
            spent = processor_us(broker.pid) - spent
    finally:
        broker.kill()
    per_connection = (after - before) / CONNECTIONS
    return Figures(start_ms, before / 1024, per_connection, spent / MESSAGES)


async def retained(broker: BrokerProcess) -> bool:
    async with client(broker.port) as writer:
        await writer.publish("state", b"kept", qos=1, retain=True)
    async with client(broker.port) as reader:
        await reader.subscribe("state", qos=1)
        return (await anext(reader.messages)).payload == b"kept"


async def wills(broker: BrokerProcess) -> bool:
    async with client(broker.port) as reader:
        await reader.subscribe("last", qos=1)
        # Gone as a crash would have it: without a word.
        with socket.create_connection(("127.0.0.1", broker.port)) as lost:
            lost.sendall(CONNECT_WITH_WILL)
            await asyncio.to_thread(lost.recv, 4)
        return (await anext(reader.messages)).payload == b"words"


async def websockets(broker: BrokerProcess) -> bool:
    port = getattr(broker, "websocket_port", 0)
    async with aiomqtt.Client("127.0.0.1", port, transport="websockets") as both:
        await both.subscribe("web", qos=1)
        await both.publish("web", b"page", qos=1)
        return (await anext(both.messages)).payload == b"page"


PROBES: Sequence[Callable[[BrokerProcess], Awaitable[bool]]] = (retained, wills, websockets)


async def abilities(broker: BrokerProcess) -> dict[str, str]:
    """Which of the probes a broker passes."""
    said = {}
    with broker:
        for probe in PROBES:
            try:
                held = await asyncio.wait_for(probe(broker), PATIENCE_S)
            except (TimeoutError, aiomqtt.MqttError):
                held = False
            said[probe.__name__] = "yes" if held else "no"
    return said


async def main(program: str | None) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        brokers: dict[str, Callable[[], BrokerProcess]] = {
            "embedded (amqtt)": lambda: Embedded(folder / "embedded"),
            "Mosquitto": lambda: Mosquitto(folder / "mosquitto", websockets=True),
        }
        if program is not None:
            brokers["rumqttd"] = lambda: Rumqttd(folder / "rumqttd", program)
        rounds = [[await measured(made()) for made in brokers.values()] for _ in range(ROUNDS)]
        can = [await abilities(made()) for made in brokers.values()]
    names = ("starts ms", "quiet MB", "kB a client", "µs a message")
    print(f"{'':18}" + "".join(f"{name:>13}" for name in (*names, *can[0])))
    for name, figures, able in zip(brokers, zip(*rounds, strict=True), can, strict=True):
        medians = (
            statistics.median(getattr(each, field) for each in figures)
            for field in ("start_ms", "quiet_mb", "connection_kb", "message_us")
        )
        row = "".join(f"{median:13.1f}" for median in medians)
        print(f"{name:18}{row}" + "".join(f"{word:>13}" for word in able.values()))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
