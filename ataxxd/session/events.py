"""Acts, effects and events of a session.

An *act* is what a player does on its own initiative; `ataxxd.session.player` describes each. An
*effect* is what a session wants done. The runtime carries out effects in order, so that a message
is stored before it is sent. Some effects are *events*, which are the same from the session to every
client. An event names the side, and in a network game the player's role.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.state import Phase, Role
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

Act: TypeAlias = Literal[
    "move",
    "resign",
    "keep_playing",
    "offer_draw",
    "answer_draw",
    "say",
    "takeback",
    "abort",
    "agree",
    "refuse",
    "claim",
]
"""What a player does on its own initiative."""

PLAYERS_ACTS: tuple[Act, ...] = get_args(Act)

Request: TypeAlias = Literal["takeback", "abort"]
"""What a player asks the other to agree to."""

WISHES: dict[Request, str] = {
    "takeback": "to take a move back",
    "abort": "to end the game without a result",
}
"""Each request in words, to follow "asks" or "would like"."""


if TYPE_CHECKING:
    from ataxxd.session.state import Fault
    from ataxxd_protocol.messages import Offer


class Seat(Enum):
    """Who plays a side."""

    HUMAN = "human"
    AUTO = "auto"
    REMOTE = "remote"


@dataclass(frozen=True, slots=True)
class Moved:
    """A move was made.

    Attributes:
        side: the side that moved.
        move: the move, legal in `before`.
        before: the position it was played in.
        seat: who chose it; to a spectator, both players are remote.
        ply: the number of this move in the game, from 1, the opening's moves included.
        role: the role of the player who moved; None offline.
        elapsed_ms: the time that the player states for the move; None offline.
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
        outcome: how it ended.
        fault: the proven breach of the rules that ended it; None for none.
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
        side: the side that asks.
        what: ``takeback`` or ``abort``.
        role: the role of the player who asks.
        to: for a takeback, the ply that would be played again.
    """

    side: Side
    what: Request
    role: Role | None = field(default=None, compare=False)
    to: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class TakenBack:
    """Moves no longer count.

    Attributes:
        moves: the moves, in the order in which they were played.
        agreed: True for a takeback; False if a claim or a proof came before the moves.
        side: the side that wrote the takeback, the claim or the proof.
        role: the role of that player.
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
    """A player's nickname has become known.

    Attributes:
        side: the player's side; None before the game has begun.
        name: the nickname and the beginning of the node's id, as `ataxxd.node.game.Game.player`.
        role: the player's role.
        node: the player's node id.
        nickname: the nickname alone.
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
        speaker: the nickname and the beginning of the node's id.
        text: one line, without control characters.
        node: the node id.
    """

    speaker: str
    text: str
    node: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class MayClaim:
    """The opponent has been silent for so long that the terms allow a claim."""

    waited_s: float


@dataclass(frozen=True, slots=True)
class MayBeClaimed:
    """We have been on turn for so long that our opponent may soon claim the game for silence.

    Attributes:
        left_s: seconds until then; not above zero if it is possible already.
    """

    left_s: float


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that matters to people only: the connection, or the opponent's presence."""

    text: str


@dataclass(frozen=True, slots=True)
class OpponentStays:
    """The opponent stays after the game, and can agree to a rematch."""


@dataclass(frozen=True, slots=True)
class RematchAsked:
    """The opponent asks for a rematch, with colours swapped."""


@dataclass(frozen=True, slots=True)
class Begun:
    """A rematch has begun; all later events are about it.

    Attributes:
        side: our side in it; None for a spectator.
        offer: the offer of the new game.
    """

    side: Side | None
    offer: "Offer | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class YourTurn:
    """It is our turn to move; only `ataxxd.node.game.Game.events` reports this.

    Attributes:
        position: the position, in which we have at least one legal move.
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
    | MayBeClaimed
    | Over
    | OpponentStays
    | RematchAsked
    | Begun
    | Notice
)
"""Any event of a game that a client gets."""

GameEvent: TypeAlias = YourTurn | TableEvent
"""Anything that happens in a game in which we have a seat."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Store a message, now part of the game, on disk before the next effect."""

    role: Role
    message: AnyLogMessage


@dataclass(frozen=True, slots=True)
class Send:
    """Publish a message in our mailbox; new ones are already stored, others are repetitions."""

    message: AnyLogMessage | Consent | Chat | Reject | Sync | Recall


@dataclass(frozen=True, slots=True)
class Resigning:
    """Remember that we resign as soon as it is our turn, or no longer do."""

    held: bool


@dataclass(frozen=True, slots=True)
class Refusing:
    """Remember all requests that we refuse in the present position.

    Attributes:
        answers: each request with our answer.
    """

    answers: tuple[tuple[Consent, Chat], ...]


@dataclass(frozen=True, slots=True)
class PublishState:
    """Publish the host's retained record, which has grown."""


@dataclass(frozen=True, slots=True)
class Started:
    """The seat is taken and play begins."""

    guest: str
    host_side: Side


@dataclass(frozen=True, slots=True)
class Closed:
    """The game is closed: both scores are in."""

    standing: Standing


@dataclass(frozen=True, slots=True)
class Rejected:
    """The host rejected our join."""

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
    """The events of a message that turned `before` into `ledger`; the same for every receiver."""
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
