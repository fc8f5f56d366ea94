"""``ataxxd match``: engine against engine, many games, and what they say about strength."""

import json
import math
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import TracebackType
from typing import Annotated, Self, TextIO

import typer

from ataxxd.cli import options
from ataxxd.cli.files import check_apart
from ataxxd.cli.say import say, tell
from ataxxd.cli.setup import chosen_ruleset, start_position
from ataxxd.engines.match.checkpoint import Checkpoint, Result, Standings
from ataxxd.engines.match.run import (
    Adjudication,
    Match,
    Plan,
    TimeControl,
    digest_of,
    openings_of_file,
    random_openings,
)
from ataxxd.engines.match.statistics import SequentialTest, Verdict, estimate, interval
from ataxxd.errors import AtaxxdError, ExitCode, StorageError, UsageError
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.limits import USUAL_HASH_MB, Limits
from ataxxd.rules.notation.formats import format_named
from ataxxd.rules.notation.game import GameRecord
from ataxxd.sanitize import sanitized
from ataxxd.times import clock_fields, duration_ms
from ataxxd.wording import counted
from ataxxd_clients.text.console import Terminal

_FORMATS = {"ataxx": "pgn", "loa": "pgn", "checkers": "pdn", "reversi": "ggf"}


class Scoreboard:
    """Shows a match as it goes, and writes its games.

    Args:
        titles: of the players.
        games: how many there are to be.
        ruleset: what is played.
        test: the sequential test, if there is one.
        transcript: where the games go, if anywhere.
        done: the games played before.
        json: the result is one JSON object, however the match ends.

    Raises:
        StorageError: the transcript cannot be written.
    """

    def __init__(
        self,
        titles: tuple[str, str],
        games: int,
        ruleset: str,
        test: SequentialTest | None,
        transcript: Path | None,
        done: Sequence[Result],
        *,
        json: bool,
    ) -> None:
        self._titles = titles
        # All games count, also those that were played when there were to be more.
        more = sum(result.number >= games for result in done)
        self._games = games + more
        self._ruleset = ruleset
        self._test = test
        self._json = json
        terminal = Terminal.of(sys.stderr)
        self._live, self._width = terminal.cursor, terminal.width - 1
        self._height = 0
        self._warned = False
        self._path = transcript
        self._transcript: TextIO | None = None
        if transcript is not None:
            try:
                self._transcript = transcript.open("w", encoding="utf-8")
            except OSError as error:
                raise _unwritable(transcript, error) from None
        if done:
            say(f"{counted(len(done), 'game')} already played; the match continues.")
        if more:
            say(f"{more} of them are more than --games {games} asks for; they count all the same.")
        for result in done:
            self._write(result)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        """Close the transcript."""
        if self._transcript is not None:
            self._transcript.close()

    def show(self, result: Result, standings: Standings) -> None:
        """A game is finished; `standings` count it.

        Raises:
            StorageError: the transcript cannot be written.
        """
        self._write(result)
        first, second = (self._titles[result.player(side)] for side in Side)
        if result.fault is not None:
            self._clear()
            say(f"Game {result.number + 1}: {result.fault}")
        if self._live:
            self._draw(standings)
        else:
            say(
                f"Game {result.number + 1}: {first} - {second} {result.score} "
                f"({result.termination}); {', '.join(_rating(standings, self._test))}"
            )

    def warn_of_repeats(self, number: int | None) -> None:
        """Say it once that openings come again from this game on, from 0; None: they do not."""
        if number is None or self._warned:
            return
        self._warned = True
        self._clear()
        # A file of one opening has no plural.
        few = "there is one opening" if number == 2 else f"there are {number // 2} openings"
        say(
            f"From game {number + 1} on, openings come again ({few}). Players that play the same "
            "each time play the same games again, and the result is surer than it should be. "
            "Give more openings, or play fewer games."
        )

    def interrupted(self, standings: Standings, *, resumable: bool) -> None:
        """The match was stopped."""
        self._clear()
        played = sum(standings.games)
        how = "the same command continues" if resumable else "with --state it could continue"
        say(f"Stopped after {played} of {self._games} games; {how}.")
        self._tell(standings)

    def conclude(self, standings: Standings) -> None:
        """The match is over."""
        self._clear()
        self._tell(standings)

    def _tell(self, standings: Standings) -> None:
        if self._json:
            tell(_as_json(self._titles, self._games, standings, self._test))
            return
        for line in _table(self._titles, self._games, standings, self._test, over=True):
            tell(line)

    def _draw(self, standings: Standings) -> None:
        lines = list(_table(self._titles, self._games, standings, self._test))
        up = f"\x1b[{self._height}A" if self._height else ""
        self._height = len(lines)
        # A line that is folded would count for two on the way up.
        text = "".join(f"{sanitized(line)[: self._width]}\n" for line in lines)
        sys.stderr.write(f"{up}\x1b[J{text}")
        sys.stderr.flush()

    def _clear(self) -> None:
        if self._height:
            sys.stderr.write(f"\x1b[{self._height}A\x1b[J")
            sys.stderr.flush()
            self._height = 0

    def _write(self, result: Result) -> None:
        if self._transcript is None or self._path is None:
            return
        game = _record(result, self._titles, self._ruleset)
        form = format_named(_FORMATS[game.start.game])
        assert form is not None
        try:
            self._transcript.write(form.write(game) + "\n")
            self._transcript.flush()
        except OSError as error:
            raise _unwritable(self._path, error) from None


def _record(result: Result, titles: tuple[str, str], ruleset: str) -> GameRecord:
    start = Position.from_text(ruleset, result.start)
    winner = {"1-0": Side.FIRST, "0-1": Side.SECOND}.get(result.score)
    first, second = (titles[result.player(side)] for side in Side)
    return GameRecord(
        start,
        tuple(Move(start.game, text) for text in result.moves),
        Outcome(result.termination, winner),
        players=(first, second),
        event=f"match, game {result.number + 1}",
        date=result.date,
    )


def _table(
    titles: tuple[str, str],
    games: int,
    standings: Standings,
    test: SequentialTest | None,
    *,
    over: bool = False,
) -> Iterator[str]:
    lost, drawn, won = standings.games
    width = max(6, *map(len, titles))
    yield f"{'':{width}}   won  drawn   lost  failed"
    for title, wins, losses, failures in (
        (titles[0], won, lost, standings.failures[0]),
        (titles[1], lost, won, standings.failures[1]),
    ):
        yield f"{title:{width}} {wins:5} {drawn:6} {losses:6} {failures:7}"
    yield f"{won + drawn + lost} of {games} games, pairs by points {_listed(standings.pairs)}"
    yield from _rating(standings, test, over=over)


def _listed(pairs: Sequence[int]) -> str:
    return " ".join(
        f"{points}: {count}"
        for points, count in zip(("0", "½", "1", "1½", "2"), pairs, strict=True)
    )


def _rating(
    standings: Standings, test: SequentialTest | None, *, over: bool = False
) -> Iterator[str]:
    lost, drawn, won = standings.games
    played = lost + drawn + won
    if played:
        yield f"score {(won + drawn / 2) / played:.1%} (+{won} ={drawn} -{lost})"
    found = estimate(standings.counts)
    if found is not None:
        likely = "" if found.superiority is None else f", superior with {_share(found.superiority)}"
        pairs = sum(standings.pairs)
        # The games of pairs that are not complete are in the score only.
        of = f" by {pairs} whole pair{'s' * (pairs > 1)}" if pairs and 2 * pairs < played else ""
        yield f"Elo {_elo(found.elo)}{_bounds(standings.counts, found.error)}{of}{likely}"
    if test is not None:
        low, high = test.bounds
        yield (
            f"SPRT {test.elo0:g} to {test.elo1:g}: log-likelihood ratio "
            f"{test.ratio(standings.pairs):.2f} ({low:.2f} to {high:.2f}), "
            f"{_verdict(test, standings, over=over)}"
        )


def _elo(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else "+∞" if value > 0 else "-∞"


def _bounds(counts: Sequence[int], error: float) -> str:
    if math.isfinite(error):
        return f" ± {error:.1f} (95 %)"
    low, high = interval(counts)
    # Where neither end is known there is nothing to tell.
    known = math.isfinite(low) or math.isfinite(high)
    return f" ({_elo(low)} to {_elo(high)}, 95 %)" if known else ""


def _share(part: float) -> str:
    """So much of a hundred; of games that can be counted, never all and never nothing."""
    if part >= 0.9995:
        return "over 99.9%"
    return "under 0.1%" if part < 0.0005 else f"{part:.1%}"


def _verdict(test: SequentialTest, standings: Standings, *, over: bool) -> str:
    verdict = test.verdict(standings.pairs)
    return "undecided" if over and verdict is Verdict.GOES_ON else str(verdict)


def _as_json(
    titles: tuple[str, str], games: int, standings: Standings, test: SequentialTest | None
) -> str:
    lost, drawn, won = standings.games
    found = estimate(standings.counts)
    value: dict[str, object] = {
        "players": list(titles),
        "games": games,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "pairs": standings.pairs,
        "failures": standings.failures,
    }
    if found is not None:
        # No number stands for "without bound" in JSON.
        value |= {
            "elo": _finite(found.elo),
            "error": _finite(found.error),
            "interval": [*map(_finite, interval(standings.counts))],
            "superiority": found.superiority,
        }
    if test is not None:
        value |= {
            "llr": test.ratio(standings.pairs),
            "bounds": list(test.bounds),
            "verdict": _verdict(test, standings, over=True),
        }
    return json.dumps(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _unwritable(path: Path, error: OSError) -> StorageError:
    return StorageError(f"--transcript {path} cannot be written: {error.strerror}.")


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
    json: options.Json = False,
) -> int:
    """Play a match of many games to compare two players.

    Each opening is played twice, with sides swapped. The result is the first player's: won,
    drawn, lost, and Elo with its 95 % interval. With --sprt the command exits with 0 if ELO1
    is shown, and with 14 otherwise.
    """
    if games % 2:
        raise UsageError(f"--games {games}: each opening is played twice; take {games + 1}.")
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
    with ExitStack() as stack:
        kept = None
        if state is not None:
            described = _described(plan, start, plies, openings)
            if listed:
                described["openings_digest"] = digest_of(listed)
            kept = stack.enter_context(closing(Checkpoint(state, described)))
        done = [] if kept is None else kept.results
        numbers = {result.number for result in done}
        match = stack.enter_context(closing(Match(plan, beginnings, numbers)))
        board = stack.enter_context(
            Scoreboard(match.titles, games, start.ruleset, test, transcript, done, json=json)
        )
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


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt


def _decided(test: SequentialTest | None, standings: Standings) -> bool:
    return test is not None and test.verdict(standings.pairs) is not Verdict.GOES_ON


def _described(plan: Plan, start: Position, plies: int, openings: Path | None) -> dict[str, object]:
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
