"""The records of an event's games, as far as the broker still has them."""

import asyncio
from collections.abc import Callable

from ataxxd.errors import RemoteProtocolError
from ataxxd.events.course import Board, Course
from ataxxd.events.games import begun, check_offer_fits, game_name
from ataxxd.node.lobby import LOOK_S, FoundGame, Lobby
from ataxxd.node.node import TOPICS
from ataxxd.session.record import dump_record
from ataxxd.session.state import Phase
from ataxxd.transport.base import Transport
from ataxxd_protocol.signing import digest

# How many games are looked for at a time.
_AT_ONCE = 8


async def collected(
    course: Course, connect: Callable[[], Transport], *, seconds: float = LOOK_S
) -> dict[str, bytes]:
    """Record files by the names of the games.

    Args:
        course: the event.
        connect: makes a transport.
        seconds: how long to look for each.
    """
    found: dict[str, bytes] = {}
    turn = asyncio.Semaphore(_AT_ONCE)

    async def collect(board: Board) -> None:
        name = game_name(course.plan, board.number, board.board)
        async with turn, connect() as transport:
            games = await Lobby(transport, TOPICS).look(
                name,
                host=board.pairing.first,
                seconds=seconds,
                enough=lambda game: _complete(game, board),
            )
        for game in games:
            if game.watched is not None and _fits(course, board, game):
                found[name] = dump_record(game.watched.ledger)

    async with asyncio.TaskGroup() as group:
        for board in course.boards:
            group.create_task(collect(board), name="record")
    return found


def _complete(game: FoundGame, board: Board) -> bool:
    if game.watched is None or game.phase is Phase.CLOSED:
        return True
    wanted = board.result.record if board.result is not None else None
    return wanted is not None and wanted == digest(dump_record(game.watched.ledger))


def _fits(course: Course, board: Board, game: FoundGame) -> bool:
    try:
        check_offer_fits(course.plan, board.number, board.board, board.pairing, game.offer)
    except RemoteProtocolError:
        return False
    return game.watched is not None and begun(game.watched.ledger)
