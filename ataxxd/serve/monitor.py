"""The monitor's pages (metrics, liveness, readiness, status) and its sockets.

It listens on a socket in the node's home and, if configured, on a loopback port. It changes nothing
and shows no secrets, but is meant for this machine only.

Metrics are computed from the node's status on request, so nothing is counted twice, and counting
costs games no time.
"""

import os
import platform
import socket
import tempfile
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import asdict
from pathlib import Path
from typing import TypeAlias

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    GCCollector,
    ProcessCollector,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, InfoMetricFamily
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from ataxxd import __version__
from ataxxd.errors import ConfigError, StorageError
from ataxxd.node.errors import NameInUse
from ataxxd.node.home import Home
from ataxxd.serve.status import ServiceStatus, socket_path
from ataxxd_clients.web.server import running
from ataxxd_protocol import PROTOCOL_VERSION

# The bytes that a socket's address may have on every system; Linux allows 107.
_MAX_SOCKET_PATH = 100


# The host names that are answered. Any other may be a foreign page's, resolved to this machine.
_HOSTS = ["127.0.0.1", "localhost", "[::1]"]


StatusSource: TypeAlias = Callable[[], ServiceStatus | Awaitable[ServiceStatus]]
"""Returns the status of a node, at once or after asking its processes."""


def make_application(status: StatusSource) -> Starlette:
    """Create the web application of the monitor; `status` returns the node's present status."""
    metrics = Metrics()

    async def current_status() -> ServiceStatus:
        answer = status()
        return answer if isinstance(answer, ServiceStatus) else await answer

    # Coroutines, so that the event loop itself answers: an answer shows that it is alive.
    async def show_metrics(_: Request) -> Response:
        return Response(metrics.text(await current_status()), media_type=CONTENT_TYPE)

    async def show_alive(_: Request) -> Response:
        return PlainTextResponse("alive\n")

    async def show_ready(_: Request) -> Response:
        if why := obstacle_to_games(await current_status()):
            return PlainTextResponse(f"{why}\n", status_code=503)
        return PlainTextResponse("ready\n")

    async def show_status(_: Request) -> Response:
        return JSONResponse(asdict(await current_status()))

    return Starlette(
        routes=[
            Route("/metrics", show_metrics),
            Route("/healthz", show_alive),
            Route("/readyz", show_ready),
            Route("/status", show_status),
        ],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=_HOSTS)],
    )


def obstacle_to_games(status: ServiceStatus) -> str:
    """Why the node takes no new games now, in words; empty if it does."""
    if status.draining:
        return "draining: no new game is begun"
    if not status.connected:
        return f"no connection to {status.broker}"
    if not status.ready:
        return "starting: games are taken up"
    return ""


@asynccontextmanager
async def serve_monitor(
    home: Home, status: StatusSource, port: int | None = None
) -> AsyncIterator[str | None]:
    """Serve the monitor of a home's node: on its socket and, if given, on a port.

    Args:
        home: the node's home, for which no other process serves.
        status: returns the node's present status.
        port: a port of the loopback interface; any free one for 0, none for None.

    Yields:
        The address with the port; None without a port.

    Raises:
        ConfigError: nothing can listen on the port.
        NameInUse: another process serves the monitor of this home.
        StorageError: the socket cannot be created.
    """
    application = make_application(status)
    with _socket(socket_path(home)) as private:
        async with running(application, private):
            if port is None:
                yield None
                return
            listener = _listener(port)
            async with running(application, listener):
                yield f"http://127.0.0.1:{listener.getsockname()[1]}"


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise ConfigError(
            f"[monitor] port {port}: nothing can listen there ({error.strerror}). Choose "
            "another, or 0 for any free one."
        ) from None


@contextmanager
def _socket(path: Path) -> Iterator[socket.socket]:
    """A listening socket for its owner alone, removed at the end."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    # If the path is too long for an address, it is a link to a socket elsewhere.
    short = len(os.fsencode(path)) <= _MAX_SOCKET_PATH
    folder = None if short else tempfile.TemporaryDirectory(prefix="ataxxd-")
    place = path if folder is None else Path(folder.name) / path.name
    try:
        if _is_answered(path):
            raise NameInUse(
                f"Another ataxxd process serves from the home {path.parent}. Stop it first, or "
                "use another --home."
            )
        # A killed process may have left one.
        path.unlink(missing_ok=True)
        before = os.umask(0o177)
        try:
            listener.bind(str(place))
        finally:
            os.umask(before)
        if place != path:
            path.symlink_to(place)
        listener.listen()
    except OSError as error:
        listener.close()
        raise StorageError(
            f"The socket {path} cannot be made: {error.strerror or error}. Fix the folder's "
            "permissions, or choose another with --home DIR."
        ) from None
    except NameInUse:
        listener.close()
        raise
    try:
        yield listener
    finally:
        listener.close()
        with suppress(OSError):
            path.unlink(missing_ok=True)
        if folder is not None:
            folder.cleanup()


def _is_answered(path: Path) -> bool:
    """Whether somebody listens on a socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, suppress(OSError):
        asking.connect(str(path.resolve()))
        return True
    return False


CONTENT_TYPE = CONTENT_TYPE_LATEST
"""The media type of what `Metrics.text` writes."""


class Metrics:
    """The metrics of one node and of the process that reports them."""

    def __init__(self) -> None:
        """Begin with the metrics of the process alone."""
        # A registry of its own: the library's global one would be shared by all in this process.
        self._registry = CollectorRegistry()
        self._node = _NodeCollector()
        self._registry.register(self._node)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def text(self, status: ServiceStatus) -> bytes:
        """All metrics, for a node with this status, in the text format of Prometheus."""
        self._node.status = status
        return generate_latest(self._registry)


class _NodeCollector(Collector):
    status: ServiceStatus | None = None

    def collect(self) -> Iterable[Metric]:
        """The metrics of the node as its status says."""
        if (status := self.status) is None:
            return
        yield _info()
        yield from _state(status)
        yield from _games(status)
        yield from _work(status)


def _info() -> Metric:
    info = InfoMetricFamily("ataxxd", "The program.")
    info.add_metric(
        [],
        {
            "version": __version__,
            "protocol": PROTOCOL_VERSION,
            "python": platform.python_version(),
        },
    )
    return info


def _state(status: ServiceStatus) -> Iterator[Metric]:
    yield _gauge("connected", "1 while there is a connection to the broker.", status.connected)
    yield _gauge("ready", "1 when all that is configured has been taken up.", status.ready)
    yield _gauge("draining", "1 when no new game is begun any more.", status.draining)
    yield _gauge(
        "start_time_seconds", "When the node began, in Unix seconds.", status.started_ms / 1000
    )
    yield _gauge("processes", "Processes that serve for the node.", status.processes)
    yield _counter("process_restarts", "Processes started again.", status.restarts)


def _games(status: ServiceStatus) -> Iterator[Metric]:
    games = GaugeMetricFamily(
        "ataxxd_games", "Games open and under way.", labels=("ruleset", "role", "state")
    )
    counts = Counter((game.ruleset, game.role, game.state) for game in status.games)
    for labels, count in sorted(counts.items()):
        games.add_metric(labels, count)
    yield games
    ours = sum(game.ours_to_move for game in status.games)
    yield _gauge("games_to_move", "Games that wait for this node's move.", ours)
    yield _counter("games_finished", "Games that have ended.", status.finished)
    challenges = CounterMetricFamily(
        "ataxxd_challenges", "Games that bots took up or refused.", labels=("answer",)
    )
    challenges.add_metric(("taken",), status.challenges_taken)
    challenges.add_metric(("declined",), status.challenges_declined)
    yield challenges


def _work(status: ServiceStatus) -> Iterator[Metric]:
    searches = GaugeMetricFamily("ataxxd_searches", "Searches now.", labels=("state",))
    searches.add_metric(("running",), status.searching)
    searches.add_metric(("waiting",), status.waiting)
    yield searches
    yield _counter("search_nodes", "Positions visited by searches.", status.search_nodes)
    yield _counter("search_seconds", "Time spent in searches.", status.search_ms / 1000)
    messages = CounterMetricFamily(
        "ataxxd_messages", "Messages received and sent.", labels=("direction",)
    )
    messages.add_metric(("in",), status.messages_in)
    messages.add_metric(("out",), status.messages_out)
    yield messages
    yield _counter("reconnects", "Connections made after the first.", status.reconnects)


def _gauge(name: str, help_text: str, value: float) -> Metric:
    return GaugeMetricFamily(f"ataxxd_{name}", help_text, value=float(value))


def _counter(name: str, help_text: str, value: float) -> Metric:
    return CounterMetricFamily(f"ataxxd_{name}", help_text, value=value)
