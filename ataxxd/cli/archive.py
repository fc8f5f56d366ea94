"""``ataxxd archive``: the games that are over, found again, written out, forgotten."""

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path

import typer

from ataxxd.cli.commands.records import DAY, ArchiveOptions
from ataxxd.cli.files import RECORD, names
from ataxxd.cli.options import USUAL_GAME
from ataxxd.cli.say import columns, say, tell
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.errors import ExitCode, UsageError, storage_errors
from ataxxd.node.archive import Archive, ArchivedGame, Wanted
from ataxxd.node.game_names import wire_name
from ataxxd.node.home import Home, write_atomically
from ataxxd.node.journal import Journal
from ataxxd.node.ledger_game import dated
from ataxxd.node.names import NameBook, known_names
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation.formats import format_named
from ataxxd.rules.notation.game import UnwritableError
from ataxxd.session.record import dump_record
from ataxxd.wording import counted, plural

# From so many games on, reading them takes long enough to be told.
_MANY = 100


def run(options: ArchiveOptions) -> int:
    """List, search, export or delete finished games."""
    if options.export is None and options.to is not None:
        raise UsageError(
            f"--to {options.to} says what --export DIR writes: name the folder as well."
        )
    if options.yes and not options.forget:
        raise UsageError("--yes answers what --forget asks: there is nothing to forget.")
    board = _position(options)
    wanted = Wanted(
        name=wire_name(options.name) if options.name else None,
        kind=_known_game(options.game) if board is None else board.game,
        result=None if options.result is None else options.result.value,
        since_ms=_midnight_ms(options.since),
        until_ms=_midnight_ms(options.until),
        position=board,
    )
    with _opened(options.home) as archive, known_names(options.home) as names:
        found = archive.search(wanted, options.limit if options.peer is None else None)
        if options.peer is not None:
            met = (each for each in found if each.peer and names.is_meant(options.peer, each.peer))
            found = list(islice(met, options.limit))
        if not found and not options.as_json:
            say(_why_none(archive.search(Wanted(), 1)))
        _list(found, names, as_json=options.as_json)
        if options.export is not None:
            _export(archive, found, options.export, options.to)
        if options.forget and found:
            _forget(archive, found, yes=options.yes)
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


def _position(options: ArchiveOptions) -> Position | None:
    """The position that the options ask for, or None."""
    if options.position is None and options.moves is None:
        if options.ruleset is not None:
            raise UsageError("--ruleset says how --position or --moves are read: give one of them.")
        return None
    position = start_position(options.game or USUAL_GAME, options.ruleset, options.position, None)
    try:
        for move in (options.moves or "").split():
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
        date, last = f"{day:{DAY}}", [peer, each.result, ended]
        whole.append([f"{day:{DAY} %H:%M}", each.name, each.ruleset, plies, *last, each.game[:12]])
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
    with storage_errors(f"--export {folder}", "made"):
        folder.mkdir(parents=True, exist_ok=True)
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
