"""What a machine does on its turn, and where it thinks: off the event loop."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal, Protocol, TypeAlias, TypeVar

from ataxxd.engines.base import Bot, Instant
from ataxxd.engines.search_thread import StoppableCall
from ataxxd.rules import Move, Position
from ataxxd.rules.checkers import early_for_a_draw, leads_nowhere, worth_a_draw

T = TypeVar("T")

Decision: TypeAlias = Move | Literal["offer_draw", "accept", "reject"]
"""What may be decided."""


class Thinking(Protocol):
    """Asks a bot, off the event loop; the question gets the milliseconds that it may take."""

    def __call__(self, question: Callable[[int | None], T], /) -> Awaitable[T]:
        """Ask it."""
        ...


async def decide(
    bot: Bot,
    start: Position,
    moves: Sequence[Move],
    position: Position,
    think: Thinking,
    *,
    seed: int,
    asked: bool,
    must_move: bool,
) -> Decision:
    """What a bot does when it acts next.

    Args:
        bot: the bot.
        start: the position the game began from.
        moves: those since.
        position: the position now.
        think: where the bot thinks.
        seed: of its choice.
        asked: whether a draw is offered to it.
        must_move: its own offer of a draw was rejected, and it may do nothing else.
    """
    if asked:
        accepts = leads_nowhere(start, moves) is not None or (
            not early_for_a_draw(start, moves)
            and await think(lambda ms: bot.accepts_draw(position, time_ms=ms))
        )
        return "accept" if accepts else "reject"
    if not must_move and worth_a_draw(start, moves):
        return "offer_draw"
    return await think(lambda ms: bot.choose(position, seed=seed, time_ms=ms))


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
