"""``ataxxd challenge``: open a game and ask a player, or any one of a group, to join it."""

import asyncio
import re
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from pydantic import TypeAdapter, ValidationError

from ataxxd.cli import options
from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.files import check_apart
from ataxxd.cli.host import Color, ColorOption, playable, side_of
from ataxxd.cli.messaging import messenger_at
from ataxxd.cli.notations import check_network_words
from ataxxd.cli.options import NotifyOptions, PlayerOptions, StartOptions, TermsOptions, ViewOptions
from ataxxd.cli.say import say
from ataxxd.cli.seat import node_at, take_seat
from ataxxd.cli.seat_settings import notifications, seat_settings
from ataxxd.cli.setup import beginning
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.errors import NobodyCame
from ataxxd.node.messaging.challenges import Challenged, OutgoingChallenge, find_challenged
from ataxxd.node.network_game import NetworkGame, Player
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms
from ataxxd.node.players import check_player
from ataxxd.node.profile import opened_profile
from ataxxd.node.seats import check_name, make_room
from ataxxd.node.settings import Settings
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.roles import Role
from ataxxd.times import duration_ms, length
from ataxxd_protocol.fields import Speech
from ataxxd_protocol.messages import Decline


def run(
    who: Annotated[
        str,
        typer.Argument(
            metavar="WHO", help="A name or id as `ataxxd players` shows it, or a group."
        ),
    ],
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="The name of the game.", rich_help_panel=options.TERMS
        ),
    ] = None,
    say_to_it: Annotated[
        str | None,
        typer.Option(
            "--say", metavar="TEXT", help="A message to go with it.", rich_help_panel=options.TERMS
        ),
    ] = None,
    expires: options.Expires = "10m",
    *,
    home: options.Home = None,
    broker: options.Broker = None,
    game: options.Game = options.USUAL_GAME,
    ruleset: options.Ruleset = None,
    player: PlayerOptions,
    color: ColorOption = Color.FIRST,
    start: StartOptions,
    transcript: options.Transcript = None,
    terms: TermsOptions,
    games: options.Games = 1,
    talk: options.Talk = False,
    view: ViewOptions,
    notify: NotifyOptions,
) -> int:
    """Challenge WHO, a player or a group, to a game.

    You host the game and play it here. The seat is kept for the player challenged; of a group,
    the first member to come gets it.
    """
    if name is not None:
        check_name(name)
    check_speech(say_to_it, "--say")
    settings = replace(
        seat_settings(player, view, transcript),
        broker=broker,
        starts_broker=False,
        games=games,
        talk=talk,
    )
    agreed = Terms.read(terms.clock, terms.grace, takebacks=terms.takebacks)
    check_apart(reads=[("--init", start.init)], writes=[("--transcript", transcript)])
    first = playable(beginning(game, ruleset, start.position, start.blocks, start.init))
    side = side_of(color, first.start.ruleset)
    check_network_words(transcript, first)
    check_player(settings.player, first.start.game)
    lasts_ms = duration_ms(expires, "--expires", bare="m")
    wish = _Wish(who, name, side, lasts_ms, agreed, say_to_it, notifications(notify))
    return run_until_stopped(_challenge(wish, home, settings, first))


def check_speech(text: str | None, option: str) -> None:
    """Check that a text can be said to somebody.

    Raises:
        UsageError: it cannot; says why.
    """
    try:
        if text is not None:
            TypeAdapter(Speech).validate_python(text)
    except ValidationError:
        raise UsageError(
            f"{option} takes 1 to 500 characters, and none that steers a terminal, such as a line "
            "feed."
        ) from None


@dataclass(frozen=True, slots=True)
class _Wish:
    who: str
    name: str | None
    side: str
    lasts_ms: int
    terms: Terms
    text: str | None
    notifications: Notifications


async def _challenge(
    wish: _Wish, home: Path | None, settings: Settings, first: GameRecord
) -> ExitCode:
    async with (
        opened_profile(home) as profile,
        chosen_broker(settings.broker, home=home) as broker,
        messenger_at(broker.url, profile.key) as messenger,
    ):
        challenged = await find_challenged(messenger, wish.who)
        _check_other(challenged, profile.key.node)
        name = wish.name or _made_up(challenged)
        make_room(profile, name)
        node = node_at(broker, profile, settings)
        offered = asyncio.Event()
        challenging: OutgoingChallenge

        def take(player: Player) -> NetworkGame:
            nonlocal challenging
            game = node.new_game(
                name,
                first,
                color=wish.side,
                terms=replace(wish.terms, access=challenged.node),
                lasts_ms=wish.lasts_ms,
                player=player,
            )
            try:
                challenging = OutgoingChallenge(
                    messenger, challenged, game.offer, text=wish.text, told=told
                )
            except ValueError as error:
                with game:
                    profile.journal.finish(game.stored)
                raise UsageError(
                    f"This challenge cannot be sent: {error}. Begin with fewer moves (--init), or "
                    "say less (--say)."
                ) from None
            return game

        def announce(game: NetworkGame) -> None:
            say(f'Challenging {challenged.title} to "{name}" ({game.offer.ruleset}).')
            if game.terms:
                say(f"Terms: {game.terms}.")
            if doubt := challenged.doubt(game.offer.ruleset):
                say(f"Note: {doubt}")
            offered.set()

        def told(decline: Decline) -> None:
            say(f"{profile.names.shown(decline.author)} declines: {decline.reason}")

        async def challenge() -> None:
            await offered.wait()
            await challenging.run()

        try:
            return await take_seat(
                node,
                settings,
                broker,
                take,
                first.start.ruleset,
                Role.HOST,
                announce=announce,
                meanwhile=challenge,
                new=True,
                notifications=wish.notifications,
            )
        except NobodyCame:
            raise NobodyCame(
                f"{challenged.title} did not come within {length(wish.lasts_ms)}. See who is "
                f"there: ataxxd players. Or wait longer: ataxxd challenge {wish.who} "
                "--expires TIME"
            ) from None


def _check_other(challenged: Challenged, us: str) -> None:
    if challenged.node == us:
        raise UsageError("This is your own node. Play against the engine: ataxxd play --auto")


def _made_up(challenged: Challenged) -> str:
    """A name for a game against somebody, which no other game of ours has."""
    card = challenged.cards[0].name if challenged.node and challenged.cards else ""
    whom = card or challenged.group or str(challenged.node)[:4]
    return f"{re.sub('[^a-z0-9-]', '', whom)[:20]}-{secrets.token_hex(3)}"
