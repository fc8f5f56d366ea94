"""What is heard between two players when a game is over.

Who is still there, what is said, and who would like a rematch; `ataxxd.node.series` makes of it
the game that follows.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.node.offers import is_rematch
from ataxxd.node.presence import Absence, Announcer, Listener
from ataxxd.node.receiving import Admission, Incoming, Rate, Receiver, TokenBucket
from ataxxd.session.events import (
    Effect,
    Notice,
    OpponentStays,
    Said,
    Send,
)
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Connected, Transport
from ataxxd_protocol import TOPICS, encode
from ataxxd_protocol.messages import Chat, Offer, Status, Who

# An honest player offers a game, takes it back, and comes and goes a few times.
_OFFERS, _STATUSES = Rate(8, 0.5), Rate(16, 1)
# Who looks on asks whether we are still here.
_QUESTIONS = Rate(4, 1)
# Seconds in which whoever is at the table answers our coming.
_HERE_S = 3.0


@dataclass(frozen=True, slots=True)
class Wanted:
    """The other player offers this game as the next one."""

    offer: Offer


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """The other player does so no longer."""


@dataclass(frozen=True, slots=True)
class Left:
    """The other player has left the table."""


News: TypeAlias = Wanted | Withdrawn | Left | OpponentStays | Notice | Said


class Aftermath:
    """What is heard of the other player when a game is over."""

    def __init__(
        self,
        session: PlayerSession,
        announcer: Announcer,
        transport: Transport,
        presence: Listener,
        admission: Admission,
        tell: Callable[[News], None],
    ) -> None:
        """Listen for the other player of an ended game.

        Args:
            session: the game.
            announcer: what we say of our presence.
            transport: how to hear; it leaves the announcer's will.
            presence: what is known of the other player's connection.
            admission: what of the game's topics is looked at.
            tell: is told the news.
        """
        opponent = session.opponent
        assert opponent is not None  # the game has been played
        self._session = session
        self._opponent = opponent
        self._announcer = announcer
        self._transport = transport
        self._tell = tell
        self._presence = presence
        self._absence = Absence(presence, self._tell_presence)
        self._admission = admission
        self._offers = TokenBucket(_OFFERS, SYSTEM_CLOCK.monotonic)
        self._statuses = TokenBucket(_STATUSES, SYSTEM_CLOCK.monotonic)
        self._questions = TokenBucket(_QUESTIONS, SYSTEM_CLOCK.monotonic)
        self._wanted: Offer | None = None
        self._here = asyncio.Event()
        self._stays = self._silent = False

    @property
    def _ended(self) -> Ledger:
        return self._session.ledger

    async def run(self) -> None:
        """Listen, for ever."""
        game = self._ended.offer
        await self._transport.subscribe(TOPICS.offer(game.name, self._opponent))
        await self._transport.subscribe(TOPICS.status(game.name, game.host, self._opponent))
        await self._transport.subscribe(TOPICS.out(game.name, game.host, self._opponent))
        # What is retained may be missing.
        await self._transport.publish(TOPICS.who(game.name), encode(Who()))
        await self._transport.subscribe(TOPICS.who(game.name))
        if self._presence.away:
            self._here.set()
            if self._presence.has_left:
                # Told in the game or not: it matters for what follows.
                self._presence.told = ""
            self._absence.update()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._wait_for_a_sign(), name="presence")
                async for event in Receiver(self._transport):
                    match event:
                        case Incoming():
                            await self._hear(event)
                        case Connected():
                            await self.announce("online")
                        case _:
                            pass
        finally:
            self._absence.close()

    async def _wait_for_a_sign(self) -> None:
        """Tell of a player who left before we could hear it say so."""
        try:
            async with asyncio.timeout(_HERE_S):
                await self._here.wait()
        except TimeoutError:
            self._silent = True
            self._tell(Notice("your opponent seems to have left"))
            await self._here.wait()
            self._silent = False
            self._tell(Notice("your opponent is at the table"))

    @property
    def deserted(self) -> bool:
        """Whether the other player has left, or seems to."""
        return self._presence.has_left or self._silent

    async def met(self) -> None:
        """Return when the other player is known to hear us, or not to."""
        if not self.deserted:
            await self._here.wait()

    async def say(self, text: str) -> None:
        """Say something to your opponent.

        Raises:
            LocalProtocolError: it has left, or the text cannot be said.
            TransportClosed: we listen no more.
        """
        if self.deserted:
            raise LocalProtocolError(
                "chat/unheard", "Your opponent has left, so nobody would hear you."
            )
        await self._publish(self._session.say(text, SYSTEM_CLOCK.now_ms()))

    async def _publish(self, effects: Sequence[Effect]) -> None:
        game = self._ended.offer
        topic = TOPICS.out(game.name, game.host, self._announcer.key.node)
        for effect in effects:
            if isinstance(effect, Send):
                await self._transport.publish(topic, encode(effect.message))

    async def announce(self, state: str) -> None:
        """Say that we are at the table (``online``), or have left it (``left``)."""
        await self._transport.publish(self._announcer.topic, self._announcer.status(state))

    async def _hear(self, incoming: Incoming) -> None:
        kind = incoming.address.kind
        if kind == "who":
            if self._questions.take():
                await self.announce("online")
            return
        if kind == "out":
            self._on_chat(incoming)
            return
        if kind == "offer" and not incoming.payload:
            if self._wanted is not None:
                self._wanted = None
                self._tell(Withdrawn())
            return
        if not (self._offers if kind == "offer" else self._statuses).take():
            return
        match incoming.message:
            case Offer() as offer:
                self._on_offer(offer)
            case Status() as status:
                await self._on_status(status, retained=incoming.retained)

    def _on_offer(self, offer: Offer) -> None:
        us = self._announcer.key.node
        if offer == self._wanted or offer.host != self._opponent:
            return
        if offer.expires_ms <= SYSTEM_CLOCK.now_ms() or not is_rematch(offer, self._ended, us):
            return
        try:
            check_offer(offer)
        except RemoteProtocolError:
            return
        self._wanted = offer
        self._tell(Wanted(offer))

    def _on_chat(self, incoming: Incoming) -> None:
        message = self._admission.read(incoming)
        if isinstance(message, Chat):
            for effect in self._session.receive(message):
                if isinstance(effect, Said):
                    self._tell(effect)

    async def _on_status(self, status: Status, *, retained: bool) -> None:
        ours = status.game == self._ended.game and status.author == self._opponent
        if not ours or self._presence.is_old(status) or not self._session.vouches(status):
            return
        # Also when it is no news: the game before may have heard of it.
        self._here.set()
        is_news = self._presence.news(status)
        # What the broker kept is of the game: whoever is about to leave was online, too.
        if status.state == "online" and not retained and not self._stays:
            self._stays = True
            self._tell(OpponentStays())
        if not is_news:
            return
        self._absence.update()
        if status.state == "online":
            # Whoever has just come has not heard us.
            await self.announce("online")
            await self._publish(self._session.repeated_talk())

    def _tell_presence(self, away: str) -> bool:
        if self._presence.has_left:
            self._tell(Left())
        else:
            self._tell(Notice(f"your opponent {away or 'is back'}"))
        return True
