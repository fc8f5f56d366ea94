"""What a session wants done, and what it wants known: effects, of which events are some.

Effects are carried out in order by the runtime: what must be kept is kept before
anything is said.
"""

from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.rules import Side
from ataxxd.session.events import DrawAsked, DrawRefused, Moved, Over, Seat, TableEvent, TakenBack
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.roles import Role
from ataxxd.session.state import Phase
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
class Refusing:
    """All that we refuse as the game stands; to be remembered over a restart.

    Attributes:
        answers: each request, and what we said to it.
    """

    answers: tuple[tuple[Consent, Chat], ...]


@dataclass(frozen=True, slots=True)
class PublishState:
    """The host's retained record has grown."""


@dataclass(frozen=True, slots=True)
class Started:
    """The seat is taken and play begins."""

    guest: str
    host_side: Side


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


Event: TypeAlias = TableEvent | Started | Closed | Rejected | Ignored
Effect: TypeAlias = Keep | Send | Resigning | Refusing | PublishState | Event


def events_of(before: Ledger, ledger: Ledger, role: Role, message: AnyLogMessage) -> list[Event]:
    """What became known when the ledger `before` took a message in; the same for everybody."""
    events: list[Event] = []
    side = ledger.side_of(role)
    if isinstance(message, Start) and ledger.host_side is not None:
        events.append(Started(message.guest, ledger.host_side))
    elif isinstance(message, MoveMessage) and len(ledger.moves) > len(before.moves):
        position, spent_ms = before.position, message.elapsed_ms
        events.append(
            Moved(
                position.turn, ledger.moves[-1], position, Seat.REMOTE, message.ply, role, spent_ms
            )
        )
    elif isinstance(message, Draw) and ledger.phase is Phase.ASKED and side is not None:
        events.append(DrawAsked(side, role))
    elif isinstance(message, DrawAnswer) and ledger.phase is Phase.PLAYING and side is not None:
        events.append(DrawRefused(side, role))
    elif len(ledger.moves) < len(before.moves):
        undone = before.moves[len(ledger.moves) :]
        events.append(TakenBack(undone, isinstance(message, Takeback), side, role))
    if ledger.outcome is not None and ledger.outcome != before.outcome:
        events.append(Over(ledger.outcome, ledger.fault))
    if ledger.phase is Phase.CLOSED:
        events.append(Closed(standing_of(ledger)))
    return events
