"""``ataxxd resume``: continue a game that is not over."""

import shlex
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

from ataxxd.cli.announcements import print_invitation
from ataxxd.cli.commands.play import ResumeOptions
from ataxxd.cli.connect import ChosenBroker, check_link, choose_broker, with_links
from ataxxd.cli.listings import settle_stale_games
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import make_node, notifications, take_seat, with_view
from ataxxd.errors import ExitCode, GameError, UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.journal import StoredGame
from ataxxd.node.listing import describe_signatures
from ataxxd.node.names import NameBook
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.offers import describe_terms, wire_name
from ataxxd.node.players import HUMAN
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import Profile, open_profile
from ataxxd.node.recovery import recover_game
from ataxxd.node.settings import Settings
from ataxxd.session.ledger import Ledger
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK, format_age
from ataxxd.transport.base import BrokerUnreachable
from ataxxd.wording import format_count
from ataxxd_protocol.version import is_known_version


async def run_resume(options: ResumeOptions) -> ExitCode:
    """Continue an unfinished game."""
    ways = notifications(options.notify)
    async with open_profile(options.home) as profile:
        wanted = options.name
        settle_stale_games(profile)
        games = profile.journal.unfinished(wire_name(wanted) if wanted else wanted)
        if not games:
            which = f'No unfinished game "{wanted}"' if wanted else "No unfinished game"
            if wanted and (over := _finished_game(profile, wanted)) is not None:
                raise GameError(
                    f"{which} in {profile.home.path}: it is over, and {describe_signatures(over)}. "
                    "Find its record with: "
                    f"{command_line(f'archive {wanted}', profile.home.option)}"
                )
            others = ", ".join(game.offer.name for game in profile.journal.unfinished())
            remedy = (
                f"Unfinished here: {others}."
                if others
                else f"Open one: {command_line('host NAME')}"
            )
            raise GameError(f"{which} in {profile.home.path}. {remedy}")
        # A game that has begun comes before an offer that nobody has taken.
        playable = [game for game in games if is_known_version(game.offer.v)] or games
        stored = min(playable, key=lambda game: profile.journal.ledger(game).phase is Phase.OPEN)
        settings = with_view(Settings.restored(stored.settings), options.view)
        name = settings.shown_name(stored.offer.name)
        if options.auto and settings.player == HUMAN:
            raise UsageError(
                f'You play "{name}" yourself, and who plays stays the same to the end of a game. '
                f"Continue with: {profile.home.resume_command(name)}"
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
                    f'You never got the seat in "{name}"; try again: '
                    f"{command_line(f'join {shlex.quote(name)}', profile.home.option)}"
                )
        settings = _without_impossible_link(settings)
        may_start = _starts_broker(profile, stored, settings)
        theirs = settings.broker is None and not may_start
        async with (
            _explain_silence(profile.home.resume_command(name), theirs=theirs),
            choose_broker(
                settings.broker, home=options.home, lan=settings.lan, may_start=may_start
            ) as chosen,
        ):
            broker = with_links(chosen, settings.page) if settings.link else chosen
            node = make_node(broker, profile, settings)
            if stored.restored:
                with profile.home.lock(stored.offer.digest, name):
                    stored = await _caught_up(
                        stored, node, None if options.as_restored else options.wait
                    )
            ledger = profile.journal.ledger(stored)
            # Without a move here there may be one at the broker, or an answer: no count is true.
            count = len(ledger.moves)
            played = f"; {format_count(count, 'move')} played" if count else ""
            other = ledger.node_of(stored.role.other)
            against = f" against {profile.names.display_name(other)}" if other else ""
            print_message(f'Continuing "{name}"{against}{played}.')
            if ledger.outcome is not None:
                for_ = format_age(profile.journal.newest_ms(stored) or 0, SYSTEM_CLOCK.now_ms())
                waits = (
                    "both players have signed the result; your opponent has not confirmed that "
                    "they have your signature"
                    if ledger.phase is Phase.CLOSED
                    else "waits for your opponent to confirm it"
                )
                print_message(f"It has been over for {for_}, and {waits}.")
            if ledger.phase is not Phase.OPEN and (
                terms := describe_terms(stored.offer, taken=True)
            ):
                print_message(f"Terms: {terms}.")

            announce = partial(
                _announce, profile.names, broker=broker, settings=settings, picture=settings.link
            )
            return await take_seat(
                node,
                broker,
                partial(node.resume_game, stored, settings),
                stored.offer.ruleset,
                stored.role,
                announce=announce if ledger.phase is Phase.OPEN else None,
                notifications=ways,
            )


def _announce(
    names: NameBook, game: NetworkGame, broker: ChosenBroker, settings: Settings, *, picture: bool
) -> None:
    """Say how to join our game, or for whom the seat is kept since we challenged them."""
    kept_for = game.offer.access
    if kept_for is None or kept_for == "invited":
        print_invitation(game, broker, settings, picture=picture)
    else:
        print_message(f"Waiting for {names.display_name(kept_for)}, for whom the seat is kept …")


def _finished_game(profile: Profile, name: str) -> Ledger | None:
    """The newest game of a name, if it was played to its end."""
    newest = [
        game
        for game in profile.journal.games_named(wire_name(name))
        if is_known_version(game.offer.v)
    ][:1]
    ledgers = map(profile.journal.ledger, newest)
    return next((each for each in ledgers if each.outcome is not None), None)


@asynccontextmanager
async def _explain_silence(again: str, *, theirs: bool) -> AsyncIterator[None]:
    """If the broker does not answer, say who may have run it; with `theirs`, not this node.

    `again` is the command that resumes the game.
    """
    try:
        yield
    except BrokerUnreachable as error:
        if not theirs:
            raise
        raise BrokerUnreachable(
            f"{error}\nIf your opponent's program ran it, it comes back with that; then: {again}"
        ) from None


def _without_impossible_link(settings: Settings) -> Settings:
    """These settings, without the link if the broker, or this installation, cannot have one."""
    if settings.link:
        try:
            check_link(settings.broker, lan=settings.lan, page=settings.page)
        except UsageError as error:
            print_message(str(error))
            return replace(settings, link=False)
    return settings


def _starts_broker(profile: Profile, stored: StoredGame, settings: Settings) -> bool:
    """Whether this node starts a broker if none answers.

    The role in this game does not decide: a rematch is hosted by the player who asked for it.
    """
    if settings.starts_broker is not None:
        return settings.starts_broker
    first: StoredGame | None = stored
    while first is not None:
        stored = first
        first = profile.journal.find(stored.offer.rematch_of) if stored.offer.rematch_of else None
    return stored.role is Role.HOST


async def _caught_up(stored: StoredGame, node: Node, wait_s: float | None) -> StoredGame:
    """Learn what happened since the backup in a restored game; skipped if `wait_s` is None."""
    profile = node.profile
    if wait_s is None:
        return profile.journal.trust(stored)
    name = stored.offer.name
    print_message(
        f'"{name}" came from a backup or a damaged journal. Learning what was said since …'
    )
    announcer = Announcer(stored.offer, profile.key)
    return await recover_game(stored, profile.journal, announcer, node.place.connect, wait_s)
