"""Real brokers for tests: what all of them have in common, and Mosquitto.

A broker listens on 127.0.0.1 only, on ports the system chose, and is stopped and reaped
whatever happens, also when the tests are killed. `tests.other_brokers` has the others.
"""

import itertools
import os
import re
import secrets
import shutil
import signal
import socket
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.certificates import Certificates
from tests.time_limits import DEADLINE

STOP_TIMEOUT = 10.0


def find_program(name: str) -> str | None:
    """A broker's program; Debian keeps daemons where users' PATH does not look."""
    return shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")


def _candidates() -> Iterator[int]:
    """Ports to try, for ever: this worker's own share of those that are never given out.

    The system gives ports of its ephemeral range to every connection that goes out, so one
    that a test chose there, or that a broker leaves for the time of a restart, may be gone.
    """
    numbers = range(20_000, _ephemeral())
    worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
    own = numbers[int(worker) :: int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))]
    # Another run of the tests on this machine begins elsewhere.
    begin = secrets.randbelow(len(own))
    return itertools.cycle([*own[begin:], *own[:begin]])


def _ephemeral() -> int:
    """Where the ports begin that the system gives out; if that leaves too few, where they end."""
    with suppress(OSError):
        first = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
        return first if first >= 30_000 else 65_536
    return 49_152  # RFC 6335


_PORTS = _candidates()


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listened on a moment ago; another one each time."""
    for port in _PORTS:
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port
    raise AssertionError("the ports never end")


def until_listening(port: int, ended: Callable[[], bool] = lambda: False) -> bool:
    """Wait until somebody listens on a port of 127.0.0.1; False when there will be nobody."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline and not ended():
        with suppress(OSError):
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return True
        time.sleep(0.01)
    return False


def open_sockets() -> Iterator[socket.socket]:
    """Duplicates of this process's internet sockets, each closed when the next is asked for."""
    for entry in [*Path("/proc/self/fd").iterdir()]:
        try:
            number = os.dup(int(entry.name))
        except OSError:
            continue  # the folder's own descriptor
        try:
            duplicate = socket.socket(fileno=number)
        except OSError:
            os.close(number)  # a file or a pipe
            continue
        with duplicate:
            if duplicate.family in (socket.AF_INET, socket.AF_INET6):
                yield duplicate


class Guard:
    """Kills a process group if this process ends, however it does, before `dismiss` is called.

    A shell waits for a line from us. If the pipe ends without one, we have been killed.

    Args:
        group: the process that leads the group.
    """

    def __init__(self, group: int) -> None:
        script = 'read -r _ || kill -s KILL -- "-$1"'
        self._shell = subprocess.Popen(
            ["sh", "-c", script, "sh", str(group)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # or Ctrl-C would end it first
        )

    def dismiss(self) -> None:
        """End it; the group is left alone."""
        self._shell.communicate(b"\n")


class BrokerProcess(ABC):
    """A broker of our own: started, stopped and started again on the same port.

    Args:
        folder: where its files live.
        port: of the plain listener; a free one when left out.
    """

    program = ""
    """What is run."""
    package = ""
    """The Debian package it comes in."""

    def __init__(self, folder: Path, port: int | None = None) -> None:
        self.folder = folder
        self.port = port or free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._guard: Guard | None = None

    @property
    def url(self) -> str:
        """Address of the plain listener."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def running(self) -> bool:
        """Whether it has been started and has not ended."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process's id; it leads a group of its own."""
        assert self._process is not None, "not started"
        return self._process.pid

    @property
    def log(self) -> str:
        """What the broker has said so far."""
        path = self.folder / "log"
        return path.read_text(errors="replace") if path.exists() else ""

    @classmethod
    def missing(cls) -> str | None:
        """What to do when the broker is not installed; None when it is."""
        if find_program(cls.program) is not None:
            return None
        return f"{cls.__name__} is not installed (apt-get install {cls.package})"

    @abstractmethod
    def command(self) -> Sequence[str | Path]:
        """Writes the configuration and says how the broker is started with it."""

    def environment(self) -> Mapping[str, str]:
        """The environment it is started in."""
        return os.environ

    def ports(self) -> Iterator[int]:
        """Every port that must listen before it counts as started."""
        yield self.port

    def start(self) -> None:
        """Starts the broker and returns when every listener accepts connections."""
        assert not self.running, "already started"
        self.folder.mkdir(parents=True, exist_ok=True)
        command = [*self.command()]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self.folder,
                env=self.environment(),
                start_new_session=True,
            )
        self._guard = Guard(self._process.pid)
        try:
            for port in self.ports():
                if not until_listening(port, lambda: not self.running):
                    raise RuntimeError(f"{self.program} ends, or does not listen:\n{self.log}")
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Asks the broker to end, and waits; does nothing when it is not running."""
        if self._process is None:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(STOP_TIMEOUT)
        self.kill()

    def kill(self) -> None:
        """Ends the broker and what it started at once, as a crash would."""
        process, self._process = self._process, None
        guard, self._guard = self._guard, None
        if process is not None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            if guard is not None:
                guard.dismiss()
            process.wait()

    def restart(self) -> None:
        """Stops and starts on the same ports."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()


@dataclass
class Mosquitto(BrokerProcess):
    """A Mosquitto of our own; what was retained is gone after a restart, unless it is stored.

    Args:
        folder: where its files live.
        users: name to password; with any, nobody else is let in.
        acl: lines of an access control file.
        certificates: opens a TLS listener.
        websockets: opens a websocket listener; with certificates it is encrypted.
        client_certificates: the TLS listener wants them.
        no_delay: turns Nagle's algorithm off; Mosquitto leaves it on by itself.
        keeps: stores what is retained when it is stopped, and has it again after a restart.
        extra: more configuration lines.
    """

    folder: Path
    users: dict[str, str] = field(default_factory=dict)
    acl: str = ""
    certificates: Certificates | None = None
    websockets: bool = False
    client_certificates: bool = False
    no_delay: bool = True
    keeps: bool = False
    extra: str = ""
    port: int = field(default_factory=free_port)
    tls_port: int = field(default_factory=free_port)
    websocket_port: int = field(default_factory=free_port)

    program = package = "mosquitto"

    def __post_init__(self) -> None:
        super().__init__(self.folder, self.port)

    @property
    def tls_url(self) -> str:
        """Address of the TLS listener, with the authority to trust."""
        assert self.certificates is not None
        return f"mqtts://127.0.0.1:{self.tls_port}?ca={self.certificates.ca}"

    @property
    def websocket_url(self) -> str:
        """Address of the websocket listener."""
        if self.certificates is not None:
            return f"wss://127.0.0.1:{self.websocket_port}/mqtt?ca={self.certificates.ca}"
        return f"ws://127.0.0.1:{self.websocket_port}/mqtt"

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        configuration = self.folder / "mosquitto.conf"
        configuration.write_text(self._configuration())
        return [program, "-v", "-c", configuration]

    @property
    def mqtt_3_1_1(self) -> str:
        """What the log calls it: up to 2.0 by a number of its own, then by the protocol's."""
        version = re.search(r"mosquitto version (\d+)\.(\d+)", self.log)
        assert version is not None
        return "2" if (int(version[1]), int(version[2])) < (2, 1) else "4"

    def ports(self) -> Iterator[int]:
        """See `BrokerProcess.ports`."""
        yield self.port
        if self.certificates is not None:
            yield self.tls_port
        if self.websockets:
            yield self.websocket_port

    def _configuration(self) -> str:
        lines = [
            "per_listener_settings false",
            f"persistence {'true' if self.keeps else 'false'}",
            f"set_tcp_nodelay {'true' if self.no_delay else 'false'}",
            f"allow_anonymous {'false' if self.users else 'true'}",
        ]
        if os.geteuid() == 0:
            lines.append("user root")  # or it would give up the right to read its own files
        if self.users:
            lines.append(f"password_file {self._password_file()}")
        if self.acl:
            path = self.folder / "acl"
            path.write_text(self.acl)
            path.chmod(0o600)
            lines.append(f"acl_file {path}")
        if self.keeps:
            lines.append(f"persistence_location {self.folder}/")
        lines.append(f"listener {self.port} 127.0.0.1")
        if self.certificates is not None:
            lines += [f"listener {self.tls_port} 127.0.0.1", *self._tls_lines()]
            if self.client_certificates:
                lines.append("require_certificate true")
        if self.websockets:
            lines += [f"listener {self.websocket_port} 127.0.0.1", "protocol websockets"]
            lines += self._tls_lines()
        lines.append(self.extra)
        return "\n".join(lines) + "\n"

    def _tls_lines(self) -> list[str]:
        if self.certificates is None:
            return []
        return [
            f"cafile {self.certificates.ca}",
            f"certfile {self.certificates.cert}",
            f"keyfile {self.certificates.key}",
        ]

    def _password_file(self) -> Path:
        path = self.folder / "passwords"
        path.write_text("".join(f"{name}:{word}\n" for name, word in self.users.items()))
        path.chmod(0o600)
        program = shutil.which("mosquitto_passwd")
        assert program is not None, "mosquitto_passwd is not installed"
        subprocess.run([program, "-U", str(path)], check=True, capture_output=True)
        return path
