"""An engine as a process: how a user names it, and lines to it and from it, with deadlines.

    ./zataxx
    limit=500ms option.Hash=64 dir=engines/zataxx ./zataxx --fast

As with env(1), words of the form NAME=VALUE before the command are settings. No shell reads
the words: quotes hold them together, and nothing else in them means anything.

The process is a foreign program: it may hang, die, or write without end. Its output is read
only as fast as it is consumed, so that memory stays bounded; every wait has a deadline; and it
is killed together with its children, even if this program is killed (see
`ataxxd.engines.external.watchdog`).
"""

import os
import queue
import re
import selectors
import shlex
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from ataxxd.engines.external.watchdog import CANNOT_RUN
from ataxxd.errors import EngineError, UsageError
from ataxxd.rules.limits import Limits
from ataxxd.sanitize import sanitized

_SETTING = re.compile(r"(dir|protocol|limit|option\.[^=]+)=(.*)", re.DOTALL)
_INTERPRETER = re.compile(r"(?:python|pypy)[\d.]*|node|perl|ruby|sh|bash")
_LIMIT = re.compile(r"(?:(nodes|depth):([1-9][0-9]{0,14})|([1-9][0-9]{0,9})(ms|s))", re.ASCII)


@dataclass(frozen=True, slots=True)
class EngineCommand:
    """An engine as the user named it.

    Attributes:
        words: the program and its arguments.
        folder: the folder it runs in, as an absolute path.
        protocol: its protocol; None for the usual one of its game.
        limit: the default limit per move; None for that of the protocol.
        options: the options to set before the first game.
    """

    words: tuple[str, ...]
    folder: Path
    protocol: str | None = None
    limit: Limits | None = None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        """The program's name for people, without its folder; of a script, the script's name."""
        name = Path(self.words[0]).name
        if _INTERPRETER.fullmatch(name) and len(self.words) > 1 and self.words[1][:1] != "-":
            return Path(self.words[1]).name
        return name

    @classmethod
    def parse(cls, text: str) -> "EngineCommand":
        """Read the command of an engine.

        A relative path is made absolute, so that it means the same in a journal later.

        Raises:
            UsageError: it names no program, or one that does not exist; or a setting is invalid.
        """
        try:
            words = shlex.split(text)
        except ValueError as error:
            raise UsageError(f"The engine {text!r} cannot be read: {error}.") from None
        settings: dict[str, str] = {}
        options: dict[str, str] = {}
        while words and (found := _SETTING.fullmatch(words[0])) is not None:
            name, value = found.groups()
            if name.startswith("option."):
                options[name.removeprefix("option.")] = value
            else:
                settings[name] = value
            del words[0]
        if not words:
            raise UsageError(
                f"The engine {text!r} names no program. Write its command, such as: ./zataxx"
            )
        folder = _folder(settings.get("dir", "."))
        program = _program(words[0], folder)
        return cls(
            (program, *words[1:]),
            folder,
            settings.get("protocol"),
            parse_limit(settings["limit"]) if "limit" in settings else None,
            options,
        )

    def __str__(self) -> str:
        """The text that `parse` reads, the same wherever it does."""
        settings = [("dir", str(self.folder))]
        if self.protocol is not None:
            settings.append(("protocol", self.protocol))
        if self.limit is not None:
            settings.append(("limit", format_limit(self.limit)))
        settings += [(f"option.{name}", value) for name, value in self.options.items()]
        return shlex.join([*(f"{name}={value}" for name, value in settings), *self.words])


def parse_limit(text: str) -> Limits:
    """Read a limit per move: ``500ms``, ``2s``, ``nodes:100000`` or ``depth:8``.

    Raises:
        UsageError: it is none of these.
    """
    found = _LIMIT.fullmatch(text)
    if found is None:
        raise UsageError(
            f"{text!r} is not a limit for a move: write 500ms, 2s, nodes:100000 or depth:8."
        )
    kind, amount, time, unit = found.groups()
    if kind == "nodes":
        return Limits(nodes=int(amount))
    if kind == "depth":
        return Limits(depth=int(amount))
    return Limits(time_ms=int(time) * (1000 if unit == "s" else 1))


def format_limit(limit: Limits) -> str:
    """The text that `parse_limit` reads."""
    if limit.nodes is not None:
        return f"nodes:{limit.nodes}"
    if limit.depth is not None:
        return f"depth:{limit.depth}"
    return f"{limit.time_ms}ms"


def _folder(text: str) -> Path:
    folder = Path(text).expanduser().absolute()
    if not folder.is_dir():
        raise UsageError(f"dir={text}: there is no such folder to run the engine in.")
    return folder


def _program(word: str, folder: Path) -> str:
    """The program's path: names are looked up in PATH, paths start from the engine's folder."""
    if "/" not in word:
        found = shutil.which(word)
        if found is None:
            raise UsageError(
                f"The engine {word!r} is not found in PATH. Install it, or give its path: ./{word}"
            )
        return found
    path = folder / Path(word).expanduser()
    if shutil.which(str(path)) is None:
        what = "cannot be executed" if path.exists() else "does not exist"
        raise UsageError(f"The engine {path} {what}. Check the path and its permissions.")
    return str(path)


_MAX_LINE = 1 << 16
_MAX_WAITING = 1000
# The most lines before an answer; the most talkative engines write some thousands.
_MAX_LINES = 500_000
# How many of these lines are kept: the last ones.
_MAX_KEPT = 200
_LAST_WORDS = 4
_END_S = 5.0


class ProcessError(EngineError):
    """An engine process failed: it ended, hung or wrote too much.

    Attributes:
        what: the failure, such as ``has ended with status 1``, and its last output.
    """

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"The engine {name} {what} Try it by hand, or play with another.")
        self.what = what


class EngineProcess:
    """A running engine.

    For one thread only, except for `interrupt` and `close`, which any thread may call.

    Raises:
        EngineError: it cannot be started.
    """

    def __init__(self, command: EngineCommand) -> None:
        self.name = command.program
        reading, holding = os.pipe()
        script = str(Path(__file__).with_name("watchdog.py"))
        try:
            process = subprocess.Popen(  # noqa: S603 - the command is what the user named
                [sys.executable, "-I", "-S", script, str(reading), *command.words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                cwd=command.folder,
                pass_fds=(reading,),
                start_new_session=True,
            )
        except OSError as error:
            os.close(holding)
            raise EngineError(
                f"The engine {self.name} cannot be started: {error.strerror}."
            ) from None
        finally:
            os.close(reading)
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process = process
        self._input = process.stdin
        os.set_blocking(self._input.fileno(), False)
        # What `read_line` takes next: a line, "" for an interruption (empty lines are left
        # out), or None for the end of the output. Only lines are bounded in number: the reader
        # takes a place in `room` for each, and `read_line` gives it back. So an interruption always
        # fits, even while an engine writes faster than it is heard.
        self._lines = queue.Queue[str | None]()
        self._room = threading.Semaphore(_MAX_WAITING)
        self._last_words = deque[str](maxlen=_LAST_WORDS)
        self._ending = threading.Event()
        self._readers = [
            threading.Thread(target=work, args=arguments, name="engine", daemon=True)
            for work, arguments in (
                (_read_answers, (process.stdout, self._lines, self._room, self._ending)),
                (_read_complaints, (process.stderr, self._last_words)),
            )
        ]
        for reader in self._readers:
            reader.start()
        self.close = weakref.finalize(
            self, _end, process, holding, self._ending, self._lines, self._room, self._readers
        )

    def send_line(self, line: str, deadline: float) -> None:
        """Send a line.

        Args:
            line: the line without a line feed.
            deadline: by `time.monotonic`.

        Raises:
            EngineError: it has ended, or does not read its input.
        """
        data = memoryview(f"{line}\n".encode())
        try:
            with selectors.DefaultSelector() as selector:
                selector.register(self._input, selectors.EVENT_WRITE)
                while data:
                    if not selector.select(max(0.0, deadline - time.monotonic())):
                        raise self._failure("does not read what it is told")
                    data = data[os.write(self._input.fileno(), data) :]
        except (OSError, ValueError):
            raise self._failure(self._describe_end()) from None

    def read_line(self, deadline: float) -> str:
        """The next non-empty line; an empty text if `interrupt` was called.

        Raises:
            EngineError: it has ended, or is silent until the deadline.
        """
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            raise self._failure("does not answer in time") from None
        if line is None:
            raise self._failure(self._describe_end())
        if line:
            self._room.release()
        return line

    def read_until(
        self, beginning: str, deadline: float, *, interruptible: bool = False
    ) -> list[str]:
        """The latest lines, up to and including the first that begins with a word.

        Args:
            beginning: a whole word.
            deadline: by `time.monotonic`.
            interruptible: return nothing if `interrupt` is called.

        Raises:
            EngineError: the line does not come by the deadline, or after far too many others.
        """
        heard = deque[str](maxlen=_MAX_KEPT)
        for _ in range(_MAX_LINES):
            line = self.read_line(deadline)
            if not line:
                if interruptible:
                    return []
                continue
            heard.append(line)
            if line.split(None, 1)[0] == beginning:
                return list(heard)
        raise self._failure(f"writes {_MAX_LINES} lines and no {beginning}")

    def count_pending(self) -> int:
        """How many lines are waiting for `read_line`."""
        return self._lines.qsize()

    def interrupt(self) -> None:
        """Have `read_line` return an empty text once it has returned the lines that wait already.

        A `read_line` that is waiting for a line returns at once.
        """
        self._lines.put("")

    def _describe_end(self) -> str:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            return "has closed its output"
        if status == CANNOT_RUN:
            return "cannot be run"
        if status > 128:
            return f"was ended by signal {status - 128}"
        return f"has ended with status {status}"

    def _failure(self, what: str) -> EngineError:
        self.close()
        words = " | ".join(self._last_words)
        last = f" Its last output: {words.rstrip('.')}." if words else ""
        return ProcessError(self.name, f"{what}.{last}")


def _read_answers(
    stream: IO[bytes],
    lines: "queue.Queue[str | None]",
    room: threading.Semaphore,
    ending: threading.Event,
) -> None:
    with suppress(OSError, ValueError):
        while not ending.is_set() and (data := stream.readline(_MAX_LINE)):
            if line := data.decode(errors="replace").strip():
                room.acquire()
                lines.put(line)
    lines.put(None)


def _read_complaints(stream: IO[bytes], last_words: "deque[str]") -> None:
    with suppress(OSError, ValueError):
        while data := stream.readline(_MAX_LINE):
            if line := data.decode(errors="replace").strip():
                last_words.append(line[:200])


def _end(
    process: "subprocess.Popen[bytes]",
    holding: int,
    ending: threading.Event,
    lines: "queue.Queue[str | None]",
    room: threading.Semaphore,
    readers: list[threading.Thread],
) -> None:
    """Kill the engine with its children, and wait until they and the readers have ended."""
    ending.set()
    os.close(holding)
    try:
        process.wait(_END_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    # The reader of the output may be waiting for room, which nobody makes any more.
    room.release()
    deadline = time.monotonic() + _END_S
    for reader in readers:
        # The garbage collector may call this in any thread, even in a reader's.
        if reader is not threading.current_thread():
            reader.join(max(0.0, deadline - time.monotonic()))
    # Whoever still waits in `read_line` is told, even if the reader goes on reading.
    lines.put(None)
    assert process.stdin is not None
    process.stdin.close()
    # A reader that still runs means that a process which escaped us holds the pipe; closing the
    # stream would block, so it is left open.
    for reader, stream in zip(readers, (process.stdout, process.stderr), strict=True):
        if stream is not None and not reader.is_alive():
            stream.close()


def check_options(
    process: EngineProcess,
    wanted: Mapping[str, str],
    listed: Sequence[str],
    usual: Mapping[str, str],
) -> dict[str, str]:
    """The options, spelt as the engine does; one that lists none is trusted to have them.

    Args:
        process: the engine, which is ended if it lacks one.
        wanted: names and values as the user wrote them, in any case.
        listed: the names that the engine says it has.
        usual: further options in lower case, set if the engine has them and the user does not set
            them.

    Raises:
        EngineError: it lacks one; the message lists those that it has.
    """
    own = {name.casefold(): name for name in listed}
    for name in wanted:
        if own and name.casefold() not in own:
            process.close()
            names = sanitized(", ".join(listed))[:400]
            raise EngineError(
                f"The engine {process.name} has no option {name!r}; it has {names}. "
                "Correct option.NAME=VALUE, or leave it out."
            )
    besides = {name: value for name, value in usual.items() if name in own}
    chosen = besides | {name.casefold(): value for name, value in wanted.items()}
    spelt = own | ({} if own else {name.casefold(): name for name in wanted})
    return {spelt[name]: value for name, value in chosen.items()}
