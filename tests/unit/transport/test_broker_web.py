"""The embedded broker for browsers: a page, and MQTT in websockets, within the same bounds."""

import asyncio
import gzip
from contextlib import suppress

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake
from websockets.typing import Origin, Subprotocol

from ataxxd.transport.base import MAX_PAYLOAD, Received
from ataxxd.transport.broker import EmbeddedBroker, Page
from ataxxd.transport.broker_connections import Bounds
from ataxxd.transport.mqtt import MqttTransport
from tests.brokers import open_sockets
from tests.events import messages, next_of
from tests.time_limits import DEADLINE

LARGE = bytes(range(256)) * 4096
FILES = {"index.html": b"<!doctype html>", "static/main.js": b"1", "engine.wasm.gzip": LARGE}


def serving(**options: object) -> EmbeddedBroker:
    return EmbeddedBroker(port=0, page=Page(FILES), **options)  # type: ignore[arg-type]


def websocket(broker: EmbeddedBroker) -> str:
    return f"ws://127.0.0.1:{broker.web_port}/mqtt"


def opened(broker: EmbeddedBroker, origin: str | None = None) -> connect:
    return connect(
        websocket(broker),
        subprotocols=[Subprotocol("mqtt")],
        origin=None if origin is None else Origin(origin),
        compression=None,
        open_timeout=DEADLINE,
    )


async def asked(broker: EmbeddedBroker, request: bytes) -> bytes:
    """The whole answer to a request."""
    assert broker.web_port is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.web_port)
    answer = b""
    with suppress(ConnectionError):
        writer.write(request)
        answer = await reader.read()
    writer.close()
    with suppress(ConnectionError):
        await writer.wait_closed()
    return answer


async def get(broker: EmbeddedBroker, path: str, *headers: str) -> tuple[bytes, bytes]:
    """The head and the body that a browser gets."""
    lines = "\r\n".join((f"GET {path} HTTP/1.1", "Host: 192.168.1.5", *headers, "", ""))
    answer = await asked(broker, lines.encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    return head, body


async def is_hung_up_on(client: ClientConnection) -> None:
    with suppress(ConnectionClosed):
        while True:
            await client.recv()


async def test_a_browser_and_a_program_talk_over_it() -> None:
    async with (
        serving() as broker,
        MqttTransport(websocket(broker)) as page,
        MqttTransport(broker.url) as program,
    ):
        assert broker.client_count == 2
        await page.subscribe("game/#")
        await program.publish("game/offer", b"offer", retain=True)
        assert (await next_of(page, Received)).payload == b"offer"
        await program.subscribe("moves")
        for number in range(50):
            await page.publish("moves", (b"%d " % number).ljust(MAX_PAYLOAD, b"x"))
        arrived = await messages(program, 50)
        assert [int(each.payload.split()[0]) for each in arrived] == list(range(50))


async def test_it_hands_out_the_files_of_the_page_whole_and_nothing_else() -> None:
    async with serving() as broker:
        head, body = await get(broker, "/?from=a-messenger")
        assert body == FILES["index.html"]
        assert b"200 OK" in head
        assert b"text/html" in head
        head, body = await get(broker, "/engine.wasm.gzip")
        assert body == LARGE
        head, _ = await get(broker, "/static/main.js")
        assert b"text/javascript" in head
        for path in ("/static", "/static/../index.html", "//etc/passwd", "/%69ndex.html"):
            head, body = await get(broker, path)
            assert b"404" in head.split(b"\r\n")[0]
        head, _ = await get(broker, "/mqtt")
        assert b"426" in head.split(b"\r\n")[0]


async def test_what_is_text_is_compressed_for_whoever_can_read_that() -> None:
    async with serving() as broker:
        for path, content in (("/", FILES["index.html"]), ("/static/main.js", b"1")):
            head, body = await get(broker, path, "Accept-Encoding: br, gzip")
            assert b"Content-Encoding: gzip" in head
            assert gzip.decompress(body) == content
            head, body = await get(broker, path)
            assert b"Content-Encoding" not in head
            assert body == content
            assert b"Vary: Accept-Encoding" in head
        head, body = await get(broker, "/engine.wasm.gzip", "Accept-Encoding: gzip")
        assert b"Content-Encoding" not in head
        assert b"application/octet-stream" in head
        assert body == LARGE


@pytest.mark.parametrize("lan", [False, True])
async def test_it_listens_where_the_broker_does(lan: bool) -> None:
    async with serving(lan=lan) as broker:
        here = "0.0.0.0" if lan else "127.0.0.1"
        assert any(each.getsockname() == (here, broker.web_port) for each in open_sockets())


async def test_a_taken_port_is_no_hindrance() -> None:
    async with serving() as first:
        assert first.web_port is not None
        page = Page(FILES, port=first.web_port)
        async with EmbeddedBroker(port=0, page=page) as second:
            assert second.web_port not in (None, first.web_port)
            assert (await get(second, "/"))[1] == FILES["index.html"]


async def test_without_a_page_no_browser_is_listened_for() -> None:
    async with EmbeddedBroker(port=0) as broker:
        assert broker.web_port is None


@pytest.mark.parametrize(
    "origin", ["http://192.168.1.5:8083", "http://[fe80::1]", "http://laptop:8083", None]
)
async def test_a_page_of_this_network_may_use_it(origin: str | None) -> None:
    async with serving() as broker, opened(broker, origin) as client:
        assert client.subprotocol == "mqtt"


@pytest.mark.parametrize(
    "origin",
    [
        "https://elsewhere.example", "http://rebound.example:8083", "http://8.8.8.8", "null",
        "http://[", "x",
    ],
)  # fmt: skip
async def test_a_page_from_elsewhere_may_not(origin: str) -> None:
    async with serving() as broker:
        with pytest.raises(InvalidHandshake):
            async with opened(broker, origin):
                pass


async def test_a_page_of_our_own_may_use_it_whatever_our_address_and_behind_tls() -> None:
    async with serving() as broker:
        answer = await opening(broker, "8.8.8.8:8083", "http://8.8.8.8:8083")
        assert answer.startswith(b"HTTP/1.1 101")
        answer = await opening(broker, "play.example", "https://play.example")
        assert answer.startswith(b"HTTP/1.1 101")
        # Without TLS any name can be made to mean this machine.
        answer = await opening(broker, "play.example", "http://play.example")
        assert answer.startswith(b"HTTP/1.1 403")


async def opening(broker: EmbeddedBroker, host: str, origin: str) -> bytes:
    """The first line of the answer to whoever opens a websocket."""
    request = (
        f"GET /mqtt HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: mqtt\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
    assert broker.web_port is not None
    reader, writer = await asyncio.open_connection("127.0.0.1", broker.web_port)
    writer.write(request.encode())
    answer = await reader.readline()
    writer.transport.abort()
    return answer


async def test_whoever_does_not_speak_mqtt_is_hung_up_on() -> None:
    async with serving() as broker:
        for said in ("text", b"\x10\xff\xff\xff\x7f", b"\x00\x00", b"GET / HTTP/1.1\r\n\r\n"):
            async with opened(broker) as client:
                await client.send(said)
                await is_hung_up_on(client)
        async with opened(broker) as client:
            with suppress(ConnectionClosed):
                await client.send(bytes(200_000))
            await is_hung_up_on(client)
        assert await asked(broker, b"\x10\x0e\x00\x04MQTT\x04\x02\x00\x3c\x00\x02us\r\n\r\n") == b""
        async with MqttTransport(websocket(broker)):
            assert broker.client_count == 1


async def test_whoever_says_nothing_is_hung_up_on() -> None:
    async with serving(bounds=Bounds(connect_s=0.01)) as broker:
        # Where the machine is slow that is before the websocket is open.
        with suppress(InvalidHandshake, OSError, EOFError):
            async with opened(broker) as client:
                await is_hung_up_on(client)
        assert await asked(broker, b"GET / HT") == b""


async def test_websockets_and_other_connections_have_one_bound() -> None:
    bounds = Bounds(connections_of_address=2)
    async with serving(bounds=bounds) as broker, opened(broker):
        reader, writer = await asyncio.open_connection("127.0.0.1", broker.port)
        with pytest.raises((InvalidHandshake, ConnectionClosed, OSError, EOFError)):
            async with opened(broker):
                pass
        assert await asked(broker, b"GET / HTTP/1.1\r\n\r\n") == b""
        writer.transport.abort()
        del reader


async def test_stopping_hangs_up_on_browsers_that_say_nothing() -> None:
    async with serving() as broker:
        silent = await asyncio.open_connection("127.0.0.1", broker.web_port)
        client = await opened(broker)
        node = await MqttTransport(websocket(broker)).__aenter__()
    with suppress(ConnectionError):
        assert await silent[0].read() == b""
    silent[1].transport.abort()
    await is_hung_up_on(client)
    await node.__aexit__(None, None, None)
