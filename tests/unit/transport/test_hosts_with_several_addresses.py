"""A host that has several addresses, as most have with IPv6 and IPv4, is reached by any of them."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress

import pytest

from ataxxd.transport.base import BrokerUnreachable
from ataxxd.transport.mqtt import BusyMqttTransport

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="one loopback address elsewhere")

_CONNACK = b"\x20\x02\x00\x00"
DEAD, ALIVE = "127.0.0.2", "127.0.0.1"


@asynccontextmanager
async def broker() -> AsyncIterator[int]:
    """Something that accepts every client, at `ALIVE`; its port."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(_CONNACK)
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, ALIVE, 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


def name_of(monkeypatch: pytest.MonkeyPatch, hosts: Sequence[str]) -> str:
    """A name that stands for these addresses: no resolver here can be taught one."""
    look_up = socket.getaddrinfo

    def looked_up(host: str, *arguments: object, **named: object) -> list[object]:
        named_ones = hosts if host == "broker.test" else [host]
        found = [look_up(each, *arguments, **named) for each in named_ones]  # type: ignore[arg-type]
        return [place for places in found for place in places]

    monkeypatch.setattr(socket, "getaddrinfo", looked_up)
    return "broker.test"


async def test_an_address_that_refuses_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    name = name_of(monkeypatch, [DEAD, ALIVE])
    async with broker() as port, BusyMqttTransport(f"mqtt://{name}:{port}") as line:
        assert line.connected


async def test_an_address_that_is_silent_has_a_share_of_the_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = name_of(monkeypatch, [DEAD, ALIVE])
    async with broker() as port:
        with ExitStack() as stack:
            silent = stack.enter_context(socket.create_server((DEAD, port), backlog=0))
            # Once its queue is full the kernel answers nobody.
            for _ in range(4):
                waiting = stack.enter_context(socket.socket())
                waiting.setblocking(False)
                with suppress(BlockingIOError):
                    waiting.connect(silent.getsockname())
            async with BusyMqttTransport(f"mqtt://{name}:{port}", timeout=4) as line:
                assert line.connected


async def test_where_all_refuse_it_is_told_as_for_one(monkeypatch: pytest.MonkeyPatch) -> None:
    name = name_of(monkeypatch, [DEAD, ALIVE])
    async with broker() as port:
        pass
    with pytest.raises(BrokerUnreachable, match="nothing listens there"):
        async with BusyMqttTransport(f"mqtt://{name}:{port}"):
            pass
