"""What every message is: frozen, strict, canonical, often signed; and the types of its fields."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ataxxd_protocol.signing import canonical_json, digest

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


# Sets of names of fields, each once: a message is frozen, so nobody adds to its own.
_GIVEN: dict[frozenset[str], set[str]] = {}


class Message(BaseModel):
    """Base of every message: frozen, strict, no unknown fields."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", populate_by_name=True)

    def slim(self, *known: str) -> None:
        """Take less memory, for messages that are kept by the thousand; nothing else changes.

        Args:
            known: strings that are kept anyway; fields equal to one of them become it.
        """
        values = vars(self)
        for name, value in values.items():
            if isinstance(value, str):
                values[name] = next((each for each in known if each == value), value)
        # Which fields were given is the same for all messages of a kind, as a rule.
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
        """As pydantic's, but a copy with other content does not keep this one's digest."""
        made = super().model_copy(update=update, deep=deep)
        if update is not None and update.keys() - {"sig"}:
            kept = vars(made)
            kept.pop("signed_bytes", None)
            kept.pop("digest", None)
        return made

    def slim(self, *known: str) -> None:
        """Drop what can be computed again: what is signed is made anew when it is needed."""
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
        """The name of this message's content: SHA-256 of `signed_bytes`."""
        return digest(self.signed_bytes)
