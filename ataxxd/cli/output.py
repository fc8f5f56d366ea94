"""Output of commands: results on standard output, messages and logs on standard error.

Nothing else in this package prints. So no output can control the terminal or reveal a password (see
`ataxxd.sanitize`), and lines are folded between words.
"""

import base64
import json
import logging
import sys
import textwrap
import threading
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime
from enum import StrEnum
from typing import TextIO

from ataxxd.sanitize import sanitized
from ataxxd.wording import terminal_width, wrap_for_stream

# One for each stream, so that a reader who is slow with one holds up only that.
_results, _messages = threading.Lock(), threading.Lock()


def print_message(text: str) -> None:
    """Print a message for people on standard error; any thread may call it."""
    # If standard error is closed, nobody wants the message.
    with suppress(OSError, ValueError):
        _print_line(text, sys.stderr, _messages)


def print_result(*lines: str) -> None:
    """Print lines of a result on standard output; any thread may call it."""
    for line in lines:
        _print_line(line, sys.stdout, _results)


def _print_line(text: str, stream: TextIO, lock: threading.Lock) -> None:
    # In one write: print would write the line feed separately.
    with lock:
        print(f"{wrap_for_stream(stream, sanitized(text))}\n", end="", file=stream, flush=True)


def print_json(value: object) -> None:
    """Print a result for programs: one line of JSON, in ASCII so that every locale can read it."""
    print_result(json.dumps(value))


def copy(text: str) -> None:
    """Copy a text to the terminal's clipboard, also over SSH (escape sequence OSC 52)."""
    with suppress(OSError, ValueError):
        coded = base64.b64encode(text.encode()).decode()
        print(f"\x1b]52;c;{coded}\x07", end="", file=sys.stderr, flush=True)


class SanitizingFormatter(logging.Formatter):
    """Formats log records without characters that control the terminal, and without passwords."""

    def format(self, record: logging.LogRecord) -> str:
        """The line that is written for a record of the log."""
        return sanitized(super().format(record))


Rows = Sequence[Sequence[str]]


def columns(*ways: Rows) -> list[str]:
    """Lay out a list in columns that fit the terminal; without one, by the first of `ways`.

    Args:
        ways: the rows in full, then shorter versions for terminals that are too narrow. If none
            fits, the lines of the last are wrapped between words.
    """
    width = terminal_width(sys.stdout)
    return align_columns(ways[0]) if width is None else choose_fitting(ways, width)


def choose_fitting(ways: Sequence[Rows], width: int) -> list[str]:
    """Lay out a list in at most `width` columns; `ways` is as for `columns`."""
    lines: list[str] = []
    for rows in ways:
        lines = align_columns(rows)
        if all(len(line) <= width for line in lines):
            return lines
    # A word longer than a line stays whole: part of an id identifies nobody.
    wrapper = textwrap.TextWrapper(
        width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    return [part for line in lines for part in wrapper.wrap(line)]


def align_columns(rows: Rows, left: int | None = None) -> list[str]:
    """Rows as lines of aligned columns, without empty ones; columns from `left` on align right."""
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    return [
        "  ".join(
            f"{cell:{'<' if left is None or number < left else '>'}{width}}"
            for number, (cell, width) in enumerate(zip(row, widths, strict=True))
            if width
        ).rstrip()
        for row in rows
    ]


class JsonFormatter(logging.Formatter):
    """A log record as a line of JSON: ``time``, ``level``, ``logger``, ``text``, ``trace``."""

    def format(self, record: logging.LogRecord) -> str:
        """The line that is written for a record of the log."""
        time = datetime.fromtimestamp(record.created, tz=UTC).isoformat(timespec="milliseconds")
        told = {
            "time": time,
            "level": record.levelname.lower(),
            "logger": record.name,
            "text": sanitized(record.getMessage()),
        }
        if record.exc_info:
            told["trace"] = sanitized(self.formatException(record.exc_info))
        return json.dumps(told, ensure_ascii=False)


class LogFormat(StrEnum):
    """How a log is written."""

    TEXT = "text"
    JSON = "json"


def log_all_levels(form: LogFormat) -> None:
    """Log everything on standard error, from all libraries; for ``--verbose``."""
    handler = _handler(form, "%(asctime)s %(name)s %(message)s")
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])


def log_to_stderr(level: str, form: str) -> None:
    """Log on standard error, unless ``--verbose`` does so already.

    Args:
        level: ``debug``, ``info``, ``warning`` or ``error``; for other libraries at least
            ``warning``.
        form: ``text`` or ``json``.
    """
    if not logging.getLogger().handlers:
        handler = _handler(LogFormat(form), "%(asctime)s %(levelname)s %(message)s")
        logging.basicConfig(level=logging.WARNING, handlers=[handler])
        logging.getLogger("ataxxd").setLevel(level.upper())


def _handler(form: LogFormat, text: str) -> logging.Handler:
    handler = logging.StreamHandler()
    handler.setFormatter(JsonFormatter() if form is LogFormat.JSON else SanitizingFormatter(text))
    return handler
