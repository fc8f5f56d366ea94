"""A seat in a network game as clients see it: the `Table` of `ataxxd.node.control`."""

import asyncio
from collections.abc import Sequence

from ataxxd.bots.base import Bot
from ataxxd.errors import LocalProtocolError
from ataxxd.node.control import Moved, Notice, Over, Seat, TableEvent
from ataxxd.node.runtime import PlayerRuntime, Presence
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.session.effects import Closed, Ended, Played, Started
from ataxxd.session.record import Standing


class NetworkTable:
    """Our seat in a game over a broker; `bot` plays it when there is one."""

    def __init__(
        self, runtime: PlayerRuntime, bot: Bot | None = None, *, seed: int | None = None
    ) -> None:
        """Sit down; `runtime.run` must run beside."""
        self._runtime = runtime
        self._bot = bot
        self._seed = seed
        self._ended = False

    @property
    def start(self) -> Position:
        """The position the game began from."""
        return self._runtime.session.ledger.start

    @property
    def position(self) -> Position:
        """The position now."""
        return self._runtime.session.ledger.position

    @property
    def moves(self) -> Sequence[Move]:
        """The moves played so far."""
        return self._runtime.session.ledger.moves

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None."""
        return self._runtime.session.ledger.outcome
