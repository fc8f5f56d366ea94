"""Typer commands of dataclasses of options, with our own help and our own error messages.

`ataxxd.cli.options` says how a command declares its options.
"""

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from itertools import takewhile
from typing import Annotated, Any, TypeGuard, get_type_hints

import typer
from typer.core import TyperCommand

from ataxxd.cli.options import FILES, GAME, INFO, NETWORK, NOTIFIED, PLAYERS, SHOWN, TERMS, THINKING
from ataxxd.errors import UsageError
from ataxxd.wording import MIN_SIMILARITY

_ORDER = (PLAYERS, THINKING, GAME, TERMS, SHOWN, NOTIFIED, FILES, NETWORK)
_ELSE = "Options"
# So few options fit on half a screen, and need no headings.
_FEW = 10

# Former names of options, which scripts may still use.
_FORMER = {"--text": "--line"}
# One hyphen, or the dash that web pages make of two.
_ONE_DASH = re.compile(r"[-–—]([a-z][a-z0-9-]+)(=.*)?", re.DOTALL)  # noqa: RUF001
# A position whose board begins with an empty or blocked square; no option has a blank in its name.
_POSITION = re.compile(r"-[-0-9XOxo/]* .+", re.DOTALL)
# How typer writes an argument that is required.
_BRACED = re.compile(r"\{([^{}]*?)(?:\.\.\.)?\}(\.\.\.)?")


def command(name: str, options: type, work: Callable[[Any], int]) -> TyperCommand:
    """Build a typer command.

    Args:
        name: the name of the command.
        options: a dataclass with an annotated field for each option; its docstring is the help.
        work: called with an instance of `options`; returns the exit code.
    """

    def run(**values: object) -> None:
        raise typer.Exit(work(fill_options(options, values)))

    signature = inspect.Signature([*_parameters(options)])
    run.__doc__ = options.__doc__
    run.__signature__ = signature  # type: ignore[attr-defined]
    run.__annotations__ = {each.name: each.annotation for each in signature.parameters.values()}
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=PlainCommand)(run)
    made = typer.main.get_command(single)
    assert isinstance(made, TyperCommand)
    return made


class PlainCommand(TyperCommand):
    """A command that explains mistyped long options, and those pasted from typeset pages."""

    def parse_args(self, ctx: typer.Context, args: list[str]) -> list[str]:  # type: ignore[override]
        """Parse the arguments; explain words such as ``-log=FILE``, or with a dash for the hyphens.

        Raises:
            UsageError: there is such a word for an option of this command; or the ruleset named
                belongs to another game than the one named.
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

    def collect_usage_pieces(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]
        """The words of the usage line, with ``NAME`` instead of typer's ``{NAME}``."""
        return [_BRACED.sub(r"\1\2", piece) for piece in super().collect_usage_pieces(ctx)]

    def format_options(self, ctx: typer.Context, formatter: Any) -> None:  # type: ignore[override]
        """Write the arguments, and the options under their headings."""
        write_options(self.get_params(ctx), ctx, formatter)


def _renamed(word: str, known: set[str]) -> str:
    """The word, with a former name of one of this command's options replaced."""
    name = _FORMER.get(word)
    return word if name is None or word in known or name not in known else name


def _check_game(ctx: typer.Context) -> None:
    """Refuse a ruleset of another game than the one that was named.

    Only here can we tell a game that was named from the default.
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
        # A word after the name of an option is its value.
        is_one = before not in options and _POSITION.fullmatch(word)
        (positions if is_one else kept).append(word)
    return [*kept, "--", *positions, *args[len(words) + 1 :]] if positions else args


def write_options(parameters: Iterable[Any], context: Any, formatter: Any) -> None:
    """Write a command's arguments and options, each option under its heading.

    Args:
        parameters: typer's parameters, with their headings in ``rich_help_panel``.
        context: the typer context of the command.
        formatter: writes the help page.
    """
    arguments: list[tuple[str, str]] = []
    options: list[tuple[str, tuple[str, str]]] = []
    for parameter in parameters:
        record = parameter.get_help_record(context)
        if record is None:
            continue
        if parameter.param_type_name == "argument":
            # Without its type, which is a name from Python.
            arguments.append((parameter.metavar or parameter.name.upper(), record[1]))
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
    groups: Mapping[str, Iterable[str]], summaries: dict[str, str], formatter: Any
) -> None:
    """Write the commands of a program under their headings, in columns of the same width."""
    widest = max(map(len, summaries))
    for heading, names in groups.items():
        with formatter.section(heading):
            formatter.write_dl([(name.ljust(widest), summaries[name]) for name in names])


def fill_options(options: type, values: Mapping[str, Any]) -> Any:
    """An instance of `options` with these values, including those of its groups."""
    return options(
        **{
            name: fill_options(hint, values) if _is_group(hint) else values[name]
            for name, hint in get_type_hints(options).items()
        }
    )


def _parameters(options: type) -> Iterator[inspect.Parameter]:
    """The fields of `options`, those of the groups in it in their places."""
    hints = get_type_hints(options, include_extras=True)
    for each in fields(options):
        hint = hints[each.name]
        if INFO in each.metadata:
            hint = Annotated[hint, each.metadata[INFO]]
        if _is_group(hint):
            yield from _parameters(hint)
        else:
            default = inspect.Parameter.empty if each.default is MISSING else each.default
            yield inspect.Parameter(
                each.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hint
            )


def _is_group(hint: object) -> TypeGuard[type]:
    return isinstance(hint, type) and is_dataclass(hint)


# Other words for options; of ours, the first that the command has is suggested.
_SENSE = {
    "auto": ("--player1 auto",),
    "black": ("--color", "--player1"),
    "blue": ("--color", "--player2"),
    "browser": ("--display",),
    "color": ("--white",),
    "colour": ("--color", "--white"),
    "cores": ("--concurrency", "--threads"),
    "difficulty": ("--level", "--player2 auto@LEVEL"),
    "fen": ("--position",),
    "gui": ("--display", "--tui"),
    "level": ("--player2 auto@LEVEL",),
    "movetime": ("--move-time", "--time"),
    "nickname": ("--name",),
    "opponent": ("--guest", "--player2"),
    "out": ("--output", "--transcript"),
    "output": ("--transcript",),
    "player": ("--with",),
    "red": ("--color", "--player1"),
    "rounds": ("--games",),
    "server": ("--broker",),
    "side": ("--color", "--white"),
    "skill": ("--level", "--player2 auto@LEVEL"),
    "strength": ("--level", "--player2 auto@LEVEL"),
    "tc": ("--clock",),
    "time": ("--move-time", "--clock"),
    "time-control": ("--clock",),
    "variant": ("--ruleset",),
    "web": ("--display",),
    "white": ("--color",),
}


def similar_options(wrong: str, known: Collection[str]) -> list[str]:
    """The options that may have been meant, the likeliest first; empty if none is similar.

    Args:
        wrong: the option as typed, such as ``--leve``.
        known: the options of the command, such as ``--level``.
    """
    name = wrong.lstrip("-").lower()
    for option in _SENSE.get(name, ()):
        if option.partition(" ")[0] in known:
            return [option]
    names = {option.lstrip("-"): option for option in known if option.startswith("--")}
    return [names[like] for like in get_close_matches(name, names, cutoff=MIN_SIMILARITY)]
