"""The games of a serving node: a bot plays each, in a task of its own, until it is settled.

This is the error boundary of a game: an error is logged, and ends or delays that game only.
"""

import asyncio
import logging
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum, auto
from functools import partial
from typing import TypeAlias

from ataxxd.engines import DEFAULT_LEVEL, HIGHEST_LEVEL
from ataxxd.engines.base import Bot
from ataxxd.engines.native import EnginePool, PooledBot
from ataxxd.errors import (
    AtaxxdError,
    EngineError,
    GameError,
    LocalProtocolError,
    StorageError,
    TransportError,
)
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import HostSilent
from ataxxd.node.game_run import GameRun
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.players import AUTO, bot_for
from ataxxd.node.presence import Announcer
from ataxxd.node.recovery import IncompleteGameError, recover_game
from ataxxd.node.runtime import OfferPublished, RuntimeEvent
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import Scheduler
from ataxxd.rules import Side
from ataxxd.serve.status import GameStatus
from ataxxd.session.events import Notice, Said
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK, format_duration
from ataxxd.transport.base import Connect
from ataxxd.transport.reconnecting import Backoff

_log = logging.getLogger(__name__)

# Seconds that a bot has to finish its move before the game is left.
_LAST_MOVE_TIMEOUT_S = 30.0
# Seconds within which two honest players agree that their game is over.
_SETTLE_TIMEOUT_S = 15.0


def make_served_bot(settings: Settings, game: str, engines: EnginePool) -> Bot:
    """The bot that `settings` name; our own engine comes from the pool.

    Raises:
        UsageError: there is no such player.
    """
    if settings.player == AUTO and settings.level != 0:
        level = DEFAULT_LEVEL if settings.level is None else min(settings.level, HIGHEST_LEVEL)
        return PooledBot(level, engines)
    bot = bot_for(settings.player, settings.level, game)
    assert bot is not None, "nobody is here to play"
    return bot


class ServedGame:
    """One of our seats, played by a bot."""

    def __init__(
        self,
        node: Node,
        take_seat: Callable[[SeatPlayer], NetworkGame],
        bot: Bot,
        scheduler: Scheduler,
        *,
        greeting: str,
        on_change: Callable[[], None],
        on_over: Callable[[Ledger], None],
    ) -> None:
        """Take the seat; `run` does the rest.

        Args:
            node: our node.
            take_seat: takes the seat for a player; the seat is released at the end.
            bot: plays our side.
            scheduler: decides when it thinks.
            greeting: the chat line at the beginning of the game.
            on_change: called when the game begins, and when it is over.
            on_over: called with the game when it has been played to its end.
        """
        self._on_change = on_change
        self._on_over = on_over
        self._names = node.profile.names
        self._game = take_seat(
            SeatPlayer(
                bot,
                stays=False,
                scheduler=scheduler,
                on_event=self._on_event,
                on_ended=self._on_end,
            )
        )
        # When we saw the game end: inf until it does; -inf if it had ended before we took the seat.
        self._ended_s = math.inf if self.ledger.outcome is None else -math.inf
        # A game that is resumed was greeted before.
        self._greeting = greeting if self.ledger.phase in (Phase.OPEN, Phase.JOINED) else ""

    @property
    def stored(self) -> StoredGame:
        """The game in the journal."""
        return self._game.stored

    @property
    def plan_key(self) -> str:
        """The part of the configuration that it belongs to, such as ``tables/club``."""
        return str(self.stored.settings.get("served"))

    @property
    def ledger(self) -> Ledger:
        """The game so far."""
        return self._game.current.ledger

    @property
    def is_settled(self) -> bool:
        """Whether it is over, and both players have the whole game."""
        return self._game.current.runtime.is_settled

    @property
    def is_offer(self) -> bool:
        """Whether it is an offer of ours that nobody has joined."""
        return self.stored.role is Role.HOST and self.ledger.phase is Phase.OPEN

    @property
    def is_under_way(self) -> bool:
        """Whether it is being played: the seat is asked for or taken, and the game is not over."""
        return self.ledger.phase in UNDER_WAY or (
            self.stored.role is Role.GUEST and self.ledger.phase is Phase.OPEN
        )

    @property
    def is_unfinished(self) -> bool:
        """Whether there is something to continue: moves, or the signatures of its result."""
        return self.is_under_way or (self.ledger.outcome is not None and not self.is_settled)

    @property
    def occupies_place(self) -> bool:
        """Whether it occupies a place: it is under way, or over and about to be settled."""
        return self.is_ending and not self.is_settled

    @property
    def is_ending(self) -> bool:
        """Whether it is under way, or has just ended and is about to be settled."""
        return self.is_under_way or (
            self.ledger.outcome is not None
            and SYSTEM_CLOCK.monotonic() - self._ended_s < _SETTLE_TIMEOUT_S
        )

    @property
    def peer(self) -> str | None:
        """The opponent's node id; None while there is none."""
        return self._game.current.runtime.session.opponent

    @property
    def can_wait_forever(self) -> bool:
        """Whether it is the opponent's turn, and silence would never end the game."""
        ledger = self.ledger
        if ledger.outcome is not None or ledger.on_turn is not self.stored.role.other:
            return False
        return all(ledger.claimable_after_ms(reason) is None for reason in ("silence", "flag"))

    async def say(self, text: str) -> None:
        """Send the opponent a line of chat, if it is present."""
        with suppress(LocalProtocolError):  # nobody is there before the game has begun
            await self._game.say(text)

    async def run(self) -> None:
        """Play until the game is settled; cancelling it leaves the game, which can be resumed.

        An offer that nobody has joined is withdrawn then.

        Raises:
            AtaxxdError: as for `NetworkGame.run`, or an error of the bot.
        """
        with self._game, plain_errors():
            async with asyncio.TaskGroup() as group:
                attending = group.create_task(self._play(), name=f"seat of {self._name}")
                await self._game.run()
                attending.cancel()

    def release(self) -> None:
        """Release the seat of a game that is not running."""
        self._game.close()

    async def finish_ply(self) -> None:
        """Wait, for a reasonable time, until the bot has made its move."""
        if self._game.thinking:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_MOVE_TIMEOUT_S):
                    await self._game.finish_ply()

    def status(self) -> GameStatus:
        """The game at this moment."""
        ledger, offer = self.ledger, self.stored.offer
        begun = self._game.has_begun
        return GameStatus(
            name=offer.name,
            game=offer.digest,
            ruleset=offer.ruleset,
            role=self.stored.role.value,
            opponent=self.peer,
            opponent_name=None if self.peer is None else self._names.display_name(self.peer),
            plies=len(ledger.moves),
            state=self._state,
            ours_to_move=ledger.on_turn is self.stored.role and begun,
            remaining_ms=(
                self._game.remaining_ms(Side.FIRST) if begun else None,
                self._game.remaining_ms(Side.SECOND) if begun else None,
            ),
        )

    @property
    def _state(self) -> str:
        if self.ledger.outcome is not None:
            return "over"
        return "playing" if self._game.has_begun else "open"

    @property
    def _name(self) -> str:
        return self.stored.offer.name

    async def _play(self) -> None:
        game = self._game
        if not await game.begun():
            return
        self._on_change()
        if self._greeting:
            with suppress(LocalProtocolError):
                await game.say(self._greeting)
        if game.outcome is None and self.peer is not None:
            await self._log_opponent(self.peer)
        while game.outcome is None:
            event = await game.advance()
            if isinstance(event, (Said, Notice)):
                _log.info("%s: %s", self._name, event.text)
        self._ended_s = SYSTEM_CLOCK.monotonic()
        self._on_change()

    async def _log_opponent(self, peer: str) -> None:
        plies, introductions = len(self._game.moves), self._game.current.runtime.introductions
        try:
            if introductions is not None:
                await introductions.wait_for_name(peer)
        finally:
            # Log this even if the game ends before the name is known.
            shown = self._names.display_name(peer)
            _log.info("%s: playing against %s, ply %d", self._name, shown, plies)

    def _on_event(self, event: RuntimeEvent) -> None:
        if isinstance(event, OfferPublished):
            _log.info("%s: open", self._name)
            self._on_change()
        elif isinstance(event, Notice):
            _log.info("%s: %s", self._name, event.text)

    def _on_end(self, game: GameRun) -> None:
        outcome = game.ledger.outcome
        self._on_over(game.ledger)
        if outcome is not None:
            _log.info("%s: over, %s (%s)", self._name, outcome.score, outcome.termination)
        if game.proof is not None:
            _log.warning("%s: the proof of how it ended is in %s", self._name, game.proof)


TakeSeat: TypeAlias = Callable[[SeatPlayer], NetworkGame]
"""Takes our seat in a game for a player."""

# Seconds until a game is run again after an error; and after it ended without being confirmed.
_RETRY_FIRST_S, _RETRY_LAST_S = 2.0, 300.0
_CONFIRM_FIRST_S, _CONFIRM_LAST_S = 60.0, 3600.0
# How many times the end is sent to an opponent that does not confirm it. After that, the game is
# left until the node is started again.
_CONFIRM_TRIES = 12
# Seconds for all games to say goodbye.
_LEAVE_TIMEOUT_S = 10.0
# The most seconds until the journal is asked again how long a player has been silent. The silence
# may grow faster than our clock, which can stop while the machine is suspended.
_IDLE_CHECK_S = 60.0
# Milliseconds that a host has to answer a join. Meanwhile, the game takes one of the bot's places.
_HOST_ANSWER_MS = 180_000


class Games:
    """The running games of a node; `run` must run beside it.

    Attributes:
        finished: how many games were settled.
    """

    def __init__(
        self,
        node: Node,
        engines: EnginePool,
        scheduler: Scheduler,
        on_change: Callable[[], None],
        on_over: Callable[[Ledger], None] = lambda _: None,
        on_resume: Callable[[StoredGame], None] = lambda _: None,
    ) -> None:
        """Begin without games.

        Args:
            node: our node.
            engines: the pool of engines for the bots.
            scheduler: decides when they think.
            on_change: called when a game is added, begins, is over, or is gone.
            on_over: called with each game that has been played to its end.
            on_resume: called with each game before it is resumed after an error; may raise a
                `StorageError`.
        """
        self.finished = 0
        self._node = node
        self._journal = node.profile.journal
        self._engines = engines
        self._scheduler = scheduler
        self._on_change = on_change
        self._on_over = on_over
        self._on_resume = on_resume
        self._games: dict[str, ServedGame] = {}
        # Indices, since there may be thousands of games, and each event concerns only a few: games
        # by part of the configuration, how many of ours have each name, and our offers, of which
        # some may have been joined since the last `prune_offers`.
        self._by_plan_key: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._names: Counter[str] = Counter()
        self._offers: dict[str, None] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._withdrawn: set[str] = set()
        self._idle: set[str] = set()
        # When `leave_idle_games` looks at each game again, and the patience from which that was
        # computed.
        self._idle_check_s: dict[str, float] = {}
        self._patience: dict[str, int] = {}
        self._group: asyncio.TaskGroup | None = None

    def __iter__(self) -> Iterator[ServedGame]:
        """All games, in the order in which they came."""
        return iter(tuple(self._games.values()))

    def __contains__(self, game: object) -> bool:
        """Whether a game with this id is running."""
        return game in self._games

    def with_plan_key(self, plan_key: str) -> list[ServedGame]:
        """The games of a part of the configuration, such as ``tables/club``."""
        return [self._games[game] for game in self._by_plan_key.get(plan_key, ())]

    def prune_offers(self) -> list[ServedGame]:
        """Forget which games were offers and have been joined; return the offers that are left.

        A game that was joined never becomes an offer again, so no later call looks at it.
        """
        self._offers = {game: None for game in self._offers if self._games[game].is_offer}
        return [self._games[game] for game in self._offers]

    def is_hosting(self, name: str) -> bool:
        """Whether one of our own games has this name."""
        return name in self._names

    async def run(self) -> None:
        """Run games, for ever; if cancelled, it leaves them so that they can be resumed."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._group = group
                try:
                    await asyncio.Event().wait()
                finally:
                    self._group = None

    def start(
        self, settings: Settings, ruleset: str, take_seat: TakeSeat, greeting: str = ""
    ) -> None:
        """Play a game from now on.

        Args:
            settings: the settings of our seat.
            ruleset: the ruleset.
            take_seat: takes our seat for a player; the seat is released at the end.
            greeting: the chat line at the beginning of the game.

        Raises:
            AtaxxdError: there is no such player, or the seat cannot be taken.
        """
        assert self._group is not None, "`run` runs"
        served = self._make_game(settings, ruleset, take_seat, greeting)
        name, game = served.stored.offer.name, served.stored.offer.digest
        self._games[game] = served
        self._by_plan_key[served.plan_key][game] = None
        if served.stored.role is Role.HOST:
            self._names[name] += 1
            self._offers[game] = None
        self._idle_check_s[game] = -math.inf
        task = self._group.create_task(
            self._run_until_done(served.stored, greeting), name=f"game {name}"
        )
        self._tasks[game] = task
        # In a callback rather than at the end of the coroutine, since a task that is cancelled
        # before its first step never enters the coroutine.
        task.add_done_callback(lambda _: self._remove(game))
        self._on_change()

    def withdraw(self, game: ServedGame) -> None:
        """Withdraw an offer that is no longer wanted, unless somebody has joined it."""
        digest = game.stored.offer.digest
        if game.is_offer and digest not in self._withdrawn:
            self._withdrawn.add(digest)
            self._tasks[digest].cancel()

    async def leave_idle_games(self, patience_ms: Callable[[str], int]) -> None:
        """Give up games in which the opponent has been silent for too long.

        The times are those in the journal, so a restart does not give a silent player more.

        Args:
            patience_ms: the longest silence in a part of the configuration, in milliseconds.
        """
        now_s = SYSTEM_CLOCK.monotonic()
        patience = {part: patience_ms(part) for part in self._by_plan_key}
        if any(self._patience.get(part, max_ms) != max_ms for part, max_ms in patience.items()):
            self._idle_check_s = dict.fromkeys(self._idle_check_s, -math.inf)
        self._patience = patience
        # This runs on every event of any game, so each game is looked at, and the journal asked,
        # only when its opponent may have been silent for too long.
        for digest in [digest for digest, look_s in self._idle_check_s.items() if look_s <= now_s]:
            game = self._games.get(digest)
            if game is None or digest in self._idle:
                continue
            stored = game.stored
            max_ms = patience[game.plan_key]
            silent_ms = self._journal.age_ms(stored) if game.can_wait_forever else 0
            left_s = (max_ms - silent_ms) / 1000
            if left_s > 0:
                self._idle_check_s[digest] = now_s + min(left_s, _IDLE_CHECK_S)
                continue
            self._idle.add(digest)
            words = f"no move of yours has come for {format_duration(max_ms)}"
            _log.info("%s: left: %s", stored.offer.name, words)
            await game.say(f"I leave this game: {words}.")
            self._journal.finish(stored)
            if digest in self._tasks:
                self._tasks[digest].cancel()

    async def leave_all(self) -> None:
        """Leave all games, after the bots have made their moves; they can be resumed."""
        await asyncio.gather(*(game.finish_ply() for game in self))
        tasks = set(self._tasks.values())
        for task in tasks:
            if not task.cancelling():  # withdrawn a moment ago
                task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_LEAVE_TIMEOUT_S)

    def _make_game(
        self, settings: Settings, ruleset: str, take_seat: TakeSeat, greeting: str
    ) -> ServedGame:
        bot = make_served_bot(settings, ruleset.partition("/")[0], self._engines)
        return ServedGame(
            self._node, take_seat, bot, self._scheduler,
            greeting=greeting, on_change=self._on_change, on_over=self._on_over,
        )  # fmt: skip

    async def _run_until_done(self, stored: StoredGame, greeting: str) -> None:
        game, name = stored.offer.digest, stored.offer.name
        retry = Backoff(_RETRY_FIRST_S, _RETRY_LAST_S)
        confirm = Backoff(_CONFIRM_FIRST_S, _CONFIRM_LAST_S)
        unconfirmed, trouble = 0, False
        try:
            while (end := await self._play(self._games[game], trouble)) is not _NextStep.DONE:
                trouble = end is _NextStep.TROUBLE
                if end is _NextStep.UNCONFIRMED:
                    unconfirmed += 1
                    if unconfirmed > _CONFIRM_TRIES:
                        return
                await asyncio.sleep((retry if trouble else confirm).next())
                settings = Settings.restored(stored.settings)
                take = partial(self._node.resume_game, stored, settings)
                self._games[game] = self._make_game(settings, stored.offer.ruleset, take, greeting)
        except AtaxxdError as error:
            _log.error("%s: %s", name, error)
        except Exception:  # noqa: BLE001 - the error boundary; see the module docstring
            _log.exception("%s: an internal error ends this game here", name)

    def _remove(self, game: str) -> None:
        served = self._games.pop(game)
        served.release()
        part, name = served.plan_key, served.stored.offer.name
        del self._by_plan_key[part][game]
        if not self._by_plan_key[part]:
            del self._by_plan_key[part]
        if served.stored.role is Role.HOST:
            self._names[name] -= 1
            if not self._names[name]:
                del self._names[name]
        self._offers.pop(game, None)
        del self._tasks[game]
        self._withdrawn.discard(game)
        self._idle.discard(game)
        self._idle_check_s.pop(game, None)
        self._on_change()

    async def _play(self, game: ServedGame, after_trouble: bool) -> "_NextStep":
        """Play a game as far as it goes; raises errors that another try cannot mend."""
        stored, journal = game.stored, self._journal
        try:
            if after_trouble:
                self._on_resume(stored)
            await game.run()
        except asyncio.CancelledError:
            if stored.offer.digest in self._idle:
                self._tasks[stored.offer.digest].uncancel()
                return _NextStep.DONE
            if stored.offer.digest not in self._withdrawn:
                raise
            self._withdrawn.remove(stored.offer.digest)
            self._tasks[stored.offer.digest].uncancel()
            if not game.is_offer:
                return _NextStep.TROUBLE  # somebody has come after all
            journal.finish(stored)
            return _NextStep.DONE
        except HostSilent as error:
            waits = journal.age_ms(stored) < _HOST_ANSWER_MS
            if waits and stored.offer.expires_ms > SYSTEM_CLOCK.now_ms():
                return _report_trouble(game, error)
            journal.finish(stored)
            return _NextStep.DONE
        except (TransportError, StorageError, EngineError) as error:
            return _report_trouble(game, error)
        except GameError as error:
            _log.info("%s: %s", stored.offer.name, error)
            return _NextStep.DONE
        if not game.is_settled:
            return _NextStep.UNCONFIRMED
        self.finished += 1
        return _NextStep.DONE


class _NextStep(Enum):
    """What is left to do for a game that has stopped running."""

    DONE = auto()
    TROUBLE = auto()
    UNCONFIRMED = auto()


def _report_trouble(game: ServedGame, error: AtaxxdError) -> _NextStep:
    _log.warning("%s: %s It is tried again.", game.stored.offer.name, error)
    return _NextStep.TROUBLE


async def catch_up_game(
    node: Node, stored: StoredGame, connect: Connect, start: Callable[[StoredGame], None]
) -> None:
    """Try, for as long as it takes, to learn how far a restored game had come.

    Args:
        node: our node.
        stored: the game, which no other process may have meanwhile.
        connect: opens a connection to hear the opponent.
        start: runs the game once it can continue.
    """
    profile, name = node.profile, stored.offer.name
    backoff = Backoff(_RETRY_FIRST_S, _RETRY_LAST_S)
    announcer = Announcer(stored.offer, profile.key)
    try:
        with profile.home.lock(stored.offer.digest, name):
            while stored.restored:
                try:
                    stored = await recover_game(stored, profile.journal, announcer, connect)
                except (IncompleteGameError, TransportError) as error:
                    _log.warning("%s It is tried again.", error)
                    await asyncio.sleep(backoff.next())
            plies = len(profile.journal.ledger(stored).moves)
        _log.info("%s: caught up, ply %d", name, plies)
        start(stored)
    except AtaxxdError as error:
        _log.warning("%s: %s", name, error)
