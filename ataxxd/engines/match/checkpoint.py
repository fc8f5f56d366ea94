"""The games of a match so far, in a file from which the match continues.

The file has one JSON object per line: first the match itself, then each finished game, and the
players' titles before the first one, and again where they change. It is only appended to; a line
cut off by a crash is ignored.
"""

import fcntl
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from io import BufferedRandom
from pathlib import Path
from typing import Any

from ataxxd.engines.match.contestants import FAILED, LATE
from ataxxd.errors import StorageError, UsageError, storage_errors
from ataxxd.rules import Side

SCORES = {"1-0": 2, "1/2-1/2": 1, "0-1": 0}
"""How a game can end, and the half points of the side that moves first."""
Titles = tuple[str, str]
"""The players' names for people."""
_VERSION = 2
_MAX_BYTES = 1 << 30
_DIGEST, _TITLES = "openings_digest", "titles"
# What settings are called on the command line.
_OPTIONS = {
    "ruleset": "--ruleset",
    "seed": "--seed",
    "depth": "--depth",
    "nodes": "--nodes",
    "move_time_ms": "--move-time in ms",
    "base_ms": "--time in ms",
    "increment_ms": "the increment of --time in ms",
    "margin_ms": "--margin in ms",
    "most_plies": "--max-plies",
    "resign": "--resign",
    "draw": "--draw",
}


@dataclass(frozen=True, slots=True)
class Result:
    """One finished game.

    Attributes:
        number: its number, from 0. Games 2n and 2n+1 have the same opening, with sides swapped.
        start: the opening as a position text.
        moves: the moves from there, in canonical notation.
        score: ``1-0``, ``0-1`` or ``1/2-1/2``; the side that moves first is named first.
        termination: why it ended.
        date: when it was played, such as ``2026.11.21``.
        fault: what the loser did wrong, if it failed.
    """

    number: int
    start: str
    moves: tuple[str, ...]
    score: str
    termination: str
    date: str
    fault: str | None = None

    @property
    def swapped(self) -> bool:
        """Whether the second player moves first."""
        return self.number % 2 == 1

    @property
    def half_points(self) -> int:
        """The half points of the first player: 0, 1 or 2."""
        first = SCORES[self.score]
        return 2 - first if self.swapped else first

    def player(self, side: Side) -> int:
        """The player, 0 or 1, of a side."""
        return side ^ self.number % 2


class Standings:
    """The totals of a match, from the first player's view."""

    def __init__(self, results: Iterable[Result] = ()) -> None:
        self.games = [0, 0, 0]
        """Lost, drawn, won."""
        self.pairs = [0] * 5
        """Pairs of games by half points, 0 to 4."""
        self.failures = [0, 0]
        """Of each player: games lost by failing or by time."""
        self._open: dict[int, int] = {}
        for result in results:
            self.add(result)

    def add(self, result: Result) -> None:
        """Count a game."""
        self.games[result.half_points] += 1
        if result.termination in (FAILED, LATE):
            self.failures[0 if result.half_points == 0 else 1] += 1
        pair = result.number // 2
        if pair in self._open:
            self.pairs[self._open.pop(pair) + result.half_points] += 1
        else:
            self._open[pair] = result.half_points

    @property
    def counts(self) -> Sequence[int]:
        """Counts of pairs, or of games while no pair is complete, for the statistics module."""
        return self.pairs if any(self.pairs) else self.games


class Checkpoint:
    """The file of a match, open and locked.

    Args:
        path: the file, created if it does not exist.
        settings: JSON values that must be the same for the match to continue.

    Raises:
        UsageError: the file belongs to another match, or is not the file of a match.
        StorageError: it cannot be read or written, or another process is playing this match.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any]) -> None:
        self._path = path
        with storage_errors(f"--state {path}", "opened"):
            path.touch()
            self._file: BufferedRandom = path.open("r+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            raise StorageError(f"--state {path}: another process is playing this match.") from None
        try:
            self.results, self._titles = self._read({"match": _VERSION, **settings})
        except BaseException:
            self._file.close()
            raise

    def name_players(self, titles: Titles) -> None:
        """Store the players' titles, unless they are there already.

        Raises:
            StorageError: they cannot be written.
        """
        if titles != self._titles:
            self._write({_TITLES: titles})
            self._titles = titles

    def add(self, result: Result) -> None:
        """Store a game.

        Raises:
            StorageError: it cannot be written.
        """
        self._write(asdict(result))

    def close(self) -> None:
        """Unlock and close the file."""
        self._file.close()

    def _read(self, header: Mapping[str, Any]) -> tuple[list[Result], Titles | None]:
        whole = self._file.read(_MAX_BYTES)
        kept = whole[: whole.rfind(b"\n") + 1]
        if not kept:
            if whole and not whole.startswith(b'{"match"'):
                raise self._foreign_file_error()
            self._file.seek(0)
            self._file.truncate()
            self._write(header)
            return [], None
        first, *lines = kept.splitlines()
        try:
            found = json.loads(first)
            results, titles = _parse(lines)
        except (ValueError, TypeError, KeyError):
            raise self._foreign_file_error() from None
        if not isinstance(found, dict) or "match" not in found:
            raise self._foreign_file_error()
        if found["match"] != header["match"]:
            raise UsageError(
                f"--state {self._path} was kept by another version of ataxxd. "
                "Continue that one, or name another file for a new match."
            )
        if found != header:
            kind = "tuning" if "parameters" in header else "match"
            raise UsageError(
                f"--state {self._path} belongs to another {kind}; it differs in "
                f"{_difference(found, header)}. "
                f"Give the same options to continue it, or another file for a new {kind}."
            )
        self._file.seek(len(kept))
        self._file.truncate()
        return results, titles

    def _foreign_file_error(self) -> UsageError:
        return UsageError(
            f"--state {self._path} is not a match file. Name another; this one was not changed."
        )

    def _write(self, value: Mapping[str, Any]) -> None:
        with storage_errors(f"--state {self._path}", "written"):
            self._file.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")
            self._file.flush()


class CheckpointReader:
    """Reads the file of a match that another process may be playing.

    Args:
        path: the file.

    Attributes:
        titles: the players' names for people; those given to the match until it has others.
        settings: the settings in the file's header.

    Raises:
        UsageError: it is not the file of a match.
        StorageError: it cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        with storage_errors(f"--watch {path}", "opened"):
            self._file = path.open("rb")
        try:
            header = json.loads(self._file.readline(_MAX_BYTES))
            first, second = map(str, header["players"])
            if header["match"] != _VERSION:
                raise ValueError
        except (ValueError, TypeError, KeyError):
            self._file.close()
            raise UsageError(
                f"--watch {path} is not the file of a match of this version."
            ) from None
        self.settings: Mapping[str, Any] = header
        self.titles = tell_apart(first, second)

    def read(self) -> list[Result]:
        """The games that have been added since the last time.

        Raises:
            UsageError: it is not the file of a match.
            StorageError: it cannot be read.
        """
        with storage_errors(f"--watch {self._path}", "read"):
            begin = self._file.tell()
            new = self._file.read(_MAX_BYTES)
            # A line that is still being written is left for the next call.
            whole = new[: new.rfind(b"\n") + 1]
            self._file.seek(begin + len(whole))
        try:
            results, titles = _parse(whole.splitlines())
        except (ValueError, TypeError, KeyError):
            raise UsageError(f"--watch {self._path} is not the file of a match.") from None
        self.titles = titles or self.titles
        return results

    @property
    def is_played(self) -> bool:
        """Whether a process is playing this match now."""
        try:
            fcntl.flock(self._file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except OSError:
            return True
        fcntl.flock(self._file, fcntl.LOCK_UN)
        return False

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _difference(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """What differs, by the names of options: ``--nodes (200 there, 400 here)``."""
    names = [name for name in {**there, **here} if there.get(name) != here.get(name)]

    def describe(name: str) -> str:
        if name == _DIGEST:
            return "the positions of the --openings file"  # nobody can read a digest
        one, other = there.get(name), here.get(name)
        if name == "parameters":
            return _parameter_difference(one or (), other or ())
        option = _OPTIONS.get(name, name)
        return f"{option} ({_option_text(one)} there, {_option_text(other)} here)"

    return ", ".join(describe(name) for name in names if name != _DIGEST or "openings" not in names)


def _parameter_difference(
    there: Sequence[Mapping[str, Any]], here: Sequence[Mapping[str, Any]]
) -> str:
    """What differs between the parameters of two tunings: which they are, or else their numbers."""
    names = [",".join(each["name"] for each in listed) or "none" for listed in (there, here)]
    if names[0] != names[1]:
        return f"--parameters ({names[0]} there, {names[1]} here)"
    differing = (
        ("--rate" if key == "rate" else f"the {key} of {one['name']}")
        + f" ({one[key]} there, {other[key]} here)"
        for one, other in zip(there, here, strict=True)
        for key in one
        if one[key] != other[key]
    )
    return ", ".join(dict.fromkeys(differing))


def _option_text(value: object) -> str:
    """A value as options have it."""
    if isinstance(value, list):
        return (":" if isinstance(value[0], int) else " and ").join(map(str, value))
    return "none" if value is None else str(value)


def tell_apart(first: str, second: str) -> Titles:
    """The titles of two players of these names, which may be the same."""
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")


def _parse(lines: Iterable[bytes]) -> tuple[list[Result], Titles | None]:
    """The games in these lines, and the players' last titles; None without any.

    Raises:
        ValueError, TypeError, KeyError: they are not of a match.
    """
    results, titles = list[Result](), None
    for line in lines:
        value = json.loads(line)
        if _TITLES in value:
            first, second = map(str, value[_TITLES])
            titles = first, second
        else:
            results.append(_result(value))
    return results, titles


def _result(value: dict[str, Any]) -> Result:
    if value["score"] not in SCORES:
        raise ValueError
    result = Result(**value)
    return replace(result, moves=tuple(result.moves))
