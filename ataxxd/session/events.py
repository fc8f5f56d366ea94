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
"""What a player does of its own will."""

PLAYERS_ACTS: tuple[Act, ...] = get_args(Act)

Request: TypeAlias = Literal["takeback", "abort"]
"""What a player asks the other to agree to."""

WISHES: dict[Request, str] = {
    "takeback": "to take a move back",
    "abort": "to end the game without a result",
}
"""The same in words, after "asks" or "would like"."""


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
        seat: who chose it; to a spectator, both players are remote.
        ply: the number of this move in the game, from 1, the opening's moves included.
        role: of the player who moved; None without a network.
        elapsed_ms: how long the player says they thought; None without a network.
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
    what: Request
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
    """It is known now what a player calls themselves.

    Attributes:
        side: the player's; None while the game has not begun.
        name: with the beginning of its node's id; see `ataxxd.node.game.Game.player`.
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
class OpponentStays:
    """The opponent stays at the table when the game is over, and can agree to another one."""


@dataclass(frozen=True, slots=True)
class RematchAsked:
    """The opponent would like another game, with colours swapped."""


@dataclass(frozen=True, slots=True)
class Begun:
    """Another game has begun with the same players; all that is shown is of it from now on.

    Attributes:
        side: our side in it; None for a spectator.
        offer: of the new game.
    """

    side: Side | None
    offer: "Offer | None" = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class YourTurn:
    """A move of ours is wanted; told by `ataxxd.node.game.Game.events` alone.

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
    | OpponentStays
    | RematchAsked
    | Begun
    | Notice
)
"""Anything that a client hears of a game."""

GameEvent: TypeAlias = YourTurn | TableEvent
"""Anything that happens in a game in which we have a seat."""


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
