"""How long to wait before trying again: exponential backoff with full jitter.

Source: Marc Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog,
2015. Full jitter keeps the clients of a restarted broker from coming back in
step.

The ceiling is low, because what is connected here is a game in play: a clock runs
while its player waits for the next attempt. One attempt in two and a half seconds
is nothing to a broker, and a player is back at most five seconds after it is.
"""

import random
from collections.abc import Callable


class Backoff:
    """The delays between attempts.

    Args:
        first: seconds; the ceiling of the first delay.
        ceiling: seconds; what the ceilings double up to.
        uniform: draws from between its two arguments; injected by tests.
    """

    def __init__(
        self,
        first: float = 0.25,
        ceiling: float = 5.0,
        uniform: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._first = first
        self._ceiling = ceiling
        self._uniform = uniform
        self._attempts = 0

    def next(self) -> float:
        """Seconds to wait before the coming attempt; grows until ``reset``."""
        ceiling = min(self._ceiling, self._first * 2.0 ** min(self._attempts, 32))
        self._attempts += 1
        return self._uniform(0.0, ceiling)

    def reset(self) -> None:
        """Starts over; called once a connection has proved stable."""
        self._attempts = 0
