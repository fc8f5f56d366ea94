"""Stopping cleanly: SIGINT and SIGTERM end the program's main task."""

import asyncio
import signal


async def stopped() -> None:
    """Wait until the program is asked to stop, by Ctrl-C or SIGTERM."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, asked.set)
    await asked.wait()
