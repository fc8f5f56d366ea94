"""The records of an event's games, as far as the broker still has them."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.groups import plain_errors
from ataxxd.node.lobby import LOOK_S, Lobby
from ataxxd.node.profile import TOPICS
from ataxxd.node.watching import Watcher
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.tournament.games import begun, check_offer_fits, game_name
from ataxxd.tournament.tournament import Board, Tournament
from ataxxd.transport.base import Transport
from ataxxd_protocol.signing import digest

# How many games are looked for at a time.
_AT_ONCE = 8


async def collected(
    tournament: Tournament, connect: Callable[[], Transport], *, seconds: float = LOOK_S
) -> dict[str, bytes]:
    """Record files by the names of the games.

    Args:
        tournament: the event.
        connect: makes a transport.
        seconds: how long to look for each.
    """
    found: dict[str, bytes] = {}
    turn = asyncio.Semaphore(_AT_ONCE)

    async def collect(board: Board) -> None:
        name = game_name(tournament.plan, board.number, board.board)
        async with turn:
            ledger = await _looked_at(tournament, board, connect, seconds)
        if ledger is not None:
            found[name] = dump_record(ledger)

    with plain_errors():
        async with asyncio.TaskGroup() as group:
            for board in tournament.boards:
                group.create_task(collect(board), name="record")
    return found


async def _looked_at(
    tournament: Tournament, board: Board, connect: Callable[[], Transport], seconds: float
) -> Ledger | None:
    """The game of a board, as far as it comes in time; None where none has begun."""
    name = game_name(tournament.plan, board.number, board.board)
    async with connect() as transport:
        games = await Lobby(transport, TOPICS).look(
            name, host=board.pairing.first, seconds=seconds, enough=lambda _: True
        )
    for game in games:
        try:
            check_offer_fits(tournament.plan, board.number, board.board, board.pairing, game.offer)
            session = game.watched or SpectatorSession(Ledger(game.offer))
        except RemoteProtocolError:
            continue
        # As a spectator does: not every broker gives all parts of the state at once.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), connect() as transport:
                await _watch(session, transport, board)
        if begun(session.ledger):
            return session.ledger
    return None


async def _watch(session: SpectatorSession, transport: Transport, board: Board) -> None:
    if not _complete(session.ledger, board):
        async for _ in Watcher(session, transport, TOPICS).events():
            if _complete(session.ledger, board):
                return


def _complete(ledger: Ledger, board: Board) -> bool:
    """Whether nothing more is to come, or it is what the result of the board rests on."""
    if ledger.phase is Phase.CLOSED:
        return True
    wanted = board.result.record if board.result is not None else None
    return wanted is not None and wanted == digest(dump_record(ledger))
