"""``ataxxd match``: compare players by many games; ``ataxxd worker`` plays them elsewhere."""

import asyncio
import os
import platform
import shlex
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, aclosing, closing, contextmanager, suppress
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ataxxd.cli.commands.engines import MatchOptions, TuneOptions, WorkerOptions
from ataxxd.cli.files import check_distinct_files
from ataxxd.cli.game_options import choose_ruleset, start_position
from ataxxd.cli.output import print_message, print_result
from ataxxd.cli.scoreboard import (
    WORKER_COLUMNS,
    LiveLines,
    Scoreboard,
    as_json,
    fact_lines,
    pace_of,
    played_of,
    progress_line,
    progress_lines,
    worker_rows,
)
from ataxxd.cli.signals import run_until_stopped, sigterm_interrupts
from ataxxd.engines import OURS
from ataxxd.engines.match import Match, Plan, Progress, TuningGuide
from ataxxd.engines.match.checkpoint import Checkpoint, CheckpointReader, Result, Standings
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.engines.match.openings import openings_digest, random_openings, read_openings
from ataxxd.engines.match.statistics import SequentialTest, Verdict
from ataxxd.engines.registry import canonical_name, kind_of
from ataxxd.engines.tuning import Tuner, tuning_progress
from ataxxd.errors import AtaxxdError, ExitCode, UsageError
from ataxxd.extras import explain_missing
from ataxxd.rules import Position, Side
from ataxxd.rules.limits import DEFAULT_HASH_MB, Limits
from ataxxd.sanitize import sanitized
from ataxxd.times import parse_clock, parse_duration_ms
from ataxxd.wording import format_count

if TYPE_CHECKING:
    from ataxxd.match_queue import QueueMatch
    from ataxxd_clients.web.match import MatchView

# External engines play by these, so results are comparable; ours plays by every ruleset.
DEFAULT_RULESETS = {"ataxx": "ataxx/uai", "checkers": "checkers/acf"}
_DEFAULT_MOVE_TIME = _DEFAULT_MARGIN = "100ms"


def run(options: MatchOptions) -> int:
    """Play a match of many games to compare two players."""
    if options.watch is not None:
        return run_watch(options, options.watch)
    if options.others:
        return _gauntlet(options, [options.player2, *options.others])
    code, _ = _match(options)
    return code


def _gauntlet(options: MatchOptions, opponents: Sequence[str | None]) -> int:
    """Have the first player meet each of the others in a match of its own."""
    if options.display:
        raise UsageError("--display shows one match: name two players.")
    if twice := [each for each in opponents if opponents.count(each) > 1]:
        raise UsageError(f"{twice[0]} is named twice as an opponent.")
    matches = [
        replace(
            options,
            player2=opponent,
            others=None,
            state=options.state and _numbered_path(options.state, number),
            transcript=options.transcript and _numbered_path(options.transcript, number),
        )
        for number, opponent in enumerate(opponents, 1)
    ]
    for each in matches:
        _check(each)
    lines: list[str] = []
    code = ExitCode.OK
    try:
        for each in matches:
            ended, progress = _match(each)
            lines.append(progress_line(progress))
            code = ended or code
            if ended is ExitCode.INTERRUPTED:
                break
    finally:
        # Print the finished matches even if the next player cannot be started.
        if lines and not options.json:
            print_result("", *lines)
    return code


def _numbered_path(path: Path, number: int) -> Path:
    """The file of one match of several: ``results-2.match`` for ``results.match``."""
    return path.with_stem(f"{path.stem}-{number}")


def _match(options: MatchOptions) -> tuple[ExitCode, Progress]:
    """Play a match; returns its exit code and its progress."""
    _check(options)
    start = start_position(
        options.game,
        options.ruleset or DEFAULT_RULESETS.get(options.game),
        options.position,
        options.blocks,
    )
    test = None if options.sprt is None else sequential_test(options.sprt)
    plan = Plan(
        _players(options),
        options.games,
        options.concurrency,
        time_control(
            clock=options.clock or options.older_clock,
            move_time=options.move_time,
            margin=options.margin,
            nodes=options.nodes,
            depth=options.depth,
        ),
        _adjudication(options),
        options.seed,
        options.hash_mb or DEFAULT_HASH_MB,
    )
    listed = [] if options.openings is None else read_openings(options.openings, start.ruleset)
    beginnings: Iterator[Position] = (
        iter(listed)
        if listed
        else random_openings(start, options.plies, options.seed, options.balanced)
    )
    described = match_settings(plan, start, options, options.openings, listed)
    with ExitStack() as stack:
        kept = None
        if options.state is not None:
            kept = stack.enter_context(closing(Checkpoint(options.state, described)))
        done = [] if kept is None else kept.results
        match = open_match(
            stack, options, described, plan, beginnings, done,
            lambda text: board.note(text),  # noqa: PLW0108 - made below
        )  # fmt: skip
        if kept is not None:
            kept.name_players(match.titles)
        board = stack.enter_context(
            Scoreboard(
                match.titles, options.games, start.ruleset, test, options.transcript, done,
                json=options.json, activity=lambda: match.activity,
            )
        )  # fmt: skip
        standings = Standings(done)
        latest = board.progress(standings)

        def now() -> Progress:
            return replace(latest, activity=match.activity)

        match.answer_requests(now)
        if options.display:
            stack.enter_context(match_page(now))
        stack.enter_context(sigterm_interrupts())
        try:
            if options.ruleset is None:
                _print_rules(options.game, start.ruleset)
            _print_limit(plan)
            results = match.results()
            while not _is_decided(test, standings) and (result := next(results, None)) is not None:
                if kept is not None:
                    kept.add(result)
                standings.add(result)
                latest = board.progress(standings)
                board.show(result, standings)
                board.warn_of_repeats(match.repeats_from)
            latest = replace(latest, over=True)
            match.end()
        except KeyboardInterrupt:
            board.interrupted(standings, resumable=kept is not None)
            return ExitCode.INTERRUPTED, latest
        except AtaxxdError:
            # Show the result of the games so far.
            board.conclude(standings)
            raise
        board.conclude(standings)
    if test is not None and test.verdict(standings.pairs) is not Verdict.SHOWN:
        return ExitCode.NOT_SHOWN, latest
    return ExitCode.OK, latest


def _check(options: MatchOptions) -> None:
    if options.games % 2:
        raise UsageError(
            f"--games {options.games}: each opening is played twice; take {options.games + 1}."
        )
    check_queue(options.queue_url, options.state, options.concurrency)
    if options.openings is not None and (
        options.position is not None or options.blocks is not None
    ):
        raise UsageError("--openings says where games begin: leave out --position and --blocks.")
    if options.openings is not None and options.balanced is not None:
        raise UsageError("--balanced chooses among random openings: leave out --openings.")
    check_distinct_files(
        reads=[("--openings", options.openings)],
        writes=[("--state", options.state), ("--transcript", options.transcript)],
    )


def check_queue(queue_url: str | None, state: Path | None, concurrency: int) -> None:
    """Check that ``--queue`` can be used with the other options, if it is given.

    Raises:
        UsageError: it cannot.
    """
    if queue_url is None:
        return
    check_nats("--queue")
    if state is None:
        raise UsageError("--queue needs --state FILE, where the results are kept.")
    if concurrency > 1:
        raise UsageError(
            "With --queue it is the workers that play: give --concurrency to `ataxxd worker`."
        )


def open_match(
    stack: ExitStack,
    options: MatchOptions | TuneOptions,
    described: Mapping[str, object],
    plan: Plan,
    openings: Iterator[Position],
    done: Iterable[Result],
    tell: Callable[[str], None],
    guide: TuningGuide | None = None,
) -> "Match | QueueMatch":
    """Open a match, played here or by the workers of ``--queue``; `stack` closes it."""
    numbers = {result.number for result in done}
    if options.queue_url is None or options.state is None:
        return stack.enter_context(closing(Match(plan, openings, numbers, print_message, guide)))
    from ataxxd.match_queue import QueueMatch, match_id  # needs nats-py

    ident = match_id(described, options.state, platform.node())
    queued = QueueMatch(options.queue_url, ident, plan, openings, numbers, tell, guide)
    return stack.enter_context(closing(queued))


def _players(options: MatchOptions) -> tuple[str, str]:
    if options.player1 is None or options.player2 is None:
        raise UsageError("A match needs two players, such as: ataxxd match auto random")
    return canonical_name(options.player1), canonical_name(options.player2)


def _is_decided(test: SequentialTest | None, standings: Standings) -> bool:
    return test is not None and test.verdict(standings.pairs) is not Verdict.GOES_ON


def match_settings(
    plan: Plan,
    start: Position,
    options: MatchOptions | TuneOptions,
    file: Path | None = None,
    listed: Sequence[Position] = (),
) -> dict[str, object]:
    """The settings that must be the same to resume a match; its length may differ."""
    control, adjudication = plan.control, plan.adjudication
    each = control.per_move
    resign, draw = adjudication.resign, adjudication.draw
    openings = f"{options.plies} plies from {start.text}"
    if options.balanced is not None:
        openings += f", within {options.balanced}"
    return {
        "players": list(plan.players),
        "ruleset": start.ruleset,
        "openings": openings if file is None else str(file.absolute()),
        "seed": plan.seed,
        "hash_mb": plan.hash_mb,
        "depth": each.depth,
        "nodes": each.nodes,
        "move_time_ms": each.time_ms,
        "base_ms": control.base_ms,
        "increment_ms": control.increment_ms,
        "margin_ms": control.margin_ms,
        "most_plies": adjudication.most_plies,
        "resign": None if resign is None else list(resign),
        "draw": None if draw is None else list(draw),
        **({"openings_digest": openings_digest(listed)} if listed else {}),
    }


def _print_rules(game: str, ruleset: str) -> None:
    """Say by which rules the match is played, if they are not those of ``ataxxd play``."""
    usual = choose_ruleset(game, None).id
    if ruleset != usual:
        print_message(
            f"Rules: {ruleset}, which other engines use, so that results compare. Those of `ataxxd "
            f"play`: --ruleset {usual}"
        )


def _print_limit(plan: Plan) -> None:
    """Say that nobody loses on time, if the limit is the default and a player could exceed it."""
    control = plan.control
    ours = all(kind_of(player) == OURS for player in plan.players)
    if control.forgives and control.per_move.time_ms is not None and not ours:
        print_message(
            f"Limit: {_DEFAULT_MOVE_TIME} for each move. Taking longer does not lose the game; "
            "with --move-time or --clock it does."
        )


def time_control(
    *,
    clock: str | None,
    move_time: str | None,
    margin: str | None,
    nodes: int | None,
    depth: int | None,
) -> TimeControl:
    """The time control from the options of these names.

    Raises:
        UsageError: an option is not valid, or two exclude each other.
    """
    if clock is not None and move_time is not None:
        raise UsageError("--clock is for the whole game and --move-time for each move: choose one.")
    # Nobody loses a game by a limit that nobody set.
    forgives = clock is move_time is margin is None
    margin = _DEFAULT_MARGIN if margin is None else margin
    late = 0 if margin in ("0", "0ms", "0s") else parse_duration_ms(margin, "--margin")
    fields = {} if clock is None else parse_clock(clock) or {}
    if "base_ms" in fields:
        return TimeControl(
            Limits(depth, nodes), fields["base_ms"], fields.get("increment_ms", 0), late
        )
    each = fields.get("move_ms")
    if each is None:
        if move_time is None and nodes is depth is None:
            move_time = _DEFAULT_MOVE_TIME
        each = None if move_time is None else parse_duration_ms(move_time, "--move-time")
    return TimeControl(Limits(depth, nodes, each), margin_ms=late, forgives=forgives)


def _adjudication(options: MatchOptions) -> Adjudication:
    resign, draw = options.resign, options.draw
    lost = None if resign is None else _numbers(resign, "--resign", "4:1000", 2)
    drawn = None if draw is None else _numbers(draw, "--draw", "30:8:10", 3)
    return Adjudication(
        options.max_plies,
        None if lost is None else (lost[0], lost[1]),
        None if drawn is None else (drawn[0], drawn[1], drawn[2]),
    )


def _numbers(text: str, option: str, example: str, count: int) -> list[int]:
    words = text.split(":")
    if len(words) != count or not all(word.isdecimal() and 0 < int(word) < 10**6 for word in words):
        raise UsageError(f"{option} {text!r} is not understood: write it as {option} {example}")
    return [int(word) for word in words]


def run_worker(options: WorkerOptions) -> int:
    """Play games of matches that `ataxxd match --queue` hands out."""
    check_nats("ataxxd worker")
    if options.name == "":
        raise UsageError("--name needs a name, or leave it out.")
    code = run_until_stopped(_work(options))
    # There is no other way to end a worker, so an interruption is no failure.
    return ExitCode.OK if code == ExitCode.INTERRUPTED else code


async def _work(options: WorkerOptions) -> ExitCode:
    from ataxxd.match_queue.server import connect  # needs nats-py
    from ataxxd.match_queue.worker import Worker  # needs nats-py

    name, played = options.name or f"{platform.node()}-{os.getpid()}", 0

    def show(result: Result, titles: tuple[str, str]) -> None:
        nonlocal played
        played += 1
        first, second = (titles[result.player(side)] for side in Side)
        print_message(
            f"Game {result.number + 1}: {first} - {second} {result.score} ({result.termination})"
        )

    server = await connect(options.url, print_message)
    try:
        print_message(f"Worker {name} plays games from {server.address}; Ctrl-C ends it.")
        worker = Worker(
            server, name, options.concurrency, allow_engines=options.allow_engines, on_result=show
        )
        await worker.run()
    finally:
        await server.close()
        print_message(f"Played {format_count(played, 'game')}.")
    return ExitCode.OK


_RETRY_S: Final = 1.0


def run_watch(options: MatchOptions, place: str) -> int:
    """Show the matches in a state file, or on a server, until they are over.

    Raises:
        UsageError: players are named, or `place` is neither a file nor a server.
    """
    if options.player1 is not None or options.state is not None or options.queue_url is not None:
        raise UsageError(
            "--watch plays nothing: leave out the players, --state and --queue. For the file of a "
            "match, --sprt says which test it was started with."
        )
    test = None if options.sprt is None else sequential_test(options.sprt)
    matches = (
        _matches_on_server(place)
        if "://" in place
        else _match_in_file(_single_match(Path(place)), test)
    )
    return run_until_stopped(_watch(matches, display=options.display, json=options.json))


def sequential_test(text: str) -> SequentialTest:
    """The sequential test that ``--sprt`` describes.

    Raises:
        UsageError: the text does not describe one.
    """
    try:
        numbers = [float(word) for word in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise UsageError(f"--sprt {text!r} is not understood: write it as --sprt 0:5")
    try:
        return SequentialTest(*numbers)
    except ValueError as error:
        raise UsageError(f"--sprt {text}: {error}.") from None


def check_nats(what: str) -> None:
    """Check that the NATS client is installed, which `what` needs.

    Raises:
        UsageError: it is not.
    """
    if find_spec("nats") is None:
        raise UsageError(explain_missing(what, "nats-py", "queue"))


def _matches_on_server(url: str) -> AsyncGenerator[Mapping[str, Progress], None]:
    check_nats("--watch with the address of a server")
    from ataxxd.match_queue import follow_matches  # needs nats-py

    return follow_matches(url, print_message)


async def _watch(
    matches: AsyncGenerator[Mapping[str, Progress], None], *, display: bool, json: bool
) -> ExitCode:
    """Show matches until all of them are over, then their results."""
    if not display:
        await _follow(matches, None, json=json)
        return ExitCode.OK
    from ataxxd_clients.web import server  # takes its time to load
    from ataxxd_clients.web.match import MatchRoom

    room = MatchRoom()

    def show(shown: Iterable[Progress]) -> None:
        room.show([match_view(progress) for progress in shown])

    await server.show(room, lambda: _follow(matches, show, json=json), print_line=print_message)
    return ExitCode.OK


async def _follow(
    matches: AsyncGenerator[Mapping[str, Progress], None],
    show: Callable[[Iterable[Progress]], None] | None,
    *,
    json: bool,
) -> None:
    screen, counted = LiveLines(), dict[str, int]()
    last: Mapping[str, Progress] = {}
    try:
        async with aclosing(matches) as seen:
            async for last in seen:
                if show is not None:
                    show(last.values())
                if screen.live:
                    screen.draw(line for each in last.values() for line in progress_lines(each))
                    continue
                for ident, progress in last.items():
                    if counted.get(ident) != sum(progress.games):
                        counted[ident] = sum(progress.games)
                        print_message(progress_line(progress))
    finally:
        screen.clear()
        for progress in last.values():
            print_result(*((as_json(progress),) if json else progress_lines(progress)))


def _tuner(settings: Mapping[str, Any]) -> Tuner | None:
    """The tuner that counts the games of a tuning; None for a match."""
    with suppress(KeyError, TypeError, ValueError):
        return Tuner.from_settings(settings)
    return None


def _single_match(path: Path) -> Path:
    first = _numbered_path(path, 1)
    if not path.exists() and first.exists():
        raise UsageError(
            f"There is no {path}. Of a match of several players each opponent has a file of its "
            f"own: --watch {shlex.quote(str(first))}"
        )
    return path


async def _match_in_file(
    path: Path, test: SequentialTest | None
) -> AsyncGenerator[Mapping[str, Progress], None]:
    """The progress of the match in a file, repeatedly, until nobody plays it."""
    with closing(CheckpointReader(path)) as file:
        standings, tuner = Standings(), _tuner(file.settings)
        while True:
            # Asked before reading, so that no game is added after the last read.
            played = file.is_played
            new = file.read()
            for result in new:
                standings.add(result)
                if tuner is not None:
                    tuner.add(result)
            if tuner is None:
                progress = Progress.of(file.titles, None, standings, test)
            else:
                planned = int(file.settings["games"])
                progress = tuning_progress(tuner, planned, standings)
            yield {str(path): progress}
            if not played:
                return
            await asyncio.sleep(_RETRY_S)


def match_view(progress: Progress) -> "MatchView":
    """The view of a match for the page."""
    from ataxxd_clients.web.match import MatchView, Player, Ratio

    lost, drawn, won = progress.games
    first, second = map(sanitized, progress.titles)
    failed, failed_too = progress.failures
    test, ratio = progress.test, None
    if test is not None:
        low, high = test.bounds
        ratio = Ratio(value=test.ratio(progress.pairs), low=low, high=high)
    return MatchView(
        players=[
            Player(name=first, won=won, drawn=drawn, lost=lost, failed=failed),
            Player(name=second, won=lost, drawn=drawn, lost=won, failed=failed_too),
        ],
        count=played_of(progress),
        played=lost + drawn + won,
        planned=progress.planned,
        pairs=[*progress.pairs],
        facts=[*fact_lines(progress)],
        ratio=ratio,
        pace=pace_of(progress.activity),
        columns=[*WORKER_COLUMNS],
        workers=[[*map(sanitized, row)] for row in worker_rows(progress)],
        over=progress.over,
    )


@contextmanager
def match_page(now: Callable[[], Progress]) -> Iterator[None]:
    """Show a match in the browser while the block plays it in this thread.

    Args:
        now: returns the match's progress; called regularly from another thread.
    """
    from ataxxd_clients.web import server  # takes its time to load
    from ataxxd_clients.web.match import MatchRoom

    room, ended = MatchRoom(), threading.Event()

    async def follow() -> None:
        while not ended.is_set():
            room.show([match_view(now())])
            await asyncio.to_thread(ended.wait, _RETRY_S)
        room.show([match_view(now())])

    def serve() -> None:
        asyncio.run(server.show(room, follow, print_line=print_message))

    thread = threading.Thread(target=serve, name="page")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
