"""Where the games of a match begin: random openings, balanced ones, or those of a file."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from ataxxd.engines.base import seed_for
from ataxxd.engines.tablebases import new_engine
from ataxxd.errors import UsageError, storage_errors
from ataxxd.rules import Position, RulesError

# Attempts to find a new opening before one may be repeated.
_TRIES = 200
_MAX_LINES = 1_000_000
BALANCE_NODES: Final = 5000
"""The positions that a search visits to see whether an opening is balanced."""


def random_openings(
    start: Position, plies: int, seed: int, balanced: int | None = None
) -> Iterator[Position]:
    """Positions after random moves, for ever; none is repeated while there are others.

    Args:
        start: the position before the moves.
        plies: how many moves; all legal ones are equally likely.
        seed: determines the openings.
        balanced: only openings that our engine scores within this, in centipieces.

    Raises:
        UsageError: every game is over after so many, or no opening is balanced.
    """
    is_balanced = None if balanced is None else _balance_test(balanced)
    seen, unbalanced = set[str](), set[str]()
    number = 0
    while True:
        opening = None
        goes_on = False
        for attempt in range(_TRIES):
            found = _random_position(start, plies, seed_for(seed, number * _TRIES + attempt))
            if found is None:
                continue
            goes_on = True
            if found.text in unbalanced:
                continue
            if found.text not in seen and is_balanced is not None and not is_balanced(found):
                unbalanced.add(found.text)
                continue
            opening = found
            if found.text not in seen:
                break
        if not goes_on:
            raise UsageError(
                f"No game is still going after {plies} random moves from {start.text}. Use "
                "fewer: --plies"
            )
        if opening is None:
            raise UsageError(
                f"None of {_TRIES} openings, {plies} random moves from {start.text}, is within "
                f"{balanced} by our engine. Use a larger --balanced or other --plies."
            )
        seen.add(opening.text)
        number += 1
        yield opening


def _balance_test(within: int) -> Callable[[Position], bool]:
    engine = new_engine(hash_mb=1)

    def is_balanced(opening: Position) -> bool:
        # The verdict must not depend on the openings searched before.
        engine.clear()
        return abs(engine.search(opening, nodes=BALANCE_NODES).score) <= within

    return is_balanced


def read_openings(path: Path, ruleset: str) -> list[Position]:
    """The positions of a file, one per line; empty lines and those that begin with # are skipped.

    Raises:
        StorageError: it cannot be read.
        UsageError: it is not text, a line is not a position or is a final one, or there are none.
    """
    try:
        # Some editors begin a file with a byte order mark, which this encoding skips.
        with storage_errors(f"--openings {path}", "read"):
            lines = path.read_text(encoding="utf-8-sig").splitlines()[:_MAX_LINES]
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


def openings_digest(openings: Iterable[Position]) -> str:
    """A digest that identifies openings; comments and empty lines of a file do not matter."""
    return hashlib.sha256("\n".join(each.text for each in openings).encode()).hexdigest()


def _random_position(position: Position, plies: int, seed: int) -> Position | None:
    for ply in range(plies):
        moves = position.legal_moves
        if not moves:
            return None
        position = position.play(moves[seed_for(seed, ply) % len(moves)])
    return position if position.outcome is None else None
