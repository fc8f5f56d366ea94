"""Programs of others that choose moves, spoken to over their own protocols.

process    what a user writes to name one, and the program as a process: lines in and out, each
           with a deadline
watchdog   keeps hold of that process, so that it never outlives us
dialects   the protocols: how to ask for a move, and how to read the answer

Here is one such program as a player.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from ataxxd.engines.base import Choice
from ataxxd.engines.external.dialects import dialect_for
from ataxxd.engines.external.process import EngineCommand, EngineProcess, ProcessError
from ataxxd.errors import EngineError
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits
from ataxxd.sanitize import sanitized

# Seconds for an engine to start, including the files that it loads.
_START_S = 30.0
# Seconds until a message says that we are waiting.
_NOTICE_AFTER_S = 2.0
# Seconds for a command that takes no search, such as setting up a position or stopping.
_PROMPT_S = 10.0
# Seconds that we wait beyond a time limit: the move may be late, but the engine has not failed.
_GRACE_S = 5.0
# The share of a move's time after which we stop an engine that does not keep time itself.
_TIME_SHARE = 0.9
# Seconds for a search that only a depth or a number of nodes limits.
_MAX_SEARCH_S = 600.0


class ExternalEngine:
    """An external engine as an `ataxxd.engines.base.Bot`.

    The process is started when it is first needed, and again after it has failed. Every move is
    checked. It ends with `close`, when this object is no longer used, or with this program, even
    if that crashes.

    Args:
        command: the command that starts it.
        game: the game that it plays.
        usual: default options, named in lower case, for those that the engine has and the command
            does not set.

    Raises:
        UsageError: no protocol is known for the game, or the protocol is for another game.
    """

    def __init__(
        self, command: EngineCommand, game: str, usual: Mapping[str, str] | None = None
    ) -> None:
        self._command = command
        self._usual = usual or {}
        self._dialect = dialect_for(game, command.protocol)
        self._process: EngineProcess | None = None
        self._title = command.program
        self._asked = threading.Event()

    @property
    def name(self) -> str:
        """``engine:COMMAND``."""
        return f"engine:{self._command}"

    @property
    def title(self) -> str:
        """The engine's own name, once it has been asked; until then its program's name."""
        return self._title

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:  # noqa: ARG002
        """Choose a legal move; the protocol has no seed.

        Raises:
            EngineError: it fails; the message says how.
        """
        limits = self._command.limit or self._dialect.usual
        return self.find(position, limits.within(Limits(time_ms=time_ms))).move

    def find(self, position: Position, limits: Limits) -> Choice:
        """Choose a legal move within limits.

        Args:
            position: the position, in which the game must not be over.
            limits: the limits to pass to the engine; the caller checks the time.

        Raises:
            ValueError: the game is over in this position.
            EngineError: it fails; the message says how.
        """
        if position.outcome is not None:
            msg = "The game is over in this position; there is no move to choose."
            raise ValueError(msg)
        process = self._start()
        prompt = time.monotonic() + _PROMPT_S
        self._dialect.ask(process, position, limits, prompt)
        self._asked.set()
        time_up = self._stop_timer(process, limits.milliseconds(position))
        try:
            lines = self._read_answer(
                process, time.monotonic() + _answer_timeout_s(position, limits)
            )
        finally:
            self._asked.clear()
            time_up.cancel()
        try:
            return Choice(self._dialect.move(lines[-1], position), self._dialect.score(lines))
        except ValueError as error:
            self.close()
            raise EngineError(
                f"The engine {self._title} answered {sanitized(lines[-1][:60])!r}: {error} "
                f"The position was {position.text}. Report it to the engine's author."
            ) from None

    def new_game(self) -> None:
        """Tell the engine that a new game begins.

        Its preparations, such as loading files, do not count as time for its first move.

        Raises:
            EngineError: it fails; the message says how.
        """
        self._dialect.new_game(self._start(), time.monotonic() + _START_S)

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:  # noqa: ARG002
        """Always False: its protocol has no draw offers."""
        return False

    def stop(self) -> None:
        """Make a running choice return soon; takes effect once the engine has been asked."""
        process = self._process
        if process is not None and self._asked.is_set():
            process.interrupt()

    @property
    def limit(self) -> Limits | None:
        """The limit per move that the user set."""
        return self._command.limit

    def start(self, on_notice: Callable[[str], object] | None = None) -> None:
        """Start the process now, to check that it works; `close` in another thread ends the wait.

        Args:
            on_notice: called in another thread, if it takes long, with a sentence that says until
                when the engine is waited for, and how to stop.

        Raises:
            EngineError: it fails; the message says how.
        """
        self._start(on_notice)

    def close(self) -> None:
        """End the process; the next question starts a new one."""
        process, self._process = self._process, None
        if process is not None:
            process.close()

    def _start(self, on_notice: Callable[[str], object] | None = None) -> EngineProcess:
        if self._process is not None and self._process.close.alive:
            return self._process
        self._process = process = EngineProcess(self._command)
        deadline = time.monotonic() + _START_S
        try:
            with self._report_silence(on_notice):
                title = self._dialect.greet(process, self._command.options, deadline, self._usual)
        except ProcessError as error:
            if time.monotonic() < deadline:
                raise
            raise ProcessError(self._title, f"{error.what} {self._dialect.advice}") from None
        process.name = self._title = sanitized(title)[:60]
        return process

    @contextmanager
    def _report_silence(self, on_notice: Callable[[str], object] | None) -> Iterator[None]:
        """Call `on_notice` with a message if the block takes long."""
        if on_notice is None:
            yield
            return
        until = datetime.now().astimezone() + timedelta(seconds=_START_S)
        text = (
            f"The engine {self._title} has not answered yet. Waiting for it until "
            f"{until:%H:%M:%S}; Ctrl-C stops."
        )
        timer = threading.Timer(_NOTICE_AFTER_S, on_notice, (text,))
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _stop_timer(self, process: EngineProcess, time_ms: int | None) -> threading.Timer:
        """A timer that ends the search in time; started only for an engine that keeps none itself.

        It fires once: `_read_answer` is sure to hear the interruption, and tells the engine to
        stop. If it fires as the answer comes, the next question skips the interruption.
        """
        timer = threading.Timer((time_ms or 0) * _TIME_SHARE / 1000, process.interrupt)
        timer.daemon = True
        if time_ms is not None and not self._dialect.keeps_time:
            timer.start()
        return timer

    def _read_answer(self, process: EngineProcess, deadline: float) -> list[str]:
        """The engine's lines up to its answer; stops its search if interrupted meanwhile."""
        stopped = False
        while True:
            lines = process.read_until(self._dialect.answers, deadline, interruptible=True)
            if lines:
                return lines
            if not stopped:
                stopped = True
                deadline = min(deadline, time.monotonic() + _PROMPT_S)
                process.send_line(self._dialect.stop, deadline)

    def __repr__(self) -> str:
        return f"ExternalEngine({str(self._command)!r})"


def _answer_timeout_s(position: Position, limits: Limits) -> float:
    """How long to wait for an answer, in seconds."""
    times = [] if limits.time_ms is None else [limits.time_ms / 1000]
    if limits.clocks is not None:
        times.append(limits.clocks[position.turn].left_ms / 1000)
    return min(times, default=_MAX_SEARCH_S) + _GRACE_S
