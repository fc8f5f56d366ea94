"""Commands to play: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.options import (
    NotifyOptions,
    SearchOptions,
    SeatOptions,
    StartOptions,
    TermsOptions,
    ViewOptions,
)


class Color(StrEnum):
    """Which side the host takes."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    RED = "red"
    BLUE = "blue"
    BLACK = "black"
    WHITE = "white"


ColorOption = Annotated[
    Color,
    typer.Option(
        "--color",
        help="The side you take; red or black moves first.",
        rich_help_panel=options.TERMS,
    ),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """Play offline, against the engine or someone beside you.

    Reads the game's line language (`help` lists it) from IN or standard input and answers
    on standard output; a person at a terminal gets a friendlier form of it. The
    first side is yours and the second is the engine's; change that with --player1 and
    --player2, or with the commands `auto` and `manual`.
    """

    arguments: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="STATE|IN",
            help="Read commands from the files IN, one after the other. Lines of Action: from "
            "IN, and write the output to a second file. Reversi: begin from STATE, such as "
            '"{........|...}".',
            show_default=False,
        ),
    ] = None
    game: options.Game = options.USUAL_GAME
    ruleset: options.Ruleset = None
    home: options.Home = None
    broker: options.Broker = None
    player1: Annotated[
        str,
        typer.Option(
            "--player1",
            metavar="WHO",
            help=f"Player 1: {options.WHO}.",
            rich_help_panel=options.PLAYERS,
        ),
    ] = "human"
    player2: Annotated[
        str,
        typer.Option(
            "--player2",
            metavar="WHO",
            help="Player 2, likewise; or NAME to host a game of that name, NAME@BROKER to join it.",
            rich_help_panel=options.PLAYERS,
        ),
    ] = "auto"
    white: Annotated[
        bool,
        typer.Option(
            "--white",
            help="Player 1 takes the side that moves second.",
            rich_help_panel=options.PLAYERS,
        ),
    ] = False
    engine: options.Engine = None
    engine_protocol: options.EngineProtocol = None
    search: SearchOptions
    seed: options.Seed = None
    start: StartOptions
    transcript: options.Transcript = None
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Write every command and move entered to FILE.",
            rich_help_panel=options.FILES,
        ),
    ] = None
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Write the output to FILE.",
            rich_help_panel=options.FILES,
        ),
    ] = None
    view: ViewOptions
    grace: options.GraceOrUnsaid = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """Open the game NAME and wait for a guest.

    You play in this terminal; with --auto the engine does. Unless --broker names one, a broker
    is started on this machine if none runs there. The printed invitation contains your node's
    id, so that nobody can pose as the host.
    """

    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The name others join by: letters, digits and dashes."),
    ]
    home: options.Home = None
    broker: options.Broker = None
    lan: options.Lan = False
    link: options.Link = False
    page: options.Page = None
    public: options.Public = False
    public_list: options.PublicList = None
    game: options.Game = options.USUAL_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.FIRST
    start: StartOptions
    expires: options.Expires = "1d"
    terms: TermsOptions
    guest: Annotated[
        str | None,
        typer.Option(
            "--guest",
            metavar="ID",
            help="Let only this node join.",
            rich_help_panel=options.TERMS,
        ),
    ] = None
    invited: Annotated[
        bool,
        typer.Option(
            "--invited",
            help="Let only holders of the printed invitation join.",
            rich_help_panel=options.TERMS,
        ),
    ] = False
    games: options.Games = 1
    new: Annotated[
        bool,
        typer.Option(
            "--new",
            help="Abandon an unfinished game of this name first.",
            rich_help_panel=options.TERMS,
        ),
    ] = False
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinOptions:
    """Join the game NAME and play it.

    You play in this terminal; with --auto the engine does. If several hosts use the name, or
    to be sure, add the host's id: NAME#ID. If NAME had another host before, you are asked
    first. If no broker runs on this machine, the local network is searched for one.
    """

    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME[#ID][@BROKER]|LINK", help="The game, as the invitation or the link says."
        ),
    ]
    home: options.Home = None
    broker: options.Broker = None
    wait: options.Wait = 3.0
    new_host: Annotated[
        bool,
        typer.Option(
            "--new-host",
            help="Join even if NAME had another host before.",
            rich_help_panel=options.NETWORK,
        ),
    ] = False
    games: options.Games = 1
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekOptions:
    """Seek a game, and play the first person who seeks the same.

    If someone on the broker already seeks a game with these rules and terms, you join it.
    Otherwise your seek is listed by `ataxxd games` and in lobbies until someone takes it.
    """

    home: options.Home = None
    broker: options.Broker = None
    game: options.Game = options.USUAL_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.RANDOM
    rating_range: Annotated[
        str | None,
        typer.Option(
            "--rating-range",
            metavar="LOW-HIGH",
            help="Play only someone whose rating is in this range, such as 1200-1600; 1500 for "
            "someone whose games you do not have.",
            rich_help_panel=options.TERMS,
        ),
    ] = None
    rated: Annotated[
        bool,
        typer.Option(
            "--rated",
            help="No takebacks, and a clock or a grace: a game that comes to a result.",
            rich_help_panel=options.TERMS,
        ),
    ] = False
    terms: TermsOptions
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions:
    """Continue an unfinished game.

    The journal knows who plays, where, how it was shown, and every move so far. For a game
    restored from a backup, the broker and the opponent are first asked what happened since.
    """

    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="The game.  [default: the newest unfinished one]"),
    ] = None
    home: options.Home = None
    broker: Annotated[
        str | None,
        typer.Option(
            "--broker", metavar="URL", help="Use this broker instead of the one the game began on."
        ),
    ] = None
    as_restored: Annotated[
        bool,
        typer.Option(
            "--as-restored",
            help="After `ataxxd restore`: you made no move in the game since the backup.",
        ),
    ] = False
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            min=0,
            metavar="SECONDS",
            help="After `ataxxd restore`: how long to wait for the opponent's copy of the game.",
        ),
    ] = 20.0
    talk: options.Talk = False
    auto: Annotated[bool, typer.Option("--auto", hidden=True)] = False
    view: ViewOptions
    notify: NotifyOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyOptions:
    """Host, join, watch and resume games in the browser.

    The page can be reached from this machine only, and its link works for one browser. If no
    broker runs on this machine, one is started.
    """

    home: options.Home = None
    broker: options.Broker = None
    lan: options.Lan = False
    port: Annotated[
        int,
        typer.Option(
            "--port",
            min=0,
            max=65535,
            metavar="N",
            help="The page's port on this machine; 0 takes any free one.",
        ),
    ] = 0
