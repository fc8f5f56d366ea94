"""Games with fixed keys for tests and vectors: offers, players joined in memory, random play.

Deterministic: keys come from short seeds, choices from the caller's.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

from ataxxd.rules import Position
from ataxxd.session.events import Effect, Keep, Send
from ataxxd.session.handshake import make_commitment
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Role
from ataxxd_protocol import (
    PROTOCOL_VERSION,
    SigningKey,
    decode,
    encode,
    position_digest,
    signed,
)
from ataxxd_protocol.messages import AnyLogMessage, AnyMessage, LogMessage, Offer, SignedMessage
from tools.schemas import MODELS

RULESET = "ataxx/cs61b-2022"
HOST_KEY = SigningKey(bytes([1]) * 32)
GUEST_KEY = SigningKey(bytes([2]) * 32)
OTHER_KEY = SigningKey(bytes([3]) * 32)
WITNESS_KEYS = [SigningKey(bytes([number]) * 32) for number in (4, 5, 6)]
KEYS = {Role.HOST: HOST_KEY, Role.GUEST: GUEST_KEY}
SECRET = "5ec2e7" + "0" * 26
NONCE = "0a" * 16
AGENT = "ataxxd-tests/1"

# Positions in which a game is soon over, whatever is played.
ONE_MOVE_LEFT = "xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/oooooo1 x 0 1"
SHORT_ENDGAME = "xxxxxxx/xxxxxx1/xxxxxxx/xxx1xxx/ooooooo/o1ooooo/oooooo1 x 0 1"

MessageT = TypeVar("MessageT", bound=SignedMessage)


_version = [PROTOCOL_VERSION]


@contextmanager
def of_version(version: str) -> Iterator[None]:
    """Make what follows by another version of the protocol than today's."""
    _version.append(version)
    try:
        yield
    finally:
        _version.pop()


def version() -> str:
    """The version of what is made now."""
    return _version[-1]


def make_offer(key: SigningKey = HOST_KEY, /, **changes: Any) -> Offer:
    """A signed offer by the host; `changes` are fields that differ from the usual ones."""
    ruleset = changes.get("ruleset", RULESET)
    start = changes.get("start", Position.start(RULESET).text)
    fields: dict[str, Any] = {
        "v": version(),
        "name": "ourgame",
        "host": key.node,
        "key": key.public_key,
        "ruleset": ruleset,
        "start": start,
        "start_hash": position_digest(ruleset, start),
        "color": "first",
        "commit": make_commitment(SECRET),
        "agent": AGENT,
        "created_ms": 1_700_000_000_000,
        "expires_ms": 1_700_000_600_000,
    }
    return signed(Offer.model_validate(fields | changes), key)


def forge(message: MessageT, key: SigningKey, /, **changes: Any) -> MessageT:
    """`message` with other fields, named as on the wire, signed anew by `key`."""
    fields = message.fields() | changes
    fields.pop("sig", None)
    fields = {name: value for name, value in fields.items() if value is not None}
    return signed(type(message).model_validate(fields), key)


def sends(effects: Iterable[Effect]) -> list[AnyMessage]:
    """The messages that effects publish, as they come out of the codec at the other end."""
    return [decode(encode(effect.message)) for effect in effects if isinstance(effect, Send)]


def of_kind(effects: Iterable[Effect], kind: type[Any]) -> list[Any]:
    """The effects of one kind."""
    return [effect for effect in effects if isinstance(effect, kind)]


@dataclass
class Pair:
    """A host and a guest, and everything they have said, in order.

    Attributes:
        offer: the game.
        players: both sessions by role.
        wire: every message published so far.
        effects: every effect of each player so far.
    """

    offer: Offer
    players: dict[Role, PlayerSession]
    wire: list[AnyMessage] = field(default_factory=list)
    effects: dict[Role, list[Effect]] = field(
        default_factory=lambda: {Role.HOST: [], Role.GUEST: []}
    )

    @classmethod
    def make(cls, **changes: Any) -> Self:
        """Both players before the join; `changes` as for `make_offer`."""
        offer = make_offer(**changes)
        host = PlayerSession(Ledger(offer), Role.HOST, HOST_KEY, SECRET)
        guest = PlayerSession(Ledger(offer), Role.GUEST, GUEST_KEY)
        return cls(offer, {Role.HOST: host, Role.GUEST: guest})

    @classmethod
    def started(cls, **changes: Any) -> Self:
        """Both players after the start."""
        pair = cls.make(**changes)
        pair.carry(Role.GUEST, pair.guest.ask_to_join(NONCE, AGENT))
        assert pair.host.ledger.on_turn is not None
        return pair

    @property
    def host(self) -> PlayerSession:
        """The host's session."""
        return self.players[Role.HOST]

    @property
    def guest(self) -> PlayerSession:
        """The guest's session."""
        return self.players[Role.GUEST]

    def carry(self, role: Role, effects: Sequence[Effect]) -> None:
        """Deliver what a player's effects publish to the other one, and the answers, till quiet."""
        pending = [(role, list(effects))]
        while pending:
            sender, batch = pending.pop(0)
            self.effects[sender] += batch
            for message in sends(batch):
                self.wire.append(message)
                pending.append((sender.other, self.players[sender.other].receive(message)))

    def play(self, *moves: str) -> None:
        """Make moves, each by the player on turn."""
        for text in moves:
            role = self.host.ledger.on_turn
            assert role is not None
            move = self.host.ledger.position.parse_move(text)
            self.carry(role, self.players[role].play(move, 1000))

    def play_out(self, choices: Iterable[int] = ()) -> None:
        """Play to the end: at each turn the legal move that the next choice points at."""
        rest = iter(choices)
        while (role := self.host.ledger.on_turn) is not None:
            moves = self.host.ledger.position.legal_moves
            move = moves[next(rest, 0) % len(moves)]
            self.carry(role, self.players[role].play(move, 1000))


def restored(session: PlayerSession, kept: Iterable[Keep]) -> PlayerSession:
    """The session as a restart makes it from what was kept."""
    ledger = Ledger(session.ledger.offer)
    for effect in kept:
        ledger.accept(effect.role, effect.message)
    return PlayerSession(ledger, session.role, session._key, session._secret)


def craft(ledger: Ledger, role: Role, kind: str, /, **fields: Any) -> AnyLogMessage:
    """What a player with a program of its own might write next: any fields, truly signed.

    Fields not given are what the ledger expects; names as on the wire.
    """
    predicted = ledger.predict(role, kind, fields.get("move"))
    model = MODELS[kind]
    message = model.model_validate(predicted | fields)
    assert isinstance(message, LogMessage)
    return signed(message, KEYS[role])  # type: ignore[return-value] # kinds are log messages
