"""One game that a serving node plays: nobody looks on, a bot has our seat."""

import asyncio
import logging
import math
from collections.abc import Callable
from contextlib import suppress

from ataxxd.engines.base import Bot
from ataxxd.engines.levels import DEFAULT_LEVEL, HIGHEST_LEVEL
from ataxxd.engines.pool import Engines, PooledBot
from ataxxd.errors import LocalProtocolError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game_run import GameRun
from ataxxd.node.journal import StoredGame
from ataxxd.node.network_game import NetworkGame, Player
from ataxxd.node.node import Node
from ataxxd.node.players import AUTO, bot_for
from ataxxd.node.runtime import Offered, RuntimeEvent
from ataxxd.node.settings import Settings
from ataxxd.node.thinking import Scheduler
from ataxxd.rules import Side
from ataxxd.serve.status import GameStatus
from ataxxd.session.events import Notice, Said
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK

_log = logging.getLogger(__name__)

# How long a bot may go on thinking about its move when the game is to be left.
_LAST_MOVE_S = 30.0
# How long the two players of an honest game take at most to agree that it is over.
_SETTLES_S = 15.0


def served_bot(settings: Settings, game: str, engines: Engines) -> Bot:
    """Who plays a seat as `settings` say, with lent engines where it is our own.

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
    """A seat of ours in one game, which a bot has."""

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
            node: who plays.
            take: takes the seat for a player; it is let go of at the end.
            bot: plays our side.
            scheduler: where it thinks.
            greeting: is said when the game begins.
            changed: is told when the game begins, and when it is over.
            over: is given the game when it has been played to its end.
        """
        self._changed = changed
        self._over = over
        self._names = node.profile.names
        self._game = take(
            Player(bot, stays=False, scheduler=scheduler, told=self._told, ended=self._ended)
        )
        # When it was seen to be over; of one that was over before, long ago.
        self._over_s = math.inf if self.ledger.outcome is None else -math.inf
        # Not again when it is gone on with.
        self._greeting = greeting if self.ledger.phase in (Phase.OPEN, Phase.JOINED) else ""

    @property
    def stored(self) -> StoredGame:
        """The game in the journal."""
        return self._game.stored

    @property
    def ledger(self) -> Ledger:
        """The game so far."""
        return self._game.current.ledger

    @property
    def settled(self) -> bool:
        """Whether it is over, and both players have all of it."""
        return self._game.current.runtime.settled

    @property
    def waits_for_a_guest(self) -> bool:
        """Whether it is an offer of ours that nobody has taken."""
        return self.stored.role is Role.HOST and self.ledger.phase is Phase.OPEN

    @property
    def under_way(self) -> bool:
        """Whether it keeps somebody busy: the seat is asked for, or taken, and nothing decided."""
        return self.ledger.phase in UNDER_WAY or (
            self.stored.role is Role.GUEST and self.ledger.phase is Phase.OPEN
        )

    @property
    def at_table(self) -> bool:
        """Whether it takes a place: it is under way, or over and about to be settled."""
        return self.ending and not self.settled

    @property
    def ending(self) -> bool:
        """Whether it is under way, or was over a moment ago and is about to be done with."""
        return self.under_way or (
            self.ledger.outcome is not None and SYSTEM_CLOCK.monotonic() - self._over_s < _SETTLES_S
        )

    @property
    def peer(self) -> str | None:
        """The other player; None while there is none."""
        return self._game.current.runtime.session.opponent

    @property
    def waits_without_end(self) -> bool:
        """Whether only the other player can go on, and its silence would never end the game."""
        ledger = self.ledger
        if ledger.outcome is not None or ledger.on_turn is not self.stored.role.other:
            return False
        return all(ledger.claimable_after_ms(reason) is None for reason in ("silence", "flag"))

    async def say(self, text: str) -> None:
        """Say something to the other player, if it is there."""
        with suppress(LocalProtocolError):  # nor is anybody there before it has begun
            await self._game.say(text)

    async def run(self) -> None:
        """Play until the game is settled; cancelling it leaves the game, which can be resumed.

        An offer that nobody has taken is withdrawn then.

        Raises:
            AtaxxdError: see `NetworkGame.run`, and what the bot raises.
        """
        with self._game, plain_errors():
            async with asyncio.TaskGroup() as group:
                attending = group.create_task(self._attend(), name=f"seat of {self._name}")
                await self._game.run()
                attending.cancel()

    def release(self) -> None:
        """Let go of a game that does not run."""
        self._game.close()

    async def finish_ply(self) -> None:
        """Wait, for as long as is reasonable, until the move that is thought about is made."""
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
            remaining_ms=_remaining_ms(self._game) if begun else (None, None),
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
            # Of a game that is over sooner, too.
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


def _remaining_ms(game: NetworkGame) -> tuple[int | None, int | None]:
    return (game.remaining_ms(Side.FIRST), game.remaining_ms(Side.SECOND))
