"""Receiving: the one way from bytes on a topic to what a participant believes.

Players, spectators, lobbies, letters and events take the same steps:

1. **Admit.** An `Incoming` is not parsed yet. `ataxxd.node.admission` lets in what of a game is
   worth parsing; talk, cards, nicknames, letters and offers have budgets of their own.
2. **Decode.** `Incoming.message` is parsed when it is first asked for, and once.
3. **Judge.** A session says whether it fits the game; what belongs to no game is judged by its
   signature, or by `ataxxd.session.handshake.check_offer`.
4. **Keep.** A player's journal has it before anybody learns of it: `EffectRunner`.
5. **Tell.** Events go to whoever plays or looks on.

Nowhere else are bytes from a broker decoded.
"""

from collections.abc import AsyncIterator
from typing import Self, TypeAlias

from ataxxd.transport.base import (
    Connected,
    Disconnected,
    Received,
    Refused,
    Transport,
    TransportEvent,
)
from ataxxd_protocol import MalformedMessage, Topics, decode
from ataxxd_protocol.messages import (
    Analyse,
    Analysis,
    AnyMessage,
    CallClaim,
    Card,
    Challenge,
    Chat,
    Consent,
    Decline,
    EventPlan,
    EventRound,
    LogMessage,
    Nickname,
    Offer,
    Recall,
    Reject,
    StatePart,
    Status,
    Sync,
    Talk,
    Who,
)
from ataxxd_protocol.topics import Address


class Incoming:
    """What came on a topic.

    Attributes:
        address: the topic.
        payload: the bytes; empty where somebody has cleared the topic.
        retained: whether the broker had kept it.
    """

    __slots__ = ("_message", "address", "payload", "retained")

    def __init__(self, address: Address, payload: bytes, *, retained: bool = False) -> None:
        """Not looked at yet."""
        self.address = address
        self.payload = payload
        self.retained = retained
        self._message: AnyMessage | bytes | None = payload

    @property
    def message(self) -> AnyMessage | None:
        """The message, its signature not yet checked; None for one that must be ignored here."""
        if isinstance(self._message, bytes):
            self._message = _message_at(self.address, self._message)
        return self._message


ReceiverEvent: TypeAlias = Incoming | Connected | Disconnected | Refused
"""What a participant receives."""


class Receiver:
    """What a transport hands over, for its one consumer; ends when it is closed."""

    def __init__(self, transport: Transport, topics: Topics) -> None:
        """Receive what comes on `topics`; all other topics are ignored."""
        self._events: AsyncIterator[TransportEvent] = aiter(transport)
        self._topics = topics

    def __aiter__(self) -> Self:
        """One event after the other."""
        return self

    async def __anext__(self) -> ReceiverEvent:
        """The next one."""
        while True:
            event = await anext(self._events)
            if not isinstance(event, Received):
                return event
            address = self._topics.parse(event.topic)
            if address is not None:
                return Incoming(address, event.payload, retained=event.retained)


def _message_at(address: Address, payload: bytes) -> AnyMessage | None:
    try:
        message = decode(payload)
    except MalformedMessage:
        return None
    return message if _belongs(address, message) else None


def _belongs(address: Address, message: AnyMessage) -> bool:
    """Whether a message is of a kind that its topic has, and of whom the topic belongs to."""
    match address.kind, message:
        case "out" | "state" | "status", Recall():
            return True  # whoever brings it: our own signature is inside
        case (
            "out" | "state" | "status",
            LogMessage() | Consent() | Chat() | Sync() | Reject() | StatePart() | Status(),
        ):
            return message.author == address.writer
        case kind, Talk() | Card() | Nickname():
            return message.type == kind and message.author == address.writer
        case "post", Challenge() | Decline() | Analysis():
            return message.author == address.writer and message.to == address.to
        case "call", Challenge() | Analyse() | CallClaim():
            return message.author == address.writer and message.group == address.name
        case "offer", Offer():
            return (message.name, message.host) == (address.name, address.host)
        case "event", EventPlan():
            place = (message.name, message.host, 0)
            return place == (address.name, address.host, address.part)
        case "event", EventRound():
            return message.number == address.part
        case "who", Who():
            return True
        case _:
            return False
