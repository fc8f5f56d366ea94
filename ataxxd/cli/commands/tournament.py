"""The commands of ``ataxxd event`` and ``ataxxd club``: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.options import PlayerOptions


class System(StrEnum):
    """How players are paired."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlanOptions:
    """Plan the event NAME and sign the plan.

    Publish it with `ataxxd event run NAME`. `ataxxd id` shows a player's
    id. A file named with --from has the same settings as keys: `players` is a list of ids, and
    `takebacks` is true or false.
    """

    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME", help="The name of the event: up to 24 letters, digits and dashes."
        ),
    ]
    players: Annotated[
        list[str] | None,
        typer.Option(
            "--player",
            metavar="ID",
            help="A player's node id; repeat it for each player, strongest first.",
        ),
    ] = None
    system: Annotated[
        System | None,
        typer.Option("--system", help="How players are paired.  [default: round-robin]"),
    ] = None
    rounds: Annotated[
        int | None,
        typer.Option(
            "--rounds",
            min=1,
            max=99,
            metavar="N",
            help="Number of rounds.  [default: what the system needs]",
        ),
    ] = None
    game: options.GameOrAny = None
    ruleset: options.Ruleset = None
    clock: options.ClockOrUnsaid = None
    grace: options.GraceOrUnsaid = None
    takebacks: options.TakebacksOrUnsaid = None
    round_time: Annotated[
        str | None,
        typer.Option(
            "--round-time",
            metavar="TIME",
            help="Time limit for the games of a round: 1h, 7d.  [default: 1h]",
        ),
    ] = None
    seed: Annotated[
        int | None,
        typer.Option("--seed", min=0, max=2**53 - 1, help="Seed of the draw for sides."),
    ] = None
    file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="Read other settings from this TOML file."),
    ] = None
    new: Annotated[
        bool, typer.Option("--new", help="Replace an event already planned under this name.")
    ] = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRunOptions:
    """Publish the event NAME and run it to its end.

    Everything is saved before it is published: if stopped or killed, run the same command
    again. Games are watched and verified. When the time for a round is up, a game still open is
    lost by the player who had to act.
    """

    name: Annotated[str, typer.Argument(metavar="NAME", help="The name of an event planned here.")]
    home: options.Home = None
    broker: options.Broker = None
    withdraw: Annotated[
        list[str] | None,
        typer.Option(
            "--withdraw",
            metavar="PLAYER",
            help="Take this player out from the next round on: its nickname, its id, or the "
            "beginning of it.",
        ),
    ] = None
    rated: Annotated[
        bool,
        typer.Option(
            "--rated", help="Enter the event in this node's club log before anything is played."
        ),
    ] = False
    take_down: Annotated[
        bool, typer.Option("--take-down", help="Remove the event from the broker.")
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlayOptions:
    """Play this node's games in the event NAME.

    You play in this terminal; with --auto the engine does. Each game is offered or joined when
    its round begins; if stopped or killed, run the same command again. A round whose pairings
    do not follow from the plan and the results is not played. If the event is over, its result is
    shown, and a new event of the same name is awaited.
    """

    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The event.")]
    home: options.Home = None
    broker: options.Broker = None
    player: PlayerOptions
    wait: options.Wait = 60.0
    line: options.Line = False
    tui: options.Tui = False
    ascii_only: options.Ascii = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EventShowOptions:
    """Show the pairings, results and table of an event.

    Every round is recomputed from the plan and earlier results. --save keeps the documents
    and records that the broker still has, for `ataxxd event check DIR`.
    """

    name: Annotated[str, typer.Argument(metavar="NAME[#ID][@BROKER]", help="The event.")]
    broker: options.Broker = None
    as_json: options.Json = False
    save: Annotated[
        Path | None,
        typer.Option("--save", metavar="DIR", help="Save the event and its games in this folder."),
    ] = None
    wait: options.Wait = 3.0
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCheckOptions:
    """Check an event: every pairing, and every result by its record.

    DIR is a folder that `ataxxd event show --save` wrote, or the host's own. Exits with 0 if
    nothing contradicts the host, and with 14 if no result could be checked.
    """

    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME[#ID][@BROKER]|DIR", help="The event, or the folder it was saved in."
        ),
    ]
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Also check that its rounds are those in the host's club log.",
        ),
    ] = None
    broker: options.Broker = None
    wait: options.Wait = 3.0
    home: options.Home = None


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
