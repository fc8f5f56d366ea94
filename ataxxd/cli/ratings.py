"""``ataxxd ratings``: how strong players are, from signed records."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict
from datetime import UTC
from pathlib import Path

from ataxxd.cli.club import read_log_file
from ataxxd.cli.commands.people import RatingsOptions
from ataxxd.cli.game_options import only_game
from ataxxd.cli.output import columns, print_json, print_message, print_result
from ataxxd.errors import ExitCode, StorageError, UsageError, storage_errors
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.node.level_games import (
    LevelGames,
    Result,
    describe_estimate,
    describe_missing_games,
    estimate,
)
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.offers import access_field
from ataxxd.session.ledger import Ledger
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.tournament.folder import is_event_document
from ataxxd.tournament.known_ratings import finished_games
from ataxxd.tournament.ratings import (
    GatheredGames,
    RatingRow,
    RatingTable,
    day_of,
    format_day,
    gather_games,
    rating_tables,
)
from ataxxd.wording import format_count, plural


def run(options: RatingsOptions) -> int:
    """Rate players by the games that both sides signed."""
    kind = only_game(options.game)
    now_ms = (
        SYSTEM_CLOCK.now_ms()
        if options.as_of is None
        else options.as_of.replace(tzinfo=UTC).timestamp() * 1000
    )
    day = day_of(int(now_ms))
    found = gather_games(
        _records(options.files) if options.files else _archived(options.home),
        day=day,
        members=None if options.members is None else _members(options.members),
        log=None if options.log is None else read_log_file(options.log),
    )
    for each in found.left_out:
        print_message(f"Not counted: {each.source}: {each.why.rstrip('.')}.")
    rated = found if kind is None else found.of_game(kind)
    with known_names(options.home) as names:

        def fits(row: RatingRow) -> bool:
            return options.player is None or names.is_named_by(options.player, row.node)

        made = [table for table in rating_tables(rated.games, day) if any(map(fits, table.rows))]
        levels = _levels(options, kind)
        if options.as_json:
            _print_objects(rated, made, fits, day, levels)
        else:
            for game, results in levels.items():
                by_levels = estimate(game, results)
                if by_levels is None:
                    print_message(f"{game}: {describe_missing_games(len(results))}.")
                else:
                    print_result(f"{game}: {describe_estimate(by_levels)}")
            if not made:
                print_message(_explain_none(found, options.files))
            _print_tables(rated, made, fits, names)
    return ExitCode.OK


def _levels(options: RatingsOptions, kind: str | None) -> Mapping[str, Sequence[Result]]:
    """The local person's results against the engine's levels, unless more options are given.

    Nobody signed them, so they are in no table of ratings.
    """
    if options != RatingsOptions(game=options.game, as_json=options.as_json, home=options.home):
        return {}
    found = LevelGames(Home(options.home).level_games).results()
    return {game: results for game, results in found.items() if kind in (None, game)}


def _explain_none(found: GatheredGames, files: Sequence[Path] | None) -> str:
    """Why there are no ratings, and what to do."""
    if found.games:
        return "No rating matches. Leave out --game or --of, or both."
    if found.left_out:
        return "Nothing to rate: no game counts, for the reasons above."
    if files:
        return (
            "There are no records here. To write those of your games: "
            f"{command_line('archive --export FOLDER')}"
        )
    return (
        "No rated games yet: a game counts once it is over and has a result. Play one: "
        f"`{command_line('host NAME')}`. Or rate the records of others: "
        f"{command_line('ratings FOLDER')}"
    )


def _members(file: Path) -> frozenset[str]:
    """The node ids of a file: the first word of each line that is no comment.

    Raises:
        StorageError: it cannot be read.
        UsageError: a line has no id; names it.
    """
    try:
        with storage_errors(file, "read"):
            lines = file.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise UsageError(f"{file} is not a text file: write one node id per line.") from None
    members = set()
    for number, line in enumerate(lines, 1):
        if line.strip() and not line.strip().startswith("#"):
            where = f"{file}, line {number}:"
            node = access_field(line.split()[0], invited=False, option=where)
            assert node is not None
            members.add(node)
    return frozenset(members)


def _records(places: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Each record's name and bytes.

    For a folder, those of all files in it that end in ``.json``, at any depth, except for an
    event's documents.
    """
    for place in places:
        if not place.exists():
            raise StorageError(f"{place} cannot be read: there is no such file or folder.")
        for path in sorted(place.rglob("*.json")) if place.is_dir() else [place]:
            with storage_errors(path, "read"):
                data = path.read_bytes()
            if not (place.is_dir() and is_event_document(path, data)):
                yield str(path), data


def _archived(home: Path | None) -> Iterator[tuple[str, Ledger]]:
    with closing(Journal(Home(home).journal)) as journal:
        yield from finished_games(journal, print_message)


def _print_tables(
    found: GatheredGames,
    made: Sequence[RatingTable],
    fits: Callable[[RatingRow], bool],
    names: NameBook,
) -> None:
    for table in made:
        print_result(
            f"{table.ruleset}, {format_count(table.games, 'game')}, as of {format_day(table.day)}"
        )
        whole, brief = [], []
        for place, row in enumerate(table.rows, 1):
            if fits(row):
                rated = [
                    f"{row.rating:5} ±{2 * row.deviation:<4}",
                    f"{row.games:4} {plural(row.games, 'game'):5}",
                    f"+{row.won} ={row.drawn} -{row.lost}",
                    f"last {format_day(row.last_day)}",
                ]
                whole.append([f"{place:4}", names.display_name(row.node, full_id=True), *rated])
                brief.append([f"{place:4}", names.display_name(row.node), *rated])
        print_result(*columns(whole, brief))
    if found.games:
        witnessed = sum(each.witnessed for each in found.games)
        some = f", {witnessed} with witnesses" if witnessed else ""
        told = f"{format_count(len(found.games), 'game')}{some}, digest {found.digest}"
        print_result(*columns([[told]]))


_IN_ROW = ("node", "rating", "deviation", "games", "won", "drawn", "lost")


def _print_objects(
    found: GatheredGames,
    made: Sequence[RatingTable],
    fits: Callable[[RatingRow], bool],
    day: int,
    levels: Mapping[str, Sequence[Result]],
) -> None:
    estimates = {game: estimate(game, results) for game, results in levels.items()}
    for table in made:
        for place, row in enumerate(table.rows, 1):
            if fits(row):
                fields = {name: getattr(row, name) for name in _IN_ROW}
                last = {"last_day": format_day(row.last_day)}
                print_json({"ruleset": table.ruleset, "place": place, **fields, **last})
    print_json(
        {
            "records": len(found.games),
            "witnessed": sum(each.witnessed for each in found.games),
            "as_of": format_day(day),
            "digest": found.digest,
            "repeated": found.repeated,
            "left_out": len(found.left_out),
            "levels": {
                game: {**asdict(each), "next_level": each.next_level}
                for game, each in estimates.items()
                if each is not None
            },
        }
    )
