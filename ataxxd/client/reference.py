"""Writes the reference page of `ataxxd.client`, from what its modules say.

``python -m ataxxd.client.reference`` renews it in the source tree.
"""

import argparse
import ast
import dataclasses
import inspect
import re
import textwrap
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from ataxxd import client
from ataxxd.client import events

FILE = Path(__file__).parents[2] / "docs" / "reference" / "client.md"
_HEAD = """\
# The Python client

Every class and function of `ataxxd.client`; [how to write a bot](../how-to/write-a-bot.md) shows
them at work. Made from their docstrings by `python -m ataxxd.client.reference`. Whatever goes
wrong is one of the errors of `ataxxd.errors` and `ataxxd.node.errors`, or of `ataxxd.rules` where
the rules forbid it; all of them can be caught as `AtaxxdError` and `RulesError`.
"""
# What one part of the package tells another.
_WITHIN = {"opened", "open", "close", "take", "refuse"}
_SECTIONS = ("Args", "Returns", "Raises", "Attributes", "Yields")


def page() -> str:
    """The reference page."""
    parts = [_HEAD, "## open_node\n", _callable("open_node", client.open_node)]
    for kind in (
        client.NodeClient,
        client.Board,
        client.Game,
        client.NetworkGame,
        client.EngineGame,
        client.WatchedGame,
        client.Challenges,
        client.Challenge,
        client.ListedGame,
        client.Card,
    ):
        parts += _class(kind)
    parts.append("## Events\n")
    for name in events.__all__:
        kind = getattr(events, name)
        if isinstance(kind, type):
            parts += _event(kind)
    return "\n".join(parts).rstrip() + "\n"


def _class(kind: type) -> Iterator[str]:
    yield f"## {kind.__name__}\n"
    bases = [base.__name__ for base in kind.__bases__ if base.__name__ in client.__all__]
    if bases:
        yield f"A [{bases[0]}](#{bases[0].lower()}), and more:\n"
    yield _told(kind)
    for name, member in vars(kind).items():
        if name.startswith("_") or name in _WITHIN:
            continue
        if isinstance(member, property):
            yield f"### {kind.__name__}.{name}\n\n`{_value(member)}`. {_told(member)}"
        elif isinstance(member, types.FunctionType):
            yield f"### {kind.__name__}.{name}\n\n{_callable(name, member)}"


def _event(kind: type) -> Iterator[str]:
    named = ", ".join(field.name for field in dataclasses.fields(kind))
    yield f"### {kind.__name__}\n\n`{kind.__name__}({named})`\n\n{_told(kind)}"


def _callable(name: str, function: Callable[..., Any]) -> str:
    plain = inspect.unwrap(function)
    managed = plain is not function or "AbstractAsyncContextManager" in str(plain.__annotations__)
    awaited = inspect.iscoroutinefunction(plain)
    iterated = inspect.isasyncgenfunction(plain) and not managed
    words = "async with " if managed else "async for … in " if iterated else "await " * awaited
    return f"```text\n{words}{name}{_signature(plain)}\n```\n\n{_told(plain)}"


def _value(member: property) -> str:
    """The type of an attribute."""
    assert member.fget is not None
    return _signature(member.fget).partition(" -> ")[2]


def _signature(function: Callable[..., Any]) -> str:
    """The arguments and what comes back, as the source has them, in any version of Python."""
    (written,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    assert isinstance(written, ast.FunctionDef | ast.AsyncFunctionDef)
    arguments = written.args
    arguments.args = [each for each in arguments.args if each.arg != "self"]
    for each in arguments.defaults + arguments.kw_defaults:
        if isinstance(each, ast.Name):
            value = function.__globals__[each.id]
            each.id = "…" if callable(value) else repr(value)
    return f"({ast.unparse(arguments)}) -> {_returned(written)}"


def _returned(written: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    """What comes back; that it is awaited, entered or gone through is told elsewhere."""
    assert written.returns is not None
    kind = written.returns
    if isinstance(kind, ast.Subscript) and "Async" in ast.unparse(kind.value):
        kind = kind.slice.elts[0] if isinstance(kind.slice, ast.Tuple) else kind.slice
    return ast.unparse(kind).strip("'")


def _told(thing: Any) -> str:
    """A docstring as Markdown."""
    lines = (inspect.getdoc(thing) or "").replace("``", "`").splitlines()
    told: list[str] = []
    section = ""
    for line in lines:
        if line.rstrip(":") in _SECTIONS and line.endswith(":"):
            section = line.rstrip(":")
            told += [f"{section}:", ""] if section != "Args" else ["Arguments:", ""]
        elif section and (item := re.fullmatch(r"    (\w+): (.*)", line)) and section != "Returns":
            told.append(f"- `{item[1]}`: {item[2]}")
        elif section == "Returns":
            told.append(line.strip())
        elif section:
            told.append(f"  {line.strip()}" if line.strip() else "")
        else:
            told.append(line)
    return "\n".join(told).rstrip() + "\n"


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m ataxxd.client.reference")
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.parse_args().file.write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
