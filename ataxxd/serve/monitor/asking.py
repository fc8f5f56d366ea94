"""Asking a node that serves how it is, through the socket in its home.

Needs none of what the answering side does.
"""

import http.client
import json
import socket
from collections.abc import Mapping
from http import HTTPStatus
from pathlib import Path
from typing import Any

from ataxxd.errors import ExitCode, GameError
from ataxxd.extras import installing
from ataxxd.node.home import Home

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
