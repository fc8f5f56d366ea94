"""``ataxxd picture``: a position or a whole game as SVG, PNG or GIF."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.files import STANDARD, check_apart
from ataxxd.cli.notations import chosen_format, read_game
from ataxxd.cli.setup import beginning, chosen_ruleset
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.home import write_atomically


def run(
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The picture to write: .svg, .png or .gif.")
    ],
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A game; - is standard input.")
    ] = None,
    source_format: options.SourceFormat = None,
    number: options.Number = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="GAME", help="The game, where there is no FILE.  [default: ataxx]"
        ),
    ] = None,
    ruleset: options.Ruleset = None,
    blocks: options.Blocks = None,
    position: options.Position = None,
    ply: Annotated[
        int | None,
        typer.Option(
            "--ply",
            min=0,
            metavar="N",
            help="Draw the position after N moves; a GIF ends there.  [default: the last]",
        ),
    ] = None,
    width: Annotated[
        int,
        typer.Option("--width", min=40, max=4000, metavar="PIXELS", help="Width of the picture."),
    ] = 480,
    pause: Annotated[
        int,
        typer.Option(
            "--pause",
            min=20,
            max=60_000,
            metavar="MS",
            help="How long a GIF shows each position, in milliseconds.",
        ),
    ] = 800,
    flip: Annotated[
        bool, typer.Option("--flip", help="Show the board from the other side.")
    ] = False,
) -> int:
    """Draw a position, or a whole game as a GIF.

    FILE is a game in any notation, or a signed record. Without it, the start or --position is
    drawn.
    """
    from ataxxd_clients.pictures import KINDS, PictureError, kind_of, picture  # noqa: PLC0415 - needs pillow

    check_apart(
        reads=[("standard input" if source == STANDARD else "FILE", source)],
        writes=[("OUT", target)],
    )
    kind = kind_of(target.suffix)
    if kind is None:
        known = ", ".join(f"{each.suffix} ({each.title})" for each in KINDS)
        raise UsageError(f"{target} does not tell which picture it is to be; there are {known}.")
    if source is None:
        if source_format is not None:
            raise UsageError("--from tells what a FILE is, and no FILE is named.")
        if number is not None:
            raise UsageError("--number chooses a game of a FILE, and no FILE is named.")
        named = game or (ruleset or options.USUAL_GAME).partition("/")[0]
        drawn = beginning(named, ruleset, position, blocks, None)
    else:
        if not (game is None and blocks is None and position is None):
            raise UsageError(
                f"{source} says which game it is and where it begins: leave out --game, --blocks "
                "and --position."
            )
        if ruleset is not None:
            chosen_ruleset("", ruleset)  # refuses what does not exist
        drawn = read_game(source, chosen_format(source, source_format, "--from"), ruleset, number)
    try:
        made = picture(drawn, kind, ply=ply, width=width, pause_ms=pause, flipped=flip)
    except PictureError as error:
        raise UsageError(str(error)) from None
    write_atomically(target, made)
    return ExitCode.OK
