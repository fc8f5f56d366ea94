"""The native search for many games: a few engines, lent for one search at a time.

A table of learnt positions takes megabytes, and a bot forgets what it learnt before every
move anyway: so a game that waits for its opponent needs none.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from ataxxd.engines import OURS
from ataxxd.engines.native import checked_level, search_at, search_for_a_draw
from ataxxd.engines.tablebases import check_table, new_engine, use_own_tables
from ataxxd.rules import Engine, Move, Position, SearchResult


class Engines:
    """Engines to lend; there are as many as ever searched at once.

    Attributes:
        nodes: positions visited in all.
    """

    def __init__(self, hash_mb: int) -> None:
        """No engines yet; each has a table of `hash_mb` mebibytes.

        Raises:
            StorageError: see `ataxxd.engines.tablebases.use_own_tables`.
            TableTooLarge: there is no memory for such a table.
        """
        check_table(hash_mb)
        use_own_tables()
        self.nodes = 0
        self._hash_mb = hash_mb
        self._idle: list[Engine] = []
        self._lock = threading.Lock()

    @contextmanager
    def lent(self) -> Iterator[Engine]:
        """An engine for one search."""
        with self._lock:
            engine = self._idle.pop() if self._idle else None
        if engine is None:
            engine = new_engine(self._hash_mb)
        try:
            yield engine
        finally:
            with self._lock:
                self._idle.append(engine)

    def count(self, result: SearchResult) -> SearchResult:
        """Add up what a search has visited."""
        with self._lock:
            self.nodes += result.nodes
        return result


class PooledBot:
    """Plays as `ataxxd.engines.native.NativeBot` of a level does, with lent engines."""

    def __init__(self, level: int, engines: Engines) -> None:
        """A bot of a level.

        Raises:
            ValueError: there is no such level.
        """
        self._level = checked_level(level)
        self._engines = engines
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """``auto@LEVEL``."""
        return f"{OURS}@{self._level}"

    def choose(self, position: Position, *, seed: int = 0, time_ms: int | None = None) -> Move:
        """Choose a legal move (`ataxxd.engines.base.Bot`)."""
        with self._searching() as engine:
            result = search_at(self._level, engine, position, seed=seed, time_ms=time_ms)
        return self._engines.count(result).move

    def accepts_draw(self, position: Position, *, time_ms: int | None = None) -> bool:
        """Accepts when its search finds the offering side no worse off."""
        with self._searching() as engine:
            search = search_for_a_draw(engine, position, time_ms)
        self._engines.count(search.result)
        return search.accepts

    def consider(
        self, position: Position, nodes: int, *, time_ms: int | None = None
    ) -> SearchResult:
        """What the search thinks of a position after so many nodes, or so many milliseconds."""
        with self._searching() as engine:
            engine.clear()
            result = engine.search(position, nodes=nodes, time_ms=time_ms)
        return self._engines.count(result)

    def stop(self) -> None:
        """Make a choice under way in another thread return soon."""
        # Under the lock: an engine that was given back may search for another game by now.
        with self._lock:
            if self._engine is not None:
                self._engine.stop()

    @contextmanager
    def _searching(self) -> Iterator[Engine]:
        with self._engines.lent() as engine:
            with self._lock:
                self._engine = engine
            try:
                yield engine
            finally:
                with self._lock:
                    self._engine = None

    def __repr__(self) -> str:
        return f"PooledBot({self._level})"
