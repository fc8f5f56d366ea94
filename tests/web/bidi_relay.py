"""Firefox ESR for Playwright: a relay of WebDriver BiDi that makes up for what ESR 153 lacks.

It can emulate no media features, and Playwright gives up when it is refused them: that command is
said to be done, and the preferences say what Firefox is to prefer. Its events of a download give
that no id, and Playwright overlooks them: the address becomes its id.

Run with ``python -m tests.web.bidi_relay FIREFOX ARGUMENTS``, as Playwright runs Firefox.
"""

import asyncio
import json
import re
import sys
from collections.abc import Coroutine
from contextlib import suppress

from websockets.asyncio.client import connect
from websockets.asyncio.connection import Connection
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed

_LACKING = "emulation.setMediaFeaturesOverride"
_DOWNLOADS = {"browsingContext.downloadWillBegin", "browsingContext.downloadEnd"}
_LISTENS = re.compile(rb"WebDriver BiDi listening on (ws://\S+)")


async def _commands(driver: Connection, browser: Connection) -> None:
    async for text in driver:
        command = json.loads(text)
        if command["method"] == _LACKING:
            done = {"type": "success", "id": command["id"], "result": {}}
            await driver.send(json.dumps(done))
        else:
            await browser.send(text)


async def _answers(browser: Connection, driver: Connection) -> None:
    async for text in browser:
        message = json.loads(text)
        if message.get("method") in _DOWNLOADS:
            message["params"].setdefault("download", message["params"]["url"])
            await driver.send(json.dumps(message))
        else:
            await driver.send(text)


async def _until_one_ends(driver: Connection, browser: Connection) -> None:
    """Carry both ways; when either side closes the connection, so does the other one."""

    async def carry(work: Coroutine[None, None, None], other: Connection) -> None:
        # Playwright is told by its own connection.
        with suppress(ConnectionClosed):
            await work
        await other.close()

    await asyncio.gather(
        carry(_commands(driver, browser), browser), carry(_answers(browser, driver), driver)
    )


async def main(command: list[str]) -> int:
    """Run Firefox until it ends; its exit status."""
    firefox = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.PIPE)
    assert firefox.stderr is not None
    address = ""

    async def relay(driver: ServerConnection) -> None:
        assert driver.request is not None
        path = address + driver.request.path
        # However busy the machine is, a browser that does not answer yet has not gone.
        async with connect(
            path, max_size=None, proxy=None, open_timeout=None, ping_interval=None
        ) as browser:
            await _until_one_ends(driver, browser)

    async with serve(
        relay, "127.0.0.1", 0, max_size=None, open_timeout=None, ping_interval=None
    ) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        async for line in firefox.stderr:
            if (found := _LISTENS.search(line)) is not None:
                address = found[1].decode()
                line = line.replace(found[1], f"ws://127.0.0.1:{port}".encode())  # noqa: PLW2901
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()
    return await firefox.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
