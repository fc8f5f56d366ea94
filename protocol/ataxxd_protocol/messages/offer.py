"""The open game: what is played, by which terms."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from ataxxd_protocol.fields import (
    Digest,
    Line,
    Milliseconds,
    Name,
    NodeId,
    PublicKey,
    RulesetId,
    ShortLine,
    Version,
)
from ataxxd_protocol.messages.base import Message, SignedMessage


class Clock(Message):
    """How long a player may think, in milliseconds.

    Attributes:
        base_ms: for the whole game; absent when every move has a time of its own.
        increment_ms: added to what is left of it after each move.
        move_ms: for each move by itself.
        lag_ms: what the wire may take before the other player may claim the flag.
    """

    base_ms: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    increment_ms: Milliseconds | None = None
    move_ms: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    lag_ms: Milliseconds

    @model_validator(mode="after")
    def _of_one_kind(self) -> Self:
        if (self.base_ms is None) == (self.move_ms is None):
            raise ValueError("a clock has either base_ms or move_ms")
        if (self.base_ms is None) != (self.increment_ms is None):
            raise ValueError("increment_ms belongs to base_ms")
        return self


class Offer(SignedMessage):
    """An open game. Its digest is the game's id; every later message names it.

    Attributes:
        start: the position the game is set up with.
        opening: moves already made from there, in canonical text; absent when none.
        start_hash: digest of the position in which play begins, after the opening.
        color: the side of the host.
        commit: SHA-256 of the secret that the host's start message opens.
        clock: absent when time does not matter.
        grace_ms: silence after which a player may claim the game; absent when never.
        takebacks: absent when the players may agree on them.
        access: ``invited`` (the join must bring a ticket) or the only node that may
            join; absent when anyone may.
        rematch_of: the game that this one follows, colours swapped.
    """

    type: Literal["offer"] = "offer"
    v: Version
    name: Name
    host: NodeId
    key: PublicKey
    ruleset: RulesetId
    start: Line
    opening: Annotated[tuple[ShortLine, ...], Field(min_length=1, strict=False)] | None = None
    start_hash: Digest
    color: Literal["first", "second", "random"]
    commit: Digest
    clock: Clock | None = None
    grace_ms: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    takebacks: Literal["never"] | None = None
    access: Annotated[str, StringConstraints(pattern=r"^(invited|[a-z2-7]{20})$")] | None = None
    rematch_of: Digest | None = None
    agent: ShortLine
    created_ms: Milliseconds
    expires_ms: Milliseconds
