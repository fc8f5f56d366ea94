"""``ataxxd convert``: a game from one notation into another."""

from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.files import STANDARD, check_apart
from ataxxd.cli.notations import chosen_format, read_game, write_game
from ataxxd.cli.setup import chosen_ruleset
from ataxxd.errors import ExitCode, UsageError
from ataxxd.rules import RulesError
from ataxxd.rules.notation.formats import under_ruleset


def run(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A game; - is standard input.")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
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
    game = read_game(source, chosen_format(source, source_format, "--from"), ruleset, number)
    try:
        text = form.write(game if ruleset is None else under_ruleset(game, ruleset))
    except RulesError as error:
        raise UsageError(f"{source} cannot become {form.name}: {error}") from None
    write_game(target, text)
    return ExitCode.OK
