"""The log: on standard error, for people or for programs."""

import json
import logging
from datetime import UTC, datetime
from enum import StrEnum

from ataxxd.cli.say import SanitizingFormatter
from ataxxd.sanitize import sanitized


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: ``time``, ``level``, ``logger``, ``text``, ``trace``."""

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


def log_everything(form: LogFormat) -> None:
    """Log all that there is to say, of every library; for ``--verbose``."""
    handler = _handler(form, "%(asctime)s %(name)s %(message)s")
    logging.basicConfig(level=logging.DEBUG, handlers=[handler])


def log_to_stderr(level: str, form: str) -> None:
    """Log from now on, unless ``--verbose`` does so already.

    Args:
        level: ``debug``, ``info``, ``warning`` or ``error``; of other libraries warnings only.
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
