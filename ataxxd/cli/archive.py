"""``ataxxd archive``: the games that are over, found again, written out, forgotten."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.files import RECORD, names
from ataxxd.cli.names import known_names
from ataxxd.cli.say import columns, say, tell
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.errors import ExitCode, StorageError, UsageError
from ataxxd.node.archive import Archive, ArchivedGame, Wanted
from ataxxd.node.game_names import wire_name
from ataxxd.node.home import Home, write_atomically
from ataxxd.node.journal import Journal
from ataxxd.node.ledger_game import dated
from ataxxd.node.names import NameBook
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation.formats import format_named
from ataxxd.rules.notation.game import UnwritableError
from ataxxd.session.record import dump_record
from ataxxd.wording import counted, plural

_DAY = "%Y-%m-%d"
# From so many games on, reading them takes long enough to be told.
_MANY = 100


class Result(StrEnum):
    """How a game ended for this node."""

    WON = "won"
    LOST = "lost"
    DRAWN = "drawn"
    NONE = "none"


def run(
    name: Annotated[str | None, typer.Argument(help="Only games of this name.")] = None,
    peer: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="ID",
            help="Only games against this node: its id, or the beginning of it.",
        ),
    ] = None,
    game: options.OnlyGame = None,
    result: Annotated[
        Result | None, typer.Option("--result", help="Only games with this result for this node.")
    ] = None,
    since: Annotated[
        datetime | None,
        typer.Option(
            "--since",
            formats=[_DAY],
            metavar="DAY",
            help="Only games that ended on this day or later.",
        ),
    ] = None,
    until: Annotated[
        datetime | None,
        typer.Option(
            "--until", formats=[_DAY], metavar="DAY", help="Only games that ended before this day."
        ),
    ] = None,
    moves: Annotated[
        str | None,
        typer.Option(
            "--moves",
            metavar='"MOVE …"',
            help="Only games that reached the position after these moves.",
        ),
    ] = None,
    position: Annotated[
        str | None,
        typer.Option("--position", metavar="TEXT", help="Only games that reached this position."),
    ] = None,
    ruleset: options.Ruleset = None,
    limit: Annotated[
        int | None, typer.Option("--limit", min=1, metavar="N", help="Only the newest N of them.")
    ] = None,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="DIR", help="Write each game to a file in DIR."),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="FORMAT", help="The format of those files.  [default: record]"
        ),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete these games from this node for good.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before forgetting.")] = False,
    as_json: options.Json = False,
    home: options.Home = None,
) -> int:
    """List, search, export or delete finished games.

    Options that choose games can be combined. --moves and --position search the first 24
    plies, in any order of moves.
    """
    if export is None and to is not None:
        raise UsageError(f"--to {to} says what --export DIR writes: name the folder as well.")
    if yes and not forget:
        raise UsageError("--yes answers what --forget asks: there is nothing to forget.")
    board = _position(game, ruleset, position, moves)
    wanted = Wanted(
        peer=None if peer is None else peer.replace("-", "").strip().lower(),
        name=wire_name(name) if name else None,
        kind=_known_game(game) if board is None else board.game,
        result=None if result is None else result.value,
        since_ms=_midnight_ms(since),
        until_ms=_midnight_ms(until),
        position=board,
    )
    with _opened(home) as archive:
        found = archive.search(wanted, limit)
        if not found and not as_json:
            say(_why_none(archive.search(Wanted(), 1)))
        with known_names(home) as names:
            _list(found, names, as_json=as_json)
        if export is not None:
            _export(archive, found, export, to)
        if forget and found:
            _forget(archive, found, yes=yes)
    return ExitCode.OK


def _why_none(any_at_all: Sequence[ArchivedGame]) -> str:
    """Why no game is listed, and what to do."""
    if any_at_all:
        return "No finished game matches. Leave out an option, or list them all: ataxxd archive"
    return (
        "No finished games yet. Play one: ataxxd host NAME, or ataxxd join NAME. To go on with an "
        "unfinished one: ataxxd resume"
    )


@contextmanager
def _opened(home: Path | None) -> Iterator[Archive]:
    """The archive of a home, with all that has ended by now."""

    def progress(done: int, every: int) -> None:
        if every > _MANY and (done == every or done % _MANY == 0):
            say(f"Reading {done} of {every} games …")

    place = Home(home)
    with (
        closing(Journal(place.journal)) as journal,
        closing(Archive(place.archive, journal)) as archive,
    ):
        archive.refresh(progress)
        yield archive


def _known_game(game: str | None) -> str | None:
    """The game asked for, which must be one that there is."""
    return None if game is None else chosen_ruleset(game, None).game


def _position(
    game: str | None, ruleset: str | None, text: str | None, moves: str | None
) -> Position | None:
    """The position that the options ask for, or None."""
    if text is None and moves is None:
        if ruleset is not None:
            raise UsageError("--ruleset says how --position or --moves are read: give one of them.")
        return None
    position = start_position(game or options.USUAL_GAME, ruleset, text, None)
    try:
        for move in (moves or "").split():
            position = position.play(position.parse_move(move))
    except RulesError as error:
        raise UsageError(f"--moves: {error}") from None
    return position


def _midnight_ms(day: datetime | None) -> int | None:
    """The first millisecond of a day, where this machine stands."""
    return None if day is None else int(day.timestamp() * 1000)


def _list(found: Sequence[ArchivedGame], names: NameBook, *, as_json: bool) -> None:
    if as_json:
        for each in found:
            tell(json.dumps(asdict(each)))
        return
    whole, brief, briefer = [], [], []
    for each in found:
        day = datetime.fromtimestamp(each.ended_ms / 1000).astimezone()
        peer = names.shown(each.peer) if each.peer else "nobody"
        why = (each.termination or "given up").replace("-", " ")
        plies = f"{each.plies:4} {plural(each.plies, 'ply', 'plies'):5}"
        kind, ended = each.ruleset.partition("/")[0], f"{why}, {each.standing}"
        date, last = f"{day:{_DAY}}", [peer, each.result, ended]
        whole.append([f"{day:{_DAY} %H:%M}", each.name, each.ruleset, plies, *last, each.game[:12]])
        brief.append([date, each.name, kind, plies, *last])
        briefer.append([date, each.name, *last])
    for line in columns(whole, brief, briefer):
        tell(line)


def _export(
    archive: Archive, found: Sequence[ArchivedGame], folder: Path, name: str | None
) -> None:
    """Write each game into a file of its own; one that the format cannot hold is told."""
    form = None if name in (None, RECORD) else format_named(str(name))
    if form is None and name not in (None, RECORD):
        raise UsageError(f"--to {name}: there is no such format; there are {names()}.")
    if not found:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"--export {folder} cannot be made: {error.strerror}.") from None
    written = []
    for each in found:
        ledger = archive.ledger(each)
        try:
            text = dump_record(ledger) if form is None else form.write(dated(ledger)).encode()
        except UnwritableError as error:
            say(f"Not written: {each.name} ({each.game[:12]}). {error}")
            continue
        suffix = ".json" if form is None else form.suffixes[0]
        written.append(folder / f"{each.name}-{each.game[:12]}{suffix}")
        write_atomically(written[-1], text)
    if len(found) == len(written) == 1:
        say(f"Wrote {written[0]}.")
    else:
        say(f"Wrote {len(written)} of {len(found)} games to {folder}.")


def _forget(archive: Archive, found: Sequence[ArchivedGame], *, yes: bool) -> None:
    count = counted(len(found), "game")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"Forgetting {count} cannot be undone. If that is meant, add: --yes")
        if not typer.confirm(f"Forget {count} for good?", err=True):
            say("Nothing was forgotten.")
            return
    say(f"Forgot {archive.forget(found)} of {count}.")
