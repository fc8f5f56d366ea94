"""Taking a seat in a network game: what host, join and resume have in common."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager, contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from ataxxd.cli.announcements import PreGameReporter, exit_code_of, print_end, print_how_to_resume
from ataxxd.cli.connect import ChosenBroker, address_of, choose_broker, make_invitation
from ataxxd.cli.files import check_transcript, print_game, transcript_bytes
from ataxxd.cli.options import NotifyOptions, SeatOptions, ViewOptions, read_thinking
from ataxxd.cli.output import print_message
from ataxxd.cli.screen import (
    has_printed_end,
    play_at_terminal,
    should_show_tui,
    should_stay_when_over,
    show_in_browser,
    terminal_of,
)
from ataxxd.engines.base import Bot
from ataxxd.engines.external import ExternalEngine
from ataxxd.engines.search_thread import StoppableCall
from ataxxd.errors import ExitCode, TransportError, UsageError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.errors import ChallengeDeclined, HostSilent
from ataxxd.node.game_run import GameContext, GameRun
from ataxxd.node.ledger_game import make_dated_record
from ataxxd.node.network_game import NetworkGame
from ataxxd.node.node import Node
from ataxxd.node.notices import UNNOTIFIED, Notifications
from ataxxd.node.players import bot_for, choose_player
from ataxxd.node.profile import Profile, open_profile
from ataxxd.node.seeking import NothingToResumeError
from ataxxd.node.series import SeatPlayer
from ataxxd.node.settings import Settings
from ataxxd.notify import parse_destination
from ataxxd.session.state import UNDER_WAY, Role
from ataxxd.times import parse_duration_ms
from ataxxd.transport.base import WillFactory
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.invitation import Invitation
from ataxxd_clients.text.games import line_language

NOTIFY_VARIABLE = "ATAXXD_NOTIFY"


def seat_settings(seat: SeatOptions) -> Settings:
    """The settings of a seat that do not depend on the game; the command adds the others.

    Raises:
        UsageError: a value is out of range, two exclude each other, or something is missing.
    """
    player, view = seat.player, seat.view
    view.check()
    thinking = read_thinking(player.search, player.seed)
    return Settings(
        player=choose_player(
            player.player,
            auto=player.auto,
            engine=player.engine,
            protocol=player.engine_protocol,
            thinking=thinking,
        ),
        level=thinking.level,
        seed=player.seed,
        agrees=player.agree,
        transcript=str(target) if (target := check_transcript(seat.transcript)) else None,
        text=view.line,
        tui=view.tui,
        ascii_only=view.ascii_only,
        strict=view.strict,
        display=view.display,
    )


def with_view(settings: Settings, view: ViewOptions) -> Settings:
    """The settings of a resumed seat, with the view chosen now if there is one.

    Raises:
        UsageError: two options exclude each other, or ``--tui`` cannot work here.
    """
    view.check()
    if view.line or view.tui or view.display:
        settings = replace(settings, text=view.line, tui=view.tui, display=view.display)
    return replace(
        settings,
        ascii_only=view.ascii_only or settings.ascii_only,
        strict=view.strict or settings.strict,
    )


def notifications(options: NotifyOptions) -> Notifications:
    """The ways to notify a person, from the options or the environment.

    Raises:
        UsageError: there is no such way, or it needs a package that is not installed.
    """
    named = options.notify or os.environ.get(NOTIFY_VARIABLE, "").splitlines()
    try:
        to = [parse_destination(each) for each in named if each.strip()]
    except UsageError as error:
        named_by = "--notify" if options.notify else NOTIFY_VARIABLE
        raise UsageError(f"{named_by}: {error}") from None
    return Notifications(to, parse_duration_ms(options.notify_after, "--notify-after") / 1000)


# Seconds before a message says that a host, or the other player at the end, does not answer.
_SILENCE_S = 3.0
# Seconds that an engine has to finish its move when the program is told to stop.
_LAST_MOVE_S = 30.0


def make_node(broker: ChosenBroker, profile: Profile, settings: Settings) -> Node:
    """The node of a profile at the chosen broker."""

    def connect(will: WillFactory | None) -> MqttTransport:
        return MqttTransport(broker.url, will=will)

    address = address_of(broker)
    return Node(
        GameContext(profile, connect, transcript_bytes, print_message),
        broker.url,
        at=f"@{address}" if broker.explicit else "",
        settings=settings,
    )


@asynccontextmanager
async def open_node(
    home: Path | None, settings: Settings
) -> AsyncIterator[tuple[Node, ChosenBroker]]:
    """Open the node of a home at the broker that `settings` name, or at one that they let it start.

    Raises:
        StorageError: the home cannot be used.
        UsageError, TransportError: as for `ataxxd.cli.connect.choose_broker`.
    """
    async with (
        open_profile(home) as profile,
        choose_broker(
            settings.broker, home=home, lan=settings.lan, may_start=bool(settings.starts_broker)
        ) as broker,
    ):
        yield make_node(broker, profile, settings), broker


async def take_seat(
    node: Node,
    broker: ChosenBroker,
    take: Callable[[SeatPlayer], NetworkGame],
    ruleset: str,
    role: Role,
    *,
    settings: Settings | None = None,
    announce: Callable[[NetworkGame], None] | None = None,
    meanwhile: Callable[[], Coroutine[Any, Any, None]] | None = None,
    new: bool = False,
    in_event: bool = False,
    passing: bool = False,
    notifications: Notifications = UNNOTIFIED,
) -> ExitCode:
    """Play a game and its rematches to the end, or until the person leaves.

    Args:
        node: our node.
        broker: the broker of the game.
        take: takes the seat for a player; the seat is released at the end.
        ruleset: the ruleset.
        role: our role in the game.
        settings: the settings of the seat; those of the node if None.
        announce: called to announce the offer, once the broker has it.
        meanwhile: work to do until the first game begins; if it fails, the game is given up.
        new: whether it is a new offer that nobody has seen.
        in_event: whether it is a game of an event: nobody may ask for a rematch, and a person who
            leaves is not told how to resume it.
        passing: leave no trace of an offer that nobody takes, or of a seat that is not given.
        notifications: how to notify a person away from the screen.

    Returns:
        The exit code: `ExitCode.OK`, or `ExitCode.CHEATING_PROVED`.

    Raises:
        ChallengeDeclined: raised by `meanwhile` if the challenge is declined.
        NothingToResumeError: raised by `meanwhile` if what it waits for can no longer come.
        AtaxxdError: as for `NetworkGame.run`.
    """
    settings = node.settings if settings is None else settings
    language = line_language(ruleset)
    bot = await _start_bot(settings, ruleset)
    stays = should_stay_when_over(settings, person=bot is None)
    friendly = terminal_of(None, sys.stdout, line=settings.text) is not None
    # A person who stays after the end may do a lot before leaving, so the result is printed again.
    tells = (in_event or not stays) and has_printed_end(settings, person=bot is None)
    ended: list[GameRun] = []

    def on_ended(game: GameRun) -> None:
        ended.append(game)
        # Messages would disturb a screen that is still shown.
        if not stays:
            tell_end(game, numbered=game.settings.games > 1, named_records=1)

    async def find_name(guest: str) -> str:
        introductions = played.current.runtime.introductions
        # A program at a pipe does not wait for names.
        if introductions is not None and (bot is None or has_printed_end(settings, person=False)):
            await introductions.wait_for_name(guest)
        return node.profile.names.display_name(guest)

    def on_offered() -> None:
        if announce is not None:
            announce(played)

    told = PreGameReporter(role, on_offered, find_name, language.names)
    windows = settings.display or settings.tui
    played = take(
        SeatPlayer(
            bot,
            stays=stays,
            in_event=in_event,
            in_series=not windows,
            on_event=told,
            on_ended=on_ended,
        )
    )
    stored, over = played.stored, played.current.ledger.outcome is not None
    tell_end = partial(
        print_end,
        home=node.profile.home,
        friendly=friendly,
        in_event=in_event,
        already_told=tells,
        was_over=stored if over else None,
    )
    with played:
        try:
            with _forget_if_abandoned(played, node.profile) if passing else nullcontext():
                await _play(played, broker, node.profile, told, meanwhile, notifications, new=new)
        finally:
            if stays:
                last = played.current
                left = last not in ended and last.ledger.phase in UNDER_WAY
                several = len(ended) + left > 1
                for game in ended:
                    finds = len(ended) if game is ended[-1] else 0
                    tell_end(game, numbered=several, named_records=finds)
            if not in_event and played.current not in ended:
                print_how_to_resume(
                    node.profile, played, offered=told.is_offered, number=len(ended) + 1
                )
    printed = settings.transcript is None and language.tells_by_transcript and not friendly
    if bot is not None and printed:
        for game in ended:
            print_game(make_dated_record(game.ledger), sys.stdout)
    await broker.linger()
    return exit_code_of(played.current)


async def _start_bot(settings: Settings, ruleset: str) -> Bot | None:
    """The bot that plays for us, started before anybody is invited; None for a person."""
    bot = bot_for(settings.player, settings.level, ruleset.partition("/")[0])
    if isinstance(bot, ExternalEngine):
        await StoppableCall(partial(bot.start, print_message), bot.close).result()
    return bot


@contextmanager
def _forget_if_abandoned(played: NetworkGame, profile: Profile) -> Iterator[None]:
    """Forget a game that comes to nothing during the block, so that nobody resumes it."""
    gone = False
    try:
        yield
    except (NothingToResumeError, HostSilent):
        gone = played.current.stored.role is Role.GUEST and not played.has_begun
        raise
    finally:
        if gone or (played.is_open and played.current.stored.role is Role.HOST):
            profile.journal.finish(played.stored)


async def _play(
    played: NetworkGame,
    broker: ChosenBroker,
    profile: Profile,
    before: PreGameReporter,
    meanwhile: Callable[[], Coroutine[Any, Any, None]] | None,
    notifications: Notifications,
    *,
    new: bool,
) -> None:
    settings, offer = played.current.settings, played.offer
    invitation = make_invitation(offer, broker, secret=played.secret)
    if played.in_event:
        # The other player's program joins by itself.
        invitation = replace(invitation, join=None)
    history = profile.home.input_history(offer.ruleset.partition("/")[0])
    # Do not write on a screen that is shown.
    unsent: list[str] = []
    report = unsent.append if settings.display or settings.tui else print_message
    try:
        with plain_errors():
            async with notifications.watch_game(played, settings.shown_name, report):
                await _play_until_over(played, settings, invitation, before, meanwhile, history)
    except ChallengeDeclined:
        profile.journal.finish(played.stored)
        raise
    except TransportError:
        # Nobody can have seen the offer: there is nothing to resume.
        if new and played.is_open:
            profile.journal.finish(played.stored)
        raise
    finally:
        for each in unsent:
            print_message(each)


async def _play_until_over(
    played: NetworkGame,
    settings: Settings,
    invitation: Invitation,
    before: PreGameReporter,
    meanwhile: Callable[[], Coroutine[Any, Any, None]] | None,
    history: Path,
) -> None:
    async with asyncio.TaskGroup() as group:
        if meanwhile is not None:
            group.create_task(_run_until_begun(played, meanwhile()), name="meanwhile")
        if played.current.stored.role is Role.GUEST:
            group.create_task(_run_until_begun(played, _report_silence(played)), name="silence")
        playing = group.create_task(played.run(), name="games")
        # A host's page, or board in the terminal, is shown before the guest comes.
        in_sight = settings.display or should_show_tui(settings)
        waits_in_sight = in_sight and played.current.stored.role is Role.HOST
        if not waits_in_sight and not await played.begun():
            return
        attending = group.create_task(
            _attend(played, settings, invitation, before, history), name="player"
        )
        try:
            await asyncio.wait([playing, attending], return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            if played.thinking:
                print_message("Finishing this move first.")
                with suppress(TimeoutError):
                    async with asyncio.timeout(_LAST_MOVE_S):
                        await played.finish_ply()
            raise
        if attending.done():
            played.leave()
            await _report_confirming(played, playing)
        elif played.current.ledger.outcome is None:
            attending.cancel()


async def _report_silence(played: NetworkGame) -> None:
    await asyncio.sleep(_SILENCE_S)
    if played.current.runtime.has_reserved_seat:
        print_message("The host is away, and will find your answer. Ctrl-C leaves it there.")
        return
    print_message("The host has not answered yet. Waiting a minute for it; Ctrl-C gives up.")


async def _report_confirming(played: NetworkGame, playing: "asyncio.Task[None]") -> None:
    """Say why the program stays when the person has left a game that is over."""
    await asyncio.wait([playing], timeout=_SILENCE_S)
    decided = played.current.ledger.outcome is not None
    if not playing.done() and decided and not played.in_event:
        print_message("Waiting for your opponent to confirm the result; Ctrl-C leaves at once.")


async def _run_until_begun(played: NetworkGame, work: Coroutine[Any, Any, None]) -> None:
    async with asyncio.TaskGroup() as group:
        working = group.create_task(work, name="until the game begins")
        await played.begun()
        working.cancel()


async def _attend(
    played: NetworkGame,
    settings: Settings,
    invitation: Invitation,
    before: PreGameReporter,
    history: Path,
) -> int:
    if settings.display:
        code = await show_in_browser(played, title=invitation.name, invitation=invitation)
        await before.wait_for_welcome()
        return code
    if not played.has_begun:
        await before.show_invitation(played.begun, invitation, ascii_only=settings.ascii_only)
    if not played.has_begun:
        return ExitCode.OK
    await before.wait_for_welcome()
    return await play_at_terminal(played, settings, news=before.news, history=history)
