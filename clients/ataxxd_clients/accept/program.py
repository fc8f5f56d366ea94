"""A program under test: a process, its three pipes, and what it has said so far.

A message is a line of output that begins with ``*``, perhaps after blanks; `GAMES` has the forms of
each game's. Which game a program plays is known from its first message. Checkers and reversi have
no messages.

This module knows nothing of scripts. It bounds what it keeps of a program's output. Neither the
process nor any process that it has started outlives `Program.end`.
"""

import asyncio
import difflib
import os
import re
import signal
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias


class MessageError(Exception):
    """A line looks like a message but is not one."""


@dataclass(frozen=True, slots=True)
class Forms:
    """The messages of one game.

    Attributes:
        game: its name.
        move: a pattern for the message of an AI's move; its group is the move as it is typed.
        results: the messages at the end of a game.
        example: an example of a move's message.
        max_lines: how many lines the game's harness lets a program print.
    """

    game: str
    move: re.Pattern[str]
    results: frozenset[str]
    example: str
    max_lines: int


GAMES = (
    Forms(
        game="Ataxx",
        move=re.compile(r"\* (?:Red|Blue) moves (-|[a-g][1-7]-[a-g][1-7])\."),
        results=frozenset({"* Red wins.", "* Blue wins.", "* Draw."}),
        example="* Red moves a7-b6.",
        max_lines=1000,
    ),
    Forms(
        game="Lines of Action",
        move=re.compile(r"\* ([a-h][1-8]-[a-h][1-8])", re.IGNORECASE),
        results=frozenset({"* Black wins.", "* White wins.", "* Tie game."}),
        example="* a2-c2",
        max_lines=3000,
    ),
)


@dataclass(frozen=True, slots=True)
class Message:
    """One message.

    Attributes:
        text: the line with single spaces and none around it.
        move: the move in the form that a program reads; None if this is a result.
        forms: the game it belongs to.
    """

    text: str
    move: str | None
    forms: Forms


def is_message(line: str) -> bool:
    """Whether a line of output counts as a message."""
    return line.lstrip().startswith("*")


def with_single_blanks(line: str) -> str:
    """A message with one space between its words and none around them."""
    return "* " + " ".join(line.lstrip().removeprefix("*").split())


def read_message(line: str, games: Sequence[Forms] = GAMES) -> Message:
    """Read a line as a message; the number of spaces does not matter.

    Args:
        line: a line for which `is_message` holds.
        games: the games it may belong to.

    Raises:
        MessageError: it has none of their forms; the text says which one is nearest.
    """
    text = with_single_blanks(line)
    for forms in games:
        if found := forms.move.fullmatch(text):
            return Message(text, found[1], forms)
        if text in forms.results:
            return Message(text, None, forms)
    known = [text for forms in games for text in (forms.example, *sorted(forms.results))]
    near = difflib.get_close_matches(text, known, n=1)
    shown = f'such as "{near[0]}"' if near else " or ".join(f'"{each}"' for each in known)
    which = " and ".join(forms.game for forms in games)
    raise MessageError(
        f'the output line "{text[:80]}" begins with * and is not a message of {which}; one is '
        f"{shown}"
    )


Log: TypeAlias = Callable[[str, str], None]
"""Called with every line: ``<`` into the program, ``>`` out of it, ``E>`` from its errors."""

_LONGEST_LINE = 1 << 16
_CHUNK = 1 << 16
# Time to read what a killed program has left in its pipes.
_LAST_WORDS_S = 1.0

_PROMPTS = re.compile(r"^.*> *")
_BOARD_EDGE = "==="
_JAVA_EXCEPTION = re.compile(r'Exception in thread ".*"\s+(.*)')


class ProgramFailure(Exception):
    """The program did not do what it must; the message says what went wrong."""


class NoMessageError(ProgramFailure):
    """No message came in time."""


@dataclass(slots=True)
class _OutputLine:
    """A line of a board, or a message; `shown` when it belongs to what is compared."""

    text: str
    shown: bool


class Program:
    """A program with its pipes; made by `start`, to be ended by `end`.

    Args:
        process: a running process with three pipes, the leader of a process group.
        log: called with every line.

    Attributes:
        errors: the lines of its standard error.
        trouble: the first error in its output; None for none.
    """

    def __init__(self, process: asyncio.subprocess.Process, log: Log) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._stdin = process.stdin
        self._log = log
        self._said: list[_OutputLine] = []
        self._messages: deque[tuple[Message, _OutputLine]] = deque()
        self._games: tuple[Forms, ...] = GAMES
        self._in_board = False
        self._changed = asyncio.Event()
        self.errors: list[str] = []
        self.trouble: str | None = None
        self._listening = (
            asyncio.create_task(
                self._read_stream(process.stdout, self._take_output), name="stdout"
            ),
            asyncio.create_task(self._read_stream(process.stderr, self._take_error), name="stderr"),
        )
        self._exit = asyncio.create_task(process.wait(), name="exit")

    @classmethod
    async def start(cls, command: Sequence[str], log: Log) -> "Program":
        """Start a program.

        Raises:
            ProgramFailure: the program does not exist, or cannot be run.
        """
        pipe = asyncio.subprocess.PIPE
        try:
            process = await asyncio.create_subprocess_exec(
                *command,
                stdin=pipe,
                stdout=pipe,
                stderr=pipe,
                # A group of its own, so that what it starts in turn can be ended with it.
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise ProgramFailure(f'the program "{command[0]}" cannot be started: {why}') from None
        return cls(process, log)

    @property
    def output(self) -> list[str]:
        """The boards dumped and the messages shown, in the order in which they were printed."""
        return [said.text for said in self._said if said.shown]

    def check(self) -> None:
        """Raise `ProgramFailure` if something is wrong with what it has printed."""
        if self.trouble is not None:
            raise ProgramFailure(self.trouble)

    async def send(self, line: str, *, limit_s: float) -> None:
        """Send a line of input; a program that has ended does not read it, which is no failure.

        Raises:
            ProgramFailure: it left its input unread for `limit_s` seconds.
        """
        self._log("<", line)
        try:
            async with asyncio.timeout(limit_s):
                with suppress(ConnectionError):
                    self._stdin.write(f"{line}\n".encode())
                    await self._stdin.drain()
        except TimeoutError:
            raise ProgramFailure(f"it has not read its input for {limit_s:g} s") from None

    async def next_message(self, *, limit_s: float, shown: bool | None = None) -> Message:
        """Wait for the next message and take it.

        Args:
            limit_s: how long to wait.
            shown: passed to `show` if the message is a result.

        Raises:
            NoMessageError: none came in time.
            ProgramFailure: it ended before, or printed something wrong.
        """
        try:
            async with asyncio.timeout(limit_s):
                while not self._messages:
                    self.check()
                    if self._listening[0].done():
                        raise ProgramFailure(await self._describe_end())
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise NoMessageError(f"nothing came within {limit_s:.3g} s") from None
        message, said = self._messages.popleft()
        said.shown = bool(shown) and message.move is None
        return message

    async def finish(self, *, limit_s: float) -> None:
        """Close its input and wait for its end.

        Raises:
            ProgramFailure: it does not end in time, its exit status is not 0, or something
                it printed is wrong.
        """
        self._stdin.close()
        await self._wait_for_end_or_trouble(limit_s)
        self.check()
        status = self._process.returncode
        if status is None:
            raise ProgramFailure(f"it did not end within {limit_s:g} s of the end of its input")
        if not all(task.done() for task in self._listening):
            raise ProgramFailure("it ended, and left behind a process that holds its output open")
        if status != 0:
            raise ProgramFailure(f"it ended with {_status_text(status)}")
        if self._in_board:
            raise ProgramFailure(f"the last board it dumped does not end with {_BOARD_EDGE}")

    async def end(self) -> None:
        """Kill it and all processes that it started."""
        # Kill the whole group: it may outlive its leader.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._stdin.close()
        tasks = {self._exit, *self._listening}
        # A process that has left the group may still hold the pipes; it is not waited for.
        await asyncio.wait(tasks, timeout=_LAST_WORDS_S)
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)

    async def _wait_for_end_or_trouble(self, limit_s: float) -> None:
        ending: set[asyncio.Task[Any]] = {self._exit, *self._listening}
        with suppress(TimeoutError):
            async with asyncio.timeout(limit_s):
                while ending and self.trouble is None:
                    self._changed.clear()
                    change = asyncio.create_task(self._changed.wait(), name="change")
                    try:
                        await asyncio.wait({change, *ending}, return_when=asyncio.FIRST_COMPLETED)
                    finally:
                        change.cancel()
                    ending = {task for task in ending if not task.done()}

    async def _describe_end(self) -> str:
        return f"the program had ended, with {_status_text(await self._process.wait())}"

    async def _read_stream(self, stream: asyncio.StreamReader, take: Callable[[str], None]) -> None:
        count = 0
        try:
            async for line in _lines(stream):
                count += 1
                max_lines = max(forms.max_lines for forms in self._games)
                if count > max_lines:
                    # Read on, but drop the lines, so that the program can come to its end.
                    self._report_trouble(f"it printed more than {max_lines} lines")
                elif len(line) > _LONGEST_LINE:
                    self._report_trouble(
                        f"it printed a line of more than {_LONGEST_LINE} characters"
                    )
                else:
                    take(line)
                self._changed.set()
        finally:
            self._changed.set()

    def _take_output(self, line: str) -> None:
        self._log(">", line)
        line = _PROMPTS.sub("", line)
        if line.startswith(_BOARD_EDGE) or self._in_board:
            self._said.append(_OutputLine(line, shown=True))
            self._in_board ^= line.startswith(_BOARD_EDGE)
        elif is_message(line):
            try:
                message = read_message(line, self._games)
            except MessageError as error:
                self._report_trouble(str(error))
                return
            self._games = (message.forms,)
            said = _OutputLine(message.text, shown=False)
            self._said.append(said)
            self._messages.append((message, said))

    def _take_error(self, line: str) -> None:
        self._log("E>", line)
        self.errors.append(line)
        if found := _JAVA_EXCEPTION.search(line):
            self._report_trouble(f"it broke down with {found[1]}")

    def _report_trouble(self, text: str) -> None:
        self.trouble = self.trouble or text


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[str]:
    """The lines of a stream, each as soon as it is complete; the last may lack its end."""
    partial = b""
    while chunk := await stream.read(_CHUNK):
        *whole, partial = (partial + chunk).split(b"\n")
        for line in whole:
            yield _as_text(line)
        if len(partial) > _LONGEST_LINE:
            yield _as_text(partial)
            partial = b""
    if partial:
        yield _as_text(partial)


def _as_text(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\r")


def _status_text(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"the signal {signal.Signals(-status).name}"
    except ValueError:
        return f"signal {-status}"
