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
from ataxxd.node.concurrency import beside
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Act as PlayersAct
from ataxxd.session.events import (
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

Act: TypeAlias = PlayersAct | Literal["rematch", "talk", "new", "fill", "undo", "redo"]
"""What may be done in a game. ``say`` is heard by the opponent, ``talk`` by those who look on."""

ACTS: tuple[Act, ...] = (*get_args(PlayersAct), "rematch", "talk", "new", "fill", "undo", "redo")

OPPONENT_LEFT = "rematch/opponent-left"
"""The code of a rematch that is refused because nobody is there to agree to it."""


def _never(_: Position) -> bool:
    return False


class Game(ABC):
    """One game, as whoever plays it or looks on has it. All that is shown of it is verified.

    One task at a time may wait for what happens, by `advance`, `events` or `my_turns`. Moves may
    be made by any task of the same event loop.

    An act that is not in `can` raises what `refusal` gives, and nothing has changed. One that is
    may still be refused for what it says: a move that is not legal, a text that is too long.
    """

    # What it is

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
        """The side whose offer of a draw waits for the other's answer."""

    @property
    @abstractmethod
    def record(self) -> GameRecord:
        """The game so far, as notations tell it."""

    @abstractmethod
    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""

    @property
    def turn(self) -> Side:
        """The side to move."""
        return self.position.turn

    @property
    def side(self) -> Side:
        """Our side: of the person or the program here.

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
        """Whether a seed was given, so that the machine's choices repeat and it is not hurried."""
        return False

    def agent(self, side: Side) -> str | None:  # noqa: ARG002
        """Who plays `side` at this machine, ``human`` or the name of a bot; None over a broker."""
        return None

    def advised(self) -> None:  # noqa: B027
        """Note that a player here was advised; only a game that counts results minds it."""

    # What it is over a broker

    @property
    def in_event(self) -> bool:
        """Whether it is a game of an event, which goes on by itself when the game is over."""
        return False

    @property
    def broker(self) -> str | None:
        """The broker's address, without secrets; None for a game of this machine alone."""
        return None

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now; `Notice` tells when it changes."""
        return True

    def player(self, side: Side) -> str:  # noqa: ARG002
        """Who plays a side: the nickname, and always the beginning of the node's id.

        ``ana (k7fq-3xa2)``, or ``unnamed (k7fq-3xa2)``; ``new key`` follows where another
        node has had such a name. `Named` tells when it changes. Empty without a broker.
        """
        return ""

    def rating(self, side: Side) -> int | None:  # noqa: ARG002
        """What whoever plays a side is rated in this ruleset, where this node knows that."""
        return None

    @property
    def verified(self) -> int:
        """How many messages of the game are here, each signed and naming those before it."""
        return 0

    @property
    def signed_record(self) -> bytes | None:
        """The game so far as a file that anybody can verify; None where nothing is signed.

        See docs/reference/records.md.
        """
        return None

    def remaining_ms(self, side: Side) -> int | None:  # noqa: ARG002
        """What a side's clock shows at this moment; None when time does not matter.

        It runs while the side is on turn, and stands at 0 when the side has lost on time. Where
        the game is only watched, how long a move under way has taken is known from the moment
        at which the move before it came here.
        """
        return None

    def starts_in_ms(self, side: Side) -> int:  # noqa: ARG002
        """How long a side may still think about its first move before its clock runs."""
        return 0

    @property
    def resigning(self) -> bool:
        """Whether we resign as soon as it is our turn; a restart does not change it."""
        return False

    @property
    def asked(self) -> Request | None:
        """What the opponent asks for now, ``takeback`` or ``abort``; it lapses with a move."""
        return None

    # What can be done

    @abstractmethod
    def refusal(self, act: Act) -> LocalProtocolError | None:
        """Why something cannot be done now; None when it can."""

    @property
    def can(self) -> frozenset[Act]:
        """What can be done now."""
        return frozenset(act for act in ACTS if self.refusal(act) is None)

    def _why_not(self, act: Act) -> LocalProtocolError:
        refusal = self.refusal(act)
        assert refusal is not None, f"{type(self).__name__} can {act}"
        return refusal

    async def play(self, move: Move | str) -> None:
        """Play a move for the person on turn; `Moved` (and `Over`) tell of it.

        Args:
            move: a legal one, as a value or as text such as ``a7-b6``.

        Raises:
            IllegalMoveError: the rules forbid it; nothing has changed.
            InvalidMoveError: the text is no move.
            LocalProtocolError: it is not the turn of a person here, or the game is over.
            TypeError: it is neither; a bot that forgets to return its move gives None.
        """
        given: object = move
        if not isinstance(given, Move | str):
            msg = f"{move!r} is not a move: give one of position.legal_moves, or its text."
            raise TypeError(msg)
        # First, for read on the other side's position a good move would be called illegal.
        if (refusal := self.refusal("move")) is not None:
            raise refusal
        await self._play(self.position.parse_move(move) if isinstance(move, str) else move)

    async def _play(self, move: Move) -> None:  # noqa: ARG002
        raise self._why_not("move")

    async def resign(self) -> None:
        """Resign for the person here; where there are two, for the one on turn.

        The rules let only the side to move resign: on the other side's turn of a network game it
        is done as soon as ours comes; see `resigning`.

        Raises:
            LocalProtocolError: nobody plays here, the game is over, or something else must come
                first, such as the answer to an offered draw.
        """
        raise self._why_not("resign")

    async def keep_playing(self) -> None:
        """Take back a resignation that waits for our turn.

        Raises:
            LocalProtocolError: there is none.
        """
        raise self._why_not("keep_playing")

    async def offer_draw(self) -> None:
        """Offer a draw for the person on turn, instead of a move.

        `DrawRefused` or `Over` tells the answer.

        Raises:
            LocalProtocolError: it is not the turn of a person here, the game knows no agreed
                draws, or the last offer was rejected and no move made since.
        """
        raise self._why_not("offer_draw")

    async def answer_draw(self, *, accept: bool) -> None:  # noqa: ARG002
        """Answer the draw that was offered to a person here (`DrawAsked`).

        Raises:
            LocalProtocolError: none was.
        """
        raise self._why_not("answer_draw")

    async def ask(self, what: Request) -> None:
        """Ask the opponent for a ``takeback`` or an ``abort``.

        Raises:
            LocalProtocolError: the game is not in play, or there is nothing to take back.
        """
        raise self._why_not(what)

    async def ask_takeback(self) -> None:
        """Ask to take back our last move; `TakenBack` tells when the opponent agrees.

        Raises:
            LocalProtocolError: there is nothing to take back, or the terms forbid it.
        """
        await self.ask("takeback")

    async def ask_abort(self) -> None:
        """Ask to end the game without a result; `Over` tells when the opponent agrees.

        Raises:
            LocalProtocolError: the game is over.
        """
        await self.ask("abort")

    async def agree(self) -> None:
        """Agree to what the opponent asks for (`Asked`); it lapses with the next move.

        Raises:
            LocalProtocolError: it asks for nothing now.
        """
        raise self._why_not("agree")

    async def refuse(self) -> str:
        """Refuse what the opponent asks for (`Asked`); it is told by a line of talk.

        Returns:
            What was said.

        Raises:
            LocalProtocolError: it asks for nothing now, or we have agreed already.
        """
        raise self._why_not("refuse")

    async def claim(self) -> None:
        """Claim the game of an opponent who does not answer (`MayClaim`).

        Raises:
            LocalProtocolError: it is too early, or not allowed; the text says when it is.
        """
        raise self._why_not("claim")

    async def say(self, text: str) -> None:  # noqa: ARG002
        """Say something to the opponent.

        Raises:
            LocalProtocolError: it is not one line of 1 to 500 visible characters.
        """
        raise self._why_not("say")

    async def talk(self, text: str) -> None:  # noqa: ARG002
        """Say something to the other spectators; the players do not hear it.

        Raises:
            LocalProtocolError: nobody hears it, or it is not one line of 1 to 500 visible
                characters.
        """
        raise self._why_not("talk")

    async def rematch(self) -> bool:
        """Ask for another game with colours swapped, or agree to one, and wait until it begins.

        Whatever happens meanwhile is not told. A wish that is cancelled stands until this game
        is left.

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
        """Whether a rematch is asked for, or agreed to, and what becomes of it is not told yet."""
        return False

    def ask_rematch(self) -> None:
        """Ask for another game with colours swapped, or agree to one, and wait for nothing.

        When both want it `Begun` is reported, and all that is shown is of the next game.

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
        """Begin again from `start` (the ruleset's own start when None); seats stay.

        Args:
            start: the position to begin from.
            moves: made already from there; they are not reported, and may be taken back.
            refused: after how many of them a draw was offered and rejected.

        Raises:
            IllegalMoveError: one of them is not legal; nothing has changed.
            LocalProtocolError: the game is not one of this machine alone.
        """
        raise self._why_not("new")

    def fill(self, side: Side, seat: Seat) -> None:  # noqa: ARG002
        """Seat a person or the machine; takes effect at that side's next move.

        Raises:
            ValueError: nobody here can fill the seat so.
            LocalProtocolError: as for `new`.
        """
        raise self._why_not("fill")

    def undo(self) -> Move | None:
        """Take back the last move and return it; None where only a resignation was taken back.

        Raises:
            LocalProtocolError: nothing has been done, or as for `new`.
        """
        raise self._why_not("undo")

    def redo(self) -> Move:
        """Make the move again that was taken back last, and return it.

        Nothing but its outcome is reported by `advance`.

        Raises:
            LocalProtocolError: nothing has been taken back since the last move or the last new
                game, or as for `new`.
        """
        raise self._why_not("redo")

    def reseed(self, seed: int) -> None:  # noqa: ARG002
        """Make the machine's choices a function of `seed` and the moves and commands after it.

        Raises:
            LocalProtocolError: as for `new`.
        """
        raise self._why_not("new")

    def hurry(self) -> None:  # noqa: B027 -- where no machine plays there is nothing to do
        """Let the machine here think for an instant only: somebody waits for the end."""

    # What happens

    @abstractmethod
    async def advance(self) -> TableEvent:
        """The next thing that happened, waiting for it where necessary.

        Where the player on turn is a machine here, the wait is the thinking. It may be cancelled
        and called again; no event is lost. When nothing can happen without a person here it
        waits until one acts; `idle` tells beforehand.
        """

    @property
    @abstractmethod
    def idle(self) -> bool:
        """True when all is reported and only a person here can go on, or the game is over."""

    async def begun(self) -> bool:
        """Wait until the game has begun; False when it ended before it could."""
        return True

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """What happens, until the game is over; `Over` is the last event.

        Called again after the end, it tells what comes then: a wish for a rematch, and the next
        game (`Begun`) to its end. It ends by itself when nothing more can follow. Whoever looks
        on hears all, from the first move of the game, however late it came, until both players
        have signed the result or nothing more is to be expected.

        `YourTurn` comes once for every move that is wanted of us. It waits for nobody: whoever
        lets it pass hears what happens next, and may still move.

        Raises:
            AtaxxdError: the game cannot go on; it is kept, and can be resumed.
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
        """The next thing that happened; None when nothing more can."""

    async def _next_while(self, carried: "asyncio.Task[None]") -> TableEvent | None:
        """The next thing that happened, or None when the game's carrier has ended and all is told.

        May be cancelled and called again; no event is lost.
        """
        async with beside(self.advance(), "the next event") as telling:
            await asyncio.wait({telling, carried}, return_when=asyncio.FIRST_COMPLETED)
            if not telling.done():
                # What the carrier said last is there at once, or nothing is.
                await asyncio.wait({telling}, timeout=0)
            return telling.result() if telling.done() else None
