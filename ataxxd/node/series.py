"""The games between two players one after another: running each, and agreeing on the next.

How they are shown is up to `ataxxd.node.network_game`. A player asks for a rematch by offering it,
and agrees by joining. If two offers cross, that of the former host stands (SPEC.md, section 7.6).
"""

import asyncio
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeAlias

from ataxxd.engines.base import Bot
from ataxxd.errors import GameError, LocalProtocolError, TransportError
from ataxxd.node.concurrency import Backlog, plain_errors, wait_until_done
from ataxxd.node.errors import NobodyCame, NoSuchGame
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.home import Lock
from ataxxd.node.journal import StoredGame
from ataxxd.node.offers import REMATCH_MS, rematch_offer
from ataxxd.node.post_game import (
    NextGameOffered,
    OfferWithdrawn,
    OpponentLeft,
    PostGameEvent,
    PostGameListener,
)
from ataxxd.node.runtime import FAREWELL_S, OfferPublished, PlayerRuntime, RuntimeEvent
from ataxxd.node.seats import free_name
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import UNSCHEDULED, Scheduler
from ataxxd.session.events import Notice, OpponentStays, RematchAsked, Said, TableEvent
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import TransportClosed
from ataxxd_protocol.messages import Offer

# Seconds that a guest waits for the next of several games.
_SERIES_S = 60.0


class _OwnEvent(Enum):
    """Events on our side."""

    REMATCH_ASKED = "the person asks for a rematch, or agrees to one"
    LEAVING = "the person leaves"
    BEGUN = "the next game has begun"


@dataclass(frozen=True, slots=True)
class _RematchFailed:
    """There will be no next game for now."""

    reason: str


_Event: TypeAlias = PostGameEvent | _OwnEvent | _RematchFailed


class SeriesDisplay(Protocol):
    """What a series shows its games in: `ataxxd.node.network_game.NetworkGame`."""

    @property
    def has_begun(self) -> bool:
        """Whether the first game has begun."""
        ...

    def show_first_game(self, runtime: PlayerRuntime) -> None:
        """Show the first game, which has begun."""
        ...

    def show_next_game(self, runtime: PlayerRuntime) -> None:
        """Show the next game, which has begun."""
        ...

    def add_event(self, event: TableEvent) -> None:
        """Report an event from outside the game."""
        ...


def _ignore_event(_: object) -> None:
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
        on_event: called with the events before the first game begins.
        on_ended: called with every game that has been played to its end.
    """

    bot: Bot | None = None
    stays: bool = True
    in_event: bool = False
    in_series: bool = False
    scheduler: Scheduler = UNSCHEDULED
    on_event: Callable[[RuntimeEvent], None] = _ignore_event
    on_ended: Callable[[GameRun], None] = _ignore_event


class Series:
    """A game and all rematches that follow. The caller must hold the lock of the first.

    Attributes:
        current: the game under way, or else the last one.
    """

    def __init__(
        self,
        display: SeriesDisplay,
        context: GameContext,
        stored: StoredGame,
        ledger: Ledger,
        settings: Settings,
        player: SeatPlayer,
    ) -> None:
        """Take up a game, new or from the journal; `run` does the rest.

        Args:
            display: shows the games.
            context: what the node's games share.
            stored: the game in the journal.
            ledger: the game so far.
            settings: how the seat is played.
            player: who plays; a bot claims games by itself.
        """
        self._display = display
        self._context = context
        self._player = player
        self._stays = player.stays and not player.in_event
        self._events: Backlog[_Event] = Backlog()
        self._locks: list[Lock] = []
        self._leaving = self._finished = False
        self._next: GameRun | None = None
        self._rematch_offer: Offer | None = None
        self._rematch_asked = False
        self._post_game_task: asyncio.Task[GameRun | None] | None = None
        # Listens after the current game; None if there is none.
        self._post_game: asyncio.Future[PostGameListener | None] = asyncio.Future()
        self._tasks: dict[GameRun, asyncio.Task[None]] = {}
        self.current = self._make_run(stored, ledger, settings)

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
            if not self._post_game.done():
                self._post_game.set_result(None)
            if self._display.has_begun and self._stays and not self._leaving:
                # The person here may be waiting for another game.
                self._display.add_event(Notice("no other game follows at this table"))

    def leave(self) -> None:
        """Leave the game, which can be resumed; a request for a rematch is withdrawn."""
        self._leaving = True
        if self._post_game_task is not None:
            self._leave_post_game(self._post_game_task)
        elif self.current.ledger.outcome is None:
            task, saying = self._tasks[self.current], self.current.connection_task()
            if saying is None:
                task.cancel()
            else:
                saying.add_done_callback(lambda _: task.cancel())

    def _leave_post_game(self, between: "asyncio.Task[GameRun | None]") -> None:
        self._events.put_nowait(_OwnEvent.LEAVING)
        asyncio.get_running_loop().call_later(FAREWELL_S, between.cancel)

    # Rematches

    @property
    def is_rematch_possible(self) -> bool:
        """Whether a rematch can be asked for now."""
        ledger = self.current.ledger
        fair = ledger.fault is None and not ledger.false_scores
        return fair and not self._finished and (self._stays or self.is_next_expected)

    @property
    def is_next_expected(self) -> bool:
        """Whether the next game follows without being asked for."""
        settings = self.current.settings
        return self._player.in_series and not self._finished and settings.game < settings.games

    @property
    def has_opponent_left(self) -> bool:
        """Whether the opponent has left, or seems to have, and so cannot agree to a rematch."""
        if self._post_game.done() and (post_game := self._post_game.result()) is not None:
            return post_game.has_opponent_left
        return self.current.runtime.presence.has_left

    def ask_rematch(self) -> None:
        """Ask for a rematch, or agree to one."""
        self._rematch_asked = True
        self._events.put_nowait(_OwnEvent.REMATCH_ASKED)

    @property
    def is_asking_rematch(self) -> bool:
        """Whether we have asked for a rematch, or agreed to one, and it may still begin."""
        return self._rematch_asked and not self._finished

    async def say(self, text: str) -> None:
        """Send the opponent a line of chat after the game."""
        with suppress(TransportClosed):
            # The game keeps its connection until both players know the result.
            await self.current.runtime.say(text)
            return
        with suppress(TransportClosed):
            if (post_game := await asyncio.shield(self._post_game)) is not None:
                await post_game.say(text)
                return
        raise LocalProtocolError(
            "chat/closed", "The connection of this game is closed, so nobody would hear you."
        )

    # Games

    async def _play(self, group: asyncio.TaskGroup) -> None:
        self._start_run(group, self.current, first=True)
        if not await self.current.wait_until_started(self._player.on_event):
            return
        self._display.show_first_game(self.current.runtime)
        while True:
            task = self._tasks[self.current]
            await wait_until_done(task)
            if task.cancelled() or task.exception() is not None:
                return
            self._player.on_ended(self.current)
            # A player who does not stay has already announced that it leaves.
            if (self._leaving and not self._stays) or not self.is_rematch_possible:
                return
            if self.current.ledger.phase is not Phase.CLOSED:
                self._display.add_event(Notice("your opponent has not confirmed the result"))
                return
            self._post_game_task = group.create_task(
                self._run_post_game(group), name="after the game"
            )
            if self._leaving:
                self._leave_post_game(self._post_game_task)
            await wait_until_done(self._post_game_task)
            if self._post_game_task.cancelled() or self._post_game_task.exception() is not None:
                return
            found = self._post_game_task.result()
            self._post_game_task = self._next = None
            self._rematch_asked = False
            if found is None:
                return
            self.current = found
            self._post_game = asyncio.Future()
            self._events = Backlog()
            self._display.show_next_game(found.runtime)

    def _make_run(self, stored: StoredGame, ledger: Ledger, settings: Settings) -> GameRun:
        stays = self._stays or (self._player.in_series and settings.game < settings.games)
        return GameRun(
            self._context,
            stored,
            ledger,
            settings,
            claims=self._player.bot is not None,
            stays=stays,
        )

    def _start_run(self, group: asyncio.TaskGroup, game: GameRun, *, first: bool = False) -> None:
        async def carry() -> None:
            try:
                await game.run()
            except NobodyCame:
                if first or self.is_next_expected:
                    raise
                minutes = REMATCH_MS // 60_000
                why = f"your opponent has not agreed within {minutes} minutes; you may ask again"
                self._events.put_nowait(_RematchFailed(why))
            except GameError as error:
                if first or self.is_next_expected:
                    raise
                self._events.put_nowait(_RematchFailed(str(error)))

        self._tasks[game] = group.create_task(carry(), name=f"game {game.settings.game}")

    # Between two games

    async def _run_post_game(self, group: asyncio.TaskGroup) -> GameRun | None:
        last = self.current
        try:
            async with self._context.connect(last.announcer.will) as transport:
                post_game = PostGameListener(
                    last.runtime.session, last.announcer, transport,
                    last.runtime.presence, last.runtime.admission, self._events.put_nowait,
                )  # fmt: skip
                self._post_game.set_result(post_game)
                try:
                    with plain_errors():
                        async with asyncio.TaskGroup() as listening:
                            ears = listening.create_task(post_game.run(), name="after a game")
                            begun = await self._wait_for_next_game(group)
                            if not begun:
                                await post_game.wait_for_opponent()
                            ears.cancel()
                except asyncio.CancelledError:
                    await self._leave_table(post_game)
                    raise
                if not begun:
                    await self._leave_table(post_game)
                    return None
        except TransportError as error:
            await self._abandon_next_game()
            if self.is_next_expected:
                raise
            self._display.add_event(Notice(f"no rematch: {error}"))
            return None
        return self._next

    async def _leave_table(self, post_game: PostGameListener) -> None:
        await self._abandon_next_game()
        with suppress(TransportError):
            await post_game.announce("left")

    async def _wait_for_next_game(self, group: asyncio.TaskGroup) -> bool:
        """Wait for the next game; False when the person here leaves before it has begun."""
        last = self.current
        hosted = last.stored.role is Role.HOST
        if self.is_next_expected and hosted:
            self.ask_rematch()
        waits = self.is_next_expected and not hosted
        deadline = asyncio.get_running_loop().time() + _SERIES_S
        self._rematch_offer = None
        while True:
            try:
                async with asyncio.timeout_at(deadline if waits and self._next is None else None):
                    event = await self._events.get()
            except TimeoutError:
                raise NoSuchGame(
                    f'The host of "{last.stored.offer.name}" did not open another game after '
                    f"number {last.settings.game} of {last.settings.games}."
                ) from None
            if event in (_OwnEvent.BEGUN, _OwnEvent.LEAVING):
                return event is _OwnEvent.BEGUN
            await self._on_event(event, group)

    async def _on_event(self, event: _Event, group: asyncio.TaskGroup) -> None:
        match event:
            case NextGameOffered(offer):
                self._rematch_offer = offer
                if self._next is None and not self.is_next_expected:
                    self._display.add_event(RematchAsked())
                # Of two offers that cross, the former host's stands.
                elif self.current.stored.role is Role.GUEST and await self._withdraw_offer():
                    self._join_rematch(group, offer)
            case OfferWithdrawn():
                self._rematch_offer = None
                # If we have an offer, too, the opponent withdrew its own to agree to ours.
                if self._next is None:
                    self._display.add_event(Notice("your opponent no longer asks for a rematch"))
            case OpponentLeft():
                await self._on_opponent_left()
            case OpponentStays() if self.is_next_expected:
                pass
            case OpponentStays() | Notice() | Said():
                self._display.add_event(event)
            case _OwnEvent.REMATCH_ASKED if self._next is not None:
                self._display.add_event(Notice("you have asked already; your opponent must agree"))
            case _OwnEvent.REMATCH_ASKED:
                # Even if the opponent has left: the person here knows, and it may come back.
                self._rematch_asked = True
                self._ask_or_agree(group, self._rematch_offer)
            case _RematchFailed(why):
                self._rematch_offer = self._next = None
                self._rematch_asked = False
                self._display.add_event(Notice(f"no rematch: {why}"))
            case _:
                pass

    async def _on_opponent_left(self) -> None:
        settings = self.current.settings
        if self.is_next_expected:
            raise NobodyCame(f"Your opponent left after game {settings.game} of {settings.games}.")
        waits = self._next is not None and await self._withdraw_offer()
        self._rematch_asked = self._next is not None
        follows = ": there will be no rematch" if waits else ""
        self._display.add_event(Notice(f"your opponent has left{follows}"))

    def _ask_or_agree(self, group: asyncio.TaskGroup, wanted: Offer | None) -> None:
        try:
            if wanted is not None:
                self._join_rematch(group, wanted)
            else:
                self._offer_rematch(group)
        except GameError as error:
            if self.is_next_expected:
                raise
            self._rematch_asked = False
            self._display.add_event(Notice(f"no rematch: {error}"))

    def _offer_rematch(self, group: asyncio.TaskGroup) -> None:
        profile, last = self._context.profile, self.current
        free_name(profile, last.stored.offer.name, besides=last.stored)
        secret = secrets.token_hex(16)
        now_ms = SYSTEM_CLOCK.now_ms()
        offer = rematch_offer(profile.key, last.ledger, secret=secret, now_ms=now_ms)
        self._start_next_game(group, offer, Role.HOST, last.settings.next(secret))

    def _join_rematch(self, group: asyncio.TaskGroup, offer: Offer) -> None:
        self._start_next_game(group, offer, Role.GUEST, self.current.settings.next(""))

    def _start_next_game(
        self,
        group: asyncio.TaskGroup,
        offer: Offer,
        role: Role,
        settings: Settings,
    ) -> None:
        profile = self._context.profile
        self._locks.append(profile.home.lock(offer.digest, offer.name))
        stored = profile.journal.begin(offer, role, settings.stored())
        game = self._next = self._make_run(stored, Ledger(offer), settings)

        def on_event(event: RuntimeEvent) -> None:
            match event:
                case OfferPublished():
                    self._display.add_event(
                        Notice(_rematch_notice(self.current.runtime.presence.absence))
                    )
                case Notice():
                    self._display.add_event(event)
                case _:
                    pass

        async def begin() -> None:
            if await game.wait_until_started(on_event) and game is self._next:
                self._events.put_nowait(_OwnEvent.BEGUN)

        self._start_run(group, game)
        group.create_task(begin(), name="the next game begins")

    async def _withdraw_offer(self) -> bool:
        """Withdraw our own offer, if there is one; returns False if somebody has joined it."""
        if self._next is None:
            return True
        if self._next.ledger.phase is not Phase.OPEN:
            return False
        await self._abandon_next_game()
        return True

    async def _abandon_next_game(self) -> None:
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
            self._context.profile.journal.finish(game.stored)
        else:
            self.current = game  # asked for, or begun: it can be resumed


def _rematch_notice(away: str) -> str:
    """A notice for a person who has asked for a rematch; `away` says how the opponent is absent."""
    if away:
        return (
            f"you have asked for a rematch; your opponent {away} and can agree when they are back"
        )
    return "you have asked for a rematch; your opponent must agree"
