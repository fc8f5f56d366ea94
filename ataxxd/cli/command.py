"""A command as typer has it: made of a function, with help pages and mistypings of our own.

A dataclass that the function takes stands for an option a field.
"""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from itertools import takewhile
from typing import Any, get_type_hints

import typer
from typer.core import TyperCommand

from ataxxd.cli.options import FILES, GAME, NETWORK, NOTIFIED, PLAYERS, SHOWN, TERMS, THINKING
from ataxxd.errors import UsageError

_ORDER = (PLAYERS, THINKING, GAME, TERMS, SHOWN, NOTIFIED, FILES, NETWORK)
_ELSE = "Options"
# As many fit on half a screen, and are found without headings.
_FEW = 10

# Options under their former names, which scripts may have.
_FORMER = {"--text": "--line"}
# One hyphen, or the dash that web pages make of two.
_ONE_DASH = re.compile(r"[-–—]([a-z][a-z0-9-]+)(=.*)?", re.DOTALL)  # noqa: RUF001
# A position whose board begins with an empty or blocked square; no option has a blank in its name.
_POSITION = re.compile(r"-[-0-9XOxo/]* .+", re.DOTALL)


def command(name: str, place: str) -> TyperCommand:
    """The command that a function is, given as ``module:function``."""
    module, _, function = place.partition(":")
    return _made(name, getattr(import_module(module), function), PlainCommand)


def command_for_help(name: str, place: str) -> TyperCommand:
    """The same, quickly and good for its help only; where none is wanted, it becomes the whole."""

    class HelpfulCommand(PlainCommand):
        def make_context(self, *args: Any, **extra: Any) -> Any:
            words = [*args[1]]
            super().make_context(*args, **extra)
            # The word was the value of an option.
            return command(name, place).make_context(args[0], words, *args[2:], **extra)

    return _made(name, declaration(place), HelpfulCommand)


def summary(place: str) -> str | None:
    """What a function says of itself, without loading what it needs."""
    module, _, wanted = place.partition(":")
    body = source_of(module).body
    found = (each for each in body if isinstance(each, ast.FunctionDef) and each.name == wanted)
    return ast.get_docstring(next(found))


def declaration(place: str) -> Callable[..., int]:
    """A command's function without its work: its options and their texts.

    Of its module only what these name is run, for what the work takes is slow to load. Python
    3.15 will have lazy imports for this.
    """
    module, _, wanted = place.partition(":")
    names, kept = {wanted}, list[ast.stmt]()
    for each in reversed(source_of(module).body):
        if isinstance(each, ast.Import | ast.ImportFrom):
            each.names = [alias for alias in each.names if (alias.asname or alias.name) in names]
            if each.names:
                kept.append(each)
        elif not names.isdisjoint(_bound(each)):
            if isinstance(each, ast.FunctionDef) and each.name == wanted:
                each.body = each.body[:1]  # the docstring
            names |= {node.id for node in ast.walk(each) if isinstance(node, ast.Name)}
            kept.append(each)
    run = {"__name__": module}
    exec(compile(ast.Module(kept[::-1], []), module, "exec"), run)  # noqa: S102 - our own source
    return run[wanted]  # type: ignore[return-value]


def source_of(module: str) -> ast.Module:
    """A module that is not imported."""
    spec = find_spec(module)
    assert spec is not None
    assert isinstance(spec.loader, InspectLoader)
    return ast.parse(spec.loader.get_source(module) or "")


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement gives a meaning to."""
    match statement:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign() | ast.AnnAssign():
            return {
                node.id
                for node in ast.walk(statement)
                if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
            }
    return set()


def _made(name: str, run: Callable[..., int], kind: type[TyperCommand]) -> TyperCommand:
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=kind)(_exiting(run))
    made = typer.main.get_command(single)
    assert isinstance(made, TyperCommand)
    return made


class PlainCommand(TyperCommand):
    """A command that knows how long options are mistyped, or pasted from typeset pages."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the words; one like ``-log=FILE``, or with a dash for the hyphens, is explained.

        Raises:
            UsageError: one is, and this command has that option; or a game and a ruleset of
                another one are named.
        """
        known = {name for parameter in self.params for name in parameter.opts}
        args = [_renamed(word, known) for word in args]
        for word in takewhile(lambda word: word != "--", args):
            found = _ONE_DASH.fullmatch(word)
            if found is not None and (option := f"--{found[1]}") in known:
                raise UsageError(
                    f"{word}: long options begin with two hyphens. Type {option}{found[2] or ''}"
                )
        rest = super().parse_args(ctx, _positions_last(args, known))
        _check_game(ctx)
        return rest

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """The arguments, and the options under their headings."""
        write_options(self.get_params(ctx), ctx, formatter)


def _renamed(word: str, known: set[str]) -> str:
    """The word, or the option that a former name of one stands for in this command."""
    name = _FORMER.get(word)
    return word if name is None or word in known or name not in known else name


def _check_game(ctx: typer.Context) -> None:
    """Refuse a ruleset of another game than the one that was named.

    Here alone it can be told that a game was named, and is not only the usual one.
    """
    game, ruleset = ctx.params.get("game"), ctx.params.get("ruleset")
    source = ctx.get_parameter_source("game")
    if game is None or ruleset is None or source is None or source.name != "COMMANDLINE":
        return
    of, slash, _ = ruleset.partition("/")
    if slash and of != game:
        raise UsageError(
            f"--game {game} contradicts --ruleset {ruleset}, whose game is {of}: leave one out."
        )


def _positions_last(args: list[str], options: set[str]) -> list[str]:
    """The words with positions that look like options behind ``--``, which ends the options."""
    words = [*takewhile(lambda word: word != "--", args)]
    kept, positions = list[str](), list[str]()
    for before, word in zip(["", *words], words, strict=False):
        # What stands behind the name of an option is its value.
        is_one = before not in options and _POSITION.fullmatch(word)
        (positions if is_one else kept).append(word)
    return [*kept, "--", *positions, *args[len(words) + 1 :]] if positions else args


def _exiting(run: Callable[..., int]) -> Callable[..., None]:
    """A command that ends the program with the code that `run` returns."""

    def exiting(**options: object) -> None:
        raise typer.Exit(run(**arguments(run, options)))

    signature = flattened(run)
    exiting.__doc__ = run.__doc__
    exiting.__signature__ = signature  # type: ignore[attr-defined]
    exiting.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    return exiting


def write_options(parameters: Iterable[Any], context: Any, formatter: Any) -> None:
    """Write a command's arguments and options, each option under its heading.

    Args:
        parameters: typer's, which name their headings in ``rich_help_panel``.
        context: of the command.
        formatter: writes the help page.
    """
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, tuple[str, str]]] = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            arguments.append(record)
        else:
            options.append((parameter.rich_help_panel or _ELSE, record))
    if len(options) <= _FEW:
        options = [(_ELSE, record) for _, record in options]
    if arguments:
        with formatter.section("Arguments"):
            formatter.write_dl(arguments)
    for heading in (*_ORDER, _ELSE):
        if records := [record for each, record in options if each == heading]:
            with formatter.section(heading):
                formatter.write_dl(records)


def write_commands(
    groups: dict[str, Sequence[str]], summaries: dict[str, str], formatter: Any
) -> None:
    """Write the commands of a program, each under its heading, in columns of one width."""
    widest = max(map(len, summaries))
    for heading, names in groups.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(widest), summaries[name]) for name in names])


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
