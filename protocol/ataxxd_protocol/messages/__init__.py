"""Every message of the protocol as a frozen, strict pydantic model.

Six families: the host's `Offer`; the numbered, chained log of a mailbox (`LogMessage`); the
record, also in retained parts (`Record`, `StatePart`); notes, which are outside the log and
change no game (`Consent`, `Chat`, `Talk`, `Reject`, `Sync`, `Recall`, `Unread`, `Status`,
`Statement`, `Who`); what nodes say of themselves and to each other before a game (`Card`,
`Nickname`, `Challenge`, `Decline`, `CallClaim`, `Analyse`, `Analysis`); and what the host of an
event signs (`EventPlan`, `EventRound`). In files alone there are the lines of a club's log
(`LogEntry`, `LogHead`, `LogProof`). They have the shape of messages; whether they fit a game is for
`ataxxd.session` to say, whether they fit an event for `ataxxd.tournament`.
"""

from typing import TypeAlias

from ataxxd_protocol.messages.base import Message, SignedMessage
from ataxxd_protocol.messages.event import (
    MOST_PLAYERS,
    Admission,
    Announcement,
    AnyLogEntry,
    AnyLogLine,
    DrawnRound,
    EventPlan,
    EventRound,
    GameResult,
    LogEntry,
    LogHead,
    LogProof,
    Pairing,
    PlannedEvent,
    Removal,
    Result,
)
from ataxxd_protocol.messages.game import (
    MOST_UNREAD,
    MOST_WITNESSES,
    Abort,
    AnyLogMessage,
    Chat,
    Claim,
    Clock,
    Consent,
    Draw,
    DrawAnswer,
    Entry,
    GivenConsent,
    Join,
    LogMessage,
    Move,
    Offer,
    PlainScore,
    Proof,
    Recall,
    Record,
    Reject,
    Resign,
    Score,
    Signatures,
    Start,
    Statement,
    StatePart,
    Status,
    Sync,
    Takeback,
    Talk,
    Unread,
    Who,
)
from ataxxd_protocol.messages.post import (
    Analyse,
    Analysis,
    CallClaim,
    Card,
    Challenge,
    Decline,
    Introduced,
    Nickname,
)

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

__all__ = [
    "MOST_PLAYERS",
    "MOST_UNREAD",
    "MOST_WITNESSES",
    "Abort",
    "Admission",
    "Analyse",
    "Analysis",
    "Announcement",
    "AnyLetter",
    "AnyLogEntry",
    "AnyLogLine",
    "AnyLogMessage",
    "AnyMessage",
    "CallClaim",
    "Card",
    "Challenge",
    "Chat",
    "Claim",
    "Clock",
    "Consent",
    "Decline",
    "Draw",
    "DrawAnswer",
    "DrawnRound",
    "Entry",
    "EventPlan",
    "EventRound",
    "GameResult",
    "GivenConsent",
    "Introduced",
    "Join",
    "LogEntry",
    "LogHead",
    "LogMessage",
    "LogProof",
    "Message",
    "Move",
    "Nickname",
    "Offer",
    "Pairing",
    "PlainScore",
    "PlannedEvent",
    "Proof",
    "Recall",
    "Record",
    "Reject",
    "Removal",
    "Resign",
    "Result",
    "Score",
    "Signatures",
    "SignedMessage",
    "Start",
    "StatePart",
    "Statement",
    "Status",
    "Sync",
    "Takeback",
    "Talk",
    "Unread",
    "Who",
]
