"""Where the games of a match begin: after random moves, or at the positions of a file."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from ataxxd.engines.base import seed_for
from ataxxd.errors import UsageError, storage_errors
from ataxxd.rules import Position, RulesError

# Tries for an opening that no other game had, before one may come again.
_TRIES = 200
_MOST_LINES = 1_000_000


def random_openings(start: Position, plies: int, seed: int) -> Iterator[Position]:
    """Positions some random moves after the start, for ever; each comes once while there are more.

    Args:
        start: where the moves begin.
        plies: how many; all legal moves are equally likely.
        seed: the same one gives the same openings.

    Raises:
        UsageError: every game is over after so many.
    """
    seen = set[str]()
    number = 0
    while True:
        opening = None
        for attempt in range(_TRIES):
            opening = _walk(start, plies, seed_for(seed, number * _TRIES + attempt)) or opening
            if opening is not None and opening.text not in seen:
                break
        if opening is None:
            raise UsageError(
                f"No game is still going after {plies} random moves from {start.text}. Use "
                "fewer: --plies"
            )
        seen.add(opening.text)
        number += 1
        yield opening


def openings_of_file(path: Path, ruleset: str) -> list[Position]:
    """The positions of a file, one per line; empty lines and those that begin with # are skipped.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is no text; a line is no position, or its game is over; or there is none.
    """
    try:
        # Some editors begin a file with a mark of its encoding.
        with storage_errors(f"--openings {path}", "read"):
            lines = path.read_text(encoding="utf-8-sig").splitlines()[:_MOST_LINES]
    except UnicodeDecodeError as error:
        raise UsageError(
            f"--openings {path} is not a text file: byte {error.start} is not UTF-8."
        ) from None
    openings = []
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        try:
            position = Position.from_text(ruleset, text)
        except RulesError as error:
            raise UsageError(f"--openings {path}, line {number}: {error}") from None
        if position.outcome is not None:
            raise UsageError(f"--openings {path}, line {number}: the game is over there.")
        openings.append(position)
    if not openings:
        raise UsageError(f"--openings {path} has no position in it: write one per line.")
    return openings


def digest_of(openings: Iterable[Position]) -> str:
    """What openings are known by: of a file, whatever its comments and its empty lines."""
    return hashlib.sha256("\n".join(each.text for each in openings).encode()).hexdigest()


def _walk(position: Position, plies: int, seed: int) -> Position | None:
    for ply in range(plies):
        moves = position.legal_moves
        if not moves:
            return None
        position = position.play(moves[seed_for(seed, ply) % len(moves)])
    return position if position.outcome is None else None
