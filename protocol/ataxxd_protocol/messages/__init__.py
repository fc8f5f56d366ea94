"""Every message of the protocol as a frozen, strict pydantic model.

Four families: the host's `Offer`; the numbered, chained log of a mailbox (`LogMessage`); the
record, also in retained parts (`Record`, `StatePart`); and notes, which are outside the log and
change no game (`Consent`, `Chat`, `Talk`, `Reject`, `Sync`, `Status`, `Who`). They have the
shape of messages; whether they fit a game is for `ataxxd.session` to say.
"""

from typing import TypeAlias

from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.log import (
    Abort,
    AnyLogMessage,
    Claim,
    Draw,
    DrawAnswer,
    GivenConsent,
    Join,
    LogMessage,
    Move,
    PlainScore,
    Proof,
    Resign,
    Score,
    Start,
    Takeback,
)
from ataxxd_protocol.messages.notes import Chat, Consent, Reject, Status, Sync, Talk, Who
from ataxxd_protocol.messages.offer import Clock, Offer
from ataxxd_protocol.messages.record import Entry, Record, Signatures, StatePart

AnyMessage: TypeAlias = (
    AnyLogMessage | Offer | StatePart | Consent | Chat | Talk | Reject | Sync | Status | Who
)

__all__ = [
    "Abort",
    "AnyLogMessage",
    "AnyMessage",
    "Chat",
    "Claim",
    "Clock",
    "Consent",
    "Draw",
    "DrawAnswer",
    "Entry",
    "GivenConsent",
    "Join",
    "LogMessage",
    "Message",
    "Move",
    "Offer",
    "PlainScore",
    "Proof",
    "Record",
    "Reject",
    "Resign",
    "Score",
    "Signatures",
    "SignedMessage",
    "Start",
    "StatePart",
    "Status",
    "Sync",
    "Takeback",
    "Talk",
    "Who",
]
