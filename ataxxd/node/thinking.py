"""Thinking off the event loop, so that a node stays awake while its bot thinks."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from ataxxd.bots.base import Bot, Instant

# How often a bot is told again to stop: the first word may come before its search starts.
_STOP_AGAIN_S = 0.02

T = TypeVar("T")


async def think(bot: Bot, question: Callable[[], T]) -> T:
    """What a bot answers, asked in a thread unless it answers at once.

    When cancelled, the bot is told to stop and waited for, so that it never thinks about
    two things at once.

    Args:
        bot: who thinks.
        question: calls the bot, such as ``partial(bot.choose, position)``.
    """
    if isinstance(bot, Instant):
        return question()
    task = asyncio.create_task(asyncio.to_thread(question), name="thinking")
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            bot.stop()
            await asyncio.wait({task}, timeout=_STOP_AGAIN_S)
        if not task.cancelled():
            task.exception()  # looked at, so that asyncio does not complain of it
        raise
