"""A program of the Ataxx line language at pipes, watched as the course's harness watches one.

From each line of output everything up to the last ``>`` is dropped first. Lines that begin
with ``*`` must be messages, and each must be waited for.
"""

import asyncio
import re
import sys
from contextlib import suppress

from tests.time_limits import DEADLINE

PROGRAM = (sys.executable, "-m", "ataxxd")

_MESSAGE = re.compile(r"\* (?:(?:Red|Blue) (?:moves (-|[a-g][1-7]-[a-g][1-7])|wins)|Draw)\.")
_FORBIDDEN = ("passes", "wins", "Draw", "moves", "===")
_MAX_LINES = 1000


class Program:
    """A program under test and what it has printed; `start` makes one."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._messages: asyncio.Queue[str | None] = asyncio.Queue()
        self._printing = asyncio.create_task(self._listen())
        self._complaining = asyncio.create_task(self._hear_errors())
        self._strict = True
        self._dumped = asyncio.Event()
        self.errors: list[str] = []
        self.moves: list[str] = []
        self.result: str | None = None

    @classmethod
    async def start(cls, *arguments: str) -> "Program":
        """Start ``ataxxd`` with these arguments, its three streams pipes."""
        pipe = asyncio.subprocess.PIPE
        return cls(
            await asyncio.create_subprocess_exec(
                *PROGRAM, *arguments, stdin=pipe, stdout=pipe, stderr=pipe
            )
        )

    def send(self, text: str) -> None:
        """Give the program lines of input."""
        self.write(text + "\n")

    def write(self, text: str) -> None:
        """Give the program some characters of input."""
        assert self._process.stdin is not None
        self._process.stdin.write(text.encode())

    async def reads(self) -> None:
        """Wait until the program has started and obeys what it is given."""
        self.send("dump")
        async with asyncio.timeout(DEADLINE):
            await self._dumped.wait()

    def ignore_messages(self) -> None:
        """Let messages pass that nobody waits for."""
        self._strict = False

    async def move(self) -> bool:
        """Wait for a move; False when the result came."""
        async with asyncio.timeout(DEADLINE):
            return self._take(await self._messages.get())

    async def play_to_result(self) -> None:
        """Wait for moves until there is a result."""
        async with asyncio.timeout(DEADLINE):
            while await self.move():
                pass

    async def finish(self) -> int:
        """Close the input and wait for the end; return the exit status."""
        assert self._process.stdin is not None
        with suppress(BrokenPipeError, ConnectionResetError):
            self._process.stdin.close()
            await self._process.stdin.wait_closed()
        async with asyncio.timeout(DEADLINE):
            status = await self._process.wait()
            await asyncio.gather(self._printing, self._complaining)
        left = [self._messages.get_nowait() for _ in range(self._messages.qsize())]
        assert left == [None] or not self._strict, f"nobody waited for {left}"
        return status

    async def kill(self) -> None:
        """End the program if it still runs."""
        if self._process.returncode is None:
            self._process.kill()
            await self._process.wait()
        for task in (self._printing, self._complaining):
            task.cancel()
        await asyncio.gather(self._printing, self._complaining, return_exceptions=True)

    def _take(self, message: str | None) -> bool:
        assert message is not None, f"the program ended; its errors were {self.errors}"
        found = _MESSAGE.fullmatch(message)
        assert found is not None, f"not a message: {message!r}"
        if found[1] is None:
            self.result = message
            return False
        self.moves.append(found[1])
        return True

    async def _listen(self) -> None:
        assert self._process.stdout is not None
        count, dumping = 0, False
        while raw := await self._process.stdout.readline():
            count += 1
            assert count < _MAX_LINES
            line = re.sub(r"^.*>\s*", "", raw.decode().rstrip("\n"))
            if line == "===" or dumping:
                dumping ^= line == "==="
                if not dumping:
                    self._dumped.set()
            elif line.lstrip().startswith("*"):
                self._messages.put_nowait(line)
            else:
                found = [word for word in _FORBIDDEN if word in line]
                assert not found, f"{line!r} contains {found}"
        self._messages.put_nowait(None)

    async def _hear_errors(self) -> None:
        assert self._process.stderr is not None
        while raw := await self._process.stderr.readline():
            self.errors.append(raw.decode().rstrip("\n"))
            assert len(self.errors) < _MAX_LINES
