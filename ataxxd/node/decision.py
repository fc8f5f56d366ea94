"""What a machine does on its turn: the same in a game here and in one over a broker."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, Protocol, TypeAlias, TypeVar

from ataxxd.engines.base import Bot
from ataxxd.rules import Move, Position
from ataxxd.rules.checkers import early_for_a_draw, leads_nowhere, worth_a_draw

T_co = TypeVar("T_co", covariant=True)
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
