"""One session of either implementation behind one face: bytes in, bytes out."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ataxxd.errors import LocalProtocolError
from ataxxd.rules import RulesError
from ataxxd.session.events import Effect, Keep, PublishState, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession, Times
from ataxxd.session.record import dump_record, standing_of, state_parts
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd_protocol import MalformedMessage, SigningKey, decode, encode, signed
from ataxxd_protocol.messages import AnyMessage, Offer, Unread
from tests.conformance.games import AGENT
from tests.interop.browser_peer import PeerProgram


@dataclass(frozen=True)
class Act:
    """What a player's own side does; `text` and `number` are what it needs besides."""

    what: str
    text: str = ""
    number: int = 0


@dataclass
class Said:
    """What a session publishes: in its mailbox, and as the host's state; and what it refuses."""

    out: list[bytes]
    state: list[bytes]
    refused: bool = False


def read(payload: bytes) -> AnyMessage | None:
    try:
        return decode(payload)
    except MalformedMessage:
        return None


class Ours:
    """A player of this program."""

    def __init__(self, offer: Offer, role: Role, key: SigningKey, secret: str, times: int) -> None:
        """`times` is what it says of its times when its game is claimed, in ms."""
        self._role, self._key, self._secret = role, key, secret
        self._kept: list[Keep] = []
        self._times = Times(times, times)
        self.session = PlayerSession(Ledger(offer), role, key, secret)

    @property
    def ledger(self) -> Ledger:
        return self.session.ledger

    def told(self) -> tuple[str, str]:
        return dump_record(self.ledger).decode(), standing_of(self.ledger).value

    def receive(self, payload: bytes) -> Said:
        message = read(payload)
        return self._said([] if message is None else self.session.receive(message, self._timing))

    def repeat(self) -> Said:
        return self._said(self.session.on_connected())

    def restart(self) -> Said:
        ledger = Ledger(self.ledger.offer)
        for kept in self._kept:
            ledger.accept(kept.role, kept.message)
        self.session = PlayerSession(ledger, self._role, self._key, self._secret)
        return self._said(
            [*self.session.complete_pending(self._timing), *self.session.on_connected()]
        )

    def _timing(self, _seen: int, _asked: int) -> Times:
        return self._times

    def state(self) -> list[bytes]:
        if self._role is Role.GUEST:
            return []
        return [encode(signed(part, self._key)) for part in state_parts(self.ledger)]

    def unread(self) -> list[bytes]:
        messages = tuple(self.session.unread)
        if not messages:
            return []
        unread = Unread(game=self.ledger.game, author=self._key.node, messages=messages)
        return [encode(signed(unread, self._key))]

    def act(self, act: Act) -> Said:
        try:
            return self._said(self._acted(act))
        except (LocalProtocolError, RulesError):
            return Said([], [], refused=True)

    def _acted(self, act: Act) -> list[Effect]:
        session = self.session
        match act.what:
            case "join":
                return session.ask_to_join(act.text, AGENT)
            case "play":
                moves = session.ledger.position.legal_moves
                return session.play(moves[act.number % len(moves)], int(act.text))
            case "resign":
                return session.resign()
            case "draw":
                return session.offer_draw()
            case "accept" | "reject":
                return session.answer_draw(accept=act.what == "accept")
            case "takeback" | "abort" as what:
                return session.ask(what)
            case "agree":
                return session.agree()
            case "silence" | "flag":
                return session.claim(act.what, act.number)
            case _:
                return session.say(act.text, act.number)

    def _said(self, effects: Sequence[Effect]) -> Said:
        self._kept += [effect for effect in effects if isinstance(effect, Keep)]
        out = [encode(effect.message) for effect in effects if isinstance(effect, Send)]
        published = any(isinstance(effect, PublishState) for effect in effects)
        return Said(out, self.state() if published else [])


class OurLooker:
    """A spectator of this program."""

    def __init__(self, offer: Offer) -> None:
        self.session = SpectatorSession(Ledger(offer))

    @property
    def ledger(self) -> Ledger:
        return self.session.ledger

    def told(self) -> tuple[str, str]:
        return dump_record(self.ledger).decode(), standing_of(self.ledger).value

    def receive(self, payload: bytes) -> None:
        message = read(payload)
        if message is not None:
            self.session.receive(message)


class Theirs:
    """A player, or without a role a spectator, of the browser's node."""

    def __init__(self, other: PeerProgram, name: str, offer: Offer, **seat: str | int) -> None:
        self._other, self._name = other, name
        ask = "sit" if seat else "watch"
        self.stands = other.ask(ask=ask, id=name, offer=encode(offer).decode(), **seat)["stands"]

    def told(self) -> tuple[str, str]:
        answer = self._other.ask(ask="look", id=self._name)
        return answer["record"], answer["standing"]

    def receive(self, payload: bytes) -> Said:
        try:
            text = payload.decode()
        except UnicodeDecodeError:
            return Said([], [])
        return self._said("receive", payload=text)

    def repeat(self) -> Said:
        return self._said("repeat")

    def restart(self) -> Said:
        return self._said("restart")

    def state(self) -> list[bytes]:
        return self._said("state").state

    def unread(self) -> list[bytes]:
        return self._said("unread").out

    def act(self, act: Act) -> Said:
        return self._said("act", what=act.what, text=act.text, number=act.number, agent=AGENT)

    def _said(self, ask: str, **more: Any) -> Said:
        answer = self._other.ask(ask=ask, id=self._name, **more)
        self.stands = answer["stands"]
        return Said(
            [each.encode() for each in answer["out"]],
            [each.encode() for each in answer["state"]],
            "refused" in answer,
        )
