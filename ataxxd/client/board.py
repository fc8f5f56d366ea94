"""A board that a program looks at: what stands on it, and what happens to it."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence

from ataxxd.client.events import TableEvent
from ataxxd.node.control import Table
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord


class Board(ABC):
    """One game, played or watched. All that is shown of it has been verified."""

    @property
    @abstractmethod
    def _table(self) -> Table:
        """The table of the node."""

    @abstractmethod
    async def _next(self) -> TableEvent | None:
        """The next thing that happened; None when nothing more can."""

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._table.start

    @property
    def position(self) -> Position:
        """The position now."""
        return self._table.position

    @property
    def moves(self) -> Sequence[Move]:
        """The moves from `start` to `position`."""
        return self._table.moves

    @property
    def turn(self) -> Side:
        """The side to move."""
        return self.position.turn

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it goes on."""
        return self._table.outcome

    @property
    def record(self) -> GameRecord:
        """The game so far, as `ataxxd.rules.notation` writes it."""
        return self._table.record()


async def next_while(table: Table, carried: "asyncio.Task[None]") -> TableEvent | None:
    """The next event of a table, or None when its carrier has ended and all is told.

    May be cancelled and called again; no event is lost.
    """
    telling = asyncio.create_task(table.advance(), name="the next event")
    try:
        await asyncio.wait({telling, carried}, return_when=asyncio.FIRST_COMPLETED)
        if not telling.done():
            # What the carrier said last is there at once, or nothing is.
            await asyncio.wait({telling}, timeout=0)
        return telling.result() if telling.done() else None
    finally:
        if not telling.done():
            telling.cancel()
            await asyncio.wait({telling})
