"""Commands to run a node or a broker: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

import typer

from ataxxd.cli import options
from ataxxd.cli.options import argument, flag, option


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
    config: Path | None = option(
        "--config FILE",
        "The configuration.  [default: ataxxd.toml in your configuration folder]",
        envvar="ATAXXD_CONFIG",
    )
    settings: options.Settings = None
    home: options.Home = None
    broker: options.Broker = None
    drain_for: float = option(
        "--drain-for SECONDS",
        "When told to stop, wait this long for games to end.",
        default=0.0,
        min=0.0,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class McpOptions:
    """Let an agent host, join, play, watch and verify games (MCP).

    Start it from the agent's configuration: it speaks the Model Context Protocol on standard input
    and output. With --http several agents on this machine can use it, at an address that it prints
    and keeps. If no broker runs on this machine, one is started.
    """

    home: options.Home = None
    broker: options.Broker = None
    port: int | None = option(
        "--http PORT",
        "Serve streamable HTTP on this port of this machine instead of standard input and "
        "output; 0 takes any free one.",
        min=0,
        max=65535,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigOptions:
    """Check the configuration of `ataxxd serve`, or show it.

    `check` reports every error with its file, line and key, and how to fix it. `show` prints
    all values in effect as TOML, each with its origin, without passwords.
    """

    action: Action = argument("check|show", "Check it, or show all values in effect.")
    file: Path | None = argument(
        "FILE", "The configuration.  [default: the one `ataxxd serve` reads]", default=None
    )
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

    every: float = option("--every SECONDS", "Time between two updates.", default=2.0, min=0.1)
    count: int | None = option("--count N", "Exit after N updates.", min=1)
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerOptions:
    """Run a broker until interrupted.

    Good for a table at home: with --lan it also serves the page that browsers on the
    network play. It keeps nothing on disk; for a club use Mosquitto.
    """

    port: int = option(
        "--port N", "The port to listen on; 0 takes any free one.", default=1883, min=0, max=65535
    )
    lan: bool = flag("--lan", "Let the local network use it, and announce it there.")


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

    file: Path = argument("FILE", "The file to write; an older backup is replaced.")
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreOptions:
    """Restore a node from a backup.

    Continue unfinished games with `ataxxd resume`, which first asks what happened since the
    backup. Never run two nodes with one key.
    """

    file: Path = argument("FILE", "The file that `ataxxd backup` wrote.")
    home: options.Home = None
    force: bool = flag("--force", "Move a node that is already there out of the way.")
