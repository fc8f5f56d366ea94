"""``ataxxd convert`` and ``ataxxd picture``: a game in another notation, or drawn."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.files import FROM, STANDARD, check_apart, chosen_format, read_game, write_game
from ataxxd.cli.setup import beginning, chosen_ruleset
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.home import write_atomically
from ataxxd.rules import RulesError
from ataxxd.rules.notation.formats import under_ruleset


def run_convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A game; - for standard input.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - for standard output.")
    ],
    source_format: options.SourceFormat = None,
    target_format: Annotated[
        str | None,
        typer.Option("--to", metavar="FORMAT", help="Format of OUT, whatever the suffix."),
    ] = None,
    ruleset: options.Ruleset = None,
    number: options.Number = None,
) -> int:
    """Convert a game between records, PDN, PGN, GGF and others.

    Formats are record (.json), transcript (.transcript, .txt), pdn, pgn, ggf and moves
    (.moves, .f5d6). Every move is checked. Errors in IN are reported with line and column,
    and leave OUT as it was.
    """
    check_apart(
        reads=[("standard input" if source == STANDARD else "IN", source)],
        writes=[("standard output" if target == STANDARD else "OUT", target)],
    )
    form = chosen_format(target, target_format, "--to")
    if form is None:
        raise UsageError(
            f"{target}: a signed record cannot be made of a game, for only its players can sign "
            "it. Choose another format, such as --to pdn or --to pgn."
        )
    if ruleset is not None:
        chosen_ruleset("", ruleset)  # refuses what does not exist
    game = read_game(source, chosen_format(source, source_format, FROM), ruleset, number)
    try:
        text = form.write(game if ruleset is None else under_ruleset(game, ruleset))
    except RulesError as error:
        raise UsageError(f"{source} cannot become {form.name}: {error}") from None
    write_game(target, text)
    return ExitCode.OK


def run_picture(
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The picture to write: .svg, .png or .gif.")
    ],
    source: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="A game; - for standard input.")
    ] = None,
    source_format: options.SourceFormat = None,
    number: options.Number = None,
    game: options.GameWithoutFile = None,
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
        drawn = read_game(source, chosen_format(source, source_format, FROM), ruleset, number)
    try:
        made = picture(drawn, kind, ply=ply, width=width, pause_ms=pause, flipped=flip)
    except PictureError as error:
        raise UsageError(str(error)) from None
    write_atomically(target, made)
    return ExitCode.OK
