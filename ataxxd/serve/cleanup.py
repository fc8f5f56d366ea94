"""What is left on the broker of games that are over, taken away when it was there long enough.

MQTT 3.1.1 has no messages that expire: whoever retains them must clear them.
"""

import asyncio
from collections.abc import Container, Sequence
from contextlib import suppress

from ataxxd.node.journal import StoredGame
from ataxxd.node.profile import TOPICS, Profile
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Transport
from ataxxd_protocol.messages import Offer, Sync, Unread
from ataxxd_protocol.topics import Address

# Seconds for what the broker has retained to arrive.
_SETTLE_S = 2.0
# How long an opponent may take to hear how a game ended.
_UNCONFIRMED_MS = 24 * 3_600_000


async def tidy(
    profile: Profile,
    line: Transport,
    shown_ms: int,
    *,
    carried: Container[str] = (),
    settle_s: float = _SETTLE_S,
) -> int:
    """Clear what this node has retained of games that ended, or expired, so long ago.

    What is not of a game in the journal was forgotten there, or put in our place by somebody,
    and goes too. A game whose end the opponent has not confirmed for a day is done with.

    Args:
        profile: of the node.
        line: an open transport of which nobody else reads.
        shown_ms: how long a game can be looked at when it is over.
        carried: the ids of games that somebody here still carries.
        settle_s: seconds for the broker to answer.

    Returns:
        How many games are cleared.

    Raises:
        StorageError, TransportError: what remains is left for the next time.
    """
    us, before_ms = profile.key.node, SYSTEM_CLOCK.now_ms() - shown_ms
    found = await _retained(line, [TOPICS.offer("+", us), TOPICS.unread("+", "+", us)], settle_s)
    offers = [each for each in found if each.address.kind == "offer"]
    unread = [each for each in found if each.address.kind == "unread"]
    old = []
    for offered in offers:
        await asyncio.sleep(0)  # the games under way have their turn between
        name = offered.address.name
        for stored in profile.journal.unfinished(name, Role.HOST):
            if stored.offer.digest not in carried:
                give_up(profile, stored, profile.journal.ledger(stored))
        if _is_over(profile, offered, before_ms):
            old.append(name)
    await _clear_unread(profile, line, unread)
    if not old:
        await line.drain()
        return 0
    parts = [TOPICS.state(name, us) + "/+" for name in old]
    found = await _retained(line, parts, settle_s)
    for name in old:
        # It may have been offered anew meanwhile, and the journal knows before the broker does.
        if profile.journal.unfinished(name, Role.HOST):
            continue
        topics = [TOPICS.offer(name, us), TOPICS.state(name, us)]
        topics += [
            TOPICS.state(name, us, each.address.part) for each in found if each.address.name == name
        ]
        for topic in topics:
            await line.publish(topic, b"", retain=True)
    await line.drain()
    return len(old)


async def _clear_unread(profile: Profile, line: Transport, found: Sequence[Incoming]) -> None:
    """Clear what opponents have never come back for, of games that are done with here.

    The receipt of a host's last word waits for a day.
    """
    for each in found:
        name, host, message = each.address.name, each.address.host, each.message
        stored = profile.journal.find(message.game) if isinstance(message, Unread | Sync) else None
        waits = stored is not None and (
            not stored.finished
            or (isinstance(message, Sync) and profile.journal.age_ms(stored) < _UNCONFIRMED_MS)
        )
        if host is not None and not waits:
            topic = TOPICS.unread(name, host, profile.key.node)
            await line.publish(topic, b"", retain=True)


def give_up(profile: Profile, stored: StoredGame, ledger: Ledger) -> bool:
    """Be done with a game that is over, and whose opponent has not come back for a day to hear it.

    Raises:
        StorageError: the journal cannot be used.
    """
    if ledger.outcome is None or profile.journal.age_ms(stored) < _UNCONFIRMED_MS:
        return False
    profile.journal.finish(stored)
    return True


def _is_over(profile: Profile, offered: Incoming, before_ms: int) -> bool:
    if profile.journal.unfinished(offered.address.name, Role.HOST):
        return False
    offer = offered.message
    stored = profile.journal.find(offer.digest, Role.HOST) if isinstance(offer, Offer) else None
    if stored is None:
        return True
    ended_ms = profile.journal.newest_ms(stored)
    return (ended_ms or stored.offer.created_ms) < before_ms


async def _retained(line: Transport, patterns: Sequence[str], settle_s: float) -> list[Incoming]:
    """What the broker has retained under some patterns, the newest on each topic."""
    found: dict[Address, Incoming] = {}
    for pattern in patterns:
        await line.subscribe(pattern)
    with suppress(TimeoutError):
        async with asyncio.timeout(settle_s):
            async for event in Receiver(line, TOPICS):
                if isinstance(event, Incoming) and event.retained and event.payload:
                    found[event.address] = event
    for pattern in patterns:
        await line.unsubscribe(pattern)
    return [*found.values()]
