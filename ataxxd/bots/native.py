"""The bot that thinks with this program's own search.

Levels are node counts, not times: the same seed gives the same move on a slow and on a
fast machine, alone or beside other work.
"""

from ataxxd.rules import Engine, Move, Position
from ataxxd.rules.limits import Limits

LOWEST_LEVEL = 1
HIGHEST_LEVEL = 10
DEFAULT_LEVEL = 6

# Plies and nodes of each level. The first levels are shallow so that beginners can win; wins
# forced within four moves are found at every level, because the engine proves them apart.
# The default thinks some 20 ms a move, which keeps a whole game of two machines well below
# five seconds: scripts that close their input at once still see its end.
LEVELS: dict[int, Limits] = {
    1: Limits(1, 500),
    2: Limits(2, 2_000),
    3: Limits(3, 8_000),
    4: Limits(5, 25_000),
    5: Limits(7, 50_000),
    6: Limits(nodes=100_000),
    7: Limits(nodes=400_000),
    8: Limits(nodes=1_500_000),
    9: Limits(nodes=5_000_000),
    10: Limits(nodes=15_000_000),
}

# The clock only steps in where nodes take far longer than they ever should.
_SAFETY_MS = 5_000
_HASH_MB = 16
_DRAW_NODES = 100_000


class NativeBot:
    """Plays with the native engine; strength by level, from 1 to 10."""

    def __init__(self, level: int = DEFAULT_LEVEL) -> None:
        """A bot of a level.

        Raises:
            ValueError: there is no such level.
        """
        if level not in LEVELS:
            msg = (
                f"There is no level {level}; levels go from {LOWEST_LEVEL} (a beginner) "
                f"to {HIGHEST_LEVEL}, and {DEFAULT_LEVEL} is the default."
            )
            raise ValueError(msg)
        self._level = level
        self._engine = Engine(_HASH_MB)

    @property
    def name(self) -> str:
        """``native:LEVEL``."""
        return f"native:{self._level}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """See `ataxxd.bots.base.Bot.choose`."""
        limits = LEVELS[self._level]
        # What was learnt in earlier searches would make the choice depend on them.
        self._engine.clear()
        result = self._engine.search(
            position,
            depth=limits.depth,
            nodes=limits.nodes,
            time_ms=_SAFETY_MS if time_ms is None else max(1, min(time_ms, _SAFETY_MS)),
            seed=seed,
        )
        return result.move

    def accepts_draw(self, position: Position) -> bool:
        """Accepts when its search finds the offering side no worse off."""
        self._engine.clear()
        result = self._engine.search(position, nodes=_DRAW_NODES, time_ms=_SAFETY_MS)
        return result.score >= 0

    def stop(self) -> None:
        """See `ataxxd.bots.base.Bot.stop`."""
        self._engine.stop()

    def __repr__(self) -> str:
        return f"NativeBot({self._level})"
