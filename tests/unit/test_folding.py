"""Text folded at words, on real pseudo-terminals."""

import fcntl
import os
import pty
import struct
import termios
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TextIO

import pytest

from ataxxd.wording import terminal_width, wrap_text
from ataxxd_clients.text.console import Output

LONG = "The broker serves this machine alone."


class Screen:
    """A terminal, and the stream that writes on it."""

    def __init__(self, stack: ExitStack) -> None:
        self._master, slave = pty.openpty()
        stack.callback(os.close, self._master)
        self.stream: TextIO = stack.enter_context(os.fdopen(slave, "w"))

    def resize(self, columns: int) -> None:
        size = struct.pack("HHHH", 24, columns, 0, 0)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, size)

    @property
    def lines(self) -> list[str]:
        """What was written since the last look, to the end of its last line."""
        written = b""
        while not written.endswith(b"\n"):
            written += os.read(self._master, 1 << 16)
        return written.decode().splitlines()


@pytest.fixture
def screen() -> Iterator[Screen]:
    with ExitStack() as stack:
        yield Screen(stack)


def test_no_word_is_broken() -> None:
    assert wrap_text(LONG, 24).splitlines() == ["The broker serves this", "machine alone."]
    assert wrap_text(LONG, len(LONG)) == LONG
    assert wrap_text("k7fq-3xa2-aaaa-bbbb-cccc-dddd", 20) == "k7fq-3xa2-aaaa-bbbb-cccc-dddd"


def test_a_line_goes_on_below_its_own_beginning() -> None:
    assert wrap_text("one\n  two three four five", 20) == "one\n  two three four\n  five"


def test_a_line_of_a_list_goes_on_in_its_last_column() -> None:
    row = "  ok    home    /tmp/ann: node k7fq, 0 unfinished games"
    assert wrap_text(row, 44).splitlines() == [
        "  ok    home    /tmp/ann: node k7fq, 0",
        "                unfinished games",
    ]
    assert wrap_text(row, 24).splitlines()[1] == "  /tmp/ann: node k7fq, 0"


def test_a_command_stays_whole_so_that_it_can_be_copied() -> None:
    text = "Continue with: `ataxxd resume ourgame`. Or begin another: ataxxd host another"
    assert wrap_text(text, 30).splitlines() == [
        "Continue with:",
        "`ataxxd resume ourgame`. Or",
        "begin another:",
        "ataxxd host another",
    ]
    row = "  Take it:    ataxxd join evening#k7fq-3xa2"
    assert wrap_text(row, 40).splitlines() == ["  Take it:", "  ataxxd join evening#k7fq-3xa2"]
    assert "\n`ataxxd resume ourgame`\n" in wrap_text("Later `ataxxd resume ourgame` goes on.", 24)


def test_an_object_for_programs_stays_a_line() -> None:
    assert wrap_text('{"name": "a long one", "host": "ana"}', 20).count("\n") == 0


def test_what_is_said_fits_the_terminal_as_wide_as_it_is_now(screen: Screen) -> None:
    output = Output(screen.stream, screen.stream, wraps=True)
    screen.resize(24)
    output.print_line(LONG)
    assert screen.lines == ["The broker serves this", "machine alone."]
    output.print_message(LONG)
    assert screen.lines == ["The broker serves this", "machine alone."]
    screen.resize(60)
    output.print_line(LONG)
    assert screen.lines == [LONG]


def test_a_picture_and_a_line_language_are_never_folded(screen: Screen) -> None:
    screen.resize(24)
    Output(screen.stream, screen.stream, wraps=True).print_unwrapped(LONG)
    assert screen.lines == [LONG]
    Output(screen.stream, screen.stream).print_line(LONG)
    assert screen.lines == [LONG]


def test_a_pipe_has_no_width() -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading), os.fdopen(writing, "w") as stream:
        assert terminal_width(stream) is None
