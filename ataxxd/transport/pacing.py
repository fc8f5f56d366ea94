"""When a pattern that strangers may write to is left alone for a while."""

from collections.abc import Callable

# So many messages at once and so many a second are heard. A node that wants for processor time
# reads no more than some hundreds a second of any flood, so the rate is far below that.
_BURST, _PER_S = 128.0, 32.0
# What is heard at first after a rest.
_AFTER_REST = 64.0
# A rest is twice as long as the one before, within bounds, when it ended so short a time ago.
_SHORTEST_S, _LONGEST_S, _CALM_S = 2.0, 16.0, 4.0


class Pace:
    """What comes on one pattern, and whether that is too much for now.

    Attributes:
        but: a topic under the pattern that is heard all the time; empty for none.
        missed: called after each rest, in which anything may have been said.
        resting: nothing else under the pattern is heard now.
    """

    __slots__ = ("_heard", "_left", "_since", "_span", "but", "missed", "resting")

    def __init__(self, now: float) -> None:
        """Nothing has come; times are seconds of one clock."""
        self.but = ""
        self.missed: Callable[[str], None] | None = None
        self.resting = False
        self._left, self._since = _BURST, now
        self._span, self._heard = _SHORTEST_S, now - _CALM_S

    def is_exceeded(self, now: float) -> bool:
        """Count a message; whether it is one too many."""
        self._left = min(_BURST, self._left + (now - self._since) * _PER_S) - 1
        self._since = now
        return self._left < 0

    def rest_s(self, now: float) -> float:
        """For how many seconds the pattern rests that is left now.

        Rests end at multiples of their length, so that what several topics bring then comes at
        once.
        """
        again = now - self._heard < _CALM_S
        self._span = min(_LONGEST_S, 2 * self._span) if again else _SHORTEST_S
        return self._span - now % self._span

    def hear(self, now: float) -> None:
        """Begin anew after a rest."""
        self.resting = False
        self._heard = self._since = now
        self._left = _AFTER_REST
