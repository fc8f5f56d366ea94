"""Real ataxxd processes for tests: homes of their own, heard line by line, always reaped.

Nothing here sleeps to wait: every wait is for a line, for the end of a process, or for a
deadline that means failure. A process that wrote a traceback fails the test that started
it, whatever else it did.
"""

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

from ataxxd.errors import ExitCode
from tests.time_limits import DEADLINE

T = TypeVar("T")


def program_at(day: int) -> Sequence[str]:
    """The program on a machine whose time of day is so many days ahead."""
    if not day:
        return (sys.executable, "-m", "ataxxd")
    ahead = (
        "from ataxxd.times import SYSTEM_CLOCK as clock; wall = clock.wall; "
        f"object.__setattr__(clock, 'wall', lambda: wall() + {day * 86_400}); "
        "from ataxxd.__main__ import main; main()"
    )
    return (sys.executable, "-c", ahead)


class Lines:
    """What a process has written to one of its outputs, line by line."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.ended = False
        self._changed = asyncio.Event()

    def __str__(self) -> str:
        return "\n".join(self.lines)

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Collect everything until the stream ends."""
        while line := await stream.readline():
            self.lines.append(line.decode(errors="replace").rstrip("\n"))
            self._wake()
        self.ended = True
        self._wake()

    async def find(self, holds: Callable[[str], bool], start: int = 0) -> int | None:
        """Index of the first line from `start` on that `holds`; None when the stream ends first."""
        while True:
            for index in range(start, len(self.lines)):
                if holds(self.lines[index]):
                    return index
            start = max(start, len(self.lines))
            if self.ended:
                return None
            await self._changed.wait()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()


class Running:
    """One ataxxd process.

    Attributes:
        out: its standard output.
        err: its standard error.
    """

    def __init__(self, process: asyncio.subprocess.Process, arguments: Sequence[str]) -> None:
        self.out = Lines()
        self.err = Lines()
        self._process = process
        self._arguments = arguments
        self._next = 0
        assert process.stdout is not None
        assert process.stderr is not None
        self._readers = [
            asyncio.create_task(self.out.read(process.stdout), name="stdout"),
            asyncio.create_task(self.err.read(process.stderr), name="stderr"),
        ]

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it is still running."""
        return self._process.returncode is None

    def report(self) -> str:
        """Everything known of the process, for a failure's message."""
        tail = "\n".join(self.out.lines[-20:])
        return (
            f"ataxxd {' '.join(self._arguments)} (exit status {self._process.returncode})\n"
            f"--- its errors:\n{self.err}\n--- the end of its output:\n{tail}"
        )

    async def says(self, text: str, start: int = 0) -> str:
        """The first line with `text` on standard error; fails when it never comes."""
        return await self._line(self.err, "standard error", text, start)

    async def says_often(self, text: str, count: int) -> list[str]:
        """The first so many lines with `text` on standard error; fails when they never come."""
        found: list[str] = []
        start = 0
        while len(found) < count:
            wanted = self.err.find(lambda line: text in line, start)
            index = await self._in_time(wanted, f"{count} times {text!r}")
            assert index is not None, f"it ended without {count} times {text!r}:\n{self.report()}"
            found.append(self.err.lines[index])
            start = index + 1
        return found

    async def tells(self, text: str) -> bool:
        """Wait for a line with `text` on standard error; False when it ended without."""
        found = self.err.find(lambda line: text in line)
        return await self._in_time(found, repr(text)) is not None

    async def prints(self, text: str, start: int = 0) -> str:
        """The first line with `text` on standard output; fails when it never comes."""
        return await self._line(self.out, "standard output", text, start)

    async def has_printed(self, count: int) -> bool:
        """Wait for `count` lines of standard output; False when it ended with fewer."""
        found = await self._in_time(self.out.find(lambda _: True, count - 1), f"{count} lines")
        return found is not None

    async def next_line(self) -> str | None:
        """The next line of standard output, None at its end."""
        found = await self._in_time(self.out.find(lambda _: True, self._next), "a line")
        if found is None:
            return None
        self._next = found + 1
        return self.out.lines[found]

    async def type(self, *lines: str) -> None:
        """Write lines to standard input."""
        assert self._process.stdin is not None
        self._process.stdin.write("".join(line + "\n" for line in lines).encode())
        await self._process.stdin.drain()

    def hang_up(self) -> None:
        """Close standard input."""
        assert self._process.stdin is not None
        self._process.stdin.close()

    async def ends(self, *codes: int) -> int:
        """Wait for its end and check that its exit status is one of `codes`, or else 0."""
        code = await self._in_time(self.end(), "its end")
        wanted = codes or (ExitCode.OK,)
        assert code in wanted, f"exit status not {wanted}:\n{self.report()}"
        return code

    async def end(self) -> int:
        """Wait for its end, however long it takes.

        Returns:
            The exit status; that of a signal is its number below 0.
        """
        code = await self._process.wait()
        await asyncio.gather(*self._readers)
        return code

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        if self.alive:
            # Not by the process object: it looks for the end first, and would take the exit
            # status of one that has just ended away from whoever waits for it.
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def kill(self) -> None:
        """End it as a power cut would, and wait until it is gone."""
        self.send(signal.SIGKILL)
        await self._process.wait()
        await asyncio.gather(*self._readers)

    async def close(self) -> None:
        """Kill it if need be, free its pipes, and check that it wrote no traceback."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self.kill()
        assert "Traceback" not in str(self.err), self.report()

    async def _line(self, where: Lines, name: str, text: str, start: int) -> str:
        found = await self._in_time(where.find(lambda line: text in line, start), repr(text))
        assert found is not None, f"it ended without {text!r} on {name}:\n{self.report()}"
        return where.lines[found]

    async def _in_time(self, work: Awaitable[T], what: str) -> T:
        try:
            async with asyncio.timeout(DEADLINE):
                return await work
        except TimeoutError:
            raise AssertionError(
                f"{what} did not come in {DEADLINE:g} s:\n{self.report()}"
            ) from None


class Node:
    """A node: a home of its own, and a broker unless the default is to be used.

    Attributes:
        home: its folder; made by the program.
    """

    def __init__(self, nodes: "Nodes", home: Path, broker: str | None) -> None:
        self.home = home
        self._nodes = nodes
        self._broker = broker

    async def start(
        self, *arguments: str | Path, typed: bool = False, prefix: Sequence[str] = ()
    ) -> Running:
        """Start a command.

        Args:
            arguments: of ataxxd.
            typed: open a pipe as its standard input.
            prefix: what the program is run by, which must turn into it (``exec``).
        """
        words = [str(argument) for argument in arguments]
        environment = {
            **{name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ},
            "HOME": str(self.home),
            "ATAXXD_HOME": str(self.home),
            "PYTHONUNBUFFERED": "1",
        }
        if self._broker is not None:
            environment["ATAXXD_BROKER"] = self._broker
        running = Running(
            await asyncio.create_subprocess_exec(
                *self._nodes.prefix,
                *prefix,
                *program_at(self._nodes.day),
                *words,
                stdin=asyncio.subprocess.PIPE if typed else asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env=environment,
                cwd=self._nodes.folder,
            ),
            words,
        )
        self._nodes.running.append(running)
        return running

    async def run(self, *arguments: str | Path, code: int = ExitCode.OK) -> Running:
        """Run a command to its end, which must be `code`."""
        running = await self.start(*arguments)
        await running.ends(code)
        return running

    async def host(
        self, name: str, *options: str | Path, typed: bool = False, prefix: Sequence[str] = ()
    ) -> Running:
        """Start hosting, and wait until the offer is announced to people."""
        running = await self.start("host", name, *options, typed=typed, prefix=prefix)
        await running.says("Waiting for a guest")
        return running

    async def lists(self, *words: str) -> None:
        """Look at the games until the list has these words; a busy machine is late with it."""
        listed = ""
        while not all(word in listed for word in words):
            listed = str((await self.run("games", "--wait", "0.5")).out)


class Nodes:
    """The nodes of one test.

    Attributes:
        folder: where homes and files are.
        broker: address for all nodes; None leaves them to the default.
        prefix: what every command is run by.
        day: by how many days the clocks of commands that are started are ahead.
        running: every process started.
    """

    def __init__(self, folder: Path, broker: str | None, prefix: Sequence[str] = ()) -> None:
        self.folder = folder
        self.broker = broker
        self.prefix = tuple(prefix)
        self.day = 0
        self.running: list[Running] = []

    def node(self, name: str, *, broker: str | None = None) -> Node:
        """The node whose home is called `name`."""
        return Node(self, self.folder / name, broker or self.broker)

    async def close(self) -> None:
        """End whatever still runs; raises for every process that wrote a traceback."""
        results = await asyncio.gather(
            *(running.close() for running in self.running), return_exceptions=True
        )
        failures = [result for result in results if isinstance(result, BaseException)]
        if failures:
            raise failures[0]
