"""Receiving: the one way from bytes on a topic to what a participant believes.

Players, spectators, lobbies, letters and events take the same steps:

1. **Admit.** An `Incoming` is not parsed yet. `Admission` lets in the messages of a game that are
   worth parsing; talk, cards, nicknames, letters and offers have budgets of their own.
2. **Decode.** `Incoming.message` is parsed once, on first use.
3. **Judge.** A session decides whether it fits the game; messages outside of games are judged by
   their signature, or by `ataxxd.session.handshake.check_offer`.
4. **Keep.** `EffectRunner` stores it in a player's journal before anybody learns of it.
5. **Tell.** Events go to the players and spectators here.

Nowhere else are bytes from a broker decoded.

Anyone may publish on a game's topics, so everything that arrives is weighed before it is
parsed. What can be an honest player's next message is always let in, even during a flood, once
its own bytes bear the player's signature; everything else (repetitions, requests, strangers) is
charged to budgets that no honest node uses up. While a player's budget is used up, only what can
be its next message, or the one after that, is queued at all.
"""

import time
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias, TypeVar

from ataxxd.session.events import Effect, Keep, Send
from ataxxd.session.state import GameState, Phase
from ataxxd.transport.base import (
    Connected,
    Disconnected,
    Received,
    Refused,
    Transport,
    TransportEvent,
)
from ataxxd_protocol import TOPICS, MalformedMessage, decode, encode, may_be_signed, node_id
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
    Join,
    LogMessage,
    Nickname,
    Offer,
    Recall,
    Reject,
    Statement,
    StatePart,
    Status,
    Sync,
    Talk,
    Unread,
    Who,
)
from ataxxd_protocol.topics import Address


def log_topics(offer: Offer) -> tuple[str, ...]:
    """The topics that a spectator of a game reads: mailboxes, state and statements."""
    state = TOPICS.state(offer.name, offer.host)
    said = statement_topics(offer)
    return TOPICS.out(offer.name, offer.host, "+"), state, f"{state}/+", *said


def statement_topics(offer: Offer) -> tuple[str, ...]:
    """The topics of the statements of a game's witnesses.

    They are exact: some brokers deliver no retained messages to wildcards.
    """
    return tuple(
        TOPICS.statement(offer.name, offer.host, witness) for witness in offer.witnesses or ()
    )


class Incoming:
    """A message as it arrived on a topic; parsed on first use.

    Attributes:
        address: the topic.
        payload: the bytes; empty if the topic was cleared.
        retained: whether the broker had retained it.
    """

    __slots__ = ("_message", "address", "payload", "retained")

    def __init__(self, address: Address, payload: bytes, *, retained: bool = False) -> None:
        """Wrap a message, unparsed."""
        self.address = address
        self.payload = payload
        self.retained = retained
        self._message: AnyMessage | bytes | None = payload

    @property
    def message(self) -> AnyMessage | None:
        """The message, its signature unchecked; None if it must be ignored here."""
        if isinstance(self._message, bytes):
            self._message = _message_at(self.address, self._message)
        return self._message


ReceiverEvent: TypeAlias = Incoming | Connected | Disconnected | Refused
"""What a participant receives."""


class Receiver:
    """A transport's messages, for its only consumer; ends when the transport is closed."""

    def __init__(self, transport: Transport) -> None:
        """Receive messages on the protocol's topics; others are ignored."""
        self._events: AsyncIterator[TransportEvent] = aiter(transport)

    def __aiter__(self) -> Self:
        """One event after the other."""
        return self

    async def __anext__(self) -> ReceiverEvent:
        """The next one."""
        while True:
            event = await anext(self._events)
            if not isinstance(event, Received):
                return event
            address = TOPICS.parse(event.topic)
            if address is not None:
                return Incoming(address, event.payload, retained=event.retained)


def describe_connection(event: Connected | Disconnected | Refused) -> str:
    """A change of the connection in words; empty for the first connection."""
    match event:
        case Connected(epoch):
            return "connected again" if epoch > 1 else ""
        case Disconnected(reason):
            return f"connection lost ({reason}); trying again"
        case Refused(reason):
            return reason


def _message_at(address: Address, payload: bytes) -> AnyMessage | None:
    try:
        message = decode(payload)
    except MalformedMessage:
        return None
    return message if _belongs(address, message) else None


def _belongs(address: Address, message: AnyMessage) -> bool:
    """Whether a message is of a type that its topic carries, and by the topic's owner."""
    match address.kind, message:
        case "out" | "state" | "status", Recall():
            return True  # anybody may bring it: the message inside bears our own signature
        case (
            "out" | "state" | "status",
            LogMessage() | Consent() | Chat() | Sync() | Reject() | StatePart() | Status(),
        ):
            return message.author == address.writer
        case "unread", Sync():
            return message.author == address.writer
        case kind, Talk() | Card() | Nickname() | Statement() | Unread():
            return message.type == kind and message.author == address.writer
        case "post", Challenge() | Decline() | Analysis():
            return message.author == address.writer and message.to == address.to
        case kind, Challenge() | Decline() if kind == message.type:
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


Clock = Callable[[], float]

# A question has one spelling, so anything else on its topic costs only a comparison. The answer is
# published once a second at most, for all who ask, so questions need no budget.
WHO_PAYLOAD = encode(Who())

# Seconds within which the same bytes by the same writer are read only once.
ECHO_S = 1.0
# How many strangers, and how many payloads, are remembered.
_MAX_STRANGERS, _MAX_ECHOES = 512, 1024


@dataclass(frozen=True, slots=True)
class Rate:
    """A budget: `burst` at once, and `per_s` a second in the long run."""

    burst: int
    per_s: float


# A player's messages besides its next one: repetitions, requests, and messages that come too early.
# An honest player repeats itself when it connects and after seconds of silence.
PLAYER = Rate(256, 64)
STATUS = Rate(32, 4)
# A witness makes one statement on each claim, and a game has seven witnesses at most.
STATEMENT = Rate(32, 1)
# Parts of the state are the largest messages, and expensive to parse. A spectator may need all of
# them at once, a thousand at most; a player only the newest.
STATE, STATE_FOR_PLAYERS = Rate(1024, 16), Rate(64, 16)
# One joiner, which asks once per connection and after seconds of silence; and all joiners together.
STRANGER, STRANGERS = Rate(8, 1), Rate(256, 64)
# While a host waits for a guest, joins matter most to it. Somebody who copies an honest guest's
# join, except for the signature, must not use up that guest's budget.
JOINS = Rate(2048, 2048)
# Messages repeated because somebody asked. A sync is answered by 64 at most.
ANSWERS = Rate(1024, 128)


_RATES = {
    "status": STATUS,
    "statement": STATEMENT,
    "strangers": STRANGERS,
    "joins": JOINS,
    "answers": ANSWERS,
    "host": PLAYER,
    "guest": PLAYER,
}


def may_concern_every_game(topic: str, payload: bytes) -> bool:
    """Whether a message on a topic shared by many games of a node is worth passing to them."""
    address = TOPICS.parse(topic)
    return address is None or address.kind != "who" or payload == WHO_PAYLOAD


def _is_numbered(payload: bytes, number: int) -> bool:
    return b'"n":%d,' % number in payload


class TokenBucket:
    """A token bucket."""

    __slots__ = ("_clock", "_rate", "_since", "_tokens")

    def __init__(self, rate: Rate, clock: Clock) -> None:
        """Create a full bucket."""
        self._rate = rate
        self._clock = clock
        self._tokens = float(rate.burst)
        self._since = clock()

    @property
    def is_empty(self) -> bool:
        """Whether it holds no token now."""
        self._fill()
        return self._tokens < 1

    def take(self) -> bool:
        """Take a token; returns False if there is none."""
        if self.is_empty:
            return False
        self._tokens -= 1
        return True

    def _fill(self) -> None:
        now = self._clock()
        self._tokens = min(self._rate.burst, self._tokens + (now - self._since) * self._rate.per_s)
        self._since = now


KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Recent(OrderedDict[KeyT, ValueT]):
    """A mapping that keeps only its newest entries, as anybody can make up any number of keys."""

    __slots__ = ("_max_size",)

    def __init__(self, max_size: int) -> None:
        """Create an empty one."""
        super().__init__()
        self._max_size = max_size

    def put(self, key: KeyT, value: ValueT) -> ValueT:
        """Add or replace an entry, which is the newest then; returns `value`."""
        self[key] = value
        self.move_to_end(key)
        if len(self) > self._max_size:
            self.popitem(last=False)
        return value


class Buckets(Recent[str, TokenBucket]):
    """A token bucket for each of the most recent senders."""

    def __init__(self, max_size: int, clock: Clock) -> None:
        """Create an empty one."""
        super().__init__(max_size)
        self._clock = clock

    def take(self, who: str, rate: Rate) -> bool:
        """Take one of a sender's tokens; returns False if there is none."""
        return self.put(who, self.get(who) or TokenBucket(rate, self._clock)).take()


class Admission:
    """Admission control of one game, for a player or a spectator.

    Attributes:
        refused: how many messages were dropped unread.
        unanswered: how many repetitions and notes were not sent.
    """

    def __init__(
        self, game: Callable[[], GameState], clock: Clock = time.monotonic, state: Rate = STATE
    ) -> None:
        """Admit messages to the game that `game` returns.

        Args:
            game: returns the present state of the game.
            clock: a monotonic clock, in seconds.
            state: the budget for parts of the retained state.
        """
        self.refused = 0
        self.unanswered = 0
        self._game = game
        self._clock = clock
        self._game_mark = f'"game":"{game().game}"'.encode()
        self._state = state
        self._shared: dict[str, TokenBucket] = {}
        self._strangers: Buckets | None = None
        self._echoes: Recent[int, float] = Recent(_MAX_ECHOES)

    def _take(self, kind: str) -> bool:
        """Take a token of a kind's budget; returns False if there is none."""
        return self._bucket(kind).take()

    def _bucket(self, kind: str) -> TokenBucket:
        """The budget of a kind; it is made when it is first needed."""
        bucket = self._shared.get(kind)
        if bucket is None:
            rate = self._state if kind == "state" else _RATES[kind]
            bucket = self._shared[kind] = TokenBucket(rate, self._clock)
        return bucket

    def admits(self, incoming: Incoming) -> bool:
        """Whether a message is worth parsing; takes a few microseconds in any flood."""
        admitted = self._admits(incoming)
        self.refused += not admitted
        return admitted

    def may_be_of_game(self, payload: bytes) -> bool:
        """Whether a message other than a question can be a signed one of this game; cheap."""
        # The canonical form has one spelling, so it is enough to look for these bytes.
        return self._game_mark in payload and b'"sig":"' in payload

    def may_be_read(self, writer: str, payload: bytes) -> bool:
        """Whether a message in a player's mailbox would be admitted now; cheap.

        Ask this before queueing it. Its predecessor may still be in the queue, so the message after
        the next one would be admitted, too.
        """
        role = self._game().role_of(writer)
        if role is None or not self.may_be_of_game(payload):
            return False
        if not self._bucket(role.value).is_empty:
            return True
        number = len(self._game().log(role))
        return _is_numbered(payload, number + 1) or self._is_next(writer, payload)

    def read(self, incoming: Incoming) -> AnyMessage | None:
        """The message of this game in `incoming`; None if it is none, or was not admitted."""
        return incoming.message if self.admits(incoming) else None

    def affordable(self, effects: Sequence[Effect], *, congested: bool = False) -> list[Effect]:
        """The effects to carry out: our new messages always, others within the budget.

        Otherwise anybody who replays an old request could have our mailbox repeated without end.
        What is left out will be asked for again. While the connection is congested, everything but
        new messages is left out, so that our next move does not queue behind it.
        """
        new = {id(effect.message) for effect in effects if isinstance(effect, Keep)}
        carried: list[Effect] = []
        for effect in effects:
            repeated = isinstance(effect, Send) and id(effect.message) not in new
            if repeated and (congested or not self._take("answers")):
                self.unanswered += 1
            else:
                carried.append(effect)
        return carried

    def _admits(self, incoming: Incoming) -> bool:
        address, payload = incoming.address, incoming.payload
        if address.kind == "who":
            return payload == WHO_PAYLOAD
        if not self.may_be_of_game(payload):
            return False
        if address.kind == "state":
            return self._take("state")
        if address.kind == "statement":
            named = self._game().offer.witnesses or ()
            return address.writer in named and self._take("statement")
        if address.writer is None or address.kind not in ("out", "unread", "status"):
            return False
        role = self._game().role_of(address.writer)
        if self._is_echo(address.writer, payload):
            return False
        if address.kind == "status":
            return role is not None and self._take("status")
        if role is None:
            admitted = self._admits_stranger(address.writer, incoming)
            if not admitted:
                # It was not read, so it may come again.
                self._echoes.pop(hash((address.writer, payload)), None)
            return admitted
        if self._is_next(address.writer, payload):
            key = self._game().key_of(role)
            return key is None or may_be_signed(payload, key)
        return self._take(role.value)

    def _admits_stranger(self, writer: str, incoming: Incoming) -> bool:
        # An invalid message costs us a parse, but uses up no budget of others.
        if f'"from":"{writer}"'.encode() not in incoming.payload:
            return False
        seat_is_free = self._game().phase is Phase.OPEN
        if not seat_is_free and self._bucket("strangers").is_empty:
            return False
        message = incoming.message
        if message is None:
            return False
        asks = message.messages[0] if isinstance(message, Unread) else message
        if isinstance(asks, Join):
            if node_id(asks.key) != writer:
                return False
            if seat_is_free:
                return self._take("joins")
        if self._strangers is None:
            self._strangers = Buckets(_MAX_STRANGERS, self._clock)
        return self._strangers.take(writer, STRANGER) and self._take("strangers")

    def _is_next(self, writer: str, payload: bytes) -> bool:
        game = self._game()
        role = game.role_of(writer)
        if role is None:
            return False
        numbered = _is_numbered(payload, len(game.log(role)))
        return numbered and f'"prev":"{game.head(role)}"'.encode() in payload

    def _is_echo(self, writer: str, payload: bytes) -> bool:
        now, key = self._clock(), hash((writer, payload))
        # Drop those that are too old to matter, so that a quiet game remembers almost none.
        while self._echoes and now - next(iter(self._echoes.values())) >= ECHO_S:
            self._echoes.popitem(last=False)
        if key in self._echoes:
            return True
        self._echoes.put(key, now)
        return False
