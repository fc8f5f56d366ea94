"""Whole sessions of a line language in one call, at a real table."""

import io
from collections.abc import Mapping
from dataclasses import dataclass

from ataxxd.engines.base import Bot, FirstBot
from ataxxd.node.game import Game
from ataxxd.node.local_game import LocalGame
from ataxxd.rules import Position, Side
from ataxxd.session.events import Seat
from ataxxd_clients.text.console import LineSource, Output
from ataxxd_clients.text.games import line_language
from ataxxd_clients.text.session import SessionOptions, run_line_language
from tests.unit.text.script_lines import ScriptLines

RULESET = "ataxx/cs61b-2022"
RED, BLUE = Side.FIRST, Side.SECOND

# Red's g6-g7, or any other move next to g7, leaves Blue without pieces.
RED_WINS_IN_ONE = "6o/5x1/7/7/7/7/7 x 0 20"
START_DUMP = """\
===
  r - - - - - b
  - - - - - - -
  - - - - - - -
  - - - - - - -
  - - - - - - -
  - - - - - - -
  b - - - - - r
===
"""


@dataclass(frozen=True)
class Played:
    """What a session printed and how it ended."""

    out: str
    err: str
    code: int
    game: Game

    @property
    def messages(self) -> list[str]:
        """The lines of standard output that programs read as messages."""
        return [line for line in self.out.splitlines() if line.lstrip().startswith("*")]

    @property
    def errors(self) -> list[str]:
        """The errors, without their common beginning."""
        return [
            line.removeprefix("Error: ")
            for line in self.err.splitlines()
            if line.startswith("Error: ")
        ]


def local_table(
    position: str | None = None,
    *,
    bot: Bot | None = None,
    seats: Mapping[Side, Seat] | None = None,
    seed: int | None = None,
    ruleset: str = RULESET,
) -> LocalGame:
    """An offline table with the seats of the course: Red by hand, Blue a machine."""
    start = Position.start(ruleset) if position is None else Position.from_text(ruleset, position)
    return LocalGame(
        start,
        dict.fromkeys(Side, bot or FirstBot()),
        seats=seats or {BLUE: Seat.AUTO},
        seed=seed,
    )


async def run(game: Game, lines: str | LineSource, options: SessionOptions | None = None) -> Played:
    """Feed lines to a session and return what it printed."""
    out, err = io.StringIO(), io.StringIO()
    source = ScriptLines(lines.splitlines()) if isinstance(lines, str) else lines
    code = await run_line_language(
        game, line_language(game.position.ruleset), source, Output(out, err), options
    )
    return Played(out.getvalue(), err.getvalue(), code, game)


async def by_hand(lines: str, position: str | None = None, **options: bool) -> Played:
    """A session in which both players are manual."""
    game: Game = local_table(position, seats={RED: Seat.HUMAN})
    return await run(game, lines, SessionOptions(**options))
