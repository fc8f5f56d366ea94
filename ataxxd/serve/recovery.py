"""Games out of a backup: taken up as soon as it is known what we have said in them since."""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import replace

from ataxxd.errors import AtaxxdError, TransportError
from ataxxd.node.game_run import Place
from ataxxd.node.held import HeldGame
from ataxxd.node.node import TOPICS
from ataxxd.node.presence import Announcer
from ataxxd.node.recovery import NotCaughtUp, caught_up
from ataxxd.transport.backoff import Backoff

_log = logging.getLogger(__name__)

# Seconds between two tries; the opponent may come back at any time.
_AGAIN_FIRST, _AGAIN_LAST = 2.0, 300.0


async def catch_up(place: Place, held: HeldGame, carry: Callable[[HeldGame], None]) -> None:
    """Try until it is known how far a restored game has come, however long that takes.

    Args:
        place: where it is played.
        held: the game; it is let go of when it cannot go on, or this is cancelled.
        carry: takes it when it can.
    """
    journal, stored, name = place.node.journal, held.stored, held.stored.offer.name
    backoff = Backoff(_AGAIN_FIRST, _AGAIN_LAST)
    announcer = Announcer(TOPICS, stored.offer, place.node.key)
    ledger = None
    try:
        while ledger is None:
            try:
                stored = await caught_up(held.stored, journal, announcer, place.connect)
                ledger = journal.ledger(stored)
            except (NotCaughtUp, TransportError) as error:
                _log.warning("%s It is tried again.", error)
                await asyncio.sleep(backoff.next())
    except BaseException as error:
        held.lock.close()
        if not isinstance(error, AtaxxdError):
            raise
        _log.warning("%s: %s", name, error)
        return
    _log.info("%s: caught up, ply %d", name, len(ledger.moves))
    carry(replace(held, stored=stored, ledger=ledger))
