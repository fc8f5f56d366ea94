"""The status of an unattended node: plain values, and how to query them through its socket."""

import http.client
import json
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ataxxd.errors import ExitCode, GameError
from ataxxd.extras import install_command
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.wording import plural
from ataxxd_protocol import grouped

_COUNTERS = (
    "finished",
    "challenges_taken",
    "challenges_declined",
    "messages_in",
    "messages_out",
    "reconnects",
    "search_nodes",
    "search_ms",
)


@dataclass(frozen=True, slots=True)
class GameStatus:
    """One game of the node, open or under way.

    Attributes:
        name: the game's name.
        game: the game's id.
        ruleset: what is played.
        role: ``host`` or ``guest``.
        opponent: the other player's id; None while the seat is free.
        opponent_name: the opponent's name for people; None while the seat is free.
        plies: the number of moves made.
        state: ``open``, ``playing`` or ``over`` (the end is not confirmed yet).
        ours_to_move: whether it is our turn.
        remaining_ms: the time left to the first and the second side, in milliseconds; None
            without a clock.
    """

    name: str
    game: str
    ruleset: str
    role: str
    opponent: str | None
    opponent_name: str | None
    plies: int
    state: str
    ours_to_move: bool
    remaining_ms: tuple[int | None, int | None]


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """The state of a node at one moment; counters begin at the start of the process.

    Attributes:
        node: this node's id.
        broker: the broker's address, without secrets.
        connected: whether there is a connection to the broker.
        started_ms: when the process started, in Unix milliseconds.
        ready: whether earlier games are resumed, and the tables are open.
        draining: whether no more games are begun.
        games: the games that are open or under way.
        searching: the number of searches under way.
        waiting: the number of searches that wait for a core.
        finished: games that have ended.
        challenges_taken: games that our bots have joined.
        challenges_declined: challenges that our bots have declined.
        messages_in: messages received.
        messages_out: messages sent.
        reconnects: connections made after the first.
        search_nodes: positions visited by searches.
        search_ms: time spent in searches, in milliseconds.
        nickname: this node's nickname; empty without one.
        processes: how many processes serve for the node.
        restarts: how often one of several processes has been restarted.
    """

    node: str
    broker: str
    connected: bool
    started_ms: int
    ready: bool
    draining: bool
    games: tuple[GameStatus, ...]
    searching: int
    waiting: int
    finished: int
    challenges_taken: int
    challenges_declined: int
    messages_in: int
    messages_out: int
    reconnects: int
    search_nodes: int
    search_ms: int
    nickname: str = ""
    processes: int = 1
    restarts: int = 0

    @classmethod
    def at_start(cls, node: str, broker: str, nickname: str) -> "ServiceStatus":
        """The status of a node that starts now: not connected, without games, all counters 0."""
        return cls(
            node=node,
            broker=broker,
            connected=False,
            started_ms=SYSTEM_CLOCK.now_ms(),
            ready=False,
            draining=False,
            games=(),
            searching=0,
            waiting=0,
            **dict.fromkeys(_COUNTERS, 0),
            nickname=nickname,
        )


def add_counters(status: ServiceStatus, more: ServiceStatus) -> ServiceStatus:
    """`status` with the counters of `more` added."""
    sums = {name: getattr(status, name) + getattr(more, name) for name in _COUNTERS}
    return replace(status, **sums)


def combine_statuses(
    node: ServiceStatus, processes: Sequence[ServiceStatus | None]
) -> ServiceStatus:
    """The status of a node that is served by several processes.

    Args:
        node: the node's status apart from them: no games, and the counters of processes that have
            ended.
        processes: the status of each; None for one that is not running, or does not answer.

    Returns:
        All games, and the sums of all counters; ready if all processes are, and connected if all
        that answer are.
    """
    there = [each for each in processes if each is not None]
    for each in there:
        node = add_counters(node, each)
    return replace(
        node,
        connected=bool(there) and all(each.connected for each in there),
        ready=len(there) == len(processes) and all(each.ready for each in there),
        draining=node.draining or any(each.draining for each in there),
        games=tuple(game for each in there for game in each.games),
        searching=sum(each.searching for each in there),
        waiting=sum(each.waiting for each in there),
    )


_TIMEOUT_S = 10.0
# Bytes; a status of ten thousand games has four million.
_MAX_BYTES = 64 << 20


class NotServingError(GameError):
    """No process serves this home, or it does not answer."""

    exit_code = ExitCode.FAILURE


def socket_path(home: Home) -> Path:
    """The path of the monitor's socket in a home."""
    return home.path / "monitor.sock"


def fetch_status(home: Home) -> dict[str, Any]:
    """Ask the serving node of a home for its status, a `ServiceStatus` as a JSON object.

    Raises:
        NotServingError: no process serves this home, or it does not answer in time.
    """
    _, content = fetch_page(home, "/status")
    told = json.loads(content)
    assert isinstance(told, Mapping)
    return dict(told)


def fetch_page(home: Home, page: str) -> tuple[int, bytes]:
    """Fetch a page of the monitor: HTTP status and content; errors as for `fetch_status`."""
    connection = _Connection(home)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        content = answer.read(_MAX_BYTES)
    except TimeoutError:
        raise NotServingError(
            f"The node that serves from {home.path} did not answer in {_TIMEOUT_S:g} s: it is "
            "overloaded or hangs. Its log may say why."
        ) from None
    except (OSError, http.client.HTTPException):
        raise NotServingError(
            f"No node serves from {home.path}. Start one: `{command_line('serve')}`. If one "
            f"does but lacks the extra that answers, install it: {install_command('serve')}"
        ) from None
    finally:
        connection.close()
    if answer.status not in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE):
        raise NotServingError(
            f"The node that serves from {home.path} answered {answer.status} here."
        )
    return answer.status, content


class _Connection(http.client.HTTPConnection):
    """HTTP over the socket of a home."""

    def __init__(self, home: Home) -> None:
        super().__init__("localhost", timeout=_TIMEOUT_S)
        # Resolved, since a link may stand for a socket with a shorter address.
        self._path = socket_path(home).resolve()

    def connect(self) -> None:
        """Connect to the socket in the node's folder."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_TIMEOUT_S)
        self.sock.connect(str(self._path))


Status = Mapping[str, Any]
"""What `ataxxd.serve.status.fetch_status` returns: a `ServiceStatus` as JSON."""

HEADINGS = ("game", "rules", "role", "opponent", "plies", "state", "first", "second")
"""The columns of `game_rows`."""


def summary_lines(status: Status, now_ms: int) -> list[str]:
    """A node's status in a few lines.

    Args:
        status: the node's status.
        now_ms: the time, in Unix milliseconds.
    """
    games = status["games"]
    playing = sum(game["state"] == "playing" for game in games)
    ours = sum(game["ours_to_move"] for game in games)
    searched_s = status["search_ms"] / 1000
    speed = f", {status['search_nodes'] / searched_s / 1000:,.0f} kn/s" if searched_s else ""
    up = _length(now_ms - status["started_ms"])
    # A node of an older version may still be running, and reports no nickname.
    name = status.get("nickname", "")
    named = f"{name} ({grouped(status['node'])})" if name else grouped(status["node"])
    node = f"node {named} at {status['broker']}: {_condition(status)}, up {up}"
    if (processes := status.get("processes", 1)) > 1:
        node += f"; {processes} processes, {status['restarts']} restarts"
    playing_words = f"games: {playing} playing, {ours} of them waiting for our move"
    others = len(games) - playing
    finished = f"{others} {plural(others, 'other')}; {status['finished']} finished"
    taken, declined = status["challenges_taken"], status["challenges_declined"]
    searches = f"searches: {status['searching']} now, {status['waiting']} waiting{speed}"
    messages = f"messages: {status['messages_in']} in, {status['messages_out']} out"
    return [
        node,
        f"{playing_words}, {finished}; challenges: {taken} taken, {declined} declined",
        f"{searches}; {messages}; {status['reconnects']} reconnects",
    ]


def game_rows(status: Status) -> list[tuple[str, ...]]:
    """A row for each game, with the columns of `HEADINGS`; games that await our move come first."""
    ordered = sorted(
        status["games"],
        key=lambda game: (game["state"] != "playing", not game["ours_to_move"], game["name"]),
    )
    return [
        (
            game["name"],
            game["ruleset"],
            game["role"],
            game["opponent_name"] or "-",
            str(game["plies"]),
            "to move" if game["ours_to_move"] else game["state"],
            *(_clock(left) for left in game["remaining_ms"]),
        )
        for game in ordered
    ]


def game_table(status: Status) -> list[str]:
    """The games as lines of text below headings; no lines without games."""
    if not status["games"]:
        return []
    lines: Sequence[tuple[str, ...]] = [HEADINGS, *game_rows(status)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]


def _condition(status: Status) -> str:
    if status["draining"]:
        return "draining"
    if not status["connected"]:
        return "not connected"
    return "ready" if status["ready"] else "starting"


def _clock(left_ms: int | None) -> str:
    if left_ms is None:
        return "-"
    seconds = max(left_ms, 0) // 1000
    return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _length(ms: int) -> str:
    minutes = max(ms, 0) // 60_000
    days, hours = minutes // 1440, minutes // 60 % 24
    if days:
        return f"{days} d {hours} h"
    return f"{hours} h {minutes % 60} min" if hours else f"{minutes} min"
