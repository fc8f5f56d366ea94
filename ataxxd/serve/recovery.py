"""Games out of a backup: taken up as soon as it is known what we have said in them since."""

import asyncio
import logging
from collections.abc import Callable

from ataxxd.errors import AtaxxdError, TransportError
from ataxxd.node.game_run import Connect
from ataxxd.node.journal import StoredGame
from ataxxd.node.node import Node
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import TOPICS
from ataxxd.node.recovery import NotCaughtUp, caught_up
from ataxxd.transport.reconnecting import Backoff

_log = logging.getLogger(__name__)

# Seconds between two tries; the opponent may come back at any time.
_AGAIN_FIRST, _AGAIN_LAST = 2.0, 300.0


async def catch_up(
    node: Node, stored: StoredGame, connect: Connect, carry: Callable[[StoredGame], None]
) -> None:
    """Try until it is known how far a restored game has come, however long that takes.

    Args:
        node: who plays it.
        stored: the game; no other process has it meanwhile.
        connect: makes a connection on which the opponent is heard.
        carry: takes it when it can.
    """
    profile, name = node.profile, stored.offer.name
    backoff = Backoff(_AGAIN_FIRST, _AGAIN_LAST)
    announcer = Announcer(TOPICS, stored.offer, profile.key)
    try:
        with profile.home.lock(stored.offer.digest, name):
            while stored.restored:
                try:
                    stored = await caught_up(stored, profile.journal, announcer, connect)
                except (NotCaughtUp, TransportError) as error:
                    _log.warning("%s It is tried again.", error)
                    await asyncio.sleep(backoff.next())
            plies = len(profile.journal.ledger(stored).moves)
        _log.info("%s: caught up, ply %d", name, plies)
        carry(stored)
    except AtaxxdError as error:
        _log.warning("%s: %s", name, error)
