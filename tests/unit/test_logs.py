"""The log's lines, for people and for programs."""

import json
import logging

from ataxxd.cli.output import JsonFormatter


def line_of(text: str, *arguments: object, error: Exception | None = None) -> str:
    trace = None if error is None else (type(error), error, error.__traceback__)
    record = logging.LogRecord("ataxxd.x", logging.WARNING, "x.py", 1, text, arguments, trace)
    record.created = 1_700_000_000.25
    return JsonFormatter().format(record)


def test_a_line_of_json_says_when_how_bad_who_and_what() -> None:
    assert json.loads(line_of("%s: open", "club")) == {
        "time": "2023-11-14T22:13:20.250+00:00",
        "level": "warning",
        "logger": "ataxxd.x",
        "text": "club: open",
    }


def test_nothing_in_the_log_tells_a_password_or_makes_a_second_line() -> None:
    line = line_of("connected to mqtt://node:secret@broker:1883\nand more \x1b[2J")
    assert "secret" not in line
    assert "\n" not in line
    assert "\x1b" not in line


def test_an_error_comes_with_its_trace_in_the_same_line() -> None:
    try:
        raise ValueError("no mqtt://node:secret@broker")
    except ValueError as error:
        line = line_of("a fault", error=error)
    told = json.loads(line)
    assert "ValueError: no mqtt://broker" in told["trace"]
    assert "secret" not in line
