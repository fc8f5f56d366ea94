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
from ataxxd.engines.native import Engines, PooledBot
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
from ataxxd.node.recovery import NotCaughtUp, caught_up
from ataxxd.node.runtime import Offered, RuntimeEvent
from ataxxd.node.series import Player
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import Scheduler
from ataxxd.rules import Side
from ataxxd.serve.status import GameStatus
from ataxxd.session.events import Notice, Said
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK, length
from ataxxd.transport.base import Connect
from ataxxd.transport.reconnecting import Backoff

_log = logging.getLogger(__name__)

# Seconds that a bot has to finish its move before the game is left.
_LAST_MOVE_S = 30.0
# Seconds within which two honest players agree that their game is over.
_SETTLES_S = 15.0


def served_bot(settings: Settings, game: str, engines: Engines) -> Bot:
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
        take: Callable[[Player], NetworkGame],
        bot: Bot,
        scheduler: Scheduler,
        *,
        greeting: str = "",
        changed: Callable[[], None] = lambda: None,
        over: Callable[[Ledger], None] = lambda _: None,
    ) -> None:
        """Take the seat; `run` does the rest.

        Args:
            node: our node.
            take: takes the seat for a player; the seat is released at the end.
            bot: plays our side.
            scheduler: decides when it thinks.
            greeting: the chat line at the beginning of the game.
            changed: called when the game begins, and when it is over.
            over: called with the game when it has been played to its end.
        """
        self._changed = changed
        self._over = over
        self._names = node.profile.names
        self._game = take(
            Player(bot, stays=False, scheduler=scheduler, told=self._told, ended=self._ended)
        )
        # When we saw the game end: inf until it does; -inf if it had ended before we took the seat.
        self._over_s = math.inf if self.ledger.outcome is None else -math.inf
        # Not again when the game is resumed.
        self._greeting = greeting if self.ledger.phase in (Phase.OPEN, Phase.JOINED) else ""

    @property
    def stored(self) -> StoredGame:
        """The game in the journal."""
        return self._game.stored

    @property
    def part(self) -> str:
        """The part of the configuration that it belongs to, such as ``tables/club``."""
        return str(self.stored.settings.get("served"))

    @property
    def ledger(self) -> Ledger:
        """The game so far."""
        return self._game.current.ledger

    @property
    def settled(self) -> bool:
        """Whether it is over, and both players have the whole game."""
        return self._game.current.runtime.settled

    @property
    def waits_for_a_guest(self) -> bool:
        """Whether it is an offer of ours that nobody has joined."""
        return self.stored.role is Role.HOST and self.ledger.phase is Phase.OPEN

    @property
    def under_way(self) -> bool:
        """Whether it is being played: the seat is asked for or taken, and the game is not over."""
        return self.ledger.phase in UNDER_WAY or (
            self.stored.role is Role.GUEST and self.ledger.phase is Phase.OPEN
        )

    @property
    def at_table(self) -> bool:
        """Whether it occupies a place: it is under way, or over and about to be settled."""
        return self.ending and not self.settled

    @property
    def ending(self) -> bool:
        """Whether it is under way, or has just ended and is about to be settled."""
        return self.under_way or (
            self.ledger.outcome is not None and SYSTEM_CLOCK.monotonic() - self._over_s < _SETTLES_S
        )

    @property
    def peer(self) -> str | None:
        """The opponent's node id; None while there is none."""
        return self._game.current.runtime.session.opponent

    @property
    def waits_without_end(self) -> bool:
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
                attending = group.create_task(self._attend(), name=f"seat of {self._name}")
                await self._game.run()
                attending.cancel()

    def release(self) -> None:
        """Release the seat of a game that is not running."""
        self._game.close()

    async def finish_ply(self) -> None:
        """Wait, for a reasonable time, until the bot has made its move."""
        if self._game.thinking:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LAST_MOVE_S):
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
            opponent_name=None if self.peer is None else self._names.shown(self.peer),
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

    async def _attend(self) -> None:
        game = self._game
        if not await game.begun():
            return
        self._changed()
        if self._greeting:
            with suppress(LocalProtocolError):
                await game.say(self._greeting)
        if game.outcome is None and self.peer is not None:
            await self._tell_peer(self.peer)
        while game.outcome is None:
            event = await game.advance()
            if isinstance(event, (Said, Notice)):
                _log.info("%s: %s", self._name, event.text)
        self._over_s = SYSTEM_CLOCK.monotonic()
        self._changed()

    async def _tell_peer(self, peer: str) -> None:
        plies, introductions = len(self._game.moves), self._game.current.runtime.introductions
        try:
            if introductions is not None:
                await introductions.learn(peer)
        finally:
            # Log this even if the game ends before the name is known.
            shown = self._names.shown(peer)
            _log.info("%s: playing against %s, ply %d", self._name, shown, plies)

    def _told(self, event: RuntimeEvent) -> None:
        if isinstance(event, Offered):
            _log.info("%s: open", self._name)
            self._changed()
        elif isinstance(event, Notice):
            _log.info("%s: %s", self._name, event.text)

    def _ended(self, game: GameRun) -> None:
        outcome = game.ledger.outcome
        self._over(game.ledger)
        if outcome is not None:
            _log.info("%s: over, %s (%s)", self._name, outcome.score, outcome.termination)
        if game.proof is not None:
            _log.warning("%s: the proof of how it ended is in %s", self._name, game.proof)


Take: TypeAlias = Callable[[Player], NetworkGame]
"""Takes our seat in a game for a player."""

# Seconds until a game is run again after an error; and after it ended without being confirmed.
_AGAIN_FIRST, _AGAIN_LAST = 2.0, 300.0
_TELL_FIRST, _TELL_LAST = 60.0, 3600.0
# How many times the end is sent to an opponent that does not confirm it; then not before the next
# start of the node.
_TELL_TIMES = 12
# Seconds for all games to say goodbye.
_GOODBYE_S = 10.0
# The most seconds until the journal is asked again how long a player has been silent. The silence
# may grow faster than our clock, which can stop while the machine is suspended.
_LOOK_S = 60.0
# Milliseconds that a host has to answer a join; meanwhile, the game takes one of the bot's places.
_ANSWER_MS = 180_000


class Games:
    """The running games of a node; `run` must run beside it.

    Attributes:
        finished: how many games were settled.
    """

    def __init__(
        self,
        node: Node,
        engines: Engines,
        scheduler: Scheduler,
        changed: Callable[[], None],
        over: Callable[[Ledger], None] = lambda _: None,
        again: Callable[[StoredGame], None] = lambda _: None,
    ) -> None:
        """Begin without games.

        Args:
            node: our node.
            engines: the pool of engines for the bots.
            scheduler: decides when they think.
            changed: called when a game is added, begins, is over, or is gone.
            over: called with each game that has been played to its end.
            again: called with each game before it is resumed after an error; may raise a
                `StorageError`.
        """
        self.finished = 0
        self._node = node
        self._journal = node.profile.journal
        self._engines = engines
        self._scheduler = scheduler
        self._changed = changed
        self._over = over
        self._again = again
        self._games: dict[str, ServedGame] = {}
        # Indices, so that news of one game does not take a scan of all games.
        self._parts: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._names: Counter[str] = Counter()
        self._offers: dict[str, None] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._withdrawn: set[str] = set()
        self._idle: set[str] = set()
        # When `leave_idle` looks at each game again, and the patience from which that was computed.
        self._looks: dict[str, float] = {}
        self._patience: dict[str, int] = {}
        self._group: asyncio.TaskGroup | None = None

    def __iter__(self) -> Iterator[ServedGame]:
        """All games, in the order in which they came."""
        return iter(tuple(self._games.values()))

    def __contains__(self, game: object) -> bool:
        """Whether a game with this id is running."""
        return game in self._games

    def of(self, part: str) -> list[ServedGame]:
        """The games of a part of the configuration, such as ``tables/club``."""
        return [self._games[game] for game in self._parts.get(part, ())]

    @property
    def offers(self) -> list[ServedGame]:
        """The offers of ours that nobody has joined."""
        # A game that was joined never becomes an offer again.
        self._offers = {game: None for game in self._offers if self._games[game].waits_for_a_guest}
        return [self._games[game] for game in self._offers]

    def hosts(self, name: str) -> bool:
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

    def carry(self, settings: Settings, ruleset: str, take: Take, greeting: str = "") -> None:
        """Play a game from now on.

        Args:
            settings: the settings of our seat.
            ruleset: the ruleset.
            take: takes our seat for a player; the seat is released at the end.
            greeting: the chat line at the beginning of the game.

        Raises:
            AtaxxdError: there is no such player, or the seat cannot be taken.
        """
        assert self._group is not None, "`run` runs"
        served = self._served(settings, ruleset, take, greeting)
        name, game = served.stored.offer.name, served.stored.offer.digest
        self._games[game] = served
        self._parts[served.part][game] = None
        if served.stored.role is Role.HOST:
            self._names[name] += 1
            self._offers[game] = None
        self._looks[game] = -math.inf
        task = self._group.create_task(self._carry(served.stored, greeting), name=f"game {name}")
        self._tasks[game] = task
        # As a callback, not at the end of the coroutine: a task that is cancelled before its first
        # step never runs it.
        task.add_done_callback(lambda _: self._gone(game))
        self._changed()

    def withdraw(self, game: ServedGame) -> None:
        """Withdraw an offer that is no longer wanted, unless somebody has joined it."""
        digest = game.stored.offer.digest
        if game.waits_for_a_guest and digest not in self._withdrawn:
            self._withdrawn.add(digest)
            self._tasks[digest].cancel()

    async def leave_idle(self, patience_ms: Callable[[str], int]) -> None:
        """Give up games in which the opponent has been silent for too long.

        The times are those in the journal, so a restart does not give a silent player more.

        Args:
            patience_ms: the longest silence in a part of the configuration, in milliseconds.
        """
        now_s = SYSTEM_CLOCK.monotonic()
        patience = {part: patience_ms(part) for part in self._parts}
        if any(self._patience.get(part, most_ms) != most_ms for part, most_ms in patience.items()):
            self._looks = dict.fromkeys(self._looks, -math.inf)
        self._patience = patience
        # This is called on any news, so look at a game, and into the journal, only when it is due.
        for digest in [digest for digest, look_s in self._looks.items() if look_s <= now_s]:
            game = self._games.get(digest)
            if game is None or digest in self._idle:
                continue
            stored = game.stored
            most_ms = patience[game.part]
            silent_ms = self._journal.age_ms(stored) if game.waits_without_end else 0
            left_s = (most_ms - silent_ms) / 1000
            if left_s > 0:
                self._looks[digest] = now_s + min(left_s, _LOOK_S)
                continue
            self._idle.add(digest)
            words = f"no move of yours has come for {length(most_ms)}"
            _log.info("%s: left: %s", stored.offer.name, words)
            await game.say(f"I leave this game: {words}.")
            self._journal.finish(stored)
            if digest in self._tasks:
                self._tasks[digest].cancel()

    async def leave(self) -> None:
        """Leave all games, after the bots have made their moves; they can be resumed."""
        await asyncio.gather(*(game.finish_ply() for game in self))
        tasks = set(self._tasks.values())
        for task in tasks:
            if not task.cancelling():  # withdrawn a moment ago
                task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_GOODBYE_S)

    def _served(self, settings: Settings, ruleset: str, take: Take, greeting: str) -> ServedGame:
        bot = served_bot(settings, ruleset.partition("/")[0], self._engines)
        return ServedGame(
            self._node, take, bot, self._scheduler,
            greeting=greeting, changed=self._changed, over=self._over,
        )  # fmt: skip

    async def _carry(self, stored: StoredGame, greeting: str) -> None:
        game, name = stored.offer.digest, stored.offer.name
        again, tell = Backoff(_AGAIN_FIRST, _AGAIN_LAST), Backoff(_TELL_FIRST, _TELL_LAST)
        told, trouble = 0, False
        try:
            while (end := await self._play(self._games[game], trouble)) is not _End.DONE:
                trouble = end is _End.TROUBLE
                if end is _End.UNCONFIRMED:
                    told += 1
                    if told > _TELL_TIMES:
                        return
                await asyncio.sleep((again if trouble else tell).next())
                settings = Settings.restored(stored.settings)
                take = partial(self._node.take_up, stored, settings)
                self._games[game] = self._served(settings, stored.offer.ruleset, take, greeting)
        except AtaxxdError as error:
            _log.error("%s: %s", name, error)
        except Exception:  # noqa: BLE001 - the error boundary; see the module docstring
            _log.exception("%s: an internal error ends this game here", name)

    def _gone(self, game: str) -> None:
        served = self._games.pop(game)
        served.release()
        part, name = served.part, served.stored.offer.name
        del self._parts[part][game]
        if not self._parts[part]:
            del self._parts[part]
        if served.stored.role is Role.HOST:
            self._names[name] -= 1
            if not self._names[name]:
                del self._names[name]
        self._offers.pop(game, None)
        del self._tasks[game]
        self._withdrawn.discard(game)
        self._idle.discard(game)
        self._looks.pop(game, None)
        self._changed()

    async def _play(self, game: ServedGame, after_trouble: bool) -> "_End":
        """Play a game as far as it goes; raises errors that another try cannot mend."""
        stored, journal = game.stored, self._journal
        try:
            if after_trouble:
                self._again(stored)
            await game.run()
        except asyncio.CancelledError:
            if stored.offer.digest in self._idle:
                self._tasks[stored.offer.digest].uncancel()
                return _End.DONE
            if stored.offer.digest not in self._withdrawn:
                raise
            self._withdrawn.remove(stored.offer.digest)
            self._tasks[stored.offer.digest].uncancel()
            if not game.waits_for_a_guest:
                return _End.TROUBLE  # somebody has come after all
            journal.finish(stored)
            return _End.DONE
        except HostSilent as error:
            waits = journal.age_ms(stored) < _ANSWER_MS
            if waits and stored.offer.expires_ms > SYSTEM_CLOCK.now_ms():
                return _trouble(game, error)
            journal.finish(stored)
            return _End.DONE
        except (TransportError, StorageError, EngineError) as error:
            return _trouble(game, error)
        except GameError as error:
            _log.info("%s: %s", stored.offer.name, error)
            return _End.DONE
        if not game.settled:
            return _End.UNCONFIRMED
        self.finished += 1
        return _End.DONE


class _End(Enum):
    """What is left to do for a game that has stopped running."""

    DONE = auto()
    TROUBLE = auto()
    UNCONFIRMED = auto()


def _trouble(game: ServedGame, error: AtaxxdError) -> _End:
    _log.warning("%s: %s It is tried again.", game.stored.offer.name, error)
    return _End.TROUBLE


async def catch_up(
    node: Node, stored: StoredGame, connect: Connect, carry: Callable[[StoredGame], None]
) -> None:
    """Try, for as long as it takes, to learn how far a restored game had come.

    Args:
        node: our node.
        stored: the game, which no other process may have meanwhile.
        connect: opens a connection to hear the opponent.
        carry: runs the game once it can continue.
    """
    profile, name = node.profile, stored.offer.name
    backoff = Backoff(_AGAIN_FIRST, _AGAIN_LAST)
    announcer = Announcer(stored.offer, profile.key)
    try:
        with profile.home.lock(stored.offer.digest, name):
            while stored.restored:
                try:
                    stored = await caught_up(stored, profile.journal, announcer, connect)
                except (NotCaughtUp, TransportError) as error:
                    _log.warning("%s It is tried again.", error)
                    await asyncio.sleep(backoff.next())
            plies = len(profile.journal.ledger(stored).moves)
        _log.info("%s: caught up, ply %d", name, plies)
        carry(stored)
    except AtaxxdError as error:
        _log.warning("%s: %s", name, error)
