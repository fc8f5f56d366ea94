"""What is said beside a table, and whom the person does not want to hear."""

from collections import deque
from collections.abc import Sequence

from ataxxd.sanitize import sanitized
from ataxxd_clients.text.commands import CommandError
from ataxxd_clients.web.messages import Said

# What a page that comes later is told; and names, of which anybody can make up any number.
_MOST_LINES, _MOST_MUTED = 200, 200


class Talk:
    """The talk at one table; pages that come later hear what was said before."""

    def __init__(self) -> None:
        self._lines: deque[Said] = deque(maxlen=_MOST_LINES)
        self._muted: list[str] = []
        self._number = 0

    @property
    def lines(self) -> Sequence[Said]:
        """What was said, as it is told to a page that comes later."""
        return [line.model_copy(update={"earlier": True}) for line in self._lines]

    @property
    def muted(self) -> list[str]:
        """Whom the person does not want to hear."""
        return [*self._muted]

    def hear(self, speaker: str, text: str, *, mine: bool = False) -> Said:
        """Keep what somebody said."""
        self._number += 1
        said = Said(number=self._number, speaker=speaker, text=sanitized(text), mine=mine)
        self._lines.append(said)
        return said

    def mute(self, speaker: str, *, muted: bool) -> None:
        """Listen to somebody no more, or again.

        Raises:
            CommandError: there are too many already.
        """
        if speaker in self._muted:
            self._muted.remove(speaker)
        if muted:
            if len(self._muted) >= _MOST_MUTED:
                msg = f"You have muted {_MOST_MUTED} already; hear one of them again first."
                raise CommandError(msg)
            self._muted.append(speaker)
