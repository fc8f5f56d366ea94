"""A player in the test's own process, on the project's own session and wire, that may cheat.

Until it is told to break a rule it plays by all of them, so that the other side has every
reason to go on.
"""

import secrets
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

from ataxxd.session.events import Effect, PublishState, Send
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession, Times
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import MalformedMessage, SigningKey, Topics, decode, encode, signed
from ataxxd_protocol.messages import (
    AnyMessage,
    Join,
    LogMessage,
    Move,
    Offer,
    Reject,
    Score,
    SignedMessage,
    Sync,
)
from tests.conformance.games import AGENT, NONCE, SECRET, make_offer
from tools.schemas import MODELS

TOPICS = Topics()


class Rogue:
    """One seat in one game.

    Attributes:
        session: the game as this player has it.
        heard: what the opponent published so far.
    """

    def __init__(self, transport: MqttTransport, session: PlayerSession, key: SigningKey) -> None:
        self.session = session
        self.lies_about_the_score = False
        self.times: Times | None = None
        self.heard: list[AnyMessage] = []
        self.key = key
        self._transport = transport
        self._offer = session.ledger.offer

    @property
    def on_turn(self) -> bool:
        """Whether this player is to move."""
        return self.session.ledger.on_turn is self.session.role

    async def until(self, holds: Callable[[], bool]) -> None:
        """Play by the protocol, but make no move, until `holds`."""
        while not holds():
            event = await anext(aiter(self._transport))
            if isinstance(event, Received):
                await self._hear(event)

    async def publish(self, message: SignedMessage) -> None:
        """Publish anything in this player's own mailbox."""
        topic = TOPICS.out(self._offer.name, self._offer.host, self.key.node)
        await self._transport.publish(topic, encode(message))

    async def carry_out(self, effects: Iterable[Effect]) -> None:
        """Publish what the session wants said."""
        for effect in effects:
            match effect:
                case Send(message):
                    await self.publish(message)
                case PublishState():
                    await self._publish_state()
                case _:
                    pass

    async def move(self, choice: int = 0) -> None:
        """Make a legal move by the protocol."""
        move = tuple(self.session.ledger.position.legal_moves)[choice]
        await self.carry_out(self.session.play(move, 1))

    async def cheat(self, **changes: Any) -> None:
        """Sign and publish a move with other fields than an honest one, and stand by it."""
        move = next(iter(self.session.ledger.position.legal_moves)).text
        fields = self.session.ledger.predict(self.session.role, "move", move)
        message = signed(
            Move.model_validate(fields | {"move": move, "elapsed_ms": 1} | changes), self.key
        )
        await self.carry_out(self.session._accept(self.session.role, message))

    async def sign(self, kind: str, **fields: Any) -> None:
        """Sign and publish what comes next by our own word, and stand by it."""
        predicted = self.session.ledger.predict(self.session.role, kind)
        message = signed(MODELS[kind].model_validate(predicted | fields), self.key)  # type: ignore[type-var]
        await self.carry_out(self.session._accept(self.session.role, message))  # type: ignore[arg-type]

    async def _publish_state(self) -> None:
        for part in state_parts(self.session.ledger):
            topic = TOPICS.state(self._offer.name, self._offer.host, part.part)
            await self._transport.publish(topic, encode(signed(part, self.key)), retain=True)

    async def _hear(self, event: Received) -> None:
        address = TOPICS.parse(event.topic)
        try:
            message = decode(event.payload)
        except MalformedMessage:
            return
        if address is None or not isinstance(message, LogMessage | Sync | Reject):
            return
        if message.author == address.writer != self.key.node:
            self.heard.append(message)
            if self.lies_about_the_score and isinstance(message, Score):
                self.session.ledger.accept(self.session.role.other, message)
                winner = "1-0" if message.score == "0-1" else "0-1"
                await self.sign("score", score=winner)
                return
            times = self.times
            timing = None if times is None else lambda _seen, _asked: times
            await self.carry_out(self.session.receive(message, timing))


@asynccontextmanager
async def rogue_guest(
    url: str, name: str = "ourgame", key: SigningKey | None = None, /, **join: Any
) -> AsyncIterator[Rogue]:
    """Ask for the seat of a game; `join` are fields of the join that differ from honest ones."""
    key = key or SigningKey(secrets.token_bytes(32))
    async with MqttTransport(url) as transport:
        await transport.subscribe(TOPICS.offer(name, "+"))
        offer: Offer | None = None
        async for event in transport:
            if isinstance(event, Received) and event.payload:
                found = decode(event.payload)
                if isinstance(found, Offer):
                    offer = found
                    break
        assert offer is not None
        await transport.subscribe(TOPICS.out(name, offer.host, offer.host))
        session = PlayerSession(Ledger(offer), Role.GUEST, key)
        rogue = Rogue(transport, session, key)
        effects = session.ask_to_join(NONCE, AGENT)
        if join:
            honest = session.ledger.log(Role.GUEST)[0].fields() | join
            honest.pop("sig")
            await rogue.publish(signed(Join.model_validate(honest), key))
        else:
            await rogue.carry_out(effects)
        yield rogue


@asynccontextmanager
async def rogue_host(url: str, **offer: Any) -> AsyncIterator[Rogue]:
    """Offer a game with the fields `offer`; see `tests.conformance.games.make_offer`."""
    key = SigningKey(secrets.token_bytes(32))
    times = {"created_ms": SYSTEM_CLOCK.now_ms(), "expires_ms": 2**52}
    made = make_offer(key, **(times | offer))
    async with MqttTransport(url) as transport:
        await transport.subscribe(TOPICS.out(made.name, made.host, "+"))
        await transport.publish(TOPICS.offer(made.name, made.host), encode(made), retain=True)
        await transport.drain()
        yield Rogue(transport, PlayerSession(Ledger(made), Role.HOST, key, SECRET), key)


async def publish_offer(url: str, offer: Offer) -> None:
    """Leave an offer on the broker that nobody may be able to play."""
    async with MqttTransport(url) as transport:
        await transport.publish(TOPICS.offer(offer.name, offer.host), encode(offer), retain=True)
        await transport.drain()
