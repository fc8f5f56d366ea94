"""Validation errors of pydantic, reworded for people: where, what, and what is allowed.

The validator's own words are never shown: `explain_fault` has a sentence for each kind of error.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, TypeAlias, get_args

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from ataxxd_protocol.messages import NODE_PATTERN, RULESET_PATTERN, VERSION_PATTERN

FieldPath: TypeAlias = tuple[str | int, ...]
"""The way to a value: ``("entries", 3, "by")``."""

JSON_KINDS: Mapping[str, str] = {
    "string": "text in quotes",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "list": "a list in brackets",
    "object": "an object in braces",
}
"""What an error message calls each kind of JSON value."""

# The kind of value that was expected, by the first word of pydantic's error type.
_KINDS = {
    "string": "string", "path": "string", "int": "int", "float": "float", "bool": "bool",
    "tuple": "list", "list": "list", "frozen": "list", "model": "object", "dict": "object",
    "dataclass": "object", "mapping": "object",
}  # fmt: skip
_BOUNDS = {
    "greater_than_equal": ("at least", "ge"), "greater_than": ("more than", "gt"),
    "less_than_equal": ("at most", "le"), "less_than": ("less than", "lt"),
}  # fmt: skip
_PATTERNS = {
    NODE_PATTERN: "the id of a node: 20 characters from a to z and 2 to 7",
    RULESET_PATTERN: "a ruleset such as ataxx/uai",
    VERSION_PATTERN: "a version such as 1.0",
}
_HEX = re.compile(r"\^\[0-9a-f\]\{([0-9]+)\}\$")
_NAME = re.compile(r"\^\[a-z0-9\]\[a-z0-9-\]\{0,([0-9]+)\}\$")
_SHOWN = 60


def first_fault(error: ValidationError, wanted: Any, *, typed: bool = True) -> str:
    """The first fault in words: ``offer.clock: there is no field "baseAms". Did you …?``.

    Args:
        error: the error that pydantic raised.
        wanted: the model to be read, or several from which a ``type`` field selects one.
        typed: whether to begin the place of the fault with that type.
    """
    # Report an unknown field first: if it is a typo, the intended field is reported as missing too.
    details = error.errors(include_url=False)
    detail = next((each for each in details if each["type"] == "extra_forbidden"), details[0])
    models, way = [*_models_of(wanted)], tuple(detail["loc"])
    if len(models) > 1 and way:
        models = [model for model in models if way[0] in _types(model)]
        way = way if typed else way[1:]
    unknown = detail["type"] == "extra_forbidden"
    known = [*_names(_models_at(way[:-1], models))] if unknown else []
    text = explain_fault({**detail}, known)
    place = format_path(way[:-1] if unknown else way)
    return f"{place}: {text}" if place else text


def explain_fault(
    detail: Mapping[str, Any],
    known: Sequence[str] = (),
    *,
    kinds: Mapping[str, str] = JSON_KINDS,
) -> str:
    """One fault in words, without a capital letter at the start or a full stop at the end.

    Args:
        detail: an item of ``ValidationError.errors()``.
        known: the valid names, for a fault about an unknown name.
        kinds: the words for the kinds of values.
    """
    kind, context = str(detail["type"]), detail.get("ctx", {})
    value = _shown(detail.get("input"))
    if kind == "extra_forbidden":
        return unknown_name_text(str(detail["loc"][-1]), known, "field")
    if kind == "missing":
        return "it is missing"
    if kind == "value_error":
        return str(context["error"]).rstrip(".")
    if kind in ("literal_error", "enum"):
        one_of = "one of " if " or " in context["expected"] else ""
        return f"{value} is not {one_of}{context['expected']}"
    if kind == "union_tag_invalid":
        return f'there is no type "{context["tag"]}"; there are {context["expected_tags"]}'
    if kind == "union_tag_not_found":
        return "its type is missing"
    if kind in _BOUNDS:
        words, key = _BOUNDS[kind]
        bounded = value.strip('"')  # the number may have been read from text
        return f"{bounded} is out of range: {words} {context[key]}"
    if kind in ("too_short", "too_long"):
        few = kind == "too_short"
        most = f"at least {context['min_length']}" if few else f"at most {context['max_length']}"
        number = context.get("actual_length")
        number = "these" if number is None else number
        return f"{number} are too {'few' if few else 'many'}: {most}"
    if kind == "string_pattern_mismatch":
        return f"{value} is not {_pattern(str(context['pattern']))}"
    wanted = _KINDS.get(kind.partition("_")[0])
    if wanted is not None and kind.endswith(
        ("_type", "_parsing", "_attributes_type", "_instance_type")
    ):
        return f"{value} is not {kinds[wanted]}"
    return f"{value} cannot be used here"


def unknown_name_text(name: str, known: Sequence[str], what: str) -> str:
    """Say that there is no such name, and which one may have been meant."""
    shown = _shown(name)
    similar = get_close_matches(name, known, n=1)
    if similar:
        return f'there is no {what} {shown}. Did you mean "{similar[0]}"?'
    there = f"; there are {', '.join(known)}" if known else ""
    return f"there is no {what} {shown}{there}"


def format_path(way: FieldPath) -> str:
    """The path of a value as people write it, with numbers from 1: ``entries.4.by``."""
    return ".".join(str(step + 1) if isinstance(step, int) else step for step in way)


def _shown(value: object) -> str:
    """A value on one line of plain characters, cut if it is long: it may come from anybody."""
    try:
        text = json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        return "this"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}..."


def _pattern(pattern: str) -> str:
    if digits := _HEX.fullmatch(pattern):
        return f"{digits[1]} hexadecimal digits"
    if more := _NAME.fullmatch(pattern):
        return f"a name of up to {int(more[1]) + 1} lower-case letters, digits and dashes"
    return _PATTERNS.get(pattern, "written as it must be")


def _models_of(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_of(inner)


def _name(name: str, field: FieldInfo) -> str:
    return field.validation_alias if isinstance(field.validation_alias, str) else name


def _names(models: Sequence[type[BaseModel]]) -> dict[str, None]:
    return {_name(each, field): None for m in models for each, field in m.model_fields.items()}


def _models_at(way: FieldPath, models: Sequence[type[BaseModel]]) -> Sequence[type[BaseModel]]:
    for step in way:
        below = [
            found
            for model in models
            for name, field in model.model_fields.items()
            if step == _name(name, field)
            for found in _models_of(field.annotation)
        ]
        models = below or models
    return models


def _types(model: type[BaseModel]) -> Sequence[object]:
    """The values that a model's ``type`` may have."""
    field = model.model_fields.get("type")
    return () if field is None else get_args(field.annotation)
