"""What is asked of the NATS server."""

import asyncio
from contextlib import suppress

import pytest

from ataxxd.match_queue.server import try_send


async def test_a_cancellation_that_the_client_keeps_to_itself_is_one_all_the_same() -> None:
    asked = asyncio.Event()

    async def keeps() -> None:
        asked.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()

    task = asyncio.create_task(try_send(keeps))
    await asked.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
