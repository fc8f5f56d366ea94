"""On which line of a TOML file a key stands.

tomllib gives values without places. But it can tell whether some lines are whole TOML by
themselves, and what they hold: so a file is cut into its statements, one key or header each,
and there is no second TOML parser. Each statement is read once more for every line of it.
"""

import tomllib
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

Key: TypeAlias = tuple[str | int, ...]
"""The way to a value: ``("tables", 0, "name")``."""


def lines_of(text: str) -> dict[Key, int]:
    """The line, from 1, of every section and key of a TOML text that tomllib can read."""
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


def _section(values: dict[str, Any], arrays: "Counter[Key]") -> Key:
    """The way to the section that a header alone, read as TOML, opens."""
    way: Key = ()
    while values:
        ((name, inner),) = values.items()
        way += (name,)
        if isinstance(inner, list):
            arrays[way] += 1
            return (*way, arrays[way] - 1)
        if arrays[way]:
            way += (arrays[way] - 1,)
        values = inner
    return way


def _keys(value: object, way: Key = ()) -> Iterator[Key]:
    if way:
        yield way
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _keys(inner, (*way, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _keys(inner, (*way, index))
