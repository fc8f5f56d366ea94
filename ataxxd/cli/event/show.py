"""``ataxxd event show`` and ``ataxxd event check``: how an event stands, and whether rightly so."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from ataxxd.cli.club import read_log_file
from ataxxd.cli.commands.tournament import EventCheckOptions, EventShowOptions
from ataxxd.cli.event.views import as_object, connected, described, read, split_event
from ataxxd.cli.say import say, tell
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import AtaxxdError, ExitCode, StorageError, TransportError, VerificationError
from ataxxd.node.home import Home
from ataxxd.node.lobby import GameName
from ataxxd.node.names import known_names, learn
from ataxxd.node.profile import TOPICS
from ataxxd.tournament.club_log import ClubLog, ForkedLog
from ataxxd.tournament.feed import Feed, NoSuchEvent
from ataxxd.tournament.folder import EventFolder, collected, folder_of
from ataxxd.tournament.games import Checked, Finding, audited
from ataxxd.tournament.tournament import Tournament
from ataxxd.wording import counted, plural


def run_show(options: EventShowOptions) -> int:
    """Show the pairings, results and table of an event."""
    return run_until_stopped(_show(options))


async def _show(options: EventShowOptions) -> ExitCode:
    wanted, url = split_event(options.name, options.broker)
    home, save = options.home, options.save
    records: Mapping[str, bytes] = {}
    try:
        async with connected(url, home) as line:
            feed = await read(wanted, line, options.wait)
            if save is not None:
                records = await collected(feed.tournament, line, seconds=options.wait)
                _save(save, feed.tournament, records)
            if not options.as_json:
                plan = feed.tournament.plan
                with known_names(home, learns=True) as names:
                    async with line() as transport:
                        await learn(names, transport, TOPICS, [plan.host, *plan.players])
    except (NoSuchEvent, TransportError) as error:
        own = _ours(wanted, Home(home), error)
        feed = own.load()
        if save is not None:
            records = own.records()
            _save(save, feed.tournament, records)
    if save is not None:
        say(f"Wrote the event and {counted(len(records), 'record')} to {save}.")
    if options.as_json:
        tell(json.dumps(as_object(feed.tournament)))
    else:
        with known_names(home) as names:
            for text in described(feed.tournament, names):
                tell(text)
    if feed.fault is not None:
        say(f"The host broke the rules of the event: {feed.fault}.")
        return ExitCode.CHEATING_PROVED
    return ExitCode.OK


def _save(folder: Path, tournament: Tournament, records: Mapping[str, bytes]) -> None:
    kept = EventFolder(folder)
    kept.clear()
    kept.keep(tournament.plan)
    for each in tournament.rounds:
        kept.keep(each)
    for name, data in records.items():
        kept.keep_record(name, data)


def run_check(options: EventCheckOptions) -> int:
    """Check an event: every pairing, and every result by its record."""
    club = None if options.log is None else read_log_file(options.log)
    folder = EventFolder(Path(options.name))
    if folder.exists:
        source = f"the folder {folder.path}"
        return _judge(folder.load(), folder.records(), source, club, Home(options.home))
    return run_until_stopped(_check(options, club))


async def _check(options: EventCheckOptions, club: ClubLog | None) -> ExitCode:
    wanted, url = split_event(options.name, options.broker)
    home = Home(options.home)
    try:
        async with connected(url, options.home) as line:
            feed = await read(wanted, line, options.wait)
            records = await collected(feed.tournament, line, seconds=options.wait)
    except (NoSuchEvent, TransportError) as error:
        own = _ours(wanted, home, error)
        return _judge(own.load(), own.records(), f"the folder {own.path}", club, home)
    return _judge(feed, records, "the broker", club, home)


def _ours(wanted: GameName, home: Home, error: AtaxxdError) -> EventFolder:
    """The folder in which this node keeps an event that no broker has.

    Raises:
        AtaxxdError: there is none of that event; the broker's own error.
    """
    own = EventFolder(folder_of(home, wanted.name))
    if not own.exists or not own.load().tournament.plan.host.startswith(wanted.prefix):
        raise error
    say(f"{error}\nTaken from this node's folder: {own.path}")
    return own


def _judge(
    feed: Feed, records: dict[str, bytes], source: str, club: ClubLog | None, home: Home
) -> ExitCode:
    # Of one result, and of several.
    words = {
        Finding.HOLDS: ("holds", "hold"),
        Finding.UNSEEN: ("cannot be checked", "cannot be checked"),
        Finding.DISPUTED: ("is disputed", "are disputed"),
        Finding.WRONG: ("is wrong", "are wrong"),
    }
    tournament = feed.tournament
    tell(f"{tournament.plan.name}, as {source} has it:")
    checked = audited(tournament, records)
    for each in checked:
        if each.why and each.board.result is not None:
            tell(f"{each.name}: {each.board.result.score} {words[each.finding][0]}: {each.why}.")
    counts = {finding: sum(each.finding is finding for each in checked) for finding in Finding}
    # The document that closes an event is a round without pairings.
    rounds = sum(bool(each.pairings) for each in tournament.rounds)
    results = ", ".join(f"{n} {plural(n, *words[each])}" for each, n in counts.items() if n)
    tell(
        f"Rounds: {rounds}, each as the plan and those before it require. "
        f"Results: {results or 'none yet'}."
    )
    if missing := [each for each in checked if _lacks_record(each, records)]:
        tell(_where_to_find(tournament, missing, source, home, nothing=not counts[Finding.HOLDS]))
    if feed.fault is not None:
        tell(f"The host broke the rules of the event: {feed.fault}.")
    try:
        if club is not None:
            club.check_event(tournament)
            tell("The club's log has the event, and each of these rounds.")
    except ForkedLog as error:
        tell(f"The host broke the rules of the event: {error}.")
        return ExitCode.CHEATING_PROVED
    except VerificationError as error:
        tell(f"The club's log: {error}.")
        return ExitCode.VERIFICATION_FAILED
    if feed.fault is not None or counts[Finding.WRONG]:
        return ExitCode.CHEATING_PROVED
    if counts[Finding.DISPUTED]:
        return ExitCode.VERIFICATION_FAILED
    return ExitCode.NOT_SHOWN if missing and not counts[Finding.HOLDS] else ExitCode.OK


def _lacks_record(checked: Checked, records: Mapping[str, bytes]) -> bool:
    """Whether a result rests on a record that is not at hand."""
    result = checked.board.result
    return result is not None and result.record is not None and checked.name not in records


def _where_to_find(
    tournament: Tournament, missing: Sequence[Checked], source: str, home: Home, *, nothing: bool
) -> str:
    """What to do about records that are not at hand."""
    what = "Nothing could be" if nothing else f"{counted(len(missing), 'result')} could not be"
    name = tournament.plan.name
    own = EventFolder(folder_of(home, name))
    with suppress(StorageError):
        same = own.exists and own.load().tournament.plan.digest == tournament.plan.digest
        if same and any(each.name in own.records() for each in missing):
            return (
                f"{what} checked: {source} does not have the records. This node has "
                f"them: ataxxd event check {own.path}"
            )
    return (
        f"{what} checked: {source} does not have the records. The host keeps them in "
        f"events/{name} of its home: ask for that folder, then: ataxxd event check DIR"
    )
