"""Lines that are typed with an editor: keys that move, a history, Tab that completes.

What is said meanwhile appears above the line that is being typed, which stays as it is. Only for
terminals whose cursor can be moved; elsewhere `ataxxd_clients.text.console` reads plain lines.
"""

import asyncio
import os
import signal
import termios
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from prompt_toolkit import PromptSession
from prompt_toolkit.application import get_app
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.data_structures import Size
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import History, InMemoryHistory
from prompt_toolkit.input.posix_utils import PosixStdinReader
from prompt_toolkit.input.vt100 import Vt100Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.output.vt100 import Vt100_Output
from prompt_toolkit.shortcuts import CompleteStyle

from ataxxd_clients.text.console import Completions, Output, no_completions

# Lines of history that are kept; the file is cut to this many when it has twice as many.
_REMEMBERED = 500
# Seconds after which Escape is the key and not the beginning of another one.
_ESCAPE_S = 0.1


class Editor:
    """A line editor on a terminal, as a `ataxxd_clients.text.console.LineSource`.

    It shows nothing before `show_prompt`. Ctrl-C sends SIGINT to this process, as without one.

    Args:
        reader: the terminal to read keys from.
        writer: the terminal to show the line on.
        history: the file that keeps the lines from one game to the next; None for no file.
    """

    def __init__(self, reader: TextIO, writer: TextIO, history: Path | None) -> None:
        self._prompted = asyncio.Event()
        self._ended = asyncio.Event()
        self._prompt = ""
        self._completions: Completions = no_completions
        self._lines: deque[str] = deque()
        self._session = _session(reader, writer, history, self._complete)
        self._session.app.erase_when_done = True
        self._session.default_buffer.accept_handler = self._accept

    def show_prompt(self, prompt: str, completions: Completions) -> None:
        """Show `prompt` before the line from now on; Tab completes the line from `completions`."""
        self._prompt, self._completions = prompt, completions
        self._prompted.set()
        if self._session.app.is_running:
            self._session.app.invalidate()

    async def read(self) -> str | None:
        """The next line without its end; None at the end of input."""
        if self._lines:
            return self._lines.popleft()
        if self._ended.is_set():
            return None
        await self._prompted.wait()
        app = self._session.app
        app.erase_when_done = True
        try:
            typed = await self._session.prompt_async(
                lambda: ANSI(self._prompt), handle_sigint=False, set_exception_handler=False
            )
        except EOFError:
            self._ended.set()
            return None
        except _Interrupted:
            signal.raise_signal(signal.SIGINT)
            await asyncio.Event().wait()
            raise
        finally:
            self._prompted.clear()
        # A pasted text may have several lines.
        first, *rest = typed.splitlines() or [""]
        self._lines.extend(rest)
        return first

    @property
    def is_interactive(self) -> bool:
        """Whether somebody may still write a line."""
        return True

    async def wait_until_closed(self) -> None:
        """Return once no more lines can come."""
        await self._ended.wait()

    @contextmanager
    def yield_terminal(self) -> Iterator[None]:
        """Hide the line while the block writes in its place; it reappears below."""
        app = self._session.app
        if not app.is_running:
            yield
            return
        app.renderer.erase()
        try:
            yield
        finally:
            app.renderer.reset()
            app.invalidate()

    def _complete(self, typed: str) -> Iterable[str]:
        return self._completions(typed)

    def _accept(self, buffer: Buffer) -> bool:
        # A line that was entered stays on the screen; one that was given up does not.
        app = self._session.app
        app.erase_when_done = False
        app.exit(result=buffer.document.text)
        return True  # the text is kept; the session clears it for the next line


class EditedOutput(Output):
    """An output that shares a terminal with an `Editor`."""

    def __init__(self, out: TextIO, err: TextIO, editor: Editor) -> None:
        super().__init__(out, err, wraps=True)
        self._editor = editor

    def prompt(self, text: str, completions: Completions = no_completions) -> None:
        """Show the prompt of the line to edit."""
        self._editor.show_prompt(text, completions)

    def leave_prompt(self) -> None:
        """Do nothing: the line being typed stays below all others."""

    def yield_terminal(self) -> AbstractContextManager[None]:
        """Let others write in the block; the line being typed reappears below."""
        return self._editor.yield_terminal()

    def print_message(self, text: str) -> None:
        """Print a line on standard error."""
        with self._editor.yield_terminal():
            super().print_message(text)

    def _write(self, text: str) -> None:
        with self._editor.yield_terminal():
            super()._write(text)


class LineHistory(History):
    """The history of typed lines, in a file of limited size.

    If the file cannot be read or written, there is no history.
    """

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path = path

    def load_history_strings(self) -> Iterable[str]:
        """The lines, the newest first."""
        try:
            lines = self._path.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            return []
        if len(lines) > 2 * _REMEMBERED:
            del lines[:-_REMEMBERED]
            self._write("".join(f"{line}\n" for line in lines), os.O_TRUNC)
        return reversed(lines[-_REMEMBERED:])

    def store_string(self, string: str) -> None:
        """Add one or more lines to the file."""
        if string.strip():
            self._write(string + "\n", os.O_APPEND)

    def _write(self, text: str, how: int) -> None:
        with suppress(OSError):
            self._path.parent.mkdir(mode=0o700, exist_ok=True)
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | how, 0o600)
            with os.fdopen(file, "w", encoding="utf-8", errors="replace") as stream:
                stream.write(text)


class _Interrupted(Exception):
    """Ctrl-C was typed."""


class _Terminal(Vt100Input):
    """The input of a terminal, which ends when the terminal is closed."""

    def __init__(self, reader: TextIO) -> None:
        super().__init__(reader)
        self.stdin_reader = _Reader(reader.fileno(), encoding=reader.encoding or "utf-8")


class _Reader(PosixStdinReader):
    def read(self, count: int = 1024) -> str:
        text = super().read(count)
        if not text:
            try:
                termios.tcgetattr(self.stdin_fd)
            except termios.error:
                self.closed = True  # or it would be read for ever
        return text


class _Completer(Completer):
    def __init__(self, completions: Completions) -> None:
        self._completions = completions

    def get_completions(
        self,
        document: Document,
        complete_event: CompleteEvent,  # noqa: ARG002
    ) -> Iterable[Completion]:
        typed = document.text_before_cursor
        for line in self._completions(typed):
            yield Completion(line, start_position=-len(typed))


def _session(
    reader: TextIO, writer: TextIO, history: Path | None, completions: Completions
) -> "PromptSession[str]":
    def size() -> Size:
        try:
            columns, rows = os.get_terminal_size(writer.fileno())
        except (OSError, ValueError):
            columns, rows = 80, 24
        return Size(rows=rows or 24, columns=columns or 80)

    # Do not ask for the position of its cursor (CPR): not every terminal answers.
    shown = Vt100_Output(writer, size, term=os.environ.get("TERM"), enable_cpr=False)
    session: PromptSession[str] = PromptSession(
        history=InMemoryHistory() if history is None else LineHistory(history),
        completer=_Completer(completions),
        complete_style=CompleteStyle.READLINE_LIKE,
        complete_while_typing=False,
        enable_suspend=True,
        key_bindings=_keys(),
        input=_Terminal(reader),
        output=shown,
        interrupt_exception=_Interrupted,
    )
    session.app.timeoutlen = session.app.ttimeoutlen = _ESCAPE_S
    return session


def _keys() -> KeyBindings:
    """Escape, and Backspace before the first character, give up what was begun."""
    keys = KeyBindings()

    @Condition
    def nothing_typed() -> bool:
        return not get_app().current_buffer.text

    @keys.add("escape")
    def give_up(event: KeyPressEvent) -> None:
        if event.current_buffer.text:
            event.current_buffer.reset()
        else:
            event.app.exit(result="")

    @keys.add("backspace", filter=nothing_typed)
    def go_back(event: KeyPressEvent) -> None:
        event.app.exit(result="")

    return keys


def typed_line(reader: TextIO, writer: TextIO, prompt: str) -> str:
    """Let a person edit and enter one line.

    Raises:
        EOFError: the input has ended.
        KeyboardInterrupt: Ctrl-C was typed.
    """
    try:
        return _session(reader, writer, None, no_completions).prompt(prompt)
    except _Interrupted:
        raise KeyboardInterrupt from None
