"""``ataxxd host``: open a game and wait for a guest."""

import sys
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.connect import WARNING, chosen_broker, first_that_works, public_brokers
from ataxxd.cli.files import check_apart, check_network_words
from ataxxd.cli.invitation import check_link, invite, linked
from ataxxd.cli.options import NotifyOptions, PlayerOptions, StartOptions, TermsOptions, ViewOptions
from ataxxd.cli.say import say
from ataxxd.cli.seat import node_at, notifications, seat_settings, take_seat
from ataxxd.cli.setup import beginning
from ataxxd.cli.signals import run_until_stopped
from ataxxd.errors import ExitCode, UsageError
from ataxxd.node.game_names import wire_name
from ataxxd.node.network_game import NetworkGame, Player
from ataxxd.node.notices import Notifications
from ataxxd.node.offers import Terms
from ataxxd.node.players import check_player
from ataxxd.node.profile import opened_profile
from ataxxd.node.seats import check_name, make_room
from ataxxd.node.settings import Settings
from ataxxd.rules import ruleset_info
from ataxxd.rules.notation.game import GameRecord
from ataxxd.session.roles import Role
from ataxxd.times import duration_ms


class Color(StrEnum):
    """Which side the host takes."""

    FIRST = "first"
    SECOND = "second"
    RANDOM = "random"
    RED = "red"
    BLUE = "blue"
    BLACK = "black"
    WHITE = "white"


ColorOption = Annotated[
    Color,
    typer.Option(
        "--color",
        help="The side you take; red or black moves first.",
        rich_help_panel=options.TERMS,
    ),
]
_SIDES = {
    Color.RED: "first",
    Color.BLACK: "first",
    Color.BLUE: "second",
    Color.WHITE: "second",
}


def run(
    name: Annotated[
        str,
        typer.Argument(metavar="NAME", help="The name others join by: letters, digits and dashes."),
    ],
    *,
    home: options.Home = None,
    broker: options.Broker = None,
    lan: options.Lan = False,
    link: options.Link = False,
    page: options.Page = None,
    public: options.Public = False,
    public_list: options.PublicList = None,
    game: options.Game = options.USUAL_GAME,
    ruleset: options.Ruleset = None,
    player: PlayerOptions,
    color: ColorOption = Color.FIRST,
    start: StartOptions,
    transcript: options.Transcript = None,
    expires: options.Expires = "1d",
    terms: TermsOptions,
    guest: Annotated[
        str | None,
        typer.Option(
            "--guest",
            metavar="ID",
            help="Let only this node join.",
            rich_help_panel=options.TERMS,
        ),
    ] = None,
    invited: Annotated[
        bool,
        typer.Option(
            "--invited",
            help="Let only holders of the printed invitation join.",
            rich_help_panel=options.TERMS,
        ),
    ] = False,
    games: options.Games = 1,
    new: Annotated[
        bool,
        typer.Option(
            "--new",
            help="Abandon an unfinished game of this name first.",
            rich_help_panel=options.TERMS,
        ),
    ] = False,
    talk: options.Talk = False,
    view: ViewOptions,
    notify: NotifyOptions,
) -> int:
    """Open the game NAME and wait for a guest.

    You play in this terminal; with --auto the engine does. Unless --broker names one, a broker
    is started on this machine if none runs there. The printed invitation contains your node's
    id, so that nobody can pose as the host.
    """
    if lan and broker:
        raise UsageError(
            "--lan starts a broker of its own, and --broker or ATAXXD_BROKER names another: choose "
            "one."
        )
    if public and (lan or broker):
        raise UsageError(
            "--public takes a broker that lets everybody in; --lan and --broker choose another: "
            "choose one."
        )
    brokers = public_brokers(public_list) if public else []
    if link:
        wanted_brokers: list[str | None] = [*brokers] or [broker]
        for each in wanted_brokers:
            check_link(each, lan=lan, page=page)
    settings = replace(
        seat_settings(player, view, transcript),
        broker=broker,
        lan=lan,
        link=link,
        page=page,
        starts_broker=True,
        games=games,
        talk=talk,
        typed=name.strip(),
    )
    agreed = Terms.read(
        terms.clock, terms.grace, takebacks=terms.takebacks, guest=guest, invited=invited
    )
    check_apart(reads=[("--init", start.init)], writes=[("--transcript", transcript)])
    first = playable(beginning(game, ruleset, start.position, start.blocks, start.init))
    side = side_of(color, first.start.ruleset)
    check_network_words(transcript, first)
    check_player(settings.player, first.start.game)
    lasts_ms = duration_ms(expires, "--expires", bare="m")
    wanted = _Wanted(wire_name(name), side, lasts_ms, agreed, brokers, notifications(notify))
    return run_until_stopped(_host(wanted, home, settings, first, new=new))


def side_of(color: Color, ruleset: str) -> str:
    """``first``, ``second`` or ``random``, for a colour of a ruleset's game.

    Raises:
        UsageError: the sides of this game are called otherwise.
    """
    info = ruleset_info(ruleset)
    names = [side.lower() for side in info.side_names]
    if color in _SIDES and color.value not in names:
        raise UsageError(
            f"--color {color.value}: in {info.game} the sides are {' and '.join(names)}."
        )
    return _SIDES.get(color, color.value)


def playable(first: GameRecord) -> GameRecord:
    """The game to begin with, in which somebody can move.

    Raises:
        UsageError: it is over.
    """
    if first.outcome is not None:
        raise UsageError(
            f"In {first.position.text!r} the game is over ({first.outcome.termination}): nobody "
            "could move."
        )
    if first.refused:
        say("An offer carries moves alone: the draws that were rejected in --init are left out.")
    return first


@dataclass(frozen=True, slots=True)
class _Wanted:
    name: str
    side: str
    lasts_ms: int
    terms: Terms
    brokers: list[str]
    notifications: Notifications


async def _host(
    wanted: _Wanted, home: Path | None, settings: Settings, first: GameRecord, *, new: bool
) -> ExitCode:
    check_name(wanted.name, settings.typed)
    async with opened_profile(home) as profile:
        if wanted.brokers:
            found = await first_that_works(wanted.brokers, profile.key.node)
            settings = replace(settings, broker=found)
            say(WARNING)
        make_room(profile, wanted.name, new=new)
        async with chosen_broker(
            settings.broker, home=home, lan=settings.lan, may_start=True
        ) as chosen:
            broker = linked(chosen, settings.page) if settings.link else chosen
            node = node_at(broker, profile, settings)

            def take(player: Player) -> NetworkGame:
                return node.new_game(
                    wanted.name,
                    first,
                    color=wanted.side,
                    terms=wanted.terms,
                    lasts_ms=wanted.lasts_ms,
                    player=player,
                )

            def announce(game: NetworkGame) -> None:
                invite(
                    game.offer,
                    broker,
                    lan=settings.lan,
                    picture=sys.stderr.isatty() and not settings.ascii_only,
                    secret=game.secret,
                    typed=settings.shown_name(game.name),
                )

            return await take_seat(
                node,
                settings,
                broker,
                take,
                first.start.ruleset,
                Role.HOST,
                announce=announce,
                new=True,
                notifications=wanted.notifications,
            )
