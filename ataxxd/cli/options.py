"""How commands declare their options, and the options that several share.

A command is a dataclass with a field for each option, made by `option`, `flag` or `argument`, or
for a dataclass of further options; a shared option has its type and default here.
`ataxxd.cli.typer_commands` builds a typer command from it. `--help` needs no other module than
these two, so they are quick to import.
"""

import os
import sys
from dataclasses import MISSING, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ataxxd.cli.output import print_message
from ataxxd.engines import DEFAULT_LEVEL
from ataxxd.errors import UsageError

if TYPE_CHECKING:
    from ataxxd.node.players import Thinking

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

INFO = "info"
"""The key in a field's metadata for typer's information about the option."""


def describe(words: str, text: str | None = None, heading: str | None = None, **more: Any) -> Any:
    """Describe an option or an argument for typer, as an annotation of a type.

    Args:
        words: ``--flag``, ``--option VALUE`` or ``ARGUMENT``.
        text: its help.
        heading: the heading of the help page under which to list it.
        more: further arguments of typer, such as ``min``, ``envvar`` and ``hidden``.
    """
    name, _, value = words.partition(" ")
    if name.startswith("--"):
        more |= {"metavar": value or None, "rich_help_panel": heading}
        return typer.Option(name, help=text, **more)
    return typer.Argument(metavar=words, help=text, **more)


def option(
    words: str,
    text: str | None = None,
    heading: str | None = None,
    default: Any = None,
    **more: Any,
) -> Any:
    """A dataclass field for an option that only one command has; arguments as for `describe`."""
    return field(default=default, metadata={INFO: describe(words, text, heading, **more)})


def flag(words: str, text: str | None = None, heading: str | None = None, **more: Any) -> Any:
    """A dataclass field for an option without a value; arguments as for `describe`."""
    return option(words, text, heading, default=False, **more)


def argument(words: str, text: str, default: Any = MISSING, **more: Any) -> Any:
    """A dataclass field for an argument, required without `default`; others as for `describe`."""
    return field(default=default, metadata={INFO: describe(words, text, **more)})


Home = Annotated[
    Path | None,
    describe(
        "--home DIR", "The folder with this node's key and games.", FILES, envvar="ATAXXD_HOME"
    ),
]
Broker = Annotated[
    str | None,
    describe(
        "--broker URL",
        "The broker: mqtt://[USER:PASSWORD@]HOST[:PORT], or mqtts://, ws://, wss://, with "
        "?ca=FILE&cert=FILE&key=FILE. With :PASSWORD alone, USER is this node's id. Separate "
        "the members of a cluster with commas.  [default: mqtt://127.0.0.1:1883]",
        NETWORK,
        envvar="ATAXXD_BROKER",
    ),
]
Lan = Annotated[bool, describe("--lan", "Start a broker that the local network can find.", NETWORK)]
Wait = Annotated[float, describe("--wait SECONDS", "How long to look for it.", NETWORK, min=0.1)]
Collect = Annotated[
    float, describe("--wait SECONDS", "How long to wait for answers.", NETWORK, min=0.1)
]
Engine = Annotated[
    str | None,
    describe(
        "--engine COMMAND",
        "Use this engine instead of ours, such as ./zataxx; put limit=2s before it to limit its "
        "time per move.",
        PLAYERS,
    ),
]
EngineProtocol = Annotated[
    str | None,
    describe(
        "--engine-protocol NAME",
        "The engine's protocol: uai, nboard or hub.  [default: by the game]",
        PLAYERS,
    ),
]
Nodes = Annotated[
    int | None, describe("--nodes N", "Positions to search per move.", THINKING, min=1)
]
Hash = Annotated[
    int | None,
    describe("--hash MB", "Size of the hash table.  [default: 16]", THINKING, min=1, max=65_536),
]
Plies = Annotated[int, describe("--plies N", "Random moves in each opening.", GAME, min=0, max=100)]
Balanced = Annotated[
    int | None,
    describe(
        "--balanced SCORE",
        "Only openings that our engine scores within this, such as 300: three pieces.",
        GAME,
        min=0,
    ),
]
Seed = Annotated[
    int | None, describe("--seed N", "Make the engine's choices repeatable.", THINKING)
]
Transcript = Annotated[
    Path | None,
    describe(
        "--transcript FILE",
        "Write the game to FILE, over what is there: the signed record, or the notation that its "
        "suffix names.",
        FILES,
    ),
]
Witnesses = Annotated[
    list[str] | None,
    describe(
        "--witness ID",
        "A node that watches and says whether a claim is true; may be repeated. The majority "
        "decides.  [env: ATAXXD_WITNESSES]",
        TERMS,
    ),
]
Settings = Annotated[
    list[str] | None,
    describe("--set SECTION.KEY=VALUE", "Override a value of the configuration; may be repeated."),
]
Json = Annotated[bool, describe("--json", "Print JSON, one object per line.")]
Ratings = Annotated[
    bool, describe("--ratings", "Show ratings, too, by the signed games that this node has.")
]
Ruleset = Annotated[
    str | None,
    describe(
        "--ruleset ID", "The rules; `ataxxd doctor` lists them.  [default: the game's first]", GAME
    ),
]
GAMES = "ataxx, reversi, checkers or loa"
"""The games, for help pages. Only the engine has a list, and light commands do not load it."""
OnlyGame = Annotated[str | None, describe("--game GAME", f"Only this game: {GAMES}.")]
DEFAULT_GAME = "ataxx"
"""The game where none is named."""
_GAME = ("--game GAME", f"{GAMES}.")
Game = Annotated[str, describe(*_GAME, GAME)]
GameOrUnsaid = Annotated[
    str | None, describe(_GAME[0], f"{_GAME[1]}  [default: {DEFAULT_GAME}]", GAME)
]
Line = Annotated[bool, describe("--line", "Use the line language even on a terminal.", SHOWN)]
Display = Annotated[bool, describe("--display", "Show the board in the browser.", SHOWN)]
Tui = Annotated[bool, describe("--tui", "Show a full-screen board to click on.", SHOWN)]
Ascii = Annotated[bool, describe("--ascii", "Draw the board with letters only.", SHOWN)]
Talk = Annotated[bool, describe("--talk", "Show what spectators say.", SHOWN)]
Notify = Annotated[
    list[str] | None,
    describe(
        "--notify WHERE",
        "Notify you of a guest, a challenge, your turn and the end of the game, by desktop, "
        "command:PROGRAM, mail:ADDRESS, ntfy:URL or the URL of a webhook; may be repeated.  "
        "[env: ATAXXD_NOTIFY, one per line]",
        NOTIFIED,
    ),
]
Position = Annotated[str | None, describe("--position TEXT", "Start from this position.", GAME)]
Blocks = Annotated[
    str | None,
    describe(
        '--blocks "b2 c3"',
        "Ataxx: block these squares, and their reflections in the other three quarters.",
        GAME,
    ),
]
Init = Annotated[
    Path | None,
    describe(
        "--init FILE",
        "Start after the moves of this game: a transcript, PDN, PGN, GGF or a record.",
        GAME,
    ),
]
Number = Annotated[
    int | None, describe("--number N", "Which game to take if a file holds several.", min=1)
]
SourceFormat = Annotated[
    str | None, describe("--from FORMAT", "Format of the input, whatever the suffix.")
]
Concurrency = Annotated[int, describe("--concurrency N", "Games to play at once.", min=1, max=256)]
_CLOCK = (
    "--clock TIME",
    "Thinking time: 5+3 (5 minutes plus 3 seconds a move), 10m, 10m+5s, 30s/move, 3d/move or none.",
)
_GRACE = (
    "--grace TIME",
    "How long a player may be silent before the other can claim the game: 15m, 3d or never.",
)
_TAKEBACKS = ("--takebacks/--no-takebacks", "Allow moves to be taken back if both agree.")
Clock = Annotated[str, describe(*_CLOCK, TERMS)]
Grace = Annotated[str, describe(*_GRACE, TERMS)]
Takebacks = Annotated[bool, describe(*_TAKEBACKS, TERMS)]
# None if not given: then a file may set them.
ClockOrUnsaid = Annotated[str | None, describe(_CLOCK[0], f"{_CLOCK[1]}  [default: none]", TERMS)]
GraceOrUnsaid = Annotated[str | None, describe(_GRACE[0], f"{_GRACE[1]}  [default: 15m]", TERMS)]
TakebacksOrUnsaid = Annotated[
    bool | None, describe(_TAKEBACKS[0], f"{_TAKEBACKS[1]}  [default: no-takebacks]", TERMS)
]
Games = Annotated[
    int, describe("--games N", "Play N games in a row, swapping sides.", TERMS, min=1)
]
Expires = Annotated[
    str, describe("--expires TIME", "How long the offer stands: 90s, 1h, 1d.", TERMS)
]


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """How well our engine plays."""

    level: str | None = option(
        "--level LEVEL",
        "The engine's strength, 1 (a beginner) to 10; 0 plays any legal move.  "
        f"[default: {DEFAULT_LEVEL}]",
        PLAYERS,
    )
    time: str | None = option("--time TIME", "Time per move: 500ms, 2s, 1m.", THINKING)
    nodes: Nodes = None
    depth: int | None = option("--depth N", "Plies to look ahead.", THINKING, min=1)
    threads: int | None = option(
        "--threads N", "Number of search threads.  [default: 1]", THINKING, min=1, max=256
    )
    hash_mb: Hash = None
    ponder: bool = flag("--ponder", "Also think on your opponent's time.", THINKING)


def read_thinking(search: SearchOptions, seed: int | None, *, capped: bool = False) -> "Thinking":
    """The settings of the engine's search.

    Args:
        search: the options of the command.
        seed: the seed of the engine's random choices; None for any.
        capped: take a level above the highest as the highest.

    Raises:
        UsageError: there is no such level.
    """
    from ataxxd.node.players import Thinking, read_option  # loads the engines

    level = read_option(search.level, capped=capped)
    threads = _searching_threads(search.threads, seed)
    return Thinking(
        level, search.time, search.nodes, search.depth, threads, search.hash_mb, search.ponder
    )


def _searching_threads(threads: int | None, seed: int | None) -> int | None:
    """The threads that the engine searches with: one if a seed must repeat its choices."""
    if seed is None or threads is None or threads == 1:
        return threads
    print_message("With --seed the engine searches with one thread: several never repeat a game.")
    return 1


@dataclass(frozen=True, slots=True)
class PlayerOptions:
    """Who plays this side of a network game."""

    auto: bool = flag("--auto", "Let the engine play this side.", PLAYERS)
    player: str | None = option("--player WHO", f"Who plays this side: {WHO}.", PLAYERS)
    engine: Engine = None
    engine_protocol: EngineProtocol = None
    search: SearchOptions = field(default_factory=SearchOptions)
    agree: bool = flag(
        "--agree", "Let the engine agree to takebacks and aborts.  [default: refuse]", THINKING
    )
    seed: Seed = None


@dataclass(frozen=True, slots=True)
class StartOptions:
    """Where a game begins."""

    blocks: Blocks = None
    position: Position = None
    init: Init = None


@dataclass(frozen=True, slots=True)
class TermsOptions:
    """The terms of a game."""

    clock: Clock = "none"
    grace: Grace = "15m"
    takebacks: Takebacks = True


@dataclass(frozen=True, slots=True)
class ViewOptions:
    """How a person sees a game and enters moves."""

    line: Line = False
    tui: Tui = False
    ascii_only: Ascii = False
    strict: bool = flag("--strict", "Stop with an error at the first bad line of input.", SHOWN)
    display: Display = False

    def check(self) -> None:
        """Check that the game can be shown as these options say.

        Raises:
            UsageError: two options exclude each other, or ``--tui`` cannot work here.
        """
        check_tui(tui=self.tui, line=self.line, display=self.display)
        check_ascii(ascii_only=self.ascii_only, display=self.display)


def check_ascii(*, ascii_only: bool, display: bool) -> None:
    """Refuse ``--ascii`` where no board is drawn with letters.

    Raises:
        UsageError: the game is shown in the browser.
    """
    if ascii_only and display:
        raise UsageError("--ascii is for boards in a terminal: leave it out with --display.")


def check_tui(*, tui: bool, line: bool = False, display: bool = False) -> None:
    """Refuse ``--tui`` where it cannot work.

    Raises:
        UsageError: another way to show the game is chosen too, or there is no terminal.
    """
    check_one_view(tui=tui, line=line, display=display)
    if tui and (obstacle := obstacle_to_tui()) is not None:
        raise UsageError(obstacle)


def check_one_view(*, tui: bool, line: bool = False, display: bool) -> None:
    """Refuse ``--tui`` together with another way to show a game.

    Raises:
        UsageError: both are chosen.
    """
    if tui and (line or display):
        other = "--line" if line else "--display"
        raise UsageError(f"{other} and --tui are two ways to look at a game: choose one.")


def obstacle_to_tui(typed: str = "--tui") -> str | None:
    """Why the terminal UI, asked for by `typed`, cannot be shown here; None if it can."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return f"{typed} draws on a terminal: standard input and standard error must lead to one."
    if os.environ.get("TERM", "dumb") == "dumb":
        return f"{typed} needs a terminal whose cursor can be moved; this one is dumb, says TERM."
    return None


@dataclass(frozen=True, slots=True)
class NotifyOptions:
    """How a person away from the screen is notified."""

    notify: Notify = None
    notify_after: str = option(
        "--notify-after TIME",
        "Notify you of your turn only if you have not moved for this long.",
        NOTIFIED,
        default="30s",
    )


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
    game: str | None = option("--game GAME", "The game, if there is no FILE.  [default: ataxx]")
    ruleset: Ruleset = None
    blocks: Blocks = None
    position: Position = None
