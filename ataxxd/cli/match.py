"""``ataxxd match``: engine against engine, many games, and what they say about strength."""

import platform
import signal
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.files import check_apart
from ataxxd.cli.say import say
from ataxxd.cli.scoreboard import Scoreboard
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.cli.worker import check_nats
from ataxxd.engines.match.checkpoint import Checkpoint, Standings
from ataxxd.engines.match.game import Adjudication, TimeControl
from ataxxd.engines.match.openings import digest_of, openings_of_file, random_openings
from ataxxd.engines.match.run import Match, Plan
from ataxxd.engines.match.statistics import SequentialTest, Verdict
from ataxxd.errors import AtaxxdError, ExitCode, UsageError
from ataxxd.rules import Position
from ataxxd.rules.limits import USUAL_HASH_MB, Limits
from ataxxd.times import clock_fields, duration_ms

if TYPE_CHECKING:
    from ataxxd.match_queue.match import QueueMatch

# By which the engines of others play, so that results compare; ours plays by every ruleset.
_USUAL_RULESETS = {"ataxx": "ataxx/uai", "checkers": "checkers/acf"}
_USUAL_MOVE_TIME = "100ms"


def run(
    player1: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER1",
            help="auto (our engine, limited by the match only), auto@LEVEL, auto:LIMIT (100ms, "
            "nodes:5000, depth:6), alphabeta:DEPTH, random, first, engine:COMMAND.",
        ),
    ],
    player2: Annotated[
        str, typer.Argument(metavar="PLAYER2", help="The second player, in the same form.")
    ],
    game: options.Game = options.USUAL_GAME,
    ruleset: Annotated[
        str | None,
        typer.Option(
            "--ruleset",
            metavar="ID",
            help="The rules; `ataxxd doctor` lists them.  [default: those of other engines: "
            "ataxx/uai and checkers/acf; else the game's first]",
            rich_help_panel=options.GAME,
        ),
    ] = None,
    games: Annotated[
        int,
        typer.Option("--games", min=2, metavar="N", help="Number of games, two for each opening."),
    ] = 100,
    concurrency: Annotated[
        int,
        typer.Option("--concurrency", min=1, max=256, metavar="N", help="Games to play at once."),
    ] = 1,
    clock: Annotated[
        str | None,
        typer.Option(
            "--clock",
            metavar="TIME",
            help="Time for a whole game: 10s+100ms, 1m; minutes and seconds as 5+3.",
            rich_help_panel=options.THINKING,
        ),
    ] = None,
    older_clock: Annotated[str | None, typer.Option("--time", hidden=True)] = None,
    move_time: Annotated[
        str | None,
        typer.Option(
            "--move-time",
            metavar="TIME",
            help="Time for each move.  [default: 100ms]",
            rich_help_panel=options.THINKING,
        ),
    ] = None,
    nodes: options.Nodes = None,
    depth: Annotated[
        int | None,
        typer.Option(
            "--depth",
            min=1,
            max=100,
            metavar="N",
            help="Plies to look ahead.",
            rich_help_panel=options.THINKING,
        ),
    ] = None,
    margin: Annotated[
        str,
        typer.Option(
            "--margin",
            metavar="TIME",
            help="How late a move may be before it loses on time.",
            rich_help_panel=options.THINKING,
        ),
    ] = "100ms",
    plies: Annotated[
        int,
        typer.Option(
            "--plies",
            min=0,
            max=100,
            metavar="N",
            help="Random moves that make an opening.",
            rich_help_panel=options.GAME,
        ),
    ] = 6,
    openings: Annotated[
        Path | None,
        typer.Option(
            "--openings",
            metavar="FILE",
            help="Start from these positions, one per line.",
            rich_help_panel=options.GAME,
        ),
    ] = None,
    position: options.Position = None,
    blocks: options.Blocks = None,
    hash_mb: options.Hash = None,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="N", help="Seed of the openings and the random players."),
    ] = 1,
    resign: Annotated[
        str | None,
        typer.Option(
            "--resign",
            metavar="MOVES:SCORE",
            help="Score as lost after this many moves in a row at minus this score or worse, such "
            "as 4:1000.",
            rich_help_panel=options.TERMS,
        ),
    ] = None,
    draw: Annotated[
        str | None,
        typer.Option(
            "--draw",
            metavar="FROM:MOVES:SCORE",
            help="From move FROM on, score as drawn after this many moves within this score, such "
            "as 30:8:10.",
            rich_help_panel=options.TERMS,
        ),
    ] = None,
    max_plies: Annotated[
        int,
        typer.Option(
            "--max-plies",
            min=1,
            metavar="N",
            help="Score a longer game as drawn.",
            rich_help_panel=options.TERMS,
        ),
    ] = 500,
    sprt: Annotated[
        str | None,
        typer.Option(
            "--sprt",
            metavar="ELO0:ELO1",
            help="Stop as soon as ELO0 or ELO1 is established; ELO0:ELO1:ALPHA:BETA for other "
            "risks than 0.05.",
        ),
    ] = None,
    state: Annotated[
        Path | None,
        typer.Option(
            "--state",
            metavar="FILE",
            help="Save the match in FILE, and continue it from there.",
            rich_help_panel=options.FILES,
        ),
    ] = None,
    transcript: Annotated[
        Path | None,
        typer.Option(
            "--transcript",
            metavar="FILE",
            help="Write all games to FILE: PGN, PDN or GGF.",
            rich_help_panel=options.FILES,
        ),
    ] = None,
    queue_url: Annotated[
        str | None,
        typer.Option(
            "--queue",
            metavar="URL",
            help="Have `ataxxd worker` play the games, by this NATS server: nats://HOST:PORT. "
            "Needs --state.",
            rich_help_panel=options.NETWORK,
        ),
    ] = None,
    json: options.Json = False,
) -> int:
    """Play a match of many games to compare two players.

    Each opening is played twice, with sides swapped. The result is the first player's: won,
    drawn, lost, and Elo with its 95 % interval. With --sprt the command exits with 0 if ELO1
    is shown, and with 14 otherwise.
    """
    if games % 2:
        raise UsageError(f"--games {games}: each opening is played twice; take {games + 1}.")
    _check_queue(queue_url, state, concurrency)
    if openings is not None and (position is not None or blocks is not None):
        raise UsageError("--openings says where games begin: leave out --position and --blocks.")
    check_apart(
        reads=[("--openings", openings)], writes=[("--state", state), ("--transcript", transcript)]
    )
    start = start_position(game, ruleset or _USUAL_RULESETS.get(game), position, blocks)
    test = None if sprt is None else _test(sprt)
    plan = Plan(
        (player1, player2),
        games,
        concurrency,
        _control(clock or older_clock, move_time, nodes, depth, margin),
        _adjudication(resign, draw, max_plies),
        seed,
        hash_mb or USUAL_HASH_MB,
    )
    listed = [] if openings is None else openings_of_file(openings, start.ruleset)
    beginnings: Iterator[Position] = iter(listed) if listed else random_openings(start, plies, seed)
    described = _described(plan, start, plies, openings, listed)
    with ExitStack() as stack:
        kept = None
        if state is not None:
            kept = stack.enter_context(closing(Checkpoint(state, described)))
        done = [] if kept is None else kept.results
        numbers = {result.number for result in done}
        match = stack.enter_context(
            closing(
                Match(plan, beginnings, numbers)
                if queue_url is None or state is None
                else _queued(
                    (queue_url, state), described, plan, beginnings, numbers,
                    lambda text: board.note(text),  # noqa: PLW0108 - made below
                )
            )
        )  # fmt: skip
        board = stack.enter_context(
            Scoreboard(
                match.titles, games, start.ruleset, test, transcript, done,
                json=json, pace=lambda: match.pace,
            )
        )  # fmt: skip
        standings = Standings(done)
        stack.callback(signal.signal, signal.SIGTERM, signal.signal(signal.SIGTERM, _interrupt))
        try:
            if ruleset is None:
                _tell_rules(game, start.ruleset)
            results = match.results()
            while not _decided(test, standings) and (result := next(results, None)) is not None:
                if kept is not None:
                    kept.add(result)
                standings.add(result)
                board.show(result, standings)
                board.warn_of_repeats(match.repeats_from)
            match.end()
        except KeyboardInterrupt:
            board.interrupted(standings, resumable=kept is not None)
            return ExitCode.INTERRUPTED
        except AtaxxdError:
            # The games so far have been played all the same.
            board.conclude(standings)
            raise
        board.conclude(standings)
    if test is not None and test.verdict(standings.pairs) is not Verdict.SHOWN:
        return ExitCode.NOT_SHOWN
    return ExitCode.OK


def _check_queue(url: str | None, state: Path | None, concurrency: int) -> None:
    if url is None:
        return
    check_nats("--queue")
    if state is None:
        raise UsageError("--queue needs --state FILE, where the results are kept.")
    if concurrency > 1:
        raise UsageError(
            "With --queue it is the workers that play: give --concurrency to ataxxd worker."
        )


def _queued(
    place: tuple[str, Path],
    described: Mapping[str, object],
    plan: Plan,
    openings: Iterator[Position],
    done: Collection[int],
    tell: Callable[[str], None],
) -> "QueueMatch":
    """A match that workers play, by a server and a file of state."""
    from ataxxd.match_queue.match import QueueMatch, match_id  # noqa: PLC0415 - needs nats-py

    url, state = place
    ident = match_id(described, state, platform.node())
    return QueueMatch(url, ident, plan, openings, done, tell)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _decided(test: SequentialTest | None, standings: Standings) -> bool:
    return test is not None and test.verdict(standings.pairs) is not Verdict.GOES_ON


def _described(
    plan: Plan, start: Position, plies: int, openings: Path | None, listed: Sequence[Position]
) -> dict[str, object]:
    """What must be the same for a match to go on; how long it is may differ."""
    control, adjudication = plan.control, plan.adjudication
    each = control.per_move
    resign, draw = adjudication.resign, adjudication.draw
    return {
        "players": list(plan.players),
        "ruleset": start.ruleset,
        "openings": str(openings.absolute()) if openings else f"{plies} plies from {start.text}",
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
        **({"openings_digest": digest_of(listed)} if listed else {}),
    }


def _tell_rules(game: str, ruleset: str) -> None:
    """Say by which rules the match is played, where they are not those of ``ataxxd play``."""
    usual = chosen_ruleset(game, None).id
    if ruleset != usual:
        say(
            f"Rules: {ruleset}, which other engines use, so that results compare. Those of `ataxxd "
            f"play`: --ruleset {usual}"
        )


def _control(
    clock: str | None, move_time: str | None, nodes: int | None, depth: int | None, margin: str
) -> TimeControl:
    if clock is not None and move_time is not None:
        raise UsageError("--clock is for the whole game and --move-time for each move: choose one.")
    late = 0 if margin in ("0", "0ms", "0s") else duration_ms(margin, "--margin")
    fields = {} if clock is None else clock_fields(clock) or {}
    if "base_ms" in fields:
        return TimeControl(
            Limits(depth, nodes), fields["base_ms"], fields.get("increment_ms", 0), late
        )
    each = fields.get("move_ms")
    if each is None:
        if move_time is None and nodes is depth is None:
            move_time = _USUAL_MOVE_TIME
        each = None if move_time is None else duration_ms(move_time, "--move-time")
    return TimeControl(Limits(depth, nodes, each), margin_ms=late)


def _adjudication(resign: str | None, draw: str | None, max_plies: int) -> Adjudication:
    lost = None if resign is None else _numbers(resign, "--resign", "4:1000", 2)
    drawn = None if draw is None else _numbers(draw, "--draw", "30:8:10", 3)
    return Adjudication(
        max_plies,
        None if lost is None else (lost[0], lost[1]),
        None if drawn is None else (drawn[0], drawn[1], drawn[2]),
    )


def _numbers(text: str, option: str, example: str, count: int) -> list[int]:
    words = text.split(":")
    if len(words) != count or not all(word.isdecimal() and 0 < int(word) < 10**6 for word in words):
        raise UsageError(f"{option} {text!r} is not understood: write it as {option} {example}")
    return [int(word) for word in words]


def _test(text: str) -> SequentialTest:
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
