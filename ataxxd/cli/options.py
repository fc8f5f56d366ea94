"""Options that several commands share, described once, each with its heading.

They are made light: `--help` needs no more. A dataclass stands for an option a field; see
`ataxxd.cli.command`.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.engines.levels import DEFAULT_LEVEL

GAME = "What is played"
PLAYERS = "Who plays"
THINKING = "How the engine thinks"
TERMS = "Terms"
SHOWN = "How it is shown"
NOTIFIED = "Notifications"
FILES = "Files"
NETWORK = "Network"

WHO = (
    "human, auto or auto@LEVEL (the engine), first, random[:SEED], alphabeta:DEPTH, engine:COMMAND"
)
"""Who can play, in the words of options."""

Home = Annotated[
    Path | None,
    typer.Option(
        "--home",
        envvar="ATAXXD_HOME",
        metavar="DIR",
        help="The folder with this node's key and games.",
        rich_help_panel=FILES,
    ),
]
Broker = Annotated[
    str | None,
    typer.Option(
        "--broker",
        envvar="ATAXXD_BROKER",
        metavar="URL",
        help="The broker: mqtt://[USER:PASSWORD@]HOST[:PORT], or mqtts://, ws://, wss://, with "
        "?ca=FILE&cert=FILE&key=FILE. With :PASSWORD alone, USER is this node's id. Separate "
        "the members of a cluster with commas.  "
        "[default: mqtt://127.0.0.1:1883]",
        rich_help_panel=NETWORK,
    ),
]
Lan = Annotated[
    bool,
    typer.Option(
        "--lan",
        help="Start a broker that the local network can find.",
        rich_help_panel=NETWORK,
    ),
]
Link = Annotated[
    bool,
    typer.Option(
        "--link",
        help="Also print a link that opens the game in any browser, and its QR code.",
        rich_help_panel=NETWORK,
    ),
]
Page = Annotated[
    str | None,
    typer.Option(
        "--page",
        envvar="ATAXXD_PAGE",
        metavar="URL",
        help="The page that --link opens.  [default: with --lan, this machine's own]",
        rich_help_panel=NETWORK,
    ),
]
Public = Annotated[
    bool,
    typer.Option(
        "--public",
        help="Use a public broker: strangers can read the game, and stop it.",
        rich_help_panel=NETWORK,
    ),
]
PublicList = Annotated[
    Path | None,
    typer.Option(
        "--public-list",
        envvar="ATAXXD_PUBLIC_LIST",
        metavar="FILE",
        help="A list of brokers for --public, instead of the built-in one.",
        rich_help_panel=NETWORK,
    ),
]
Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        min=0.1,
        metavar="SECONDS",
        help="How long to look for the game.",
        rich_help_panel=NETWORK,
    ),
]
Collect = Annotated[
    float,
    typer.Option(
        "--wait",
        min=0.1,
        metavar="SECONDS",
        help="How long to wait for answers.",
        rich_help_panel=NETWORK,
    ),
]
Auto = Annotated[
    bool,
    typer.Option("--auto", help="Let the engine play this side.", rich_help_panel=PLAYERS),
]
Player = Annotated[
    str | None,
    typer.Option(
        "--player",
        metavar="WHO",
        help=f"Who plays this side: {WHO}.",
        rich_help_panel=PLAYERS,
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="COMMAND",
        help="Use this engine instead of ours, such as ./zataxx; put limit=2s before it to limit "
        "its time per move.",
        rich_help_panel=PLAYERS,
    ),
]
EngineProtocol = Annotated[
    str | None,
    typer.Option(
        "--engine-protocol",
        metavar="NAME",
        help="What that engine speaks: uai, nboard or hub.  [default: by the game]",
        rich_help_panel=PLAYERS,
    ),
]
Level = Annotated[
    str | None,
    typer.Option(
        "--level",
        metavar="LEVEL",
        help="The engine's strength, 1 (a beginner) to 10; 0 plays any legal move.  "
        f"[default: {DEFAULT_LEVEL}]",
        rich_help_panel=PLAYERS,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        "--time",
        metavar="TIME",
        help="Time per move: 500ms, 2s, 1m.",
        rich_help_panel=THINKING,
    ),
]
Nodes = Annotated[
    int | None,
    typer.Option(
        "--nodes",
        min=1,
        metavar="N",
        help="Positions to search per move.",
        rich_help_panel=THINKING,
    ),
]
Depth = Annotated[
    int | None,
    typer.Option(
        "--depth",
        min=1,
        metavar="N",
        help="Plies to look ahead.",
        rich_help_panel=THINKING,
    ),
]
Threads = Annotated[
    int | None,
    typer.Option(
        "--threads",
        min=1,
        max=256,
        metavar="N",
        help="Number of search threads.  [default: 1]",
        rich_help_panel=THINKING,
    ),
]
Hash = Annotated[
    int | None,
    typer.Option(
        "--hash",
        min=1,
        max=65_536,
        metavar="MB",
        help="Size of the hash table.  [default: 16]",
        rich_help_panel=THINKING,
    ),
]
Ponder = Annotated[
    bool,
    typer.Option(
        "--ponder",
        help="Also think on your opponent's time.",
        rich_help_panel=THINKING,
    ),
]
Agree = Annotated[
    bool,
    typer.Option(
        "--agree",
        help="Let the engine agree to takebacks and aborts.  [default: refuse]",
        rich_help_panel=THINKING,
    ),
]
Seed = Annotated[
    int | None,
    typer.Option(
        "--seed",
        metavar="N",
        help="Make the engine's choices repeatable.",
        rich_help_panel=THINKING,
    ),
]
Transcript = Annotated[
    Path | None,
    typer.Option(
        "--transcript",
        metavar="FILE",
        help="Write the game to FILE: the signed record, or the notation its suffix names.",
        rich_help_panel=FILES,
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="SECTION.KEY=VALUE",
        help="Override a value of the configuration; may be repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, one object per line.")]
Ratings = Annotated[
    bool,
    typer.Option("--ratings", help="Show ratings, too, by the signed games that this node has."),
]
Ruleset = Annotated[
    str | None,
    typer.Option(
        "--ruleset",
        metavar="ID",
        help="The rules; `ataxxd doctor` lists them.  [default: the game's first]",
        rich_help_panel=GAME,
    ),
]
OnlyGame = Annotated[
    str | None,
    typer.Option("--game", metavar="GAME", help="Only this game: ataxx, reversi, checkers or loa."),
]
GameWithoutFile = Annotated[
    str | None,
    typer.Option(
        "--game", metavar="GAME", help="The game, where there is no FILE.  [default: ataxx]"
    ),
]
USUAL_GAME = "ataxx"
"""The game where none is named."""
_GAME = typer.Option(
    "--game",
    metavar="GAME",
    help="ataxx, reversi, checkers or loa.",
    rich_help_panel=GAME,
)
Game = Annotated[str, _GAME]
GameOrAny = Annotated[str | None, _GAME]
Line = Annotated[
    bool,
    typer.Option(
        "--line",
        help="Use the line language even on a terminal.",
        rich_help_panel=SHOWN,
    ),
]
Display = Annotated[
    bool,
    typer.Option("--display", help="Show the board in the browser.", rich_help_panel=SHOWN),
]
Tui = Annotated[
    bool,
    typer.Option("--tui", help="Show a full-screen board to click on.", rich_help_panel=SHOWN),
]
Ascii = Annotated[
    bool,
    typer.Option("--ascii", help="Draw the board with letters only.", rich_help_panel=SHOWN),
]
Talk = Annotated[
    bool,
    typer.Option("--talk", help="Show what spectators say.", rich_help_panel=SHOWN),
]
Notify = Annotated[
    list[str] | None,
    typer.Option(
        "--notify",
        metavar="WHERE",
        help="Notify you of a guest, a challenge, your turn and the end of the game, by desktop, "
        "command:PROGRAM, mail:ADDRESS, ntfy:URL or the URL of a webhook; may be repeated.  "
        "[env: ATAXXD_NOTIFY, one per line]",
        show_default=False,
        rich_help_panel=NOTIFIED,
    ),
]
NotifyAfter = Annotated[
    str,
    typer.Option(
        "--notify-after",
        metavar="TIME",
        help="Notify you of your turn only if you have not moved for this long.",
        rich_help_panel=NOTIFIED,
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Stop with an error at the first bad line of input.",
        rich_help_panel=SHOWN,
    ),
]
Position = Annotated[
    str | None,
    typer.Option(
        "--position",
        metavar="TEXT",
        help="Start from this position.",
        rich_help_panel=GAME,
    ),
]
Blocks = Annotated[
    str | None,
    typer.Option(
        "--blocks",
        metavar='"b2 c3"',
        help="Ataxx: block these squares, and their reflections in the other three quarters.",
        rich_help_panel=GAME,
    ),
]
Init = Annotated[
    Path | None,
    typer.Option(
        "--init",
        metavar="FILE",
        help="Start after the moves of this game: a transcript, PDN, PGN, GGF or a record.",
        rich_help_panel=GAME,
    ),
]
Number = Annotated[
    int | None,
    typer.Option(
        "--number", min=1, metavar="N", help="Which game to take if a file holds several."
    ),
]
SourceFormat = Annotated[
    str | None,
    typer.Option("--from", metavar="FORMAT", help="Format of the input, whatever the suffix."),
]
Concurrency = Annotated[
    int,
    typer.Option("--concurrency", min=1, max=256, metavar="N", help="Games to play at once."),
]
_CLOCK = typer.Option(
    "--clock",
    metavar="TIME",
    help="Thinking time: 5+3 (5 minutes and 3 seconds per move), 10m, 10m+5s, 30s/move, 3d/move "
    "or none.",
    rich_help_panel=TERMS,
)
_GRACE = typer.Option(
    "--grace",
    metavar="TIME",
    help="How long a player may be silent before the other can claim the game: 15m, 3d or never.",
    rich_help_panel=TERMS,
)
_TAKEBACKS = typer.Option(
    "--takebacks/--no-takebacks",
    help="Allow moves to be taken back if both agree.",
    rich_help_panel=TERMS,
)
Clock = Annotated[str, _CLOCK]
Grace = Annotated[str, _GRACE]
Takebacks = Annotated[bool, _TAKEBACKS]
ClockOrUnsaid = Annotated[str | None, _CLOCK]
GraceOrUnsaid = Annotated[str | None, _GRACE]
TakebacksOrUnsaid = Annotated[bool | None, _TAKEBACKS]
Games = Annotated[
    int,
    typer.Option(
        "--games",
        min=1,
        metavar="N",
        help="Play N games in a row, swapping sides.",
        rich_help_panel=TERMS,
    ),
]
Expires = Annotated[
    str,
    typer.Option(
        "--expires",
        metavar="TIME",
        help="How long the offer stands: 90s, 1h, 1d.",
        rich_help_panel=TERMS,
    ),
]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How well our engine plays."""

    level: Level = None
    time: Time = None
    nodes: Nodes = None
    depth: Depth = None
    threads: Threads = None
    hash_mb: Hash = None
    ponder: Ponder = False


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """Who plays this side of a network game."""

    auto: Auto = False
    player: Player = None
    engine: Engine = None
    engine_protocol: EngineProtocol = None
    search: SearchOptions = field(default_factory=SearchOptions)
    agree: Agree = False
    seed: Seed = None


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Where a game begins."""

    blocks: Blocks = None
    position: Position = None
    init: Init = None


@dataclass(frozen=True, slots=True)
class TermsOptions:
    """What both players must keep to."""

    clock: Clock = "none"
    grace: Grace = "15m"
    takebacks: Takebacks = True


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a person sees a game and enters moves."""

    line: Line = False
    tui: Tui = False
    ascii_only: Ascii = False
    strict: Strict = False
    display: Display = False


@dataclass(frozen=True, slots=True)
class NotifyOptions:
    """How a person is told who is not at the screen."""

    notify: Notify = None
    notify_after: NotifyAfter = "30s"


@dataclass(frozen=True, slots=True)
class SeatOptions:
    """A seat in a network game: who plays in it, and how the game is shown, told of and kept."""

    player: PlayerOptions = field(default_factory=PlayerOptions)
    transcript: Transcript = None
    view: ViewOptions = field(default_factory=ViewOptions)
    notify: NotifyOptions = field(default_factory=NotifyOptions)


@dataclass(frozen=True, slots=True)
class GameFileOptions:
    """Which game of a file is meant, or where there is none, which start."""

    source_format: SourceFormat = None
    number: Number = None
    game: GameWithoutFile = None
    ruleset: Ruleset = None
    blocks: Blocks = None
    position: Position = None
