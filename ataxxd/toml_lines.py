"""The lines of TOML files: where each key stands, and where a text is not TOML, and why.

tomllib does not report line numbers. But it can tell whether some lines are complete TOML by
themselves, and what they contain. So a file is cut into its statements, one key or header each,
without a second TOML parser; each statement is parsed once for every line that it has.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

Key: TypeAlias = tuple[str | int, ...]
"""The path to a value: ``("tables", 0, "name")``."""


def key_lines(text: str) -> dict[Key, int]:
    """The line, from 1, of every section and key in a valid TOML text."""
    found: dict[Key, int] = {}
    arrays: Counter[Key] = Counter()
    section: Key = ()
    for number, statement in _statements(text):
        values = tomllib.loads(statement)
        if statement.lstrip().startswith("["):
            section = _section(values, arrays)
            found.setdefault(section, number)
        else:
            for key in _keys(values):
                found.setdefault(section + key, number)
    return found


def _statements(text: str) -> Iterator[tuple[int, str]]:
    lines = text.replace("\r\n", "\n").split("\n")
    first = 0
    while first < len(lines):
        past = first + 1
        while not _is_whole("\n".join(lines[first:past])) and past < len(lines):
            past += 1
        yield first + 1, "\n".join(lines[first:past])
        first = past


def _is_whole(text: str) -> bool:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return False
    return True


def _section(values: dict[str, Any], arrays: Counter[Key]) -> Key:
    """The path to the section that a header alone, read as TOML, opens."""
    key_path: Key = ()
    while values:
        ((name, inner),) = values.items()
        key_path += (name,)
        if isinstance(inner, list):
            arrays[key_path] += 1
            return (*key_path, arrays[key_path] - 1)
        if arrays[key_path]:
            key_path += (arrays[key_path] - 1,)
        values = inner
    return key_path


def _keys(value: object, key_path: Key = ()) -> Iterator[Key]:
    if key_path:
        yield key_path
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _keys(inner, (*key_path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _keys(inner, (*key_path, index))


# What tomllib says, and what a person can do something with.
_TOML = (
    (r"Cannot |Duplicate ", "a key or a section is there twice"),
    (
        r"Unterminated |Expected \"|(Illegal|Found invalid) character '\\n'",
        "a quotation mark is not closed",
    ),
    (r"Unclosed |Expected '\]", "a bracket is not closed"),
    (r"Unescaped |Escaped |Invalid hex", 'in a text "…" a backslash is written twice'),
    (r"(Illegal|Found invalid) character ", "a character has no place in such a file"),
    (r"Expected newline", "something follows where the value or section has ended"),
    (r"Invalid value|Invalid date", "what follows = is no value"),
)
_NOT_TOML = "a line is a [section], or a key, = and a value"


def explain_toml_error(text: str, said: object, example: str = 'name = "club"') -> tuple[int, str]:
    """On which line a text is not TOML, from 1, and why, with an example.

    Args:
        text: the text.
        said: what tomllib says of it, as its error.
        example: a line of such a file, with text in it.
    """
    place = re.search(r"\(at line (\d+), column \d+\)$", str(said))
    line = int(place[1]) if place is not None else text.count("\n") + 1
    why = next((why for its, why in _TOML if re.match(its, str(said))), _NOT_TOML)
    return line, f"this is not TOML: {why}. Text needs quotes, as in {example}; see toml.io."
