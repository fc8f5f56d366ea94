"""Commands for games that were played: their options and help."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from ataxxd.cli import options
from ataxxd.cli.options import GameFileOptions, argument, flag, option

DAY = "%Y-%m-%d"


class Result(StrEnum):
    """How a game ended for this node."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveOptions:
    """List, search, export or delete finished games.

    Options that choose games can be combined. --moves and --position search the first 24
    plies, in any order of moves.
    """

    name: str | None = argument("NAME", "Only games of this name.", default=None)
    peer: str | None = option(
        "--with WHO", "Only games against this player: a nickname, an id or the start of one."
    )
    game: options.OnlyGame = None
    result: Result | None = option("--result", "Only games with this result for this node.")
    since: datetime | None = option(
        "--since DAY", "Only games that ended on this day or later.", formats=[DAY]
    )
    until: datetime | None = option(
        "--until DAY", "Only games that ended before this day.", formats=[DAY]
    )
    moves: str | None = option(
        '--moves "MOVE …"', "Only games that reached the position after these moves."
    )
    position: str | None = option("--position TEXT", "Only games that reached this position.")
    ruleset: str | None = option(
        "--ruleset ID",
        "The rules by which to read --moves and --position.  [default: the game's first]",
    )
    limit: int | None = option("--limit N", "Only the newest N of them.", min=1)
    export: Path | None = option("--export DIR", "Write each game to a file in DIR.")
    to: str | None = option("--to FORMAT", "The format of those files.  [default: record]")
    forget: bool = flag("--forget", "Delete these games from this node for good.")
    yes: bool = flag("--yes", "Do not ask before forgetting.")
    as_json: options.Json = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """Step through a game with the engine's opinion of each move.

    FILE is a signed record, a checkers transcript, PDN, PGN, GGF or a string of squares,
    recognized by its suffix. Without FILE, the study begins at the start, or at --position.
    """

    source: Path | None = argument("FILE", "A game; - for standard input.", default=None)
    of: GameFileOptions
    init: options.Init = None
    tui: options.Tui = False
    ascii_only: options.Ascii = False
    display: options.Display = False


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyseOptions:
    """Show what the engine thinks of a position.

    Shows who is ahead and the expected line of play. With --over, a node of that group on the
    broker does the thinking.
    """

    what: str = argument(
        "POSITION|FILE", "A position as text, or the file of a game, whose last position is taken."
    )
    over: str | None = option("--over GROUP", "Ask a node of this group to think.")
    nodes: int = option(
        "--nodes N", "Search at most this many positions.", default=1_000_000, min=1
    )
    wait: float = option(
        "--wait SECONDS", "With --over: how long to wait for the answer.", default=60.0, min=0.1
    )
    number: options.Number = None
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    home: options.Home = None
    broker: options.Broker = None
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyOptions:
    """Check signed records: every move, digest and signature.

    Exits with 0 only if every rule holds. If a player broke a rule, a genuine record says who
    and how; for any other file, the first thing wrong is named. Several files are checked one by
    one, and the exit code is that of the worst.
    """

    files: list[Path] = argument("FILE...", "Signed records, as --transcript writes them.")
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """Convert a game between records, PDN, PGN, GGF and others.

    Formats are record (.json), transcript (.transcript, .txt), pdn, pgn, ggf and moves
    (.moves, .f5d6). Every move is checked. Errors in IN are reported with line and column,
    and leave OUT as it was.
    """

    source: Path = argument("IN", "A game; - for standard input.")
    target: Path = argument("OUT", "The file to write; - for standard output.")
    source_format: options.SourceFormat = None
    target_format: str | None = option("--to FORMAT", "Format of OUT, whatever the suffix.")
    ruleset: options.Ruleset = None
    number: options.Number = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """Draw a position, or a whole game as a GIF.

    FILE is a game in any notation, or a signed record. Without it, the start or --position is
    drawn.
    """

    target: Path = argument("OUT", "The picture to write: .svg, .png or .gif.")
    source: Path | None = argument("FILE", "A game; - for standard input.", default=None)
    of: GameFileOptions
    ply: int | None = option(
        "--ply N", "Draw the position after N moves; a GIF ends there.  [default: the last]", min=0
    )
    width: int = option("--width PIXELS", "Width of the picture.", default=480, min=40, max=4000)
    pause: int = option(
        "--pause MS",
        "How long a GIF shows each position, in milliseconds.",
        default=800,
        min=20,
        max=60_000,
    )
    flip: bool = flag("--flip", "Show the board from the other side.")
