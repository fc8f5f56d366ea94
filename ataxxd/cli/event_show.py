"""``ataxxd event show`` and ``ataxxd event check``: the state of an event, and whether it is valid.

Also what all commands for events share: finding an event, and naming and showing it.
"""

from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from typing import Any

from ataxxd.cli.club import read_log_file
from ataxxd.cli.commands.tournament import EventCheckOptions, EventShowOptions
from ataxxd.cli.connect import choose_broker
from ataxxd.cli.output import print_json, print_message, print_result
from ataxxd.errors import (
    AtaxxdError,
    ExitCode,
    StorageError,
    TransportError,
    UsageError,
    VerificationError,
)
from ataxxd.node.command_lines import command_line
from ataxxd.node.game_finder import GameName
from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.node.names import NameBook, known_names, learn_names
from ataxxd.node.seats import split_broker
from ataxxd.session.record import dump_record
from ataxxd.times import format_duration
from ataxxd.tournament.club_log import ClubLog, ForkedLog
from ataxxd.tournament.feed import EventFeed, EventNotFoundError, find_plan, read_event
from ataxxd.tournament.folder import EventFolder, event_folder_path, fetch_records
from ataxxd.tournament.tournament import (
    Board,
    CheckedResult,
    Finding,
    Tournament,
    audit_results,
    game_name,
    is_matching_offer,
)
from ataxxd.transport.address import resolve_broker
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.shared import SharedConnection
from ataxxd.wording import format_count, plural
from ataxxd_protocol.messages import EventPlan, EventRound
from ataxxd_protocol.signing import digest


def split_event(text: str, broker: str | None) -> tuple[GameName, str | None]:
    """Split ``NAME[#ID][@BROKER]`` into the event and its broker; None for the usual broker.

    Raises:
        UsageError: the text is not of this form.
    """
    wanted, named = split_broker(text)
    return wanted, resolve_broker(named, broker)


@asynccontextmanager
async def open_connection(
    broker_url: str | None, home: Path | None
) -> AsyncIterator[Callable[[], Transport]]:
    """Connect to a broker; yields a function that creates transports on the connection.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    async with (
        choose_broker(broker_url, home=home) as broker,
        SharedConnection(MqttTransport(broker.url)) as shared,
    ):
        yield shared.make_line


async def read(wanted: GameName, line: Callable[[], Transport], seconds: float) -> EventFeed:
    """Read the event that `wanted` means from the broker.

    Raises:
        GameError: there is no such event, or more than one.
    """
    async with line() as transport:
        plan = await find_plan(transport, wanted, seconds=seconds)
    async with line() as transport:
        return await read_event(transport, plan, seconds=seconds)


_SYSTEMS = {"round-robin": "round robin", "swiss": "Swiss system"}


def event_lines(tournament: Tournament, names: NameBook) -> Iterator[str]:
    """The plan, the rounds and the table of an event, line by line; `names` has the nicknames."""
    plan = tournament.plan
    yield (
        f"{plan.name}, {plan.ruleset}: {_SYSTEMS[plan.system]}, "
        f"{format_count(plan.rounds, 'round')}, {format_count(len(plan.players), 'player')}, "
        f"{format_duration(plan.round_ms)} a round, hosted by {names.display_name(plan.host)}"
    )
    for each in tournament.rounds:
        if each.withdrawn:
            yield f"withdrawn: {', '.join(names.display_name(node) for node in each.withdrawn)}"
        if each.number <= plan.rounds:
            yield f"round {each.number}"
            yield from pairing_lines(tournament, each, names)
    yield from table_lines(tournament, names)


def pairing_lines(tournament: Tournament, of: EventRound, names: NameBook) -> Iterator[str]:
    """The pairings of a round, with the results so far, and the byes, line by line."""
    for board in tournament.boards:
        if board.number == of.number:
            yield f"  {_line(tournament, board, names)}"
    if of.byes:
        yield f"  bye: {', '.join(names.display_name(node) for node in of.byes)}"


def table_lines(tournament: Tournament, names: NameBook) -> Iterator[str]:
    """The table of an event, line by line, the best player first."""
    played = max(0, len(tournament.rounds) - 1)
    width = max(len(names.display_name(node)) for node in tournament.plan.players)
    yield f"table after {played} of {tournament.plan.rounds} rounds"
    for place, (node, line) in enumerate(tournament.standings(), 1):
        byes = f"  {format_count(line.byes, 'bye')}" if line.byes else ""
        gone = "  withdrawn" if node in tournament.withdrawn else ""
        yield (
            f"{place:4}  {names.display_name(node):{width}}  {line.points / 2:4g}  "
            f"Buchholz {line.buchholz / 2:g}  Sonneborn-Berger {line.sonneborn_berger / 4:g}  "
            f"+{line.won} ={line.drawn} -{line.lost}{byes}{gone}"
        )
    for places in tournament.level_places():
        between = "and" if len(places) == 2 else "to"
        yield f"places {places[0]} {between} {places[-1]} are level: the seeding orders them"


def find_player(who: str, plan: EventPlan, names: NameBook) -> str:
    """The node id of an event's player, from a nickname, an id or the beginning of an id.

    Raises:
        UsageError: it means no player, or more than one.
    """
    prefix = who.replace("-", "").lower()
    found = [node for node in plan.players if node == prefix]
    found = found or [node for node in plan.players if names.name_of(node) == who.lower()]
    found = found or [node for node in plan.players if prefix and node.startswith(prefix)]
    if len(found) == 1:
        return found[0]
    players = ", ".join(names.display_name(node, full_id=True) for node in found or plan.players)
    if found:
        raise UsageError(f"{who} may mean {players}. Name one by its id.")
    raise UsageError(f"{who!r} is not a player of {plan.name}. There are {players}.")


def describe_place(tournament: Tournament, node: str) -> str:
    """A player's place in the table, as a sentence for that player."""
    for place, (each, line) in enumerate(tournament.standings(), 1):
        if each == node:
            points = f"{line.points / 2:g} {'point' if line.points == 2 else 'points'}"
            level = any(place in places for places in tournament.level_places())
            return (
                f"You are {_ordinal(place)} of {len(tournament.plan.players)} with {points}"
                f"{', by the seeding' if level else ''}."
            )
    raise AssertionError("whoever plays in an event is in its table")


def _ordinal(number: int) -> str:
    teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


_IN_TABLE = ("points", "buchholz", "sonneborn_berger", "direct", "won", "drawn", "lost", "byes")


def event_to_json(tournament: Tournament) -> dict[str, Any]:
    """An event as a JSON object; points in half points, Sonneborn-Berger in quarter points."""
    plan = tournament.plan
    level = [place for places in tournament.level_places() for place in places]
    return {
        "plan": plan.fields(),
        "over": tournament.over,
        "withdrawn": sorted(tournament.withdrawn),
        "rounds": [
            {
                "number": each.number,
                "byes": list(each.byes),
                "boards": [
                    {
                        "game": board.name,
                        "first": board.pairing.first,
                        "second": board.pairing.second,
                        "score": None if board.result is None else board.result.score,
                        "record": None if board.result is None else board.result.record,
                    }
                    for board in tournament.boards
                    if board.number == each.number
                ],
            }
            for each in tournament.rounds
            if each.number <= plan.rounds
        ],
        "table": [
            {"node": node}
            | {name: getattr(line, name) for name in _IN_TABLE}
            | {"by_seeding": place in level}
            for place, (node, line) in enumerate(tournament.standings(), 1)
        ],
    }


def result_line(board: Board, names: NameBook) -> str:
    """The result of a game, such as ``Round 1: ann (k7fq-3xa2) 1-0 bob (yxqv-b6lm)``."""
    first, second = (
        names.display_name(each) for each in (board.pairing.first, board.pairing.second)
    )
    score, remark = _result(board)
    return f"Round {board.number}: {first} {score} {second}{remark and f', {remark}'}"


def _result(board: Board) -> tuple[str, str]:
    """The score to print between the players of a game, and a remark about it."""
    result = board.result
    if result is None:
        return "-", ""
    nobodys = result.score == "*"
    remarks = ["neither gets a point"] if nobodys else []
    if result.record is None:
        remarks.append("forfeited")
    return "-" if nobodys else result.score, ", ".join(remarks)


def _line(tournament: Tournament, board: Board, names: NameBook) -> str:
    # The column of names is as wide as the name of the last game.
    plan = tournament.plan
    width = len(game_name(plan, plan.rounds, len(plan.players) // 2))
    score, remark = _result(board)
    widest = max(len(names.display_name(node)) for node in plan.players)
    first, second = (
        names.display_name(each) for each in (board.pairing.first, board.pairing.second)
    )
    return (
        f"{board.name:{width}}  {first:{widest}}  {score:^7}  {second:{widest}}  {remark}".rstrip()
    )


async def run_show(options: EventShowOptions) -> ExitCode:
    """Show the pairings, results and table of an event."""
    wanted, url = split_event(options.name, options.broker)
    home, save = options.home, options.save
    records: Mapping[str, bytes] = {}
    try:
        async with open_connection(url, home) as line:
            feed = await read(wanted, line, options.wait)
            if save is not None:
                records = await fetch_records(feed.tournament, line, seconds=options.wait)
                _save(save, feed.tournament, records)
            if not options.as_json:
                await _learn_players(feed.tournament.plan, home, line)
    except (EventNotFoundError, TransportError) as error:
        own = _find_own_folder(wanted, Home(home), error)
        feed = own.load()
        if save is not None:
            records = own.records()
            _save(save, feed.tournament, records)
    if save is not None:
        print_message(f"Wrote the event and {format_count(len(records), 'record')} to {save}.")
    if options.as_json:
        print_json(event_to_json(feed.tournament))
    else:
        with known_names(home) as names:
            print_result(*event_lines(feed.tournament, names))
    if feed.fault is not None:
        print_message(f"The host broke the rules of the event: {feed.fault}.")
        return ExitCode.CHEATING_PROVED
    return ExitCode.OK


def _save(folder: Path, tournament: Tournament, records: Mapping[str, bytes]) -> None:
    kept = EventFolder(folder)
    kept.clear()
    kept.write_document(tournament.plan)
    for each in tournament.rounds:
        kept.write_document(each)
    for name, data in records.items():
        kept.write_record(name, data)


def run_check(options: EventCheckOptions) -> int | Coroutine[Any, Any, int]:
    """Check an event: every pairing, and every result by its record."""
    club = None if options.log is None else read_log_file(options.log)
    folder = EventFolder(Path(options.name))
    if folder.exists:
        source = f"the folder {folder.path}"
        return _judge(folder.load(), folder.records(), source, club, Home(options.home))
    return _check(options, club)


async def _check(options: EventCheckOptions, club: ClubLog | None) -> ExitCode:
    wanted, url = split_event(options.name, options.broker)
    home = Home(options.home)
    try:
        async with open_connection(url, options.home) as line:
            feed = await read(wanted, line, options.wait)
            records = await fetch_records(feed.tournament, line, seconds=options.wait)
            await _learn_players(feed.tournament.plan, options.home, line)
    except (EventNotFoundError, TransportError) as error:
        own = _find_own_folder(wanted, home, error)
        return _judge(own.load(), own.records(), f"the folder {own.path}", club, home)
    return _judge(feed, records, "the broker", club, home)


async def _learn_players(plan: EventPlan, home: Path | None, line: Callable[[], Transport]) -> None:
    with known_names(home, store_new=True) as names:
        async with line() as transport:
            await learn_names(names, transport, [plan.host, *plan.players])


def explain_error(error: AtaxxdError, wanted: GameName) -> AtaxxdError:
    """The error for an event that cannot be found; suggests that its host may run the broker."""
    if not isinstance(error, TransportError):
        return error
    return TransportError(
        f"{error}\nIf the host's program is the broker, the host starts it with: ataxxd event run "
        f"{wanted.name}"
    )


def _find_own_folder(wanted: GameName, home: Home, error: AtaxxdError) -> EventFolder:
    """The folder in which this node keeps an event that no broker has.

    Raises:
        AtaxxdError: there is none of that event; the broker's own error.
    """
    own = EventFolder(event_folder_path(home, wanted.name))
    if not own.exists or not own.load().tournament.plan.host.startswith(wanted.prefix):
        raise explain_error(error, wanted) from None
    print_message(f"{error}\nTaken from this node's folder: {own.path}")
    return own


def _judge(
    feed: EventFeed, records: dict[str, bytes], source: str, club: ClubLog | None, home: Home
) -> ExitCode:
    # The words for one result, and for several.
    words = {
        Finding.HOLDS: ("holds", "hold"),
        Finding.UNSEEN: ("cannot be checked", "cannot be checked"),
        Finding.DISPUTED: ("is disputed", "are disputed"),
        Finding.WRONG: ("is wrong", "are wrong"),
    }
    tournament = feed.tournament
    ours = _better_records(tournament, records, home)
    records = {**records, **ours}
    with_ours = f", with {format_count(len(ours), 'record')} of this node" if ours else ""
    print_result(f"{tournament.plan.name}, as {source} has it{with_ours}:")
    checked = audit_results(tournament, records)
    with known_names(home.path) as names:
        for each in checked:
            if each.why:
                told = result_line(each.board, names)
                print_result(f"{told} {words[each.finding][0]}: {each.why.rstrip('.')}.")
    counts = {finding: sum(each.finding is finding for each in checked) for finding in Finding}
    # The document that closes an event is a round without pairings.
    rounds = sum(bool(each.pairings) for each in tournament.rounds)
    results = ", ".join(f"{n} {plural(n, *words[each])}" for each, n in counts.items() if n)
    print_result(
        f"Rounds: {rounds}, each as the plan and those before it require. "
        f"Results: {results or 'none yet'}."
    )
    if missing := [each for each in checked if _lacks_record(each, records)]:
        print_result(
            _advise_on_missing(tournament, missing, source, nothing=not counts[Finding.HOLDS])
        )
    if feed.fault is not None:
        print_result(f"The host broke the rules of the event: {feed.fault}.")
    try:
        if club is not None:
            club.check_event(tournament)
            print_result("The club's log has the event, and each of these rounds.")
    except ForkedLog as error:
        print_result(f"The host broke the rules of the event: {error}.")
        return ExitCode.CHEATING_PROVED
    except VerificationError as error:
        print_result(f"The club's log: {error}.")
        return ExitCode.VERIFICATION_FAILED
    if feed.fault is not None or counts[Finding.WRONG]:
        return ExitCode.CHEATING_PROVED
    if counts[Finding.DISPUTED]:
        return ExitCode.VERIFICATION_FAILED
    return ExitCode.NOT_SHOWN if missing and not counts[Finding.HOLDS] else ExitCode.OK


def _lacks_record(checked: CheckedResult, records: Mapping[str, bytes]) -> bool:
    """Whether a result rests on a record that is not at hand."""
    result = checked.board.result
    return result is not None and result.record is not None and checked.board.name not in records


def _better_records(
    tournament: Tournament, records: Mapping[str, bytes], home: Home
) -> dict[str, bytes]:
    """This node's records for games whose record is missing, or is not the result's own."""
    found: dict[str, bytes] = {}
    for board in tournament.boards:
        name = board.name
        wanted = None if board.result is None else board.result.record
        if wanted is None or (name in records and digest(records[name]) == wanted):
            continue
        ours = [*_records_here(tournament, board, home)]
        exact = [record for record in ours if digest(record) == wanted]
        if exact or (ours and name not in records):
            found[name] = (exact or ours)[0]
    return found


def _records_here(tournament: Tournament, board: Board, home: Home) -> Iterator[bytes]:
    """The records of a game in the folder and in the journal of this node."""
    own = EventFolder(event_folder_path(home, tournament.plan.name))
    with suppress(StorageError):
        same = own.exists and own.load().tournament.plan.digest == tournament.plan.digest
        if same and (record := own.record(board.name)) is not None:
            yield record
    if not home.journal.exists():
        return
    with suppress(StorageError), closing(Journal(home.journal)) as journal:
        for stored in journal.games_named(board.name):
            if is_matching_offer(tournament.plan, board, stored.offer):
                yield dump_record(journal.ledger(stored))


def _advise_on_missing(
    tournament: Tournament, missing: Sequence[CheckedResult], source: str, *, nothing: bool
) -> str:
    """What to do about records that are not at hand."""
    what = "Nothing could be" if nothing else f"{format_count(len(missing), 'result')} could not be"
    return (
        f"{what} checked: neither {source} nor this node has the records. The host keeps them in "
        f"events/{tournament.plan.name} of its home: ask for that folder, then: "
        f"{command_line('event check DIR')}"
    )
