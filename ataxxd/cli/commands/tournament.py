"""The commands of ``ataxxd event`` and ``ataxxd club``: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from ataxxd.cli import options
from ataxxd.cli.options import (
    NotifyOptions,
    PlayerOptions,
    argument,
    describe,
    flag,
    option,
)

Event = Annotated[str, describe("NAME[#ID][@BROKER]", "The event.")]
Log = Annotated[Path | None, describe("FILE", "The log.  [default: this node's]")]


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

    name: str = argument("NAME", "The name of the event: up to 24 letters, digits and dashes.")
    players: list[str] | None = option(
        "--player ID", "A player's node id; repeat it for each player, strongest first."
    )
    system: System | None = option("--system", "How players are paired.  [default: round-robin]")
    rounds: int | None = option(
        "--rounds N", "Number of rounds.  [default: what the system needs]", min=1, max=99
    )
    game: options.GameOrUnsaid = None
    ruleset: options.Ruleset = None
    clock: options.ClockOrUnsaid = None
    grace: options.GraceOrUnsaid = None
    takebacks: options.TakebacksOrUnsaid = None
    round_time: str | None = option(
        "--round-time TIME", "Time limit for the games of a round: 1h, 7d.  [default: 1h]"
    )
    seed: int | None = option(
        "--seed N", "Seed of the draw for sides.  [default: 0]", min=0, max=2**53 - 1
    )
    file: Path | None = option("--from FILE", "Read other settings from this TOML file.")
    new: bool = flag("--new", "Replace an event already planned under this name.")
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRunOptions:
    """Publish the event NAME and run it to its end.

    Everything is saved before it is published: if stopped or killed, run the same command
    again. Games are watched and verified. When the time for a round is up, a game still open is
    lost by the player who had to act.
    """

    name: str = argument("NAME", "The name of an event planned here.")
    home: options.Home = None
    broker: options.Broker = None
    withdraw: list[str] | None = option(
        "--withdraw PLAYER",
        "Take this player out from the next round on: a nickname, an id or the start of one.",
    )
    rated: bool = flag(
        "--rated", "Enter the event in this node's club log before anything is played."
    )
    take_down: bool = flag("--take-down", "Remove the event from the broker.")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventPlayOptions:
    """Play this node's games in the event NAME.

    You play in this terminal; with --auto the engine does. Each game is offered or joined when
    its round begins; if stopped or killed, run the same command again. A round whose pairings
    do not follow from the plan and the results is not played. If the event is over, its result is
    shown, and a new event of the same name is awaited.
    """

    name: Event
    home: options.Home = None
    broker: options.Broker = None
    player: PlayerOptions
    wait: options.Wait = 60.0
    line: options.Line = False
    tui: options.Tui = False
    ascii_only: options.Ascii = False
    display: options.Display = False
    notify: NotifyOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class EventShowOptions:
    """Show the pairings, results and table of an event.

    Every round is recomputed from the plan and earlier results. --save keeps the documents
    and records that the broker still has, for `ataxxd event check DIR`.
    """

    name: Event
    broker: options.Broker = None
    as_json: options.Json = False
    save: Path | None = option("--save DIR", "Save the event and its games in this folder.")
    wait: options.Wait = 3.0
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EventCheckOptions:
    """Check an event: every pairing, and every result by its record.

    DIR is a folder that `ataxxd event show --save` wrote, or the host's own. Records
    missing there, or at the broker, are taken from this node. Exits with 0 if
    nothing contradicts the host, and with 14 if no result could be checked.
    """

    name: str = argument("NAME[#ID][@BROKER]|DIR", "The event, or the folder it was saved in.")
    log: Path | None = option(
        "--log FILE", "Also check that its rounds are those in the host's club log."
    )
    broker: options.Broker = None
    wait: options.Wait = 3.0
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubAdmitOptions:
    """Admit members to this node's club.

    The first admission begins its log. Only games between members can be rated.
    """

    nodes: list[str] = argument("ID", "The new members' ids.")
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubRemoveOptions:
    """Remove members from this node's club.

    Their games so far still count; no game with them can be announced from now on.
    """

    nodes: list[str] = argument("ID", "The ids of the members to remove.")
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubShowOptions:
    """Show a club's members, and the games that it has announced."""

    file: Log = None
    save: Path | None = option("--save FILE", "Write a copy of the log there, for others.")
    as_json: options.Json = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubCheckOptions:
    """Check every line of a club's log.

    With --earlier, also check that it extends what the club showed before. Exits with 7 if that
    proves that the club has signed two logs.
    """

    file: Path = argument("FILE", "A log, or a proof that `club prove` wrote.")
    earlier: list[Path] | None = option(
        "--earlier FILE", "An earlier log or proof, which this log must extend."
    )
    mine: bool = flag("--mine", "Also check that no game of this node was announced late.")
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubProveOptions:
    """Write the proof that a club has announced a game.

    It is a line of JSON, which `ataxxd club check` checks without the log.
    """

    game: str = argument("GAME", "The game's id, or its beginning.")
    file: Log = None
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClubAdoptOptions:
    """Continue with a newer copy of the log.

    For a club whose log comes from a backup, or was damaged. A club that signs anything on top
    of an older copy has two logs, and anyone who has a line of the newer one can prove it.
    """

    file: Path = argument("FILE", "The newest copy of the log.")
    home: options.Home = None
