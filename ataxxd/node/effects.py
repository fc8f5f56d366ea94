"""Journal before send: nothing that a session answers is said before it is kept."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ataxxd.errors import StorageError
from ataxxd.node.concurrency import Signal
from ataxxd.node.journal import GameJournal, StoredGame
from ataxxd.session.events import Effect, Keep
from ataxxd.session.state import Role
from ataxxd_protocol.messages import AnyLogMessage


class EffectRunner:
    """What stands between a session's answers and everybody else.

    A session is ahead of the journal from its answer on until that is kept. Meanwhile nobody
    may learn of it.
    """

    def __init__(
        self,
        journal: GameJournal,
        stored: StoredGame,
        *,
        kept: Callable[[set[Role]], None],
        say: Callable[[Effect], Awaitable[None]],
    ) -> None:
        """Carry out what concerns one game.

        Args:
            journal: where messages are kept.
            stored: the game in it.
            kept: is told whose messages were kept, each time.
            say: carries out each effect, once what comes with it is kept.
        """
        self._journal = journal
        self._stored = stored
        self._kept = kept
        self._say = say
        self._turn = asyncio.Lock()
        self._carrying = 0
        self._idle = Signal()
        self._failed = False

    async def carry_out(self, effects: Sequence[Effect]) -> None:
        """Keep and say what the session has just answered.

        To be called before anything else is awaited after that answer. When it is cancelled
        it is done all the same, and before what is answered later.

        Raises:
            StorageError: the journal failed; from now on nothing is said any more.
        """
        self._carrying += 1
        self._idle.clear()
        try:
            if self._carrying == 1:
                cancelled = await self._in_turn(effects)
            else:
                # Tasks come to the lock in the order in which they are made.
                carrying = asyncio.create_task(self._in_turn(effects), name="carry out")
                cancelled = await _done(carrying)
                cancelled = carrying.result() or cancelled
        finally:
            self._carrying -= 1
            if not self._carrying:
                self._idle.set()
        if cancelled is not None:
            raise cancelled

    async def until_kept(self) -> bool:
        """Wait until the session knows nothing that is not kept; False when that will never be."""
        while self._carrying:
            await self._idle.wait()
        return not self._failed

    async def _in_turn(self, effects: Sequence[Effect]) -> asyncio.CancelledError | None:
        async with self._turn:
            if self._failed:
                return None
            cancelled = await self._keep(
                [(each.role, each.message) for each in effects if isinstance(each, Keep)]
            )
            for effect in effects:
                await self._say(effect)
            return cancelled

    async def _keep(
        self, messages: Sequence[tuple[Role, AnyLogMessage]]
    ) -> asyncio.CancelledError | None:
        if not messages:
            return None
        cancelled = None
        try:
            keeping = self._journal.keep(self._stored, messages)
            if keeping is not None:
                cancelled = await _done(keeping)
                keeping.result()
        except StorageError:
            self._failed = True
            raise
        self._kept({role for role, _ in messages})
        return cancelled


async def _done(future: asyncio.Future[Any]) -> asyncio.CancelledError | None:
    """Wait for a future to its end, also when cancelled meanwhile; how that was, if so."""
    cancelled = None
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled
