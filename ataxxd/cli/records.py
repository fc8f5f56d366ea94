"""``ataxxd archive``, ``verify``, ``convert`` and ``picture``: games that are over."""

import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from datetime import datetime
from itertools import islice
from pathlib import Path

import typer

from ataxxd.cli.commands.records import (
    DAY,
    ArchiveOptions,
    ConvertOptions,
    PictureOptions,
    VerifyOptions,
)
from ataxxd.cli.files import (
    FROM,
    RECORD,
    STANDARD,
    check_distinct_files,
    choose_format,
    format_names,
    is_name_of_game,
    is_name_of_record,
    missing_file_advice,
    parse_record,
    read_game,
    write_game,
)
from ataxxd.cli.game_options import choose_game, choose_ruleset, only_game, start_position
from ataxxd.cli.options import DEFAULT_GAME
from ataxxd.cli.output import columns, print_json, print_message, print_result
from ataxxd.errors import (
    AtaxxdError,
    ExitCode,
    GameError,
    StorageError,
    UsageError,
    storage_errors,
)
from ataxxd.node.archive import Archive, ArchivedGame, ArchiveQuery
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home, write_atomically
from ataxxd.node.journal import Journal
from ataxxd.node.ledger_game import make_dated_record
from ataxxd.node.names import NameBook, known_names
from ataxxd.node.offers import wire_name
from ataxxd.rules import Position, RulesError
from ataxxd.rules.notation import format_named, under_ruleset
from ataxxd.rules.notation.game import UnwritableError
from ataxxd.session.ledger import Ledger
from ataxxd.session.points import count_points
from ataxxd.session.record import dump_record
from ataxxd.session.state import Role
from ataxxd.session.witnesses import claim_statements
from ataxxd.times import format_local_time
from ataxxd.wording import format_count, plural
from ataxxd_clients.text.commands import CommandError
from ataxxd_protocol.messages import Score

# With this many games or more, reading them takes long enough to report progress.
_MANY = 100


def run_archive(options: ArchiveOptions) -> int:
    """List, search, export or delete finished games."""
    if options.export is None and options.to is not None:
        raise UsageError(
            f"--to {options.to} says what --export DIR writes: name the folder as well."
        )
    if options.yes and not options.forget:
        raise UsageError("--yes answers the question of --forget: give both, or neither.")
    board = _position(options)
    wanted = ArchiveQuery(
        name=wire_name(options.name) if options.name else None,
        kind=only_game(options.game) if board is None else board.game,
        result=None if options.result is None else options.result.value,
        since_ms=_midnight_ms(options.since),
        until_ms=_midnight_ms(options.until),
        position=board,
    )
    with _opened(options.home) as (archive, journal), known_names(options.home) as names:
        found = archive.search(wanted, options.limit if options.peer is None else None)
        if wanted.name is not None and not (found or archive.search(ArchiveQuery(wanted.name), 1)):
            raise GameError(_explain_none_named(wanted.name, options, archive, journal))
        if options.peer is not None:
            met = (
                each for each in found if each.peer and names.is_named_by(options.peer, each.peer)
            )
            found = list(islice(met, options.limit))
        if not found and not options.as_json:
            print_message(_explain_none(Home(options.home), archive.search(ArchiveQuery(), 1)))
        _list(found, names, as_json=options.as_json)
        if options.export is not None:
            _export(archive, found, options.export, options.to)
        if options.forget and found:
            _forget(archive, found, yes=options.yes)
    return ExitCode.OK


def _explain_none(home: Home, any_at_all: Sequence[ArchivedGame]) -> str:
    """Why no game is listed, and what to do."""
    if any_at_all:
        return (
            f"No finished game in {home.path} matches. Leave out an option, or list them all: "
            f"{command_line('archive', home.option)}"
        )
    return (
        f"No finished games in {home.path} yet. {_how_to_play(home)} "
        f"To continue an unfinished one: {command_line('resume', home.option)}"
    )


def _explain_none_named(
    name: str, options: ArchiveOptions, archive: Archive, journal: Journal
) -> str:
    """Why there is no finished game of a name, and what to do."""
    home = Home(options.home)
    told = f'No finished game "{options.name}" in {home.path}'
    if journal.unfinished(name):
        return f"{told}: it is not over. Continue it: {home.resume_command(name)}"
    if archive.search(ArchiveQuery(), 1):
        return f"{told}. List all finished games: {command_line('archive', home.option)}"
    return f"{told}. {_how_to_play(home)}"


def _how_to_play(home: Home) -> str:
    host, join = (command_line(f"{each} NAME", home.option) for each in ("host", "join"))
    return f"Play one: `{host}`, or `{join}`."


@contextmanager
def _opened(home: Path | None) -> Iterator[tuple[Archive, Journal]]:
    """The archive of a home, with all that has ended by now, and the journal that it indexes."""

    def progress(done: int, every: int) -> None:
        if every > _MANY and (done == every or done % _MANY == 0):
            print_message(f"Reading {done} of {every} games …")

    place = Home(home)
    with (
        closing(Journal(place.journal)) as journal,
        closing(Archive(place.archive, journal)) as archive,
    ):
        archive.refresh(progress)
        yield archive, journal


def _position(options: ArchiveOptions) -> Position | None:
    """The position that the options ask for, or None."""
    if options.position is None and options.moves is None:
        if options.ruleset is not None:
            raise UsageError("--ruleset says how --position or --moves are read: give one of them.")
        return None
    position = start_position(options.game or DEFAULT_GAME, options.ruleset, options.position, None)
    try:
        for move in (options.moves or "").split():
            position = position.play(position.parse_move(move))
    except RulesError as error:
        raise UsageError(f"--moves: {error}") from None
    return position


def _midnight_ms(day: datetime | None) -> int | None:
    """The first millisecond of a day in this machine's time zone, in Unix time."""
    return None if day is None else int(day.timestamp() * 1000)


def _list(found: Sequence[ArchivedGame], names: NameBook, *, as_json: bool) -> None:
    if as_json:
        for each in found:
            print_json(asdict(each))
        return
    whole, brief, briefer = [], [], []
    for each in found:
        day = format_local_time(each.ended_ms)
        peer = names.display_name(each.peer) if each.peer else "nobody"
        why = (each.termination or "given up").replace("-", " ")
        plies = f"{each.plies:4} {plural(each.plies, 'ply', 'plies'):5}"
        kind, ended = each.ruleset.partition("/")[0], f"{why}, {each.standing}"
        date, last = f"{day:{DAY}}", [peer, each.result, ended]
        whole.append([f"{day:{DAY} %H:%M}", each.name, each.ruleset, plies, *last, each.game[:12]])
        brief.append([date, each.name, kind, plies, *last])
        briefer.append([date, each.name, *last])
    print_result(*columns(whole, brief, briefer))


def _export(
    archive: Archive, found: Sequence[ArchivedGame], folder: Path, name: str | None
) -> None:
    """Write each game into a file of its own; report those that the format cannot express."""
    form = None if name in (None, RECORD) else format_named(str(name))
    if form is None and name not in (None, RECORD):
        raise UsageError(f"--to {name}: there is no such format; there are {format_names()}.")
    if not found:
        return
    with storage_errors(f"--export {folder}", "made"):
        folder.mkdir(parents=True, exist_ok=True)
    written = []
    for each in found:
        ledger = archive.ledger(each)
        try:
            text = (
                dump_record(ledger)
                if form is None
                else form.write(make_dated_record(ledger)).encode()
            )
        except UnwritableError as error:
            print_message(f"Not written: {each.name} ({each.game[:12]}). {error}")
            continue
        suffix = ".json" if form is None else form.suffixes[0]
        written.append(folder / f"{each.name}-{each.game[:12]}{suffix}")
        write_atomically(written[-1], text)
    if len(found) == len(written) == 1:
        print_message(f"Wrote {written[0]}.")
    else:
        print_message(f"Wrote {len(written)} of {len(found)} games to {folder}.")


def _forget(archive: Archive, found: Sequence[ArchivedGame], *, yes: bool) -> None:
    count = format_count(len(found), "game")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError(f"Forgetting {count} cannot be undone. If that is meant, add: --yes")
        if not typer.confirm(f"Forget {count} for good?", err=True):
            print_message("Nothing was forgotten.")
            return
    print_message(f"Forgot {archive.forget(found)} of {count}.")


def run_verify(options: VerifyOptions) -> int:
    """Check signed records: every move, digest and signature."""
    if len(options.files) == 1:
        return _judge(options.files[0], as_json=options.as_json)
    return max(_judged(file, as_json=options.as_json) for file in options.files)


def _judged(file: Path, *, as_json: bool) -> ExitCode:
    """Judge one of several files; its errors are reported, and do not stop the others."""
    try:
        return _judge(file, as_json=as_json, named=True)
    except AtaxxdError as error:
        if as_json:
            print_json({"file": str(file), "verified": False, "error": str(error)})
        else:
            print_message(f"ataxxd: {error}")
        return error.exit_code


def _judge(file: Path, *, as_json: bool, named: bool = False) -> ExitCode:
    """Judge one file.

    Args:
        file: the file.
        as_json: print a JSON object.
        named: name the file in the object.

    Raises:
        StorageError, VerificationError: it cannot be read, or does not hold.
    """
    verdict = parse_record(_read(file), str(file))
    ledger, outcome = verdict.ledger, verdict.ledger.outcome
    guest = ledger.join.author if ledger.join else None
    guilty = ledger.fault is not None or ledger.disputed
    count = count_points(ledger)
    code = ExitCode.CHEATING_PROVED if guilty else ExitCode.OK
    if as_json:
        print_json(
            ({"file": str(file)} if named else {})
            | {
                "verified": True,
                "rules_kept": not guilty,
                "standing": verdict.standing.value,
                "protocol": ledger.offer.v,
                "name": ledger.offer.name,
                "ruleset": ledger.offer.ruleset,
                "host": ledger.offer.host,
                "guest": guest,
                "host_side": None if ledger.host_side is None else ledger.host_side.name.lower(),
                "plies": len(ledger.moves),
                "score": outcome.score if outcome else None,
                "termination": outcome.termination if outcome else None,
                "counts": None if isinstance(count, str) else count.text,
                "fault": ledger.fault.text if ledger.fault else None,
                "fault_by": ledger.fault.role.value if ledger.fault else None,
                "false_scores": [role.value for role in ledger.false_scores],
                "claim": ledger.claim.fields() if ledger.claim else None,
                "witnesses": list(ledger.offer.witnesses or ()),
                "statements": [
                    {"witness": each.author, "silence_ms": each.silence_ms}
                    for each in claim_statements(ledger)
                ],
                "position": ledger.position.text,
            }
        )
        return code
    result = f"{outcome.score} ({outcome.termination})" if outcome else "not over"
    sides = {
        side: ledger.role_playing(side)
        for side in (ledger.position.turn, ledger.position.turn.opponent)
    }
    print_result(f"{file}: {'genuine, and a rule was broken' if guilty else 'every rule holds'}.")
    plies = format_count(len(ledger.moves), "ply", "plies")
    told = f"{ledger.offer.name}, {ledger.offer.ruleset}, {plies}"
    print_result(f"  game    {told}, judged by protocol {ledger.offer.v}")
    for side in sorted(sides):
        node = ledger.offer.host if sides[side] is Role.HOST else guest
        if node is not None:
            print_result(f"  {side.name.lower():7} {_shown(node)}, {sides[side].value}")
    print_result(f"  result  {result}, {verdict.standing.value}")
    if isinstance(count, str):
        print_result(f"  counts  for nothing: {count}")
    elif count.why:
        print_result(f"  counts  {count.text}: {count.why}")
    if ledger.fault is not None:
        print_result(f"  fault   by the {ledger.fault.role.value}: {ledger.fault.text}")
    for role in ledger.false_scores:
        print_result(f"  fault   by the {role.value}: it signed another score than the result")
    _print_claim(ledger)
    return code


def _print_claim(ledger: Ledger) -> None:
    if ledger.claim is None or ledger.decision is None:
        return
    waited = f"waited {ledger.claim.waited_ms / 1000:g} s"
    print_result(f"  claim   by the {ledger.decision.value}: {ledger.claim.reason}, {waited}")
    answer = ledger.log(ledger.decision.other)[-1]
    who = ledger.decision.other.value
    if isinstance(answer, Score) and answer.had_ms is not None:
        print_result(f"          the {who} says it had the message for {answer.had_ms / 1000:g} s")
    if isinstance(answer, Score) and answer.since_ms is not None:
        since = f"{answer.since_ms / 1000:g} s after its own"
        print_result(f"          the {who} says the claim came {since}")
    for statement in claim_statements(ledger):
        heard = f"heard that the {who} was silent for {statement.silence_ms / 1000:g} s"
        print_result(f"  witness {_shown(statement.author)} {heard}")
    if ledger.offer.witnesses and not claim_statements(ledger):
        print_result("  witness none has said anything in this record")


def _read(file: Path) -> bytes:
    if is_name_of_game(file):
        raise StorageError(missing_file_advice(file))
    with storage_errors(file, "read"):
        return file.read_bytes()


def _shown(node: str) -> str:
    """A player with all of its id, and the nickname that this node knows."""
    with known_names() as names:
        return names.display_name(node, full_id=True)


def run_convert(options: ConvertOptions) -> int:
    """Convert a game between records, PDN, PGN, GGF and others."""
    check_distinct_files(
        reads=[("standard input" if options.source == STANDARD else "IN", options.source)],
        writes=[("standard output" if options.target == STANDARD else "OUT", options.target)],
    )
    form = choose_format(options.target, options.target_format, "--to")
    if form is None:
        raise UsageError(
            f"{options.target}: a signed record cannot be made of a game, for only its players can "
            "sign it. Choose another format, such as --to pdn or --to pgn."
        )
    if options.ruleset is not None:
        choose_ruleset("", options.ruleset)  # refuses what does not exist
    game = read_game(
        options.source,
        choose_format(options.source, options.source_format, FROM),
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
    from ataxxd_clients.exports import KINDS, picture, picture_kind  # takes its time to load

    check_distinct_files(
        reads=[("standard input" if options.source == STANDARD else "FILE", options.source)],
        writes=[("OUT", options.target)],
    )
    kind = picture_kind(options.target.suffix)
    if kind is None:
        if is_name_of_record(options.target):
            raise UsageError(_picture_first(options.target, options.source))
        known = ", ".join(f"{each.suffix} ({each.title})" for each in KINDS)
        raise UsageError(
            f"{options.target} is no kind of picture: end the name with one of {known}."
        )
    drawn = choose_game(options.source, options.of)
    try:
        made = picture(
            drawn,
            kind,
            ply=options.ply,
            width=options.width,
            pause_ms=options.pause,
            flipped=options.flip,
        )
    except CommandError as error:
        raise UsageError(str(error)) from None
    write_atomically(options.target, made)
    return ExitCode.OK


def _picture_first(game: Path, second: Path | None) -> str:
    """Advice for a person who named a game's file in place of the picture's."""
    told = f"{game} is a game" if game.exists() else f"There is no file {game}"
    drawn = "board.svg" if second is None else second
    return (
        f"{told}, and the picture to write is named first: "
        f"ataxxd picture {shlex.quote(str(drawn))} {shlex.quote(str(game))}"
    )
