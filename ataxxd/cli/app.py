"""The ``ataxxd`` program: the list of commands, loaded when used, and the error boundary."""

import errno
import inspect
import io
import logging
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from itertools import chain
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from ataxxd import __version__
from ataxxd.cli.output import LogFormat, log_all_levels, print_message
from ataxxd.cli.typer_commands import command, similar_options, write_commands
from ataxxd.errors import AtaxxdError, ExitCode, UsageError
from ataxxd.wording import did_you_mean


@dataclass(frozen=True, slots=True)
class Command:
    """Where to find a command, as ``module:name``; imported when it is needed.

    Attributes:
        options: its options and help, in `ataxxd.cli.commands`.
        function: the function that runs it, in `ataxxd.cli`; it returns the exit code, or a
            coroutine that does.
    """

    options: str
    function: str

    def load(self, name: str) -> TyperCommand:
        """The command as typer has it, under its name."""
        return command(name, self._load_options(), partial(self._run, name))

    @property
    def help(self) -> str | None:
        """The text of its help page."""
        return inspect.getdoc(self._load_options())

    def _run(self, name: str, options: object) -> int:
        broker, home = getattr(options, "broker", None), getattr(options, "home", None)
        # Where the home may be takes a while to load.
        naming = _import_object("ataxxd.node.command_lines:naming")
        with naming(name, broker=broker, home=home):
            done = _import_object(f"ataxxd.cli.{self.function}")(options)
            if not isinstance(done, int):
                # asyncio takes a while to load.
                done = _import_object("ataxxd.cli.signals:run_until_stopped")(done)
        return int(done)

    def _load_options(self) -> type:
        found: type = _import_object(f"ataxxd.cli.commands.{self.options}")
        return found


@dataclass(frozen=True, slots=True)
class CommandGroup:
    """A command with subcommands.

    Attributes:
        help: what they do.
        commands: the subcommands by name.
    """

    help: str
    commands: Mapping[str, Command]

    def load(self, name: str) -> "Subcommands":
        """The command as typer has it, under its name."""
        made = Subcommands(name=name, help=self.help, no_args_is_help=True, rich_markup_mode=None)
        made.lazy_commands = self.commands
        return made


def _import_object(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


# The help page, in its order.
GROUPS: dict[str, dict[str, Command | CommandGroup]] = {
    "Play": {
        "play": Command("play:PlayOptions", "play:run"),
        "host": Command("play:HostOptions", "host:run_host"),
        "join": Command("play:JoinOptions", "join:run_join"),
        "seek": Command("play:SeekOptions", "seek:run_seek"),
        "resume": Command("play:ResumeOptions", "resume:run_resume"),
        "lobby": Command("play:LobbyOptions", "lobby:run_lobby"),
    },
    "Watch": {
        "watch": Command("play:WatchOptions", "watch:run"),
        "games": Command("play:GamesOptions", "listings:run_games"),
    },
    "People": {
        "id": Command("people:IdOptions", "home:run_id"),
        "players": Command("people:PlayersOptions", "listings:run_players"),
        "challenge": Command("people:ChallengeOptions", "challenge:run_challenge"),
        "challenges": Command("people:ChallengesOptions", "challenge_inbox:run_challenges"),
        "event": CommandGroup(
            "Plan, run, play and check a tournament of several rounds.",
            {
                "plan": Command("tournament:EventPlanOptions", "event_host:run_plan"),
                "run": Command("tournament:EventRunOptions", "event_host:run_host"),
                "play": Command("tournament:EventPlayOptions", "event_play:run"),
                "show": Command("tournament:EventShowOptions", "event_show:run_show"),
                "check": Command("tournament:EventCheckOptions", "event_show:run_check"),
            },
        ),
        "club": CommandGroup(
            "Keep or check a club's log, which says which games are rated.",
            {
                "admit": Command("tournament:ClubAdmitOptions", "club:run_admit"),
                "remove": Command("tournament:ClubRemoveOptions", "club:run_remove"),
                "show": Command("tournament:ClubShowOptions", "club:run_show"),
                "check": Command("tournament:ClubCheckOptions", "club:run_check"),
                "prove": Command("tournament:ClubProveOptions", "club:run_prove"),
                "adopt": Command("tournament:ClubAdoptOptions", "club:run_adopt"),
            },
        ),
        "ratings": Command("people:RatingsOptions", "ratings:run"),
    },
    "Records": {
        "archive": Command("records:ArchiveOptions", "records:run_archive"),
        "study": Command("records:StudyOptions", "analysis:run_study"),
        "analyse": Command("records:AnalyseOptions", "analysis:run_analyse"),
        "verify": Command("records:VerifyOptions", "records:run_verify"),
        "convert": Command("records:ConvertOptions", "records:run_convert"),
        "picture": Command("records:PictureOptions", "records:run_picture"),
    },
    "Engines": {
        "match": Command("engines:MatchOptions", "match:run"),
        "tune": Command("engines:TuneOptions", "tune:run"),
        "worker": Command("engines:WorkerOptions", "match:run_worker"),
        "uai": Command("engines:UaiOptions", "engines:run_uai"),
        "nboard": Command("engines:NboardOptions", "engines:run_nboard"),
        "hub": Command("engines:HubOptions", "engines:run_hub"),
        "bench": Command("engines:BenchOptions", "engines:run_bench"),
        "perft": Command("engines:PerftOptions", "engines:run_perft"),
        "tables": CommandGroup(
            "Make or check endgame tables of checkers.",
            {
                "make": Command("engines:TablesMakeOptions", "engines:run_tables_make"),
                "check": Command("engines:TablesCheckOptions", "engines:run_tables_check"),
            },
        ),
    },
    "Operate": {
        "serve": Command("operate:ServeOptions", "serve:run"),
        "mcp": Command("operate:McpOptions", "serve:run_mcp"),
        "config": Command("operate:ConfigOptions", "serve:run_config"),
        "status": Command("operate:StatusOptions", "status:run_status"),
        "top": Command("operate:TopOptions", "status:run_top"),
        "broker": Command("operate:BrokerOptions", "connect:run_broker"),
        "doctor": Command("operate:DoctorOptions", "home:run_doctor"),
        "backup": Command("operate:BackupOptions", "home:run_backup"),
        "restore": Command("operate:RestoreOptions", "home:run_restore"),
    },
    "For courses": {
        "accept": Command("courses:AcceptOptions", "courses:run_accept"),
        "lab": CommandGroup(
            "Compute reversi values as the laboratory does.",
            {
                "eval": Command("courses:LabEvalOptions", "courses:run_eval"),
                "value": Command("courses:LabValueOptions", "courses:run_value"),
                "answer": Command("courses:LabAnswerOptions", "courses:run_answer"),
            },
        ),
        "mark": Command("courses:MarkOptions", "courses:run_mark"),
    },
}
COMMANDS = dict(chain.from_iterable(each.items() for each in GROUPS.values()))
# Newer versions of typer bundle click: this is the base class of its errors in either case.
_CLICK_ERROR: Any = typer.BadParameter.__mro__[2]


class LazyGroup(TyperGroup):
    """Loads each command only when it is used, so that the program starts quickly.

    Attributes:
        lazy_commands: the commands, in the order of the help page.
    """

    lazy_commands: Mapping[str, Command | CommandGroup] = COMMANDS

    def list_commands(self, ctx: typer.Context) -> list[str]:  # type: ignore[override]  # noqa: ARG002
        """All commands, in the order of the help page."""
        return [*self.lazy_commands]

    def get_command(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        cmd_name: str,
    ) -> TyperCommand | TyperGroup | None:
        """The command of that name, or None."""
        place = self.lazy_commands.get(cmd_name)
        return None if place is None else place.load(cmd_name)

    def resolve_command(self, ctx: typer.Context, args: list[str]) -> Any:  # type: ignore[override]
        """Find the command that `args` begin with; for an unknown one, suggest a similar one."""
        program = "ataxxd" if self.lazy_commands is COMMANDS else f"ataxxd {self.name}"
        _check_command(args[0], [*self.lazy_commands], program)
        return super().resolve_command(ctx, args)

    def format_commands(  # type: ignore[override]
        self,
        ctx: typer.Context,  # noqa: ARG002
        formatter: Any,
    ) -> None:
        """Write the commands under headings, each with the first sentence of its help."""
        width = formatter.width - 6 - max(map(len, COMMANDS))
        summaries = {
            name: TyperCommand(name, help=place.help).get_short_help_str(width)
            for name, place in COMMANDS.items()
        }
        write_commands(GROUPS, summaries, formatter)


class Subcommands(LazyGroup):
    """The subcommands of a command, also loaded when used, and listed without headings."""

    format_commands = TyperGroup.format_commands


# Other programs' names for commands; of several of ours, the first that exists is suggested.
_SYNONYMS = {
    "connect": ("join",),
    "continue": ("resume",),
    "create": ("plan", "host"),
    "evaluate": ("analyse",),
    "history": ("archive",),
    "join": ("play",),
    "leaderboard": ("ratings",),
    "list": ("show", "games"),
    "new": ("plan", "host"),
    "observe": ("watch",),
    "open": ("host",),
    "replay": ("study",),
    "server": ("serve",),
    "spectate": ("watch",),
    "standings": ("show", "ratings"),
    "start": ("run", "host"),
    "table": ("show", "host"),
    "tournament": ("event",),
    "web": ("lobby",),
    "whoami": ("id",),
}


def _check_command(word: str, known: Sequence[str], program: str) -> None:
    """Refuse a command that does not exist.

    Raises:
        UsageError: it does not.
    """
    if not word.startswith("-") and word not in known:
        meant = [name for name in _SYNONYMS.get(word.lower(), ()) if name in known]
        hint = f' Did you mean "{meant[0]}"?' if meant else did_you_mean(word, known)
        raise UsageError(f'There is no command "{word}".{hint} All commands: {program} --help')


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
        log_all_levels(log_format)


def _open_streams() -> None:
    """Connect the standard streams that the caller has closed to the null device."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            # The lowest free descriptor is the stream's own, as those below it are open by now.
            assert os.open(os.devnull, os.O_RDWR) == descriptor
            setattr(sys, name, open(descriptor, "r" if descriptor == 0 else "w", encoding="utf-8"))  # noqa: SIM115, PTH123


def _words() -> list[str]:
    """The words of the command line; those of the guided start if a person typed none."""
    words = sys.argv[1:]
    # The guided start is loaded only if it is needed.
    if words or not (sys.stdin.isatty() and sys.stdout.isatty()):
        return words
    from ataxxd.cli.guided_start import ask_for_command_line

    return ask_for_command_line()


def _single_commands() -> Iterator[tuple[tuple[str, ...], Command]]:
    """Every command that has no subcommands, with the words that name it."""
    for name, place in COMMANDS.items():
        if isinstance(place, Command):
            yield (name,), place
        else:
            yield from (((name, each), one) for each, one in place.commands.items())


def _after_its_command(option: str, group: object) -> str:
    """How to write an option that stands before its command; empty if no command has it."""
    if not isinstance(group, LazyGroup):
        return ""
    words = sys.argv[1:]
    named = [each for each in _single_commands() if set(each[0]) <= set(words)]
    for path, place in named or _single_commands():
        for each in place.load(path[-1]).params:
            if option in each.opts + each.secondary_opts:
                command = " ".join(path) if named else "COMMAND"
                written = f"{option} {each.metavar}" if each.metavar else option
                return (
                    f"{option} is an option of a command, and stands after it: "
                    f"ataxxd {command} {written}"
                )
    return ""


def _translate_error(error: Any) -> None:
    """Replace typer's message about an option or its value by our own."""
    if hasattr(error, "possibilities") and error.ctx is not None:
        known = {each for one in error.ctx.command.params for each in one.opts + one.secondary_opts}
        meant = " or ".join(similar_options(error.option_name, known))
        behind = _after_its_command(error.option_name, error.ctx.command)
        error.possibilities = None
        error.message = behind or f"{error.message}.{f' Did you mean {meant}?' if meant else ''}"
        return
    extra = re.fullmatch(
        r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)", str(error), re.DOTALL
    )
    if extra is not None and error.ctx is not None:
        named = {each for one in error.ctx.command.params for each in one.opts}
        meant = f" Did you mean --config {extra[1]}?" if "--config" in named else ""
        if error.ctx.command.name == "id":
            meant = " To choose a nickname: ataxxd id --name NAME"
        error.message = f'{error.ctx.command_path} has no use for "{extra[1]}".{meant}'
        return
    bare = re.fullmatch(r"Option '(.*)' requires an argument\.", str(error))
    if bare is not None:
        # The command is not known here.
        error.message = (
            f"{bare[1]} takes a value, and none follows it. To see which, put --help in its place."
        )
        return
    from pydantic import ValidationError

    from ataxxd_protocol.faults import explain_fault

    if isinstance(error.__cause__, ValidationError):
        detail = error.__cause__.errors(include_url=False)[0]
        text = explain_fault({**detail})
        day = re.fullmatch(r"('.*') does not match the formats '%Y-%m-%d'", text)
        error.message = f"{day[1]} is not a day: write it as 2040-01-31." if day else f"{text}."


def _bug_tracker() -> str:
    """Where to report a bug, if the package names a public repository."""
    from importlib.metadata import PackageNotFoundError, metadata

    try:
        addresses = metadata("ataxxd").get_all("Project-URL", [])
    except PackageNotFoundError:  # run from its sources
        return ""
    named = dict(each.split(", ", 1) for each in addresses)
    return f" to {named['Repository']}/issues" if "Repository" in named else ""


_DISK_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}


def main() -> None:
    """Run the program and exit with its code (docs/reference/exit-codes.md)."""
    _open_streams()
    try:
        sys.exit(app(_words(), standalone_mode=False))
    except _CLICK_ERROR as error:
        _translate_error(error)
        # The message quotes the wrong option, which may be an address with a password.
        text = io.StringIO()
        error.show(text)
        print_message(text.getvalue().rstrip())
        sys.exit(error.exit_code)
    except typer.Abort:
        sys.exit(ExitCode.INTERRUPTED)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)
    except AtaxxdError as error:
        print_message(f"ataxxd: {error}")
        sys.exit(error.exit_code)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _DISK_FULL:
            # Errors with our own files are reported where they are written, so this is stdout.
            why = f"{error.strerror}. Make room, or write elsewhere."
            print_message(f"ataxxd: The output cannot be written: {why}")
            sys.exit(ExitCode.STORAGE)
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        # People will post the report, so leave out the secret of an invitation, NAME#ID.SECRET.
        words = re.sub(r"(#[^\s.@]*)\.[^\s@]*", r"\1", " ".join(sys.argv[1:]))
        print_message(
            f"ataxxd: internal error: {type(error).__name__}: {error}. All games in the journal "
            f"are safe. Please report the output of: ataxxd -v {words}{_bug_tracker()}"
        )
        sys.exit(ExitCode.FAILURE)
