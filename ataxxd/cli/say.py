"""What commands print: for people on standard error, results on standard output.

Nothing else in this package prints, so that nothing is printed that steers a terminal or
tells a password; see `ataxxd.sanitize`.
"""

import base64
import logging
import sys
import threading
from contextlib import suppress

from ataxxd.sanitize import sanitized

_telling = threading.Lock()


def say(text: str) -> None:
    """Tell the person at the terminal something."""
    # Whoever closed standard error does not want to know.
    with suppress(OSError, ValueError):
        print(sanitized(text), file=sys.stderr, flush=True)


def tell(text: str) -> None:
    """Print a result; whole lines, from whatever threads."""
    # In one piece: of the end of a line, print makes a write of its own.
    with _telling:
        print(f"{sanitized(text)}\n", end="", flush=True)


def copy(text: str) -> None:
    """Hand a text to the clipboard of a terminal, also through ssh (the sequence OSC 52)."""
    with suppress(OSError, ValueError):
        coded = base64.b64encode(text.encode()).decode()
        print(f"\x1b]52;c;{coded}\x07", end="", file=sys.stderr, flush=True)


class SanitizingFormatter(logging.Formatter):
    """A log's lines, fit to be shown."""

    def format(self, record: logging.LogRecord) -> str:
        """The line that is written for a record of the log."""
        return sanitized(super().format(record))
