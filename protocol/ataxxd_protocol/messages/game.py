"""The messages of a game: the offer, the mailboxes, the notes beside them, and the record.

The host's `Offer` says what is played, by which terms. The numbered, chained messages of a
mailbox (`LogMessage`) are what the players say, which makes the game. Notes are outside the
mailboxes and change no game by themselves. A game as data is a `Record` in a file, and a
`StatePart` in a payload.
"""

from functools import cached_property
from typing import Annotated, Literal, Self, TypeAlias, TypeVar

from pydantic import AfterValidator, Field, StringConstraints, model_validator

from ataxxd_protocol.messages.base import (
    Code,
    Digest,
    FieldName,
    Line,
    Message,
    Milliseconds,
    Name,
    NodeId,
    Nonce,
    Number,
    Ply,
    PublicKey,
    RoleName,
    RulesetId,
    ScoreText,
    ShortLine,
    SideName,
    SignatureHex,
    SignedMessage,
    Speech,
    Termination,
    Version,
)
from ataxxd_protocol.signing import canonical_json

MOST_WITNESSES = 7
"""So many nodes can be the witnesses of a game."""
MOST_UNREAD = 8
"""So many messages of one player can wait for the other. In one turn there are four at most."""


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
        witnesses: nodes whose statements decide what a claim is worth; absent when there are none.
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
    witnesses: (
        Annotated[tuple[NodeId, ...], Field(min_length=1, max_length=MOST_WITNESSES, strict=False)]
        | None
    ) = None
    rematch_of: Digest | None = None
    agent: ShortLine
    created_ms: Milliseconds
    expires_ms: Milliseconds

    @model_validator(mode="after")
    def _has_witnesses_of_its_own(self) -> Self:
        named = self.witnesses or ()
        if len({self.host, *named}) != len(named) + 1:
            raise ValueError("witnesses are other nodes than the host, each named once")
        return self


class Note(SignedMessage):
    """A signed message about a game, in none of its mailboxes.

    Attributes:
        game: digest of the offer.
        author: node id of the writer (``from`` on the wire).
    """

    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")


class Consent(Note):
    """A note: its author asks for, or agrees to, a takeback or an abort, here and now.

    It binds nobody until the player on turn writes it into the game.

    Attributes:
        what: what the author is willing to do.
        to: for a takeback, the ply that is to be played again.
        tip: digest of the newest log message of the game: the moment it is for.
    """

    type: Literal["consent"] = "consent"
    what: Literal["takeback", "abort"]
    to: Ply | None = None
    tip: Digest

    @model_validator(mode="after")
    def _names_a_ply_where_needed(self) -> Self:
        if (self.to is None) == (self.what == "takeback"):
            raise ValueError("a takeback names a ply, nothing else does")
        return self


class Chat(Note):
    """A player says something to the other; spectators may listen.

    ``at_ms`` grows from one chat of its author to the next.
    """

    type: Literal["chat"] = "chat"
    at_ms: Milliseconds
    text: Speech


class Talk(Note):
    """A spectator says something to the others; players see it only when they ask.

    Attributes:
        key: the author's, for nobody else has told it.
    """

    type: Literal["talk"] = "talk"
    key: PublicKey
    at_ms: Milliseconds
    text: Speech


class Reject(Note):
    """The host tells a joiner, outside the log, why it did not get the seat."""

    type: Literal["reject"] = "reject"
    to: NodeId
    join: Digest
    code: Code
    reason: Line


class Sync(Note):
    """Asks for the other mailbox from number ``need`` on, and says how far one's own goes.

    Attributes:
        nonce: asks to be answered by a sync with it as ``echo``, which cannot be an old one.
        echo: the nonce that this one answers.
    """

    type: Literal["sync"] = "sync"
    need: Number
    head: Number
    nonce: Nonce | None = None
    echo: Nonce | None = None

    @model_validator(mode="after")
    def _asks_or_echoes(self) -> Self:
        if self.nonce is not None and self.echo is not None:
            raise ValueError("a sync cannot ask for an echo and be one")
        return self


class Status(Note):
    """Presence: shown to people, never a reason to end a game."""

    type: Literal["status"] = "status"
    epoch: Milliseconds
    state: Literal["online", "left", "lost"]


class Statement(Note):
    """A witness says how long the player was silent against whom a game is claimed.

    Attributes:
        key: the witness's.
        claim: digest of the score with the claim.
        silence_ms: how long the silence was, by the witness's clock (MP-WITNESS-3).
    """

    type: Literal["statement"] = "statement"
    key: PublicKey
    claim: Digest
    silence_ms: Milliseconds


class Who(Message):
    """Asks hosts to publish their offers again; unsigned, because it changes nothing."""

    type: Literal["who"] = "who"


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


Said: TypeAlias = Annotated[
    AnyLogMessage, Field(discriminator="type"), AfterValidator(with_signature)
]


class Recall(Note):
    """Gives the other player a message back that it has signed itself.

    Attributes:
        message: the message, byte for byte as it was signed.
    """

    type: Literal["recall"] = "recall"
    message: Said


class Unread(Note):
    """What a player has said and the other, who is away, may not have read.

    Attributes:
        messages: the newest of its author's mailbox, in their order, each byte for byte as it was
            signed.
    """

    type: Literal["unread"] = "unread"
    messages: Annotated[tuple[Said, ...], Field(min_length=1, max_length=MOST_UNREAD, strict=False)]


class Entry(Message):
    """One log message in a record: what cannot be recomputed from the entries before it.

    Attributes:
        by: whose mailbox.
        set: the fields in which the message differs from the one the record predicts.
        check: the first 16 digits of the message's digest, so that a changed byte is
            found at its own entry.
    """

    by: RoleName
    set: dict[FieldName, Line | Milliseconds | Claim | GivenConsent | Proof]
    check: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]

    @cached_property
    def size(self) -> int:
        """The bytes of its canonical form."""
        return len(canonical_json(self.fields()))


class Signatures(Message):
    """The newest signature of each side; through the chain it covers all before it."""

    host: SignatureHex | None = None
    guest: SignatureHex | None = None


GivenStatement: TypeAlias = Annotated[Statement, AfterValidator(with_signature)]


class StatePart(SignedMessage):
    """A retained piece of the record, small enough for one payload.

    Part 0 begins at entry 0; the parts' entries put together are the record so far.
    ``sigs`` are the newest signatures at the end of this part.
    """

    type: Literal["state"] = "state"
    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    part: Annotated[int, Field(ge=0, le=999)]
    first: Annotated[int, Field(ge=0, le=199_999)]
    entries: tuple[Entry, ...] = Field(strict=False)
    sigs: Signatures


class Record(Message):
    """A whole game, as kept in files: anyone can replay and judge it.

    Attributes:
        statements: of its witnesses, on the claim that stands; absent when there are none.
    """

    type: Literal["record"] = "record"
    v: Version
    offer: Offer
    entries: tuple[Entry, ...] = Field(strict=False)
    sigs: Signatures
    statements: Annotated[tuple[GivenStatement, ...], Field(min_length=1, strict=False)] | None = (
        None
    )
