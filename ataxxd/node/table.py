"""A seat in a network game as clients see it: the `Table` of `ataxxd.node.control`."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from ataxxd.engines.base import Bot, Ponders, seed_for
from ataxxd.errors import LocalProtocolError
from ataxxd.node.control import Begun, Seat, TableEvent, acting_side
from ataxxd.node.events import RuntimeEvent
from ataxxd.node.ledger_table import LedgerTable
from ataxxd.node.names import NameBook
from ataxxd.node.runtime import PlayerRuntime
from ataxxd.node.table_events import table_event
from ataxxd.node.thinking import UNSCHEDULED, Budget, Scheduler
from ataxxd.node.waiting import Signal
from ataxxd.rules import Move, Side
from ataxxd.rules.checkers import early_for_a_draw, leads_nowhere, worth_a_draw
from ataxxd.session.effects import Asked, Said
from ataxxd.session.ledger import Ledger

# A bot keeps time for about this many more moves.
_MOVES_TO_GO = 25


class Rematches(Protocol):
    """Who arranges the games that follow at a table."""

    @property
    def possible(self) -> bool:
        """Whether a rematch can be asked for now."""
        ...

    @property
    def expected(self) -> bool:
        """Whether the next game comes without being asked for."""
        ...

    @property
    def deserted(self) -> bool:
        """Whether the opponent has left, or seems to: nobody is there to agree to a rematch."""
        ...

    def ask(self) -> None:
        """See `ataxxd.node.control.PeerTable.rematch`."""
        ...

    async def say(self, text: str) -> None:
        """Say something to the opponent when the game is over."""
        ...


@dataclass(frozen=True, slots=True)
class _Next:
    """The place of the next game among the events: what comes before is of the last one."""

    runtime: PlayerRuntime


class NetworkTable(LedgerTable):
    """Our seat in a game over a broker, and in those that follow it; `bot` plays it if given.

    `PlayerRuntime.run` must run beside it, and the game must have started.
    """

    def __init__(
        self,
        runtime: PlayerRuntime,
        bot: Bot | None,
        seed: int,
        rematches: Rematches | None = None,
        scheduler: Scheduler = UNSCHEDULED,
        *,
        agrees: bool = False,
    ) -> None:
        """Sit down at the game of `runtime`.

        Args:
            runtime: the game.
            bot: plays our side when there is one.
            seed: of its choices.
            rematches: arranges the games that follow; without it this is the only one.
            scheduler: where the bot thinks.
            agrees: the bot agrees to takebacks and aborts; else it refuses them, since who asks a
                machine is most often about to lose to it.
        """
        self._agrees = agrees
        self._runtime = runtime
        self._bot = bot
        self._seed = seed
        self._rematches = rematches
        self._scheduler = scheduler
        self._ponderer = bot if isinstance(bot, Ponders) and scheduler.ponders else None
        self._pending: list[TableEvent | _Next] = []
        self._asked = False
        self._resting = Signal()
        self._resting.set()

    @property
    def _ledger(self) -> Ledger:
        return self._runtime.session.ledger

    @property
    def _names(self) -> NameBook | None:
        introductions = self._runtime.introductions
        return None if introductions is None else introductions.names

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._runtime.broker

    @property
    def idle(self) -> bool:
        """True when everything is reported and only our human can go on, or the game is over."""
        self._collect()
        if self._pending:
            return False
        if self.outcome is not None:
            return self._rematches is None or not self._rematches.expected
        return self.seat(acting_side(self)) is Seat.HUMAN

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

    @property
    def resigning(self) -> bool:
        """See `ataxxd.node.control.PeerTable.resigning`."""
        return self.outcome is None and self._runtime.session.resigning

    async def keep_playing(self) -> None:
        """See `ataxxd.node.control.PeerTable.keep_playing`."""
        await self._runtime.keep_playing()

    async def offer_draw(self) -> None:
        """Offer a draw for our human (see `ataxxd.node.control.Table.offer_draw`)."""
        await self._runtime.offer_draw()

    async def answer_draw(self, *, accept: bool) -> None:
        """Answer for our human (see `ataxxd.node.control.Table.answer_draw`)."""
        await self._runtime.answer_draw(accept=accept)

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now."""
        return self._runtime.connected

    @property
    def _thought_ms(self) -> int:
        return self._runtime.elapsed_ms

    async def ask(self, what: str) -> None:
        """Ask the opponent (see `ataxxd.node.control.PeerTable.ask`)."""
        await self._runtime.ask(what)

    async def agree(self) -> None:
        """Agree with the opponent (see `ataxxd.node.control.PeerTable.agree`)."""
        await self._runtime.agree()

    async def refuse(self) -> str:
        """Refuse what the opponent asks for (see `ataxxd.node.control.PeerTable.refuse`)."""
        return await self._runtime.refuse()

    async def claim(self) -> None:
        """Claim the game (see `ataxxd.node.control.PeerTable.claim`)."""
        await self._runtime.claim()

    async def say(self, text: str) -> None:
        """Talk to the opponent (see `ataxxd.node.control.PeerTable.say`)."""
        if self.outcome is None or self._rematches is None:
            await self._runtime.say(text)
        else:
            await self._rematches.say(text)

    async def advance(self) -> TableEvent:
        """The next thing that happened; on our bot's turn the wait is its thinking."""
        while True:
            self._collect()
            if self._pending:
                event = self._pending.pop(0)
                return self._turn_to(event.runtime) if isinstance(event, _Next) else event
            ours = self.outcome is None and self.seat(acting_side(self)) is Seat.AUTO
            if self._bot is not None and self._asked:
                await self._let_answer()
            elif ours and self._bot is not None:
                self._resting.clear()
                try:
                    await self._let_act(self._bot)
                finally:
                    self._resting.set()
            else:
                # Whoever asks meanwhile whether we are idle collects what has come.
                await self._runtime.events.news()

    @property
    def may_rematch(self) -> bool:
        """See `ataxxd.node.control.PeerTable.may_rematch`."""
        return self.outcome is not None and self._rematches is not None and self._rematches.possible

    def rematch(self) -> None:
        """Ask for the next game (see `ataxxd.node.control.PeerTable.rematch`)."""
        if self.outcome is None:
            raise LocalProtocolError(
                "rematch/not-over", "A rematch can be asked for when the game is over."
            )
        if self._rematches is None or not self._rematches.possible:
            raise LocalProtocolError(
                "rematch/impossible",
                "There is no rematch of this game: it was not settled by both players, or your "
                "opponent broke the rules.",
            )
        if self._rematches.deserted:
            name = self._ledger.offer.name
            raise LocalProtocolError(
                "rematch/opponent-left",
                "Your opponent has left, so there is no rematch. Leave, too, and open another "
                f"game: ataxxd host {name}",
            )
        self._rematches.ask()

    def tell(self, event: TableEvent) -> None:
        """Report something that happened beside the game."""
        self._collect()
        self._pending.append(event)
        self._wake()

    def go_on(self, runtime: PlayerRuntime) -> None:
        """Turn to the next game as soon as all of this one is reported."""
        self._collect()
        self._pending.append(_Next(runtime))
        self._wake()

    def _turn_to(self, runtime: PlayerRuntime) -> Begun:
        self._runtime = runtime
        self._asked = False
        side = runtime.session.side
        assert side is not None  # it has begun
        return Begun(side)

    def _wake(self) -> None:
        self._runtime.events.put_nowait(None)

    async def finish_ply(self) -> None:
        """Wait until our bot, should it be thinking, has made its move."""
        await self._resting.wait()

    @property
    def thinking(self) -> bool:
        """True while our bot has a move to make."""
        return not self._resting.is_set()

    async def _let_act(self, bot: Bot) -> None:
        position = self.position
        if self.draw_offered_by is not None:
            accept = leads_nowhere(self.start, self.moves) is not None or (
                not early_for_a_draw(self.start, self.moves)
                and await self._scheduler.think(
                    bot, lambda ms: bot.accepts_draw(position, time_ms=ms), self._budget
                )
            )
            if self.outcome is None:
                await self._runtime.answer_draw(accept=accept)
            return
        if not self._ledger.must_move and worth_a_draw(self.start, self.moves):
            await self._runtime.offer_draw()
            return
        seed = seed_for(self._seed, len(self.moves))
        move = await self._scheduler.think(
            bot, lambda ms: bot.choose(position, seed=seed, time_ms=ms), self._budget
        )
        self._collect()
        # Meanwhile the opponent may have been found out and the game over, or ask for something;
        # who is refused must not make us think again by it.
        if self._asked and not self._agrees:
            await self._let_answer()
        if self.outcome is None and not self._asked:
            await self._runtime.play(move)
            self._ponder()

    def _ponder(self) -> None:
        waits = self.outcome is None and self.seat(acting_side(self)) is Seat.REMOTE
        if self._ponderer is not None and waits:
            self._ponderer.ponder(self.position, seed=seed_for(self._seed, len(self.moves) + 1))

    def rest(self) -> None:
        """Let our bot not think on while the opponent does."""
        if self._ponderer is not None:
            self._ponderer.rest()

    async def _let_answer(self) -> None:
        """Our bot's answer to a takeback or an abort; what has lapsed needs none."""
        self._asked = False
        with suppress(LocalProtocolError):
            if self._agrees:
                await self._runtime.agree()
            else:
                await self._runtime.refuse()

    def _budget(self) -> Budget:
        """What a bot may spend of its clock on one move."""
        ledger, role, thought_ms = self._ledger, self._runtime.session.role, self._thought_ms
        clock, allowed = ledger.offer.clock, ledger.remaining_ms(role)
        shown = ledger.clock_ms(role, thought_ms)
        if clock is None or allowed is None or shown is None:
            return Budget()
        usual = shown // 2
        if clock.move_ms is None:
            usual = min(shown // _MOVES_TO_GO + (clock.increment_ms or 0) // 2, usual)
        # What its clock does not count of the first move keeps the flag from falling, no more.
        spent = thought_ms if role is ledger.on_turn else 0
        return Budget(max(usual, 1), max(allowed - spent, 0))

    def _collect(self) -> None:
        while not self._runtime.events.empty():
            self._take(self._runtime.events.get_nowait())
        if self._ponderer is not None:
            self._ponderer.follow(self.position if self.outcome is None else None)

    def _take(self, event: RuntimeEvent | None) -> None:
        match event:
            case Said(role) if role is self._runtime.session.role:
                return
            case Asked():
                self._asked = True
            case _:
                pass
        told = table_event(event, self._ledger, self.seat, self._names)
        if told is not None:
            self._pending.append(told)
