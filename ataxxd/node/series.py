"""The games between two players one after another: running each, and agreeing on the next.

How they are shown is up to `ataxxd.node.network_game`. When a game is over, an `Aftermath` listens
for presence, chat and rematch offers. A player asks for a rematch by offering it, and agrees by
joining. If two offers cross, that of the former host stands (SPEC.md, section 7.6).
"""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from ataxxd.engines.base import Bot
from ataxxd.errors import GameError, LocalProtocolError, RemoteProtocolError, TransportError
from ataxxd.node.concurrency import Backlog, plain_errors, wait_until_done
from ataxxd.node.errors import NobodyCame, NoSuchGame
from ataxxd.node.game_run import GameRun, Place
from ataxxd.node.home import Lock
from ataxxd.node.journal import StoredGame
from ataxxd.node.offers import REMATCH_MS, is_rematch, rematch_offer
from ataxxd.node.presence import Absence, Announcer, Listener
from ataxxd.node.receiving import Admission, Incoming, Rate, Receiver, TokenBucket
from ataxxd.node.runtime import FAREWELL_S, Offered, PlayerRuntime, RuntimeEvent
from ataxxd.node.seats import free_name
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import UNSCHEDULED, Scheduler
from ataxxd.session.events import (
    Effect,
    Notice,
    OpponentStays,
    RematchAsked,
    Said,
    Send,
    TableEvent,
)
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Connected, Transport, TransportClosed
from ataxxd_protocol import TOPICS, encode
from ataxxd_protocol.messages import Chat, Offer, Status, Who

# Budgets: an honest player offers a game, withdraws the offer, and comes and goes a few times.
_OFFERS, _STATUSES = Rate(8, 0.5), Rate(16, 1)
# Budget for spectators' questions whether we are still here.
_QUESTIONS = Rate(4, 1)
# Seconds within which an opponent at the table answers our arrival.
_HERE_S = 3.0


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


News: TypeAlias = NextGameOffered | OfferWithdrawn | OpponentLeft | OpponentStays | Notice | Said


class Aftermath:
    """Listens to the opponent after the end of a game."""

    def __init__(
        self,
        session: PlayerSession,
        announcer: Announcer,
        transport: Transport,
        presence: Listener,
        admission: Admission,
        tell: Callable[[News], None],
    ) -> None:
        """Listen to the opponent of a finished game.

        Args:
            session: the game.
            announcer: announces our presence.
            transport: the connection, made with the announcer's will.
            presence: what is known of the opponent's connection.
            admission: decides which messages on the game's topics are read.
            tell: called with the news.
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
        # The retained offer and status may be missing, so ask.
        await self._transport.publish(TOPICS.who(game.name), encode(Who()))
        await self._transport.subscribe(TOPICS.who(game.name))
        if self._presence.away:
            self._here.set()
            if self._presence.has_left:
                # Report it again, even if the game has: it matters for a rematch.
                self._presence.told = ""
            self._absence.update()
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._report_silent_departure(), name="presence")
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

    async def _report_silent_departure(self) -> None:
        """Report an opponent that left before we could hear it say so."""
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
    def has_opponent_left(self) -> bool:
        """Whether the opponent has left, or seems to have."""
        return self._presence.has_left or self._silent

    async def wait_for_opponent(self) -> None:
        """Wait until it is known whether the opponent can hear us."""
        if not self.has_opponent_left:
            await self._here.wait()

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
        game = self._ended.offer
        topic = TOPICS.out(game.name, game.host, self._announcer.key.node)
        for effect in effects:
            if isinstance(effect, Send):
                await self._transport.publish(topic, encode(effect.message))

    async def announce(self, state: str) -> None:
        """Announce that we are still present (``online``) or have left (``left``)."""
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
                self._tell(OfferWithdrawn())
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
        self._tell(NextGameOffered(offer))

    def _on_chat(self, incoming: Incoming) -> None:
        message = self._admission.read(incoming)
        if isinstance(message, Chat):
            for effect in self._session.receive(message):
                if isinstance(effect, Said):
                    self._tell(effect)

    async def _on_status(self, status: Status, *, retained: bool) -> None:
        ours = status.game == self._ended.game and status.author == self._opponent
        if (
            not ours
            or self._presence.is_old(status)
            or not self._session.is_signed_by_opponent(status)
        ):
            return
        # Even if it is no news: the runtime of the game may have heard it before.
        self._here.set()
        is_news = self._presence.news(status)
        # A retained status is from the game: a player who is about to leave was online, too.
        if status.state == "online" and not retained and not self._stays:
            self._stays = True
            self._tell(OpponentStays())
        if not is_news:
            return
        self._absence.update()
        if status.state == "online":
            # An opponent that has just come has not heard us.
            await self.announce("online")
            await self._publish(self._session.resend_chat())

    def _tell_presence(self, away: str) -> bool:
        if self._presence.has_left:
            self._tell(OpponentLeft())
        else:
            self._tell(Notice(f"your opponent {away or 'is back'}"))
        return True


# Seconds that a guest waits for the next of several games.
_SERIES_S = 60.0


class _OwnEvent(Enum):
    """Events on our side."""

    WISH = "the person asks for a rematch, or agrees to one"
    LEAVES = "the person leaves"
    BEGUN = "the next game has begun"


@dataclass(frozen=True, slots=True)
class _Failed:
    """There will be no next game for now."""

    why: str


_Event: TypeAlias = News | _OwnEvent | _Failed


class SeriesDisplay(Protocol):
    """What a series shows its games in: `ataxxd.node.network_game.NetworkGame`."""

    @property
    def has_begun(self) -> bool:
        """Whether the first game has begun."""
        ...

    def begin(self, runtime: PlayerRuntime) -> None:
        """Show the first game, which has begun."""
        ...

    def go_on(self, runtime: PlayerRuntime) -> None:
        """Show the next game, which has begun."""
        ...

    def tell(self, event: TableEvent) -> None:
        """Report an event from outside the game."""
        ...


def _nobody(_: object) -> None:
    """Ignore it: the game's own events report the same."""


@dataclass(frozen=True, slots=True)
class SeatPlayer:
    """Who plays our seat, and who is told about the game.

    Attributes:
        bot: plays our side; a person does if None.
        stays: a person stays when the game is over, and may ask for a rematch.
        in_event: it is a game of an event, so nobody may ask for a rematch.
        in_series: games follow each other unasked, as many as the settings say.
        scheduler: decides when the bot thinks.
        told: called with the events before the first game begins.
        ended: called with every game that has been played to its end.
    """

    bot: Bot | None = None
    stays: bool = True
    in_event: bool = False
    in_series: bool = False
    scheduler: Scheduler = UNSCHEDULED
    told: Callable[[RuntimeEvent], None] = _nobody
    ended: Callable[[GameRun], None] = _nobody


class Series:
    """A game and all rematches that follow. The caller must hold the lock of the first.

    Attributes:
        current: the game under way, or else the last one.
    """

    def __init__(
        self,
        game: SeriesDisplay,
        place: Place,
        stored: StoredGame,
        ledger: Ledger,
        settings: Settings,
        player: SeatPlayer,
    ) -> None:
        """Take up a game, new or from the journal; `run` does the rest.

        Args:
            game: shows the games.
            place: what the node's games share.
            stored: the game in the journal.
            ledger: the game so far.
            settings: how the seat is played.
            player: who plays; a bot claims games by itself.
        """
        self._game = game
        self._place = place
        self._player = player
        self._stays = player.stays and not player.in_event
        self._events: Backlog[_Event] = Backlog()
        self._locks: list[Lock] = []
        self._leaving = self._finished = False
        self._next: GameRun | None = None
        self._wanted: Offer | None = None
        self._asking = False
        self._between: asyncio.Task[GameRun | None] | None = None
        # The aftermath of the current game; None if there is none.
        self._aftermath: asyncio.Future[Aftermath | None] = asyncio.Future()
        self._tasks: dict[GameRun, asyncio.Task[None]] = {}
        self.current = self._take(stored, ledger, settings)

    async def run(self) -> None:
        """Play the game and those that follow, until none follows or they are left.

        Raises:
            AtaxxdError: as for `GameRun.run`; in a series of games also `NoSuchGame` and
                `NobodyCame` if the opponent does not continue it.
        """
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    await self._play(group)
        finally:
            for lock in self._locks:
                lock.close()
            self._finished = True
            if not self._aftermath.done():
                self._aftermath.set_result(None)
            if self._game.has_begun and self._stays and not self._leaving:
                # The person here may be waiting for another game.
                self._game.tell(Notice("no other game follows at this table"))

    def leave(self) -> None:
        """Leave the game, which can be resumed; a request for a rematch is withdrawn."""
        self._leaving = True
        if self._between is not None:
            self._say_farewell(self._between)
        elif self.current.ledger.outcome is None:
            task, saying = self._tasks[self.current], self.current.connection_task()
            if saying is None:
                task.cancel()
            else:
                saying.add_done_callback(lambda _: task.cancel())

    def _say_farewell(self, between: "asyncio.Task[GameRun | None]") -> None:
        self._events.put_nowait(_OwnEvent.LEAVES)
        asyncio.get_running_loop().call_later(FAREWELL_S, between.cancel)

    # Rematches

    @property
    def possible(self) -> bool:
        """Whether a rematch can be asked for now."""
        ledger = self.current.ledger
        fair = ledger.fault is None and not ledger.false_scores
        return fair and not self._finished and (self._stays or self.expected)

    @property
    def expected(self) -> bool:
        """Whether the next game follows without being asked for."""
        settings = self.current.settings
        return self._player.in_series and not self._finished and settings.game < settings.games

    @property
    def has_opponent_left(self) -> bool:
        """Whether the opponent has left, or seems to have, and so cannot agree to a rematch."""
        if self._aftermath.done() and (aftermath := self._aftermath.result()) is not None:
            return aftermath.has_opponent_left
        return self.current.runtime.presence.has_left

    def ask(self) -> None:
        """Ask for a rematch, or agree to one."""
        self._asking = True
        self._events.put_nowait(_OwnEvent.WISH)

    @property
    def asking(self) -> bool:
        """Whether we have asked for a rematch, or agreed to one, and it may still begin."""
        return self._asking and not self._finished

    async def say(self, text: str) -> None:
        """Send the opponent a line of chat after the game."""
        with suppress(TransportClosed):
            # The game keeps its connection until both players know the result.
            await self.current.runtime.say(text)
            return
        with suppress(TransportClosed):
            if (aftermath := await asyncio.shield(self._aftermath)) is not None:
                await aftermath.say(text)
                return
        raise LocalProtocolError(
            "chat/closed", "The connection of this game is closed, so nobody would hear you."
        )

    # Games

    async def _play(self, group: asyncio.TaskGroup) -> None:
        self._start(group, self.current, first=True)
        if not await self.current.started(self._player.told):
            return
        self._game.begin(self.current.runtime)
        while True:
            task = self._tasks[self.current]
            await wait_until_done(task)
            if task.cancelled() or task.exception() is not None:
                return
            self._player.ended(self.current)
            # A player who does not stay has already announced that it leaves.
            if (self._leaving and not self._stays) or not self.possible:
                return
            if self.current.ledger.phase is not Phase.CLOSED:
                self._game.tell(Notice("your opponent has not confirmed the result"))
                return
            self._between = group.create_task(self._after(group), name="after the game")
            if self._leaving:
                self._say_farewell(self._between)
            await wait_until_done(self._between)
            if self._between.cancelled() or self._between.exception() is not None:
                return
            found = self._between.result()
            self._between = self._next = None
            self._asking = False
            if found is None:
                return
            self.current = found
            self._aftermath = asyncio.Future()
            self._events = Backlog()
            self._game.go_on(found.runtime)

    def _take(self, stored: StoredGame, ledger: Ledger, settings: Settings) -> GameRun:
        stays = self._stays or (self._player.in_series and settings.game < settings.games)
        return GameRun(
            self._place, stored, ledger, settings, claims=self._player.bot is not None, stays=stays
        )

    def _start(self, group: asyncio.TaskGroup, game: GameRun, *, first: bool = False) -> None:
        async def carry() -> None:
            try:
                await game.run()
            except NobodyCame:
                if first or self.expected:
                    raise
                minutes = REMATCH_MS // 60_000
                why = f"your opponent has not agreed within {minutes} minutes; you may ask again"
                self._events.put_nowait(_Failed(why))
            except GameError as error:
                if first or self.expected:
                    raise
                self._events.put_nowait(_Failed(str(error)))

        self._tasks[game] = group.create_task(carry(), name=f"game {game.settings.game}")

    # Between two games

    async def _after(self, group: asyncio.TaskGroup) -> GameRun | None:
        last = self.current
        try:
            async with self._place.connect(last.announcer.will) as transport:
                aftermath = Aftermath(
                    last.runtime.session, last.announcer, transport,
                    last.runtime.presence, last.runtime.admission, self._events.put_nowait,
                )  # fmt: skip
                self._aftermath.set_result(aftermath)
                try:
                    with plain_errors():
                        async with asyncio.TaskGroup() as listening:
                            ears = listening.create_task(aftermath.run(), name="aftermath")
                            begun = await self._agree(group)
                            if not begun:
                                await aftermath.wait_for_opponent()
                            ears.cancel()
                except asyncio.CancelledError:
                    await self._part(aftermath)
                    raise
                if not begun:
                    await self._part(aftermath)
                    return None
        except TransportError as error:
            await self._give_up()
            if self.expected:
                raise
            self._game.tell(Notice(f"no rematch: {error}"))
            return None
        return self._next

    async def _part(self, aftermath: Aftermath) -> None:
        await self._give_up()
        with suppress(TransportError):
            await aftermath.announce("left")

    async def _agree(self, group: asyncio.TaskGroup) -> bool:
        """Wait for the next game; False when the person here leaves before it has begun."""
        last = self.current
        hosted = last.stored.role is Role.HOST
        if self.expected and hosted:
            self.ask()
        waits = self.expected and not hosted
        deadline = asyncio.get_running_loop().time() + _SERIES_S
        self._wanted = None
        while True:
            try:
                async with asyncio.timeout_at(deadline if waits and self._next is None else None):
                    event = await self._events.get()
            except TimeoutError:
                raise NoSuchGame(
                    f'The host of "{last.stored.offer.name}" did not open another game after '
                    f"number {last.settings.game} of {last.settings.games}."
                ) from None
            if event in (_OwnEvent.BEGUN, _OwnEvent.LEAVES):
                return event is _OwnEvent.BEGUN
            await self._answer(event, group)

    async def _answer(self, event: _Event, group: asyncio.TaskGroup) -> None:
        match event:
            case NextGameOffered(offer):
                self._wanted = offer
                if self._next is None and not self.expected:
                    self._game.tell(RematchAsked())
                # Of two offers that cross, the former host's stands.
                elif self.current.stored.role is Role.GUEST and await self._withdrawn():
                    self._join(group, offer)
            case OfferWithdrawn():
                self._wanted = None
                # If we have an offer, too, the opponent withdrew its own to agree to ours.
                if self._next is None:
                    self._game.tell(Notice("your opponent no longer asks for a rematch"))
            case OpponentLeft():
                await self._answer_leaving()
            case OpponentStays() if self.expected:
                pass
            case OpponentStays() | Notice() | Said():
                self._game.tell(event)
            case _OwnEvent.WISH if self._next is not None:
                self._game.tell(Notice("you have asked already; your opponent must agree"))
            case _OwnEvent.WISH:
                # Even if the opponent has left: the person here knows, and it may come back.
                self._asking = True
                self._wish(group, self._wanted)
            case _Failed(why):
                self._wanted = self._next = None
                self._asking = False
                self._game.tell(Notice(f"no rematch: {why}"))
            case _:
                pass

    async def _answer_leaving(self) -> None:
        settings = self.current.settings
        if self.expected:
            raise NobodyCame(f"Your opponent left after game {settings.game} of {settings.games}.")
        waits = self._next is not None and await self._withdrawn()
        self._asking = self._next is not None
        follows = ": there will be no rematch" if waits else ""
        self._game.tell(Notice(f"your opponent has left{follows}"))

    def _wish(self, group: asyncio.TaskGroup, wanted: Offer | None) -> None:
        try:
            if wanted is not None:
                self._join(group, wanted)
            else:
                self._offer(group)
        except GameError as error:
            if self.expected:
                raise
            self._asking = False
            self._game.tell(Notice(f"no rematch: {error}"))

    def _offer(self, group: asyncio.TaskGroup) -> None:
        profile, last = self._place.profile, self.current
        free_name(profile, last.stored.offer.name, besides=last.stored)
        secret = secrets.token_hex(16)
        now_ms = SYSTEM_CLOCK.now_ms()
        offer = rematch_offer(profile.key, last.ledger, secret=secret, now_ms=now_ms)
        self._sit_down(group, offer, Role.HOST, last.settings.next(secret))

    def _join(self, group: asyncio.TaskGroup, offer: Offer) -> None:
        self._sit_down(group, offer, Role.GUEST, self.current.settings.next(""))

    def _sit_down(
        self,
        group: asyncio.TaskGroup,
        offer: Offer,
        role: Role,
        settings: Settings,
    ) -> None:
        profile = self._place.profile
        self._locks.append(profile.home.lock(offer.digest, offer.name))
        stored = profile.journal.begin(offer, role, settings.stored())
        game = self._next = self._take(stored, Ledger(offer), settings)

        def told(event: RuntimeEvent) -> None:
            match event:
                case Offered():
                    self._game.tell(Notice(_rematch_notice(self.current.runtime.presence.away)))
                case Notice():
                    self._game.tell(event)
                case _:
                    pass

        async def begin() -> None:
            if await game.started(told) and game is self._next:
                self._events.put_nowait(_OwnEvent.BEGUN)

        self._start(group, game)
        group.create_task(begin(), name="the next game begins")

    async def _withdrawn(self) -> bool:
        """Withdraw our own offer, if there is one; returns False if somebody has joined it."""
        if self._next is None:
            return True
        if self._next.ledger.phase is not Phase.OPEN:
            return False
        await self._give_up()
        return True

    async def _give_up(self) -> None:
        """Leave the next game, which has not begun; nothing remains of an offer."""
        game, self._next = self._next, None
        if game is None:
            return
        task = self._tasks[game]
        task.cancel()
        await wait_until_done(task)
        # Wake the task that waits for it to begin: a game whose task never ran has no last event.
        game.runtime.events.put_nowait(None)
        if game.ledger.phase is Phase.OPEN:
            self._place.profile.journal.finish(game.stored)
        else:
            self.current = game  # asked for, or begun: it can be resumed


def _rematch_notice(away: str) -> str:
    """A notice for a person who has asked for a rematch; `away` says how the opponent is absent."""
    if away:
        return (
            f"you have asked for a rematch; your opponent {away} and can agree when they are back"
        )
    return "you have asked for a rematch; your opponent must agree"
