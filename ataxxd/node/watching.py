"""Watching a game: the same codec, the same ledger, nothing of our own on its topics."""

import asyncio
from collections.abc import AsyncIterator, Sequence

from ataxxd.node.doorman import Doorman
from ataxxd.node.events import Named
from ataxxd.node.introducing import Introductions
from ataxxd.node.names import NameBook
from ataxxd.node.presence import Presence
from ataxxd.node.settling import LAST_WORD_GRACE, SCORE_GRACE
from ataxxd.node.talk import Talked, TalkRoom
from ataxxd.session.effects import Closed, Event, Ignored
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.transport.base import Connected, Disconnected, Received, Transport, TransportEvent
from ataxxd_protocol import MalformedMessage, Topics, decode, encode
from ataxxd_protocol.messages import Chat, LogMessage, Offer, StatePart, Who

# Seconds between two requests for the state, so that one spectator cannot busy a host.
_ASK_PAUSE = 2.0


class Watcher:
    """One game as a spectator has it.

    Attributes:
        session: the verified game so far.
        doorman: what of the game's topics is looked at.
        connected: whether there is a connection to the broker now.
        introductions: the nicknames of the players, where they are of interest.
    """

    def __init__(
        self,
        session: SpectatorSession,
        transport: Transport,
        topics: Topics,
        talk: TalkRoom | None = None,
        names: NameBook | None = None,
    ) -> None:
        """Watch the game of `session` over `transport`.

        Args:
            session: the game.
            transport: how to reach it.
            topics: where games are.
            talk: what is said there is heard.
            names: the nicknames known here; it learns those of the players.
        """
        self._talk = talk
        self.introductions = None
        if names is not None:
            us = None if talk is None else talk.speaker
            self.introductions = Introductions(names, transport, topics, us)
        self.session = session
        self._transport = transport
        self._topics = topics
        self._asked = 0.0
        self._next_part = 1
        self.connected = True
        self.doorman = Doorman(lambda: session.ledger, asyncio.get_running_loop().time)

    @property
    def standing(self) -> Standing:
        """How far the game has come."""
        return standing_of(self.session.ledger)

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._transport.url

    @property
    def _grace(self) -> float:
        # Until the scores are in, a claim that crossed the end may still decide otherwise; who
        # was proved to break the rules may never write one.
        return LAST_WORD_GRACE if self.session.ledger.fault is None else SCORE_GRACE

    async def events(self) -> AsyncIterator[Event | Presence | Talked | Named]:
        """What happens from now on, until both scores are in or nothing more is to be expected."""
        if self.introductions is None:
            async for event in self._events():
                yield event
            return
        self.introductions.meet(self.session.ledger.offer.host)
        introducing = asyncio.create_task(self.introductions.run(), name="nicknames")
        try:
            async for event in self._events():
                yield event
        finally:
            introducing.cancel()

    async def _events(self) -> AsyncIterator[Event | Presence | Talked | Named]:
        offer = self.session.ledger.offer
        state = self._topics.state(offer.name, offer.host)
        for pattern in (self._topics.out(offer.name, offer.host, "+"), state, state + "/+"):
            await self._transport.subscribe(pattern)
        if self._talk is not None:
            await self._transport.subscribe(self._talk.pattern)
        # What is retained may be missing, old or somebody's forgery.
        await self._ask()
        stream = aiter(self._transport)
        while self.session.ledger.phase is not Phase.CLOSED:
            over = self.session.ledger.outcome is not None
            try:
                async with asyncio.timeout(
                    self._grace if over else _ASK_PAUSE if self.session.behind else None
                ):
                    event = await anext(stream)
            except TimeoutError:
                if over:
                    return
                await self._ask()
                continue
            except StopAsyncIteration:
                return
            await self._look_for_the_next_part(event)
            match event:
                case Received(topic, payload):
                    for found in self._take(topic, payload):
                        yield found
                    if self.session.behind:
                        await self._ask()
                case Connected(epoch) if epoch > 1:
                    self.connected = True
                    yield Presence("connected again")
                    await self._ask()
                case Disconnected(reason):
                    self.connected = False
                    yield Presence(f"connection lost ({reason}); trying again")
                case _:
                    pass

    def _take(self, topic: str, payload: bytes) -> Sequence[Event | Talked | Named]:
        address = self._topics.parse(topic)
        if address is not None and address.kind == "nickname":
            news = None
            if self.introductions is not None:
                news = self.introductions.hear(address, payload)
            return [] if news is None else [news]
        if address is not None and address.kind == "talk":
            said = None if self._talk is None else self._talk.hear(address, payload)
            if said is not None and self.introductions is not None:
                self.introductions.meet(said.node)
            return [] if said is None else [said]
        if address is None or not self.doorman.admits(address, payload):
            return []
        try:
            message = decode(payload)
        except MalformedMessage:
            return []
        match message:
            case LogMessage() | StatePart() | Chat() if message.author == address.writer:
                effects = self.session.receive(message)
                if self.introductions is not None and self.session.ledger.join is not None:
                    self.introductions.meet(self.session.ledger.join.author)
                return [effect for effect in effects if not isinstance(effect, Ignored)]  # type: ignore[misc]
            case _:
                return []

    async def _look_for_the_next_part(self, event: TransportEvent) -> None:
        # By its exact topic: some brokers (RabbitMQ) keep no retained message for a wildcard,
        # and the host, who would publish it again, may have gone.
        if not isinstance(event, Received) or not event.retained:
            return
        address = self._topics.parse(event.topic)
        if address is not None and address.kind == "state" and address.part == self._next_part - 1:
            offer = self.session.ledger.offer
            state = self._topics.state(offer.name, offer.host, self._next_part)
            await self._transport.subscribe(state)
            self._next_part += 1

    async def _ask(self) -> None:
        now = asyncio.get_running_loop().time()
        if now - self._asked >= _ASK_PAUSE:
            self._asked = now
            offer = self.session.ledger.offer
            await self._transport.publish(self._topics.who(offer.name), encode(Who()))


__all__ = ["Closed", "Offer", "Watcher"]
