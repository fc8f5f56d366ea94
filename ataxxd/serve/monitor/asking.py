"""Asking a node that serves how it is, through the socket in its home, and telling people.

Needs none of what the answering side does.
"""

import http.client
import json
import socket
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ataxxd.errors import ExitCode, GameError
from ataxxd.extras import installing
from ataxxd.node.home import Home
from ataxxd_protocol import grouped

_PATIENCE_S = 10.0
# Bytes; a status of ten thousand games has four million.
_LONGEST = 64 << 20


class NotServing(GameError):
    """No process serves for a home, or it does not answer."""

    exit_code = ExitCode.FAILURE


def socket_of(home: Home) -> Path:
    """Where a node that serves answers who may read its home."""
    return home.path / "monitor.sock"


def ask(home: Home) -> dict[str, Any]:
    """The status of the node that serves from a home; see `ataxxd.serve.status`.

    Raises:
        NotServing: nothing serves there, or it does not answer in time.
    """
    _, content = fetch(home, "/status")
    told = json.loads(content)
    assert isinstance(told, Mapping)
    return dict(told)


def fetch(home: Home, page: str) -> tuple[int, bytes]:
    """A page of the monitor: its HTTP status and its content; raises as `ask`."""
    connection = _Connection(home)
    try:
        connection.request("GET", page)
        answer = connection.getresponse()
        content = answer.read(_LONGEST)
    except TimeoutError:
        raise NotServing(
            f"The node that serves from {home.path} did not answer in {_PATIENCE_S:g} s: it is "
            "overloaded or hangs. Its log may say why."
        ) from None
    except (OSError, http.client.HTTPException):
        raise NotServing(
            f"No node serves from {home.path}. Start one: ataxxd serve. If one does but lacks "
            f"the extra that answers, install it: {installing('serve')}"
        ) from None
    finally:
        connection.close()
    if answer.status not in (HTTPStatus.OK, HTTPStatus.SERVICE_UNAVAILABLE):
        raise NotServing(f"The node that serves from {home.path} answered {answer.status} here.")
    return answer.status, content


class _Connection(http.client.HTTPConnection):
    """HTTP over the socket of a home."""

    def __init__(self, home: Home) -> None:
        super().__init__("localhost", timeout=_PATIENCE_S)
        # The socket itself, where a link leads to it: a shorter address.
        self._path = socket_of(home).resolve()

    def connect(self) -> None:
        """Connect to the socket in the node's folder."""
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(_PATIENCE_S)
        self.sock.connect(str(self._path))


Status = Mapping[str, Any]
"""What `ataxxd.serve.monitor.asking.ask` gives: a `ServiceStatus` as JSON."""

HEADINGS = ("game", "rules", "role", "opponent", "plies", "state", "first", "second")
"""What the columns of `rows` are."""


def summary(status: Status, now_ms: int) -> list[str]:
    """The node in a few lines.

    Args:
        status: of the node.
        now_ms: the time of day, Unix milliseconds.
    """
    games = status["games"]
    playing = sum(game["state"] == "playing" for game in games)
    ours = sum(game["ours_to_move"] for game in games)
    searched_s = status["search_ms"] / 1000
    speed = f", {status['search_nodes'] / searched_s / 1000:,.0f} kn/s" if searched_s else ""
    up = _length(now_ms - status["started_ms"])
    # An older node that is still running tells no nickname.
    name = status.get("nickname", "")
    named = f"{name} ({grouped(status['node'])})" if name else grouped(status["node"])
    node = f"node {named} at {status['broker']}: {_condition(status)}, up {up}"
    if (processes := status.get("processes", 1)) > 1:
        node += f"; {processes} processes, {status['restarts']} restarts"
    playing_words = f"games: {playing} playing, {ours} of them ours to move"
    finished = f"{len(games) - playing} others; {status['finished']} finished"
    taken, declined = status["challenges_taken"], status["challenges_declined"]
    searches = f"searches: {status['searching']} now, {status['waiting']} waiting{speed}"
    messages = f"messages: {status['messages_in']} in, {status['messages_out']} out"
    return [
        node,
        f"{playing_words}, {finished}; challenges: {taken} taken, {declined} declined",
        f"{searches}; {messages}; {status['reconnects']} reconnects",
    ]


def rows(status: Status) -> list[tuple[str, ...]]:
    """One row for each game, those that wait for us first; see `HEADINGS`."""
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


def table(status: Status) -> list[str]:
    """The games as lines of text under their headings; nothing where there are none."""
    if not status["games"]:
        return []
    lines: Sequence[tuple[str, ...]] = [HEADINGS, *rows(status)]
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
