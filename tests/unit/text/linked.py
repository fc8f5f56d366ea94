"""Two ends of one game joined in memory: what a network game looks like to a client.

Each end is a game that cannot be set up and whose other seat is remote.
"""

import asyncio
from collections import deque
from collections.abc import Sequence

from ataxxd.errors import LocalProtocolError
from ataxxd.node.game import Act, Game
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.events import Moved, Notice, Over, Seat, TableEvent


class LinkedTable(Game):
    """One end; make a pair with `linked_tables`."""

    def __init__(self, side: Side, start: Position) -> None:
        self._side = side
        self.positions = [start]
        self.played: list[Move] = []
        self.resigned: Outcome | None = None
        self.takebacks = False
        self.left_ms: int | None = None
        self.news: deque[TableEvent] = deque()
        self.changed = asyncio.Event()
        self.told = asyncio.Event()
        self.other: LinkedTable

    def remaining_ms(self, side: Side) -> int | None:
        """Of this end's player what a test sets; the other one has a minute, if there is time."""
        return 60_000 if self.left_ms is not None and side is not self._side else self.left_ms

    @property
    def start(self) -> Position:
        return self.positions[0]

    @property
    def position(self) -> Position:
        return self.positions[-1]

    @property
    def moves(self) -> Sequence[Move]:
        return tuple(self.played)

    @property
    def outcome(self) -> Outcome | None:
        return self.resigned or self.position.outcome

    @property
    def idle(self) -> bool:
        mine = self.outcome is not None or self.position.turn is self._side
        return mine and not self.news

    @property
    def record(self) -> GameRecord:
        return GameRecord(self.start, tuple(self.played), self.outcome)

    def seat(self, side: Side) -> Seat:
        return Seat.HUMAN if side is self._side else Seat.REMOTE

    @property
    def draw_offered_by(self) -> Side | None:
        return None

    @property
    def broker(self) -> str:
        return "a link in memory"

    def refusal(self, act: Act) -> LocalProtocolError | None:
        if act == "takeback" and self.takebacks:
            return None
        if act not in {"move", "resign"}:
            return LocalProtocolError("game/linked", f"Nobody can {act} over this link.")
        if self.outcome is not None or self.position.turn is not self._side:
            return LocalProtocolError("move/not-your-turn", "It is not your turn.")
        return None

    async def _play(self, move: Move) -> None:
        self._require("move")
        after = self.position.play(move)
        for end, seat in ((self, Seat.HUMAN), (self.other, Seat.REMOTE)):
            end.news.append(Moved(self._side, move, end.position, seat, len(end.played) + 1))
            end.positions.append(after)
            end.played.append(move)
            end.report_end()

    async def resign(self) -> None:
        self._require("resign")
        self.concede()

    def concede(self) -> None:
        """Lose the game, whoever's turn it is, as a claim on time or silence does."""
        for end in (self, self.other):
            end.resigned = Outcome("resignation", self._side.opponent)
            end.report_end()

    async def _next(self) -> TableEvent | None:
        return await self.advance()

    async def advance(self) -> TableEvent:
        while not self.news:
            self.changed.clear()
            await self.changed.wait()
        self.told.set()
        return self.news.popleft()

    def notify(self, text: str) -> None:
        self.news.append(Notice(text))
        self.changed.set()

    def report_end(self) -> None:
        if (outcome := self.outcome) is not None:
            self.news.append(Over(outcome))
        self.changed.set()

    def _require(self, act: Act) -> None:
        if (refusal := self.refusal(act)) is not None:
            raise refusal


def linked_tables(start: Position) -> tuple[LinkedTable, LinkedTable]:
    """Both ends of a new game."""
    first, second = LinkedTable(Side.FIRST, start), LinkedTable(Side.SECOND, start)
    first.other, second.other = second, first
    return first, second
