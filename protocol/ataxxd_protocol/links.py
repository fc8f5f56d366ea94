"""Links: a game as an address for browsers. See SPEC.md, "Links"."""

import re
from typing import Annotated, Literal, Self, TypeAlias
from urllib.parse import unquote_to_bytes

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from ataxxd_protocol.messages import Name, NodeId

# The longest fragment that is read, in characters.
MAX_LINK = 500

_LABELS = r"[a-z0-9_-]+(?:\.[a-z0-9_-]+)*"
_PORT = r"[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
_BROKER = rf"^wss?://(?:{_LABELS}|\[[0-9a-f:.]+\])(?::(?:{_PORT}))?(?:/[A-Za-z0-9._/-]*)?$"
_ESCAPE = re.compile(r"%(?![0-7][0-9A-Fa-f])")
_VERSION = re.compile(r"[1-9][0-9]{0,3}!")

Secret: TypeAlias = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{1,64}$")]
Websocket: TypeAlias = Annotated[str, StringConstraints(pattern=_BROKER, max_length=255)]


class LinkError(ValueError):
    """The text is not a link.

    Attributes:
        reason: ``broken``, or ``version`` for the link of a later version of the program.
    """

    def __init__(self, reason: Literal["broken", "version"]) -> None:
        super().__init__(reason)
        self.reason = reason


class Link(BaseModel):
    """The part of a link after ``#``: a game, its host and its broker's websocket."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    host: NodeId
    secret: Annotated[Secret | None, Field(repr=False)] = None
    broker: Websocket

    @property
    def fragment(self) -> str:
        """The link's fragment: ``NAME~ID~BROKER``, or ``NAME~ID.SECRET~BROKER``."""
        secret = "" if self.secret is None else f".{self.secret}"
        return f"{self.name}~{self.host}{secret}~{self.broker}"

    def at(self, page: str) -> str:
        """The full link to `page`, whose address must have no fragment."""
        return f"{page}#{self.fragment}"

    @classmethod
    def read(cls, fragment: str) -> Self:
        """Read a link's fragment, without its ``#``.

        Raises:
            LinkError: the fragment is broken, or of a later version.
        """
        if len(fragment) > MAX_LINK or not fragment.isascii() or _ESCAPE.search(fragment):
            raise LinkError("broken")
        # Unescape only once: an escaped escape is not an escape.
        text = unquote_to_bytes(fragment).decode("ascii")
        if _VERSION.match(text):
            raise LinkError("version")
        parts = text.split("~")
        if len(parts) < 3:
            raise LinkError("broken")
        name, place, broker = parts[:3]
        host, dot, secret = place.partition(".")
        try:
            return cls(name=name, host=host, secret=secret if dot else None, broker=broker)
        except ValidationError:
            raise LinkError("broken") from None
