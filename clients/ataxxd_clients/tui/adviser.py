"""The engine's word on what is shown: a hint when asked for, an evaluation while wanted."""

import asyncio
from collections.abc import Callable

from ataxxd.node.control import Game
from ataxxd.rules import Position
from ataxxd_clients.analysis import GLANCE, LOOK, Adviser, Effort, Verdict, check_advice


class PositionAdviser:
    """What the engine says of one position at a time; an earlier question is dropped.

    Args:
        game: the game; in one with somebody else nothing is said until it is over.
        shown: the position that is looked at now.
        heard: called when there is something new to show of it, with a hint that was asked for.

    Attributes:
        evaluates: whether each position that is looked at is evaluated.
        verdict: on the position looked at; None while there is none.
    """

    def __init__(
        self,
        game: Game,
        shown: Callable[[], Position],
        heard: Callable[[Verdict | None], None],
    ) -> None:
        self.evaluates = False
        self.verdict: Verdict | None = None
        self._game = game
        self._shown = shown
        self._heard = heard
        self._adviser = Adviser()
        self._considering: asyncio.Task[None] | None = None

    def hint(self) -> None:
        """Look for the best move; it is handed to `heard`.

        Raises:
            CommandError: there is none, or it would be unfair.
        """
        check_advice(self._game, hint=True)
        self._consider(LOOK, hint=True)

    def toggle(self) -> None:
        """Evaluate from now on, or no longer.

        Raises:
            CommandError: it would be unfair.
        """
        check_advice(self._game)
        self.evaluates = not self.evaluates
        self.verdict = None
        self.look()

    def look(self) -> None:
        """Evaluate the position that is looked at now, if that is wanted."""
        if self.evaluates:
            self._consider(GLANCE, hint=False)

    async def close(self) -> None:
        """End a search that is under way."""
        if self._considering is not None:
            self._considering.cancel()
            await asyncio.wait({self._considering})

    def _consider(self, effort: Effort, *, hint: bool) -> None:
        if self._considering is not None:
            self._considering.cancel()
        self.verdict = None
        position = self._shown()
        if position.outcome is None:

            async def consider() -> None:
                found = await self._adviser.consider(position, effort)
                if position != self._shown():
                    return
                if self.evaluates:
                    self.verdict = found
                self._heard(found if hint else None)

            self._considering = asyncio.create_task(consider(), name="advice")
