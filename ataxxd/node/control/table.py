"""What a client may see of a game and do at it: the table.

A table is one board with two seats. Offline (`ataxxd.node.local.LocalTable`) both
seats are filled on this machine; over the network one of them is remote. Clients
know this interface, the rules and nothing else of the node.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias, runtime_checkable

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord


class Seat(Enum):
    """Who fills a seat."""

    HUMAN = "human"
    AUTO = "auto"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made on the board, by whomever.

    Attributes:
        side: who moved.
        move: the move, legal in `before`.
        before: the position it was played in.
        seat: who chose it.
        ply: the number of this move in the game, from 1.
    """

    side: Side
    move: Move
    before: Position
    seat: Seat
    ply: int


@dataclass(frozen=True, slots=True)
class Over:
    """The game has ended; `outcome.termination` says why (``resignation`` included)."""

    outcome: Outcome


@dataclass(frozen=True, slots=True)
class DrawAsked:
    """A side offered a draw; the other must answer it before anything else."""

    side: Side


@dataclass(frozen=True, slots=True)
class DrawRefused:
    """A side rejected the draw; the other must move now."""

    side: Side


@dataclass(frozen=True, slots=True)
class Asked:
    """The other player asks for a ``takeback`` or an ``abort``; it lapses with the next move."""

    side: Side
    what: str


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves no longer count.

    Attributes:
        moves: what was undone, in the order it was played.
        agreed: True for a takeback; False when a claim or a proof came before them.
    """

    moves: tuple[Move, ...]
    agreed: bool


@dataclass(frozen=True, slots=True)
class Said:
    """The other player said something."""

    side: Side
    text: str


@dataclass(frozen=True, slots=True)
class Named:
    """It is known now what a player calls itself.

    Attributes:
        side: the player's.
        name: with the beginning of its node's id; see `OnlineTable.player`.
    """

    side: Side
    name: str


@dataclass(frozen=True, slots=True)
class Overheard:
    """A spectator said something.

    Attributes:
        speaker: its nickname and the beginning of its node's id.
        text: what it said.
    """

    speaker: str
    text: str


@dataclass(frozen=True, slots=True)
class MayClaim:
    """The other player has not answered for as long as the game's terms ask for."""

    waited_s: float


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know and a program need not: connection, presence."""

    text: str


@dataclass(frozen=True, slots=True)
class RematchAsked:
    """The other player would like another game, with colours swapped."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Another game has begun at this table; all that the table shows is of it from now on.

    Attributes:
        side: the side that is ours in it; None for whoever looks on.
    """

    side: Side | None


TableEvent: TypeAlias = (
    Moved
    | DrawAsked
    | DrawRefused
    | Asked
    | TakenBack
    | Said
    | Named
    | Overheard
    | MayClaim
    | Over
    | RematchAsked
    | Begun
    | Notice
)


def acting_side(table: "Table") -> Side:
    """Who acts next: the side to move, or the one that must answer an offered draw."""
    offered_by = table.draw_offered_by
    return table.position.turn if offered_by is None else offered_by.opponent


class Table(Protocol):
    """One board with two seats."""

    @property
    def start(self) -> Position:
        """The position the game began from."""
        ...

    @property
    def position(self) -> Position:
        """The position now."""
        ...

    @property
    def moves(self) -> Sequence[Move]:
        """The moves played from `start` to `position`."""
        ...

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    @property
    def draw_offered_by(self) -> Side | None:
        """The side whose offer of a draw waits for the other's answer."""
        ...

    def seat(self, side: Side) -> Seat:
        """Who fills the seat of `side`."""
        ...

    def record(self) -> GameRecord:
        """The game so far, as notations tell it."""
        ...

    async def play(self, move: Move) -> None:
        """Play `move` for the human on turn.

        The matching `Moved` (and `Over`) is reported by `advance`.

        Raises:
            IllegalMoveError: the rules forbid it; nothing has changed.
            LocalProtocolError: it is not a local human's turn, or the game is over.
        """
        ...

    async def resign(self) -> None:
        """Resign for the human here; of two, for the one on turn.

        In a network game on the other side's turn it is held until it is ours; see
        `PeerTable.resigning`.

        Raises:
            LocalProtocolError: no human plays here, the game is over, or something else must
                come first, such as the answer to an offered draw.
        """
        ...

    async def offer_draw(self) -> None:
        """Offer a draw for the human on turn, instead of a move.

        Raises:
            LocalProtocolError: it is not a local human's turn, the game knows no agreed
                draws, or the last offer was rejected and no move made since.
        """
        ...

    async def answer_draw(self, *, accept: bool) -> None:
        """Answer the draw that was offered to a local human.

        Raises:
            LocalProtocolError: none was.
        """
        ...

    async def advance(self) -> TableEvent:
        """The next thing that happened, waiting for it where necessary.

        On a table whose player on turn is automatic, the wait is the thinking. It may
        be cancelled and called again; no event is lost. When nothing can happen without
        a local human it waits until one acts; `idle` tells beforehand.
        """
        ...

    @property
    def idle(self) -> bool:
        """True when all is reported and only a local human can go on, or the game is over."""
        ...


@runtime_checkable
class SignedTable(Table, Protocol):
    """A table whose moves are signed: of a network game, played or watched."""

    def signed_record(self) -> bytes:
        """The game so far as a file that anybody can verify; see docs/reference/records.md."""
        ...


@runtime_checkable
class OnlineTable(Table, Protocol):
    """A table whose game goes over a broker, played or watched."""

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now; `Notice` tells when it changes."""
        ...

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        ...

    def player(self, side: Side) -> str:
        """Who plays a side: the nickname, and always the beginning of the node's id.

        ``ana (k7fq-3xa2)``, or ``unnamed (k7fq-3xa2)``; ``new key`` follows where another
        node has had such a name. `Named` tells when it changes.
        """
        ...

    @property
    def verified(self) -> int:
        """How many messages of the game are here, each signed and naming those before it."""
        ...


@runtime_checkable
class ClockedTable(Table, Protocol):
    """A table whose players may have clocks: of a network game, played or watched."""

    def remaining_ms(self, side: Side) -> int | None:
        """What a side's clock shows at this moment; None when time does not matter.

        It runs while the side is on turn, and stands at 0 when the side has lost on time. Where
        the game is only watched, how long a move under way has taken is known from the moment
        at which the move before it came here.
        """
        ...

    def starts_in_ms(self, side: Side) -> int:
        """How long a side may still think about its first move before its clock runs."""
        ...


@runtime_checkable
class PeerTable(Table, Protocol):
    """A table with another person's node at the other side."""

    @property
    def resigning(self) -> bool:
        """Whether we resign as soon as it is our turn; a restart does not change it."""
        ...

    async def keep_playing(self) -> None:
        """Take back a resignation that waits for our turn.

        Raises:
            LocalProtocolError: there is none.
        """
        ...

    async def ask(self, what: str) -> None:
        """Ask the other player for a ``takeback`` or an ``abort``.

        Raises:
            LocalProtocolError: the game is not in play, or there is nothing to take back.
        """
        ...

    async def agree(self) -> None:
        """Agree to what your opponent asks for.

        Raises:
            LocalProtocolError: it asks for nothing now.
        """
        ...

    async def refuse(self) -> str:
        """Refuse what the other player asks for; it is told by a line of talk.

        Returns:
            What was said.

        Raises:
            LocalProtocolError: it asks for nothing now, or we have agreed already.
        """
        ...

    async def claim(self) -> None:
        """Claim the game of a player who does not answer.

        Raises:
            LocalProtocolError: it is too early, or not allowed; the text says when it is.
        """
        ...

    async def say(self, text: str) -> None:
        """Say something to your opponent.

        Raises:
            LocalProtocolError: it is not one line of 1 to 500 visible characters.
        """
        ...

    @property
    def may_rematch(self) -> bool:
        """Whether a rematch can be asked for: the game is over, and somebody may agree."""
        ...

    def rematch(self) -> None:
        """Ask for another game with colours swapped, or agree to the other player's wish.

        When both want it `Begun` is reported, and the table is that of the next game.

        Raises:
            LocalProtocolError: the game is not over, or there can be none after it.
        """
        ...


@runtime_checkable
class TalkTable(Table, Protocol):
    """A table that one looks on at, where those who look on talk to each other."""

    @property
    def may_talk(self) -> bool:
        """Whether anybody hears what is said here."""
        ...

    async def talk(self, text: str) -> None:
        """Say something to the others who look on; the players do not hear it.

        Raises:
            LocalProtocolError: nobody hears it, or it is not one line of 1 to 500 visible
                characters.
        """
        ...


@runtime_checkable
class EditableTable(Table, Protocol):
    """A table whose game may be set up, taken back and begun again: offline."""

    def new(
        self,
        start: Position | None = None,
        moves: Sequence[Move] = (),
        refused: Sequence[int] = (),
    ) -> None:
        """Begin again from `start` (the ruleset's own start when None); seats stay.

        Args:
            start: the position to begin from.
            moves: made already from there; they are not reported, and may be taken back.
            refused: after how many of them a draw was offered and rejected.

        Raises:
            IllegalMoveError: one of them is not legal; nothing has changed.
        """
        ...

    def undo(self) -> Move | None:
        """Take back the last move and return it; None when there is none."""
        ...

    @property
    def undone(self) -> Sequence[Move]:
        """The moves that `redo` would make again, the next one last."""
        ...

    def redo(self) -> Move | None:
        """Make the move again that was taken back last, and return it.

        Nothing but its outcome is reported by `advance`. None when nothing has been taken back
        since the last move or the last new game.
        """
        ...

    def fill(self, side: Side, seat: Seat) -> None:
        """Seat a human or the machine; takes effect at that side's next move."""
        ...

    def agent(self, side: Side) -> str:
        """Who plays `side` now: ``human``, or the name of a bot such as ``alphabeta:6``."""
        ...

    def reseed(self, seed: int) -> None:
        """Make the machine's choices a function of `seed` and the moves and commands after it."""
        ...

    @property
    def repeats(self) -> bool:
        """Whether a seed was given, so that the machine's choices repeat and it is not hurried."""
        ...

    def hurry(self) -> None:
        """Let the machine think for an instant only from now on: somebody waits for the end."""
        ...
