"""A game that is only watched: implements `ataxxd.node.game.Game`."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager

from ataxxd.errors import LocalProtocolError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game import Act
from ataxxd.node.ledger_game import LedgerGame
from ataxxd.node.names import NameBook
from ataxxd.node.presence import TalkRoom
from ataxxd.node.watching import Watcher
from ataxxd.rules import Side
from ataxxd.session.events import (
    Begun,
    Closed,
    GameEvent,
    Ignored,
    Named,
    Notice,
    Rejected,
    Seat,
    Started,
    TableEvent,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd_protocol.messages import Offer


class WatchedGame(LedgerGame):
    """A game that we watch. Either `run` it beside its use, or use it within `carried`."""

    def __init__(
        self,
        watcher: Watcher,
        room: TalkRoom | None = None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        note: str = "",
    ) -> None:
        """Watch the game of `watcher`, and chat in `room` if given.

        `note` is reported before everything else.
        """
        self._watcher = watcher
        self._session = watcher.session
        self._clock = clock
        self._tip, self._since = self._ledger.tip, clock.monotonic()
        self._room = room
        # `Begun` comes with the session of the next game; events before it are of the last one.
        self._events: asyncio.Queue[TableEvent | tuple[Begun, SpectatorSession]] = asyncio.Queue()
        if note:
            self._events.put_nowait(Notice(note))

    @asynccontextmanager
    async def carried(self) -> AsyncIterator["WatchedGame"]:
        """The game, watched while the block lasts."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._carrier = group.create_task(self.run(), name="watching")
                try:
                    yield self
                finally:
                    self._carrier.cancel()

    async def run(self) -> None:
        """Receive events until nothing more is expected."""
        async for event in self._watcher.events():
            self._restart_turn_time()
            match event:
                case Started() | Closed() | Rejected() | Ignored() | Named(side=None):
                    pass
                case Begun():
                    self._events.put_nowait((event, self._watcher.session))
                case _:
                    self._events.put_nowait(event)

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def offer(self) -> Offer:
        """The offer of the game shown."""
        return self._ledger.offer

    @property
    def players(self) -> dict[Side, str]:
        """The node id of each side; empty before the game has begun."""
        ledger = self._ledger
        if ledger.host_side is None or ledger.join is None:
            return {}
        host = ledger.host_side
        return {host: ledger.offer.host, host.opponent: ledger.join.author}

    @property
    def _names(self) -> NameBook | None:
        introductions = self._watcher.introductions
        return None if introductions is None else introductions.names

    @property
    def _thought_ms(self) -> int:
        self._restart_turn_time()
        return int((self._clock.monotonic() - self._since) * 1000)

    def _restart_turn_time(self) -> None:
        """Restart the time of the turn if the game has grown."""
        if self._tip != self._ledger.tip:
            self._tip, self._since = self._ledger.tip, self._clock.monotonic()

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._watcher.broker

    @property
    def idle(self) -> bool:
        """Whether all events are reported and the game is over."""
        return self._events.empty() and self.outcome is not None

    def seat(self, side: Side) -> Seat:  # noqa: ARG002 -- both alike
        """Always remote: others play both sides."""
        return Seat.REMOTE

    async def advance(self) -> TableEvent:
        """The next event; see `Game.advance`."""
        event = await self._events.get()
        if isinstance(event, tuple):
            event, self._session = event
        return event

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """The events from the first move of the game; see `Game.events`."""
        while (event := await self._next()) is not None:
            yield event

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""
        if act != "talk":
            return LocalProtocolError(
                "move/no-seat", "You are watching this game; the players have the seats."
            )
        if self._room is None:
            return LocalProtocolError(
                "talk/unheard", "Nobody can hear you: to talk to other spectators, add --talk."
            )
        return None

    @property
    def connected(self) -> bool:
        """Whether the broker is connected now."""
        return self._watcher.connected

    async def talk(self, text: str) -> None:
        """Send the other spectators a line of chat; see `Game.talk`."""
        if self._room is None:
            raise self._why_not("talk")
        try:
            await self._room.say(text)
        except ValueError:
            raise LocalProtocolError(
                "talk/unsayable", "Not said: it must be one line of 1 to 500 visible characters."
            ) from None
