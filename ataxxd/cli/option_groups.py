"""Groups of options: a dataclass that a command's `run` takes stands for an option a field."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import is_dataclass
from typing import Any, get_type_hints


def flattened(run: Callable[..., Any]) -> inspect.Signature:
    """The signature of `run` with the options of its groups in their places."""
    return inspect.Signature([*_parameters(run)])


def arguments(run: Callable[..., Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """What `run` is called with, of the values of all its options."""
    return {
        name: hint(**arguments(hint, values)) if _is_group(hint) else values[name]
        for name, hint in _hints(run).items()
    }


def _parameters(run: Callable[..., Any]) -> Iterator[inspect.Parameter]:
    defaults = inspect.signature(run).parameters
    for name, hint in _hints(run).items():
        if _is_group(hint):
            yield from _parameters(hint)
        else:
            yield inspect.Parameter(
                name,
                inspect.Parameter.KEYWORD_ONLY,
                default=defaults[name].default,
                annotation=hint,
            )


def _hints(run: Callable[..., Any]) -> dict[str, Any]:
    hints = get_type_hints(run, include_extras=True)
    hints.pop("return", None)
    return hints


def _is_group(hint: object) -> bool:
    return isinstance(hint, type) and is_dataclass(hint)
