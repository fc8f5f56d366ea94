"""The games of a serving node: each is carried by itself until it is settled.

The one boundary for what goes wrong in a game: it is logged, and ends or delays that game only.
"""

import asyncio
import logging
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import partial
from typing import TypeAlias

from ataxxd.engines.pool import Engines
from ataxxd.errors import AtaxxdError, EngineError, GameError, StorageError, TransportError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import HostSilent
from ataxxd.node.game_run import Connect
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame, Player
from ataxxd.node.node import Node
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import TOPICS
from ataxxd.node.recovery import NotCaughtUp, caught_up
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import Scheduler
from ataxxd.serve.game import ServedGame, served_bot
from ataxxd.session.ledger import Ledger
from ataxxd.times import SYSTEM_CLOCK, length
from ataxxd.transport.reconnecting import Backoff

_log = logging.getLogger(__name__)

Take: TypeAlias = Callable[[Player], NetworkGame]
"""Takes a seat of ours in a game for whoever is to play it."""

# Seconds until a game is tried again that met trouble; and that is over, but not confirmed.
_AGAIN_FIRST, _AGAIN_LAST = 2.0, 300.0
_TELL_FIRST, _TELL_LAST = 60.0, 3600.0
# How often the end is told to an opponent that does not confirm it; then the next start does.
_TELL_TIMES = 12
# Seconds for all games to say goodbye.
_GOODBYE_S = 10.0
# Seconds until the journal is asked again for how long a player has been silent, at most: this
# machine may sleep meanwhile.
_LOOK_S = 60.0
# How long a host may take to answer a join: until then it keeps a bot from other games.
_ANSWER_MS = 180_000


class Games:
    """The games that are carried; `run` must run beside it.

    Attributes:
        finished: how many were settled.
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
        """No games yet.

        Args:
            node: whose they are.
            engines: lent to those who think.
            scheduler: where they think.
            changed: is told when a game is added, begins, is over, or is gone.
            over: is given each game that has been played to its end.
            again: is given each game before it goes on after trouble; may raise a `StorageError`.
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
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._withdrawn: set[str] = set()
        self._idle: set[str] = set()
        # When each is looked at again, and for which patience.
        self._looks: dict[str, tuple[int, float]] = {}
        self._group: asyncio.TaskGroup | None = None

    def __iter__(self) -> Iterator[ServedGame]:
        """All games, in the order in which they came."""
        return iter(tuple(self._games.values()))

    def __contains__(self, game: object) -> bool:
        """Whether a game with this id is carried."""
        return game in self._games

    def of(self, part: str) -> list[ServedGame]:
        """The games of a part of the configuration, such as ``tables/club``."""
        return [game for game in self if game.stored.settings.get("served") == part]

    async def run(self) -> None:
        """Carry games, for ever; cancelling it leaves them so that they can be resumed."""
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
            settings: who plays it.
            ruleset: by which rules.
            take: takes our seat in it for a player; it is let go of in the end.
            greeting: is said when it begins.

        Raises:
            AtaxxdError: there is no such player, or the seat cannot be taken.
        """
        assert self._group is not None, "`run` runs"
        served = self._served(settings, ruleset, take, greeting)
        name, game = served.stored.offer.name, served.stored.offer.digest
        self._games[game] = served
        task = self._group.create_task(self._carry(served.stored, greeting), name=f"game {name}")
        self._tasks[game] = task
        # Not at the end of its work: one that is cancelled before its first step has none.
        task.add_done_callback(lambda _: self._gone(game))
        self._changed()

    def withdraw(self, game: ServedGame) -> None:
        """Take an offer back that is not wanted any more; somebody may have joined it yet."""
        digest = game.stored.offer.digest
        if game.waits_for_a_guest and digest not in self._withdrawn:
            self._withdrawn.add(digest)
            self._tasks[digest].cancel()

    async def leave_idle(self, patience_ms: Callable[[str], int]) -> None:
        """Be done with games in which only the other player can go on, and has not for too long.

        By the times in the journal, so that no restart gives a silent player more of it.

        Args:
            patience_ms: how long that is in a part of the configuration.
        """
        now_s = SYSTEM_CLOCK.monotonic()
        most: dict[str, int] = {}
        for game in self:
            stored, digest = game.stored, game.stored.offer.digest
            served = str(stored.settings.get("served"))
            if served not in most:
                most[served] = patience_ms(served)
            most_ms = most[served]
            # The journal is not asked again before it can be time: this is called at all news.
            look = self._looks.get(digest)
            if look is not None and look[0] == most_ms and now_s < look[1]:
                continue
            if not game.waits_without_end or digest in self._idle:
                continue
            left_s = (most_ms - self._journal.age_ms(stored)) / 1000
            if left_s > 0:
                self._looks[digest] = most_ms, now_s + min(left_s, _LOOK_S)
            else:
                self._idle.add(digest)
                words = f"no move of yours has come for {length(most_ms)}"
                _log.info("%s: left: %s", stored.offer.name, words)
                await game.say(f"I leave this game: {words}.")
                self._journal.finish(stored)
                if digest in self._tasks:
                    self._tasks[digest].cancel()

    async def leave(self) -> None:
        """Leave all games when the moves thought about are made; they can be resumed."""
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
        except Exception:  # noqa: BLE001 - the boundary that the module speaks of
            _log.exception("%s: an internal error ends this game here", name)

    def _gone(self, game: str) -> None:
        self._games.pop(game).release()
        del self._tasks[game]
        self._withdrawn.discard(game)
        self._idle.discard(game)
        self._looks.pop(game, None)
        self._changed()

    async def _play(self, game: ServedGame, after_trouble: bool) -> "_End":
        """Play a game as far as it goes; what cannot be mended is raised."""
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
    """What is left to do for a game that is not carried any further now."""

    DONE = auto()
    TROUBLE = auto()
    UNCONFIRMED = auto()


def _trouble(game: ServedGame, error: AtaxxdError) -> _End:
    _log.warning("%s: %s It is tried again.", game.stored.offer.name, error)
    return _End.TROUBLE


async def catch_up(
    node: Node, stored: StoredGame, connect: Connect, carry: Callable[[StoredGame], None]
) -> None:
    """Try until it is known how far a restored game has come, however long that takes.

    Args:
        node: who plays it.
        stored: the game; no other process has it meanwhile.
        connect: makes a connection on which the opponent is heard.
        carry: takes it when it can.
    """
    profile, name = node.profile, stored.offer.name
    backoff = Backoff(_AGAIN_FIRST, _AGAIN_LAST)
    announcer = Announcer(TOPICS, stored.offer, profile.key)
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
