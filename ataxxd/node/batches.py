"""One sync to disk for the messages of many games that come at the same time."""

import asyncio
from collections.abc import Iterable

from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.session.roles import Role
from ataxxd_protocol.messages import AnyLogMessage

# Seconds for which more is waited for: a hop to a thread and a sync cost as much for one message
# as for fifty.
_GATHER_S = 0.004

_Batch = list[tuple[StoredGame, list[tuple[Role, AnyLogMessage]]]]


class BatchedJournal(Journal):
    """A journal whose syncs take place in a thread, for a node with many games.

    While one sync goes on, what is to be kept gathers for the next: the busier the node,
    the less each message costs, and the event loop never waits for the disk.
    """

    def __init__(self, home: Home, clock: Clock = SYSTEM_CLOCK) -> None:
        """Open the journal of a home; raises as `Journal`."""
        super().__init__(home.journal, clock)
        # A connection of its own, for one thread at a time.
        self._writer = Journal(home.journal, clock, any_thread=True)
        self._waiting: _Batch = []
        self._next: asyncio.Future[None] | None = None
        self._writing: asyncio.Task[None] | None = None

    def keep(
        self, game: StoredGame, messages: Iterable[tuple[Role, AnyLogMessage]]
    ) -> asyncio.Future[None]:
        """See `ataxxd.node.journal.GameJournal.keep`."""
        self._waiting.append((game, list(messages)))
        if self._next is None:
            self._next = asyncio.get_running_loop().create_future()
        if self._writing is None:
            self._writing = asyncio.create_task(self._write(), name="journal")
        return self._next

    def close(self) -> None:
        """Close the journal; everything kept stays. Nothing may be waiting."""
        self._writer.close()
        super().close()

    async def _write(self) -> None:
        try:
            while (kept := self._next) is not None:
                await asyncio.sleep(_GATHER_S)
                batch, self._waiting, self._next = self._waiting, [], None
                try:
                    await asyncio.to_thread(self._writer.commit, batch)
                except Exception as error:  # noqa: BLE001 - told to everybody who waits for it
                    kept.set_exception(error)
                else:
                    kept.set_result(None)
        finally:
            self._writing = None
