"""Commands for games that were played: their options and help."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.options import GameFileOptions

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

    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only games of this name.")] = (
        None
    )
    peer: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="ID",
            help="Only games against this node: its id, or the beginning of it.",
        ),
    ] = None
    game: options.OnlyGame = None
    result: Annotated[
        Result | None, typer.Option("--result", help="Only games with this result for this node.")
    ] = None
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            formats=[DAY],
            metavar="DAY",
            help="Only games that ended on this day or later.",
        ),
    ] = None
    until: Annotated[
        datetime | None,
        typer.Option(
            "--until", formats=[DAY], metavar="DAY", help="Only games that ended before this day."
        ),
    ] = None
    moves: Annotated[
        str | None,
        typer.Option(
            "--moves",
            metavar='"MOVE …"',
            help="Only games that reached the position after these moves.",
        ),
    ] = None
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="TEXT", help="Only games that reached this position."),
    ] = None
    ruleset: options.Ruleset = None
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Only the newest N of them.")
    ] = None
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Write each game to a file in DIR."),
    ] = None
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="FORMAT", help="The format of those files.  [default: record]"
        ),
    ] = None
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete these games from this node for good.")
    ] = False
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before forgetting.")] = False
    as_json: options.Json = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyOptions:
    """Step through a game with the engine's opinion of each move.

    FILE is a signed record, a checkers transcript, PDN, PGN, GGF or a string of squares,
    recognized by its suffix. Without FILE, the study begins at the start, or at --position.
    """

    source: Annotated[
        Path | None, typer.Argument(metavar="FILE", help="A game; - for standard input.")
    ] = None
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

    what: Annotated[
        str,
        typer.Argument(
            metavar="POSITION|FILE",
            help="A position as text, or the file of a game, whose last position is taken.",
        ),
    ]
    over: Annotated[
        str | None,
        typer.Option("--over", metavar="GROUP", help="Ask a node of this group to think."),
    ] = None
    nodes: Annotated[
        int, typer.Option("--nodes", min=1, metavar="N", help="Search at most this many positions.")
    ] = 1_000_000
    wait: Annotated[
        float,
        typer.Option(
            "--wait",
            min=0.1,
            metavar="SECONDS",
            help="With --over: how long to wait for the answer.",
        ),
    ] = 60.0
    number: options.Number = None
    game: options.Game = options.USUAL_GAME
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

    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE...", help="Signed records, as --transcript writes them."),
    ]
    as_json: options.Json = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertOptions:
    """Convert a game between records, PDN, PGN, GGF and others.

    Formats are record (.json), transcript (.transcript, .txt), pdn, pgn, ggf and moves
    (.moves, .f5d6). Every move is checked. Errors in IN are reported with line and column,
    and leave OUT as it was.
    """

    source: Annotated[Path, typer.Argument(metavar="IN", help="A game; - for standard input.")]
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - for standard output.")
    ]
    source_format: options.SourceFormat = None
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format of OUT, whatever the suffix."),
    ] = None
    ruleset: options.Ruleset = None
    number: options.Number = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureOptions:
    """Draw a position, or a whole game as a GIF.

    FILE is a game in any notation, or a signed record. Without it, the start or --position is
    drawn.
    """

    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The picture to write: .svg, .png or .gif.")
    ]
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A game; - for standard input.")
    ] = None
    of: GameFileOptions
    ply: Annotated[
        int | None,
        typer.Option(
            "--ply",
            min=0,
            metavar="N",
            help="Draw the position after N moves; a GIF ends there.  [default: the last]",
        ),
    ] = None
    width: Annotated[
        int,
        typer.Option("--width", min=40, max=4000, metavar="PIXELS", help="Width of the picture."),
    ] = 480
    pause: Annotated[
        int,
        typer.Option(
            "--pause",
            min=20,
            max=60_000,
            metavar="MS",
            help="How long a GIF shows each position, in milliseconds.",
        ),
    ] = 800
    flip: Annotated[bool, typer.Option("--flip", help="Show the board from the other side.")] = (
        False
    )
