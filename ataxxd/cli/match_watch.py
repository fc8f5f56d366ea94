"""``ataxxd match --watch`` and ``--display``: look at matches, here or in the browser."""

import asyncio
import threading
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from ataxxd.cli.commands.engines import MatchOptions
from ataxxd.cli.say import say, tell
from ataxxd.cli.scoreboard import (
    WORKER_COLUMNS,
    LiveLines,
    as_json,
    fact_lines,
    pace_of,
    played_of,
    progress_line,
    progress_lines,
    worker_rows,
)
from ataxxd.cli.signals import run_until_stopped
from ataxxd.engines.match.checkpoint import Follower, Standings
from ataxxd.engines.match.progress import Progress
from ataxxd.engines.match.statistics import SequentialTest
from ataxxd.engines.tuning import Tuner, tuning_progress
from ataxxd.errors import ExitCode, UsageError
from ataxxd.extras import installing
from ataxxd.sanitize import sanitized

if TYPE_CHECKING:
    from ataxxd_clients.web.match import MatchView

_AGAIN_S: Final = 1.0


def run_watch(options: MatchOptions, place: str) -> int:
    """Show what is played at a place until it is over.

    Raises:
        UsageError: players are named, or the place is none.
    """
    if options.player1 is not None or options.state is not None or options.queue_url is not None:
        raise UsageError(
            "--watch plays nothing: leave out the players, --state and --queue. For the file of a "
            "match, --sprt says which test it was started with."
        )
    test = None if options.sprt is None else sequential_test(options.sprt)
    matches = _at_server(place) if "://" in place else _in_file(Path(place), test)
    return run_until_stopped(_watch(matches, display=options.display, json=options.json))


def sequential_test(text: str) -> SequentialTest:
    """The test that ``--sprt`` names.

    Raises:
        UsageError: it names none.
    """
    try:
        numbers = [float(word) for word in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) not in (2, 4):
        raise UsageError(f"--sprt {text!r} is not understood: write it as --sprt 0:5")
    try:
        return SequentialTest(*numbers)
    except ValueError as error:
        raise UsageError(f"--sprt {text}: {error}.") from None


def check_nats(what: str) -> None:
    """Check that the client of NATS is installed, which `what` needs.

    Raises:
        UsageError: it is not.
    """
    if find_spec("nats") is None:
        raise UsageError(
            f"{what} needs the package nats-py, which a plain installation leaves out. Install it: "
            f"{installing('queue')}"
        )


def _at_server(url: str) -> AsyncGenerator[Mapping[str, Progress], None]:
    check_nats("--watch with the address of a server")
    from ataxxd.match_queue.match import matches_at  # needs nats-py

    return matches_at(url, say)


async def _watch(
    matches: AsyncGenerator[Mapping[str, Progress], None], *, display: bool, json: bool
) -> ExitCode:
    """Show matches until all of them are over, then their results."""
    if not display:
        await _follow(matches, None, json=json)
        return ExitCode.OK
    from ataxxd_clients.web import server  # takes its time to load
    from ataxxd_clients.web.match import MatchRoom

    room = MatchRoom()

    def show(shown: Iterable[Progress]) -> None:
        room.show([match_view(progress) for progress in shown])

    await server.show(room, lambda: _follow(matches, show, json=json), say=say)
    return ExitCode.OK


async def _follow(
    matches: AsyncGenerator[Mapping[str, Progress], None],
    show: Callable[[Iterable[Progress]], None] | None,
    *,
    json: bool,
) -> None:
    screen, counted = LiveLines(), dict[str, int]()
    last: Mapping[str, Progress] = {}
    try:
        async with aclosing(matches) as seen:
            async for last in seen:
                if show is not None:
                    show(last.values())
                if screen.live:
                    screen.draw(line for each in last.values() for line in progress_lines(each))
                    continue
                for ident, progress in last.items():
                    if counted.get(ident) != sum(progress.games):
                        counted[ident] = sum(progress.games)
                        say(progress_line(progress))
    finally:
        screen.clear()
        for progress in last.values():
            tell(*((as_json(progress),) if json else progress_lines(progress)))


def _tuner(settings: Mapping[str, Any]) -> Tuner | None:
    """What counts the games of a tuning; None for a match."""
    with suppress(KeyError, TypeError, ValueError):
        return Tuner.of(settings)
    return None


async def _in_file(
    path: Path, test: SequentialTest | None
) -> AsyncGenerator[Mapping[str, Progress], None]:
    """The match that a file keeps, as often as it changes, until nobody plays it."""
    with closing(Follower(path)) as file:
        standings, tuner = Standings(), _tuner(file.settings)
        while True:
            # Asked before, so that nothing is added after the last look.
            played = file.is_played
            new = file.read()
            for result in new:
                standings.add(result)
                if tuner is not None:
                    tuner.add(result)
            if tuner is None:
                progress = Progress.of(file.players, None, standings, test)
            else:
                planned = int(file.settings["games"])
                progress = tuning_progress(tuner, planned, standings)
            yield {str(path): progress}
            if not played:
                return
            await asyncio.sleep(_AGAIN_S)


def match_view(progress: Progress) -> "MatchView":
    """A match as a page shows it."""
    from ataxxd_clients.web.match import MatchView, Player, Ratio

    lost, drawn, won = progress.games
    first, second = map(sanitized, progress.titles)
    failed, failed_too = progress.failures
    test, ratio = progress.test, None
    if test is not None:
        low, high = test.bounds
        ratio = Ratio(value=test.ratio(progress.pairs), low=low, high=high)
    return MatchView(
        players=[
            Player(name=first, won=won, drawn=drawn, lost=lost, failed=failed),
            Player(name=second, won=lost, drawn=drawn, lost=won, failed=failed_too),
        ],
        count=played_of(progress),
        played=lost + drawn + won,
        planned=progress.planned,
        pairs=[*progress.pairs],
        facts=[*fact_lines(progress)],
        ratio=ratio,
        pace=pace_of(progress.activity),
        columns=[*WORKER_COLUMNS],
        workers=[[*map(sanitized, row)] for row in worker_rows(progress)],
        over=progress.over,
    )


@contextmanager
def match_page(now: Callable[[], Progress]) -> Iterator[None]:
    """Show a match in the browser while a block runs that plays it in this thread.

    Args:
        now: how it stands; asked from another thread, again and again.
    """
    from ataxxd_clients.web import server  # takes its time to load
    from ataxxd_clients.web.match import MatchRoom

    room, ended = MatchRoom(), threading.Event()

    async def follow() -> None:
        while not ended.is_set():
            room.show([match_view(now())])
            await asyncio.to_thread(ended.wait, _AGAIN_S)
        room.show([match_view(now())])

    def serve() -> None:
        asyncio.run(server.show(room, follow, say=say))

    thread = threading.Thread(target=serve, name="page")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
