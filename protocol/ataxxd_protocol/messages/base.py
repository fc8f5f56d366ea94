"""What every message is: frozen, strict, canonical, and often signed."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from ataxxd_protocol.canonical import canonical_json
from ataxxd_protocol.fields import SignatureHex
from ataxxd_protocol.signing import digest

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
