"""Hints and evaluations by the engine, beside the game and off the event loop."""

import asyncio

from ataxxd.rules import Engine, Position, SearchResult, Side

_HASH_MB = 16


class Adviser:
    """An engine of one's own to ask about positions; one question at a time."""

    def __init__(self) -> None:
        self._engine = Engine(_HASH_MB)
        self._busy = asyncio.Lock()

    async def consider(self, position: Position, time_ms: int) -> SearchResult:
        """What the engine thinks of a position in which the game goes on.

        Cancelling it ends the search.
        """
        async with self._busy:
            thought = asyncio.create_task(
                asyncio.to_thread(self._engine.search, position, time_ms=time_ms), name="advice"
            )
            try:
                return await asyncio.shield(thought)
            except asyncio.CancelledError:
                # The engine hears it only once it has begun.
                while not thought.done():
                    self._engine.stop()
                    await asyncio.wait({thought}, timeout=0.05)
                raise


def in_words(result: SearchResult, position: Position, names: tuple[str, str]) -> str:
    """An evaluation from the side it favours: ``Red +0.35``, ``Blue wins in 3``."""
    mover = Side(position.turn)
    if result.mate_in is not None:
        winner = mover if result.mate_in > 0 else mover.opponent
        return f"{names[winner]} wins in {abs(result.mate_in)}"
    if result.score == 0:
        return "even"
    better = mover if result.score > 0 else mover.opponent
    return f"{names[better]} +{abs(result.score) / 100:.2f}"


def share(result: SearchResult, position: Position) -> float:
    """How much of a bar belongs to the first side, from 0 to 1."""
    score = result.score if position.turn is Side.FIRST else -result.score
    if result.mate_in is not None:
        first_wins = (result.mate_in > 0) == (position.turn is Side.FIRST)
        return 1.0 if first_wins else 0.0
    # Four pieces ahead are as good as all of it.
    return min(max(0.5 + score / 800, 0.0), 1.0)
