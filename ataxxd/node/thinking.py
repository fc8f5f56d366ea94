"""Thinking off the event loop, so that a node stays awake while its bot thinks."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol, TypeVar

from ataxxd.engines.base import Bot, Instant
from ataxxd.engines.search_thread import StoppableCall

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Budget:
    """What a bot has for an answer, in milliseconds; None where no clock runs.

    Attributes:
        answer_ms: what it should spend on this one at most.
        left_ms: until its flag falls.
    """

    answer_ms: int | None = None
    left_ms: int | None = None


class Scheduler(Protocol):
    """Where the bots of a node think.

    Attributes:
        ponders: whether they may while it is the opponent's turn: not where games share cores.
    """

    ponders: bool

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """What a bot answers.

        Args:
            bot: who thinks.
            question: calls the bot, with how many milliseconds it may spend.
            budget: what there is for it at this moment; asked again when thinking begins.
        """
        ...


class Unscheduled:
    """The usual `Scheduler`: every bot thinks at once, in a thread of its own."""

    ponders = True

    async def think(
        self, bot: Bot, question: Callable[[int | None], T], budget: Callable[[], Budget]
    ) -> T:
        """See `Scheduler.think`."""
        return await think(bot, partial(question, budget().answer_ms))


UNSCHEDULED = Unscheduled()


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
    return await StoppableCall(question, bot.stop).answer()
