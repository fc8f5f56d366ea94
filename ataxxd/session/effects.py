"""What a session wants done (effects) and what it wants known (events).

Effects are carried out in order by the runtime: what must be kept is kept before
anything is said.
"""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.record import Standing
from ataxxd.session.roles import Role
from ataxxd.session.state import Fault
from ataxxd_protocol.messages import AnyLogMessage, Chat, Consent, Recall, Reject, Sync


@dataclass(frozen=True, slots=True)
class Keep:
    """Journal a message that is now part of the game, durably, before the next effect."""

    role: Role
    message: AnyLogMessage


@dataclass(frozen=True, slots=True)
class Send:
    """Publish a message in our own mailbox (new ones were kept before; others are repeats)."""

    message: AnyLogMessage | Consent | Chat | Reject | Sync | Recall


@dataclass(frozen=True, slots=True)
class Resigning:
    """We will resign as soon as it is our turn, or no longer; to be remembered over a restart."""

    held: bool


@dataclass(frozen=True, slots=True)
class PublishState:
    """The host's retained record has grown."""


@dataclass(frozen=True, slots=True)
class Started:
    """The seat is taken and play begins."""

    guest: str
    host_side: Side


@dataclass(frozen=True, slots=True)
class Played:
    """A move was made.

    Attributes:
        role: who moved.
        side: the side that moved.
        move: the move, legal in `before`.
        before: the position before it.
        elapsed_ms: how long the player says it thought.
        ply: the number of this move in the game, from 1, the opening's moves included.
    """

    role: Role
    side: Side
    move: Move
    before: Position
    elapsed_ms: int
    ply: int


@dataclass(frozen=True, slots=True)
class DrawOffered:
    """A player offered a draw; the other must answer."""

    role: Role


@dataclass(frozen=True, slots=True)
class DrawRejected:
    """A player rejected the draw, and its offerer must move; an accepted one is `Ended`."""

    role: Role


@dataclass(frozen=True, slots=True)
class Asked:
    """A player asks the other to agree, before the next message of the game.

    Attributes:
        role: who asks.
        what: ``takeback`` or ``abort``.
        to: for a takeback, the ply that would be played again.
    """

    role: Role
    what: str
    to: int | None


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves were taken back by consent.

    Attributes:
        role: the player on turn, who wrote it into the game.
        moves: what was undone, in the order it was played.
    """

    role: Role
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class SetAside:
    """A player had decided the game before it heard of the other's newest moves.

    Attributes:
        role: who decided it, by a claim or a proof.
        moves: what no longer counts.
    """

    role: Role
    moves: tuple[Move, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """A player said something to the other."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The game is over; `fault` is the proven breach that ended it, if any."""

    outcome: Outcome
    fault: Fault | None


@dataclass(frozen=True, slots=True)
class Closed:
    """Nothing more will be written: both scores are in."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Rejected:
    """The host refused our join."""

    code: str
    reason: str


@dataclass(frozen=True, slots=True)
class Ignored:
    """A message was refused without effect; for the debug log."""

    code: str
    reason: str


Event: TypeAlias = (
    Started
    | Played
    | DrawOffered
    | DrawRejected
    | Asked
    | TakenBack
    | SetAside
    | Said
    | Ended
    | Closed
    | Rejected
    | Ignored
)
Effect: TypeAlias = Keep | Send | Resigning | PublishState | Event
