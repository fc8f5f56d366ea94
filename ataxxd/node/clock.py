"""Where a node's times come from: the machine's clocks, unless somebody gives it others."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks of one machine.

    Attributes:
        monotonic: seconds that never go back, from any beginning; for how long things take.
        wall: seconds since 1970-01-01 UTC, which people may set; for times of day.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time

    def now_ms(self) -> int:
        """The time of day in milliseconds, as messages have it."""
        return int(self.wall() * 1000)


SYSTEM_CLOCK = Clock()
