"""How long a player has had what it must answer, and how long it has waited for an answer."""

import time
from collections.abc import Callable


class Stopwatch:
    """Times one player in one game by a clock that does not jump.

    The three times differ in what they forgive: thinking goes on while there is no
    connection and over a restart; waiting begins anew with each connection, because until
    then no answer could come; and *having had* is not known over a lost connection.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic, age_ms: int = 0) -> None:
        """Start timing.

        Args:
            clock: seconds from any fixed moment.
            age_ms: how long ago the newest message of the game was kept, before a restart.
        """
        self._clock = clock
        self._waiting = clock()
        self._newest = self._waiting - age_ms / 1000
        self._unbroken = False
        self._received = self._newest
        self._answered: float | None = None

    def turned(self, *, ours: bool) -> None:
        """A message of ours or of the other player was added to the game: a turn begins."""
        self._newest = self._waiting = self._clock()
        if not ours:
            self._received, self._answered, self._unbroken = self._newest, None, True
        elif self._answered is None:
            self._answered = self._newest

    def connected(self) -> None:
        """A connection was made."""
        self._waiting = self._clock()
        self._unbroken = False

    @property
    def elapsed_ms(self) -> int:
        """Since the newest message of the game."""
        return int((self._clock() - self._newest) * 1000)

    @property
    def waited_ms(self) -> int:
        """Since then, or since an answer could reach us."""
        return int((self._clock() - self._waiting) * 1000)

    @property
    def had_ms(self) -> int | None:
        """How long we had the other player's newest message before we answered it, if we did.

        None when the connection was lost since it came: our answer may have been on its way
        for as long as anybody says that it waited.
        """
        if not self._unbroken:
            return None
        until = self._clock() if self._answered is None else self._answered
        return int((until - self._received) * 1000)
