"""Stopping cleanly: the first SIGINT or SIGTERM ends the work in order, the second at once."""

import asyncio
import signal
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from ataxxd.cli.output import print_message
from ataxxd.errors import ExitCode

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def run_until_stopped(work: Coroutine[Any, Any, int]) -> int:
    """Run a command's work on a new event loop.

    Returns:
        What the work returned; `ExitCode.INTERRUPTED` if a signal ended it.
    """
    return asyncio.run(_run(work))


async def _run(work: Coroutine[Any, Any, int]) -> int:
    loop = asyncio.get_running_loop()
    task = loop.create_task(work, name="command")
    asked = False

    def stop() -> None:
        nonlocal asked
        asked = True
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        task.cancel()
        print_message("Stopping. A second Ctrl-C stops at once.")

    for number in _SIGNALS:
        loop.add_signal_handler(number, stop)
    try:
        return await task
    except asyncio.CancelledError:
        if not asked:
            raise
        return ExitCode.INTERRUPTED


@contextmanager
def sigterm_interrupts() -> Iterator[None]:
    """Let SIGTERM raise `KeyboardInterrupt`, as SIGINT does, in a block without an event loop."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


async def run_served(
    work: Coroutine[Any, Any, None], stop: Callable[[], None], reload: Callable[[], None]
) -> None:
    """Run a service: SIGINT or SIGTERM stops it, the second time at once; SIGHUP reloads it.

    Args:
        work: the service, which ends some time after `stop`.
        stop: tells the service to end.
        reload: lets the service read its configuration again.
    """
    loop = asyncio.get_running_loop()

    def stopping() -> None:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
            signal.signal(number, signal.SIG_DFL)
        stop()

    for number in _SIGNALS:
        loop.add_signal_handler(number, stopping)
    loop.add_signal_handler(signal.SIGHUP, reload)
    try:
        await work
    finally:
        loop.remove_signal_handler(signal.SIGHUP)
