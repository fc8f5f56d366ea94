"""Commands about players and their challenges: their options and help."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from ataxxd.cli import options
from ataxxd.cli.commands.play import Color, ColorOption
from ataxxd.cli.options import SeatOptions, StartOptions, TermsOptions, argument, flag, option


@dataclass(frozen=True, slots=True, kw_only=True)
class IdOptions:
    """Show this node's id and nickname, or choose a nickname.

    Friends check the id against invitations. A nickname is signed, and shown beside the beginning
    of the id, since anyone may choose the same one. A broker that gives each node its own topics
    knows it by the user name shown.
    """

    name: str | None = option("--name NAME", "Give yourself a nickname, which others see.")
    short: bool = flag("--short", "Print only the id, for scripts.")
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
    the first member to come gets it. A player who is away finds a challenge that you --leave.
    """

    who: str = argument("WHO", "A name or id as `ataxxd players` shows it, or a group.")
    name: str | None = option("--name NAME", "The name of the game.", options.TERMS)
    say_to_it: str | None = option("--say TEXT", "A message to go with it.", options.TERMS)
    expires: options.Expires = "10m"
    leave: str | None = option(
        "--leave TIME",
        "Leave the challenge with the broker for this long, such as 7d, and exit. Then either "
        "player may be silent for as long.",
        options.TERMS,
    )
    home: options.Home = None
    broker: options.Broker = None
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.FIRST
    start: StartOptions
    terms: TermsOptions
    witness: options.Witnesses = None
    games: options.Games = 1
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ChallengesOptions:
    """Listen for challenges, and show how to accept each.

    To accept a challenge, join its game. Open challenges are repeated every few seconds, so you
    also hear those made before you started, and those that were left while you were away.
    """

    name: str | None = option(
        "--name NAME", "Appear under this name in `ataxxd players` meanwhile."
    )
    decline: str | None = option("--decline ID", "Decline this challenge and exit.")
    say_to_it: str | None = option("--say TEXT", "With --decline: the reason, in your words.")
    wait: float | None = option("--wait SECONDS", "Stop listening after this long.", min=0.1)
    first: bool = flag("--first", "Exit after the first challenge.")
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

    files: list[Path] | None = argument(
        "FILE", "Records, or folders of them.  [default: this node's archive]", default=None
    )
    game: options.OnlyGame = None
    player: str | None = option(
        "--of WHO", "Only this player: a nickname, an id or the start of one."
    )
    members: Path | None = option(
        "--members FILE", "Only games between the nodes in this file: one id per line."
    )
    log: Path | None = option("--log FILE", "Only the games that a club announced in its log.")
    as_of: datetime | None = option(
        "--as-of DAY",
        "The table at the end of this day, in UTC.  [default: today]",
        formats=["%Y-%m-%d"],
    )
    as_json: options.Json = False
    home: options.Home = None
