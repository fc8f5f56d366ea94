"""When a pattern that strangers may write to is left alone for a moment."""

import math
from collections.abc import Callable

# So many messages in so many seconds are more than a node looks at; then the pattern rests.
_MOST, _MOMENT_S = 256, 1.0
# All rests end at multiples of this, so that what several topics bring at first comes at once.
_REST_S = 2.0


class Pace:
    """What comes on one pattern, and whether that is too much for now.

    Attributes:
        but: a topic under the pattern that is heard all the time; empty for none.
        missed: called after each rest, in which anything may have been said.
        resting: nothing else under the pattern is heard now.
    """

    __slots__ = ("_count", "_since", "but", "missed", "resting")

    def __init__(self) -> None:
        """Nothing has come."""
        self.but = ""
        self.missed: Callable[[], None] | None = None
        self.hear()

    def hear(self) -> None:
        """Begin anew after a rest."""
        self.resting = False
        self._count = 0
        self._since = -math.inf

    def is_exceeded(self, now: float) -> bool:
        """Count a message that comes at `now`, in seconds; whether it is one too many."""
        if now - self._since > _MOMENT_S:
            self._since, self._count = now, 0
        self._count += 1
        return self._count > _MOST


def rest_s(now: float) -> float:
    """For how many seconds a pattern rests that is left at `now`."""
    return _REST_S - now % _REST_S
