"""``ataxxd host``, ``join``, ``resume``, ``seek`` and ``lobby``: games with other nodes."""

import asyncio
import shlex
import sys
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from ataxxd.cli.announcements import print_invitation, report_search
from ataxxd.cli.commands.people import ChallengeOptions
from ataxxd.cli.commands.play import (
    Color,
    HostOptions,
    JoinOptions,
    LobbyOptions,
    ResumeOptions,
    SeekOptions,
)
from ataxxd.cli.connect import (
    WARNING,
    ChosenBroker,
    address_of,
    check_lan,
    check_link,
    choose_broker,
    find_working_broker,
    public_brokers,
    with_links,
)
from ataxxd.cli.files import (
    LocalGameFiles,
    check_distinct_files,
    check_network_words,
    read_beginning,
)
from ataxxd.cli.listings import settle_stale_games
from ataxxd.cli.options import StartOptions
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import make_node, notifications, open_node, seat_settings, take_seat, with_view
from ataxxd.errors import ExitCode, GameError, UsageError
from ataxxd.node.command_lines import command_line
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import (
    HostSilent,
    Incompatible,
    NobodyCame,
    NoSuchGame,
    OtherHost,
    SeatTaken,
)
from ataxxd.node.journal import StoredGame
from ataxxd.node.level_games import LevelGames
from ataxxd.node.listing import describe_signatures
from ataxxd.node.lobby import FoundGame, GameName
from ataxxd.node.names import RatingLookup
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms, default_witnesses, describe_terms, wire_name
from ataxxd.node.players import HUMAN, check_player
from ataxxd.node.presence import Announcer
from ataxxd.node.profile import Profile, open_profile
from ataxxd.node.recovery import recover_game
from ataxxd.node.seats import check_found, free_name, game_name, parse_name, split_broker
from ataxxd.node.seeking import (
    BetterSeekError,
    RatingRange,
    Seeker,
    SeekTerms,
    SeekWithdrawnError,
    new_name,
)
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.rules import ruleset_info
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import make_game_record
from ataxxd.session.state import IN_PLAY, UNDER_WAY, Phase, Role
from ataxxd.times import SYSTEM_CLOCK, format_age, parse_duration_ms
from ataxxd.transport.address import resolve_broker
from ataxxd.transport.base import BrokerUnreachable
from ataxxd.wording import format_count
from ataxxd_clients.text.console import DescriptorLines
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.version import is_known_version

_SIDES = {
    Color.RED: "first",
    Color.BLACK: "first",
    Color.BLUE: "second",
    Color.WHITE: "second",
}


async def run_host(options: HostOptions) -> ExitCode:
    """Open the game NAME and wait for a guest."""
    check_lan(options.broker, lan=options.lan)
    if options.public and (options.lan or options.broker):
        raise UsageError(
            "--public takes a broker that lets everybody in; --lan and --broker choose another: "
            "choose one."
        )
    brokers = public_brokers(options.public_list) if options.public else []
    if options.link:
        wanted_brokers: list[str | None] = [*brokers] or [options.broker]
        for each in wanted_brokers:
            check_link(each, lan=options.lan, page=options.page)
    return await _host(options, brokers)


def game_to_offer(
    options: HostOptions | ChallengeOptions | SeekOptions, start: StartOptions, settings: Settings
) -> tuple[GameRecord, str]:
    """The game to offer, which must not be over, and the side of its host.

    Args:
        options: the options of the command.
        start: the options for the start of the game.
        settings: the settings of the host's seat.

    Returns:
        The game, and ``first``, ``second`` or ``random``.

    Raises:
        UsageError: there is no such game or side, or the options contradict each other.
        StorageError: a file cannot be read.
    """
    transcript, color = options.seat.transcript, options.color
    check_distinct_files(reads=[("--init", start.init)], writes=[("--transcript", transcript)])
    first = read_beginning(options.game, options.ruleset, start)
    if first.outcome is not None:
        raise UsageError(
            f"In {first.position.text!r} the game is over ({first.outcome.termination}): nobody "
            "could move."
        )
    if first.refused:
        print_message(
            "An offer carries moves alone: the draws that were rejected in --init are left out."
        )
    info = ruleset_info(first.start.ruleset)
    names = [side.lower() for side in info.side_names]
    if color in _SIDES and color.value not in names:
        raise UsageError(
            f"--color {color.value}: in {info.game} the sides are {' and '.join(names)}."
        )
    check_network_words(transcript, first)
    check_player(settings.player, info.game)
    return first, _SIDES.get(color, color.value)


async def _host(options: HostOptions, brokers: list[str]) -> ExitCode:
    settings = replace(
        seat_settings(options.seat),
        broker=options.broker,
        lan=options.lan,
        link=options.link,
        page=options.page,
        starts_broker=True,
        games=options.games,
        talk=options.talk,
        typed=options.name.strip(),
    )
    first, side = game_to_offer(options, options.start, settings)
    lasts_ms = parse_duration_ms(options.expires, "--expires", bare="m")
    name, ways = parse_name(options.name), notifications(options.seat.notify)
    async with open_profile(options.home) as profile:
        agreed = Terms.read(
            options.terms.clock,
            options.terms.grace,
            takebacks=options.terms.takebacks,
            guest=options.guest,
            invited=options.invited,
            witnesses=options.witness or default_witnesses(profile.key.node, options.guest),
        )
        if brokers:
            found = await find_working_broker(brokers, profile.key.node)
            settings = replace(settings, broker=found)
            print_message(WARNING)
        free_name(profile, name, new=options.new)
        async with choose_broker(
            settings.broker, home=options.home, lan=settings.lan, may_start=True
        ) as chosen:
            broker = with_links(chosen, settings.page) if settings.link else chosen
            node = make_node(broker, profile, settings)

            return await take_seat(
                node,
                broker,
                lambda player: node.new_game(
                    name, first, color=side, terms=agreed, lasts_ms=lasts_ms, player=player
                ),
                first.start.ruleset,
                Role.HOST,
                announce=partial(print_invitation, broker=broker, settings=settings),
                new=True,
                notifications=ways,
            )


async def run_join(options: JoinOptions) -> ExitCode:
    """Join the game NAME and play it."""
    wanted, named_broker = split_broker(options.name)
    settings = replace(
        seat_settings(options.seat),
        broker=resolve_broker(named_broker, options.broker),
        starts_broker=False,
        invitation=wanted.secret,
        games=options.games,
        talk=options.talk,
        typed=wanted.typed,
    )
    ways = notifications(options.seat.notify)
    async with (
        open_profile(options.home) as profile,
        _suggest_resuming(wanted, profile),
        choose_broker(settings.broker, home=options.home) as broker,
    ):
        node = make_node(broker, profile, settings)
        refusal: SeatTaken | None = None
        tried: set[str] = set()
        while True:
            async with report_search(wanted.name, options.wait):
                found = await node.find_seat(
                    wanted,
                    seconds=options.wait,
                    taken=lambda game: print_message(_host_text(game, profile, options.wait)),
                )
            offer = found.offer
            if refusal is not None and (offer.digest in tried or found.phase is not Phase.OPEN):
                raise refusal
            try:
                check_found(profile, wanted, found, print_message, new_host=options.new_host)
            except OtherHost as error:
                if not await _confirm(error.question, settings):
                    raise
                check_found(profile, wanted, found, print_message, new_host=True)
            check_player(settings.player, offer.ruleset.partition("/")[0])
            if settings.transcript is not None:
                check_network_words(Path(settings.transcript), make_game_record(Ledger(offer)))
            host = profile.names.display_name(offer.host, full_id=True)
            print_message(
                f'Joining "{settings.shown_name(offer.name)}" ({offer.ruleset}) hosted by {host}.'
            )
            if terms := describe_terms(offer, us=profile.key.node):
                print_message(f"Terms: {terms}.")
            try:
                return await take_seat(
                    node,
                    broker,
                    partial(node.join_game, offer, settings),
                    offer.ruleset,
                    Role.GUEST,
                    notifications=ways,
                )
            except SeatTaken as error:
                # Somebody else was faster; the same table may have another game.
                refusal = error
                tried.add(offer.digest)


@asynccontextmanager
async def _suggest_resuming(wanted: GameName, profile: Profile) -> AsyncIterator[None]:
    """If no game is found, name an unfinished one of ours, whose broker we may have run."""
    try:
        yield
    except (BrokerUnreachable, NoSuchGame) as error:
        for left in profile.journal.unfinished(wanted.name):
            if profile.journal.ledger(left).phase in IN_PLAY:
                raise type(error)(
                    f"{error}\nYou have a seat in a game of that name which is not over. Continue "
                    f"it: {profile.home.resume_command(wanted.name)}"
                ) from None
        raise


def _host_text(game: FoundGame, profile: Profile, seconds: float) -> str:
    """A message that names a game's players, while we look for another game of that name."""
    offer, us = game.offer, profile.key.node
    players = [] if game.session is None else map(game.session.ledger.node_of, Role)
    names = ["you" if node == us else profile.names.display_name(node) for node in players if node]
    is_played = "was played" if game.is_over else "is being played"
    watch = command_line(f"watch {game_name(offer)}")
    return (
        f'"{offer.name}" {is_played} by {" and ".join(names)}: `{watch}`. '
        f"Looking for an open game of that name for {seconds:g} s; Ctrl-C gives up."
    )


async def _confirm(question: str, settings: Settings) -> bool:
    """Ask the person who will play here; False if a program plays, or no terminal is there."""
    if settings.player != HUMAN or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    print_message(f"{question} [y/N]")
    source = DescriptorLines(sys.stdin.fileno())
    try:
        answer = await source.read()
    finally:
        source.close()
    return answer is not None and answer.strip().lower() in ("y", "yes")


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
                print_invitation, broker=broker, settings=settings, picture=settings.link
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


# How long an offer is valid before we renew it; short, so that an abandoned one soon expires.
_LASTS_MS = 15 * 60_000


async def run_seek(options: SeekOptions) -> ExitCode:
    """Seek a game, and play the first person who seeks the same."""
    from ataxxd.tournament.known_ratings import KnownRatings

    if options.rated and options.terms.grace == "never" and options.terms.clock == "none":
        raise UsageError("--rated: silence must end the game: give it a --clock or a --grace.")
    settings = replace(seat_settings(options.seat), broker=options.broker, starts_broker=False)
    agreed = Terms.read(
        options.terms.clock,
        options.terms.grace,
        takebacks=options.terms.takebacks and not options.rated,
    )
    first, side = game_to_offer(options, StartOptions(), settings)
    wanted = None if options.rating_range is None else RatingRange.parse(options.rating_range)
    wish = SeekTerms(first, side, agreed, wanted)
    ways = notifications(options.seat.notify)
    async with open_node(options.home, settings) as (node, broker):
        profile = node.profile
        ruleset = wish.first.start.ruleset

        @cache
        def ratings() -> KnownRatings:
            return KnownRatings.read(
                profile.home, profile.journal, SYSTEM_CLOCK.now_ms(), print_message
            )

        if wish.ratings is not None:
            ratings()
        seeker = Seeker(
            wish,
            node.id,
            find_rating=lambda other: ratings().rating_or_default(other, ruleset),
            is_known=lambda game: profile.journal.find(game) is not None,
        )
        seat = _SeekSeat(wish, node, broker, seeker, ways)
        async with seeker.running(node.place.connect, profile.names):
            try:
                return await seat.play(await seeker.find_oldest())
            except asyncio.CancelledError:
                if not seat.has_begun:
                    print_message("The seek is withdrawn.")
                raise


class _SeekSeat:
    """Our seat in the game that a seek leads to."""

    def __init__(
        self,
        terms: SeekTerms,
        node: Node,
        broker: ChosenBroker,
        seeker: Seeker,
        notifications: Notifications,
    ) -> None:
        self._terms = terms
        self._node = node
        self._seeker = seeker
        self._game: NetworkGame | None = None
        self._take_seat = partial(
            take_seat,
            node,
            broker,
            ruleset=terms.first.start.ruleset,
            passing=True,
            notifications=notifications,
        )

    @property
    def has_begun(self) -> bool:
        """Whether a game has begun."""
        return self._game is not None and self._game.has_begun

    async def play(self, found: Offer | None) -> ExitCode:
        """Play the first game that the seek leads to.

        Args:
            found: the seek to join; None to put up one of ours.
        """
        while True:
            try:
                return await (self._wait() if found is None else self._join(found))
            except BetterSeekError as error:
                if (ours := self._find_own_joined()) is not None:
                    return await self._resume(ours)
                found = error.offer
            except NobodyCame:
                if self.has_begun:
                    raise
            except (SeekWithdrawnError, SeatTaken, HostSilent, Incompatible):
                if self.has_begun or found is None:
                    raise
                self._seeker.exclude(found)
                print_message("That seek is gone. Looking further.")
                found = await self._seeker.find_oldest(0)

    async def _join(self, offer: Offer) -> ExitCode:
        who = self._node.profile.names.display_name(offer.host, full_id=True)
        print_message(f'{who} seeks the same game. Joining "{offer.name}" ({offer.ruleset}).')
        if terms := describe_terms(offer, us=self._node.id):
            print_message(f"Terms: {terms}.")
        return await self._take_seat(
            lambda player: self._remember(self._node.join_game(offer, player=player)),
            role=Role.GUEST,
            meanwhile=lambda: self._until_begun(self._seeker.wait_until_withdrawn(offer)),
        )

    async def _wait(self) -> ExitCode:
        def take_seat(player: SeatPlayer) -> NetworkGame:
            return self._remember(
                self._node.new_game(
                    new_name(self._terms.ratings),
                    self._terms.first,
                    color=self._terms.color,
                    terms=self._terms.terms,
                    lasts_ms=_LASTS_MS,
                    player=player,
                )
            )

        def meanwhile() -> Coroutine[Any, Any, None]:
            assert self._game is not None, "the seat is taken"
            return self._until_begun(self._seeker.wait_for_better_seek(self._game.offer))

        return await self._take_seat(
            take_seat, role=Role.HOST, announce=_announce, meanwhile=meanwhile, new=True
        )

    async def _until_begun(self, waiting: Coroutine[Any, Any, None]) -> None:
        try:
            await waiting
        except asyncio.CancelledError:
            if self.has_begun:
                self._seeker.stop()
            raise

    def _find_own_joined(self) -> StoredGame | None:
        """Our own seek, if somebody joined it just as we gave it up."""
        assert self._game is not None, "it gives way"
        journal, offer = self._node.profile.journal, self._game.offer
        stored = journal.find(offer.digest, Role.HOST)
        under_way = stored is not None and journal.ledger(stored).phase in UNDER_WAY
        return stored if under_way else None

    async def _resume(self, stored: StoredGame) -> ExitCode:
        return await self._take_seat(
            lambda player: self._remember(self._node.resume_game(stored, player=player)),
            role=Role.HOST,
        )

    def _remember(self, game: NetworkGame) -> NetworkGame:
        self._game = game
        return game


def _announce(game: NetworkGame) -> None:
    print_message(f'No seek to join yet. Yours is listed as "{game.name}".')
    if game.terms:
        print_message(f"Terms: {game.terms}.")
    print_message("Waiting for an opponent; Ctrl-C withdraws it.")


async def run_lobby(options: LobbyOptions) -> ExitCode:
    """Host, join, watch and resume games in the browser."""
    from ataxxd.node.open_games import OpenGames
    from ataxxd.tournament.known_ratings import KnownRatings
    from ataxxd_clients.web.server import show_lobby  # takes its time to load

    check_lan(options.broker, lan=options.lan)
    settings = Settings(broker=options.broker, lan=options.lan, starts_broker=True)
    async with open_node(options.home, settings) as (node, broker):
        home = node.profile.home

        def ratings() -> RatingLookup:
            return KnownRatings.read_home(home, SYSTEM_CLOCK.now_ms()).known_rating

        lobby = OpenGames(
            node,
            broker=address_of(broker),
            present=True,
            read_ratings=ratings,
            levels=LevelGames(home.level_games),
            serves_network=broker.lan,
        )
        try:
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    running = group.create_task(lobby.run(), name="open games")
                    await show_lobby(
                        lobby,
                        LocalGameFiles(home=home.path),
                        print_line=print_message,
                        port=options.port,
                    )
                    running.cancel()
        except OSError as error:
            raise UsageError(
                f"--port {options.port}: nothing can listen there ({error.strerror}). "
                "Choose another, or leave it out."
            ) from None
        await broker.linger()
    return ExitCode.OK
