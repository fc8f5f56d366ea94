"""`Game`: everything a player or a spectator can see and do in a game.

The interface is the same for games over a broker, against the own engine, and games only watched.
`Game.can` lists what is possible now; nothing else distinguishes these kinds. Events are those of
`ataxxd.session.events`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing, suppress
from typing import Literal, TypeAlias, get_args

from ataxxd.errors import LocalProtocolError
from ataxxd.node.concurrency import run_beside
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import (
    PLAYERS_ACTS,
    Begun,
    DrawAsked,
    DrawRefused,
    GameEvent,
    MayClaim,
    Moved,
    Over,
    Request,
    Seat,
    TableEvent,
    TakenBack,
    YourTurn,
)
from ataxxd.session.events import Act as PlayersAct

_OtherAct: TypeAlias = Literal["rematch", "talk", "new", "fill", "undo", "redo"]

Act: TypeAlias = PlayersAct | _OtherAct
"""What may be done in a game. ``say`` is heard by the opponent, ``talk`` by the spectators."""

ACTS: tuple[Act, ...] = (*PLAYERS_ACTS, *get_args(_OtherAct))

OPPONENT_LEFT = "rematch/opponent-left"
"""The code of a rematch that is refused because nobody is there to agree to it."""


def _never(_: Position) -> bool:
    return False


class Game(ABC):
    """One game, as a player or a spectator sees it. Everything shown has been verified.

    Only one task at a time may wait for events, by `advance`, `events` or `my_turns`. Any task of
    the same event loop may make moves.

    An act that is not in `can` raises the error that `refusal` gives, and changes nothing. One that
    is may still be refused for its content, such as an illegal move or a text that is too long.
    """

    # The game

    @property
    @abstractmethod
    def start(self) -> Position:
        """The position the game began from."""

    @property
    @abstractmethod
    def position(self) -> Position:
        """The position now."""

    @property
    @abstractmethod
    def moves(self) -> Sequence[Move]:
        """The moves played from `start` to `position`."""

    @property
    @abstractmethod
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    @property
    @abstractmethod
    def draw_offered_by(self) -> Side | None:
        """The side whose offer of a draw has not been answered; None for no offer."""

    @property
    @abstractmethod
    def record(self) -> GameRecord:
        """The game so far, in the form that notations write."""

    @abstractmethod
    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""

    @property
    def turn(self) -> Side:
        """The side to move."""
        return self.position.turn

    @property
    def side(self) -> Side:
        """Our side, that of the person or program here.

        Raises:
            LocalProtocolError: nobody here has a seat.
        """
        for side in Side:
            if self.seat(side) is Seat.HUMAN:
                return side
        raise LocalProtocolError("move/no-seat", "Nobody here has a seat in this game.")

    @property
    def acting_side(self) -> Side:
        """Who acts next: the side to move, or the one that must answer an offered draw."""
        offered_by = self.draw_offered_by
        return self.position.turn if offered_by is None else offered_by.opponent

    @property
    def undone(self) -> Sequence[Move]:
        """The moves that `redo` would make again, the next one last."""
        return ()

    @property
    def repeats(self) -> bool:
        """Whether a seed makes the machine's moves repeatable; then it is not hurried."""
        return False

    def agent(self, side: Side) -> str | None:  # noqa: ARG002
        """Who plays `side` on this machine: ``human`` or a bot's name; None in a network game."""
        return None

    def advised(self) -> None:  # noqa: B027
        """Note that a player here had advice; such a game does not count towards a level."""

    # The game over a broker

    @property
    def in_event(self) -> bool:
        """Whether it belongs to an event, which continues by itself when the game is over."""
        return False

    @property
    def broker(self) -> str | None:
        """The broker's address, without secrets; None for an offline game."""
        return None

    @property
    def connected(self) -> bool:
        """Whether the broker is connected now; `Notice` reports changes."""
        return True

    def player(self, side: Side) -> str:  # noqa: ARG002
        """Who plays a side: the nickname and the beginning of the node's id; empty offline.

        For example ``ana (k7fq-3xa2)`` or ``unnamed (k7fq-3xa2)``; ``new key`` is added if another
        node has used this name before. `Named` reports changes.
        """
        return ""

    def rating(self, side: Side) -> int | None:  # noqa: ARG002
        """The rating of a side's player in this ruleset; None if this node does not know it."""
        return None

    @property
    def verified(self) -> int:
        """How many messages of the game have been verified: signatures and hash chain."""
        return 0

    @property
    def signed_record(self) -> bytes | None:
        """The game so far as a file that anybody can verify; None offline, where nothing is signed.

        The format is described in docs/reference/records.md.
        """
        return None

    def remaining_ms(self, side: Side) -> int | None:  # noqa: ARG002
        """What a side's clock shows now, in milliseconds; None without a clock.

        It runs while the side is to move, and shows 0 once the side has lost on time. In a game
        that is only watched, a move's time counts from when the previous move arrived here.
        """
        return None

    def starts_in_ms(self, side: Side) -> int:  # noqa: ARG002
        """Milliseconds before a side's clock starts: the first move has some free time."""
        return 0

    @property
    def resigning(self) -> bool:
        """Whether we resign as soon as it is our turn; survives a restart."""
        return False

    @property
    def asked(self) -> Request | None:
        """What the opponent asks for, ``takeback`` or ``abort``, or None; it lapses with a move."""
        return None

    # Acts

    @abstractmethod
    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""

    @property
    def can(self) -> frozenset[Act]:
        """The acts that are possible now."""
        return frozenset(act for act in ACTS if self.refusal(act) is None)

    def _why_not(self, act: Act) -> LocalProtocolError:
        refusal = self.refusal(act)
        assert refusal is not None, f"{type(self).__name__} can {act}"
        return refusal

    async def play(self, move: Move | str) -> None:
        """Make a move for the person whose turn it is; `Moved` (and `Over`) report it.

        Args:
            move: a `Move`, or its text such as ``a7-b6``.

        Raises:
            IllegalMoveError: the rules forbid it; nothing has changed.
            InvalidMoveError: the text is not a move.
            LocalProtocolError: it is not the turn of a person here, or the game is over.
            TypeError: it is neither, such as None from a bot that forgets to return its move.
        """
        given: object = move
        if not isinstance(given, Move | str):
            msg = f"{move!r} is not a move: give one of position.legal_moves, or its text."
            raise TypeError(msg)
        # Check this first: parsed when the other side is to move, a good move would seem illegal.
        if (refusal := self.refusal("move")) is not None:
            raise refusal
        await self._play(self.position.parse_move(move) if isinstance(move, str) else move)

    async def _play(self, move: Move) -> None:  # noqa: ARG002
        raise self._why_not("move")

    async def resign(self) -> None:
        """Resign for the person here; if there are two, for the one whose turn it is.

        Only the side to move can resign: in a network game, on the opponent's turn, it takes effect
        as soon as it is ours; see `resigning`.

        Raises:
            LocalProtocolError: nobody plays here, the game is over, or something else must come
                first, such as the answer to an offered draw.
        """
        raise self._why_not("resign")

    async def keep_playing(self) -> None:
        """Cancel a resignation that waits for our turn.

        Raises:
            LocalProtocolError: there is none.
        """
        raise self._why_not("keep_playing")

    async def offer_draw(self) -> None:
        """Offer a draw for the person whose turn it is, in place of a move.

        `DrawRefused` or `Over` reports the answer.

        Raises:
            LocalProtocolError: it is not the turn of a person here, the game has no agreed
                draws, or the last offer was rejected and no move made since.
        """
        raise self._why_not("offer_draw")

    async def answer_draw(self, *, accept: bool) -> None:  # noqa: ARG002
        """Accept or reject the draw that was offered to a person here (`DrawAsked`).

        Raises:
            LocalProtocolError: none was offered.
        """
        raise self._why_not("answer_draw")

    async def ask(self, what: Request) -> None:
        """Ask the opponent for a ``takeback`` or an ``abort``.

        Raises:
            LocalProtocolError: the game is not in play, or there is nothing to take back.
        """
        raise self._why_not(what)

    async def ask_takeback(self) -> None:
        """Ask to take back our last move; `TakenBack` reports that the opponent has agreed.

        Raises:
            LocalProtocolError: there is nothing to take back, or the terms forbid it.
        """
        await self.ask("takeback")

    async def ask_abort(self) -> None:
        """Ask to end the game without a result; `Over` reports that the opponent has agreed.

        Raises:
            LocalProtocolError: the game is over.
        """
        await self.ask("abort")

    async def agree(self) -> None:
        """Agree to what the opponent asks for (`Asked`); a request lapses with the next move.

        Raises:
            LocalProtocolError: it asks for nothing now.
        """
        raise self._why_not("agree")

    async def refuse(self) -> str:
        """Refuse what the opponent asks for (`Asked`); a line of chat says so.

        Returns:
            The line.

        Raises:
            LocalProtocolError: it asks for nothing now, or we have already agreed.
        """
        raise self._why_not("refuse")

    async def claim(self) -> None:
        """Claim the game of an opponent who does not answer (`MayClaim`).

        Raises:
            LocalProtocolError: it is too early, or not allowed; the text says when it will be.
        """
        raise self._why_not("claim")

    async def say(self, text: str) -> None:  # noqa: ARG002
        """Send the opponent a line of chat.

        Raises:
            LocalProtocolError: it is not one line of 1 to 500 visible characters.
        """
        raise self._why_not("say")

    async def talk(self, text: str) -> None:  # noqa: ARG002
        """Send the other spectators a line of chat, which the players do not see.

        Raises:
            LocalProtocolError: nobody would see it, or it is not one line of 1 to 500 visible
                characters.
        """
        raise self._why_not("talk")

    async def rematch(self) -> bool:
        """Ask for a rematch with colours swapped, or agree to one, and wait until it begins.

        Events meanwhile are not reported. If the wait is cancelled, the request stands until the
        game is left.

        Returns:
            Whether it has begun; False when the opponent has left, or has not agreed in time.

        Raises:
            LocalProtocolError: the game is not over, or there can be none after it.
        """
        self.ask_rematch()
        while (event := await self._next()) is not None:
            if isinstance(event, Begun):
                return True
            if not self.asks_rematch:
                return False
        return False

    @property
    def asks_rematch(self) -> bool:
        """Whether we have asked for a rematch, or agreed to one, and the outcome is still open."""
        return False

    def ask_rematch(self) -> None:
        """Ask for a rematch with colours swapped, or agree to one, without waiting.

        When both players want it, `Begun` is reported, and everything here is about the next game.

        Raises:
            LocalProtocolError: the game is not over, or there can be none after it.
        """
        raise self._why_not("rematch")

    def new(
        self,
        start: Position | None = None,  # noqa: ARG002
        moves: Sequence[Move] = (),  # noqa: ARG002
        refused: Sequence[int] = (),  # noqa: ARG002
    ) -> None:
        """Begin a new game from `start` (the ruleset's own when None); the seats stay.

        Args:
            start: the position to begin from.
            moves: already made from there; they are not reported, and may be taken back.
            refused: after how many of them a draw was offered and rejected.

        Raises:
            IllegalMoveError: one of them is not legal; nothing has changed.
            LocalProtocolError: it is not an offline game.
        """
        raise self._why_not("new")

    def fill(self, side: Side, seat: Seat) -> None:  # noqa: ARG002
        """Give a side to a person or the machine, from its next move on.

        Raises:
            ValueError: nobody here can take the seat that way.
            LocalProtocolError: as for `new`.
        """
        raise self._why_not("fill")

    def undo(self) -> Move | None:
        """Take back the last move and return it; None if it was only a resignation.

        Raises:
            LocalProtocolError: there is no move to take back, or as for `new`.
        """
        raise self._why_not("undo")

    def redo(self) -> Move:
        """Make the move that was last taken back again, and return it.

        `advance` reports only the outcome, if it ends the game.

        Raises:
            LocalProtocolError: nothing has been taken back since the last move or the beginning of
                the game, or as for `new`.
        """
        raise self._why_not("redo")

    def reseed(self, seed: int) -> None:  # noqa: ARG002
        """Make the machine's moves depend only on `seed` and the moves and commands after it.

        Raises:
            LocalProtocolError: as for `new`.
        """
        raise self._why_not("new")

    def hurry(self) -> None:  # noqa: B027 -- where no machine plays there is nothing to do
        """Have the machine here move at once: somebody waits for the game to end."""

    # Events

    @abstractmethod
    async def advance(self) -> TableEvent:
        """The next event, waiting for it if necessary.

        If it is the turn of a machine here, it thinks meanwhile. It may be cancelled and called
        again; no event is lost. If only a person here can act, it waits until one does; `idle`
        tells beforehand.
        """

    @property
    @abstractmethod
    def idle(self) -> bool:
        """Whether all events are reported, and only a person here can act or the game is over."""

    async def begun(self) -> bool:
        """Wait until the game has begun; False if it ended before that."""
        return True

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """The events of the game; `Over` is the last.

        Called again after the end, it gives what follows: a request for a rematch, and the next
        game from `Begun` to its end. It ends by itself when nothing more can follow. A spectator,
        however late, gets everything from the first move until both players have signed the
        result or nothing more is expected.

        `YourTurn` comes once for every move that we are to make. It does not wait for the move: the
        next event may follow, and the move may still be made.

        Raises:
            AtaxxdError: the game cannot continue; it is kept, and can be resumed.
        """
        await self.begun()
        told = False
        if self.idle and self._draw_offered_to_us:
            yield DrawAsked(self.side.opponent)
        while True:
            if not told and self._our_turn:
                told = True
                yield YourTurn(self.position, len(self.moves) + 1)
            event = await self._next()
            if event is None:
                return
            match event:
                case Moved() | TakenBack() | DrawRefused() | Begun():
                    told = False
                    yield event
                case Over():
                    yield event
                    return
                case _:
                    yield event

    async def my_turns(
        self, *, accepts_draw: Callable[[Position], bool] = _never, claims: bool = True
    ) -> AsyncGenerator[Position, None]:
        """The positions in which we are to move, until the game is over.

        Make each move before asking for the next position; otherwise it waits for others to act.

        Args:
            accepts_draw: decides, by the position, whether to accept a draw that is offered.
            claims: claim the game if the opponent is silent for longer than the terms allow.

        Raises:
            AtaxxdError: as for `events`.
        """
        async with aclosing(self.events()) as events:
            async for event in events:
                match event:
                    case YourTurn(position):
                        yield position
                    case DrawAsked(side) if side is not self.side and self._draw_offered_to_us:
                        await self.answer_draw(accept=accepts_draw(self.position))
                    case MayClaim() if claims:
                        # The opponent may have answered meanwhile.
                        with suppress(LocalProtocolError):
                            await self.claim()
                    case _:
                        pass

    @property
    def _draw_offered_to_us(self) -> bool:
        return self.outcome is None and self.draw_offered_by is self.side.opponent

    @property
    def _our_turn(self) -> bool:
        free = self.outcome is None and self.draw_offered_by is None
        return free and self.idle and self.turn is self.side

    @abstractmethod
    async def _next(self) -> TableEvent | None:
        """The next event; None if no more can come."""

    async def _next_while(self, carried: "asyncio.Task[None]") -> TableEvent | None:
        """The next event; None once the task `carried` has ended and all events are reported.

        May be cancelled and called again; no event is lost.
        """
        async with run_beside(self.advance(), "the next event") as telling:
            await asyncio.wait({telling, carried}, return_when=asyncio.FIRST_COMPLETED)
            if not telling.done():
                # If the task left a last event, it is there at once.
                await asyncio.wait({telling}, timeout=0)
            return telling.result() if telling.done() else None
