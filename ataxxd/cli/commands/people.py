"""Commands about players and their challenges: their options and help."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from ataxxd.cli import options
from ataxxd.cli.commands.play import Color, ColorOption
from ataxxd.cli.options import SeatOptions, StartOptions, TermsOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class IdOptions:
    """Show this node's id and nickname, or choose a nickname.

    Friends check the id against invitations. A nickname is signed, and shown beside the beginning
    of the id, since anyone may choose the same one. A broker that gives each node its own topics
    knows it by the user name shown.
    """

    name: Annotated[
        str | None,
        typer.Option("--name", metavar="NAME", help="Give yourself a nickname, which others see."),
    ] = None
    short: Annotated[bool, typer.Option("--short", help="Print only the id, for scripts.")] = False
    home: options.Home = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayersOptions:
    """List the players on the broker, and who is free."""

    home: options.Home = None
    broker: options.Broker = None
    as_json: options.Json = False
    wait: options.Collect = 1.5
    ratings: options.Ratings = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengeOptions:
    """Challenge WHO, a player or a group, to a game.

    You host the game and play it here. The seat is kept for the player challenged; of a group,
    the first member to come gets it.
    """

    who: Annotated[
        str,
        typer.Argument(
            metavar="WHO", help="A name or id as `ataxxd players` shows it, or a group."
        ),
    ]
    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="The name of the game.", rich_help_panel=options.TERMS
        ),
    ] = None
    say_to_it: Annotated[
        str | None,
        typer.Option(
            "--say", metavar="TEXT", help="A message to go with it.", rich_help_panel=options.TERMS
        ),
    ] = None
    expires: options.Expires = "10m"
    home: options.Home = None
    broker: options.Broker = None
    game: options.Game = options.USUAL_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.FIRST
    start: StartOptions
    terms: TermsOptions
    games: options.Games = 1
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengesOptions:
    """Listen for challenges, and show how to accept each.

    To accept a challenge, join its game. Open challenges are repeated every few seconds, so you
    also hear those made before you started.
    """

    name: Annotated[
        str | None,
        typer.Option(
            "--name", metavar="NAME", help="Appear under this name in `ataxxd players` meanwhile."
        ),
    ] = None
    decline: Annotated[
        str | None, typer.Option("--decline", metavar="ID", help="Decline this challenge and exit.")
    ] = None
    say_to_it: Annotated[
        str | None,
        typer.Option("--say", metavar="TEXT", help="With --decline: the reason, in your words."),
    ] = None
    wait: Annotated[
        float | None,
        typer.Option("--wait", min=0.1, metavar="SECONDS", help="Stop listening after this long."),
    ] = None
    first: Annotated[bool, typer.Option("--first", help="Exit after the first challenge.")] = False
    home: options.Home = None
    broker: options.Broker = None
    as_json: options.Json = False
    notify: options.Notify = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingsOptions:
    """Rate players by the games that both sides signed.

    The ratings are Glicko-2. Every record is verified first; games that do not count are listed
    with the reason. The same games give the same ratings for everyone on the same day; compare
    the digest to see whether you rated the same games.
    """

    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[FILE…]", help="Records, or folders of them.  [default: this node's archive]"
        ),
    ] = None
    game: options.OnlyGame = None
    player: Annotated[
        str | None,
        typer.Option("--of", metavar="ID", help="Only this node: its id, or the beginning of it."),
    ] = None
    members: Annotated[
        Path | None,
        typer.Option(
            "--members",
            metavar="FILE",
            help="Only games between the nodes in this file: one id per line.",
        ),
    ] = None
    log: Annotated[
        Path | None,
        typer.Option(
            "--log",
            metavar="FILE",
            help="Only the games that a club announced in its log.",
        ),
    ] = None
    as_of: Annotated[
        datetime | None,
        typer.Option(
            "--as-of",
            formats=["%Y-%m-%d"],
            metavar="DAY",
            help="The table at the end of this day, in UTC.  [default: today]",
        ),
    ] = None
    as_json: options.Json = False
    home: options.Home = None
