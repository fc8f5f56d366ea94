"""Commands to run a node or a broker: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options


class Action(StrEnum):
    """What is done with it."""

    CHECK = "check"
    SHOW = "show"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Keep tables open and let bots play, unattended.

    One TOML file configures everything. On SIGTERM the node finishes the moves it is thinking
    about and stops; the next start resumes every game. On SIGHUP it reads the file again.
    """

    ctx: typer.Context
    config: Annotated[
        Path | None,
        typer.Option(
            "--config",
            envvar="ATAXXD_CONFIG",
            metavar="FILE",
            help="The configuration.  [default: ataxxd.toml in your configuration folder]",
        ),
    ] = None
    settings: options.Settings = None
    home: options.Home = None
    broker: options.Broker = None
    drain_for: Annotated[
        float,
        typer.Option(
            "--drain-for",
            min=0.0,
            metavar="SECONDS",
            help="When told to stop, wait this long for games to end.",
        ),
    ] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """Let an agent host, join, play, watch and verify games (MCP).

    Start it from the agent's configuration: it speaks the Model Context Protocol on standard input
    and output. With --http several agents on this machine can use it, at an address that it prints
    and keeps. If no broker runs on this machine, one is started.
    """

    home: options.Home = None
    broker: options.Broker = None
    port: Annotated[
        int | None,
        typer.Option(
            "--http",
            min=0,
            max=65535,
            metavar="PORT",
            help="Serve streamable HTTP on this port of this machine instead of standard input "
            "and output; 0 takes any free one.",
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigOptions:
    """Check the configuration of `ataxxd serve`, or show it.

    `check` reports every error with its file, line and key, and how to fix it. `show` prints
    all values in effect as TOML, each with its origin, without passwords.
    """

    action: Annotated[
        Action, typer.Argument(metavar="check|show", help="Check it, or show all values in effect.")
    ]
    file: Annotated[
        Path | None,
        typer.Argument(
            metavar="FILE", help="The configuration.  [default: the one `ataxxd serve` reads]"
        ),
    ] = None
    settings: options.Settings = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOptions:
    """Show whether the serving node is healthy, and what it plays.

    Exits with 0 if it is ready for games, and with 1 otherwise.
    """

    home: options.Home = None
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TopOptions:
    """Watch the serving node's games, clocks and searches.

    Fills the terminal; without one or with --count, prints lines of text.
    """

    every: Annotated[
        float, typer.Option("--every", min=0.1, metavar="SECONDS", help="Time between two updates.")
    ] = 2.0
    count: Annotated[
        int | None, typer.Option("--count", min=1, metavar="N", help="Exit after N updates.")
    ] = None
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerOptions:
    """Run a broker until interrupted.

    Good for a table at home: with --lan it also serves the page that browsers on the
    network play. It keeps nothing on disk; for a club use Mosquitto.
    """

    port: Annotated[
        int,
        typer.Option(
            "--port", min=0, max=65535, help="The port to listen on; 0 takes any free one."
        ),
    ] = 1883
    lan: Annotated[
        bool, typer.Option("--lan", help="Let the local network use it, and announce it there.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """Check the engine, home, key, journal and broker.

    Every member of a cluster is checked. Exits with the code of the first problem.
    """

    home: options.Home = None
    broker: options.Broker = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupOptions:
    """Save this node's key, games and evidence in one file.

    Works while the node plays. Whoever has the file can play in this node's name: keep it as
    safe as the key.
    """

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file to write; an older backup is replaced.")
    ]
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """Restore a node from a backup.

    Continue unfinished games with `ataxxd resume`, which first asks what happened since the
    backup. Never run two nodes with one key.
    """

    ctx: typer.Context
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="The file that `ataxxd backup` wrote.")
    ]
    home: options.Home = None
    force: Annotated[
        bool, typer.Option("--force", help="Move a node that is already there out of the way.")
    ] = False
