"""What comes from a broker at once is read and acknowledged at once over direct links.

A broker lets a client have few messages that it has not acknowledged, twenty in Mosquitto. While
somebody floods a topic, whatever a client leaves waiting there is thrown away soon, what honest
players say included.
"""

import asyncio

from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import BusyMqttTransport
from ataxxd.transport.packets import publish
from tests.events import next_of

WINDOW = 20
_CONNACK, _SUBACK = b"\x20\x02\x00\x00", b"\x90\x03%b\x01"


async def test_a_window_of_messages_is_acknowledged_in_one_turn() -> None:
    answers: asyncio.Queue[bytes] = asyncio.Queue()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1024)
        writer.write(_CONNACK)
        subscribe = await reader.read(1024)
        writer.write(_SUBACK % subscribe[2:4])
        writer.write(b"".join(publish("t", b"%d" % n, n, retain=False) for n in range(1, 21)))
        while data := await reader.read(1024):
            answers.put_nowait(data)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server, BusyMqttTransport(f"mqtt://127.0.0.1:{port}") as line:
        await line.subscribe("t")
        arrived = [(await next_of(line, Received)).payload for _ in range(WINDOW)]
        acknowledged = await answers.get()
    assert arrived == [b"%d" % n for n in range(1, WINDOW + 1)]
    assert acknowledged == b"".join(b"\x40\x02\x00%c" % n for n in range(1, WINDOW + 1))
