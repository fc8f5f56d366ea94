"""``ataxxd convert`` and ``ataxxd picture``: a game in another notation, or drawn."""

from ataxxd.cli.commands.records import ConvertOptions, PictureOptions
from ataxxd.cli.files import FROM, STANDARD, check_apart, chosen_format, read_game, write_game
from ataxxd.cli.setup import chosen_game, chosen_ruleset
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.home import write_atomically
from ataxxd.rules import RulesError
from ataxxd.rules.notation.formats import under_ruleset


def run_convert(options: ConvertOptions) -> int:
    """Convert a game between records, PDN, PGN, GGF and others."""
    check_apart(
        reads=[("standard input" if options.source == STANDARD else "IN", options.source)],
        writes=[("standard output" if options.target == STANDARD else "OUT", options.target)],
    )
    form = chosen_format(options.target, options.target_format, "--to")
    if form is None:
        raise UsageError(
            f"{options.target}: a signed record cannot be made of a game, for only its players can "
            "sign it. Choose another format, such as --to pdn or --to pgn."
        )
    if options.ruleset is not None:
        chosen_ruleset("", options.ruleset)  # refuses what does not exist
    game = read_game(
        options.source,
        chosen_format(options.source, options.source_format, FROM),
        options.ruleset,
        options.number,
    )
    try:
        text = form.write(game if options.ruleset is None else under_ruleset(game, options.ruleset))
    except RulesError as error:
        raise UsageError(f"{options.source} cannot become {form.name}: {error}") from None
    write_game(options.target, text)
    return ExitCode.OK


def run_picture(options: PictureOptions) -> int:
    """Draw a position, or a whole game as a GIF."""
    from ataxxd_clients.pictures import KINDS, PictureError, kind_of, picture  # needs pillow

    check_apart(
        reads=[("standard input" if options.source == STANDARD else "FILE", options.source)],
        writes=[("OUT", options.target)],
    )
    kind = kind_of(options.target.suffix)
    if kind is None:
        known = ", ".join(f"{each.suffix} ({each.title})" for each in KINDS)
        raise UsageError(
            f"{options.target} is no kind of picture: end the name with one of {known}."
        )
    drawn = chosen_game(options.source, options.of)
    try:
        made = picture(
            drawn,
            kind,
            ply=options.ply,
            width=options.width,
            pause_ms=options.pause,
            flipped=options.flip,
        )
    except PictureError as error:
        raise UsageError(str(error)) from None
    write_atomically(options.target, made)
    return ExitCode.OK
