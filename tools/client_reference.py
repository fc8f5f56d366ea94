"""Writes the reference pages of `ataxxd.client` and `ataxxd.rules`, from what their modules say.

``python -m tools.client_reference`` renews them in the source tree.
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
from typing import Any, get_args

from ataxxd import client, rules
from ataxxd.rules import ataxx, checkers, loa, reversi, svg

_FOLDER = Path(__file__).parents[1] / "docs" / "reference"
FILE = _FOLDER / "client.md"
RULES_FILE = _FOLDER / "rules.md"
_STUB = Path(__file__).parents[1] / "ataxxd" / "_engine.pyi"
_RULES_HEAD = """\
# The rules in Python

Every class and function of `ataxxd.rules`, as `help(Position)` tells it at run time, too; [the
design page](../design/rules-api.md) is the overview. Made from their docstrings by
`python -m tools.client_reference`.
"""
_HEAD = """\
# The Python client

Every class and function of `ataxxd.client`; [how to write a bot](../how-to/write-a-bot.md) shows
them at work. Made from their docstrings by `python -m tools.client_reference`. Whatever goes
wrong is one of the errors of `ataxxd.errors` and `ataxxd.node.errors`, or of `ataxxd.rules` where
the rules forbid it; all of them can be caught as `AtaxxdError` and `RulesError`.
"""
# Public members that are meant only for other parts of the package.
_WITHIN = {
    "accept",
    "add_event",
    "advised",
    "carried",
    "close",
    "count_results",
    "current",
    "find_seat",
    "finish_ply",
    "has_begun",
    "has_bot",
    "join_game",
    "new_game",
    "open",
    "opened",
    "resume_game",
    "run",
    "secret",
    "send_decline",
    "show_first_game",
    "show_next_game",
    "stop_pondering",
    "stored",
    "thinking",
}
_SECTIONS = ("Args", "Returns", "Raises", "Attributes", "Yields")


def page() -> str:
    """The reference page."""
    parts = [_HEAD, "## open_node\n", _callable("open_node", client.open_node)]
    for name in (
        "Node",
        "Game",
        "NetworkGame",
        "EngineGame",
        "WatchedGame",
        "Challenges",
        "Challenge",
        "ListedGame",
        "Card",
    ):
        parts += _class(getattr(client, name), name)
    parts.append("## Board\n\nA [Game](#game), as earlier versions called what it shows.\n")
    parts.append("## NodeClient\n\nA [Node](#node), as earlier versions called it.\n")
    parts.append("## Events\n")
    for kind in get_args(client.GameEvent):
        parts += _event(kind)
    # Programs import the class under this name.
    text = "\n".join(parts).replace(client.EngineGame.__name__, "EngineGame")
    return text.rstrip() + "\n"


def rules_page() -> str:
    """The reference page of the rules; the stub describes the native module."""
    stub = ast.parse(_STUB.read_text(encoding="utf-8"))
    parts = [_RULES_HEAD]
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            parts.append(f"## {node.name}\n\n{_markdown(ast.get_docstring(node))}")
            parts += [
                _stubbed(each, node.name)
                for each in node.body
                if isinstance(each, ast.FunctionDef) and ast.get_docstring(each)
            ]
        elif isinstance(node, ast.FunctionDef) and node.name in rules.__all__:
            parts.append(_stubbed(node))
    for told in (rules.ruleset_info, rules.ruleset_named):
        parts.append(f"### {told.__name__}\n\n{_callable(told.__name__, told)}")
    for kind in (rules.Side, rules.Outcome, rules.SearchResult, rules.RulesetInfo):
        parts += _class(kind)
    parts.append("## Errors\n")
    for error in (
        rules.RulesError,
        rules.InvalidMoveError,
        rules.IllegalMoveError,
        rules.InvalidPositionError,
        rules.UnknownRulesetError,
    ):
        parts.append(f"### {error.__name__}\n\n{_told(error)}")
    for module in (ataxx, loa, checkers, reversi, svg):
        parts.append(f"## {module.__name__}\n\n{_told(module)}")
        parts += [
            f"### {name}\n\n{_callable(name, function)}"
            for name, function in vars(module).items()
            if isinstance(function, types.FunctionType)
            and function.__module__ == module.__name__
            and not name.startswith("_")
        ]
    return "\n".join(parts).rstrip() + "\n"


def _stubbed(node: ast.FunctionDef, of: str = "") -> str:
    """A function or a property of the stub."""
    told = _markdown(ast.get_docstring(node))
    assert node.returns is not None
    returns = ast.unparse(node.returns)
    decorators = [ast.unparse(each) for each in node.decorator_list]
    name = of if node.name == "__new__" else node.name
    title = f"### {of}.{name}" if of and name != of else f"### {name}"
    if "property" in decorators:
        return f"{title}\n\n`{returns}`. {told}"
    if of and "staticmethod" not in decorators:
        (node.args.posonlyargs or node.args.args).pop(0)
    return f"{title}\n\n```text\n{name}({ast.unparse(node.args)}) -> {returns}\n```\n\n{told}"


def _class(kind: type, title: str = "") -> Iterator[str]:
    yield f"## {title or kind.__name__}\n"
    known = set(vars(client.Game)) if issubclass(kind, client.Game) else set()
    if known and kind is not client.Game:
        yield "A [Game](#game), and more:\n"
    else:
        known = set()
    yield _told(kind)
    members = dict(vars(kind))
    if known:
        # Include what comes from the classes between the two, which have no section of their own.
        between = kind.__mro__[: kind.__mro__.index(client.Game)]
        members = {name: each for base in reversed(between) for name, each in vars(base).items()}
    for name, member in members.items():
        if name.startswith("_") or name in _WITHIN or name in known:
            continue
        if isinstance(member, property):
            yield f"### {title or kind.__name__}.{name}\n\n`{_value(member)}`. {_told(member)}"
        elif isinstance(member, types.FunctionType):
            yield f"### {title or kind.__name__}.{name}\n\n{_callable(name, member)}"


def _event(kind: type) -> Iterator[str]:
    named = ", ".join(field.name for field in dataclasses.fields(kind))
    yield f"### {kind.__name__}\n\n`{kind.__name__}({named})`\n\n{_told(kind)}"


def _callable(name: str, function: Callable[..., Any]) -> str:
    plain = inspect.unwrap(function)
    managed = (
        plain is not function and inspect.isasyncgenfunction(plain)
    ) or "AbstractAsyncContextManager" in str(plain.__annotations__)
    awaited = inspect.iscoroutinefunction(plain)
    iterated = inspect.isasyncgenfunction(plain) and not managed
    words = "async with " if managed else "async for … in " if iterated else "await " * awaited
    return f"```text\n{words}{name}{_signature(plain)}\n```\n\n{_told(plain)}"


def _value(member: property) -> str:
    """The type of an attribute."""
    assert member.fget is not None
    return _signature(member.fget).partition(" -> ")[2]


def _signature(function: Callable[..., Any]) -> str:
    """The arguments and the result's type as written in the source, for every Python version."""
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
    """The result's type; `_callable` says whether it is awaited, entered or iterated over."""
    assert written.returns is not None
    kind = written.returns
    if isinstance(kind, ast.Subscript) and "Async" in ast.unparse(kind.value):
        kind = kind.slice.elts[0] if isinstance(kind.slice, ast.Tuple) else kind.slice
    return ast.unparse(kind).strip("'")


def _told(thing: Any) -> str:
    """The docstring of a thing as Markdown."""
    return _markdown(inspect.getdoc(thing))


def _markdown(docstring: str | None) -> str:
    lines = (docstring or "").replace("``", "`").splitlines()
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
    """Write the pages."""
    argparse.ArgumentParser(prog="python -m tools.client_reference").parse_args()
    FILE.write_text(page(), encoding="utf-8")
    RULES_FILE.write_text(rules_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
