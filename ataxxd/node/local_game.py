"""A game on this machine: both seats are here, and moves can be taken back.

Bots think in a thread, so that the event loop stays responsive. This module knows nothing of
networks, or of how a game is shown.
"""

import asyncio
import secrets
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from ataxxd.engines import OURS
from ataxxd.engines.base import Bot, InstantBot, Ponderer, ReproducibleBot, seed_for
from ataxxd.engines.search_thread import StoppableCall
from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Act, Game
from ataxxd.node.level_games import LevelGames, Result
from ataxxd.node.thinking import decide
from ataxxd.rules import Move, Outcome, Position, Side, ruleset_info
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import DrawAsked, DrawRefused, Moved, Notice, Over, Seat, TableEvent

T = TypeVar("T")

_HURRIED_MS = 5
EARLY_MOVES = 8
"""A game that is resigned before this many moves does not count towards a level."""


class LocalGame(Game):
    """An offline game, which can be set up, taken back and begun again.

    Use it from one event loop; only the bots run elsewhere.

    Args:
        start: the position to begin from; it may be a final one.
        bots: the bot that plays a side whose seat is automatic.
        seats: who plays each side; people play both if None.
        seed: as for `reseed`; if None, the machine's moves vary.
    """

    def __init__(
        self,
        start: Position,
        bots: Mapping[Side, Bot],
        *,
        seats: Mapping[Side, Seat] | None = None,
        seed: int | None = None,
    ) -> None:
        self._bots = dict(bots)
        self._seats = dict.fromkeys(Side, Seat.HUMAN)
        self._seed = secrets.randbits(63) if seed is None else seed
        self._positions = [start]
        self._moves: list[Move] = []
        self._undone: list[Move] = []
        self._declared: Outcome | None = None
        self._draw_by: Side | None = None
        self._must_move = False
        self._refused: list[int] = []
        self._events: deque[TableEvent] = deque()
        self._changed = asyncio.Event()
        self._time_ms: int | None = None
        self._hurry_told = False
        # Counts changes that make a search under way useless: undo, new, another seat or seed.
        self._edits = 0
        self._thought: StoppableCall[Any] | None = None
        self._repeats = False
        # Where results are stored, and whether the person has played this game without help so far.
        self._level_games: LevelGames | None = None
        self._unaided = start == Position.start(start.ruleset)
        if seed is not None:
            self._make_reproducible()
        for side, seat in (seats or {}).items():
            self.fill(side, seat)
        self._report_end()

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._positions[0]

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def moves(self) -> tuple[Move, ...]:
        """The moves played from `start` to `position`."""
        return tuple(self._moves)

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return self._declared or self.position.outcome

    @property
    def draw_offered_by(self) -> Side | None:
        """The side whose offer of a draw waits for the other's answer."""
        return self._draw_by

    @property
    def record(self) -> GameRecord:
        """The game so far, in the form that notations write."""
        return GameRecord(self.start, self.moves, self.outcome, tuple(self._refused))

    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""
        return self._seats[side]

    def count_results(self, games: LevelGames) -> None:
        """Store the results of a person's games against a level of our engine from now on.

        A game counts if it was played from the usual start to its end without help: no move taken
        back, no advice, no seat changed, and no seed, which would repeat the engine's moves. A
        game resigned within the first few moves does not count.
        """
        self._level_games = games

    def advised(self) -> None:
        """Note that a player here had advice: the game does not count towards a level."""
        self._unaided = False

    @property
    def idle(self) -> bool:
        """Whether all events are reported, and only a person can act or the game is over."""
        return not self._events and not self._is_bot_turn()

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""
        try:
            self._require(act)
        except LocalProtocolError as error:
            return error
        return None

    def _require(self, act: Act) -> None:
        match act:
            case "move":
                self._require_human("move")
            case "resign":
                if self._waiting_human is None:
                    self._require_human("resign")
                    self._require_free_choice()
            case "offer_draw":
                self._require_human("offer a draw")
                self._require_draws()
                self._require_free_choice()
            case "answer_draw":
                self._require_draw_offered()
            case "undo":
                if not self._moves and self._declared is None:
                    text = "There is nothing to undo: no move has been made."
                    raise LocalProtocolError("undo/nothing", text)
            case "redo":
                if not self._undone:
                    text = (
                        "There is nothing to redo: no move has been taken back since the last one."
                    )
                    raise LocalProtocolError("redo/nothing", text)
            case "new" | "fill":
                pass
            case _:
                raise LocalProtocolError(
                    "game/alone", "Nobody sits on the other side of this table."
                )

    async def _play(self, move: Move) -> None:
        self._make_move(move, Seat.HUMAN)

    async def resign(self) -> None:
        """Resign for the person, even while the machine thinks; see `Game.resign`."""
        self._require("resign")
        waiting = self._waiting_human
        loser = self.position.turn if waiting is None else waiting
        self._declare(Outcome("resignation", loser.opponent))
        if waiting is not None:
            self._on_edit()

    async def offer_draw(self) -> None:
        """Offer a draw for the person whose turn it is; see `Game.offer_draw`."""
        self._require("offer_draw")
        self._offer_draw()

    async def answer_draw(self, *, accept: bool) -> None:
        """Accept or reject the draw offered to a person; see `Game.answer_draw`."""
        self._require("answer_draw")
        self._answer_draw(accept=accept)

    async def advance(self) -> TableEvent:
        """The next event; on the machine's turn it thinks meanwhile.

        Cancelling it stops the thinking; the next call starts it over.
        """
        while True:
            if self._events:
                return self._events.popleft()
            if self._is_bot_turn():
                await self._play_bot_turn()
                continue
            self._changed.clear()
            await self._changed.wait()

    async def _next(self) -> TableEvent | None:
        over = self.outcome is not None and self.idle
        return None if over else await self.advance()

    def new(
        self,
        start: Position | None = None,
        moves: Sequence[Move] = (),
        refused: Sequence[int] = (),
    ) -> None:
        """Begin a new game from `start`, with moves already made; see `Game.new`."""
        positions = [Position.start(self.start.ruleset) if start is None else start]
        for move in moves:
            positions.append(positions[-1].play(move))
        self._positions = positions
        self._moves = list(moves)
        self._undone = []
        self._unaided = not moves and self.start == Position.start(self.start.ruleset)
        self._drop_draw_offer()
        self._refused = list(refused)
        self._must_move = len(moves) in refused
        self._events = deque(event for event in self._events if isinstance(event, Notice))
        self._report_end()
        self._on_edit()

    def undo(self) -> Move | None:
        """Take back the last move, and a resignation after it; see `Game.undo`."""
        self._require("undo")
        self._unaided = False
        if not self._moves:
            self._drop_draw_offer()
            self._events.clear()
            self._on_edit()
            return None
        self._drop_draw_offer()
        # Drop the events of this move that have not been reported.
        while self._events and not isinstance(self._events[-1], Moved):
            self._events.pop()
        if self._events:
            self._events.pop()
        self._positions.pop()
        self._on_edit()
        move = self._moves.pop()
        self._undone.append(move)
        self._refused = [ply for ply in self._refused if ply < len(self._moves)]
        return move

    @property
    def undone(self) -> Sequence[Move]:
        """The moves that `redo` would make again, the next one last."""
        return tuple(self._undone)

    def redo(self) -> Move:
        """Make the move that was last taken back again; see `Game.redo`."""
        self._require("redo")
        self._drop_draw_offer()
        move = self._undone.pop()
        self._positions.append(self.position.play(move))
        self._moves.append(move)
        self._report_end()
        self._on_edit()
        return move

    def fill(self, side: Side, seat: Seat) -> None:
        """Give a side to a person or the machine, at once if it is that side's turn.

        Raises:
            ValueError: the seat is remote, or no bot was given for this side.
        """
        if seat is Seat.REMOTE:
            msg = "A local table has no remote seat; use a network game for that."
            raise ValueError(msg)
        if seat is Seat.AUTO and side not in self._bots:
            msg = f"There is no bot for {side.name.lower()} at this table."
            raise ValueError(msg)
        self._unaided = self._unaided and (not self._moves or self._seats[side] is seat)
        self._seats[side] = seat
        self._on_edit()

    def agent(self, side: Side) -> str:
        """Who plays `side` now: ``human`` or a bot's name."""
        return "human" if self._seats[side] is Seat.HUMAN else self._bots[side].name

    def reseed(self, seed: int) -> None:
        """Make each of the machine's moves depend only on `seed` and the moves before it."""
        self._seed = seed
        self._make_reproducible()
        self._on_edit()

    @property
    def repeats(self) -> bool:
        """Whether a seed makes the machine's moves repeatable."""
        return self._repeats

    def _make_reproducible(self) -> None:
        self._repeats = True
        said = {
            bot.make_reproducible()
            for bot in set(self._bots.values())
            if isinstance(bot, ReproducibleBot)
        }
        self._events.extend(Notice(text) for text in sorted(said - {None}, key=str) if text)
        self._changed.set()

    def hurry(self) -> None:
        """Have the machine move at once from now on; a seed no longer has any effect."""
        self._time_ms = _HURRIED_MS
        if self._thought is not None:
            self._thought.stop()

    def stop_pondering(self) -> None:
        """Stop bots that think on the person's time; the next move is searched from scratch."""
        for bot in self._bots.values():
            if isinstance(bot, Ponderer):
                bot.stop_pondering()

    async def _play_bot_turn(self) -> None:
        edits = self._edits
        bot = self._bots[self.acting_side]
        decision = await decide(
            bot,
            self.start,
            self._moves,
            self.position,
            lambda question: self._think(bot, question),
            seed=seed_for(self._seed, len(self._moves)),
            asked=self._draw_by is not None,
            must_move=self._must_move,
        )
        if edits != self._edits:
            return
        match decision:
            case Move():
                self._report_cuts(bot)
                self._make_move(decision, Seat.AUTO)
                self._ponder(bot)
            case "offer_draw":
                self._offer_draw()
            case _:
                self._answer_draw(accept=decision == "accept")

    def _report_cuts(self, bot: Bot) -> None:
        if self._time_ms is not None:
            if not self._hurry_told:
                text = "The input has ended: the rest is played without thinking."
                self._events.append(Notice(text))
            self._hurry_told = True
        elif isinstance(bot, ReproducibleBot) and bot.was_cut_short:
            again = ", and the same seed may give another game" if self._repeats else ""
            text = f"This machine is too slow or too busy: a search was ended by time{again}."
            self._events.append(Notice(text))

    def _ponder(self, bot: Bot) -> None:
        """Let a bot think on a person's time; not on a bot's, as they would share the cores."""
        waits = self.outcome is None and self._seats[self.acting_side] is Seat.HUMAN
        if isinstance(bot, Ponderer) and waits:
            bot.ponder(self.position, seed=seed_for(self._seed, len(self._moves) + 1))

    def _is_bot_turn(self) -> bool:
        return self.outcome is None and self._seats[self.acting_side] is Seat.AUTO

    @property
    def _waiting_human(self) -> Side | None:
        """The side of the one person here while the machine is on turn; None at other times."""
        humans = [side for side in Side if self._seats[side] is Seat.HUMAN]
        return humans[0] if len(humans) == 1 and self._is_bot_turn() else None

    def _offer_draw(self) -> None:
        self._draw_by = self.position.turn
        self._events.append(DrawAsked(self.position.turn))
        self._changed.set()

    def _answer_draw(self, *, accept: bool) -> None:
        assert self._draw_by is not None
        if accept:
            self._declare(Outcome("draw-agreed", None))
            return
        self._events.append(DrawRefused(self._draw_by.opponent))
        self._draw_by = None
        self._refused.append(len(self._moves))
        self._must_move = True
        self._changed.set()

    def _declare(self, outcome: Outcome) -> None:
        self._declared = outcome
        self._draw_by = None
        self._report_end()

    def _drop_draw_offer(self) -> None:
        self._refused = [ply for ply in self._refused if ply < len(self._moves)]
        self._declared = None
        self._draw_by = None
        self._must_move = False

    def _require_draws(self) -> None:
        if not ruleset_info(self.position.ruleset).draw_offers:
            raise LocalProtocolError("draw/unknown-here", "This game has no agreed draws.")

    def _require_draw_offered(self) -> None:
        if self._draw_by is None or self._seats[self._draw_by.opponent] is not Seat.HUMAN:
            raise LocalProtocolError("draw/not-offered", "No draw is offered to you.")

    def _require_free_choice(self) -> None:
        if self._must_move:
            raise LocalProtocolError(
                "draw/must-move", "Your offer of a draw was rejected: now you must move."
            )

    def _require_human(self, verb: str) -> None:
        if self.outcome is not None:
            raise LocalProtocolError(
                "move/game-over", f"You cannot {verb}: the game is over. Undo, or begin a new one."
            )
        if self._draw_by is not None:
            raise LocalProtocolError(
                "draw/unanswered", f"You cannot {verb}: a draw is offered and waits for the answer."
            )
        if self._seats[self.position.turn] is not Seat.HUMAN:
            raise LocalProtocolError(
                "move/not-your-turn",
                f"You cannot {verb}: the computer plays the side on turn. Wait for its move.",
            )

    def _make_move(self, move: Move, seat: Seat) -> None:
        before = self.position
        after = before.play(move)
        self._undone = []
        self._must_move = False
        self._positions.append(after)
        self._moves.append(move)
        self._events.append(Moved(before.turn, move, before, seat, len(self._moves)))
        self._report_end()
        self._changed.set()

    def _report_end(self) -> None:
        if (outcome := self.outcome) is not None:
            self.stop_pondering()
            self._events.append(Over(outcome))
            if (said := self._store_result(outcome)) is not None:
                self._events.append(Notice(said))
        self._changed.set()

    def _store_result(self, outcome: Outcome) -> str | None:
        """Store the result of a finished game, once; returns the new estimate in words, or None."""
        humans = [side for side in Side if self._seats[side] is Seat.HUMAN]
        early = outcome.termination == "resignation" and len(self._moves) < EARLY_MOVES
        unaided, self._unaided = self._unaided, False
        if self._level_games is None or not unaided or early or self._repeats or len(humans) != 1:
            return None
        (own,) = humans
        kind, _, level = self._bots[own.opponent].name.partition("@")
        if kind != OURS or not level.isdecimal():
            return None
        halves = 1 if outcome.winner is None else 2 * (outcome.winner is own)
        return self._level_games.store(self.start.ruleset, Result(int(level), halves))

    def _on_edit(self) -> None:
        """Wake `advance`, and stop a search that has become useless."""
        self._edits += 1
        self.stop_pondering()
        if self._thought is not None:
            self._thought.stop()
        self._changed.set()

    async def _think(self, bot: Bot, asked: Callable[[int | None], T]) -> T:
        question = partial(asked, self._time_ms)
        if isinstance(bot, InstantBot):
            return question()
        self._thought = thought = StoppableCall(question, bot.stop)
        try:
            return await thought.result()
        finally:
            self._thought = None
