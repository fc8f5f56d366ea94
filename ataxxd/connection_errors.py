"""Why a connection could not be made or was lost, in words: for brokers, queues and notifications.

Translates what the system and OpenSSL report; the callers say what was to be reached, and what to
do.
"""

import errno
import os
import re
import socket
import ssl


def explain_connection_error(error: BaseException) -> str:
    """What an error of a connection says, in few words that begin with a small letter."""
    if isinstance(error, socket.gaierror) and error.errno == socket.EAI_AGAIN:
        return "its name cannot be looked up now, as without a network"
    if isinstance(error, socket.gaierror | UnicodeError):
        return "there is no host of that name"
    if isinstance(error, ssl.SSLError) and error.reason:
        return error.reason.lower().replace("_", " ")
    number = _error_number(error)
    if number == errno.ECONNREFUSED:
        return "nothing listens there"
    if number == errno.ETIMEDOUT or isinstance(error, TimeoutError):
        return "no answer in time"
    # Not the error's own words: asyncio puts the address there.
    return os.strerror(number).lower() if number else str(error) or type(error).__name__


def _error_number(error: BaseException) -> int | None:
    """The system's number of an error; None if there is none."""
    if not isinstance(error, OSError):
        return None
    if error.errno is not None and error.errno > 0:
        return error.errno
    # asyncio lists the errors of several addresses as text.
    listed = re.search(r"\[Errno (\d+)\]", str(error))
    return int(listed[1]) if listed else None
