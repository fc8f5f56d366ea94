"""A person's games against the levels of our engine, kept in a file, and the estimate from them.

Local games are not signed, so no journal has them. The file has a line per game: the time of its
end in Unix seconds, the ruleset, the level, the person's score in half points, and the number of
the ladder. A line without that number is of ladder 1; games against another ladder do not count.

The strength has a posterior distribution on a grid of Elo ratings: a broad prior times the
likelihood of each result by the logistic curve of the Elo scale, where a draw is half a win and
half a loss. A few games say little, so the interval is part of the answer.
"""

import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from ataxxd.engines import HIGHEST_LEVEL, LOWEST_LEVEL
from ataxxd.errors import StorageError, storage_errors
from ataxxd.wording import format_count

LADDER = 4
"""The version of these levels; it changes when a level of any game becomes stronger or weaker."""

STEPS: Mapping[str, tuple[int, ...]] = {
    "ataxx": (176, 120, 207, 260, 191, 145, 144, 269, 100),
    "checkers": (188, 244, 209, 277, 289, 277, 277, 73, 100),
    "loa": (203, 262, 228, 251, 234, 281, 262, 108, 100),
    "reversi": (266, 310, 241, 252, 207, 224, 151, 25, 50),
}
"""By how many Elo points levels 2 to 10 beat the one below, from docs/reference/measurements.md,
"Levels". The steps to level 10 are guesses."""

FEWEST_GAMES = 5
"""With fewer games there is no estimate."""
MAX_GAMES = 30
"""Only this many of the newest games count, because people learn."""

PRIOR_LEVEL, PRIOR_DEVIATION = 3, 500
"""The prior: most people who ask are near level 3, give or take many Elo points."""
GRID_STEP, GRID_MARGIN = 10, 800
"""The grid of ratings, in Elo points: its step, and how far it goes beyond both ends."""
TAIL = 0.025
"""The probability on each side of the interval."""
BELOW, ABOVE = LOWEST_LEVEL - 1, HIGHEST_LEVEL + 1
"""In an `Estimate`: weaker than the lowest level, and stronger than the highest."""


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a game against a level.

    Attributes:
        level: 1 to 10.
        halves: half points for the player: 0, 1 or 2.
    """

    level: int
    halves: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The level that matches a player's strength; `BELOW` or `ABOVE` outside the ladder.

    Attributes:
        level: the median estimate.
        low: the lower end of the 95 % interval.
        high: its upper end.
        games: how many games it is based on.
    """

    level: int
    low: int
    high: int
    games: int

    @property
    def next_level(self) -> int:
        """The level to play next as a fair opponent."""
        return min(max(self.level, LOWEST_LEVEL), HIGHEST_LEVEL)

    def __str__(self) -> str:
        """Such as ``about level 4 (between 3 and 5), from 7 games``."""
        match self.level:
            case 0:
                said = f"below level {LOWEST_LEVEL}"
            case level if level > HIGHEST_LEVEL:
                said = f"above level {HIGHEST_LEVEL}"
            case level:
                said = f"about level {level}"
        if self.low == self.high:
            between = ""
        elif self.high == ABOVE:
            between = f" (at least {self.low})" if self.low != BELOW else ""
        elif self.low == BELOW:
            between = f" (at most {self.high})"
        else:
            between = f" (between {self.low} and {self.high})"
        return f"{said}{between}, from {self.games} games"


def estimate(game: str, results: Sequence[Result]) -> Estimate | None:
    """Estimate a player's strength; None with too few games, or if the levels are not measured.

    Args:
        game: such as ``ataxx``.
        results: the player's, newest last.
    """
    results = results[-MAX_GAMES:]
    steps = STEPS.get(game)
    if steps is None or len(results) < FEWEST_GAMES:
        return None
    # The Elo ratings of level 1, 2, and so on.
    ladder = tuple(accumulate(steps, initial=0))
    grid = range(-GRID_MARGIN, ladder[-1] + GRID_MARGIN + 1, GRID_STEP)
    logs = [_log_posterior(elo, ladder, results) for elo in grid]
    best = max(logs)
    shares = [*accumulate(math.exp(each - best) for each in logs)]

    def level_at(share: float) -> int:
        reached = share * shares[-1]
        return _nearest(next(e for e, s in zip(grid, shares, strict=True) if s >= reached), ladder)

    return Estimate(level_at(0.5), level_at(TAIL), level_at(1 - TAIL), len(results))


def _log_posterior(elo: float, ladder: Sequence[int], results: Sequence[Result]) -> float:
    far = (elo - ladder[PRIOR_LEVEL - 1]) / PRIOR_DEVIATION
    total = -far * far / 2
    for result in results:
        ahead = (elo - ladder[result.level - 1]) * math.log(10) / 400
        # The logarithms of the player's expected score, and of the level's.
        won, lost = -math.log1p(math.exp(-ahead)), -math.log1p(math.exp(ahead))
        total += (result.halves * won + (2 - result.halves) * lost) / 2
    return total


def _nearest(elo: float, ladder: Sequence[int]) -> int:
    """The level nearest to a strength; `BELOW` or `ABOVE` if that is over half a step off."""
    if elo < ladder[0] - (ladder[1] - ladder[0]) / 2:
        return BELOW
    if elo > ladder[-1] + (ladder[-1] - ladder[-2]) / 2:
        return ABOVE
    return 1 + min(range(len(ladder)), key=lambda level: abs(ladder[level] - elo))


class LevelGames:
    """The results against our engine's levels, in a file that need not exist yet."""

    def __init__(self, path: Path) -> None:
        """Use the file `path`; see `ataxxd.node.home.Home.level_games`."""
        self._path = path

    def store(self, ruleset: str, result: Result) -> str | None:
        """Store the result of a game, and return the new estimate in words, or None.

        If it cannot be stored, the text says so; no error is raised.
        """
        try:
            now = int(time.time())
            self._append(f"{now} {ruleset} {result.level} {result.halves} {LADDER}\n")
            found = self.estimates().get(_game(ruleset))
        except StorageError as error:
            return f"The game does not count towards your level: {error}"
        return None if found is None else describe_estimate(found)

    def results(self) -> Mapping[str, Sequence[Result]]:
        """The results against the present levels, by game such as ``ataxx``, newest last.

        Raises:
            StorageError: they cannot be read.
        """
        try:
            with storage_errors(self._path, "read"):
                text = self._path.read_text(encoding="utf-8", errors="replace")
        except StorageError:
            if self._path.exists():
                raise
            return {}
        found: dict[str, list[Result]] = {}
        for line in text.splitlines():
            match line.split():
                # A line that a full disk has cut short does not match.
                case [_, ruleset, level, ("0" | "1" | "2") as halves, *ladder] if level.isdecimal():
                    ours = (ladder or ["1"]) == [str(LADDER)]
                    if ours and LOWEST_LEVEL <= int(level) <= HIGHEST_LEVEL:
                        result = Result(int(level), int(halves))
                        found.setdefault(_game(ruleset), []).append(result)
                case _:
                    pass
        return found

    def estimates(self) -> Mapping[str, Estimate]:
        """The estimates by game, where there are enough results.

        Raises:
            StorageError: the results cannot be read.
        """
        made = {game: estimate(game, results) for game, results in self.results().items()}
        return {game: each for game, each in made.items() if each is not None}

    def _append(self, line: str) -> None:
        with storage_errors(self._path, "written"):
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                # A full disk may have cut the line before this one short.
                if not file.read().endswith(b"\n") and file.tell():
                    line = f"\n{line}"
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())


def describe_estimate(found: Estimate) -> str:
    """An estimate as a sentence for the player."""
    return f"Your strength, an estimate: {found}. Next, play level {found.next_level}."


def describe_missing_games(games: int) -> str:
    """A sentence that says why there is no estimate yet."""
    count = format_count(games, "game")
    return f"{count} against the engine's levels; {FEWEST_GAMES} make an estimate"


def _game(ruleset: str) -> str:
    return ruleset.partition("/")[0]
