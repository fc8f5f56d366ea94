"""Commands to watch games: their options and help."""

from dataclasses import dataclass

from ataxxd.cli import options
from ataxxd.cli.options import argument, flag


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
    home: options.Home = None
    display: options.Display = False
    tui: options.Tui = False
    ascii_only: options.Ascii = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesOptions:
    """List the games on the broker: open, under way and over."""

    broker: options.Broker = None
    as_json: options.Json = False
    wait: options.Collect = 1.5
    ratings: options.Ratings = False
