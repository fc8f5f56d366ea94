"""Round trips over a broker: the transport beside its own client library, in one run.

A ping-pong of two clients in one process, QoS 1 both ways, 256 bytes each way
(about a move). *Bare* is aiomqtt used as its documentation shows: publish, then
iterate messages, with TCP_NODELAY set. The two take turns, so that whatever
else the machine does meets both.

Run with ``python -m tests.bench.bench_transport [ROUNDS]``.
"""

import asyncio
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt

from ataxxd.transport.base import Received
from ataxxd.transport.broker import EmbeddedBroker
from ataxxd.transport.mqtt import MqttTransport
from tests.brokers import Mosquitto
from tests.events import next_of

PAYLOAD = b"x" * 256
BATCH = 200
NO_DELAY = [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]

Ping = Callable[[], Awaitable[None]]


@asynccontextmanager
async def bare(port: int) -> AsyncIterator[Ping]:
    """A ping-pong of aiomqtt as it comes."""
    async with (
        aiomqtt.Client("127.0.0.1", port, socket_options=NO_DELAY) as here,
        aiomqtt.Client("127.0.0.1", port, socket_options=NO_DELAY) as there,
    ):
        await here.subscribe("bare/pong", qos=1)
        await there.subscribe("bare/ping", qos=1)

        async def answer() -> None:
            async for message in there.messages:
                await there.publish("bare/pong", message.payload, qos=1)

        async def ping() -> None:
            await here.publish("bare/ping", PAYLOAD, qos=1)
            await anext(here.messages)

        async with asyncio.TaskGroup() as tasks:
            answering = tasks.create_task(answer())
            yield ping
            answering.cancel()


@asynccontextmanager
async def ours(port: int) -> AsyncIterator[Ping]:
    """The same ping-pong over our transport."""
    url = f"mqtt://127.0.0.1:{port}"
    async with MqttTransport(url) as here, MqttTransport(url) as there:
        await here.subscribe("ours/pong")
        await there.subscribe("ours/ping")

        async def answer() -> None:
            async for event in there:
                if isinstance(event, Received):
                    await there.publish("ours/pong", event.payload)

        async def ping() -> None:
            await here.publish("ours/ping", PAYLOAD)
            await next_of(here, Received)

        async with asyncio.TaskGroup() as tasks:
            answering = tasks.create_task(answer())
            yield ping
            answering.cancel()


async def measure(name: str, port: int, rounds: int, batch: int = BATCH) -> None:
    """Prints the median batch of both, in microseconds a round trip, and their ratio."""
    times: dict[str, list[float]] = {"bare": [], "ours": []}
    async with bare(port) as bare_ping, ours(port) as our_ping:
        for turn in range(rounds + 1):
            for who, ping in (("bare", bare_ping), ("ours", our_ping)):
                began = time.perf_counter()
                for _ in range(batch):
                    await ping()
                if turn:  # the first turn warms up
                    times[who].append((time.perf_counter() - began) / batch * 1e6)
    medians = {who: statistics.median(batches) for who, batches in times.items()}
    print(
        f"{name:<34} bare aiomqtt {medians['bare']:7.0f} us   ours {medians['ours']:7.0f} us"
        f"   ratio {medians['ours'] / medians['bare']:.2f}"
    )


async def main(rounds: int) -> None:
    """Measures over each broker that is there."""
    print(f"QoS 1 round trip, {len(PAYLOAD)} bytes, median of {rounds} batches of {BATCH}")
    if Mosquitto.missing():
        print("Mosquitto is not installed: only the embedded broker is measured")
    else:
        with tempfile.TemporaryDirectory() as folder:
            with Mosquitto(Path(folder) / "quick") as mosquitto:
                await measure("Mosquitto, set_tcp_nodelay true", mosquitto.port, rounds)
            with Mosquitto(Path(folder) / "plain", no_delay=False) as mosquitto:
                # 40 ms a round trip without quick acknowledgements: a few are enough.
                await measure("Mosquitto as it comes", mosquitto.port, rounds, batch=5)
    async with EmbeddedBroker(port=0) as broker:
        await measure("embedded broker, same event loop", broker.port, rounds)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 7))
