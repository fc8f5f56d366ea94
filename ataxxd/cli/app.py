"""The ``ataxxd`` program: the list of commands, loaded when used, and the error boundary."""

import ast
import io
import logging
import os
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import chain, takewhile
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ataxxd import __version__
from ataxxd.cli.command import command, command_for_help, source_of, summary, write_commands
from ataxxd.cli.logs import LogFormat, log_everything
from ataxxd.cli.mistyped import options_meant
from ataxxd.cli.say import say
from ataxxd.errors import AtaxxdError, ExitCode, UsageError
from ataxxd.wording import did_you_mean

# The help page, in its order. A command's module is imported only when it is called.
GROUPS: dict[str, Sequence[str]] = {
    "Play": ("play", "host", "join", "seek", "resume", "lobby"),
    "Watch": ("watch", "games"),
    "People": ("id", "players", "challenge", "challenges", "event", "club", "ratings"),
    "Records": ("archive", "study", "analyse", "verify", "convert", "picture"),
    "Engines": ("match", "worker", "uai", "nboard", "hub", "bench", "perft", "tables"),
    "Operate": ("serve", "mcp", "config", "status", "top", "broker", "doctor", "backup", "restore"),
    "For courses": ("accept", "lab", "mark"),
}
COMMANDS = tuple(chain.from_iterable(GROUPS.values()))
# The function that a command is, as ``module:function``, if not the `run` of a module of its name.
_PLACES = {
    "id": "ident:run",
    "challenge": "challenge:run_challenge",
    "challenges": "challenge:run_challenges",
    "convert": "convert:run_convert",
    "picture": "convert:run_picture",
    "uai": "engine_protocols:run_uai",
    "nboard": "engine_protocols:run_nboard",
    "hub": "engine_protocols:run_hub",
    "bench": "bench:run_bench",
    "perft": "bench:run_perft",
    "status": "status:run_status",
    "top": "status:run_top",
    "backup": "backup:run_backup",
    "restore": "backup:run_restore",
}
# Commands that have commands of their own, and what these are.
_SUBCOMMANDS = {
    "event": {
        "plan": "event.plan:run",
        "run": "event.run:run",
        "play": "event.play:run",
        "show": "event.show:run_show",
        "check": "event.show:run_check",
    },
    "club": {
        each: f"club:run_{each}" for each in ("admit", "remove", "show", "check", "prove", "adopt")
    },
    "tables": {each: f"tables:run_{each}" for each in ("make", "check")},
    "lab": {each: f"lab:run_{each}" for each in ("eval", "value", "answer")},
}
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
        if cmd_name in _SUBCOMMANDS:
            help_text = _help_of(cmd_name)
            return Subcommands(
                name=cmd_name, help=help_text, no_args_is_help=True, rich_markup_mode=None
            )
        return command(cmd_name, _place_of(cmd_name))

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """The command that the words name; one that there is not is answered by one like it."""
        _check_command(args[0], COMMANDS, "ataxxd")
        if args[0] in COMMANDS and args[0] not in _SUBCOMMANDS and _asks_for_help(args):
            return args[0], command_for_help(args[0], _place_of(args[0])), args[1:]
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

    @property
    def _places(self) -> Mapping[str, str]:
        return _SUBCOMMANDS[str(self.name)]

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """All of them, in the order of the help page."""
        return [*self._places]

    def get_command(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> TyperCommand | None:
        """The command of that name, or None."""
        if cmd_name not in self._places:
            return None
        return command(cmd_name, f"ataxxd.cli.{self._places[cmd_name]}")

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """As `LazyGroup.resolve_command`."""
        _check_command(args[0], [*self._places], f"ataxxd {self.name}")
        if args[0] in self._places and _asks_for_help(args):
            place = f"ataxxd.cli.{self._places[args[0]]}"
            return args[0], command_for_help(args[0], place), args[1:]
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


def _place_of(name: str) -> str:
    return f"ataxxd.cli.{_PLACES.get(name, f'{name}:run')}"


def _help_of(name: str) -> str | None:
    """What a command says of itself."""
    if name in _SUBCOMMANDS:
        return ast.get_docstring(source_of(f"ataxxd.cli.{name}"))
    return summary(_place_of(name))


def _asks_for_help(words: Sequence[str]) -> bool:
    return not {"-h", "--help"}.isdisjoint(takewhile(lambda word: word != "--", words))


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
    from ataxxd.cli.guided_start import guided  # noqa: PLC0415 - slow to load

    return guided()


def _put_in_words(error: Any) -> None:
    """Say what is wrong with an option, or its value, in place of what typer says."""
    if hasattr(error, "possibilities") and error.ctx is not None:
        known = {each for one in error.ctx.command.params for each in one.opts + one.secondary_opts}
        meant = " or ".join(options_meant(error.option_name, known))
        error.possibilities = None
        error.message = f"{error.message}.{f' Did you mean {meant}?' if meant else ''}"
        return
    from pydantic import ValidationError  # noqa: PLC0415 - slow to load

    from ataxxd_protocol.faults import explained  # noqa: PLC0415 - slow to load

    if isinstance(error.__cause__, ValidationError):
        detail = error.__cause__.errors(include_url=False)[0]
        error.message = f"{explained({**detail})}."


def _where_to_report() -> str:
    """Where the issues are, when the package names a public repository."""
    from importlib.metadata import PackageNotFoundError, metadata  # noqa: PLC0415 - slow to load

    try:
        addresses = metadata("ataxxd").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from its sources
        return ""
    named = dict(each.split(", ", 1) for each in addresses)
    return f" to {named['Repository']}/issues" if "Repository" in named else ""


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
            f"are safe. Please report the output of: ataxxd -v {words}{_where_to_report()}"
        )
        sys.exit(ExitCode.FAILURE)
