"""``ataxxd resume``: go on after a crash, a reboot or a lost network."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from ataxxd.cli.announcements import invite
from ataxxd.cli.commands.play import ResumeOptions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.invitation import check_link, linked
from ataxxd.cli.say import say
from ataxxd.cli.seat import node_at, notifications, take_seat, viewed
from ataxxd.errors import ExitCode, GameError, UsageError
from ataxxd.node.journal import StoredGame
from ataxxd.node.node import Node
from ataxxd.node.offers import as_text, wire_name
from ataxxd.node.players import HUMAN
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import TOPICS, Profile, opened_profile
from ataxxd.node.recovery import caught_up
from ataxxd.node.settings import Settings
from ataxxd.session.state import Phase, Role
from ataxxd.transport.base import BrokerUnreachable
from ataxxd.wording import counted
from ataxxd_protocol.version import known


async def run(options: ResumeOptions) -> ExitCode:
    """Continue an unfinished game."""
    ways = notifications(options.notify)
    async with opened_profile(options.home) as profile:
        wanted = options.name
        games = profile.journal.unfinished(wire_name(wanted) if wanted else wanted)
        if not games:
            which = f'No unfinished game "{wanted}"' if wanted else "No unfinished game"
            others = ", ".join(game.offer.name for game in profile.journal.unfinished())
            remedy = f"Unfinished here: {others}." if others else "Open one: ataxxd host NAME"
            raise GameError(f"{which} in {profile.home.path}. {remedy}")
        # A game that has begun goes before an offer that nobody has taken.
        playable = [game for game in games if known(game.offer.v)] or games
        stored = min(playable, key=lambda game: profile.journal.ledger(game).phase is Phase.OPEN)
        settings = viewed(Settings.restored(stored.settings), options.view)
        name = settings.shown_name(stored.offer.name)
        if options.auto and settings.player == HUMAN:
            raise UsageError(
                f'You play "{name}" yourself, and who plays stays the same to the end of a game. '
                f"Continue with: ataxxd resume {name}"
            )
        if options.talk:
            settings = replace(settings, talk=True)
        if options.broker is not None:
            settings = replace(settings, broker=options.broker)
        with profile.home.lock(stored.offer.digest, name):
            ledger = profile.journal.ledger(stored)
            if ledger.phase is Phase.OPEN and stored.role is Role.GUEST:
                profile.journal.finish(stored)
                raise GameError(
                    f'You never got the seat in "{name}"; try again: ataxxd join {name}'
                )
        settings = _linkable(settings)
        may_start = _starts_broker(profile, stored, settings)
        theirs = settings.broker is None and not may_start
        async with (
            _explained(name, theirs=theirs),
            chosen_broker(
                settings.broker, home=options.home, lan=settings.lan, may_start=may_start
            ) as chosen,
        ):
            broker = linked(chosen, settings.page) if settings.link else chosen
            node = node_at(broker, profile, settings)
            if stored.restored:
                with profile.home.lock(stored.offer.digest, name):
                    stored = await _caught_up(
                        stored, node, None if options.as_restored else options.wait
                    )
            ledger = profile.journal.ledger(stored)
            moves = counted(len(ledger.moves), "move")
            other = ledger.node_of(stored.role.other)
            against = f" against {profile.names.shown(other)}" if other else ""
            say(f'Continuing "{name}"{against}; {moves} played.')
            if ledger.phase is not Phase.OPEN and (terms := as_text(stored.offer, taken=True)):
                say(f"Terms: {terms}.")

            announce = partial(invite, broker=broker, settings=settings, picture=settings.link)
            return await take_seat(
                node,
                broker,
                partial(node.take_up, stored, settings),
                stored.offer.ruleset,
                stored.role,
                announce=announce if ledger.phase is Phase.OPEN else None,
                notifications=ways,
            )


@asynccontextmanager
async def _explained(name: str, *, theirs: bool) -> AsyncIterator[None]:
    """Say of a broker that does not answer who may have run it; `theirs`, it was not this node."""
    try:
        yield
    except BrokerUnreachable as error:
        if not theirs:
            raise
        raise BrokerUnreachable(
            f"{error}. If your opponent's program ran it, it comes back with that; then: "
            f"ataxxd resume {name}"
        ) from None


def _linkable(settings: Settings) -> Settings:
    """These settings, without the link where another broker, or this installation, has none."""
    if settings.link:
        try:
            check_link(settings.broker, lan=settings.lan, page=settings.page)
        except UsageError as error:
            say(str(error))
            return replace(settings, link=False)
    return settings


def _starts_broker(profile: Profile, stored: StoredGame, settings: Settings) -> bool:
    """Whether this node starts a broker where none answers.

    The role in this game does not tell: a rematch is hosted by whoever asked for it.
    """
    if settings.starts_broker is not None:
        return settings.starts_broker
    first: StoredGame | None = stored
    while first is not None:
        stored = first
        first = profile.journal.find(stored.offer.rematch_of) if stored.offer.rematch_of else None
    return stored.role is Role.HOST


async def _caught_up(stored: StoredGame, node: Node, wait_s: float | None) -> StoredGame:
    """The game of a backup with all that this node has said in it since; nothing, for None."""
    profile = node.profile
    if wait_s is None:
        return profile.journal.trust(stored)
    name = stored.offer.name
    say(f'"{name}" came from a backup or a damaged journal. Learning what was said since …')
    announcer = Announcer(TOPICS, stored.offer, profile.key)
    return await caught_up(stored, profile.journal, announcer, node.place.connect, wait_s)
