"""Every message of the protocol as a frozen, strict pydantic model.

Three families: what the host keeps retained (`Offer`, `StatePart`), the numbered,
chained log of a mailbox (`Join`, `Start`, `Move`, `Resign`, `Draw`, `DrawAnswer`, `Score`), and
notes, which are outside the log and change no game (`Reject`, `Sync`, `Status`, `Who`). The module
knows the shape of messages, never whether they fit a game: that is `ataxxd.session`.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints

from ataxxd_protocol.canonical import canonical_json
from ataxxd_protocol.signing import digest

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}$"

Name: TypeAlias = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
NodeId: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z2-7]{20}$")]
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PublicKey: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
SignatureHex: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]
Nonce: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9]{1,4}\.[0-9]{1,4}$")]
RulesetId: TypeAlias = Annotated[
    str, StringConstraints(pattern=r"^[a-z0-9-]{1,32}/[a-z0-9-]{1,32}$")
]
Code: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,24}/[a-z-]{1,32}$")]
# Printable ASCII only: nothing a peer writes can carry a terminal escape sequence.
Line: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,512}$")]
FieldName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,16}$")]
ShortLine: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
Milliseconds: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=99_999)]

SideName: TypeAlias = Literal["first", "second"]
RoleName: TypeAlias = Literal["host", "guest"]
ScoreText: TypeAlias = Literal["1-0", "0-1", "1/2-1/2"]


class Message(BaseModel):
    """Base of every message: frozen, strict, no unknown fields."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", populate_by_name=True)

    def fields(self) -> dict[str, Any]:
        """The message as a JSON object; absent options are left out."""
        return self.model_dump(by_alias=True, exclude_none=True)


class SignedMessage(Message):
    """A message that carries its author's signature over its canonical form without ``sig``."""

    sig: SignatureHex | None = None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """As pydantic's, but a copy with other content does not keep this one's digest."""
        made = super().model_copy(update=update, deep=deep)
        if update is not None and update.keys() - {"sig"}:
            kept = vars(made)
            kept.pop("signed_bytes", None)
            kept.pop("digest", None)
        return made

    @cached_property
    def signed_bytes(self) -> bytes:
        """What the signature covers: the canonical form without ``sig``."""
        fields = self.fields()
        fields.pop("sig", None)
        return canonical_json(fields)

    @cached_property
    def digest(self) -> str:
        """The name of this message's content: SHA-256 of `signed_bytes`."""
        return digest(self.signed_bytes)


class Offer(SignedMessage):
    """An open game. Its digest is the game's id; every later message names it.

    Attributes:
        start: the position the game is set up with.
        opening: moves already made from there, in canonical text; absent when none.
        start_hash: digest of the position in which play begins, after the opening.
        color: the side of the host.
        commit: SHA-256 of the secret that the host's start message opens.
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
    agent: ShortLine
    created_ms: Milliseconds
    expires_ms: Milliseconds


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
    """A guest asks for the seat (n = 0 of the guest's mailbox)."""

    type: Literal["join"] = "join"
    v: Version
    key: PublicKey
    ruleset: RulesetId
    start_hash: Digest
    nonce: Nonce
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
    ply: Annotated[int, Field(ge=1, le=99_999)]
    move: ShortLine
    position: Digest
    elapsed_ms: Milliseconds


class Resign(LogMessage):
    """The author, whose turn it is, gives the game up."""

    type: Literal["resign"] = "resign"
    ply: Annotated[int, Field(ge=1, le=99_999)]


class Draw(LogMessage):
    """The author, whose turn it is, offers a draw instead of moving."""

    type: Literal["draw"] = "draw"
    ply: Annotated[int, Field(ge=1, le=99_999)]


class DrawAnswer(LogMessage):
    """The answer to an offered draw; after ``reject`` the offerer must move."""

    type: Literal["draw-answer"] = "draw-answer"
    answer: Literal["accept", "reject"]


class PlainScore(LogMessage):
    """A score that accuses nobody; the only kind that can itself be a proof."""

    type: Literal["score"] = "score"
    score: ScoreText
    termination: Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,32}$")]
    position: Digest


def _with_signature(message: SignedMessage) -> SignedMessage:
    if message.sig is None:
        raise ValueError("a proof needs its sig")
    return message


# What can prove double-dealing. A join cannot: a guest that lost its journal may ask anew.
# A score with a proof of its own cannot: proofs would nest until they fit no payload.
Proof: TypeAlias = Annotated[
    Start | Move | Resign | Draw | DrawAnswer | PlainScore,
    Field(discriminator="type"),
    AfterValidator(_with_signature),
]


class Score(PlainScore):
    """The author's last message: the result as it sees it.

    ``proof`` is the second of two conflicting messages when the result rests on
    double-dealing: the whole signed object.
    """

    proof: Proof | None = None


class Entry(Message):
    """One log message in a record: what cannot be recomputed from the entries before it.

    Attributes:
        by: whose mailbox.
        set: the fields in which the message differs from the one the record predicts.
        check: the first 16 digits of the message's digest, so that a changed byte is
            found at its own entry.
    """

    by: RoleName
    set: dict[FieldName, Line | Milliseconds | Proof]
    check: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]


class Signatures(Message):
    """The newest signature of each side; through the chain it covers all before it."""

    host: SignatureHex | None = None
    guest: SignatureHex | None = None


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
    """A whole game, as kept in files: anyone can replay and judge it."""

    type: Literal["record"] = "record"
    v: Version
    offer: Offer
    entries: tuple[Entry, ...] = Field(strict=False)
    sigs: Signatures


class Reject(SignedMessage):
    """The host tells a joiner, outside the log, why it did not get the seat."""

    type: Literal["reject"] = "reject"
    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    to: NodeId
    join: Digest
    code: Code
    reason: Line


class Sync(SignedMessage):
    """Asks for the other mailbox from number ``need`` on, and says how far one's own goes."""

    type: Literal["sync"] = "sync"
    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    need: Number
    head: Number


class Status(SignedMessage):
    """Presence: shown to people, never a reason to end a game."""

    type: Literal["status"] = "status"
    game: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    epoch: Milliseconds
    state: Literal["online", "left", "lost"]


class Who(Message):
    """Asks hosts to publish their offers again; unsigned, because it changes nothing."""

    type: Literal["who"] = "who"


AnyLogMessage: TypeAlias = Join | Start | Move | Resign | Draw | DrawAnswer | Score
AnyMessage: TypeAlias = AnyLogMessage | Offer | StatePart | Reject | Sync | Status | Who
