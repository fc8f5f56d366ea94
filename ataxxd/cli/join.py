"""``ataxxd join``: join a game that somebody hosts."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from ataxxd.cli.announcements import report_search
from ataxxd.cli.commands.play import JoinOptions
from ataxxd.cli.connect import choose_broker
from ataxxd.cli.files import check_network_transcript
from ataxxd.cli.output import print_message
from ataxxd.cli.seat import make_node, notifications, seat_settings, take_seat
from ataxxd.errors import ExitCode
from ataxxd.node.command_lines import command_line
from ataxxd.node.errors import NoSuchGame, OtherHost, SeatTaken
from ataxxd.node.game_finder import FoundGame, GameName
from ataxxd.node.offers import describe_terms
from ataxxd.node.players import HUMAN, check_player
from ataxxd.node.profile import Profile, open_profile
from ataxxd.node.seats import check_found, game_name, split_broker
from ataxxd.node.settings import Settings
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import make_game_record
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.transport.address import resolve_broker
from ataxxd.transport.base import BrokerUnreachable
from ataxxd_clients.text.console import DescriptorLines


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
                check_network_transcript(Path(settings.transcript), make_game_record(Ledger(offer)))
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
