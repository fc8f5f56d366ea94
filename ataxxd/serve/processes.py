"""Several processes that serve for one node: the supervisor that starts them, and the processes.

The supervisor and each process share a pair of sockets, with one JSON object per line. When the
supervisor's end closes, for whatever reason, the process ends at once, as in a power cut, for which
its journal is made; so no process is left behind. Only the supervisor handles signals, and forwards
them, so that a signal to the whole process group is not handled twice.
"""

import asyncio
import json
import logging
import os
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import count
from typing import Any, NoReturn

from pydantic import SecretStr, TypeAdapter

from ataxxd.errors import AtaxxdError, ExitCode
from ataxxd.node.concurrency import plain_errors
from ataxxd.serve.config import Config
from ataxxd.serve.plan import Share
from ataxxd.serve.status import ServiceStatus, add_counters, combine_statuses
from ataxxd.transport.reconnecting import Backoff

_log = logging.getLogger(__name__)

LINE_VARIABLE = "ATAXXD_SERVE_LINE"
"""The environment variable with the file descriptor of a process's end of the line."""

# The most bytes of a line; a status of ten thousand games has four million.
_MAX_LINE = 64 << 20
# Seconds between two requests for the status of all processes. What a process counts in between is
# lost if it is killed.
_WATCH_S = 0.5
# Seconds within which a process must answer with its status.
_ANSWER_TIMEOUT_S = 5.0
# A process counts as hanging after this many unanswered requests in a row, which take a minute.
# Before its first answer it may have a large journal to read, so it is allowed ten times as many.
_MAX_UNANSWERED, _MAX_UNANSWERED_AT_START = 12, 120
# Seconds until a process that ended is started again.
_RETRY_FIRST_S, _RETRY_LAST_S = 0.5, 60.0
# Seconds for a process to end once its line is closed.
_KILL_AFTER_S = 5.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_STATUS = TypeAdapter(ServiceStatus)


class ProcessStartError(AtaxxdError):
    """A process could not start serving; it has reported the reason."""

    def __init__(self, share: Share, code: int) -> None:
        """Process `share` ended with this exit status."""
        super().__init__(f"The service has ended with {share}, for the reason above.")
        known = {each.value for each in ExitCode}
        self.exit_code = ExitCode(code) if code in known else ExitCode.FAILURE


def config_to_json(config: Config) -> dict[str, Any]:
    """A checked configuration as JSON, with its secrets, for `Config.model_validate` to read."""

    def plain(value: object) -> str:
        return value.get_secret_value() if isinstance(value, SecretStr) else str(value)

    told: dict[str, Any] = json.loads(json.dumps(config.model_dump(), default=plain))
    return told


@dataclass(slots=True)
class _Process:
    """One process, and what is known of it.

    Attributes:
        share: what it serves.
        running: the process itself; None before it is started.
        writer: our end of the line; None while it is not running.
        status: its last status, without games; None before the first.
        unanswered: how often in a row it has not answered. Counted, not timed: a process that was
            suspended together with its supervisor does not hang.
    """

    share: Share
    running: asyncio.subprocess.Process | None = None
    writer: asyncio.StreamWriter | None = None
    status: ServiceStatus | None = None
    answers: dict[int, asyncio.Future[ServiceStatus | None]] = field(default_factory=dict)
    unanswered: int = 0

    def send(self, **order: object) -> None:
        """Send it an order, if it is running."""
        if self.writer is not None:
            self.writer.write(json.dumps(order).encode() + b"\n")


class Supervisor:
    """Starts a node's processes, restarts those that end, and collects their status."""

    def __init__(
        self,
        command: Sequence[str],
        config: Config,
        node: ServiceStatus,
        *,
        inherited: Sequence[int] = (),
        broker: str | None = None,
        max_unanswered: int = _MAX_UNANSWERED,
    ) -> None:
        """Prepare the processes; `run` starts them.

        Args:
            command: the command that starts a process; `LINE_VARIABLE` names its socket.
            config: the node's configuration, with the number of processes.
            node: the node's status, apart from what the processes report.
            inherited: descriptors that all processes inherit, so that a lock is held until the last
                one has ended.
            broker: the address of the broker that runs here; None without one.
            max_unanswered: a process is killed after this many unanswered requests in a row.
        """
        self._max_unanswered = max_unanswered
        self._command = command
        self._config = config
        self._node = replace(node, processes=config.node.processes)
        self._inherited = inherited
        self._broker = broker
        self._processes = [
            _Process(Share(index, config.node.processes)) for index in range(config.node.processes)
        ]
        self._numbers = count()
        self._stopping = asyncio.Event()
        self._drain_s = 0.0
        self._all_ready = False

    async def run(self) -> None:
        """Start the processes, and let them serve until `stop`.

        Raises:
            ProcessStartError: a process could not start serving.
        """
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                watching = group.create_task(self._watch(), name="processes")
                keeping = [group.create_task(self._keep_running(each)) for each in self._processes]
                await asyncio.wait(keeping)
                watching.cancel()
        _log.info("stopped; all processes have ended")

    def stop(self, drain_s: float = 0.0) -> None:
        """Begin no more games, and end; games under way have `drain_s` seconds to finish."""
        self._drain_s = drain_s
        self._stopping.set()
        for process in self._processes:
            process.send(do="stop", drain_s=drain_s)

    def reload(self, config: Config) -> None:
        """Let all processes follow another configuration; their number does not change."""
        self._config = config
        for process in self._processes:
            process.send(do="reload", config=config_to_json(config))

    async def status(self) -> ServiceStatus:
        """The status of the node, from all of its processes."""
        told = await asyncio.gather(
            *(self._request_status(each, games=True) for each in self._processes)
        )
        return combine_statuses(replace(self._node, draining=self._stopping.is_set()), told)

    async def _request_status(self, process: _Process, *, games: bool) -> ServiceStatus | None:
        """The status of a process; None if it is not running, or does not answer in time."""
        if process.writer is None:
            return None
        number = next(self._numbers)
        answer: asyncio.Future[ServiceStatus | None] = asyncio.get_running_loop().create_future()
        process.answers[number] = answer
        process.send(do="tell", number=number, games=games)
        try:
            async with asyncio.timeout(_ANSWER_TIMEOUT_S):
                return await answer
        except TimeoutError:
            process.unanswered += 1
            return None
        finally:
            del process.answers[number]

    async def _watch(self) -> None:
        """Keep track of the processes' counters, and log when all of them serve."""
        while True:
            told = await asyncio.gather(
                *(self._request_status(each, games=False) for each in self._processes)
            )
            ready = all(each is not None and each.ready for each in told)
            if ready and not self._all_ready:
                _log.info("serving: %d processes", len(told))
            self._all_ready = ready
            for process in self._processes:
                self._kill_if_hung(process)
            await asyncio.sleep(_WATCH_S)

    def _kill_if_hung(self, process: _Process) -> None:
        """Kill a process that does not answer any more, so that it is started again."""
        most = self._max_unanswered if process.status is not None else _MAX_UNANSWERED_AT_START
        if process.unanswered >= most and process.running is not None:
            process.unanswered = 0
            _log.error("%s does not answer; it is killed", process.share)
            with suppress(ProcessLookupError):
                process.running.kill()

    async def _keep_running(self, process: _Process) -> None:
        backoff, first = Backoff(_RETRY_FIRST_S, _RETRY_LAST_S), True
        while not self._stopping.is_set():
            code = await self._run(process)
            was_ready = process.status is not None and process.status.ready
            if process.status is not None:
                self._node = add_counters(self._node, process.status)
                process.status = None
            if self._stopping.is_set():
                if code:
                    _log.error("%s ended with status %d", process.share, code)
                return
            # A faulty configuration, or a broker that refuses us, would fail every start.
            if first and code > ExitCode.FAILURE:
                raise ProcessStartError(process.share, code)
            first = False
            if was_ready:
                backoff.reset()
            _log.error("%s ended with status %d; it is started again", process.share, code)
            self._node = replace(self._node, restarts=self._node.restarts + 1)
            with suppress(TimeoutError):
                async with asyncio.timeout(backoff.next()):
                    await self._stopping.wait()

    async def _run(self, process: _Process) -> int:
        """Run a process once; returns its exit status, which is negative for a signal."""
        ours, theirs = socket.socketpair()
        with theirs:
            running = await asyncio.create_subprocess_exec(
                *self._command,
                env={**os.environ, LINE_VARIABLE: str(theirs.fileno())},
                pass_fds=(theirs.fileno(), *self._inherited),
                stdin=asyncio.subprocess.DEVNULL,
                # The terminal's signals must reach only us; we forward them.
                start_new_session=True,
            )
        _log.info("%s: started, pid %d", process.share, running.pid)
        reader, writer = await asyncio.open_unix_connection(sock=ours, limit=_MAX_LINE)
        process.running, process.writer, process.unanswered = running, writer, 0
        share = process.share
        process.send(
            share=[share.index, share.count],
            config=config_to_json(self._config),
            broker=self._broker,
        )
        if self._stopping.is_set():  # meanwhile
            process.send(do="stop", drain_s=self._drain_s)
        try:
            await self._read_answers(process, reader)
        finally:
            process.running = process.writer = None
            writer.close()
            for answer in process.answers.values():
                if not answer.done():
                    answer.set_result(None)
            # One end of the line is closed, so the process should end by itself.
            with suppress(TimeoutError):
                async with asyncio.timeout(_KILL_AFTER_S):
                    await running.wait()
            if running.returncode is None:
                running.kill()
        return await running.wait()

    async def _read_answers(self, process: _Process, reader: asyncio.StreamReader) -> None:
        with suppress(ConnectionError):
            while line := await reader.readline():
                told = json.loads(line)
                status = _STATUS.validate_python(told["status"])
                process.status, process.unanswered = replace(status, games=()), 0
                answer = process.answers.get(told["number"])
                if answer is not None and not answer.done():
                    answer.set_result(status)


@dataclass(frozen=True, slots=True)
class SupervisorConnection:
    """A process's connection to its supervisor.

    Attributes:
        share: the process's share of the games.
        config: the configuration at the start.
        broker: the address of the broker that the supervisor runs; None without one.
    """

    share: Share
    config: Config
    broker: str | None
    _reader: asyncio.StreamReader
    _writer: asyncio.StreamWriter

    @classmethod
    async def accept(cls, descriptor: int) -> "SupervisorConnection":
        """Use the inherited socket `descriptor`, and read the first message from it."""
        line = socket.socket(fileno=descriptor)
        line.set_inheritable(False)
        reader, writer = await asyncio.open_unix_connection(sock=line, limit=_MAX_LINE)
        if not (first := await reader.readline()):
            _exit()
        told = json.loads(first)
        config = Config.model_validate(told["config"])
        return cls(Share(*told["share"]), config, told["broker"], reader, writer)

    async def serve(
        self,
        status: Callable[..., ServiceStatus],
        on_stop: Callable[[float], None],
        on_reload: Callable[[Config], None],
    ) -> None:
        """Obey the supervisor until cancelled; ends this process when the supervisor is gone.

        Args:
            status: returns the status of this process, optionally without games.
            on_stop: called with the seconds in which games under way may finish.
            on_reload: called with a new configuration.
        """
        while line := await self._read_line():
            told = json.loads(line)
            match told["do"]:
                case "stop":
                    on_stop(told["drain_s"])
                case "reload":
                    on_reload(Config.model_validate(told["config"]))
                case _:
                    answer = {
                        "number": told["number"],
                        "status": asdict(status(games=told["games"])),
                    }
                    self._writer.write(json.dumps(answer).encode() + b"\n")
        _exit()

    async def _read_line(self) -> bytes:
        with suppress(ConnectionError):
            return await self._reader.readline()
        return b""


def _exit() -> NoReturn:
    """End this process now: another supervisor may want its games."""
    _log.error("the supervisor is gone, and so is this process")
    os._exit(ExitCode.FAILURE)


@contextmanager
def ignored_signals() -> Iterator[None]:
    """Ignore the signals that stop or reload; child processes still receive them as usual."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        loop.add_signal_handler(number, lambda: None)
    try:
        yield
    finally:
        for number in _SIGNALS:
            loop.remove_signal_handler(number)
