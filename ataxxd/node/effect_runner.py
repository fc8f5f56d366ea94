"""Carries out the effects of a session in order: nothing is sent before it is in the journal."""

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
    """Carries out a session's effects, and makes sure that they are stored before they are sent.

    Until its latest effects are in the journal, a session is ahead of it, and nobody else may
    learn of them.
    """

    def __init__(
        self,
        journal: GameJournal,
        stored: StoredGame,
        *,
        on_kept: Callable[[Sequence[tuple[Role, AnyLogMessage]]], None],
        on_effect: Callable[[Effect], Awaitable[None]],
    ) -> None:
        """Carry out the effects of one game.

        Args:
            journal: stores the messages.
            stored: the game in it.
            on_kept: called with what has just been stored; may raise a `StorageError`, as the
                journal.
            on_effect: carries out the other effects, once the messages with them are stored.
        """
        self._journal = journal
        self._stored = stored
        self._on_kept = on_kept
        self._on_effect = on_effect
        self._lock = asyncio.Lock()
        self._running = 0
        self._idle = Signal()
        self._failed = False

    async def carry_out(self, effects: Sequence[Effect]) -> None:
        """Store and send what the session has just returned.

        Call it before awaiting anything else. If it is cancelled, the effects are carried out all
        the same, before later ones.

        Raises:
            StorageError: the journal failed; from now on nothing more is sent.
        """
        self._running += 1
        self._idle.clear()
        try:
            if self._running == 1:
                cancelled = await self._run_in_turn(effects)
            else:
                # Tasks reach the lock in the order in which they are created.
                carrying = asyncio.create_task(self._run_in_turn(effects), name="carry out")
                cancelled = await _wait_to_end(carrying)
                cancelled = carrying.result() or cancelled
        finally:
            self._running -= 1
            if not self._running:
                self._idle.set()
        if cancelled is not None:
            raise cancelled

    async def wait_until_stored(self) -> bool:
        """Wait until everything the session knows is stored; False if it never will be."""
        while self._running:
            await self._idle.wait()
        return not self._failed

    async def _run_in_turn(self, effects: Sequence[Effect]) -> asyncio.CancelledError | None:
        async with self._lock:
            if self._failed:
                return None
            cancelled = await self._keep(
                [(each.role, each.message) for each in effects if isinstance(each, Keep)]
            )
            for effect in effects:
                await self._on_effect(effect)
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
                cancelled = await _wait_to_end(keeping)
                keeping.result()
            self._on_kept(messages)
        except StorageError:
            self._failed = True
            raise
        return cancelled


async def _wait_to_end(future: asyncio.Future[Any]) -> asyncio.CancelledError | None:
    """Wait for a future to its end, even if cancelled meanwhile; returns the cancellation."""
    cancelled = None
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError as error:
            cancelled = error
    return cancelled
