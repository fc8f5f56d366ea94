"""A game as data: in a file, and in parts that fit a payload."""

from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from ataxxd_protocol.canonical import canonical_json
from ataxxd_protocol.fields import (
    Digest,
    FieldName,
    Line,
    Milliseconds,
    NodeId,
    RoleName,
    SignatureHex,
    Version,
)
from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.log import Claim, GivenConsent, Proof
from ataxxd_protocol.messages.offer import Offer


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
