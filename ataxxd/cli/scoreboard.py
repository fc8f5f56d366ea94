"""A match of engines on the terminal: the live table, the result, and the games in a file."""

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Self, TextIO

from ataxxd.cli.output import align_columns, print_message, print_result
from ataxxd.engines.match import Activity, Progress, residual
from ataxxd.engines.match.checkpoint import Result, Standings
from ataxxd.engines.match.statistics import SequentialTest, Verdict, elo_interval, estimate
from ataxxd.errors import storage_errors
from ataxxd.rules import Move, Outcome, Position, Side
from ataxxd.rules.notation import format_named
from ataxxd.rules.notation.game import GameRecord
from ataxxd.sanitize import sanitized
from ataxxd.wording import format_count
from ataxxd_clients.text.console import Terminal

# The formats of the games' files, if not PGN.
_FORMATS = {"checkers": "pdn", "reversi": "ggf"}


class LiveLines:
    """Lines at the bottom of the terminal, on standard error, that can be redrawn.

    Attributes:
        live: whether standard error is a terminal that can redraw lines.
    """

    def __init__(self) -> None:
        terminal = Terminal.of(sys.stderr)
        self.live, self._width = terminal.cursor, terminal.width - 1
        self._height = 0

    def draw(self, lines: Iterable[str]) -> None:
        """Show these lines instead of those before."""
        up = f"\x1b[{self._height}A" if self._height else ""
        # A wrapped line would take two rows when the cursor moves up.
        cut = [f"{sanitized(line)[: self._width]}\n" for line in lines]
        self._height = len(cut)
        sys.stderr.write(f"{up}\x1b[J{''.join(cut)}")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the lines."""
        if self._height:
            sys.stderr.write(f"\x1b[{self._height}A\x1b[J")
            sys.stderr.flush()
            self._height = 0


class Scoreboard:
    """Shows the progress of a match, and writes its games.

    Args:
        titles: the names of the two players.
        games: how many games are to be played.
        ruleset: the ruleset.
        test: the sequential test, if there is one.
        transcript: the file to write the games to; None to write none.
        done: the results of the games already played.
        json: print the result as one JSON object, even if the match is interrupted.
        activity: returns what the match is doing now.

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
        activity: Callable[[], Activity] = Activity,
    ) -> None:
        self._titles = titles
        self._activity = activity
        # Games beyond the number now planned count too: an earlier run may have planned more.
        more = sum(result.number >= games for result in done)
        self._games = games + more
        self._ruleset = ruleset
        self._test = test
        self._json = json
        self._screen = LiveLines()
        self._warned = False
        self._path = transcript
        self._transcript: TextIO | None = None
        if transcript is not None:
            with storage_errors(f"--transcript {transcript}", "written"):
                self._transcript = transcript.open("w", encoding="utf-8")
        if done:
            then = "the match continues" if len(done) < games else "none is left to play"
            print_message(f"{format_count(len(done), 'game')} already played; {then}.")
        if more:
            print_message(
                f"{more} of them are more than --games {games} asks for; they count all the same."
            )
        for result in done:
            self._write(result)

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the transcript."""
        if self._transcript is not None:
            self._transcript.close()

    def show(self, result: Result, standings: Standings) -> None:
        """Show that a game is finished; `standings` already include it.

        Raises:
            StorageError: the transcript cannot be written.
        """
        self._write(result)
        progress = self.progress(standings)
        first, second = (self._titles[result.player(side)] for side in Side)
        if result.fault is not None:
            self._screen.clear()
            print_message(f"Game {result.number + 1}: {result.fault}")
        if self._screen.live:
            self._screen.draw(progress_lines(progress))
        else:
            facts = ", ".join((*fact_lines(progress), *_remote_pace(progress.activity)))
            print_message(
                f"Game {result.number + 1}: {first} - {second} {result.score} "
                f"({result.termination}); {facts}"
            )

    def progress(self, standings: Standings) -> Progress:
        """The present state of the match."""
        return Progress.of(self._titles, self._games, standings, self._test, self._activity())

    def note(self, text: str) -> None:
        """Print a message."""
        self._screen.clear()
        print_message(text)

    def warn_of_repeats(self, number: int | None) -> None:
        """Warn once that openings repeat from game `number` on, from 0; None if they do not."""
        if number is None or self._warned:
            return
        self._warned = True
        self._screen.clear()
        # A file of one opening has no plural.
        few = "there is one opening" if number == 2 else f"there are {number // 2} openings"
        print_message(
            f"From game {number + 1} on, openings come again ({few}). Players that play the same "
            "each time play the same games again, and the result is surer than it should be. "
            "Give more openings, or play fewer games."
        )

    def interrupted(self, standings: Standings, *, resumable: bool) -> None:
        """Show that the match was interrupted."""
        self._screen.clear()
        played = sum(standings.games)
        how = "the same command continues" if resumable else "with --state it could continue"
        print_message(f"Stopped after {played} of {self._games} games; {how}.")
        self._print_progress(standings)

    def conclude(self, standings: Standings) -> None:
        """Show the result of the match."""
        self._screen.clear()
        self._print_progress(standings)

    def _print_progress(self, standings: Standings) -> None:
        progress = replace(self.progress(standings), over=True)
        print_result(*((as_json(progress),) if self._json else _table(progress)))

    def _write(self, result: Result) -> None:
        if self._transcript is None or self._path is None:
            return
        game = _record(result, self._titles, self._ruleset)
        form = format_named(_FORMATS.get(game.start.game, "pgn"))
        assert form is not None
        with storage_errors(f"--transcript {self._path}", "written"):
            self._transcript.write(form.write(game) + "\n")
            self._transcript.flush()


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


def progress_lines(progress: Progress) -> Iterator[str]:
    """The lines that show a match on a terminal, during the match or after it."""
    yield from _table(progress)
    if not progress.over:
        pace = pace_of(progress.activity)
        if pace:
            yield pace
    yield from _workers(progress)


def progress_line(progress: Progress) -> str:
    """The state of a match in one line."""
    first, second = progress.titles
    if progress.tuned:
        parts = [f"Tuning: {played_of(progress)}"]
    else:
        pairs = f"pairs by points {_listed(progress.pairs)}"
        parts = [f"{first} - {second}: {played_of(progress)}", pairs]
    parts += [
        *fact_lines(progress),
        *_remote_pace(progress.activity),
    ]
    return "; ".join(parts)


def played_of(progress: Progress) -> str:
    """How many of the games have been played, in words."""
    played, planned = sum(progress.games), progress.planned
    return format_count(played, "game") if planned is None else f"{played} of {planned} games"


def pace_of(activity: Activity) -> str:
    """What the match is doing now, in words; empty if that is not known."""
    parts = [*_remote_pace(activity)]
    if activity.workers is None and activity.per_second is not None:
        parts.append(_speed(activity.per_second))
    if activity.playing is not None:
        parts.append(f"{format_count(activity.playing, 'game')} under way")
    return ", ".join(parts)


def _remote_pace(activity: Activity) -> Iterator[str]:
    """How many workers play, and how fast, where workers do."""
    if activity.workers is not None:
        workers = format_count(sum(each.there for each in activity.workers), "worker")
        speed = activity.per_second
        yield workers if speed is None else f"{workers}, {_speed(speed)}"


def _speed(per_second: float) -> str:
    return f"{per_second:.2f} games per second"


def worker_rows(progress: Progress) -> Iterator[tuple[str, ...]]:
    """Rows of workers: name, version, games under way, games played, score, residual, time."""
    for each in progress.activity.workers or ():
        lost, drawn, won = each.games
        played = lost + drawn + won
        above = residual(each.games, progress.games)
        yield (
            each.name,
            each.version,
            f"{each.playing}",
            f"{played}",
            f"{(won + drawn / 2) / played:.1%}" if played else "",
            "" if above is None else f"{above:+.2f}",
            f"{each.factor:.2f}",
        )


WORKER_COLUMNS = ("worker", "version", "playing", "played", "score", "residual", "time")


def _workers(progress: Progress) -> Sequence[str]:
    rows = [*worker_rows(progress)]
    return align_columns([WORKER_COLUMNS, *rows], left=2) if rows else ()


def _table(progress: Progress) -> Iterator[str]:
    if progress.tuned:
        yield f"Tuning: {played_of(progress)}"
        yield from fact_lines(progress)
        return
    titles, failures = progress.titles, progress.failures
    lost, drawn, won = progress.games
    width = max(6, *map(len, titles))
    yield f"{'':{width}}   won  drawn   lost  failed"
    for title, wins, losses, failed in (
        (titles[0], won, lost, failures[0]),
        (titles[1], lost, won, failures[1]),
    ):
        yield f"{title:{width}} {wins:5} {drawn:6} {losses:6} {failed:7}"
    yield f"{played_of(progress)}, pairs by points {_listed(progress.pairs)}"
    yield from fact_lines(progress)


def _listed(pairs: Sequence[int]) -> str:
    return " ".join(
        f"{points}: {count}"
        for points, count in zip(("0", "½", "1", "1½", "2"), pairs, strict=True)
    )


def fact_lines(progress: Progress) -> Iterator[str]:
    """The results so far: score, Elo and the sequential test, or the tuned parameters."""
    if progress.tuned:
        yield from (f"{each.name} {each.now:.1f}, from {each.start}" for each in progress.tuned)
        return
    standings, test = progress.standings, progress.test
    lost, drawn, won = progress.games
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
            f"{_verdict(test, progress)}"
        )


def _elo(value: float) -> str:
    return f"{value:+.1f}" if math.isfinite(value) else "+∞" if value > 0 else "-∞"


def _bounds(counts: Sequence[int], error: float) -> str:
    if math.isfinite(error):
        return f" ± {error:.1f} (95 %)"
    low, high = elo_interval(counts)
    # If neither end is known, there is no interval to show.
    known = math.isfinite(low) or math.isfinite(high)
    return f" ({_elo(low)} to {_elo(high)}, 95 %)" if known else ""


def _share(part: float) -> str:
    """A percentage in words, never 100 % or 0 %: a finite number of games proves neither."""
    if part >= 0.9995:
        return "over 99.9%"
    return "under 0.1%" if part < 0.0005 else f"{part:.1%}"


def _verdict(test: SequentialTest, progress: Progress) -> str:
    verdict = test.verdict(progress.pairs)
    return "undecided" if progress.over and verdict is Verdict.GOES_ON else str(verdict)


def as_json(progress: Progress) -> str:
    """A finished match or tuning as one JSON object."""
    progress = replace(progress, over=True)
    if progress.tuned:
        parameters = [asdict(each) for each in progress.tuned]
        games, played = progress.planned, sum(progress.games)
        return json.dumps({"games": games, "played": played, "parameters": parameters})
    standings, test = progress.standings, progress.test
    lost, drawn, won = progress.games
    found = estimate(standings.counts)
    value: dict[str, object] = {
        "players": list(progress.titles),
        "games": progress.planned,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "pairs": standings.pairs,
        "failures": standings.failures,
    }
    if found is not None:
        # JSON has no number for infinity.
        value |= {
            "elo": _finite(found.elo),
            "error": _finite(found.error),
            "interval": [*map(_finite, elo_interval(standings.counts))],
            "superiority": found.superiority,
        }
    if test is not None:
        value |= {
            "llr": test.ratio(standings.pairs),
            "bounds": list(test.bounds),
            "verdict": _verdict(test, progress),
        }
    return json.dumps(value)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
