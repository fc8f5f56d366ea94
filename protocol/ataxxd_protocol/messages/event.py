"""What the host of an event signs: the plan, and each round."""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from ataxxd_protocol.fields import (
    Digest,
    Milliseconds,
    NodeId,
    PublicKey,
    RulesetId,
    ScoreText,
    ShortLine,
    Version,
)
from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.offer import Clock

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
