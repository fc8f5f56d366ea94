"""A node that serves: its tables and bots, from the first connection to the last goodbye."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack, nullcontext, suppress
from functools import partial
from typing import Any

from ataxxd.engines.native import EnginePool
from ataxxd.errors import AtaxxdError, TransportError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game_finder import GameFinder
from ataxxd.node.game_run import GameContext
from ataxxd.node.home import AsText, Home, Lock
from ataxxd.node.journal import StoredGame
from ataxxd.node.listing import finish_if_unconfirmed
from ataxxd.node.messaging.letters import Refusal
from ataxxd.node.messaging.messenger import card_will
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifier, OperatorNotices
from ataxxd.node.profile import Profile
from ataxxd.node.receiving import describe_connection, may_concern_every_game
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import SearchScheduler
from ataxxd.rules.limits import DEFAULT_HASH_MB
from ataxxd.serve.bots import Bots, ChallengeHandler
from ataxxd.serve.games import Games, catch_up_game
from ataxxd.serve.plan import Plan, Share, share_of_plan
from ataxxd.serve.rated import RatedGames, WitnessedGames
from ataxxd.serve.status import ServiceStatus
from ataxxd.serve.tables import Tables, clear_finished_games
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.transport.base import (
    BrokerUnreachable,
    Connect,
    Connected,
    Disconnected,
    Refused,
    Transport,
    WillFactory,
)
from ataxxd.transport.reconnecting import Backoff
from ataxxd.transport.shared import SharedConnection
from ataxxd.wording import format_count
from ataxxd_protocol import TOPICS
from ataxxd_protocol.messages import Challenge

_log = logging.getLogger(__name__)

_WHOLE_NODE = Share()
# Seconds before another attempt to connect, or to look for games.
_RETRY_FIRST_S, _RETRY_LAST_S = 1.0, 60.0
# Seconds after which the plan is carried out again, though there is no news.
_ARRANGE_S = 5.0
# Seconds between two deletions of old games from the journal.
_FORGET_INTERVAL_S = 3600.0
# Seconds between two clearings of finished games from the broker.
_CLEAR_INTERVAL_S = 600.0


def serving_lock(home: Home) -> Lock:
    """The lock of the process that serves for a home.

    Raises:
        NameInUse: another process serves for it.
        StorageError: the lock cannot be created.
    """
    return home.lock("serve", "all that its configuration says")


class Service:
    """The service of one node at one broker; all its games share one connection.

    Attributes:
        node: the node that serves.
        ready: whether the games of the last run are resumed, and the tables are open.
        draining: whether no more games are begun.
    """

    def __init__(
        self,
        profile: Profile,
        connect: Connect,
        plan: Plan,
        *,
        broker: str,
        as_text: AsText,
        option: str | None = None,
        threads: int = 1,
        hash_mb: int = DEFAULT_HASH_MB,
        notifier: Notifier | None = None,
        share: Share = _WHOLE_NODE,
    ) -> None:
        """Create a service that is not running.

        Args:
            profile: the profile of the node.
            connect: opens a connection to the broker.
            plan: what it does.
            broker: the broker's address for people, without secrets, until we are connected.
            as_text: writes records.
            option: as for `ataxxd.serve.tables.Tables`.
            threads: the most searches at a time.
            hash_mb: the size of each transposition table in mebibytes.
            notifier: notifies the operator; None to notify nobody.
            share: this process's part of the plan; with several processes, their supervisor holds
                the home's lock.
        """
        plan = share_of_plan(plan, share)
        self._notices = (
            None
            if notifier is None
            else OperatorNotices(notifier, profile.names, profile.home.option)
        )
        self._rated = RatedGames(
            profile.journal,
            ClubKeeper(profile.home, profile.key),
            self._rated_ms,
            profile.names.display_name,
        )
        self.node = Node(
            GameContext(
                profile, self._open_line, as_text, _log.warning, on_join=self._rated.announce
            ),
            broker,
            settings=Settings(broker=option, share=share.index),
        )
        self.ready = False
        self.draining = False
        self._connect = connect
        self._broker = broker
        self._plan = plan
        self._share = share
        self._started_ms = SYSTEM_CLOCK.now_ms()
        self._engines = EnginePool(hash_mb)
        self._scheduler = SearchScheduler(threads)
        self._shared: SharedConnection | None = None
        self._news = asyncio.Event()
        self._stopping = asyncio.Event()
        self._drain_s = 0.0
        self._scout: asyncio.Task[None] | None = None
        self._scouted_plan = plan
        self._challenges: ChallengeHandler | None = None
        self._last_error = ""
        self._games = Games(
            self.node, self._engines, self._scheduler, self._news.set, self._on_game_over,
            on_resume=self._announce_resumed,
        )  # fmt: skip
        self._tables = Tables(self.node, self._games)
        self._bots = Bots(self.node, self._games, plan)
        self._witnessed = WitnessedGames(
            profile,
            partial(self._open_echoing_line, None),
            self._rated,
            lambda: self._plan,
            as_text,
        )

    async def run(self, *beside: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Serve until `stop`.

        Args:
            beside: further work for as long as there is a connection.

        Raises:
            TransportError: the broker refuses us.
            NameInUse: another process serves for this node.
        """
        with (
            serving_lock(self.node.profile.home) if self._share == _WHOLE_NODE else nullcontext(),
            plain_errors(),
        ):
            async with AsyncExitStack() as stack:
                self._shared = await self._first_connection(stack)
                if self._shared is None:
                    return
                line = await stack.enter_async_context(self._shared.make_line())
                mail = await stack.enter_async_context(self._shared.make_line())
                self._challenges = ChallengeHandler(
                    self.node.profile,
                    mail,
                    self._bots,
                    self._engines,
                    self._scheduler,
                    self._on_challenge,
                )
                async with asyncio.TaskGroup() as group:
                    await self._serve(group, line, [each() for each in beside])

    def stop(self, drain_s: float = 0.0) -> None:
        """Begin no more games, and end.

        Args:
            drain_s: seconds in which games under way may end; those that have not are left, and
                can be resumed.
        """
        self.draining = self._bots.closed = True
        self._drain_s = drain_s
        self._stopping.set()

    def reload(self, plan: Plan) -> None:
        """Follow another plan from now on; games under way continue as they began."""
        self._plan = self._bots.plan = share_of_plan(plan, self._share)
        self._warn_if_not_member()
        self._news.set()

    def status(self, *, games: bool = True) -> ServiceStatus:
        """The status of the node, optionally without its games."""
        shared = self._shared
        return ServiceStatus(
            node=self.node.id,
            broker=self._broker if shared is None else shared.url,
            connected=shared is not None and shared.connected,
            started_ms=self._started_ms,
            ready=self.ready,
            draining=self.draining,
            games=tuple(game.status() for game in self._games) if games else (),
            searching=self._scheduler.searching,
            waiting=self._scheduler.waiting,
            finished=self._games.finished,
            challenges_taken=self._bots.joined_count,
            challenges_declined=0 if self._challenges is None else self._challenges.declined_count,
            messages_in=0 if shared is None else shared.counters.received,
            messages_out=0 if shared is None else shared.counters.published,
            reconnects=0 if shared is None else max(shared.counters.connections - 1, 0),
            search_nodes=self._engines.nodes,
            search_ms=int(self._scheduler.spent_ms),
            nickname=self.node.profile.names.name_of(self.node.id) or "",
        )

    # The connection

    def _open_line(self, _will: WillFactory | None) -> Transport:
        """A transport for one game; a shared connection cannot have the will of one game."""
        assert self._shared is not None, "connected"
        return self._shared.make_line(hears_itself=False)

    def _open_echoing_line(self, _will: WillFactory | None) -> Transport:
        """A transport that also delivers our own presence, after all that came before it."""
        assert self._shared is not None, "connected"
        return self._shared.make_line()

    async def _first_connection(self, stack: AsyncExitStack) -> SharedConnection | None:
        """Connect, however long the broker is away; None if we are stopped first."""
        backoff = Backoff(_RETRY_FIRST_S, _RETRY_LAST_S)
        # The first process publishes the card, and its will withdraws it.
        will = card_will(self.node.id) if self._share.is_first else None
        while not self._stopping.is_set():
            try:
                shared = SharedConnection(self._connect(will), may_concern_every_game)
                return await stack.enter_async_context(shared)
            except BrokerUnreachable as error:
                _log.warning("%s It is tried again.", error)
            with suppress(TimeoutError):
                async with asyncio.timeout(backoff.next()):
                    await self._stopping.wait()
        return None

    async def _log_connection(self, line: Transport) -> None:
        async for event in line:
            match event:
                case Connected(epoch):
                    _log.info("connected%s", " again" if epoch > 1 else "")
                case Disconnected() | Refused():
                    _log.warning("%s", describe_connection(event))
                case _:
                    pass

    def _on_game_over(self, ledger: Ledger) -> None:
        self._rated.add_record(ledger)
        if self._notices is not None:
            self._notices.on_game_over(ledger)

    def _on_challenge(self, challenge: Challenge, refusal: Refusal | None) -> None:
        if self._notices is not None:
            self._notices.on_challenge(challenge, refusal)

    def _announce_resumed(self, stored: StoredGame) -> None:
        self._rated.announce_resumed(stored, self.node.profile.journal.ledger(stored))

    def _rated_ms(self, key: str) -> int | None:
        return self._plan.rated_ms(key)

    def _warn_if_not_member(self) -> None:
        rated = [table.name for table in self._plan.tables if table.rated_ms is not None]
        if not self._share.is_first:
            return
        try:
            self._rated.warn_if_not_member(self.node.id, rated)
        except AtaxxdError as error:
            _log.error("%s", error)

    # Serving

    async def _serve(
        self,
        group: asyncio.TaskGroup,
        line: Transport,
        beside: list[Coroutine[Any, Any, None]],
    ) -> None:
        assert self._challenges is not None, "connected"
        works = [self._log_connection(line), self._games.run(), *beside]
        if self._share.is_first:
            works += [
                self._challenges.run(),
                self._witnessed.run(),
                self._forget_games(),
                self._clear_games(),
            ]
        background = [group.create_task(work) for work in works]
        try:
            await asyncio.sleep(0)  # let `Games.run` start, so that it accepts games
            background += await self._resume_games(group, line)
            arranging = group.create_task(
                self._keep_arranging(group, self._challenges), name="tables"
            )
            background.append(arranging)
            await self._stopping.wait()
            arranging.cancel()
            await self._challenges.close()
            await self._drain()
        finally:
            if self._scout is not None:
                background.append(self._scout)
            for task in background:
                task.cancel()

    async def _resume_games(
        self, group: asyncio.TaskGroup, line: Transport
    ) -> list[asyncio.Task[None]]:
        """Resume the games of the last run; returns the tasks that catch up with restored ones."""
        catching_up: list[asyncio.Task[None]] = []
        self._rated.add_missing_records()
        for stored in reversed(self.node.profile.journal.unfinished()):
            settings = Settings.restored(stored.settings)
            if not settings.served or not self._share.resumes_games_of(settings.share):
                continue
            try:
                if stored.restored:
                    work = catch_up_game(
                        self.node, stored, self._open_echoing_line, self._start_game
                    )
                    catching_up.append(group.create_task(work))
                else:
                    await self._resume_game(stored, settings, line)
            except AtaxxdError as error:
                _log.error("%s: %s", stored.offer.name, error)
            await asyncio.sleep(0)  # yield: there may be hundreds
        return catching_up

    async def _resume_game(self, stored: StoredGame, settings: Settings, line: Transport) -> None:
        profile = self.node.profile
        with profile.home.lock(stored.offer.digest, stored.offer.name):
            # Read under the lock: another process may have written until a moment ago.
            ledger = profile.journal.ledger(stored)
            if finish_if_unconfirmed(profile.journal, stored, ledger):
                return
            self._rated.announce_resumed(stored, ledger)
            hosts = stored.role is Role.HOST
            wanted = ledger.phase is not Phase.OPEN or (
                hosts and self._tables.is_wanted(self._plan, stored.offer, settings)
            )
            # Unwanted are seats that we never got, and offers that no table makes any more.
            if hosts and not wanted:
                topic = TOPICS.offer(stored.offer.name, stored.offer.host)
                await line.publish(topic, b"", retain=True)
            if not wanted:
                profile.journal.finish(stored)
        if wanted:
            self._start_game(stored)

    def _start_game(self, stored: StoredGame) -> None:
        settings = Settings.restored(stored.settings)
        take = partial(self.node.resume_game, stored, settings)
        self._games.start(settings, stored.offer.ruleset, take)

    async def _keep_arranging(self, group: asyncio.TaskGroup, challenges: ChallengeHandler) -> None:
        while True:
            self._news.clear()
            await self._games.leave_idle_games(self._plan.patience_ms)
            self._tables.update_offers(self._plan)
            self._update_scout(group)
            if not self.ready:
                self.ready = True
                who = "serving" if self._share == _WHOLE_NODE else f"{self._share} serves"
                _log.info("%s: %s", who, self._describe())
                self._warn_if_not_member()
            if self._share.is_first:
                await self._take_challenges(challenges)
            await self._wait_for_news()

    async def _wait_for_news(self) -> None:
        """Wait for news, but only so long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(_ARRANGE_S):
                await self._news.wait()

    async def _take_challenges(self, challenges: ChallengeHandler) -> None:
        said = ""
        try:
            await challenges.arrange(self._plan)
        except TransportError as error:
            said = f"challenges cannot be heard: {error}"
        if said and said != self._last_error:
            _log.error("%s It is tried again.", said)
        self._last_error = said

    def _describe(self) -> str:
        """What is served, in words."""
        tables, bots = len(self._plan.tables), len(self._plan.bots)
        resumed = sum(not game.is_offer for game in self._games)
        told = f"{format_count(tables, 'table')}, {format_count(bots, 'bot')}"
        return f"{told}, {format_count(resumed, 'game')} resumed" if resumed else told

    def _update_scout(self, group: asyncio.TaskGroup) -> None:
        """Look for open games for as long as a bot wants to join them."""
        if self._scout is not None and self._scouted_plan is not self._plan:
            self._scout.cancel()  # what was dismissed may be wanted now
            self._scout = None
        self._scouted_plan = self._plan
        if self._scout is None and any(bot.open_offers for bot in self._plan.bots):
            self._scout = group.create_task(self._scout_forever(), name="scout")

    async def _scout_forever(self) -> None:
        backoff = Backoff(_RETRY_FIRST_S, _RETRY_LAST_S)
        while True:
            try:
                await self._scout_once()
            except TransportError as error:
                _log.warning("looking for games: %s", error)
            await asyncio.sleep(backoff.next())

    async def _scout_once(self) -> None:
        async with self.node.place.connect(None) as transport:
            finder = GameFinder(transport)
            with plain_errors():
                await finder.follow(lambda _: self._bots.join_open_games(finder))

    async def _forget_games(self) -> None:
        """Forget old games now and then."""
        while True:
            if (keep_ms := self._plan.keep_ms) is not None:
                before_ms = SYSTEM_CLOCK.now_ms() - keep_ms
                try:
                    if count := self.node.profile.journal.forget_ended(before_ms):
                        _log.info("games forgotten: %d", count)
                except AtaxxdError as error:
                    _log.error("%s", error)
            await asyncio.sleep(_FORGET_INTERVAL_S)

    async def _clear_games(self) -> None:
        """Clear finished games from the broker now and then."""
        while True:
            if (shown_ms := self._plan.shown_ms) is not None:
                try:
                    async with self.node.place.connect(None) as line:
                        if count := await clear_finished_games(
                            self.node.profile, line, shown_ms, running=self._games
                        ):
                            _log.info("games taken off the broker: %d", count)
                except AtaxxdError as error:
                    _log.warning("what is over stays on the broker: %s It is tried again.", error)
            await asyncio.sleep(_CLEAR_INTERVAL_S)

    # The end

    async def _drain(self) -> None:
        for game in self._games:
            self._games.withdraw(game)
        if self._drain_s:
            _log.info("no new games; those under way have %g s", self._drain_s)
            with suppress(TimeoutError):
                async with asyncio.timeout(self._drain_s):
                    # Not just until a result is known: the end of a game needs both signatures.
                    while any(game.is_ending for game in self._games):
                        self._news.clear()
                        await self._wait_for_news()
        left = sum(game.is_unfinished for game in self._games)
        await self._games.leave_all()
        _log.info("stopped; games left for the next start: %d", left)
