"""The metrics of a node that serves, in Prometheus' text format.

They are made of the node's status when somebody asks, so nothing is counted twice and games are
not slowed down by counting.
"""

import platform
from collections import Counter
from collections.abc import Iterable, Iterator

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

from ataxxd import __version__
from ataxxd.serve.status import ServiceStatus
from ataxxd_protocol import PROTOCOL_VERSION

CONTENT_TYPE = CONTENT_TYPE_LATEST
"""The media type of what `Metrics.text` writes."""


class Metrics:
    """The metrics of one node and of the process that answers for it."""

    def __init__(self) -> None:
        """Nothing is measured yet."""
        # A registry of its own: the library's global one would be shared by all in this process.
        self._registry = CollectorRegistry()
        self._node = _NodeCollector()
        self._registry.register(self._node)
        ProcessCollector(registry=self._registry)
        GCCollector(registry=self._registry)

    def text(self, status: ServiceStatus) -> bytes:
        """All of them, of a node that is so now."""
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
