"""``ataxxd join``: take the free seat of a game."""

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

from ataxxd.cli.announcements import looked_for
from ataxxd.cli.commands.play import JoinOptions
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.files import check_network_words
from ataxxd.cli.say import say
from ataxxd.cli.seat import node_at, notifications, seat_settings, take_seat
from ataxxd.errors import ExitCode
from ataxxd.node.errors import NoSuchGame, OtherHost, SeatTaken
from ataxxd.node.lobby import FoundGame, GameName
from ataxxd.node.offers import as_text
from ataxxd.node.players import HUMAN, check_player
from ataxxd.node.profile import Profile, opened_profile
from ataxxd.node.seats import check_found, game_name, split_place
from ataxxd.node.settings import Settings
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import game_of
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.transport.address import meant
from ataxxd.transport.base import BrokerUnreachable
from ataxxd.wording import sentence
from ataxxd_clients.text.console import DescriptorLines


async def run(options: JoinOptions) -> ExitCode:
    """Join the game NAME and play it."""
    wanted, named_broker = split_place(options.name)
    settings = replace(
        seat_settings(options.seat),
        broker=meant(named_broker, options.broker),
        starts_broker=False,
        invitation=wanted.secret,
        games=options.games,
        talk=options.talk,
        typed=wanted.typed,
    )
    ways = notifications(options.seat.notify)
    async with (
        opened_profile(options.home) as profile,
        _or_left(wanted, profile),
        chosen_broker(settings.broker, home=options.home) as broker,
    ):
        node = node_at(broker, profile, settings)
        refusal: SeatTaken | None = None
        tried: set[str] = set()
        while True:
            async with looked_for(wanted.name, options.wait):
                found = await node.find_seat(
                    wanted,
                    seconds=options.wait,
                    taken=lambda game: say(_whose(game, profile, options.wait)),
                )
            offer = found.offer
            if refusal is not None and (offer.digest in tried or found.phase is not Phase.OPEN):
                raise refusal
            try:
                check_found(profile, wanted, found, say, new_host=options.new_host)
            except OtherHost as error:
                if not await _agreed(error.question, settings):
                    raise
                check_found(profile, wanted, found, say, new_host=True)
            check_player(settings.player, offer.ruleset.partition("/")[0])
            if settings.transcript is not None:
                check_network_words(Path(settings.transcript), game_of(Ledger(offer)))
            host = profile.names.shown(offer.host, whole=True)
            say(f'Joining "{settings.shown_name(offer.name)}" ({offer.ruleset}) hosted by {host}.')
            if terms := as_text(offer, us=profile.key.node):
                say(f"Terms: {terms}.")
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
                # Of two who come at once one is later; its table may have another game.
                refusal = error
                tried.add(offer.digest)


@asynccontextmanager
async def _or_left(wanted: GameName, profile: Profile) -> AsyncIterator[None]:
    """Where no game is found, name one of ours that was left, and whose broker we may have run."""
    try:
        yield
    except (BrokerUnreachable, NoSuchGame) as error:
        for left in profile.journal.unfinished(wanted.name):
            if profile.journal.ledger(left).phase in IN_PLAY:
                text = sentence(str(error))
                raise type(error)(
                    f"{text} You have a seat in a game of that name which is not over. Continue "
                    f"it: ataxxd resume {wanted.name}"
                ) from None
        raise


def _whose(game: FoundGame, profile: Profile, seconds: float) -> str:
    """Who has the seats of a game while another one of its name is looked for."""
    offer, us = game.offer, profile.key.node
    players = [] if game.watched is None else map(game.watched.ledger.node_of, Role)
    names = ["you" if node == us else profile.names.shown(node) for node in players if node]
    is_played = "was played" if game.over else "is being played"
    return (
        f'"{offer.name}" {is_played} by {" and ".join(names)}: ataxxd watch {game_name(offer)}. '
        f"Looking for an open game of that name for {seconds:g} s; Ctrl-C gives up."
    )


async def _agreed(question: str, settings: Settings) -> bool:
    """Ask the person who is to play here; who lets a program play, or is not there, agrees not."""
    if settings.player != HUMAN or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    say(f"{question} [y/N]")
    source = DescriptorLines(sys.stdin.fileno())
    try:
        answer = await source.read()
    finally:
        source.close()
    return answer is not None and answer.strip().lower() in ("y", "yes")
