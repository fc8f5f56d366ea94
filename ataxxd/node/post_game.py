"""After a game: listens to the opponent's presence, chat and offers of a rematch."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ataxxd.errors import LocalProtocolError, RemoteProtocolError
from ataxxd.node.offers import is_rematch
from ataxxd.node.presence import AbsenceReporter, Announcer, PlayerPresence
from ataxxd.node.receiving import Admission, Incoming, Rate, Receiver, TokenBucket
from ataxxd.session.events import Effect, Notice, OpponentStays, Said, Send
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Connected, Disconnected, Transport
from ataxxd_protocol import TOPICS, encode
from ataxxd_protocol.messages import Chat, Offer, Status, Who

# Budgets: an honest player offers a game, withdraws the offer, and comes and goes a few times.
_OFFERS, _STATUSES = Rate(8, 0.5), Rate(16, 1)
# Budget for spectators' questions whether we are still here.
_QUESTIONS = Rate(4, 1)
# Seconds within which an opponent at the table answers our arrival.
_ARRIVAL_ANSWER_S = 3.0


@dataclass(frozen=True, slots=True)
class NextGameOffered:
    """The opponent offers this game as the next one."""

    offer: Offer


@dataclass(frozen=True, slots=True)
class OfferWithdrawn:
    """The opponent has withdrawn its offer."""


@dataclass(frozen=True, slots=True)
class OpponentLeft:
    """The opponent has left."""


PostGameEvent: TypeAlias = (
    NextGameOffered | OfferWithdrawn | OpponentLeft | OpponentStays | Notice | Said
)


class PostGameListener:
    """Listens to the opponent after the end of a game."""

    def __init__(
        self,
        session: PlayerSession,
        announcer: Announcer,
        transport: Transport,
        presence: PlayerPresence,
        admission: Admission,
        on_event: Callable[[PostGameEvent], None],
    ) -> None:
        """Listen to the opponent of a finished game.

        Args:
            session: the game.
            announcer: announces our presence.
            transport: the connection, made with the announcer's will.
            presence: what is known of the opponent's connection.
            admission: decides which messages on the game's topics are read.
            on_event: called with the news.
        """
        opponent = session.opponent
        assert opponent is not None  # the game has been played
        self._session = session
        self._opponent = opponent
        self._announcer = announcer
        self._transport = transport
        self._on_event = on_event
        self._presence = presence
        self._absence_reporter = AbsenceReporter(presence, self._report_absence)
        self._admission = admission
        self._offers = TokenBucket(_OFFERS, SYSTEM_CLOCK.monotonic)
        self._statuses = TokenBucket(_STATUSES, SYSTEM_CLOCK.monotonic)
        self._questions = TokenBucket(_QUESTIONS, SYSTEM_CLOCK.monotonic)
        self._rematch_offer: Offer | None = None
        self._presence_known = asyncio.Event()
        self._reported_stay = self._seems_gone = False

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    async def run(self) -> None:
        """Listen, for ever."""
        game = self._ledger.offer
        await self._transport.subscribe(TOPICS.offer(game.name, self._opponent))
        await self._transport.subscribe(TOPICS.status(game.name, game.host, self._opponent))
        await self._transport.subscribe(TOPICS.out(game.name, game.host, self._opponent))
        # The retained offer and status may be missing, so ask.
        await self._transport.publish(TOPICS.who(game.name), encode(Who()))
        await self._transport.subscribe(TOPICS.who(game.name))
        if self._presence.absence:
            self._presence_known.set()
            if self._presence.has_left:
                # Report it again, even if the game has: it matters for a rematch.
                self._presence.reported = ""
            self._absence_reporter.update()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._report_silent_departure(), name="presence")
                async for event in Receiver(self._transport):
                    match event:
                        case Incoming():
                            await self._on_incoming(event)
                        case Connected():
                            self._absence_reporter.on_connected()
                            await self.announce("online")
                        case Disconnected():
                            self._absence_reporter.on_disconnected()
                        case _:
                            pass
        finally:
            self._absence_reporter.close()

    async def _report_silent_departure(self) -> None:
        """Report an opponent that left before we could hear it say so."""
        try:
            async with asyncio.timeout(_ARRIVAL_ANSWER_S):
                await self._presence_known.wait()
        except TimeoutError:
            self._seems_gone = True
            self._on_event(Notice("your opponent seems to have left"))
            await self._presence_known.wait()
            self._seems_gone = False
            self._on_event(Notice("your opponent is at the table"))

    @property
    def has_opponent_left(self) -> bool:
        """Whether the opponent has left, or seems to have."""
        return self._presence.has_left or self._seems_gone

    async def wait_for_opponent(self) -> None:
        """Wait until it is known whether the opponent can hear us."""
        if not self.has_opponent_left:
            await self._presence_known.wait()

    async def say(self, text: str) -> None:
        """Send the opponent a line of chat.

        Raises:
            LocalProtocolError: the opponent has left, or the text is not valid.
            TransportClosed: we have stopped listening.
        """
        if self.has_opponent_left:
            raise LocalProtocolError(
                "chat/unheard", "Your opponent has left, so nobody would hear you."
            )
        await self._publish(self._session.say(text, SYSTEM_CLOCK.now_ms()))

    async def _publish(self, effects: Sequence[Effect]) -> None:
        game = self._ledger.offer
        topic = TOPICS.out(game.name, game.host, self._announcer.key.node)
        for effect in effects:
            if isinstance(effect, Send):
                await self._transport.publish(topic, encode(effect.message))

    async def announce(self, state: str) -> None:
        """Announce that we are still present (``online``) or have left (``left``)."""
        await self._announcer.publish(self._transport, state)

    async def _on_incoming(self, incoming: Incoming) -> None:
        kind = incoming.address.kind
        if kind == "who":
            if self._questions.take():
                await self.announce("online")
            return
        if kind == "out":
            self._on_chat(incoming)
            return
        if kind == "offer" and not incoming.payload:
            if self._rematch_offer is not None:
                self._rematch_offer = None
                self._on_event(OfferWithdrawn())
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
        if offer == self._rematch_offer or offer.host != self._opponent:
            return
        if offer.expires_ms <= SYSTEM_CLOCK.now_ms() or not is_rematch(offer, self._ledger, us):
            return
        try:
            check_offer(offer)
        except RemoteProtocolError:
            return
        self._rematch_offer = offer
        self._on_event(NextGameOffered(offer))

    def _on_chat(self, incoming: Incoming) -> None:
        message = self._admission.read(incoming)
        if isinstance(message, Chat):
            for effect in self._session.receive(message):
                if isinstance(effect, Said):
                    self._on_event(effect)

    async def _on_status(self, status: Status, *, retained: bool) -> None:
        ours = status.game == self._ledger.game and status.author == self._opponent
        if (
            not ours
            or self._presence.is_old(status)
            or not self._session.is_signed_by_opponent(status)
        ):
            return
        # Even if it is no news: the runtime of the game may have heard it before.
        self._presence_known.set()
        is_news = self._presence.update(status)
        # A retained status is from the game: a player who is about to leave was online, too.
        if status.state == "online" and not retained and not self._reported_stay:
            self._reported_stay = True
            self._on_event(OpponentStays())
        if not is_news:
            return
        self._absence_reporter.update()
        if status.state == "online":
            # An opponent that has just come has not heard us.
            await self.announce("online")
            await self._publish(self._session.resend_chat())

    def _report_absence(self, away: str) -> bool:
        if self._presence.has_left:
            self._on_event(OpponentLeft())
        else:
            self._on_event(Notice(f"your opponent {away or 'is back'}"))
        return True
