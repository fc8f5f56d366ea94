"""The tables of a serving node: each has an open offer until enough games are played at once.

On a broker, a host has one game under a name. So the games of a table have different names, and
keep them until they have been visible long enough. The table's own name is the first choice;
joining it leads to the open game, whatever that is called: see `GameFinder.find_seat`.

What finished games have retained on the broker is cleared after a while: messages do not expire in
MQTT 3.1.1, so their publisher must clear them.
"""

import asyncio
import itertools
import logging
import math
from collections.abc import Container, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial

from ataxxd.errors import AtaxxdError
from ataxxd.node.errors import NameInUse
from ataxxd.node.listing import UNCONFIRMED_MS, finish_if_unconfirmed
from ataxxd.node.node import Node
from ataxxd.node.offers import names_at
from ataxxd.node.profile import Profile
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.node.seats import free_name
from ataxxd.node.settings import Settings
from ataxxd.serve.games import Games, ServedGame
from ataxxd.serve.plan import Plan, TablePlan
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Transport
from ataxxd_protocol import TOPICS
from ataxxd_protocol.messages import Offer, Sync, Unread
from ataxxd_protocol.topics import Address

_log = logging.getLogger(__name__)

# How many finished games of a table stay visible; each is retained on the broker.
_MAX_SHOWN = 16
# Two offers of a table are the same for a guest if they agree in these terms.
_TERMS = ("ruleset", "start", "color", "clock", "grace_ms", "takebacks", "access", "witnesses")


class Tables:
    """Opens offers at tables, and clears finished ones."""

    def __init__(self, node: Node, games: Games) -> None:
        """Create the tables of `node`, whose games `games` runs."""
        self._node = node
        self._profile = node.profile
        self._games = games

    def update_offers(self, plan: Plan) -> None:
        """Open and withdraw offers according to the plan."""
        planned = {table.key for table in plan.tables}
        for game in self._games.prune_offers():
            if game.plan_key not in planned:
                self._games.withdraw(game)
        for table in plan.tables:
            self._update_table(table, plan)

    def is_wanted(self, plan: Plan, offer: Offer, settings: Settings) -> bool:
        """Whether an offer of an earlier run still matches what a table offers."""
        now_ms = SYSTEM_CLOCK.now_ms()
        return any(
            table.key == settings.served
            and offer.expires_ms > now_ms
            and _has_same_terms(offer, table)
            for table in plan.tables
        )

    def _update_table(self, table: TablePlan, plan: Plan) -> None:
        games = self._games.with_plan_key(table.key)
        # Count the occupied places only if all could be: this runs on any news of any game.
        full = len(games) >= table.at_once <= sum(game.occupies_place for game in games)
        waiting = [game for game in self._games.prune_offers() if game.plan_key == table.key]
        kept = [game for game in waiting if not full and self._is_current(game, table, plan)][:1]
        for game in waiting:
            if game not in kept:
                self._games.withdraw(game)
        # A withdrawn offer is gone a moment later, and then this runs again.
        if not waiting and not full:
            try:
                self._open_offer(table, plan)
            except AtaxxdError as error:
                _log.error("table %s: %s", table.name, error)

    def _is_current(self, game: ServedGame, table: TablePlan, plan: Plan) -> bool:
        settings, offer = Settings.restored(game.stored.settings), game.stored.offer
        said = (settings.player, settings.level, settings.agrees)
        same_player = said == (table.player, table.level, table.agrees)
        if not same_player or not _has_same_terms(offer, table):
            return False
        # Replace an offer under another name once the table's own name is free again.
        return offer.name == table.name or self._free_name(table, plan) != table.name

    def _open_offer(self, table: TablePlan, plan: Plan) -> None:
        settings = replace(
            self._node.settings,
            player=table.player,
            level=table.level,
            agrees=table.agrees,
            served=table.key,
        )
        take = partial(
            self._node.new_game,
            self._free_name(table, plan),
            table.first,
            color=table.color,
            terms=table.terms,
            lasts_ms=table.lasts_ms,
            settings=settings,
            record_of=plan.record_of,
        )
        self._games.start(settings, table.first.start.ruleset, lambda player: take(player=player))

    def _free_name(self, table: TablePlan, plan: Plan) -> str:
        """The first of its names without a game that is played or shown, or that shown the longest.

        Raises:
            StorageError: the journal cannot be read.
        """
        on_show: dict[str, int] = {}
        first, step = table.numbers
        for name in itertools.islice(names_at(table.name), first - 1, None, step):
            if self._games.is_hosting(name) or self._is_played(name):
                continue
            until_ms = self._profile.journal.hosted_until(name)
            if until_ms is None or until_ms < self._hidden_before_ms(plan):
                return name
            on_show[name] = until_ms
            if len(on_show) == max(_MAX_SHOWN // step, 1):
                break
        return min(on_show, key=on_show.__getitem__)

    def _is_played(self, name: str) -> bool:
        """Whether somebody plays a game of ours with this name; an offer left behind makes way."""
        try:
            free_name(self._profile, name)
        except NameInUse:
            return True
        return False

    def _hidden_before_ms(self, plan: Plan) -> float:
        """The Unix time in milliseconds before which a game must have ended to be hidden."""
        return -math.inf if plan.shown_ms is None else SYSTEM_CLOCK.now_ms() - plan.shown_ms


def _has_same_terms(offer: Offer, table: TablePlan) -> bool:
    start = table.first.start
    wanted = {
        **table.terms.fields(),
        "ruleset": start.ruleset,
        "start": start.text,
        "color": table.color,
    }
    said = offer.fields()
    return all(said.get(term) == wanted.get(term) for term in _TERMS)


# Seconds for what the broker has retained to arrive.
_SETTLE_S = 2.0


async def clear_finished_games(
    profile: Profile,
    line: Transport,
    shown_ms: int,
    *,
    running: Container[str],
    settle_s: float = _SETTLE_S,
) -> int:
    """Clear this node's retained messages of games that ended or expired long enough ago.

    Messages of games that are not in the journal are cleared too: the journal has deleted those
    games, or somebody else published them. A game whose end the opponent has not confirmed for
    a day counts as settled.

    Args:
        profile: the profile of the node.
        line: an open transport that nobody else reads.
        shown_ms: how many milliseconds after its end a game stays on the broker.
        running: the ids of games that are still running here.
        settle_s: seconds to wait for the broker's retained messages.

    Returns:
        How many games were cleared.

    Raises:
        StorageError, TransportError: some games are not cleared; call it again later.
    """
    us, before_ms = profile.key.node, SYSTEM_CLOCK.now_ms() - shown_ms
    found = await _retained(line, [TOPICS.offer("+", us), TOPICS.unread("+", "+", us)], settle_s)
    offers = [each for each in found if each.address.kind == "offer"]
    unread = [each for each in found if each.address.kind == "unread"]
    old = []
    for offered in offers:
        await asyncio.sleep(0)  # yield to the games under way
        name = offered.address.name
        for stored in profile.journal.unfinished(name, Role.HOST):
            if stored.offer.digest not in running:
                finish_if_unconfirmed(profile.journal, stored, profile.journal.ledger(stored))
        if _is_over(profile, offered, before_ms):
            old.append(name)
    await _clear_unread(profile, line, unread)
    if not old:
        await line.drain()
        return 0
    parts = [TOPICS.state(name, us) + "/+" for name in old]
    found = await _retained(line, parts, settle_s)
    for name in old:
        # A new offer may have the name by now; the journal knows of it before the broker does.
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
    """Clear messages that opponents never came back for, in games that are finished here.

    The receipt of a host's last message is kept for a day.
    """
    for each in found:
        name, host, message = each.address.name, each.address.host, each.message
        stored = profile.journal.find(message.game) if isinstance(message, Unread | Sync) else None
        waits = stored is not None and (
            not stored.finished
            or (isinstance(message, Sync) and profile.journal.age_ms(stored) < UNCONFIRMED_MS)
        )
        if host is not None and not waits:
            topic = TOPICS.unread(name, host, profile.key.node)
            await line.publish(topic, b"", retain=True)


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
            async for event in Receiver(line):
                if isinstance(event, Incoming) and event.retained and event.payload:
                    found[event.address] = event
    for pattern in patterns:
        await line.unsubscribe(pattern)
    return [*found.values()]
