"""Keep or check a club's log, which says which games are rated."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path

from ataxxd.cli.commands.tournament import (
    ClubAdmitOptions,
    ClubAdoptOptions,
    ClubCheckOptions,
    ClubProveOptions,
    ClubRemoveOptions,
    ClubShowOptions,
)
from ataxxd.cli.output import print_json, print_message, print_result
from ataxxd.errors import ExitCode, StorageError, UsageError, VerificationError, storage_errors
from ataxxd.node.command_lines import command_line
from ataxxd.node.home import Home, load_identity, write_atomically
from ataxxd.node.journal import Journal
from ataxxd.node.names import known_names
from ataxxd.node.offers import access_field
from ataxxd.tournament.club_keeper import ClubKeeper, find_false_announcements
from ataxxd.tournament.club_log import AnnouncedGame, ClubLog, ForkedLog, check_proof, read_log
from ataxxd.tournament.ratings import day_of, format_day
from ataxxd.tournament.tournament import Tournament
from ataxxd.wording import format_count
from ataxxd_protocol import MalformedMessage, decode_log_proof, encode, grouped
from ataxxd_protocol.messages import Admission, LogProof, Removal


def open_keeper(home: Path | None, *, may_begin: bool = False) -> ClubKeeper:
    """The keeper of this node's own log.

    Raises:
        StorageError: there is no log, and `may_begin` is False.
    """
    place = Home(home)
    kept = ClubKeeper(place, load_identity(place.identity))
    if not may_begin and not kept.exists:
        raise StorageError(
            f"This node keeps no club's log: there is no {kept.path}. Begin one: "
            f"{command_line('club admit ID …')}"
        )
    return kept


def node_ids(words: Sequence[str]) -> list[str]:
    """The node ids in `words`, without repetitions.

    Raises:
        UsageError: a word is not a node id.
    """
    found = [access_field(word, invited=False, option="ID") for word in words]
    return list(dict.fromkeys(node for node in found if node is not None))


def read_bytes(file: Path) -> bytes:
    """The content of a file.

    Raises:
        StorageError: it cannot be read.
    """
    if file.is_dir():
        raise StorageError(
            f"{file} is a folder. Name a file, such as the log that `ataxxd club show --save FILE` "
            "writes."
        )
    with storage_errors(file, "read"):
        return file.read_bytes()


def read_log_file(file: Path) -> ClubLog:
    """Read and verify a club's log in a file.

    Raises:
        StorageError: it cannot be read.
        VerificationError: it is not valid.
    """
    with _name_in_errors(file):
        return read_log(read_bytes(file))


@contextmanager
def _name_in_errors(file: Path) -> Iterator[None]:
    """Name the file in the error about an invalid log."""
    try:
        yield
    except VerificationError as error:
        raise VerificationError(f"{file}: {error}.") from None


def read_proof(data: bytes) -> LogProof | None:
    """The verified proof in a file's bytes; None if they are not a proof.

    Raises:
        VerificationError: the proof is not valid.
    """
    try:
        proof = decode_log_proof(data)
    except MalformedMessage:
        return None
    check_proof(proof)
    return proof


def count_new_entries(log: ClubLog, before: Path) -> int:
    """How many entries a log has that an earlier one of its club, or a proof, does not cover.

    Args:
        log: the log.
        before: the file of the earlier log or proof.

    Raises:
        ForkedLog: neither extends the other.
        StorageError: `before` cannot be read.
        VerificationError: `before` is not valid, is of another club, or is newer than `log`.
    """
    assert log.head is not None, "a log ends with one"
    proof = read_proof(read_bytes(before))
    other = None if proof is not None else read_log_file(before)
    head = other.head if other is not None else proof.head if proof is not None else None
    assert head is not None, "so does the other"
    if other is not None and head.size > log.head.size and head.club == log.club:
        # A log that was cut short, and continued, contradicts the longer one.
        other.check_head(log.head)
    log.check_head(head)
    return len(log.entries) - head.size


def run_admit(options: ClubAdmitOptions) -> int:
    """Admit members to this node's club."""
    wanted = node_ids(options.nodes)
    kept = open_keeper(options.home, may_begin=True)
    log = kept.append(
        lambda log, now_ms: [
            Admission(node=node, at_ms=now_ms) for node in wanted if node not in log.members
        ]
    )
    print_message(
        f"The club has {format_count(len(log.members), 'member')}; its log is {kept.path}."
    )
    return ExitCode.OK


def run_remove(options: ClubRemoveOptions) -> int:
    """Remove members from this node's club."""
    wanted = node_ids(options.nodes)
    kept = open_keeper(options.home)
    for node in wanted:
        if node not in kept.log().members:
            raise UsageError(
                f"{grouped(node)} is not a member. All members: {command_line('club show')}"
            )
    log = kept.append(
        lambda log, now_ms: [
            Removal(node=node, at_ms=now_ms) for node in wanted if node in log.members
        ]
    )
    print_message(
        f"The club has {format_count(len(log.members), 'member')}; its log is {kept.path}."
    )
    return ExitCode.OK


def run_show(options: ClubShowOptions) -> int:
    """Show a club's members, and the games that it has announced."""
    file = options.file
    if file is None:
        kept = open_keeper(options.home)
        log, file = kept.log(), kept.path
    else:
        log = read_log_file(file)
    if options.save is not None:
        write_atomically(options.save, read_bytes(file))
        print_message(f"Wrote {options.save}.")
    if options.as_json:
        print_json(_to_json(log))
        return ExitCode.OK
    with known_names(options.home) as names:
        print_result(
            f"Club {grouped(log.club)}, {format_count(len(log.members), 'member')}, "
            f"{format_count(len(log.entries), 'entry', 'entries')}"
        )
        for node in sorted(log.members):
            print_result(f"  {names.display_name(node, full_id=True)}")
        assert log.head is not None, "a log ends with one"
        now_ms = log.head.at_ms
        for game in log.games.values():
            offer, join = game.announcement.offer, game.announcement.join
            players = f"{names.display_name(offer.host)} and {names.display_name(join.author)}"
            if offer.witnesses:
                players += f" before {format_count(len(offer.witnesses), 'witness', 'witnesses')}"
            print_result(
                f"  {offer.name} ({offer.digest[:12]}): {players}, {_describe_game(game, now_ms)}"
            )
        for tournament in log.events.values():
            print_result(f"  event {tournament.plan.name}: {_describe_event(tournament, now_ms)}")
    return ExitCode.OK


def _describe_game(game: AnnouncedGame, now_ms: int) -> str:
    """The state of a game at the time of the newest head, in words."""
    deadline_ms = game.announcement.deadline_ms
    if game.records:
        return format_count(len(game.records), "record")
    if deadline_ms < now_ms:
        return f"no record by {_date(deadline_ms)}: lost for both"
    return f"no record yet, due {_date(deadline_ms)}"


def _describe_event(tournament: Tournament, now_ms: int) -> str:
    """How far an event has come at the time of the newest head, in words."""
    if tournament.over:
        return "over"
    if not tournament.rounds:
        return "not begun"
    newest = tournament.rounds[-1]
    ends_ms = newest.created_ms + tournament.plan.round_ms
    if ends_ms < now_ms:
        return f"round {newest.number}, whose results are missing since {_date(ends_ms)}"
    return f"round {newest.number}, until {_date(ends_ms)}"


def _date(unix_ms: int) -> str:
    return format_day(day_of(unix_ms))


def _to_json(log: ClubLog) -> dict[str, object]:
    assert log.head is not None
    return {
        "club": log.club,
        "size": len(log.entries),
        "root": log.head.root,
        "at_ms": log.head.at_ms,
        "members": sorted(log.members),
        "games": [
            {
                "game": game,
                "name": known.announcement.offer.name,
                "host": known.announcement.offer.host,
                "guest": guest,
                "witnesses": list(known.announcement.offer.witnesses or ()),
                "announced_ms": known.announcement.at_ms,
                "deadline_ms": known.announcement.deadline_ms,
                "records": known.records,
            }
            for (game, guest), known in log.games.items()
        ],
        "events": [
            {"event": plan, "name": known.plan.name, "rounds": len(known.rounds)}
            for plan, known in log.events.items()
        ],
    }


def run_check(options: ClubCheckOptions) -> int:
    """Check every line of a club's log."""
    if (proof := read_proof(read_bytes(options.file))) is not None:
        print_result(
            f"{options.file}: entry {proof.index + 1} of the log of {grouped(proof.head.club)}: "
            f"{proof.entry.type}"
        )
        return ExitCode.OK
    log = read_log_file(options.file)
    for before in options.earlier or ():
        try:
            since = count_new_entries(log, before)
        except ForkedLog as error:
            print_result(f"{options.file} and {before}: {error}.")
            return ExitCode.CHEATING_PROVED
        print_result(
            f"{options.file} extends {before}, by {format_count(since, 'entry', 'entries')}."
        )
    entries = format_count(len(log.entries), "entry", "entries")
    print_result(f"{options.file}: the log of {grouped(log.club)} holds, {entries}.")
    found = list[str]()
    if options.mine:
        home = Home(options.home)
        with closing(Journal(home.journal)) as journal:
            found += find_false_announcements(log, load_identity(home.identity).node, journal)
    for doubt in found:
        print_result(f"By this node's journal and clock: {doubt}.")
    if options.mine and not found:
        print_result("Nothing in this node's journal contradicts it.")
    return ExitCode.VERIFICATION_FAILED if found else ExitCode.OK


def run_prove(options: ClubProveOptions) -> int:
    """Write the proof that a club has announced a game."""
    log = open_keeper(options.home).log() if options.file is None else read_log_file(options.file)
    found = [known for (each, _), known in log.games.items() if each.startswith(options.game)]
    if len(found) != 1:
        raise UsageError(
            f"{len(found)} announced games begin with {options.game}. All of them: "
            f"{command_line('club show')}"
        )
    print_result(encode(log.proof(found[0].index)).decode())
    return ExitCode.OK


def run_adopt(options: ClubAdoptOptions) -> int:
    """Continue with a newer copy of the log."""
    kept = open_keeper(options.home, may_begin=True)
    with _name_in_errors(options.file):
        log = kept.adopt(read_bytes(options.file))
    print_message(
        f"{kept.path} goes on from there, after "
        f"{format_count(len(log.entries), 'entry', 'entries')}."
    )
    return ExitCode.OK
