"""A search in a thread of its own: start it, ponder in it, and stop it.

One stop is not enough. An engine forgets it when its search begins, and a bot first clears its
table or starts a program, which the caller cannot see. So the stop is repeated until the search has
ended.
"""

import asyncio
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeAlias, TypeVar

from ataxxd.engines.tablebases import new_playing_engine
from ataxxd.rules import Engine, Position, SearchResult
from ataxxd.rules.limits import DEFAULT_HASH_MB, Limits

# Seconds between two stops.
_STOP_INTERVAL_S = 0.02

T = TypeVar("T")


def end_threads(threads: Collection[threading.Thread], *stops: Callable[[], object]) -> None:
    """Wait until threads have ended, calling `stops` repeatedly to end their searches."""
    while alive := [thread for thread in threads if thread.is_alive()]:
        for stop in stops:
            stop()
        for thread in alive:
            thread.join(_STOP_INTERVAL_S)


class StoppableCall(Generic[T]):
    """A call that runs off the event loop and can be stopped; used from the loop that made it."""

    def __init__(self, question: Callable[[], T], stop: Callable[[], object]) -> None:
        """Start the call.

        Args:
            question: returns the answer; may take long.
            stop: makes it return soon, unless it has only just begun.
        """
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.create_task(asyncio.to_thread(question), name="thinking")
        self._stop = stop
        self._stopping = False

    async def result(self) -> T:
        """Wait for the answer; if cancelled, stop the call and wait until it has ended."""
        try:
            return await asyncio.shield(self._task)
        except asyncio.CancelledError:
            self.stop()
            await asyncio.wait({self._task})
            if not self._task.cancelled():
                self._task.exception()  # retrieved, so that asyncio does not warn about it
            raise

    def stop(self) -> None:
        """Make the call return what it has soon; does not wait."""
        if not self._stopping:
            self._stopping = True
            self._tell()

    def _tell(self) -> None:
        # This cannot stop a later question: none is asked before this loop has seen the answer.
        if not self._task.done():
            self._stop()
            self._loop.call_later(_STOP_INTERVAL_S, self._tell)


# Deeper than any search gets: it means "until stopped", for which the engine has no option.
_ENDLESS = 1000

SearchOther: TypeAlias = Callable[[Position, int], SearchResult | None]


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The position and limits of a search.

    Attributes:
        position: the position, in which the game must not be over.
        limits: the limits of this search; while pondering, time does not count yet.
        on_info: called with the result so far after each iteration.
        on_answer: called once, with the result.
        holds_answer: hold the answer back until `SearchThread.stop` or `SearchThread.ponder_hit`,
            as in infinite analysis and while pondering.
        seed: as for `ataxxd.rules.Engine.search`.
        clears_table: clear the transposition table first, so that the answer depends only on the
            limits.
        on_found: called with the result before it becomes the answer, and with a function that
            searches other positions to a depth, or returns None once the search was stopped.
    """

    position: Position
    limits: Limits
    on_info: Callable[[SearchResult], object]
    on_answer: Callable[[SearchResult], object]
    holds_answer: bool = False
    seed: int = 0
    clears_table: bool = False
    on_found: Callable[[SearchResult, SearchOther], object] | None = None


@dataclass(slots=True)
class _Search:
    request: SearchRequest
    stopped: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)
    found: threading.Event = field(default_factory=threading.Event)
    thread: threading.Thread | None = None


class SearchThread:
    """One search at a time, in the background; used from one thread.

    Args:
        engine: the engine; one of the usual size if None. Nobody else may use it during a
            request.
    """

    def __init__(self, engine: Engine | None = None) -> None:
        self._hash_mb, self._threads = DEFAULT_HASH_MB, 1
        self._engine = engine or new_playing_engine(self._hash_mb, self._threads)
        self._tuning = dict[str, int]()
        self._search: _Search | None = None

    @property
    def busy(self) -> bool:
        """Whether a request has not been answered yet."""
        search = self._search
        return search is not None and not search.found.is_set()

    def start(self, request: SearchRequest) -> None:
        """Start a search; the answer comes by `SearchRequest.on_answer`, in another thread.

        Args:
            request: the search.

        Raises:
            ValueError: the game is over, or another request is not answered yet.
        """
        if self.busy:
            msg = "A search is under way. Stop it first."
            raise ValueError(msg)
        if request.position.outcome is not None:
            msg = "The game is over in this position; there is no move to find."
            raise ValueError(msg)
        self.wait()
        search = self._search = _Search(request)
        if not request.holds_answer:
            search.released.set()
        # A search that is pondering, or has no end, must not keep the process alive.
        search.thread = threading.Thread(
            target=self._run, args=(search,), name="thinking", daemon=not search.released.is_set()
        )
        search.thread.start()

    def ponder_hit(self, time_ms: int | None = None) -> None:
        """Turn pondering into a normal search: the expected move was played, and time counts.

        Args:
            time_ms: the milliseconds left for it, if they were not known before.
        """
        search = self._search
        if search is None or not self.busy or search.request.limits.unlimited:
            return
        request = search.request
        limits = request.limits.within(Limits(time_ms=time_ms))
        time_ms = limits.milliseconds(request.position)
        if time_ms is not None:
            threading.Thread(
                target=self._stop_after, args=(search, time_ms / 1000), name="deadline", daemon=True
            ).start()
        search.released.set()

    def stop(self) -> None:
        """Make the search answer at once with what it has; returns after the answer."""
        search = self._search
        if search is None or search.thread is None:
            return
        search.stopped.set()
        search.released.set()
        end_threads([search.thread], self._engine.stop)

    def wait(self) -> None:
        """Wait for the answer; for ever, if it is held back."""
        if self._search is not None and self._search.thread is not None:
            self._search.thread.join()

    def resize(self, *, hash_mb: int | None = None, threads: int | None = None) -> None:
        """Change the size of the transposition table, which is cleared, or the number of threads.

        If it fails, both stay as they are.

        Args:
            hash_mb: mebibytes; None for no change.
            threads: search threads; None for no change.

        Raises:
            ValueError: there is no such size or number, or a search is under way.
        """
        if self.busy:
            msg = "A search is under way. Stop it first."
            raise ValueError(msg)
        wanted = (hash_mb or self._hash_mb, threads or self._threads)
        no_larger = wanted[0] <= self._hash_mb
        if no_larger:
            # Free the old table first: there may not be enough memory for both.
            self._engine = new_playing_engine(1)
        try:
            self._engine = new_playing_engine(*wanted)
        except ValueError:
            if no_larger:
                self._engine = new_playing_engine(self._hash_mb, self._threads)
            raise
        finally:
            self._engine.tune(self._tuning)
        self._hash_mb, self._threads = wanted

    def tune(self, name: str, value: int) -> None:
        """Set a search parameter from now on; see `ataxxd.rules.Engine.tune`.

        Raises:
            ValueError: there is no such parameter, it is out of range, or a search is under way.
        """
        if self.busy:
            msg = "A search is under way. Stop it first."
            raise ValueError(msg)
        # The last search may have answered while its thread has not ended.
        self.wait()
        tuning = {**self._tuning, name: value}
        self._engine.tune(tuning)
        self._tuning = tuning

    def clear(self) -> None:
        """Clear the transposition table for a new game; a running search is stopped first."""
        self.stop()
        self._engine.clear()

    def _stop_after(self, search: _Search, seconds: float) -> None:
        if not search.found.wait(seconds) and search.thread is not None:
            end_threads([search.thread], self._engine.stop)

    def _run(self, search: _Search) -> None:
        request, limits = search.request, search.request.limits
        aim_ms, time_ms = (
            (None, None) if request.holds_answer else limits.aim_and_max(request.position)
        )
        endless = limits.depth is limits.nodes is time_ms is None
        if request.clears_table:
            self._engine.clear()
        result = self._engine.search(
            request.position,
            depth=_ENDLESS if endless else limits.depth,
            nodes=limits.nodes,
            time_ms=time_ms,
            aim_ms=aim_ms,
            seed=request.seed,
            temperature=limits.temperature,
            oversight=limits.oversight,
            on_info=request.on_info,
        )
        if request.on_found is not None:
            request.on_found(result, partial(self._look, search))
        search.released.wait()
        # Set before the answer, since its receiver may ask again at once.
        search.found.set()
        request.on_answer(result)

    def _look(self, search: _Search, position: Position, depth: int) -> SearchResult | None:
        if search.stopped.is_set():
            return None
        result = self._engine.search(position, depth=depth)
        # The search may have been cut short.
        return None if search.stopped.is_set() else result
