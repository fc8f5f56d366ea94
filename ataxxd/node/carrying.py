"""Keep first, say afterwards: the effects of one session, carried out in their order."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from ataxxd.errors import StorageError
from ataxxd.node.journal import GameJournal, StoredGame
from ataxxd.session.effects import Effect, Keep
from ataxxd.session.roles import Role
from ataxxd_protocol.messages import AnyLogMessage


class Carrier:
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
        # Those who wait for it get it in the order in which they came.
        self._turn = asyncio.Lock()
        self._carrying = 0
        self._failed = False

    async def carry_out(self, effects: Sequence[Effect]) -> None:
        """Keep and say what the session has just answered.

        To be called before anything else is awaited after that answer. When it is cancelled
        it is done all the same: what is kept is said.

        Raises:
            StorageError: the journal failed; from now on nothing is said any more.
        """
        self._carrying += 1
        try:
            async with self._turn:
                if self._failed:
                    return
                cancelled = await self._keep(
                    [(each.role, each.message) for each in effects if isinstance(each, Keep)]
                )
                for effect in effects:
                    await self._say(effect)
        finally:
            self._carrying -= 1
        if cancelled is not None:
            raise cancelled

    async def until_kept(self) -> bool:
        """Wait until the session knows nothing that is not kept; False when that will never be."""
        while self._carrying:
            async with self._turn:
                pass
        return not self._failed

    async def _keep(
        self, messages: Sequence[tuple[Role, AnyLogMessage]]
    ) -> asyncio.CancelledError | None:
        if not messages:
            return None
        cancelled = None
        try:
            keeping = self._journal.keep(self._stored, messages)
            while keeping is not None and not keeping.done():
                try:
                    await asyncio.wait({keeping})
                except asyncio.CancelledError as error:
                    cancelled = error
            if keeping is not None:
                keeping.result()
        except StorageError:
            self._failed = True
            raise
        self._kept({role for role, _ in messages})
        return cancelled
