"""A seat of ours: the turns that come, and what a player may do at them."""

from abc import abstractmethod
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from ataxxd.client.board import Board
from ataxxd.client.events import (
    Begun,
    DrawAsked,
    DrawRefused,
    GameEvent,
    MayClaim,
    Moved,
    Over,
    TableEvent,
    TakenBack,
    YourTurn,
)
from ataxxd.errors import LocalProtocolError
from ataxxd.node.control import Seat
from ataxxd.node.local import LocalTable
from ataxxd.rules import Move, Position, Side


def _never(_: Position) -> bool:
    return False


class Game(Board):
    """A game in which this program has a side.

    One task at a time may wait for what happens, by `events` or `my_turns`. Moves may be made
    by any task of the same event loop.
    """

    @abstractmethod
    async def begun(self) -> None:
        """Wait until the game has begun.

        Raises:
            AtaxxdError: it has ended before it could.
        """

    @property
    def side(self) -> Side:
        """Our side."""
        return next(side for side in Side if self._table.seat(side) is Seat.HUMAN)

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """What happens, until the game is over; `Over` is the last event.

        Called again after the end, it tells what comes then: a wish for a rematch, and the next
        game (`Begun`) to its end. It ends by itself when nothing more can follow.

        `YourTurn` comes once for every move that is wanted of us. It waits for nobody: whoever
        lets it pass hears what happens next, and may still move.

        Raises:
            AtaxxdError: the game cannot go on; it is kept, and can be resumed.
        """
        await self.begun()
        told = False
        if self._table.idle and self._draw_offered_to_us:
            yield DrawAsked(self.side.opponent)
        while True:
            if not told and self._our_turn:
                told = True
                yield YourTurn(self.position, len(self.moves) + 1)
            event = await self._next()
            if event is None:
                return
            told = told and not isinstance(event, Moved | TakenBack | DrawRefused | Begun)
            yield event
            if isinstance(event, Over):
                return

    async def my_turns(
        self, *, accepts_draw: Callable[[Position], bool] = _never, claims: bool = True
    ) -> AsyncGenerator[Position, None]:
        """The positions in which we are to move, one for every move, until the game is over.

        Make the move before the next one is asked for, else it waits for what others do.

        Args:
            accepts_draw: answers a draw that the other side offers, by the position.
            claims: claim the game of a player who is silent for longer than the terms allow.

        Raises:
            AtaxxdError: see `events`.
        """
        async with aclosing(self.events()) as events:
            async for event in events:
                match event:
                    case YourTurn(position):
                        yield position
                    case DrawAsked(side) if side is not self.side and self._draw_offered_to_us:
                        await self.answer_draw(accept=accepts_draw(self.position))
                    case MayClaim() if claims:
                        await self._claim_silence()
                    case _:
                        pass

    async def play(self, move: Move | str) -> None:
        """Play a move.

        Args:
            move: a legal one, as a value or as text such as ``a7-b6``.

        Raises:
            IllegalMoveError: the rules forbid it; nothing has changed.
            InvalidMoveError: the text is no move.
            LocalProtocolError: it is not our turn, or the game is over.
        """
        if isinstance(move, str):
            # Read on the other side's position, a good move would be called illegal.
            if self.outcome is not None:
                raise LocalProtocolError("move/game-over", "You cannot move: the game is over.")
            if self.turn is not self.side:
                raise LocalProtocolError(
                    "move/not-your-turn", "You cannot move: it is the other side's turn."
                )
            move = self.position.parse_move(move)
        await self._table.play(move)

    async def resign(self) -> None:
        """Resign, at any moment of the game.

        The rules let only the side to move resign: on the other side's turn of a network game it
        is done as soon as our turn comes.

        Raises:
            LocalProtocolError: the game is over, or a draw must be answered or a move made first.
        """
        await self._table.resign()

    async def offer_draw(self) -> None:
        """Offer a draw instead of a move. `DrawRefused` or `Over` tells the answer.

        Raises:
            LocalProtocolError: it is not our turn, the game knows no agreed draws, or the last
                offer was rejected and no move made since.
        """
        await self._table.offer_draw()

    async def answer_draw(self, *, accept: bool) -> None:
        """Answer the draw that the other side offers (`DrawAsked`).

        Raises:
            LocalProtocolError: it offers none.
        """
        await self._table.answer_draw(accept=accept)

    async def _claim_silence(self) -> None:
        """Claim the game, if that is still possible; nobody is silent at a table of our own."""

    @property
    def _draw_offered_to_us(self) -> bool:
        return self.outcome is None and self._table.draw_offered_by is self.side.opponent

    @property
    def _our_turn(self) -> bool:
        table = self._table
        free = self.outcome is None and table.draw_offered_by is None
        return free and table.idle and self.turn is self.side


class EngineGame(Game):
    """A game against our own engine, on this machine alone; nobody else knows of it."""

    def __init__(self, table: LocalTable) -> None:
        """Sit down at a table where the other seat is the machine's."""
        self._local = table

    @property
    def _table(self) -> LocalTable:
        return self._local

    async def begun(self) -> None:
        """It has; see `Game.begun`."""

    async def _next(self) -> TableEvent | None:
        over = self._local.outcome is not None and self._local.idle
        return None if over else await self._local.advance()
