"""What happens in a game: one vocabulary, from the session to every client.

An event names the side, and in a network game the player's role. What only the protocol is
concerned with stands in `ataxxd.session.effects`.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.roles import Role

if TYPE_CHECKING:
    from ataxxd.session.state import Fault
    from ataxxd_protocol.messages import Offer


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
        seat: who chose it; for who looks on, everybody is remote.
        ply: the number of this move in the game, from 1, the opening's moves included.
        role: of who moved; None without a network.
        elapsed_ms: how long the player says it thought; None without a network.
    """

    side: Side
    move: Move
    before: Position
    seat: Seat
    ply: int
    role: Role | None = field(default=None, compare=False)
    elapsed_ms: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Over:
    """The game has ended; `outcome.termination` says why (``resignation`` included).

    Attributes:
        outcome: how.
        fault: the proven breach that ended it, if any.
    """

    outcome: Outcome
    fault: "Fault | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DrawAsked:
    """A side offered a draw; the other must answer it before anything else."""

    side: Side
    role: Role | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DrawRefused:
    """A side rejected the draw; the other must move now. An accepted one is `Over`."""

    side: Side
    role: Role | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Asked:
    """The opponent asks for a ``takeback`` or an ``abort``; it lapses with the next move.

    Attributes:
        side: who asks.
        what: for what.
        role: of who asks.
        to: for a takeback, the ply that would be played again.
    """

    side: Side
    what: str
    role: Role | None = field(default=None, compare=False)
    to: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves no longer count.

    Attributes:
        moves: what was undone, in the order it was played.
        agreed: True for a takeback; False when a claim or a proof came before them.
        side: who wrote it into the game, or had decided the game.
        role: of that player.
    """

    moves: tuple[Move, ...]
    agreed: bool
    side: Side | None = field(default=None, compare=False)
    role: Role | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Said:
    """A player said something to the other."""

    side: Side
    text: str
    role: Role | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Named:
    """It is known now what a player calls itself.

    Attributes:
        side: the player's; None while the game has not begun.
        name: with the beginning of its node's id; see `ataxxd.node.control.Game.player`.
        role: the player's.
        node: its id.
        nickname: the name alone.
    """

    side: Side | None
    name: str
    role: Role | None = field(default=None, compare=False)
    node: str = field(default="", compare=False)
    nickname: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Overheard:
    """A spectator said something.

    Attributes:
        speaker: its nickname and the beginning of its node's id.
        text: what it said, one line without anything that steers a terminal.
        node: its id.
    """

    speaker: str
    text: str
    node: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class MayClaim:
    """The opponent has not answered for as long as the game's terms ask for."""

    waited_s: float


@dataclass(frozen=True, slots=True)
class Notice:
    """Something a person should know and a program need not: connection, presence."""

    text: str


@dataclass(frozen=True, slots=True)
class RematchAsked:
    """The opponent would like another game, with colours swapped."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Another game has begun with the same players; all that is shown is of it from now on.

    Attributes:
        side: the side that is ours in it; None for whoever looks on.
        offer: of the new game.
    """

    side: Side | None
    offer: "Offer | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class YourTurn:
    """A move of ours is wanted; told by `ataxxd.node.control.Game.events` alone.

    Attributes:
        position: where; our side is on turn in it, and has at least one legal move.
        ply: the number that our move will have, from 1.
    """

    position: Position
    ply: int


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
"""Anything that a client hears of a game."""

GameEvent: TypeAlias = YourTurn | TableEvent
"""Anything that happens in a game in which we have a seat."""
