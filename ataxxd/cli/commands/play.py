"""Commands to play and watch games: their options and help."""

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from ataxxd.cli import options
from ataxxd.cli.options import (
    NotifyOptions,
    SearchOptions,
    SeatOptions,
    StartOptions,
    TermsOptions,
    ViewOptions,
    argument,
    describe,
    flag,
    option,
)


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
    Color, describe("--color", "The side you take; red or black moves first.", options.TERMS)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayOptions:
    """Play offline, against the engine or someone beside you.

    Reads the game's line language (`help` lists it) from IN or standard input and answers
    on standard output; a person at a terminal gets a friendlier form of it. The
    first side is yours and the second is the engine's; change that with --player1 and
    --player2, or with the commands `auto` and `manual`.
    """

    arguments: list[str] | None = argument(
        "STATE|IN",
        "Read commands from the files IN, one after the other. Lines of Action: from IN, and "
        "write the output to a second file. Reversi: begin from STATE, such as "
        '"{........|...}".',
        default=None,
    )
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    home: options.Home = None
    broker: options.Broker = None
    player1: str = option(
        "--player1 WHO", f"Player 1: {options.WHO}.", options.PLAYERS, default="human"
    )
    player2: str = option(
        "--player2 WHO",
        "Player 2, likewise; or NAME to host a game of that name, NAME@BROKER to join it.",
        options.PLAYERS,
        default="auto",
    )
    white: bool = flag("--white", "Player 1 takes the side that moves second.", options.PLAYERS)
    engine: options.Engine = None
    engine_protocol: options.EngineProtocol = None
    search: SearchOptions
    seed: options.Seed = None
    start: StartOptions
    transcript: options.Transcript = None
    log: Path | None = option(
        "--log FILE", "Write every command and move entered to FILE.", options.FILES
    )
    output: Path | None = option("--output FILE", "Write the output to FILE.", options.FILES)
    view: ViewOptions
    grace: options.GraceOrUnsaid = None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostOptions:
    """Open the game NAME and wait for a guest.

    You play in this terminal; with --auto the engine does. Unless --broker names one, a broker
    is started on this machine if none runs there. The printed invitation contains your node's
    id, so that nobody can pose as the host.
    """

    name: str = argument("NAME", "The name others join by: letters, digits and dashes.")
    home: options.Home = None
    broker: options.Broker = None
    lan: options.Lan = False
    link: bool = flag(
        "--link",
        "Also print a link that opens the game in any browser, and its QR code.",
        options.NETWORK,
    )
    page: str | None = option(
        "--page URL",
        "The page that --link opens.  [default: with --lan, this machine's own]",
        options.NETWORK,
        envvar="ATAXXD_PAGE",
    )
    public: bool = flag(
        "--public",
        "Use a public broker: strangers can read the game, and stop it.",
        options.NETWORK,
    )
    public_list: Path | None = option(
        "--public-list FILE",
        "A list of brokers for --public, instead of the built-in one.",
        options.NETWORK,
        envvar="ATAXXD_PUBLIC_LIST",
    )
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.FIRST
    start: StartOptions
    expires: options.Expires = "1d"
    terms: TermsOptions
    guest: str | None = option("--guest ID", "Let only this node join.", options.TERMS)
    invited: bool = flag(
        "--invited", "Let only holders of the printed invitation join.", options.TERMS
    )
    witness: options.Witnesses = None
    games: options.Games = 1
    new: bool = flag("--new", "Abandon an unfinished game of this name first.", options.TERMS)
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinOptions:
    """Join the game NAME and play it.

    You play in this terminal; with --auto the engine does. If several hosts use the name, or
    to be sure, add the host's id: NAME#ID. If NAME had another host before, you are asked
    first. If no broker runs on this machine, the local network is searched for one.
    """

    name: str = argument("NAME[#ID][@BROKER]|LINK", "The game, as the invitation or the link says.")
    home: options.Home = None
    broker: options.Broker = None
    wait: options.Wait = 3.0
    new_host: bool = flag(
        "--new-host", "Join even if NAME had another host before.", options.NETWORK
    )
    games: options.Games = 1
    talk: options.Talk = False
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekOptions:
    """Seek a game, and play the first person who seeks the same.

    If someone on the broker already seeks a game with these rules and terms, you join it.
    Otherwise your seek is listed by `ataxxd games` and in lobbies until someone takes it.
    """

    home: options.Home = None
    broker: options.Broker = None
    game: options.Game = options.DEFAULT_GAME
    ruleset: options.Ruleset = None
    color: ColorOption = Color.RANDOM
    rating_range: str | None = option(
        "--rating-range LOW-HIGH",
        "Play only someone whose rating is in this range, such as 1200-1600. Players whose games "
        "you do not have count as 1500.",
        options.TERMS,
    )
    rated: bool = flag(
        "--rated",
        "No takebacks; requires a clock or a grace, so that every game gets a result.",
        options.TERMS,
    )
    terms: TermsOptions
    seat: SeatOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeOptions:
    """Continue an unfinished game.

    The journal keeps the players, the broker, the display and every move. For a game
    restored from a backup, the broker and the opponent are first asked what happened since.
    """

    name: str | None = argument(
        "NAME", "The game.  [default: the newest unfinished one]", default=None
    )
    home: options.Home = None
    broker: str | None = option(
        "--broker URL", "Use this broker instead of the one the game began on."
    )
    as_restored: bool = flag(
        "--as-restored",
        "After `ataxxd restore`: confirm that you have made no move since the backup.",
    )
    wait: float = option(
        "--wait SECONDS",
        "After `ataxxd restore`: how long to wait for the opponent's copy of the game.",
        default=20.0,
        min=0,
    )
    talk: options.Talk = False
    auto: bool = flag("--auto", hidden=True)
    view: ViewOptions
    notify: NotifyOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyOptions:
    """Host, join, watch and resume games in the browser.

    The page can be reached from this machine only, and its link works for one browser. If no
    broker runs on this machine, one is started.
    """

    home: options.Home = None
    broker: options.Broker = None
    lan: options.Lan = False
    port: int = option(
        "--port N",
        "The page's port on this machine; 0 takes any free one.",
        default=0,
        min=0,
        max=65535,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WatchOptions:
    """Watch the game NAME and verify every move.

    On a terminal the board is shown after every move. Otherwise each event is printed on a
    line of its own, or with --json as an object. Rematches are shown, too; the command ends
    when the game is over and a player has left.
    """

    name: str = argument("NAME[#ID][@BROKER]|LINK", "The game.")
    broker: options.Broker = None
    as_json: options.Json = False
    transcript: options.Transcript = None
    wait: options.Wait = 3.0
    talk: bool = flag("--talk", "Chat with the other spectators.")
    witness: bool = flag(
        "--witness", "Be a witness of the game, if it names you: see `host --witness`."
    )
    home: options.Home = None
    display: options.Display = False
    tui: options.Tui = False
    ascii_only: options.Ascii = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesOptions:
    """List the games on the broker: open, under way and over."""

    mine: bool = flag("--mine", "List your own unfinished games instead, and whose turn it is.")
    home: options.Home = None
    broker: options.Broker = None
    as_json: options.Json = False
    wait: options.Collect = 1.5
    ratings: options.Ratings = False
