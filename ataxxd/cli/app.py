"""The ``ataxxd`` program: the list of commands, loaded when used, and the error boundary."""

import ast
import io
import logging
import os
import re
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.util import find_spec
from itertools import chain, takewhile
from types import ModuleType
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ataxxd import __version__
from ataxxd.cli.headings import write_commands, write_options
from ataxxd.cli.logs import LogFormat, log_everything
from ataxxd.cli.option_groups import arguments, flattened
from ataxxd.cli.say import say
from ataxxd.errors import AtaxxdError, ExitCode, UsageError
from ataxxd.wording import did_you_mean

# The help page, in its order. A command's module is imported only when it is called.
GROUPS: dict[str, Sequence[str]] = {
    "Play": ("play", "host", "join", "resume", "lobby"),
    "Watch": ("watch", "games"),
    "People": ("id", "players", "challenge", "challenges", "event", "club", "ratings"),
    "Records": ("archive", "study", "analyse", "verify", "convert", "picture"),
    "Engines": ("match", "uai", "nboard", "hub", "bench", "perft", "tables"),
    "Operate": ("serve", "mcp", "config", "status", "top", "broker", "doctor", "backup", "restore"),
    "For courses": ("accept", "lab", "mark"),
}
COMMANDS = tuple(chain.from_iterable(GROUPS.values()))
_MODULES = {"id": "ident"}
# Options under their former names, which scripts may have.
_FORMER = {"--text": "--line"}
# Commands that have commands of their own, each a module of the package of that name.
_SUBCOMMANDS = {
    "event": ("plan", "run", "play", "show", "check"),
    "club": ("admit", "remove", "show", "check", "prove", "adopt"),
    "tables": ("make", "check"),
    "lab": ("eval", "value", "answer"),
}
# One hyphen, or the dash that web pages make of two.
_ONE_DASH = re.compile(r"[-–—]([a-z][a-z0-9-]+)(=.*)?", re.DOTALL)  # noqa: RUF001
# A position whose board begins with an empty or blocked square; no option has a blank in its name.
_POSITION = re.compile(r"-[-0-9XOxo/]* .+", re.DOTALL)
# Typer brings its own click along from some version on: this is the base of either's errors.
_CLICK_ERROR: Any = typer.BadParameter.__mro__[2]


class LazyGroup(TyperGroup):
    """Loads a command's module when the command is asked for, which keeps the start quick."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """All commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> TyperCommand | TyperGroup | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(_module_of(cmd_name))
        if cmd_name in _SUBCOMMANDS:
            return Subcommands(
                name=cmd_name, help=module.__doc__, no_args_is_help=True, rich_markup_mode=None
            )
        return _single(cmd_name, module)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """The command that the words name; one that there is not is answered by one like it."""
        _check_command(args[0], COMMANDS, "ataxxd")
        return super().resolve_command(ctx, args)

    def format_commands(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        formatter: Any,
    ) -> None:
        """The commands under headings, each with its first sentence."""
        width = formatter.width - 6 - max(map(len, COMMANDS))
        summaries: dict[str, str] = {}
        for name in COMMANDS:
            summaries[name] = TyperCommand(name, help=_help_of(name)).get_short_help_str(width)
        write_commands(GROUPS, summaries, formatter)


class Subcommands(TyperGroup):
    """The commands of a command, loaded in the same way."""

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """All of them, in the order of the help page."""
        return list(_SUBCOMMANDS[str(self.name)])

    def get_command(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> TyperCommand | None:
        """The command of that name, or None."""
        if cmd_name not in _SUBCOMMANDS[str(self.name)]:
            return None
        return _single(cmd_name, import_module(f"ataxxd.cli.{self.name}.{cmd_name}"))

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """As `LazyGroup.resolve_command`."""
        name = str(self.name)
        _check_command(args[0], _SUBCOMMANDS[name], f"ataxxd {name}")
        return super().resolve_command(ctx, args)


def _check_command(word: str, known: Sequence[str], program: str) -> None:
    """Refuse a command that there is not.

    Raises:
        UsageError: it is none.
    """
    if not word.startswith("-") and word not in known:
        raise UsageError(
            f'There is no command "{word}".{did_you_mean(word, known)} All commands: {program} '
            "--help"
        )


def _module_of(name: str) -> str:
    return f"ataxxd.cli.{_MODULES.get(name, name)}"


def _help_of(name: str) -> str | None:
    """What a command says of itself, from its source: to import all that they need takes long."""
    spec = find_spec(_module_of(name))
    assert spec is not None
    assert isinstance(spec.loader, InspectLoader)
    tree = ast.parse(spec.loader.get_source(spec.name) or "")
    if name in _SUBCOMMANDS:
        return ast.get_docstring(tree)
    runs = (each for each in tree.body if isinstance(each, ast.FunctionDef) and each.name == "run")
    return ast.get_docstring(next(runs))


def _single(name: str, module: ModuleType) -> TyperCommand:
    """The command that a module's `run` is."""
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command(name, cls=PlainCommand)(_exiting(module.run))
    command = typer.main.get_command(single)
    assert isinstance(command, TyperCommand)
    return command


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


app = typer.Typer(
    cls=LazyGroup,
    name="ataxxd",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"ataxxd {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[  # noqa: ARG001 - its callback does the work
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log, and show tracebacks.")
    ] = False,
    log_format: Annotated[
        LogFormat,
        typer.Option("--log-format", help="Log format for --verbose: for people or programs."),
    ] = LogFormat.TEXT,
) -> None:
    """Play Ataxx, reversi, checkers or Lines of Action over MQTT.

    Two commands make a game:

        ataxxd host ourgame          on one machine

        ataxxd join ourgame --auto   on another; --auto lets the engine play

    Anyone can watch: `ataxxd watch ourgame`. To play offline: `ataxxd play`.
    """
    if verbose:
        log_everything(log_format)


def _open_streams() -> None:
    """Give the standard streams that the caller closed somewhere to lead to."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free descriptor is this one, as those below it are open by now.
            assert os.open(os.devnull, os.O_RDWR) == descriptor
            setattr(sys, name, open(descriptor, "r" if descriptor == 0 else "w", encoding="utf-8"))  # noqa: SIM115, PTH123


def _words() -> list[str]:
    """The words of the command line; those of the guided start where a person typed none."""
    words = sys.argv[1:]
    # What asks is loaded for those only who are asked.
    if words or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return words
    from ataxxd.cli.start import guided  # noqa: PLC0415 - slow to load

    return guided()


def _put_in_words(error: Any) -> None:
    """Say what is wrong with an option's value in place of what typer's validator says."""
    from pydantic import ValidationError  # noqa: PLC0415 - slow to load

    from ataxxd_protocol.faults import explained  # noqa: PLC0415 - slow to load

    if isinstance(error.__cause__, ValidationError):
        detail = error.__cause__.errors(include_url=False)[0]
        error.message = f"{explained({**detail})}."


def main() -> None:
    """Run the program and exit with its code (docs/reference/exit-codes.md)."""
    _open_streams()
    try:
        sys.exit(app(_words(), standalone_mode=False))
    except _CLICK_ERROR as error:
        _put_in_words(error)
        # Wrong options are quoted, and may be an address with a password.
        text = io.StringIO()
        error.show(text)
        say(text.getvalue().rstrip())
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except AtaxxdError as error:
        say(f"ataxxd: {error}")
        sys.exit(error.exit_code)
    except Exception as error:
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        # The report goes to others: without the secret of an invitation, NAME#ID.SECRET.
        words = re.sub(r"(#[^\s.@]*)\.[^\s@]*", r"\1", " ".join(sys.argv[1:]))
        say(
            f"ataxxd: internal error: {type(error).__name__}: {error}. All games in the journal "
            f"are safe. Please report the output of: ataxxd -v {words}"
        )
        sys.exit(ExitCode.FAILURE)
