"""``ataxxd ratings``: how strong players are, from signed records."""

import json
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ataxxd.cli import options
from ataxxd.errors import ExitCode, StorageError, UsageError

if TYPE_CHECKING:
    from ataxxd.node.names import NameBook
    from ataxxd.ratings.gathering import Gathered
    from ataxxd.ratings.league import Row, Table
    from ataxxd.session.ledger import Ledger

_DAY_S = 86_400
# From so many games on, reading them takes long enough to be told.
_MANY = 100


def run(
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE…]", help="Records, or folders of them.  [default: this node's archive]"
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(
            "--game", metavar="GAME", help="Only this game: ataxx, reversi, checkers or loa."
        ),
    ] = None,
    player: Annotated[
        str | None,
        typer.Option("--of", metavar="ID", help="Only this node: its id, or the beginning of it."),
    ] = None,
    as_json: options.Json = False,
    home: options.Home = None,
) -> int:
    """Rate players by the games that both sides signed.

    The rating is Glicko-2. Every record is verified first; those that do not count are listed
    with the reason. The same records give everybody the same figures, and the digest of the
    records shows that they are the same.
    """
    from ataxxd.cli.names import known_names
    from ataxxd.cli.say import say
    from ataxxd.cli.setup import chosen_ruleset
    from ataxxd.ratings.gathering import gathered
    from ataxxd.ratings.league import tables

    kind = None if game is None else chosen_ruleset(game, None).game
    wanted = "" if player is None else player.replace("-", "").strip().lower()
    found = gathered(_records(files) if files else _archived(home))
    for each in found.left_out:
        say(f"Not counted: {each.source}: {each.why.rstrip('.')}.")
    made = [
        table
        for table in tables(found.games)
        if kind in (None, table.ruleset.partition("/")[0])
        and any(row.node.startswith(wanted) for row in table.rows)
    ]
    if as_json:
        _tell_objects(found, made, wanted)
    else:
        if not made:
            say(_why_none(found, files))
        with known_names(home) as names:
            _tell_tables(found, made, wanted, names)
    return ExitCode.OK


def _why_none(found: "Gathered", files: Sequence[Path] | None) -> str:
    """Why there are no ratings, and what to do."""
    if found.games:
        return "No rating matches. Leave out --game or --of, or both."
    if files:
        return "No record here counts: a record counts once both players have signed its score."
    return (
        "No rated games yet: a game counts once both players have signed its score. Play one: "
        "ataxxd host NAME. Or rate the records of others: ataxxd ratings FOLDER"
    )


def _records(places: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Each record's name and bytes; of a folder those that end in ``.json``, however deep."""
    for place in places:
        if not place.exists():
            raise UsageError(f"{place}: there is no such file or folder.")
        for path in sorted(place.rglob("*.json")) if place.is_dir() else [place]:
            try:
                yield str(path), path.read_bytes()
            except OSError as error:
                raise StorageError(f"{path} cannot be read: {error.strerror}.") from None


def _archived(home: Path | None) -> Iterator[tuple[str, "Ledger"]]:
    """This node's finished games that were begun; reading checks them."""
    from ataxxd.cli.say import say
    from ataxxd.node.home import Home
    from ataxxd.node.journal import Journal
    from ataxxd.session.state import Phase

    with closing(Journal(Home(home).journal)) as journal:
        finished = journal.finished()
        for done, (game, role) in enumerate(finished, 1):
            if len(finished) > _MANY and done % _MANY == 0:
                say(f"Reading {done} of {len(finished)} games …")
            stored = journal.find(game, role)
            if stored is None:
                continue
            ledger = journal.ledger(stored)
            if ledger.phase not in (Phase.OPEN, Phase.JOINED):
                yield f"{stored.offer.name} ({game[:12]})", ledger


def _tell_tables(
    found: "Gathered", made: Sequence["Table"], wanted: str, names: "NameBook"
) -> None:
    from ataxxd.cli.say import tell

    for table in made:
        count = f"{table.games} game{'s' if table.games != 1 else ''}"
        tell(f"{table.ruleset}, {count} until {_date(table.day)}")
        for place, row in enumerate(table.rows, 1):
            if row.node.startswith(wanted):
                player = names.shown(row.node, whole=True)
                tell(
                    f"{place:4}  {player:36}  {row.rating:5} ±{2 * row.deviation:<4} "
                    f"{row.games:4} game{' ' if row.games == 1 else 's'}  "
                    f"+{row.won} ={row.drawn} -{row.lost}  last {_date(row.last_day)}"
                )
    if found.games:
        tell(f"{len(found.games)} records, digest {found.digest}")


def _tell_objects(found: "Gathered", made: Sequence["Table"], wanted: str) -> None:
    from ataxxd.cli.say import tell

    for table in made:
        for place, row in enumerate(table.rows, 1):
            if row.node.startswith(wanted):
                tell(json.dumps({"ruleset": table.ruleset, "place": place, **_fields(row)}))
    tell(
        json.dumps(
            {
                "records": len(found.games),
                "digest": found.digest,
                "repeated": found.repeated,
                "left_out": len(found.left_out),
            }
        )
    )


def _fields(row: "Row") -> dict[str, object]:
    return {
        "node": row.node,
        "rating": row.rating,
        "deviation": row.deviation,
        "games": row.games,
        "won": row.won,
        "drawn": row.drawn,
        "lost": row.lost,
        "last_day": _date(row.last_day),
    }


def _date(day: int) -> str:
    """A day counted from 1970-01-01 UTC; one beyond all calendars as it is."""
    try:
        return f"{datetime.fromtimestamp(day * _DAY_S, UTC):%Y-%m-%d}"
    except (OverflowError, ValueError, OSError):
        return f"day {day}"
