"""``ataxxd match --display``: matches as a page in the browser shows them."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ataxxd.cli.say import say
from ataxxd.cli.scoreboard import WORKER_COLUMNS, fact_lines, pace_of, played_of, worker_rows
from ataxxd.engines.match.progress import Progress
from ataxxd.sanitize import sanitized
from ataxxd_clients.web.match import MatchRoom, MatchView, Player, Ratio
from ataxxd_clients.web.server import show_match

_AGAIN_S = 1.0


def match_view(progress: Progress) -> MatchView:
    """A match as a page shows it."""
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


async def show_matches(
    follow: Callable[[Callable[[Iterable[Progress]], None]], Coroutine[Any, Any, None]],
) -> None:
    """Show matches in the browser until they are over, and somebody leaves them there.

    Args:
        follow: looks on to the end, and gives what it is called with how they stand.
    """
    room = MatchRoom()

    def show(matches: Iterable[Progress]) -> None:
        room.show([match_view(progress) for progress in matches])

    await show_match(room, lambda: follow(show), say=say)


@contextmanager
def match_page(now: Callable[[], Progress]) -> Iterator[None]:
    """Show a match in the browser while a block runs that plays it in this thread.

    Args:
        now: how it stands; asked from another thread, again and again.
    """
    room, ended = MatchRoom(), threading.Event()

    async def follow() -> None:
        while not ended.is_set():
            room.show([match_view(now())])
            await asyncio.to_thread(ended.wait, _AGAIN_S)
        room.show([match_view(now())])

    def serve() -> None:
        asyncio.run(show_match(room, follow, say=say))

    thread = threading.Thread(target=serve, name="page")
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
