"""Notes: messages outside the mailboxes, which change no game by themselves."""

from typing import Literal, Self

from pydantic import Field, model_validator

from ataxxd_protocol.fields import (
    Code,
    Digest,
    Line,
    Milliseconds,
    NodeId,
    Nonce,
    Number,
    Ply,
    PublicKey,
    Speech,
)
from ataxxd_protocol.messages.base import Message, SignedMessage


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


class Who(Message):
    """Asks hosts to publish their offers again; unsigned, because it changes nothing."""

    type: Literal["who"] = "who"
