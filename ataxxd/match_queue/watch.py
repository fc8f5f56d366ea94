"""Looking at the matches of a NATS server: each is asked how it stands, and nothing is changed."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import suppress
from typing import Final

from nats.aio.msg import Msg

from ataxxd.engines.match.progress import Progress
from ataxxd.match_queue.items import PROGRESS
from ataxxd.match_queue.server import ANY, LOOK, connected

_AGAIN_S: Final = 1.0
_SILENT: Final = 5
"""Times that nobody answers before it is said."""


async def matches_at(
    url: str, tell: Callable[[str], None]
) -> AsyncGenerator[Mapping[str, Progress], None]:
    """The matches at a server, again and again, until all of them are over.

    Args:
        url: of the server.
        tell: is told what people should know.

    Raises:
        UsageError: the address cannot be read.
        TransportError: the server cannot be used.
    """
    server = await connected(url, tell)
    matches, silent, heard = dict[str, Progress](), 0, asyncio.Event()

    async def take(message: Msg) -> None:
        progress = PROGRESS.load(message.data)
        if progress is not None:
            matches[message.subject] = progress
            heard.set()

    try:
        await server.hear(ANY.progress, take)
        while not matches or not all(each.over for each in matches.values()):
            heard.clear()
            await server.say(LOOK, b"")
            with suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), _AGAIN_S)
            if heard.is_set():
                silent = 0
                yield {**matches}
                await asyncio.sleep(_AGAIN_S)
            else:
                silent += 1
                if silent == _SILENT:
                    tell(f"No match answers at {server.address}; waiting for one.")
        yield {**matches}
    finally:
        await server.close()
