"""Sections and keys of the configuration, looked up by the way to them."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ataxxd.serve.config.lines import Key
from ataxxd.serve.config.model import Config


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value comes from.

    Attributes:
        name: the file, the variable or the option.
        line: in the file, from 1; 0 elsewhere.
    """

    name: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.name}, line {self.line}" if self.line else self.name


DEFAULT = Origin("default")


def as_key(way: Key) -> str:
    """The way to a value as people write it: ``[broker] port``, ``[[tables]] 2: clock``."""
    if not way:
        return ""
    section, *rest = way
    if rest and isinstance(rest[0], int):
        head = f"[[{section}]] {rest[0] + 1}"
        return f"{head}: {_dotted(rest[1:])}" if rest[1:] else head
    return f"[{section}] {_dotted(rest)}".rstrip()


def _dotted(names: list[str | int]) -> str:
    return ".".join(str(name + 1) if isinstance(name, int) else name for name in names)


def field_at(way: Key) -> FieldInfo | None:
    """The field of `Config` that a way leads to; None where there is none."""
    model: type[BaseModel] | None = Config
    field: FieldInfo | None = None
    for step in way:
        if isinstance(step, int):
            continue
        if model is None or (field := model.model_fields.get(step)) is None:
            return None
        model = section_of(field)
    return field


def section_of(field: FieldInfo) -> type[BaseModel] | None:
    """The model of a field that is a section, or several; None for a value."""
    for kind in kinds_of(field):
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            return kind
    return None


def kinds_of(field: FieldInfo) -> list[object]:
    """The plain types that a field's value is made of."""
    return list(_leaves(field.annotation))


def _leaves(annotation: Any) -> Iterator[object]:
    if get_origin(annotation) is None:
        yield annotation
    for inner in get_args(annotation):
        yield from _leaves(inner)
