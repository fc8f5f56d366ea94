"""Thinking off the event loop, so that a node stays awake while its bot thinks."""

import asyncio

from ataxxd.bots.base import Bot
from ataxxd.rules import Move, Position


async def think(bot: Bot, position: Position, seed: int) -> Move:
    """The bot's choice; when cancelled, the bot is told to stop and waited for.

    Args:
        bot: who chooses; it thinks about one position at a time.
        position: not over.
        seed: 0 to 2**64 - 1.
    """
    choosing = asyncio.ensure_future(asyncio.to_thread(bot.choose, position, seed=seed))
    try:
        return await asyncio.shield(choosing)
    except asyncio.CancelledError:
        bot.stop()
        await asyncio.wait([choosing])
        raise
