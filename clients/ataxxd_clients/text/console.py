"""Input and output lines of a session, and what its terminal shows."""

import asyncio
import os
import re
import select
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from itertools import zip_longest
from typing import TYPE_CHECKING, Protocol, TextIO, TypeAlias

from ataxxd.errors import StorageError
from ataxxd.sanitize import sanitized
from ataxxd.wording import terminal_width, wrap_for_stream

if TYPE_CHECKING:
    from ataxxd.rules import Move, Position  # not needed by the first question, which must be quick


@dataclass(frozen=True, slots=True)
class Terminal:
    """What a terminal can show.

    Attributes:
        colour: whether to use colours.
        unicode: whether it can show characters beyond ASCII.
        cursor: whether the cursor can be moved.
        width: its present width in columns.
    """

    colour: bool = False
    unicode: bool = False
    cursor: bool = False
    width: int = 80

    @classmethod
    def of(
        cls,
        out: TextIO,
        environment: Mapping[str, str] = os.environ,
        *,
        ascii_only: bool = False,
    ) -> "Terminal":
        """What the terminal behind a stream can show; no colour where NO_COLOR is set.

        With `ascii_only` it shows only ASCII, whatever it can show.
        """
        encoding = (getattr(out, "encoding", None) or "ascii").lower()
        able = out.isatty() and environment.get("TERM", "dumb") not in {"", "dumb"}
        try:
            width = os.get_terminal_size(out.fileno()).columns or 80
        except (OSError, ValueError):
            width = 80
        return cls(
            colour=able and not environment.get("NO_COLOR"),
            unicode=not ascii_only and encoding.replace("-", "").startswith("utf"),
            cursor=able,
            width=width,
        )

    def paint(self, text: str, code: str) -> str:
        """Text in a colour, given as the number of an SGR sequence such as ``31``."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


# Lines waiting to be executed before reading pauses, so that a flood stays in the pipe.
_MAX_WAITING = 1000
_CHUNK = 1 << 16
# A longer line, without its comment and with single blanks, cannot be a command; what exceeds it
# is dropped.
LONGEST_LINE = 4096
_BLANKS = re.compile(rb"\s+")


class LineSource(Protocol):
    """Where commands come from."""

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line; nobody can for a script."""
        ...

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input. May be cancelled."""
        ...

    async def wait_until_closed(self) -> None:
        """Return once nobody can send another line and all have been read.

        Somebody may then be waiting for this program to end. A file hangs up on nobody:
        for one this never returns.
        """
        ...


class ChainedLines:
    """The lines of several sources, one source after the other."""

    def __init__(self, sources: Iterable[LineSource]) -> None:
        self._sources = deque(sources)

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line."""
        return self._sources[-1].is_interactive

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input."""
        while self._sources:
            if (line := await self._sources[0].read()) is not None:
                return line
            if len(self._sources) == 1:
                break
            self._sources.popleft()
        return None

    async def wait_until_closed(self) -> None:
        """Return once no more lines can come."""
        await self._sources[-1].wait_until_closed()


class LoggedLines:
    """Lines of another source, each written to a file as it is read; empty ones are not.

    The log is a script: read as input it repeats the session.
    """

    def __init__(self, source: LineSource, log: TextIO) -> None:
        self._source = source
        self._log = log

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line."""
        return self._source.is_interactive

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input.

        Raises:
            StorageError: the log cannot be written.
        """
        line = await self._source.read()
        if line is not None and line.strip():
            try:
                self._log.write(line.strip() + "\n")
                self._log.flush()
            except OSError as error:
                # Close it now: at exit, the failed write would be tried again, and fail again.
                with suppress(OSError):
                    self._log.close()
                raise StorageError(f"The log cannot be written: {error.strerror}.") from None
        return line

    async def wait_until_closed(self) -> None:
        """Return once no more lines can come."""
        await self._source.wait_until_closed()


class DescriptorLines:
    """Lines from an open file descriptor: a pipe, a terminal, a socket or a file.

    Bytes that are not UTF-8 become replacement characters. The descriptor stays open, and its
    settings do not change; call `close` to stop listening to it.
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

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line: not in a file, nor after a hang-up."""
        if self._always_ready or self._ended:
            return False
        # It may have ended without our having read that yet.
        other_end = select.poll()
        other_end.register(self._descriptor, 0)
        return not other_end.poll(0)

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input."""
        while not self._lines and not self._ended:
            await self._wait_for_data()
        line = self._lines.popleft() if self._lines else None
        if not self._lines:
            self._listen()
        self._changed.set()
        return line

    async def wait_until_closed(self) -> None:
        """Return once no more lines can come."""
        self._listen()
        while self._always_ready or self._lines or not self._ended:
            self._changed.clear()
            await self._changed.wait()

    def close(self) -> None:
        """Stop listening; the descriptor stays open."""
        if self._listening:
            asyncio.get_running_loop().remove_reader(self._descriptor)
            self._listening = False

    async def _wait_for_data(self) -> None:
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
            chunk = b""  # the terminal is gone
        *whole, self._partial = (self._partial + chunk).split(b"\n")
        if not chunk:
            self._ended = True
            if self._partial:
                whole, self._partial = [self._partial], b""
        if len(self._partial) > LONGEST_LINE:
            # Blanks and comments may be long. Enough is kept to show that the rest was too long,
            # even when a blank at either end does not count.
            self._partial = _BLANKS.sub(b" ", self._partial)[: LONGEST_LINE + 3]
        self._lines.extend(line.decode(errors="replace").rstrip("\r") for line in whole)
        if self._ended or len(self._lines) >= _MAX_WAITING:
            self.close()
        self._changed.set()


Completions: TypeAlias = Callable[[str], Iterable[str]]
"""Whole lines that complete what was typed so far."""


def no_completions(typed: str) -> Iterable[str]:  # noqa: ARG001
    """A `Completions` that completes nothing."""
    return ()


class OutputClosedError(Exception):
    """Nobody reads the output any more; the program should end without a message."""


class Output:
    """Standard output for the language itself, standard error for people.

    Every line is flushed: programs at the other end of a pipe wait for it.

    Args:
        out: standard output.
        err: standard error.
        folds: whether to wrap long lines at words on a terminal; not for a line language.
    """

    def __init__(self, out: TextIO, err: TextIO, *, wraps: bool = False) -> None:
        self._out = out
        self._err = err
        self._wraps = wraps

    def print_line(self, text: str = "") -> None:
        """Print a line or a sentence on standard output.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self.print_unwrapped(wrap_for_stream(self._out, text) if self._wraps else text)

    def print_unwrapped(self, line: str) -> None:
        """Print a line of a board, without wrapping it.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write(line + "\n")

    def prompt(self, text: str, completions: Completions = no_completions) -> None:  # noqa: ARG002
        """Print the start of a line and leave the cursor behind it.

        Args:
            text: the start.
            completions: completions of the line, for an output that can show them.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write(text)

    def leave_prompt(self) -> None:
        """Begin a new line below an unanswered prompt.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write("\n")

    def columns(self) -> int | None:
        """The present width of the terminal in columns; None if the output is not a terminal."""
        return terminal_width(self._out)

    def ring_bell(self) -> None:
        """Ring the terminal's bell.

        Raises:
            OutputClosedError: the reader is gone.
        """
        self._write("\a")

    def yield_terminal(self) -> AbstractContextManager[None]:
        """Let others write to the same terminal in the block."""
        return nullcontext()

    def print_message(self, text: str) -> None:
        """Print a line on standard error; does nothing if that is closed."""
        shown = sanitized(text)
        with suppress(OSError, ValueError):
            self._err.write((wrap_for_stream(self._err, shown) if self._wraps else shown) + "\n")
            self._err.flush()

    def _write(self, text: str) -> None:
        try:
            self._out.write(text)
            self._out.flush()
        except (BrokenPipeError, ConnectionResetError):
            self._discard_rest()
            raise OutputClosedError from None

    def _discard_rest(self) -> None:
        """Send what is still buffered to nowhere, or Python would complain of it at exit."""
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self._out.fileno())
            os.close(nowhere)


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
# Signs of `Position.rows`: first side, second side, their kings, empty, block, not played on.
_SIGNS = {"x": "●", "o": "○", "X": "♚", "O": "♔", ".": "·", "#": "█", " ": " "}


@dataclass(frozen=True, slots=True)
class Palette:
    """The colours of a board, as SGR codes.

    Attributes:
        pieces: the colours of the first and the second side's pieces.
        faint: the colour of empty squares and blocks.
        sign: the colour of signs on squares.
        ground: the background of squares; empty for the terminal's own.
    """

    pieces: tuple[str, str]
    faint: str
    sign: str
    ground: str

    @classmethod
    def of(cls, names: tuple[str, str]) -> "Palette":
        """The palette for sides with these names."""
        return _BLACK_AND_WHITE if set(names) == {"Black", "White"} else _RED_AND_BLUE

    def code(self, content: str) -> str:
        """The SGR code for a square's content."""
        side = "xo".find(content.lower())
        return self.faint if side < 0 else self.pieces[side]


_RED_AND_BLUE = Palette(("1;31", "1;94"), "2", "1;32", "")
# Black is invisible on many terminals, and white on the others, so the squares are green.
_BLACK_AND_WHITE = Palette(("38;5;16", "1;38;5;231"), "38;5;151", "1;38;5;226", "48;5;65")


@dataclass(frozen=True, slots=True)
class Brush:
    """Writes single squares on a terminal.

    Attributes:
        terminal: what the terminal can show.
        names: the names of the sides; in ASCII, their first letters stand for the pieces.
    """

    terminal: Terminal
    names: tuple[str, str]

    def piece(self, content: str) -> str:
        """A square's content alone: one character."""
        palette = Palette.of(self.names)
        return self._painted(self._sign(content), palette.code(content), palette.ground)

    def cell(self, content: str, left: str = " ", right: str = " ") -> str:
        """A square's content between two characters that mark it."""
        return self._framed(self._sign(content), Palette.of(self.names).code(content), left, right)

    def pointed_out(self, sign: str) -> str:
        """A square that shows a sign instead of its content."""
        return self._framed(sign, Palette.of(self.names).sign, " ", " ")

    def numbered(self, number: int) -> str:
        """An empty square that shows its number."""
        palette = Palette.of(self.names)
        return self._painted(f"{number:2} ", palette.faint, palette.ground)

    def _sign(self, content: str) -> str:
        if self.terminal.unicode:
            return _SIGNS[content]
        first, second = (name[0].lower() for name in self.names)
        letters = {"x": first, "o": second, "X": first.upper(), "O": second.upper()}
        return letters.get(content, content)

    def _framed(self, sign: str, code: str, left: str, right: str) -> str:
        ground = Palette.of(self.names).ground
        if ground:
            return self._painted(f"{left}{sign}{right}", code, ground)
        return left + self._painted(sign, code, "") + right

    def _painted(self, text: str, code: str, ground: str) -> str:
        return self.terminal.paint(text, f"{code};{ground}" if ground else code)


def board_lines(
    position: "Position",
    brush: Brush,
    *,
    last: "Move | None",
    signs: Mapping[str, str] | None = None,
    beside: Sequence[str],
) -> list[str]:
    """Draw a board as lines, at most 60 columns wide for a 7x7 or 8x8 board with short remarks.

    If the terminal is too narrow for the remarks, they follow below the board.

    Args:
        position: the position to draw.
        brush: writes the squares.
        last: the move to mark, on the squares that it left and reached.
        signs: characters to show on squares instead of their content.
        beside: remarks to the right of the board, one per line.
    """
    signs = signs or {}
    left, reached = (last.from_square, last.to_square) if last else (None, None)
    lines = []
    for row, names in zip(position.rows, position.square_names, strict=True):
        cells = []
        for content, square in zip(row, names, strict=True):
            if square is None:
                cells.append("   ")
            elif square in signs:
                cells.append(brush.pointed_out(signs[square]))
            elif content == "." and square.isdigit():
                cells.append(brush.numbered(int(square)))
            else:
                marks = "[]" if square == reached else "()" if square == left else "  "
                cells.append(brush.cell(content, *marks))
        lines.append(_label([name for name in names if name is not None]) + "".join(cells))
    below = [name or " " for name in position.square_names[-1]]
    if below[0].isalnum() and not below[0].isdigit():
        lines.append("   " + "".join(f" {name[0]} " for name in below))
    together = [
        f"{line}   {remark}".rstrip()
        for line, remark in zip_longest(lines, beside[: len(lines)], fillvalue="")
    ]
    if all(len(_COLOUR.sub("", line)) <= brush.terminal.width for line in together):
        return together
    return [line.rstrip() for line in (*lines, *filter(None, beside))]


def _label(names: Sequence[str]) -> str:
    """The label of a row: its number, or the numbers of its first and last square."""
    if names[0].isdigit():
        return f"{names[0]:>2}-{names[-1]:<2} "
    return f"{names[0][1:]:>2} "
