"""Programs for tests without an event loop: heard line by line, and ended after the test.

`tests.e2e.nodes` has them for tests with one.
"""

import queue
import shlex
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from tests.e2e.line_program import PROGRAM
from tests.time_limits import BUILT, DEADLINE


class Spawned:
    """A program that runs; all that it says is kept.

    Args:
        command: the program and its arguments.
        folder: where it runs.
    """

    def __init__(self, command: Sequence[str], folder: Path) -> None:
        self._command = command
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, errors="replace", cwd=folder,
        )  # fmt: skip
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._out, self._err = list[str](), list[str]()
        # Lines of standard error that nobody has waited for; None is its end.
        self._next = queue.SimpleQueue[str | None]()
        streams = ((self._process.stdout, self._out), (self._process.stderr, self._err))
        self._readers = [
            threading.Thread(target=self._read, args=each, daemon=True) for each in streams
        ]
        for reader in self._readers:
            reader.start()

    @property
    def running(self) -> bool:
        """Whether it has not ended."""
        return self._process.poll() is None

    def until(self, beginning: str) -> str:
        """The next line of standard error that begins so; fails when it never comes."""
        try:
            while (line := self._next.get(timeout=DEADLINE)) is not None:
                if line.startswith(beginning):
                    return line
        except queue.Empty:
            raise AssertionError(
                f"{beginning!r} did not come in {DEADLINE:g} s:\n{self.report()}"
            ) from None
        self._process.wait(DEADLINE)
        raise AssertionError(f"it ended without {beginning!r}:\n{self.report()}")

    def finished(self) -> tuple[int, str, str]:
        """Wait for its end: its exit status, and all of its output and its errors."""
        try:
            code = self._process.wait(BUILT)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it did not end in {BUILT:g} s:\n{self.report()}") from None
        self._join()
        out, err = ("".join(f"{line}\n" for line in each) for each in (self._out, self._err))
        return code, out, err

    def send(self, number: signal.Signals) -> None:
        """Send a signal, if it still runs."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End it as a power cut would, and wait until it is gone."""
        self._process.kill()
        self._process.wait()
        self._join()

    def close(self) -> None:
        """Kill it if need be, and check that it wrote no traceback."""
        self.kill()
        assert not any("Traceback" in line for line in self._err), self.report()

    def report(self) -> str:
        """Everything known of it, for a failure's message."""
        out, err = ("\n".join(each) for each in (self._out, self._err))
        return (
            f"{shlex.join(self._command)} (exit status {self._process.poll()})\n"
            f"--- its errors:\n{err}\n--- its output:\n{out}"
        )

    def _read(self, stream: IO[str], lines: list[str]) -> None:
        with stream:
            for line in stream:
                lines.append(line.removesuffix("\n"))
                if lines is self._err:
                    self._next.put(lines[-1])
        if lines is self._err:
            self._next.put(None)

    def _join(self) -> None:
        for reader in self._readers:
            reader.join()


class Spawn:
    """Starts programs; all are ended at the end.

    Args:
        folder: where they run, unless another is named.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = ExitStack()

    def __call__(
        self,
        *arguments: str | Path,
        program: Sequence[str] = PROGRAM,
        folder: Path | None = None,
    ) -> Spawned:
        """Start a program, ours without another."""
        command = [*program, *map(str, arguments)]
        started = Spawned(command, folder or self._folder)
        self._started.callback(started.close)
        return started

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._started.close()
