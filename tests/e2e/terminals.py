"""A program in a terminal of its own: a real pseudo-terminal, read and typed at by a test."""

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tests.time_limits import DEADLINE

_STEERING = re.compile(r"\x1b(?:\[[0-9;?<>=$]*[ -/]*[@-~]|\][^\x07]*\x07|[@-Z\\-_])")


class TerminalProgram:
    """A program that runs in a pseudo-terminal.

    Attributes:
        output: all bytes it has written.
    """

    def __init__(self, master: int, slave: int, process: "subprocess.Popen[bytes]") -> None:
        self.output = b""
        self.before = termios.tcgetattr(slave)
        self._master, self._slave = master, slave
        self._process = process

    @property
    def text(self) -> str:
        """What it has written without colours and cursor movements, in the order of writing."""
        return _STEERING.sub("", self.output.decode(errors="replace"))

    @property
    def settings(self) -> object:
        """The terminal's settings now."""
        return termios.tcgetattr(self._slave)

    def type(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def resize(self, columns: int, lines: int = 24) -> None:
        """Make the window wider or narrower, which the program is told by a signal."""
        size = struct.pack("HHHH", lines, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    def signal(self, number: signal.Signals) -> None:
        self._process.send_signal(number)

    def read_until(self, text: str, start: int = 0) -> int:
        """Read until something new is there; where the text ends, for the next search.

        A line may be folded at any of its blanks.
        """
        deadline = time.monotonic() + DEADLINE
        wanted = re.compile("(?: |\r\n)".join(map(re.escape, text.split(" "))))
        while (found := wanted.search(self.text, start)) is None:
            assert time.monotonic() < deadline, f"{text!r} never came:\n{self.text[-3000:]}"
            assert self._read(deadline), f"it ended before {text!r}:\n{self.text[-3000:]}"
        return found.end()

    def hang_up(self) -> int:
        """Close the terminal as a window that is closed does; the exit status."""
        os.close(self._slave)
        os.close(self._master)
        self._master = self._slave = -1
        return self._process.wait(DEADLINE)

    def wait(self) -> int:
        """Read until it has ended; its exit status. A program that wrote a traceback has failed."""
        deadline = time.monotonic() + DEADLINE
        while self._process.poll() is None:
            assert time.monotonic() < deadline, f"it never ended:\n{self.text[-3000:]}"
            self._read(deadline)
        while select.select([self._master], [], [], 0)[0] and self._read(deadline):
            pass
        assert "Traceback" not in self.text, self.text[-6000:]
        return self._process.returncode

    def close(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait(DEADLINE)
        for descriptor in {self._master, self._slave} - {-1}:
            os.close(descriptor)

    def _read(self, deadline: float) -> bool:
        """Take what comes next; True unless the program has ended."""
        while not select.select([self._master], [], [], 0.1)[0]:
            if self._process.poll() is not None or time.monotonic() > deadline:
                return self._process.poll() is None
        self.output += os.read(self._master, 1 << 16)
        return True


@contextmanager
def in_terminal(
    arguments: Sequence[str],
    *,
    size: tuple[int, int] = (80, 24),
    environment: Mapping[str, str] | None = None,
    program: Sequence[str] = (sys.executable, "-m", "ataxxd"),
) -> Iterator[TerminalProgram]:
    """Run ataxxd in a terminal of so many columns and lines; it is ended at the end."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
    # A session of its own, whose controlling terminal this is: then it hears when it hangs up.
    launcher = (
        "import fcntl, os, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
        "os.execv(sys.argv[1], sys.argv[1:])"
    )
    # A test runner may have told its workers of a terminal of its own.
    inherited = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        [sys.executable, "-c", launcher, *program, *arguments],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**inherited, "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", **(environment or {})},
    )
    running = TerminalProgram(master, slave, process)
    try:
        yield running
    finally:
        running.close()
