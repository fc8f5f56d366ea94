"""The commands of ``ataxxd club``: their options and help."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubAdmitOptions:
    """Admit members to this node's club.

    The first admission begins its log. Only games between members can be rated.
    """

    nodes: Annotated[list[str], typer.Argument(metavar="ID…", help="The new members' ids.")]
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubRemoveOptions:
    """Remove members from this node's club.

    Their games so far still count; no game with them can be announced from now on.
    """

    nodes: Annotated[
        list[str], typer.Argument(metavar="ID…", help="The ids of the members to remove.")
    ]
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubShowOptions:
    """Show a club's members, and the games that it has announced."""

    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The log.  [default: this node's]"),
    ] = None
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="FILE", help="Write a copy of the log there, for others."),
    ] = None
    as_json: options.Json = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubCheckOptions:
    """Check every line of a club's log.

    With --earlier, also check that it extends what the club showed before. Exits with 7 if that
    proves that the club has signed two logs.
    """

    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A log, or a proof that `club prove` wrote.")
    ]
    earlier: Annotated[
        list[Path] | None,
        typer.Option(
            "--earlier",
            metavar="FILE",
            help="An earlier log or proof, which this log must extend.",
        ),
    ] = None
    mine: Annotated[
        bool,
        typer.Option("--mine", help="Also check that no game of this node was announced late."),
    ] = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubProveOptions:
    """Write the proof that a club has announced a game.

    It is a line of JSON, which `ataxxd club check` checks without the log.
    """

    game: Annotated[str, typer.Argument(metavar="GAME", help="The game's id, or its beginning.")]
    file: Annotated[
        Path | None,
        typer.Argument(metavar="[FILE]", help="The log.  [default: this node's]"),
    ] = None
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubAdoptOptions:
    """Continue with a newer copy of the log.

    For a club whose log came out of a backup, or was damaged. A club that signs anything on top
    of an older copy has two logs, and anyone who has a line of the newer one can prove it.
    """

    file: Annotated[Path, typer.Argument(metavar="FILE", help="The newest copy of the log.")]
    home: options.Home = None
