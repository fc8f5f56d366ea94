"""The lines of a club's log: what the club signs of its members and their rated games."""

from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, Field

from ataxxd_protocol.fields import Digest, Milliseconds, NodeId, PublicKey
from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.event import EventPlan, EventRound
from ataxxd_protocol.messages.log import Join, with_signature
from ataxxd_protocol.messages.offer import Offer

GivenOffer: TypeAlias = Annotated[Offer, AfterValidator(with_signature)]
GivenJoin: TypeAlias = Annotated[Join, AfterValidator(with_signature)]
GivenPlan: TypeAlias = Annotated[EventPlan, AfterValidator(with_signature)]
GivenRound: TypeAlias = Annotated[EventRound, AfterValidator(with_signature)]


class LogEntry(Message):
    """One entry of a club's log.

    Attributes:
        at_ms: when it was made, by the club's clock.
    """

    at_ms: Milliseconds


class Admission(LogEntry):
    """A node is a member from here on."""

    type: Literal["admission"] = "admission"
    node: NodeId


class Removal(LogEntry):
    """A node is no member from here on."""

    type: Literal["removal"] = "removal"
    node: NodeId


class Announcement(LogEntry):
    """Two members are about to play a game that is rated.

    Attributes:
        offer: the game, signed by its host.
        join: signed by its guest.
        deadline_ms: when it counts as lost for both, unless it is over.
    """

    type: Literal["announcement"] = "announcement"
    offer: GivenOffer
    join: GivenJoin
    deadline_ms: Milliseconds


class GameResult(LogEntry):
    """A record of a rated game has come in.

    Attributes:
        game: the game's id.
        guest: who joined it.
        record: digest of the record file.
    """

    type: Literal["result"] = "result"
    game: Digest
    guest: NodeId
    record: Digest


class PlannedEvent(LogEntry):
    """The club holds an event, whose games are rated."""

    type: Literal["event-plan"] = "event-plan"
    plan: GivenPlan


class DrawnRound(LogEntry):
    """A round of an event of the club: who plays whom, and the results before it."""

    type: Literal["event-round"] = "event-round"
    round: GivenRound


class LogHead(SignedMessage):
    """What the club's signature covers: the log up to here.

    Attributes:
        club: node id of the club.
        key: its key.
        size: how many entries there are.
        root: hash of the tree over them.
        at_ms: when it was signed, by the club's clock.
    """

    type: Literal["head"] = "head"
    club: NodeId
    key: PublicKey
    size: Annotated[int, Field(ge=1, le=2**53 - 1)]
    root: Digest
    at_ms: Milliseconds


AnyLogEntry: TypeAlias = Admission | Removal | Announcement | GameResult | PlannedEvent | DrawnRound
AnyLogLine: TypeAlias = AnyLogEntry | LogHead


class LogProof(Message):
    """What shows an entry of a log to whoever has not the log.

    Attributes:
        index: the place of the entry, from 0.
        entry: the entry.
        path: the inclusion proof.
        head: signs the log with the entry in it.
    """

    type: Literal["proof"] = "proof"
    index: Annotated[int, Field(ge=0, le=2**53 - 1)]
    entry: Annotated[AnyLogEntry, Field(discriminator="type")]
    path: Annotated[tuple[Digest, ...], Field(max_length=53, strict=False)]
    head: Annotated[LogHead, AfterValidator(with_signature)]
