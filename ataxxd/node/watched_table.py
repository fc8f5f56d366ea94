"""A watched game as clients see it: a `Table` at which nobody here has a seat."""

import asyncio
from typing import NoReturn

from ataxxd.errors import LocalProtocolError
from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.control import Begun, Notice, Seat, TableEvent
from ataxxd.node.events import Followed
from ataxxd.node.ledger_table import LedgerTable
from ataxxd.node.names import NameBook
from ataxxd.node.table_events import table_event
from ataxxd.node.talk import TalkRoom
from ataxxd.node.watching import Watcher
from ataxxd.rules import Move, Side
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd_protocol.messages import Offer


class WatchedTable(LedgerTable):
    """The game of a watcher; `run` must run beside it."""

    def __init__(
        self,
        watcher: Watcher,
        room: TalkRoom | None = None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        note: str = "",
    ) -> None:
        """Look on at the game of `watcher`, and talk in `room` where there is one.

        `note` is told before everything else.
        """
        self._watcher = watcher
        self._session = watcher.session
        self._clock = clock
        self._tip, self._since = self._ledger.tip, clock.monotonic()
        self._room = room
        # The session of a game is where its events begin: what comes before is of the last one.
        self._events: asyncio.Queue[TableEvent | SpectatorSession] = asyncio.Queue()
        if note:
            self._events.put_nowait(Notice(note))

    async def run(self) -> None:
        """Take in what happens, until nothing more is to be expected."""
        async for event in self._watcher.events():
            self._follow()
            if isinstance(event, Followed):
                self._events.put_nowait(self._watcher.session)
                continue
            ledger = self._watcher.session.ledger
            told = table_event(event, ledger, self.seat, self._names)
            if told is not None:
                self._events.put_nowait(told)

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def offer(self) -> Offer:
        """Of the game that is shown."""
        return self._ledger.offer

    @property
    def _names(self) -> NameBook | None:
        introductions = self._watcher.introductions
        return None if introductions is None else introductions.names

    @property
    def _thought_ms(self) -> int:
        self._follow()
        return int((self._clock.monotonic() - self._since) * 1000)

    def _follow(self) -> None:
        """Begin to time the turn anew when the game has gone on."""
        if self._tip != self._ledger.tip:
            self._tip, self._since = self._ledger.tip, self._clock.monotonic()

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._watcher.broker

    @property
    def idle(self) -> bool:
        """True when everything is reported and the game is over."""
        return self._events.empty() and self.outcome is not None

    def seat(self, side: Side) -> Seat:  # noqa: ARG002 -- both alike
        """Others fill both seats."""
        return Seat.REMOTE

    async def advance(self) -> TableEvent:
        """The next thing that happened; see `ataxxd.node.control.Table.advance`."""
        event = await self._events.get()
        if not isinstance(event, SpectatorSession):
            return event
        self._session = event
        return Begun(None)

    async def play(self, move: Move) -> None:  # noqa: ARG002
        """Refused: see `ataxxd.node.control.Table.play`."""
        self._refuse()

    async def resign(self) -> None:
        """Refused: see `ataxxd.node.control.Table.resign`."""
        self._refuse()

    async def offer_draw(self) -> None:
        """Refused: see `ataxxd.node.control.Table.offer_draw`."""
        self._refuse()

    async def answer_draw(self, *, accept: bool) -> None:  # noqa: ARG002
        """Refused: see `ataxxd.node.control.Table.answer_draw`."""
        self._refuse()

    @property
    def connected(self) -> bool:
        """Whether there is a connection to the broker now."""
        return self._watcher.connected

    @property
    def may_talk(self) -> bool:
        """Whether anybody hears what is said here."""
        return self._room is not None

    async def talk(self, text: str) -> None:
        """Say something to the others; see `ataxxd.node.control.TalkTable.talk`."""
        if self._room is None:
            raise LocalProtocolError(
                "talk/unheard", "Nobody hears you: to talk to others who look on, add --talk."
            )
        try:
            await self._room.say(text)
        except ValueError:
            raise LocalProtocolError(
                "talk/unsayable", "Not said: it must be one line of 1 to 500 visible characters."
            ) from None

    def _refuse(self) -> NoReturn:
        raise LocalProtocolError(
            "move/no-seat", "You are watching this game; the players have the seats."
        )
