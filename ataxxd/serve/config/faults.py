"""What is wrong with a configuration: each fault with its place, its key and its remedy."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ataxxd.errors import ConfigError
from ataxxd.serve.config.fields import Origin, as_key, field_at, section_of
from ataxxd.serve.config.lines import Key
from ataxxd.serve.config.model import Config
from ataxxd.wording import counted
from ataxxd_protocol.faults import JSON_KINDS, explained, no_such

# What TOML calls the kinds of values.
_KINDS = {**JSON_KINDS, "object": "a section"}
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
        lines = "\n".join(f"  {fault}" for fault in faults)
        super().__init__(f"The configuration has {counted(len(faults), 'fault')}:\n{lines}")
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


def unknown(name: str, known: Iterable[str], what: str) -> str:
    """That there is no such name, and which one may have been meant."""
    return _sentence(no_such(name, [*known], what))


def _explained(detail: dict[str, Any], way: Key) -> str:
    kind = detail["type"]
    if kind == "extra_forbidden":
        holder = field_at(way[:-1])
        model = Config if holder is None else section_of(holder)
        assert model is not None
        return unknown(str(way[-1]), model.model_fields, "key" if len(way) > 1 else "section")
    text = explained(detail, kinds=_KINDS)
    key = next((step for step in reversed(way) if isinstance(step, str)), "")
    if way in (("tables",), ("bots",)):
        return f"{_sentence(text)} Write [[{key}]], with two brackets."
    if kind == "missing":
        return f"{_sentence(text)} Add {key}{_such_as(way)}."
    if kind in ("value_error", "literal_error") or not (example := _such_as(way)):
        return _sentence(text)
    return f"{_sentence(text)} Write, for instance: {key}{example}"


def _such_as(way: Key) -> str:
    field = field_at(way)
    return f" = {field.examples[0]}" if field is not None and field.examples else ""


def _sentence(text: str) -> str:
    return text if text.endswith((".", "?")) else text + "."
