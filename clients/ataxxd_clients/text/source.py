"""Lines of input, read without blocking the event loop and without a thread.

A thread that waits in a read cannot be ended and may hang the exit of the program, and a
file descriptor set to non-blocking stays so for the other programs that share it. So a
descriptor is read only when the event loop says that something is there.
"""

import asyncio
import os
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from typing import Protocol, TextIO

from ataxxd.errors import StorageError

# Lines waiting to be obeyed before reading pauses, so that a flood stays in the pipe.
_MOST_WAITING = 1000
_CHUNK = 1 << 16
# A longer line cannot be a command; what exceeds it is dropped.
LONGEST_LINE = 4096


class LineSource(Protocol):
    """Where commands come from."""

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input. May be cancelled."""
        ...

    async def hung_up(self) -> None:
        """Return once nobody can send another line and all have been read.

        Somebody may then be waiting for this program to end. A file hangs up on nobody:
        for one this never returns.
        """
        ...


class ScriptLines:
    """Lines known beforehand, such as a start-up script; it never hangs up."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = deque(lines)

    async def read(self) -> str | None:
        """See `LineSource.read`."""
        return self._lines.popleft() if self._lines else None

    async def hung_up(self) -> None:
        """See `LineSource.hung_up`."""
        await asyncio.Event().wait()


class InTurn:
    """The lines of several sources, one source after the other."""

    def __init__(self, sources: Iterable[LineSource]) -> None:
        self._sources = deque(sources)

    async def read(self) -> str | None:
        """See `LineSource.read`."""
        while self._sources:
            if (line := await self._sources[0].read()) is not None:
                return line
            if len(self._sources) == 1:
                break
            self._sources.popleft()
        return None

    async def hung_up(self) -> None:
        """See `LineSource.hung_up`."""
        await self._sources[-1].hung_up()


class LoggedLines:
    """Lines of another source, each written to a file as it is read; empty ones are not.

    The log is a script: read as input it repeats the session.
    """

    def __init__(self, source: LineSource, log: TextIO) -> None:
        self._source = source
        self._log = log

    async def read(self) -> str | None:
        """See `LineSource.read`.

        Raises:
            StorageError: the log cannot be written.
        """
        line = await self._source.read()
        if line is not None and line.strip():
            try:
                self._log.write(line.strip() + "\n")
                self._log.flush()
            except OSError as error:
                # What could not be written would be tried again, and fail again, at the close.
                with suppress(OSError):
                    self._log.close()
                raise StorageError(f"The log cannot be written: {error.strerror}.") from None
        return line

    async def hung_up(self) -> None:
        """See `LineSource.hung_up`."""
        await self._source.hung_up()


class DescriptorLines:
    """Lines from an open file descriptor: a pipe, a terminal, a socket or a file.

    Bytes that are not UTF-8 become replacement characters. The descriptor stays open and
    its settings as they are; call `close` to stop listening to it.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lines: deque[str] = deque()
        self._partial = b""
        self._ended = False
        self._listening = False
        # Regular files and /dev/null are always ready and cannot be listened to.
        self._always_ready = False
        self._changed = asyncio.Event()

    async def read(self) -> str | None:
        """See `LineSource.read`."""
        while not self._lines and not self._ended:
            await self._wait()
        line = self._lines.popleft() if self._lines else None
        if not self._lines:
            self._listen()
        self._changed.set()
        return line

    async def hung_up(self) -> None:
        """See `LineSource.hung_up`."""
        self._listen()
        while self._always_ready or self._lines or not self._ended:
            self._changed.clear()
            await self._changed.wait()

    def close(self) -> None:
        """Stop listening; the descriptor stays open."""
        if self._listening:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._listening = False

    async def _wait(self) -> None:
        self._listen()
        if self._always_ready:
            self._receive()
        else:
            self._changed.clear()
            await self._changed.wait()

    def _listen(self) -> None:
        if self._listening or self._always_ready or self._ended:
            return
        try:
            asyncio.get_running_loop().add_reader(self._descriptor, self._receive)
        except PermissionError:
            self._always_ready = True
        else:
            self._listening = True

    def _receive(self) -> None:
        try:
            chunk = os.read(self._descriptor, _CHUNK)
        except OSError:
            chunk = b""  # a terminal that is gone
        *whole, self._partial = (self._partial + chunk).split(b"\n")
        if not chunk:
            self._ended = True
            if self._partial:
                whole, self._partial = [self._partial], b""
        # One byte too many is kept to show that the line was too long.
        self._partial = self._partial[: LONGEST_LINE + 1]
        self._lines.extend(line.decode(errors="replace").rstrip("\r") for line in whole)
        if self._ended or len(self._lines) >= _MOST_WAITING:
            self.close()
        self._changed.set()
