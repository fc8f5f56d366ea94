"""The bot that thinks with this program's own search.

Levels are node counts, not times: the same seed gives the same move on a slow and on a
fast machine, alone or beside other work.
"""

import time
from dataclasses import dataclass
from typing import overload

from ataxxd.bots.strength import (
    DEFAULT_LEVEL,
    HIGHEST_LEVEL,
    LOWEST_LEVEL,
    Strength,
)
from ataxxd.rules import Engine, Move, Position, SearchResult
from ataxxd.rules.limits import USUAL_HASH_MB, Limits
from ataxxd.tables import playing_engine

# Plies and nodes of each level, and how freely it chooses. The first levels are shallow, and take
# now and then a move that looks a little worse to them, so that beginners can win; wins forced
# within four moves are found at every level, because the engine proves them apart.
# The default thinks some 20 ms a move, which keeps a whole game of two machines well below
# five seconds: scripts that close their input at once still see its end.
LEVELS: dict[int, Limits] = {
    1: Limits(1, 500, temperature=100),
    2: Limits(2, 2_000, temperature=70),
    3: Limits(3, 8_000, temperature=45),
    4: Limits(5, 25_000, temperature=25),
    5: Limits(7, 50_000, temperature=10),
    6: Limits(nodes=100_000),
    7: Limits(nodes=400_000),
    8: Limits(nodes=1_500_000),
    9: Limits(nodes=5_000_000),
    10: Limits(nodes=15_000_000),
}

# The clock only steps in where nodes take far longer than they ever should.
_SAFETY_MS = 5_000
_DRAW_NODES = 100_000


def checked_level(level: int) -> int:
    """A level that there is.

    Raises:
        ValueError: there is no such level.
    """
    if level not in LEVELS:
        msg = (
            f"There is no level {level}; levels go from {LOWEST_LEVEL} (a beginner) "
            f"to {HIGHEST_LEVEL}, and {DEFAULT_LEVEL} is the default."
        )
        raise ValueError(msg)
    return level


def safe_time(strength: Strength, time_ms: int | None) -> int | None:
    """The most time that a move may take of what it is given; None is any."""
    # Who sets own limits may want more time than any level ever needs.
    if strength.level is None:
        return time_ms
    return _SAFETY_MS if time_ms is None else min(time_ms, _SAFETY_MS)


def search_at(
    level: int | Strength, engine: Engine, position: Position, *, seed: int, time_ms: int | None
) -> SearchResult:
    """The search of a level, whatever the engine has searched before."""
    strength = Strength(level) if isinstance(level, int) else level
    limits = strength.limits(LEVELS)
    times = [each for each in (limits.time_ms, safe_time(strength, time_ms)) if each is not None]
    left_ms = _cleared(engine, min(times, default=None))
    return engine.search(
        position,
        depth=limits.depth,
        nodes=limits.nodes,
        time_ms=left_ms,
        seed=seed,
        temperature=limits.temperature,
    )


@dataclass(frozen=True, slots=True)
class DrawSearch:
    """What a search thinks of a draw that the side to move offers.

    Attributes:
        result: what it found.
        time_ms: milliseconds that it had.
    """

    result: SearchResult
    time_ms: int

    @property
    def accepts(self) -> bool:
        """Whether it found the offering side no worse off, and had the time to."""
        found = self.result
        # On a machine that once made it wait, a search ends well before its time is up; and the
        # milliseconds that it took are rounded down.
        cut_short = found.nodes < _DRAW_NODES and 2 * (found.elapsed_ms + 1) >= self.time_ms
        return found.score >= 0 and (found.mate_in is not None or not cut_short)


def search_for_a_draw(engine: Engine, position: Position, time_ms: int | None) -> DrawSearch:
    """The search that decides about an offered draw, whatever the engine has searched before."""
    most_ms = _SAFETY_MS if time_ms is None else min(time_ms, _SAFETY_MS)
    left_ms = _cleared(engine, most_ms)
    return DrawSearch(engine.search(position, nodes=_DRAW_NODES, time_ms=left_ms), left_ms)


@overload
def _cleared(engine: Engine, time_ms: int) -> int: ...
@overload
def _cleared(engine: Engine, time_ms: int | None) -> int | None: ...
def _cleared(engine: Engine, time_ms: int | None) -> int | None:
    """Have an engine forget, and what that leaves of a time, at least 1; None is any."""
    began = time.monotonic()
    # What was learnt in earlier searches would make the answer depend on them.
    engine.clear()
    if time_ms is None:
        return None
    # That takes milliseconds, and on a busy machine as many as a move may.
    return max(1, time_ms - int(1_000 * (time.monotonic() - began)))


class NativeBot:
    """Plays with the native engine; strength by level, from 1 to 10, or by limits of its own."""

    def __init__(self, strength: int | Strength = DEFAULT_LEVEL) -> None:
        """A bot of a level or another strength.

        Raises:
            ValueError: there is no such level.
            StorageError: see `ataxxd.tables.use_own_tables`.
        """
        self._strength = (
            Strength(checked_level(strength)) if isinstance(strength, int) else strength
        )
        self._engine = playing_engine(
            self._strength.hash or USUAL_HASH_MB, self._strength.threads or 1
        )

    @property
    def name(self) -> str:
        """``native:LEVEL``, or what `ataxxd.bots.strength.Strength.parse` reads for the level."""
        return f"native:{self._strength}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """See `ataxxd.bots.base.Bot.choose`."""
        return self._search(position, seed, time_ms).move

    def _search(self, position: Position, seed: int, time_ms: int | None) -> SearchResult:
        return search_at(self._strength, self._engine, position, seed=seed, time_ms=time_ms)

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accepts when its search finds the offering side no worse off."""
        return search_for_a_draw(self._engine, position, time_ms).accepts

    def stop(self) -> None:
        """See `ataxxd.bots.base.Bot.stop`."""
        self._engine.stop()

    def __repr__(self) -> str:
        return f"NativeBot({self._strength})"
