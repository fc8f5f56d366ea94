"""A person's games against the levels of our engine, kept in a file, and the estimate from them.

Local games are not signed, so no journal has them. The file has a line per game: the time of its
end in Unix seconds, the ruleset, the level, the person's score in half points, and the number of
the ladder. A line without that number is of ladder 1; games against another ladder do not count.
"""

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from ataxxd.engines import HIGHEST_LEVEL, LOWEST_LEVEL
from ataxxd.engines.ladder import FEWEST_GAMES, LADDER, Estimate, Result, estimate
from ataxxd.errors import StorageError, storage_errors
from ataxxd.wording import counted


class LevelGames:
    """The games in a file, which need not exist yet."""

    def __init__(self, path: Path) -> None:
        """Those of the file `path`; see `ataxxd.node.home.Home.level_games`."""
        self._path = path

    def keep(self, ruleset: str, result: Result) -> str | None:
        """Keep a game that is over, and say what the player's games say now; None for nothing.

        That it cannot be kept is said, too: a game is not lost for it.
        """
        try:
            now = int(time.time())
            self._append(f"{now} {ruleset} {result.level} {result.halves} {LADDER}\n")
            found = self.estimates().get(_game(ruleset))
        except StorageError as error:
            return f"The game does not count towards your level: {error}"
        return None if found is None else told(found)

    def results(self) -> Mapping[str, Sequence[Result]]:
        """The results against today's levels by games, such as ``ataxx``, the newest last.

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
                # A line that was cut by a full disk says nothing.
                case [_, ruleset, level, ("0" | "1" | "2") as halves, *ladder] if level.isdecimal():
                    ours = (ladder or ["1"]) == [str(LADDER)]
                    if ours and LOWEST_LEVEL <= int(level) <= HIGHEST_LEVEL:
                        result = Result(int(level), int(halves))
                        found.setdefault(_game(ruleset), []).append(result)
                case _:
                    pass
        return found

    def estimates(self) -> Mapping[str, Estimate]:
        """The estimates by games, where there are enough results.

        Raises:
            StorageError: the results cannot be read.
        """
        made = {game: estimate(game, results) for game, results in self.results().items()}
        return {game: each for game, each in made.items() if each is not None}

    def _append(self, line: str) -> None:
        with storage_errors(self._path, "written"):
            descriptor = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o600)
            with os.fdopen(descriptor, "r+b") as file:
                # A full disk may have cut the line before.
                if not file.read().endswith(b"\n") and file.tell():
                    line = f"\n{line}"
                file.write(line.encode())
                file.flush()
                os.fsync(file.fileno())


def told(found: Estimate) -> str:
    """An estimate as the player reads it when a game is over."""
    return f"Your strength, an estimate: {found}. Next, play level {found.next_level}."


def too_few(games: int) -> str:
    """Why there is no estimate yet."""
    return f"{counted(games, 'game')} against the engine's levels; {FEWEST_GAMES} make an estimate"


def _game(ruleset: str) -> str:
    return ruleset.partition("/")[0]
