"""Every message of the protocol as a frozen, strict pydantic model.

Six families: the host's `Offer`; the numbered, chained log of a mailbox (`LogMessage`); the
record, also in retained parts (`Record`, `StatePart`); notes, which are outside the log and
change no game (`Consent`, `Chat`, `Talk`, `Reject`, `Sync`, `Recall`, `Unread`, `Status`,
`Statement`, `Who`); what nodes say of themselves and to each other before a game (`Card`,
`Nickname`, `Challenge`, `Decline`, `CallClaim`, `Analyse`, `Analysis`); and what the host of an
event signs (`EventPlan`, `EventRound`). The lines of a club's log (`LogEntry`, `LogHead`,
`LogProof`) occur only in files. The models check only the shape of messages: `ataxxd.session`
judges whether they fit a game, and `ataxxd.tournament` whether they fit an event.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    model_validator,
)

from ataxxd_protocol.signing import canonical_json, digest

# The types of fields.

NAME_PATTERN = r"^[a-z0-9][a-z0-9-]{0,31}$"
NODE_PATTERN = r"^[a-z2-7]{20}$"
VERSION_PATTERN = r"^[0-9]{1,4}\.[0-9]{1,4}$"
RULESET_PATTERN = r"^[a-z0-9-]{1,32}/[a-z0-9-]{1,32}$"

Name: TypeAlias = Annotated[str, StringConstraints(pattern=NAME_PATTERN)]
NodeId: TypeAlias = Annotated[str, StringConstraints(pattern=NODE_PATTERN)]
Digest: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
PublicKey: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
SignatureHex: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{128}$")]
Nonce: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
Version: TypeAlias = Annotated[str, StringConstraints(pattern=VERSION_PATTERN)]
RulesetId: TypeAlias = Annotated[str, StringConstraints(pattern=RULESET_PATTERN)]
Code: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,24}/[a-z-]{1,32}$")]
Termination: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z-]{1,32}$")]
# Printable ASCII only: nothing a peer writes can carry a terminal escape sequence.
Line: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{0,512}$")]
FieldName: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[a-z_]{1,16}$")]
ShortLine: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[ -~]{1,64}$")]
# What people say to each other may be in any language, but holds no character that moves the
# cursor, hides, or turns the direction of writing: controls, line and paragraph separators,
# zero-width and directional marks (the joiner of emoji excepted), tags.
_UNSAFE = (
    r"\x00-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200c\u200e\u200f\u2028-\u202e"
    r"\u2060-\u206f\ufeff\ufff0-\ufffb\U000e0000-\U000e0fff"
)
Speech: TypeAlias = Annotated[str, StringConstraints(pattern=f"^[^{_UNSAFE}]{{1,500}}$")]
Milliseconds: TypeAlias = Annotated[int, Field(ge=0, le=2**53 - 1)]
Number: TypeAlias = Annotated[int, Field(ge=0, le=99_999)]
Ply: TypeAlias = Annotated[int, Field(ge=1, le=99_999)]

SideName: TypeAlias = Literal["first", "second"]
RoleName: TypeAlias = Literal["host", "guest"]
ScoreText: TypeAlias = Literal["1-0", "0-1", "1/2-1/2", "*"]


# Field-name sets, which `slim` shares between messages: they are frozen, so no set ever changes.
_GIVEN: dict[frozenset[str], set[str]] = {}


class Message(BaseModel):
    """Base of every message: frozen, strict, no unknown fields."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", populate_by_name=True)

    def slim(self, *known: str) -> None:
        """Reduce the memory that this message takes; its content does not change.

        Args:
            known: strings that are in memory anyway, to be shared by equal fields.
        """
        values = vars(self)
        for name, value in values.items():
            if isinstance(value, str):
                values[name] = next((each for each in known if each == value), value)
        # Messages of one type usually have the same fields set.
        given = self.__pydantic_fields_set__
        object.__setattr__(
            self, "__pydantic_fields_set__", _GIVEN.setdefault(frozenset(given), given)
        )

    def fields(self) -> dict[str, Any]:
        """The message as a JSON object; absent options are left out."""
        return self.model_dump(by_alias=True, exclude_none=True)


class SignedMessage(Message):
    """A message that carries its author's signature over its canonical form without ``sig``."""

    sig: SignatureHex | None = None

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Copy the message as pydantic does; with an `update`, the digest is computed again."""
        made = super().model_copy(update=update, deep=deep)
        if update is not None and update.keys() - {"sig"}:
            kept = vars(made)
            kept.pop("signed_bytes", None)
            kept.pop("digest", None)
        return made

    def slim(self, *known: str) -> None:
        """Reduce the memory that this message takes; signed bytes are computed when needed."""
        super().slim(*known)
        assert self.digest, "computed while there is what it is of"
        vars(self).pop("signed_bytes", None)

    @cached_property
    def signed_bytes(self) -> bytes:
        """What the signature covers: the canonical form without ``sig``."""
        fields = self.fields()
        fields.pop("sig", None)
        return canonical_json(fields)

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of `signed_bytes`, which identifies this message."""
        return digest(self.signed_bytes)


# A game: its offer, the notes beside it, the messages of its mailboxes, its record.

MAX_WITNESSES = 7
"""The most witnesses that a game can have."""
MAX_UNREAD = 8
"""The most messages of one player that can wait for the other. One turn has four at most."""


class Clock(Message):
    """How long a player may think, in milliseconds.

    Attributes:
        base_ms: for the whole game; absent if each move has its own time.
        increment_ms: added to the remaining time after each move.
        move_ms: for each single move.
        lag_ms: network delay that is allowed before the other player may claim the flag.
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
        start: the position that the game is set up with.
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
        Annotated[tuple[NodeId, ...], Field(min_length=1, max_length=MAX_WITNESSES, strict=False)]
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
        key: the author's public key, since no earlier message contains it.
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
    """Asks for the other mailbox from number ``need`` on, and says how far the author's own goes.

    Attributes:
        nonce: asks for a sync with the same value as ``echo``, which thus cannot be an old one.
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
    """A witness says how long the player against whom a game is claimed was silent.

    Attributes:
        key: the witness's public key.
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
    """Check that `message`, which is part of another message, is signed, and return it.

    Raises:
        ValueError: it is not signed.
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

    ``consent`` is the other player's; none is needed before the author's first move.
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
        had_ms: in the answer to a claim: how long its author, by its own clock, can have had
            the message that it had to answer.
        since_ms: in the answer to a claim: how long ago, by the same clock, its author wrote the
            message that the claim names as seen; the claimant cannot have waited longer.
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
        """Whether the score answers a claim: it says something about its author's times."""
        return self.had_ms is not None or self.since_ms is not None

    @model_validator(mode="after")
    def _claims_or_answers(self) -> Self:
        if self.claim is not None and self.answers:
            raise ValueError("a score cannot claim and answer a claim")
        return self


# What can prove double-dealing. A join cannot: a guest that lost its journal may join again.
# A score that has a proof cannot: proofs would nest until no payload could hold them.


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
        """Whether the score itself ends the game, by a proof or a claim."""
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
    """Gives the other player back a message that it signed itself.

    Attributes:
        message: the message, byte for byte as it was signed.
    """

    type: Literal["recall"] = "recall"
    message: Said


class Unread(Note):
    """Messages of a player that the other player, who is away, may not have read.

    Attributes:
        messages: the newest in the author's mailbox, in order, each byte for byte as it was
            signed.
    """

    type: Literal["unread"] = "unread"
    messages: Annotated[tuple[Said, ...], Field(min_length=1, max_length=MAX_UNREAD, strict=False)]


class Entry(Message):
    """One log message in a record: what cannot be recomputed from the entries before it.

    Attributes:
        by: whose mailbox it is in.
        set: the fields in which the message differs from the one the record predicts.
        check: the first 16 digits of the message's digest, so that a changed byte is
            found at its own entry.
    """

    by: RoleName
    set: dict[FieldName, Line | Milliseconds | Claim | GivenConsent | Proof]
    check: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{16}$")]

    @cached_property
    def size(self) -> int:
        """The size of its canonical form in bytes."""
        return len(canonical_json(self.fields()))


class Signatures(Message):
    """The newest signature of each side; through the hash chain it covers all before it."""

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
        statements: the witnesses', about the claim that stands; absent when there are none.
    """

    type: Literal["record"] = "record"
    v: Version
    offer: Offer
    entries: tuple[Entry, ...] = Field(strict=False)
    sigs: Signatures
    statements: Annotated[tuple[GivenStatement, ...], Field(min_length=1, strict=False)] | None = (
        None
    )


# Cards and letters come before a game. Each has its author's key, which the reader may not know.

ClockKind: TypeAlias = Literal["none", "game", "move"]
Positions: TypeAlias = Annotated[int, Field(ge=1, le=2**53 - 1)]
_MAX_SCORE = 1_000_000


class Introduced(SignedMessage):
    """A signed message with its author's key, for readers who do not know the author.

    Attributes:
        author: node id of the writer (``from`` on the wire).
        key: the author's public key.
    """

    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    key: PublicKey


class Card(Introduced):
    """What a node is and which games it accepts. It promises nothing.

    Attributes:
        name: what people call it; it does not identify the node.
        kind: who plays.
        groups: those whose calls it answers.
        rulesets: those in which it accepts challenges; absent if it accepts none.
        clocks: the kinds of clock that it accepts; absent if it accepts any.
        free: how many more games it accepts now.
        playing: how many games it plays now.
        nodes: the most positions that it visits for one analysis; absent if it makes none.
        text: what it says about itself.
        at_ms: grows from each card of a node to its next.
        expires_ms: when the card expires.
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
    """What a node calls itself, for people; it does not identify the node.

    Attributes:
        name: the nickname.
        at_ms: when it was chosen; a node's latest nickname counts.
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
        text: what the challenger says to the challenged.
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
    score: Annotated[int, Field(ge=-_MAX_SCORE, le=_MAX_SCORE)]
    mate_in: Annotated[int, Field(ge=-99_999, le=99_999)] | None = None
    line: Annotated[tuple[ShortLine, ...], Field(min_length=1, max_length=64, strict=False)]
    depth: Number
    nodes: Annotated[int, Field(ge=0, le=2**53 - 1)]


# Events, and the lines of a club's log.

MAX_PLAYERS = 64
MAX_ROUNDS = 99
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
        round_ms: how long after the round was made its games may go on.
        players: in the order of their seeding.
        seed: decides who moves first where nothing else does.
    """

    type: Literal["event"] = "event"
    v: Version
    name: EventName
    host: NodeId
    key: PublicKey
    system: SystemName
    rounds: Annotated[int, Field(ge=1, le=MAX_ROUNDS)]
    ruleset: RulesetId
    clock: Clock | None = None
    grace_ms: Annotated[int, Field(ge=1, le=2**53 - 1)] | None = None
    takebacks: Literal["never"] | None = None
    round_ms: Annotated[int, Field(ge=1, le=2**53 - 1)]
    players: Annotated[
        tuple[NodeId, ...], Field(min_length=2, max_length=MAX_PLAYERS, strict=False)
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
        number: from 1; the end of the event has one more than the plan's rounds.
        prev: digest of the round before it; of the plan for the first.
        results: of the pairings of the round before it, in their order.
        withdrawn: players who play no more from this round on.
        pairings: who plays whom; the first is at board 1.
        byes: players who get a point without a game.
    """

    type: Literal["round"] = "round"
    event: Digest
    author: NodeId = Field(validation_alias="from", serialization_alias="from")
    number: Annotated[int, Field(ge=1, le=MAX_ROUNDS + 1)]
    prev: Digest
    results: Annotated[tuple[Result, ...], Field(max_length=MAX_PLAYERS // 2, strict=False)]
    withdrawn: Annotated[tuple[NodeId, ...], Field(max_length=MAX_PLAYERS, strict=False)]
    pairings: Annotated[tuple[Pairing, ...], Field(max_length=MAX_PLAYERS // 2, strict=False)]
    byes: Annotated[tuple[NodeId, ...], Field(max_length=MAX_PLAYERS, strict=False)]
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
        deadline_ms: when the game counts as lost for both, unless it is over.
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
    """Proves an entry of a log to someone who does not have the log.

    Attributes:
        index: the place of the entry, from 0.
        entry: the entry.
        path: the inclusion proof.
        head: the signed head of a log that contains the entry.
    """

    type: Literal["proof"] = "proof"
    index: Annotated[int, Field(ge=0, le=2**53 - 1)]
    entry: Annotated[AnyLogEntry, Field(discriminator="type")]
    path: Annotated[tuple[Digest, ...], Field(max_length=53, strict=False)]
    head: Annotated[LogHead, AfterValidator(with_signature)]


# All messages on the wire.

AnyLetter: TypeAlias = Challenge | Decline | CallClaim | Analyse | Analysis

AnyMessage: TypeAlias = (
    AnyLogMessage
    | Offer
    | StatePart
    | Consent
    | Chat
    | Talk
    | Reject
    | Sync
    | Recall
    | Unread
    | Status
    | Statement
    | Who
    | Card
    | Nickname
    | AnyLetter
    | EventPlan
    | EventRound
)
