"""A person whose lines are known beforehand."""

import asyncio
from collections import deque
from collections.abc import Iterable


class ScriptLines:
    """Lines known beforehand; it never hangs up."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = deque(lines)

    @property
    def is_interactive(self) -> bool:
        """See `LineSource.is_interactive`."""
        return False

    async def read(self) -> str | None:
        """See `LineSource.read`."""
        return self._lines.popleft() if self._lines else None

    async def wait_until_closed(self) -> None:
        """See `LineSource.wait_until_closed`."""
        await asyncio.Event().wait()
