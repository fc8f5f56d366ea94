"""Why there is no connection, in the same words wherever it was to go."""

import asyncio
import errno
import socket

import pytest

from ataxxd.connection_errors import explain_connection_error
from ataxxd.notify import DeliveryError, Notice, Occasion, parse_destination
from tests.brokers import free_port

SEVERAL = "Multiple exceptions: [Errno 111] Connect call failed ('::1', 1, 0, 0), [Errno 111] …"


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connection refused"), "nothing listens there"),
        (OSError(SEVERAL), "nothing listens there"),
        (
            OSError(errno.EHOSTUNREACH, "Connect call failed ('192.0.2.1', 1883)"),
            "no route to host",
        ),
        (TimeoutError(errno.ETIMEDOUT, "Connection timed out"), "no answer in time"),
        (TimeoutError("timed out"), "no answer in time"),
        (
            socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution"),
            "its name cannot be looked up now, as without a network",
        ),
        (
            socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
            "there is no host of that name",
        ),
        (OSError("its name has no address"), "its name has no address"),
        (EOFError(), "EOFError"),
    ],
)
def test_each_reason_has_its_words(error: BaseException, words: str) -> None:
    assert explain_connection_error(error) == words


async def test_a_connection_that_asyncio_makes_fails_in_the_same_words() -> None:
    with pytest.raises(OSError, match="Connect call failed") as failed:
        await asyncio.open_connection("localhost", free_port())
    assert explain_connection_error(failed.value) == "nothing listens there"


async def test_a_webhook_that_nobody_answers_is_told_in_the_same_words() -> None:
    webhook = parse_destination(f"http://127.0.0.1:{free_port()}/hook")
    with pytest.raises(DeliveryError, match=r"cannot be reached: nothing listens there$"):
        await webhook.send(Notice(Occasion.TURN, "Your turn", "It is your turn.", "ourgame"))
