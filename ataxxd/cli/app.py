"""The ``ataxxd`` program: the list of commands, loaded when used, and the error boundary."""

import logging
import sys
from importlib import import_module
from typing import Annotated

import click
import typer
from typer.core import TyperGroup

from ataxxd import __version__
from ataxxd.errors import AtaxxdError, ExitCode

# Order of the help page. A command's module is imported only when it is called.
COMMANDS = (
    "play",
    "host",
    "join",
    "watch",
    "games",
    "resume",
    "verify",
    "perft",
    "broker",
    "doctor",
    "id",
)
_MODULES = {"id": "ident"}


class LazyGroup(TyperGroup):
    """Loads a command's module when the command is asked for, which keeps the start quick."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the help page."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"ataxxd.cli.{_MODULES.get(cmd_name, cmd_name)}")
        single = typer.Typer(add_completion=False, rich_markup_mode=None)
        single.command(cmd_name)(module.run)
        return typer.main.get_command(single)


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
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Log, and show tracebacks.")
    ] = False,
) -> None:
    """Play Ataxx with a friend, or let your machines play, over any MQTT broker.

    Two commands make a game:

        ataxxd host ourgame          on one machine

        ataxxd join ourgame --auto   on another; --auto lets the engine play

    Anyone may look on with `ataxxd watch ourgame`. Offline: `ataxxd play`.
    """
    if verbose:
        logging.basicConfig(level=logging.DEBUG, format="%(asctime)s %(name)s %(message)s")


def main() -> None:
    """Run the program and exit with its code (docs/reference/exit-codes.md)."""
    try:
        sys.exit(app(standalone_mode=False) or ExitCode.OK)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (KeyboardInterrupt, click.Abort):
        print("Interrupted.", file=sys.stderr)
        sys.exit(ExitCode.INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has gone; there is nobody to tell.
        sys.stderr.close()
        sys.exit(ExitCode.OK)
    except AtaxxdError as error:
        print(f"ataxxd: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except Exception as error:
        if logging.getLogger().isEnabledFor(logging.DEBUG):
            raise
        print(
            f"ataxxd: a fault in ataxxd itself: {type(error).__name__}: {error}. Nothing journaled is lost. "
            "Please report it with what this shows: ataxxd -v " + " ".join(sys.argv[1:]),
            file=sys.stderr,
        )
        sys.exit(ExitCode.FAILURE)
