"""When an answer is asked for again: after a silence, which doubles each time."""

import asyncio
from collections.abc import Awaitable, Callable

from ataxxd.node.waiting import Signal

# Seconds of silence after which an answer is asked for again; doubles up to the second.
FIRST_S, LAST_S = 2.0, 30.0
# Seconds between two times that a seat is asked for, at first, and for how long: a host that is
# asked by very many reads some of what they say.
SEAT_PAUSE, SEAT_FIRST = 0.25, 10.0
# Of somebody who looks on: the first silence after which the broker is asked for the state again,
# and one that is worth a word.
WATCHER_FIRST_S, WATCHER_TOLD_S = 5.0, 30.0


class Retransmission:
    """Watches one game for silence.

    A message costs nothing here: the timer of a silence runs out, and finds that there was none.
    """

    def __init__(self) -> None:
        """Nothing was heard yet."""
        self._heard_s = -LAST_S
        self._pause_s = FIRST_S
        self._over = Signal()

    def heard(self) -> None:
        """The game has grown."""
        self._heard_s = asyncio.get_running_loop().time()
        if self._pause_s > FIRST_S:
            # The timer that runs is one of a long silence.
            self._over.set()

    async def run(self, ask: Callable[[], Awaitable[None]], *, seated: bool = True) -> None:
        """Call `ask` after each silence; until we are `seated`, oftener at first."""
        clock = asyncio.get_running_loop().time
        began, self._pause_s = clock(), FIRST_S if seated else SEAT_PAUSE
        eager_until = began + (0 if seated else SEAT_FIRST)
        while True:
            if self._heard_s > began:
                began, self._pause_s, eager_until = self._heard_s, FIRST_S, 0
            self._over.clear()
            try:
                async with asyncio.timeout_at(began + self._pause_s):
                    await self._over.wait()
            except TimeoutError:
                if self._heard_s <= began:
                    began = clock()
                    if began >= eager_until:
                        self._pause_s = min(max(self._pause_s, FIRST_S) * 2, LAST_S)
                    await ask()


class Silence:
    """A silence in a watched game, for a loop that waits for events by itself.

    Attributes:
        due: when the state is to be asked for.
    """

    def __init__(self, now: float) -> None:
        """It begins at `now`, in seconds."""
        self.heard(now)

    def heard(self, now: float) -> None:
        """The game has grown."""
        self._since = now
        self._pause_s = WATCHER_FIRST_S
        self._told = False
        self.due = now + self._pause_s

    def asked(self, now: float) -> bool:
        """The state has been asked for; whether people are to be told, once, that nothing comes."""
        self._pause_s = min(self._pause_s * 2, LAST_S)
        self.due = now + self._pause_s
        tells = not self._told and now - self._since >= WATCHER_TOLD_S
        self._told |= tells
        return tells
