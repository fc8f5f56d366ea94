"""What a session wants done (effects) and what it wants known (events).

Effects are carried out in order by the runtime: what must be kept is kept before
anything is said.
"""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import Fault, Phase
from ataxxd_protocol.messages import (
    AnyLogMessage,
    Chat,
    Consent,
    Draw,
    DrawAnswer,
    Recall,
    Reject,
    Start,
    Sync,
    Takeback,
)
from ataxxd_protocol.messages import Move as MoveMessage


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


def events_of(before: Ledger, ledger: Ledger, role: Role, message: AnyLogMessage) -> list[Event]:
    """What became known when the ledger `before` took a message in; the same for everybody."""
    events: list[Event] = []
    if isinstance(message, Start) and ledger.host_side is not None:
        events.append(Started(message.guest, ledger.host_side))
    elif isinstance(message, MoveMessage) and len(ledger.moves) > len(before.moves):
        move, position = ledger.moves[-1], before.position
        events.append(Played(role, position.turn, move, position, message.elapsed_ms, message.ply))
    elif isinstance(message, Draw) and ledger.phase is Phase.ASKED:
        events.append(DrawOffered(role))
    elif isinstance(message, DrawAnswer) and ledger.phase is Phase.PLAYING:
        events.append(DrawRejected(role))
    elif len(ledger.moves) < len(before.moves):
        undone = before.moves[len(ledger.moves) :]
        kind = TakenBack if isinstance(message, Takeback) else SetAside
        events.append(kind(role, undone))
    if ledger.outcome is not None and ledger.outcome != before.outcome:
        events.append(Ended(ledger.outcome, ledger.fault))
    if ledger.phase is Phase.CLOSED:
        events.append(Closed(standing_of(ledger)))
    return events
