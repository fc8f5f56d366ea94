"""Games of an event that its players have left: taken up again until both have all of each."""

import asyncio
from collections.abc import Callable
from dataclasses import replace

from ataxxd.errors import GameError, TransportError
from ataxxd.node.closing import LAST_WORD_GRACE
from ataxxd.node.game_run import GameRun, Place
from ataxxd.node.journal import StoredGame
from ataxxd.node.settings import Settings

# Seconds until a game that could not be settled is taken up again.
_AGAIN_S = 1.0


class Unsettled:
    """The games of this node that are over, or whose round is, and that are not settled yet.

    While the event goes on the other player is there, or comes back: a node that was killed after
    the last move still wants to hear it, and one that has moved on to the next round must tell it.
    """

    def __init__(
        self, place: Place, group: asyncio.TaskGroup, settled: Callable[[GameRun], None]
    ) -> None:
        """Settle games beside whatever else is done.

        Args:
            place: where.
            group: whose tasks settle them.
            settled: is told of each game that both players are now known to have.
        """
        self._place = place
        self._group = group
        self._settled = settled
        self._tasks: dict[int, tuple[StoredGame, asyncio.Task[None]]] = {}

    def take(self, stored: StoredGame, *, lost: bool | None = None) -> None:
        """Settle a game that nobody sits at any more; nothing new where that goes on already.

        Args:
            stored: the game in the journal.
            lost: what the event counts it for, where it was not over in time: who has lost it
                resigns, so that the record says the same; who has won it claims it in the end.
        """
        if stored.id not in self._tasks:
            if lost:
                self._place.profile.journal.resigns(stored, held=True)
                stored = replace(stored, resigning=True)
            task = self._group.create_task(
                self._settle(stored, lost), name=f"settle {stored.offer.name}"
            )
            self._tasks[stored.id] = stored, task

    @property
    def left(self) -> list[StoredGame]:
        """What is not settled yet."""
        return [stored for stored, task in self._tasks.values() if not task.done()]

    async def wait(self, seconds: float) -> list[StoredGame]:
        """Wait until all are settled, and no longer than that; gives what is not."""
        tasks = [task for _, task in self._tasks.values() if not task.done()]
        if tasks:
            await asyncio.wait(tasks, timeout=seconds)
        return self.left

    async def finish(self, seconds: float = LAST_WORD_GRACE) -> list[StoredGame]:
        """Wait as `wait` does, and leave what is not settled then."""
        left = await self.wait(seconds)
        tasks = [task for _, task in self._tasks.values() if not task.done()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        return left

    async def _settle(self, stored: StoredGame, lost: bool | None) -> None:
        profile = self._place.profile
        while True:
            try:
                with profile.home.lock(stored.offer.digest, stored.offer.name):
                    seat = GameRun(
                        self._place,
                        stored,
                        profile.journal.ledger(stored),
                        Settings.restored(stored.settings),
                        claims=lost is False,
                    )
                    await seat.run()
                if seat.runtime.settled:
                    self._settled(seat)
                    return
            except (GameError, TransportError):
                pass  # the broker, or the other player, may come back
            await asyncio.sleep(_AGAIN_S)
