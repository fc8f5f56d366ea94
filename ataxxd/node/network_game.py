"""A game over a broker in which we have a seat: implements `ataxxd.node.game.Game`."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from typing import Self

from ataxxd.engines.base import Bot, Ponderer, seed_for
from ataxxd.errors import LocalProtocolError
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import Signal, plain_errors, run_beside
from ataxxd.node.game import OPPONENT_LEFT, Act
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.home import Lock
from ataxxd.node.journal import StoredGame
from ataxxd.node.ledger_game import LedgerGame
from ataxxd.node.names import NameBook
from ataxxd.node.offers import describe_terms
from ataxxd.node.runtime import OfferPublished, PlayerRuntime, RuntimeEvent
from ataxxd.node.series import SeatPlayer, Series
from ataxxd.node.settings import Settings
from ataxxd.node.settlement import SCORE_GRACE
from ataxxd.node.thinking import Budget, decide
from ataxxd.rules import Move, Side
from ataxxd.session.events import (
    WISHES,
    Asked,
    Begun,
    Closed,
    Ignored,
    Moved,
    Named,
    Notice,
    Rejected,
    Request,
    Said,
    Seat,
    Started,
    TableEvent,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import grouped
from ataxxd_protocol.messages import Offer

# A bot keeps time for about this many more moves.
_MOVES_TO_GO = 25
# Seconds for the other side to confirm the last message, if it is there.
_RECEIPT_S = SCORE_GRACE + 5.0


@dataclass(frozen=True, slots=True)
class _NextGame:
    """Marks the next game among the pending events; those before it are of the last game."""

    runtime: PlayerRuntime


class NetworkGame(LedgerGame):
    """Our seat in a network game and its rematches; a bot plays it if one is given.

    Either `run` it beside its use, or use it within `opened`. No other process can take the seat
    until it is closed.
    Before the game has begun there is no board: everything that needs one raises
    `LocalProtocolError`.

    Attributes:
        was_offered: whether the broker has acknowledged our offer in this run.
        secret: the secret of the invitation; empty without one.
    """

    def __init__(
        self,
        context: GameContext,
        stored: StoredGame,
        ledger: Ledger,
        settings: Settings,
        player: SeatPlayer | None,
        *,
        lock: Lock | None = None,
        at: str = "",
    ) -> None:
        """Take a seat in a game, new or from the journal.

        Args:
            context: what the node's games share.
            stored: the game in the journal.
            ledger: the game so far.
            settings: how the seat is played.
            player: who plays; a person if None.
            lock: the lock on the game; None if the caller holds it.
            at: how invitations name the broker: ``@ADDRESS``, or empty for this machine's own.
        """
        player = SeatPlayer() if player is None else player
        bot = player.bot
        self.was_offered = False
        self._stored = stored
        self._home_option = context.profile.home.option
        self.secret = settings.invitation
        self._at = at
        self._on_early_event = player.on_event
        self._lock = lock
        # With `agrees` the bot agrees to takebacks and aborts. Otherwise it refuses them, because a
        # person who asks a machine is usually about to lose to it.
        self._agrees = settings.agrees
        self._seed = settings.seed or 0
        self._bot = bot
        self._scheduler = player.scheduler
        self._ponderer = bot if isinstance(bot, Ponderer) and player.scheduler.ponders else None
        self._shown: PlayerRuntime | None = None
        self._pending: list[TableEvent | _NextGame] = []
        self._asked = False
        self._rematch_asked = False
        self._in_event = player.in_event
        self._bot_resting = Signal()
        self._bot_resting.set()
        self._offer_published = Signal()
        self._begun: asyncio.Future[bool] = asyncio.Future()
        player = replace(player, on_event=self._handle_early_event)
        self._series = Series(self, context, stored, ledger, settings, player)

    def __repr__(self) -> str:
        role = "host" if self.hosted else "guest"
        over = self.current.ledger.outcome is not None
        state = "open" if self.is_open else "over" if over else "playing"
        return f"<{type(self).__name__} {self.name}#{grouped(self.host)}: {role}, {state}>"

    @property
    def in_event(self) -> bool:
        """Whether it belongs to an event, which continues by itself when the game is over."""
        return self._in_event

    # Running

    def close(self) -> None:
        """Release the seat, so that another process can take it up; may be called twice."""
        if self._lock is not None:
            self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Release the seat."""
        self.close()

    async def run(self) -> None:
        """Play the game and those that follow, until none follows or it is left.

        Raises:
            AtaxxdError: as for `GameRun.run`; in a series of games also `NoSuchGame` and
                `NobodyCame` if the opponent does not continue it.
        """
        try:
            await self._series.run()
        finally:
            self.stop_pondering()
            self._offer_published.set()
            if not self._begun.done():
                self._begun.set_result(False)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["NetworkGame"]:
        """Play during the block: it begins for a host with the offer, for a guest with the game."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._carrier = group.create_task(self.run(), name=f"game {self.name}")
                try:
                    await (self._wait_until_offered() if self.hosted else self.begun())
                    yield self
                finally:
                    self.leave()
                    await self._wait_until_settled(self._carrier)

    def leave(self) -> None:
        """Leave the game, which can be resumed; a request for a rematch is withdrawn."""
        self._series.leave()

    async def begun(self) -> bool:
        """Wait until the first game has begun; False if it ended before that."""
        return await asyncio.shield(self._begun)

    @property
    def has_begun(self) -> bool:
        """Whether the first game has begun, so that there is a board."""
        return self._shown is not None

    @property
    def current(self) -> GameRun:
        """The game under way, or else the last one."""
        return self._series.current

    @property
    def has_bot(self) -> bool:
        """Whether a bot plays our seat."""
        return self._bot is not None

    @property
    def silence_left_ms(self) -> int | None:
        """Milliseconds until our opponent may claim the game; None if we are not warned of it."""
        return self._runtime.silence_left_ms

    async def _wait_until_offered(self) -> None:
        """Wait until the broker has the offer, or the game has begun."""
        async with (
            run_beside(self.begun(), "the game begins") as begun,
            run_beside(self._offer_published.wait(), "the offer is there") as there,
        ):
            await asyncio.wait({begun, there}, return_when=asyncio.FIRST_COMPLETED)

    async def _wait_until_settled(self, carrier: "asyncio.Task[None]") -> None:
        """Wait for a game that is over to end: its result needs both signatures."""
        while not carrier.done():
            await asyncio.wait({carrier}, timeout=_RECEIPT_S)
            if self.current.ledger.phase is Phase.CLOSED:
                # We have both. Whether the other side has them, too, is not worth more time.
                carrier.cancel()

    def _handle_early_event(self, event: RuntimeEvent) -> None:
        if isinstance(event, OfferPublished):
            self.was_offered = True
            self._offer_published.set()
        self._on_early_event(event)

    # The game

    @property
    def hosted(self) -> bool:
        """Whether this node is the host."""
        return self.current.stored.role is Role.HOST

    @property
    def host(self) -> str:
        """The host's node id."""
        return self.offer.host

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None before anybody has joined."""
        return self.current.runtime.session.opponent

    @property
    def stored(self) -> StoredGame:
        """The first game, as the journal has it."""
        return self._stored

    @property
    def is_open(self) -> bool:
        """Whether the host's offer still waits for a guest."""
        return self.current.ledger.phase is Phase.OPEN

    @property
    def offer(self) -> Offer:
        """The signed offer: the game's name, rules, start and terms."""
        return self.current.stored.offer

    @property
    def terms(self) -> str:
        """The terms in words; empty for the usual ones."""
        return describe_terms(self.offer)

    @property
    def invitation(self) -> str:
        """What a guest passes to `Node.join`, or to ``ataxxd join``."""
        offer = self._stored.offer
        secret = f".{self.secret}" if self.secret else ""
        return f"{offer.name}#{grouped(offer.host)}{secret}{self._at}"

    @property
    def _runtime(self) -> PlayerRuntime:
        if self._shown is None:
            raise LocalProtocolError(
                "game/not-begun",
                f'"{self.name}" has not begun: there is no board yet. Wait for it: await '
                "game.begun()",
            )
        return self._shown

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
    def connected(self) -> bool:
        """Whether the broker is connected now."""
        return self._runtime.connected

    @property
    def _thought_ms(self) -> int:
        return self._runtime.elapsed_ms

    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""
        if side is not self._runtime.session.side:
            return Seat.REMOTE
        return Seat.HUMAN if self._bot is None else Seat.AUTO

    @property
    def resigning(self) -> bool:
        """Whether we resign as soon as it is our turn."""
        return self.outcome is None and self._runtime.session.resigning

    @property
    def asked(self) -> Request | None:
        """What the opponent asks for, ``takeback`` or ``abort``, or None."""
        return self._runtime.session.asked

    # Acts

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""
        match act:
            case "rematch":
                return self._rematch_refusal()
            case "say" if self.outcome is not None:
                return None
            case "new" | "fill" | "undo" | "redo":
                return LocalProtocolError(
                    "game/not-alone",
                    "This is a network game, where your opponent has a say too: it cannot be set "
                    "up, and no move be taken back without asking.",
                )
            case "talk":
                return LocalProtocolError(
                    "talk/unheard", "Players talk to their opponents, not to spectators."
                )
            case _:
                return self._runtime.refusal(act)

    def _rematch_refusal(self) -> LocalProtocolError | None:
        if self.outcome is None:
            return LocalProtocolError(
                "rematch/not-over", "A rematch can be asked for when the game is over."
            )
        if not self._series.is_rematch_possible:
            return LocalProtocolError(
                "rematch/impossible",
                "There is no rematch of this game: it was not settled by both players, or your "
                "opponent broke the rules.",
            )
        if self._series.has_opponent_left:
            # A guest may have been at a club's table, which has another game open by now.
            hosts = self._runtime.session.role is Role.HOST
            another = (
                "open another game: "
                + command_line(f"host {self._ledger.offer.name}", self._home_option)
                if hosts
                else f"look for another game: {command_line('games')}"
            )
            return LocalProtocolError(
                OPPONENT_LEFT,
                f"Your opponent has left, so there is no rematch. Leave, too, and {another}",
            )
        return None

    async def _play(self, move: Move) -> None:
        await self._runtime.play(move)

    async def resign(self) -> None:
        """Resign, now or as soon as it is our turn; see `Game.resign`."""
        await self._runtime.carry_out(self._runtime.session.resign())

    async def keep_playing(self) -> None:
        """Cancel a resignation that waits for our turn; see `Game.keep_playing`."""
        await self._runtime.carry_out(self._runtime.session.keep_playing())

    async def offer_draw(self) -> None:
        """Offer a draw in place of a move; see `Game.offer_draw`."""
        await self._runtime.carry_out(self._runtime.session.offer_draw())

    async def answer_draw(self, *, accept: bool) -> None:
        """Accept or reject the opponent's draw offer; see `Game.answer_draw`."""
        await self._runtime.carry_out(self._runtime.session.answer_draw(accept=accept))

    async def ask(self, what: Request) -> None:
        """Ask the opponent for a takeback or an abort; see `Game.ask`."""
        await self._runtime.carry_out(self._runtime.session.ask(what))

    async def agree(self) -> None:
        """Agree to what the opponent asks for; see `Game.agree`."""
        await self._runtime.carry_out(self._runtime.session.agree())

    async def refuse(self) -> str:
        """Refuse what the opponent asks for; see `Game.refuse`."""
        return await self._runtime.refuse()

    async def claim(self) -> None:
        """Claim the game of a silent opponent; see `Game.claim`."""
        await self._runtime.claim()

    async def say(self, text: str) -> None:
        """Send the opponent a line of chat; see `Game.say`."""
        if self.outcome is None:
            await self._runtime.say(text)
        else:
            await self._series.say(text)

    def ask_rematch(self) -> None:
        """Ask for a rematch, or agree to one, without waiting; see `Game.ask_rematch`."""
        if (refusal := self._rematch_refusal()) is not None:
            raise refusal
        self._series.ask_rematch()
        self._rematch_asked = True

    @property
    def asks_rematch(self) -> bool:
        """Whether we have asked for a rematch, or agreed to one, and the outcome is still open."""
        if self._rematch_asked and not self._series.is_asking_rematch:
            self._collect()
            self._rematch_asked = bool(self._pending)
        return self._rematch_asked

    # Events

    @property
    def idle(self) -> bool:
        """Whether all events are reported, and only our person can act or the game is over."""
        self._collect()
        if self._pending:
            return False
        if self.outcome is not None:
            return not self._series.is_next_expected
        return self.seat(self.acting_side) is Seat.HUMAN

    async def advance(self) -> TableEvent:
        """The next event; on our bot's turn it thinks meanwhile."""
        while True:
            self._collect()
            if self._pending:
                event = self._pending.pop(0)
                return self._switch_to(event.runtime) if isinstance(event, _NextGame) else event
            ours = self.outcome is None and self.seat(self.acting_side) is Seat.AUTO
            if self._bot is not None and self._asked:
                await self._answer_request()
            elif ours and self._bot is not None:
                self._bot_resting.clear()
                try:
                    await self._play_bot_turn(self._bot)
                finally:
                    self._bot_resting.set()
            else:
                # Leave the event in the queue: a call of `idle` meanwhile collects it.
                await self._runtime.events.wait_for_item()

    def show_first_game(self, runtime: PlayerRuntime) -> None:
        """Show the first game, which has begun."""
        self._shown = runtime
        self._begun.set_result(True)
        if (asking := runtime.session.asking) is not None:
            # Asked before a restart.
            stands = "the request stands until the next move"
            self.add_event(Notice(f"you have asked {WISHES[asking]}; {stands}"))

    def show_next_game(self, runtime: PlayerRuntime) -> None:
        """Show the next game once all events of this one are reported."""
        self._collect()
        self._pending.append(_NextGame(runtime))
        self._wake()

    def add_event(self, event: TableEvent) -> None:
        """Report an event from outside the game."""
        self._collect()
        self._pending.append(event)
        self._wake()

    def _switch_to(self, runtime: PlayerRuntime) -> Begun:
        self._shown = runtime
        self._asked = False
        side = runtime.session.side
        assert side is not None  # it has begun
        return Begun(side)

    def _wake(self) -> None:
        self._runtime.events.put_nowait(None)

    def _collect(self) -> None:
        while not self._runtime.events.empty():
            self._collect_event(self._runtime.events.get_nowait())
        if self._ponderer is not None:
            self._ponderer.stop_pondering_unless(self.position if self.outcome is None else None)

    def _collect_event(self, event: RuntimeEvent | None) -> None:
        match event:
            case None | OfferPublished() | Started() | Closed() | Rejected() | Ignored():
                return
            case Named(side=None):
                return
            case Said(role=role) if role is self._runtime.session.role:
                return
            case Moved():
                event = replace(event, seat=self.seat(event.side))
            case Asked():
                self._asked = True
            case _:
                pass
        self._pending.append(event)

    # Our bot

    @property
    def thinking(self) -> bool:
        """Whether our bot has a move to make."""
        return not self._bot_resting.is_set()

    async def finish_ply(self) -> None:
        """Wait until our bot has made its move, if it is thinking."""
        await self._bot_resting.wait()

    def stop_pondering(self) -> None:
        """Stop our bot from thinking on the opponent's time."""
        if self._ponderer is not None:
            self._ponderer.stop_pondering()

    async def _play_bot_turn(self, bot: Bot) -> None:
        decision = await decide(
            bot,
            self.start,
            self.moves,
            self.position,
            lambda question: self._scheduler.think(bot, question, self._budget),
            seed=seed_for(self._seed, len(self.moves)),
            asked=self.draw_offered_by is not None,
            must_move=self._ledger.must_move,
        )
        if decision == "offer_draw":
            await self.offer_draw()
        elif not isinstance(decision, Move):
            if self.outcome is None:
                await self.answer_draw(accept=decision == "accept")
        else:
            await self._make_bot_move(decision)

    async def _make_bot_move(self, move: Move) -> None:
        self._collect()
        # While the bot thought, the game may have ended by a fault of the opponent, or the opponent
        # may have asked for something. A request that is refused must not make the bot think again.
        if self._asked and not self._agrees:
            await self._answer_request()
        if self.outcome is None and not self._asked:
            await self._runtime.play(move)
            self._ponder()

    def _ponder(self) -> None:
        waits = self.outcome is None and self.seat(self.acting_side) is Seat.REMOTE
        if self._ponderer is not None and waits:
            self._ponderer.ponder(self.position, seed=seed_for(self._seed, len(self.moves) + 1))

    async def _answer_request(self) -> None:
        """Answer a request for a takeback or an abort for our bot, unless it has lapsed."""
        self._asked = False
        with suppress(LocalProtocolError):
            if self._agrees:
                await self.agree()
            else:
                await self.refuse()

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
        # The free time of the first move postpones the fall of the flag, but is not to be spent.
        spent = thought_ms if role is ledger.on_turn else 0
        return Budget(max(usual, 1), max(allowed - spent, 0))
