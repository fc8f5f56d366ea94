"""Matches over many machines: games as items of a work queue, which workers take and play.

items   games as they are sent; which are out, and which results count; pure
server  the NATS server with its streams
worker  plays them

Here is a match whose games are played by workers; to its caller it looks like a local match.
Watchers ask each match of a server for its state, which changes nothing.
"""

import asyncio
import concurrent.futures
import hashlib
import json
import queue
import threading
import time
from collections.abc import AsyncGenerator, Callable, Collection, Coroutine, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Final, TypeVar

import nats.errors
from nats.aio.msg import Msg

from ataxxd.engines.match import (
    Activity,
    Pace,
    Plan,
    Progress,
    Schedule,
    Team,
    TuningGuide,
    WorkerStatus,
    stop_after_failures,
)
from ataxxd.engines.match.checkpoint import Result
from ataxxd.errors import TransportError, UsageError
from ataxxd.match_queue.items import (
    FORMAT,
    ITEMS,
    MATCH_MESSAGES,
    PLAYING,
    PROGRESS,
    Build,
    Dispatcher,
    GameItem,
    MatchMessage,
    PlayingReport,
    Refusal,
    measure_speed,
)
from ataxxd.match_queue.server import (
    ANY_MATCH,
    HEARTBEAT_S,
    PROGRESS_REQUEST,
    Incoming,
    StreamGoneError,
    Subjects,
    connect,
    next_message,
    try_send,
)
from ataxxd.rules import Engine, Position

_MAX_PENDING: Final = 256
_MAX_WORKERS: Final = 1024
_WAIT_S: Final = 1.0
# After so many waits without a message, check whether the server still has the games.
_IDLE: Final = 10
_WITHDRAW_TIMEOUT_S: Final = 5.0

T = TypeVar("T")


def match_id(settings: Mapping[str, object], state: Path, machine: str) -> str:
    """The id of a match on the server, which stays the same when the match is resumed."""
    text = json.dumps([settings, f"{state.resolve()}", machine], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class QueueMatch:
    """A match played by workers over a NATS server; otherwise as `ataxxd.engines.match.Match`.

    Args:
        url: the address of the server.
        ident: the id of the match there.
        plan: the settings of the match.
        openings: one for each pair of games, as for `Schedule`.
        done: the numbers of games already played.
        on_notice: called with sentences for people, in the thread that asks for results.
        guide: as for `ataxxd.engines.match.Match`.

    Raises:
        UsageError: there is no such player, or one has a time limit of its own.
        EngineError: a player cannot be started here.
        TransportError: the server cannot be used.
    """

    def __init__(
        self,
        url: str,
        match: str,
        plan: Plan,
        openings: Iterator[Position],
        done: Collection[int],
        on_notice: Callable[[str], None],
        guide: TuningGuide | None,
    ) -> None:
        self._on_notice = on_notice
        self._guide = guide
        self._plan = replace(plan, concurrency=1)
        self._subjects = Subjects(match)
        self._schedule = Schedule(plan.games, openings, done)
        self._build = _make_build(self._plan, self._schedule.opening(0))
        self._speed = (
            measure_speed(self._schedule.opening(0).game) if plan.control.is_timed else None
        )
        ready = None if guide is None else guide.is_ready
        self._dispatcher = Dispatcher(self._schedule, plan.games, self._build, done, ready)
        self._notes = queue.SimpleQueue[str | None]()
        self._reported_refusals = set[str]()
        self._reported_factors = dict[str, float]()
        self._playing_reports = dict[str, tuple[PlayingReport, float]]()
        self._pace = Pace()
        self._progress: Callable[[], Progress] | None = None
        self._over = False
        self._loop = _LoopThread()
        try:
            self._server = self._loop.call(connect(url, self._notes.put))
        except BaseException:
            self._loop.close()
            raise

    @property
    def titles(self) -> tuple[str, str]:
        """The players' names for people, which differ."""
        return self._build.titles

    @property
    def repeats_from(self) -> int | None:
        """The number, from 0, of the first game with a repeated opening; None until then."""
        return self._schedule.repeats_from

    @property
    def activity(self) -> Activity:
        """What the match is doing now; may be called from any thread."""
        since = time.monotonic() - 3 * HEARTBEAT_S
        there = {
            name: playing for name, (playing, at) in [*self._playing_reports.items()] if at > since
        }
        rows = self._dispatcher.workers
        for name, playing in there.items():
            row = rows.get(name, WorkerStatus(name, playing.version))
            rows[name] = replace(row, there=True, playing=len(playing.numbers))
        under_way = sum(row.playing for row in rows.values())
        workers = tuple(row for _, row in sorted(rows.items()))
        return Activity(under_way, self._pace.per_second, workers)

    def answer_requests(self, progress: Callable[[], Progress]) -> None:
        """Answer requests for the state of the match with what `progress` returns."""
        self._progress = progress

    def results(self) -> Iterator[Result]:
        """The games as they arrive; each is removed from the server when the next is asked for.

        Raises:
            EngineError: a player fails again and again.
            TransportError: the server refuses something that is needed.
        """
        yield from stop_after_failures(self._results())

    def end(self) -> None:
        """End the match for good: `close` then removes it from the server."""
        self._over = True

    def close(self) -> None:
        """Withdraw the games that nobody has begun, and disconnect; results stay until `end`."""
        with suppress(TransportError, nats.errors.Error, concurrent.futures.TimeoutError):
            self._loop.call(self._withdraw(), _WITHDRAW_TIMEOUT_S)
        with suppress(nats.errors.Error, concurrent.futures.TimeoutError):
            self._loop.call(self._server.close(), _WITHDRAW_TIMEOUT_S)
        self._loop.close()

    def _results(self) -> Iterator[Result]:
        if self._dispatcher.finished:
            return
        incoming = self._call(self._start())
        # Take the results of an earlier run first: their games need not be played again.
        before = self._call(self._server.count_results(self._subjects))
        idle = 0
        while not self._dispatcher.finished:
            if before <= 0:
                self._call(self._hand_out(self._dispatcher.hand_out(_MAX_PENDING)))
            message = self._call(next_message(incoming, _WAIT_S))
            if message is None:
                idle, before = idle + 1, 0
            else:
                idle, before = 0, before - 1
                taken = self._dispatcher.accept_result(message.data)
                if isinstance(taken, Result):
                    self._pace.count()
                    self._report_factors()
                    yield taken
                elif taken is not None:
                    self._report_refusal(taken)
                self._call(try_send(message.ack))
            if idle == _IDLE:
                idle = 0
                incoming = self._call(self._restore_lost_games(incoming))

    def _report_refusal(self, refusal: Refusal) -> None:
        """Say that a result does not count, and why, once for each worker."""
        if refusal.worker not in self._reported_refusals:
            self._reported_refusals.add(refusal.worker)
            self._on_notice(
                f"The games of worker {refusal.worker or 'unknown'} do not count: {refusal.why}."
            )
        word = MatchMessage(self._subjects.match, refusal.worker, refusal.why)
        self._call(self._broadcast(word))
        opening = None if refusal.number is None else self._dispatcher.pending.get(refusal.number)
        if opening is not None and refusal.number is not None:
            self._call(self._hand_out([(refusal.number, opening)]))

    def _report_factors(self) -> None:
        """Say how much time each worker's players get, once for each worker and change."""
        if self._speed is None:
            return
        for worker, row in self._dispatcher.workers.items():
            if self._reported_factors.get(worker) != row.factor:
                self._reported_factors[worker] = row.factor
                self._on_notice(
                    f"Worker {worker} plays with {row.factor:.2f} times the time, by its speed."
                )

    def _call(self, work: Coroutine[Any, Any, T]) -> T:
        """Run a coroutine, and return what it returns; pass on notes while it runs."""
        # It may wait for the server for hours, and only this thread may report why.
        return self._loop.call(work, meanwhile=self._report_notes)

    def _report_notes(self, done: concurrent.futures.Future[T]) -> None:
        done.add_done_callback(lambda _: self._notes.put(None))
        while (note := self._notes.get()) is not None:
            self._on_notice(note)

    async def _start(self) -> Incoming:
        incoming = await self._server.make_results(self._subjects)
        # Games that an earlier run handed out are handed out again, except those with a result.
        await self._server.withdraw_games(self._subjects)
        await self._server.subscribe(self._subjects.playing, self._on_playing)
        await self._server.subscribe(PROGRESS_REQUEST, self._send_progress)
        return incoming

    async def _on_playing(self, message: Msg) -> None:
        playing = PLAYING.load(message.data)
        known = playing is not None and playing.worker in self._playing_reports
        if playing is not None and (known or len(self._playing_reports) < _MAX_WORKERS):
            self._playing_reports[playing.worker] = (playing, time.monotonic())

    async def _send_progress(self, _: Msg | None = None) -> None:
        if self._progress is not None:
            await self._server.publish(self._subjects.progress, PROGRESS.dump(self._progress()))

    async def _restore_lost_games(self, incoming: Incoming) -> Incoming:
        """If the server has lost the games, for example with its disk, hand them out again."""
        try:
            if await self._server.count_games(self._subjects):
                return incoming
        except StreamGoneError:
            pass
        incoming = await self._server.make_results(self._subjects)
        await self._hand_out([*self._dispatcher.pending.items()])
        return incoming

    async def _hand_out(self, jobs: Collection[tuple[int, Position]]) -> None:
        for number, opening in jobs:
            item = GameItem(
                FORMAT,
                self._subjects.match,
                number,
                opening.ruleset,
                opening.text,
                self._plan,
                self._speed,
                None if self._guide is None else self._guide.settings(number),
            )
            with suppress(StreamGoneError):  # `_restore_lost_games` creates the stream again
                await self._server.queue_game(self._subjects, ITEMS.dump(item))

    async def _broadcast(self, word: MatchMessage) -> None:
        await self._server.publish(self._subjects.message, MATCH_MESSAGES.dump(word))

    async def _withdraw(self) -> None:
        with suppress(StreamGoneError):
            await self._server.withdraw_games(self._subjects)
        if self._over:
            await self._send_progress()
            await self._broadcast(MatchMessage(self._subjects.match))
            with suppress(StreamGoneError):
                await self._server.remove_results(self._subjects)


def _make_build(plan: Plan, opening: Position) -> Build:
    """The versions that play here, and that the workers must have."""
    Engine.prepare(opening)
    team = Team(plan, opening.game)
    try:
        team.prepare()
        check_own_limits(plan, team)
        return Build.of(team, opening.game)
    finally:
        team.close()


def check_own_limits(plan: Plan, team: Team) -> None:
    """Check that no player has a time limit of its own, which workers would not scale.

    Raises:
        UsageError: a player has one.
    """
    timed = False
    for name, limits in zip(plan.players, team.own_limits, strict=True):
        timed = timed or (limits is not None and limits.time_ms is not None)
        timed = timed or (name.startswith("auto:") and "time=" in name)
    if timed:
        raise UsageError(
            "With --queue, a player's own limit must not be in time, which means something else on "
            "each machine. Give the time by --clock or --move-time, which workers scale to their "
            "speed, or limit the player in nodes."
        )


class _LoopThread:
    """An event loop in a thread of its own, for a caller without one."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="queue", daemon=True)
        self._thread.start()

    def call(
        self,
        work: Coroutine[Any, Any, T],
        timeout_s: float | None = None,
        meanwhile: Callable[[concurrent.futures.Future[T]], None] | None = None,
    ) -> T:
        """Run a coroutine, and return what it returns.

        Args:
            work: the coroutine.
            timeout_s: how long it may take once `meanwhile` has returned.
            meanwhile: called with its future while it runs.

        Raises:
            TimeoutError: it takes longer.
        """
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            if meanwhile is not None:
                meanwhile(future)
            return future.result(timeout_s)
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what runs in it, and end it."""
        self.call(_cancel_others())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


async def _cancel_others() -> None:
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    await asyncio.gather(*others, return_exceptions=True)


_REQUEST_INTERVAL_S: Final = 1.0
_MAX_UNANSWERED: Final = 5
"""Unanswered requests before the user is told."""


async def follow_matches(
    url: str, on_notice: Callable[[str], None]
) -> AsyncGenerator[Mapping[str, Progress], None]:
    """The progress of all matches on a server, repeatedly, until all are over.

    Args:
        url: the address of the server.
        on_notice: called with sentences for people.

    Raises:
        UsageError: the address cannot be read.
        TransportError: the server cannot be used.
    """
    server = await connect(url, on_notice)
    matches, silent, heard = dict[str, Progress](), 0, asyncio.Event()

    async def on_message(message: Msg) -> None:
        progress = PROGRESS.load(message.data)
        if progress is not None:
            matches[message.subject] = progress
            heard.set()

    try:
        await server.subscribe(ANY_MATCH.progress, on_message)
        while not matches or not all(each.over for each in matches.values()):
            heard.clear()
            await server.publish(PROGRESS_REQUEST, b"")
            with suppress(TimeoutError):
                await asyncio.wait_for(heard.wait(), _REQUEST_INTERVAL_S)
            if heard.is_set():
                silent = 0
                yield {**matches}
                await asyncio.sleep(_REQUEST_INTERVAL_S)
            else:
                silent += 1
                if silent == _MAX_UNANSWERED:
                    on_notice(f"No match answers at {server.address}; waiting for one.")
        yield {**matches}
    finally:
        await server.close()
