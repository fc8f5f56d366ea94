"""What is wrong with a configuration: each fault with its place, its key and its remedy."""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ataxxd.config.fields import Origin, as_key, field_at, section_of
from ataxxd.config.lines import Key
from ataxxd.config.model import Config
from ataxxd.errors import ConfigError

# What pydantic calls a type, and what people call it.
_KINDS = {
    "string_type": "text in quotes",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "path_type": "a path in quotes",
    "tuple_type": "a list, in brackets",
    "model_type": "a section",
}
_PAST = 1 << 31
"""What stands on no line comes after the file."""


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        where: the file and line, the variable or the option.
        key: such as ``[broker] port``; empty where it is the file itself.
        text: what is wrong and what to do.
    """

    where: Origin
    key: str
    text: str

    def __str__(self) -> str:
        return ": ".join(part for part in (str(self.where), self.key, self.text) if part)


class ConfigFaults(ConfigError):
    """A configuration that cannot be used.

    Attributes:
        faults: all that is wrong with it.
    """

    def __init__(self, faults: list[Fault]) -> None:
        """These are wrong, at least one."""
        faults = sorted(faults, key=lambda fault: fault.where.line or _PAST)
        count = "one fault" if len(faults) == 1 else f"{len(faults)} faults"
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"The configuration has {count}:\n{lines}")
        self.faults = faults


def faults_of(error: ValidationError, place: Callable[[Key], Origin]) -> list[Fault]:
    """What pydantic found, in the order of the places.

    Args:
        error: what it found.
        place: where a value, or what would hold it, stands.
    """
    found: dict[tuple[Origin, str], Fault] = {}
    for detail in error.errors(include_url=False):
        way = tuple(detail["loc"])
        if detail["type"] != "extra_forbidden":
            while way and not isinstance(way[-1], int) and field_at(way) is None:
                way = way[:-1]  # a branch of a union, which people do not write
        fault = Fault(place(way), as_key(way), _explained({**detail}, way))
        found.setdefault((fault.where, fault.key), fault)
    return list(found.values())


def unknown(name: str, known: Mapping[str, object], what: str) -> str:
    """That there is no such name, and which one may have been meant."""
    similar = difflib.get_close_matches(name, known, n=1)
    if similar:
        return f'there is no {what} "{name}". Did you mean "{similar[0]}"?'
    return f'there is no {what} "{name}"; there are {", ".join(known)}.'


def _explained(detail: dict[str, Any], way: Key) -> str:
    kind = detail["type"]
    context: dict[str, Any] = detail.get("ctx", {})
    if kind == "extra_forbidden":
        holder = field_at(way[:-1])
        model = Config if holder is None else section_of(holder)
        assert model is not None
        return unknown(str(way[-1]), model.model_fields, "key" if len(way) > 1 else "section")
    if kind == "missing":
        return f"it is missing. Add {way[-1]}{_such_as(way)}."
    if kind == "value_error":
        return _sentence(str(context["error"]))
    if kind == "literal_error":
        return f"{detail['input']!r} is none of {context['expected']}."
    if kind in _KINDS:
        return f"{_KINDS[kind]} is wanted, not {_quoted(detail['input'])}.{_write(way)}"
    if kind in ("greater_than_equal", "less_than_equal"):
        bound = "at least" if kind == "greater_than_equal" else "at most"
        limit = context["ge" if kind == "greater_than_equal" else "le"]
        return f"{detail['input']} is out of range: {bound} {limit}."
    return _sentence(detail["msg"]) + _write(way)


def _such_as(way: Key) -> str:
    field = field_at(way)
    return f" = {field.examples[0]}" if field is not None and field.examples else ""


def _write(way: Key) -> str:
    example = _such_as(way)
    return f" Write, for instance: {way[-1]}{example}" if example else ""


def _quoted(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f'"{value}"' if isinstance(value, str) else str(value)


def _sentence(text: str) -> str:
    whole = text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "?")) else whole + "."
