"""Cards and letters: what nodes say to each other when no game has begun.

Everyone hears of the author for the first time here, so each of them carries its key.
"""

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from ataxxd_protocol.messages.base import (
    Code,
    Digest,
    Line,
    Milliseconds,
    Name,
    NodeId,
    Number,
    PublicKey,
    RulesetId,
    ShortLine,
    SignedMessage,
    Speech,
    Version,
)
from ataxxd_protocol.messages.game import Offer

ClockKind: TypeAlias = Literal["none", "game", "move"]
Positions: TypeAlias = Annotated[int, Field(ge=1, le=2**53 - 1)]
_MOST_SCORE = 1_000_000


class Introduced(SignedMessage):
    """A signed message of a node that nobody need have heard of.

    Attributes:
        author: node id of the writer (``from`` on the wire).
        key: the author's.
    """

    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    key: PublicKey


class Card(Introduced):
    """What a node is and what it takes. It promises nothing.

    Attributes:
        name: what people call it; no identity.
        kind: who plays.
        groups: those whose calls it answers.
        rulesets: those it takes challenges in; absent when it takes none.
        clocks: the kinds of clock that it takes; absent when any.
        free: how many more games it takes now.
        playing: how many it plays now.
        nodes: positions it visits for one analysis at most; absent when it makes none.
        text: what it says of itself.
        at_ms: grows from each card of a node to its next.
        expires_ms: after this it counts for nothing.
    """

    type: Literal["card"] = "card"
    v: Version
    name: Name
    kind: Literal["bot", "person"]
    groups: Annotated[tuple[Name, ...], Field(min_length=1, max_length=8, strict=False)] | None = (
        None
    )
    rulesets: (
        Annotated[tuple[RulesetId, ...], Field(min_length=1, max_length=32, strict=False)] | None
    ) = None
    clocks: (
        Annotated[tuple[ClockKind, ...], Field(min_length=1, max_length=3, strict=False)] | None
    ) = None
    free: Number
    playing: Number
    nodes: Positions | None = None
    agent: ShortLine
    text: Speech | None = None
    at_ms: Milliseconds
    expires_ms: Milliseconds


class Nickname(Introduced):
    """What a node calls itself, for people; no identity.

    Attributes:
        name: the nickname.
        at_ms: when it was chosen; of two by one node the later one counts.
    """

    type: Literal["nickname"] = "nickname"
    name: Name
    at_ms: Milliseconds


class Challenge(Introduced):
    """Asks a node, or any one of a group, to join a game that the author hosts.

    Attributes:
        to: the challenged node.
        group: the challenged group; either this or `to`.
        offer: the game, by the same author; it ends when the challenge does.
        text: what the challenger says to it.
    """

    type: Literal["challenge"] = "challenge"
    to: NodeId | None = None
    group: Name | None = None
    offer: Offer
    text: Speech | None = None

    @model_validator(mode="after")
    def _is_for_somebody(self) -> Self:
        if (self.to is None) == (self.group is None):
            raise ValueError("a challenge is either to a node or to a group")
        if self.offer.sig is None:
            raise ValueError("the offer in it is signed")
        return self


class Decline(Introduced):
    """The challenged node does not join, and says why.

    Attributes:
        answers: digest of the challenge.
        reason: for people.
        text: what a person adds.
    """

    type: Literal["decline"] = "decline"
    to: NodeId
    answers: Digest
    code: Code
    reason: Line
    text: Speech | None = None


class CallClaim(Introduced):
    """A member of a group tells the others that it takes a call.

    Attributes:
        call: digest of the challenge or of the question.
    """

    type: Literal["claim"] = "claim"
    group: Name
    call: Digest


class Analyse(Introduced):
    """Asks any one of a group what it thinks of a position.

    Attributes:
        position: canonical text.
        nodes: positions to visit, at most.
    """

    type: Literal["analyse"] = "analyse"
    group: Name
    ruleset: RulesetId
    position: Line
    nodes: Positions
    at_ms: Milliseconds
    expires_ms: Milliseconds


class Analysis(Introduced):
    """What the author thinks of a position.

    Attributes:
        answers: digest of the question.
        score: hundredths of a piece that the side to move is ahead.
        mate_in: moves until it can force its win; negative, until the other side can. Absent
            when neither is known.
        line: the moves expected, the best one first, in canonical text.
        depth: plies looked ahead.
        nodes: positions visited.
    """

    type: Literal["analysis"] = "analysis"
    to: NodeId
    answers: Digest
    score: Annotated[int, Field(ge=-_MOST_SCORE, le=_MOST_SCORE)]
    mate_in: Annotated[int, Field(ge=-99_999, le=99_999)] | None = None
    line: Annotated[tuple[ShortLine, ...], Field(min_length=1, max_length=64, strict=False)]
    depth: Number
    nodes: Annotated[int, Field(ge=0, le=2**53 - 1)]
