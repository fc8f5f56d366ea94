"""A seat in a network game as clients see it: the `Table` of `ataxxd.node.control`."""

from collections import deque
from collections.abc import Sequence
from functools import partial

from ataxxd.bots.base import Bot, seed_for
from ataxxd.node.control import (
    DrawAsked,
    DrawRefused,
    Moved,
    Notice,
    Over,
    Seat,
    TableEvent,
    acting_side,
)
from ataxxd.node.presence import Presence
from ataxxd.node.runtime import PlayerRuntime, RuntimeEvent
from ataxxd.node.thinking import think
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.checkers import leads_nowhere, worth_a_draw
from ataxxd.session.effects import DrawOffered, DrawRejected, Ended, Played
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase


class NetworkTable:
    """Our seat in a game over a broker; `bot` plays it when there is one.

    `PlayerRuntime.run` must run beside it, and the game must have started.
    """

    def __init__(self, runtime: PlayerRuntime, bot: Bot | None, seed: int) -> None:
        """Sit down at the game of `runtime`."""
        self._runtime = runtime
        self._bot = bot
        self._seed = seed
        self._pending: deque[TableEvent] = deque()

    @property
    def _ledger(self) -> Ledger:
        return self._runtime.session.ledger

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._ledger.start

    @property
    def position(self) -> Position:
        """The position now."""
        return self._ledger.position

    @property
    def moves(self) -> Sequence[Move]:
        """The moves played so far."""
        return self._ledger.moves

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self._ledger.outcome

    @property
    def idle(self) -> bool:
        """True when everything is reported and only our human can go on, or the game is over."""
        self._collect()
        if self._pending:
            return False
        return self.outcome is not None or self.seat(acting_side(self)) is Seat.HUMAN

    @property
    def draw_offered_by(self) -> Side | None:
        """The side whose offer of a draw waits for the other's answer."""
        return self.position.turn if self._ledger.phase is Phase.ASKED else None

    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""
        if side is not self._runtime.session.side:
            return Seat.REMOTE
        return Seat.HUMAN if self._bot is None else Seat.AUTO

    async def play(self, move: Move) -> None:
        """Play `move` for our human (see `ataxxd.node.control.Table.play`)."""
        await self._runtime.play(move)

    async def resign(self) -> None:
        """Resign for our human (see `ataxxd.node.control.Table.resign`)."""
        await self._runtime.resign()

    async def offer_draw(self) -> None:
        """Offer a draw for our human (see `ataxxd.node.control.Table.offer_draw`)."""
        await self._runtime.offer_draw()

    async def answer_draw(self, *, accept: bool) -> None:
        """Answer for our human (see `ataxxd.node.control.Table.answer_draw`)."""
        await self._runtime.answer_draw(accept=accept)

    async def advance(self) -> TableEvent:
        """The next thing that happened; on our bot's turn the wait is its thinking."""
        while True:
            self._collect()
            if self._pending:
                return self._pending.popleft()
            ours = self.outcome is None and self.seat(acting_side(self)) is Seat.AUTO
            if ours and self._bot is not None:
                await self._let_act(self._bot)
            else:
                self._take(await self._runtime.events.get())

    async def _let_act(self, bot: Bot) -> None:
        if self.draw_offered_by is not None:
            accept = leads_nowhere(self.start, self.moves) is not None or await think(
                bot, partial(bot.accepts_draw, self.position)
            )
            if self.outcome is None:
                await self._runtime.answer_draw(accept=accept)
            return
        if not self._ledger.must_move and worth_a_draw(self.start, self.moves):
            await self._runtime.offer_draw()
            return
        seed = seed_for(self._seed, len(self.moves))
        move = await think(bot, partial(bot.choose, self.position, seed=seed))
        # The opponent may have been found out, and the game over, meanwhile.
        if self.outcome is None:
            await self._runtime.play(move)

    def _collect(self) -> None:
        while not self._runtime.events.empty():
            self._take(self._runtime.events.get_nowait())

    def _take(self, event: RuntimeEvent | None) -> None:
        match event:
            case Played(_, side, move, before, _, ply):
                self._pending.append(Moved(side, move, before, self.seat(side), ply))
            case DrawOffered(role):
                self._pending.append(DrawAsked(self._side(role)))
            case DrawRejected(role):
                self._pending.append(DrawRefused(self._side(role)))
            case Ended(outcome):
                self._pending.append(Over(outcome))
            case Presence(text):
                self._pending.append(Notice(text))
            case _:
                pass

    def _side(self, role: Role) -> Side:
        side = self._ledger.side_of(role)
        assert side is not None  # nobody offers a draw before the start
        return side
