"""The numbered, chained messages of a mailbox: what the players say makes the game."""

from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, model_validator

from ataxxd_protocol.fields import (
    Digest,
    Milliseconds,
    NodeId,
    Nonce,
    Number,
    Ply,
    PublicKey,
    RulesetId,
    ScoreText,
    ShortLine,
    SideName,
    Termination,
    Version,
)
from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.notes import Consent

SignedT = TypeVar("SignedT", bound=SignedMessage)


class LogMessage(SignedMessage):
    """A numbered message in its author's mailbox, chained to what it follows.

    Attributes:
        game: digest of the offer.
        author: node id of the writer (``from`` on the wire).
        n: position in the author's mailbox, from 0.
        prev: digest of the author's message n - 1; the game id for n = 0.
        seen: digest of the newest message of the other player that the author has
            accepted; the game id when there is none.
    """

    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    n: Number
    prev: Digest
    seen: Digest


class Join(LogMessage):
    """A guest asks for the seat (n = 0 of the guest's mailbox).

    ``ticket`` shows that the guest knows the secret of an invitation without telling it.
    """

    type: Literal["join"] = "join"
    v: Version
    key: PublicKey
    ruleset: RulesetId
    start_hash: Digest
    nonce: Nonce
    ticket: Digest | None = None
    agent: ShortLine


class Start(LogMessage):
    """The host gives the seat away and says who moves first (n = 0 of the host's mailbox).

    ``secret`` opens the offer's ``commit``: SHA-256 of the secret's 16 bytes.
    """

    type: Literal["start"] = "start"
    guest: NodeId
    host_side: SideName
    secret: Nonce


class Move(LogMessage):
    """A move, or a pass where the rules have one.

    Attributes:
        ply: number of this ply in the game, from 1.
        move: the move in the ruleset's canonical text.
        position: digest of the position after the move.
        elapsed_ms: how long the author says it thought.
    """

    type: Literal["move"] = "move"
    ply: Ply
    move: ShortLine
    position: Digest
    elapsed_ms: Milliseconds


class Resign(LogMessage):
    """The author, whose turn it is, gives the game up."""

    type: Literal["resign"] = "resign"
    ply: Ply


class Draw(LogMessage):
    """The author, whose turn it is, offers a draw instead of moving."""

    type: Literal["draw"] = "draw"
    ply: Ply


class DrawAnswer(LogMessage):
    """The answer to an offered draw; after ``reject`` the offerer must move."""

    type: Literal["draw-answer"] = "draw-answer"
    answer: Literal["accept", "reject"]


def with_signature(message: SignedT) -> SignedT:
    """`message`, which stands in another one and so must be signed.

    Raises:
        ValueError: it is not.
    """
    if message.sig is None:
        raise ValueError("a message inside another needs its sig")
    return message


GivenConsent: TypeAlias = Annotated[Consent, AfterValidator(with_signature)]


class Takeback(LogMessage):
    """The player on turn takes the game back to an earlier ply, as the other agreed to.

    Attributes:
        ply: the ply that would have been its move.
        to: the ply that is played next instead.
        consent: the other player's.
    """

    type: Literal["takeback"] = "takeback"
    ply: Ply
    to: Ply
    consent: GivenConsent


class Abort(LogMessage):
    """The player on turn ends the game without a result.

    ``consent`` is the other player's; before its author's first move it needs none.
    """

    type: Literal["abort"] = "abort"
    ply: Ply
    consent: GivenConsent | None = None


class Claim(Message):
    """The other player did not answer in time.

    Attributes:
        reason: ``silence`` longer than the offer's grace, or the ``flag`` of its clock.
        waited_ms: how long the claimant waited, by its own clock.
    """

    reason: Literal["silence", "flag"]
    waited_ms: Milliseconds


class PlainScore(LogMessage):
    """A score that accuses nobody of double-dealing; the only kind that can itself be a proof.

    Attributes:
        claim: ends the game in the author's favour (see `Claim`).
        had_ms: the answer to a claim: how long its author, by its own clock, can have had
            what it was to answer.
        since_ms: the same: how long ago, by that clock, it had written what the claim names
            as seen; the claimant cannot have waited for longer.
    """

    type: Literal["score"] = "score"
    score: ScoreText
    termination: Termination
    position: Digest
    claim: Claim | None = None
    had_ms: Milliseconds | None = None
    since_ms: Milliseconds | None = None

    @property
    def answers(self) -> bool:
        """True for a score that says something of its author's times."""
        return self.had_ms is not None or self.since_ms is not None

    @model_validator(mode="after")
    def _claims_or_answers(self) -> Self:
        if self.claim is not None and self.answers:
            raise ValueError("a score cannot claim and answer a claim")
        return self


# What can prove double-dealing. A join cannot: a guest that lost its journal may ask anew.
# A score with a proof of its own cannot: proofs would nest until they fit no payload.


Proof: TypeAlias = Annotated[
    Start | Move | Resign | Draw | DrawAnswer | Takeback | Abort | PlainScore,
    Field(discriminator="type"),
    AfterValidator(with_signature),
]


class Score(PlainScore):
    """The author's last message: the result as it sees it.

    ``proof`` is the second of two conflicting messages when the result rests on
    double-dealing: the whole signed object.
    """

    proof: Proof | None = None

    @property
    def decisive(self) -> bool:
        """True for a score that itself ends the game: by a proof or a claim."""
        return self.proof is not None or self.claim is not None

    @model_validator(mode="after")
    def _accuses_of_one_thing(self) -> Self:
        if self.proof is not None and (self.claim is not None or self.answers):
            raise ValueError("a score with a proof neither claims nor answers a claim")
        return self


AnyLogMessage: TypeAlias = (
    Join | Start | Move | Resign | Draw | DrawAnswer | Takeback | Abort | Score
)
