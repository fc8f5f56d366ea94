"""What the host of an event signs, and the lines of a club's log of members and rated games."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from ataxxd_protocol.messages.base import (
    Digest,
    Message,
    Milliseconds,
    NodeId,
    PublicKey,
    RulesetId,
    ScoreText,
    ShortLine,
    SignedMessage,
    Version,
)
from ataxxd_protocol.messages.game import Clock, Join, Offer, with_signature

MOST_PLAYERS = 64
MOST_ROUNDS = 99
EVENT_PATTERN = r"^[a-z0-9][a-z0-9-]{0,23}$"
"""An event's name: shorter than a game's, so that round and board fit behind it."""

EventName: TypeAlias = Annotated[str, StringConstraints(pattern=EVENT_PATTERN)]
SystemName: TypeAlias = Literal["round-robin", "swiss"]


class EventPlan(SignedMessage):
    """An event: who plays what, by which system. Its digest is the event's id.

    Attributes:
        rounds: how many there are.
        clock: of every game; absent when time does not matter.
        grace_ms: of every game; absent when never.
        takebacks: of every game; absent when the players may agree on them.
        round_ms: how long after a round was made a game of it may go on.
        players: in the order of their seeding.
        seed: decides who begins where nothing else does.
    """

    type: Literal["event"] = "event"
    v: Version
    name: EventName
    host: NodeId
    key: PublicKey
    system: SystemName
    rounds: Annotated[int, Field(ge=1, le=MOST_ROUNDS)]
    ruleset: RulesetId
    clock: Clock | None = None
    grace_ms: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    takebacks: Literal["never"] | None = None
    round_ms: Annotated[int, Field(ge=1, le=2**53 - 1)]
    players: Annotated[
        tuple[NodeId, ...], Field(min_length=2, max_length=MOST_PLAYERS, strict=False)
    ]
    seed: Milliseconds
    agent: ShortLine
    created_ms: Milliseconds

    @model_validator(mode="after")
    def _names_each_once(self) -> Self:
        if len(set(self.players)) != len(self.players):
            raise ValueError("a player is named twice")
        return self


class Pairing(Message):
    """Two players who are to play.

    Attributes:
        first: who moves first, and offers the game.
        second: who joins it.
    """

    first: NodeId
    second: NodeId


class Result(Message):
    """How the game of a pairing ended.

    Attributes:
        score: as of the pairing's sides.
        game: the game's id; absent when none began.
        record: digest of the record file that shows it.
    """

    score: ScoreText
    game: Digest | None = None
    record: Digest | None = None

    @model_validator(mode="after")
    def _rests_on_both_or_none(self) -> Self:
        if (self.game is None) != (self.record is None):
            raise ValueError("game and record belong together")
        return self


class EventRound(SignedMessage):
    """A round: the results of the one before it, and who plays whom now.

    Attributes:
        event: digest of the plan.
        author: the event's host (``from`` on the wire).
        number: from 1; one more than the plan's rounds for the end.
        prev: digest of the round before it; of the plan for the first.
        results: of the pairings of the round before it, in their order.
        withdrawn: who plays no more from this round on.
        pairings: who plays whom; the first at board 1.
        byes: who gets a point without a game.
    """

    type: Literal["round"] = "round"
    event: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    number: Annotated[int, Field(ge=1, le=MOST_ROUNDS + 1)]
    prev: Digest
    results: Annotated[tuple[Result, ...], Field(max_length=MOST_PLAYERS // 2, strict=False)]
    withdrawn: Annotated[tuple[NodeId, ...], Field(max_length=MOST_PLAYERS, strict=False)]
    pairings: Annotated[tuple[Pairing, ...], Field(max_length=MOST_PLAYERS // 2, strict=False)]
    byes: Annotated[tuple[NodeId, ...], Field(max_length=MOST_PLAYERS, strict=False)]
    created_ms: Milliseconds


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
    """A node is no longer a member."""

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
