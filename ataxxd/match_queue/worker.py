"""A worker: takes games of matches from the server, plays them, and sends back the results."""

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from nats.aio.msg import Msg

from ataxxd import __version__
from ataxxd.engines.match import Plan, Team
from ataxxd.engines.match.checkpoint import Result
from ataxxd.engines.registry import ENGINE
from ataxxd.engines.search_thread import StoppableCall
from ataxxd.errors import UsageError
from ataxxd.match_queue.items import (
    FORMAT,
    ITEMS,
    MATCH_MESSAGES,
    PLAYING,
    REPORTS,
    Build,
    GameItem,
    GameReport,
    MatchMessage,
    PlayingReport,
    measure_speed,
)
from ataxxd.match_queue.server import (
    ANY_MATCH,
    HEARTBEAT_S,
    Incoming,
    Server,
    StreamGoneError,
    Subjects,
    WorkerRefusedError,
    next_message,
    try_send,
)
from ataxxd.rules import Engine, Position, RulesError

_WAIT_S: Final = 5.0


class Worker:
    """Plays games until it is cancelled; then those under way are returned to the queue.

    Args:
        server: the server.
        name: its unique name.
        concurrency: how many games to play at once.
        allow_engines: also start external engines, by the commands that matches name.
        on_result: called with each game.
    """

    def __init__(
        self,
        server: Server,
        name: str,
        concurrency: int,
        *,
        allow_engines: bool,
        on_result: Callable[[Result, tuple[str, str]], None],
    ) -> None:
        self._server = server
        self._name = name
        self._concurrency = concurrency
        self._allow_engines = allow_engines
        self._on_result = on_result
        self._taking = asyncio.Lock()
        self._playing = dict[StoppableCall[Result | None], GameItem]()
        self._refused: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def run(self) -> None:
        """Play games.

        Raises:
            UsageError: a match needs something that is not allowed here.
            WorkerRefusedError: a match is not understood, or rejects this worker's games.
            EngineError: a player cannot be started.
            TransportError: the server refuses something that is needed.
        """
        games = await self._server.make_games()
        await self._server.subscribe(ANY_MATCH.message, self._on_match_message)
        work = [asyncio.create_task(self._work(games)) for _ in range(self._concurrency)]
        try:
            await asyncio.wait({*work, self._refused}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in work:
                task.cancel()
            ends = await asyncio.gather(*work, return_exceptions=True)
        self._refused.cancel() if not self._refused.done() else self._refused.result()
        for end in ends:
            if isinstance(end, BaseException) and not isinstance(end, asyncio.CancelledError):
                raise end

    async def _work(self, games: Incoming) -> None:
        table: _Players | None = None
        try:
            while True:
                async with self._taking:
                    message = await next_message(games, _WAIT_S)
                if message is None:
                    await self._server.wait_for_answer()
                    continue
                try:
                    item = self._decode_item(message.data)
                    if table is None or not table.can_play(item):
                        if table is not None:
                            table.close()
                        table = await asyncio.to_thread(_Players, item)
                    await self._play(table, item, message)
                except BaseException:
                    await try_send(message.nak)
                    raise
        finally:
            if table is not None:
                table.close()

    def _decode_item(self, data: bytes) -> GameItem:
        item = ITEMS.load(data)
        if item is None or item.format != FORMAT:
            raise _unknown_item_error()
        commands = [name for name in item.plan.players if name.startswith(ENGINE)]
        if commands and not self._allow_engines:
            raise UsageError(
                f"A match on this server wants to start a program here: {commands[0]}. If "
                "you trust everybody who can reach the server, allow it: --allow-engines"
            )
        return item

    async def _play(self, table: "_Players", item: GameItem, message: Msg) -> None:
        subjects = Subjects(item.match)
        stopped = threading.Event()

        def stop() -> None:
            stopped.set()
            table.team.stop()

        opening = _opening(item)
        if item.settings is not None:
            table.team.tune(item.settings)
        call = StoppableCall(lambda: table.team.play(item.number, opening, stopped.is_set), stop)
        self._playing[call] = item
        beating = asyncio.create_task(self._send_heartbeats(item, message))
        try:
            result = await call.result()
        finally:
            del self._playing[call]
            beating.cancel()
        await self._report_playing(subjects)
        if result is None:  # the match is over
            await try_send(message.ack)
            return
        report = GameReport(FORMAT, self._name, table.build, table.factor, result)
        try:
            await self._server.store_result(subjects, REPORTS.dump(report))
        except StreamGoneError:
            # The match is over; if it is not, somebody must play the game again.
            await try_send(message.nak)
            return
        await try_send(message.ack)
        self._on_result(result, table.build.titles)

    async def _send_heartbeats(self, item: GameItem, message: Msg) -> None:
        """Report that a game is being played, so that no other worker gets it."""
        while True:
            await self._report_playing(Subjects(item.match))
            await asyncio.sleep(HEARTBEAT_S)
            await try_send(message.in_progress)

    async def _report_playing(self, subjects: Subjects) -> None:
        """Tell a match which of its games are played here."""
        playing = self._playing.values()
        numbers = tuple(item.number for item in playing if item.match == subjects.match)
        said = PLAYING.dump(PlayingReport(self._name, __version__, numbers))
        await self._server.publish(subjects.playing, said)

    async def _on_match_message(self, message: Msg) -> None:
        word = MATCH_MESSAGES.load(message.data)
        if word is None:
            return
        if word.refused is None:
            for call, item in self._playing.items():
                if item.match == word.match:
                    call.stop()
        elif word.refused == self._name and not self._refused.done():
            self._refused.set_exception(_refusal_error(word))


class _Players:
    """The players of one match, ready to play.

    Raises:
        UsageError: there is no such player.
        EngineError: a player cannot be started.
    """

    def __init__(self, item: GameItem) -> None:
        self._plan: Plan = item.plan
        self._speed = item.speed
        opening = _opening(item)
        self._game = opening.game
        Engine.prepare(opening)
        # Every concurrent table measures at once, so that they measure the speed they really get.
        self.factor = 1.0 if item.speed is None else item.speed / measure_speed(self._game)
        control = item.plan.control.scaled(self.factor)
        self.team = Team(replace(item.plan, control=control), opening.game)
        try:
            self.team.prepare()
            self.build = Build.of(self.team, opening.game)
        except BaseException:
            self.team.close()
            raise

    def can_play(self, item: GameItem) -> bool:
        """Whether they play this game, too."""
        return (self._plan, self._speed, self._game) == (
            item.plan,
            item.speed,
            _opening(item).game,
        )

    def close(self) -> None:
        """End the players."""
        self.team.close()


def _opening(item: GameItem) -> Position:
    try:
        return Position.from_text(item.ruleset, item.start)
    except RulesError:
        raise _unknown_item_error() from None


def _unknown_item_error() -> WorkerRefusedError:
    return WorkerRefusedError(
        "A match on this server needs another version of ataxxd. Install the same version "
        "wherever its games are played."
    )


def _refusal_error(word: MatchMessage) -> WorkerRefusedError:
    return WorkerRefusedError(
        f"The match does not count this worker's games: {word.why}. Install the same ataxxd and "
        "engines here as where the match was started."
    )
