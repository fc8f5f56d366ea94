"""NBoard, asked from the side that wants moves; `ataxxd_clients.engines.nboard` is the other.

The protocol limits a search by depth and by what is left of the game's time, and not every
engine heeds the second. So time is kept here: when it is up the engine is pinged, for which
it must stop thinking.
"""

import itertools
from collections.abc import Mapping, Sequence

from ataxxd.engines.external.process import EngineProcess
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits
from ataxxd.rules.notation.game import GameRecord
from ataxxd.rules.notation.ggf import write_ggf

_DEEPEST = 60


class NBoard:
    """NBoard, as an engine is spoken to."""

    game = "reversi"
    usual = Limits(depth=10)
    # An engine that is pinged must stop thinking; what it has found by then is its answer.
    stop: str | None = "ping 0"
    answers = "==="
    keeps_time = False

    def __init__(self) -> None:
        self._marks = itertools.count(1)

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],  # noqa: ARG002 - an engine of this protocol lists no options
    ) -> str:
        """Start the protocol and set options; an option is a `set`, such as contempt."""
        process.tell("nboard 2", deadline)
        name = process.name
        for option, value in options.items():
            process.tell(f"set {option} {value}", deadline)
        for line in self._caught_up(process, deadline):
            if line.startswith("set myname "):
                name = line.removeprefix("set myname ").strip()
        return name

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        """Nothing to tell: every position comes with its game."""

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        """Set up a position and start a search of it."""
        process.tell(f"set depth {min(limits.depth or _DEEPEST, _DEEPEST)}", deadline)
        game = write_ggf(GameRecord(position)).strip()
        if limits.clocks is not None:
            left_ms = limits.clocks[position.turn].left_ms
            minutes, seconds = divmod(max(1, left_ms // 1000), 60)
            game = game.replace("TY[8]", f"TI[{minutes}:{seconds:02}]TY[8]", 1)
        process.tell(f"set game {game}", deadline)
        self._caught_up(process, deadline)
        process.tell("go", deadline)

    def move(self, answer: str, position: Position) -> Move:
        """The move in an answer."""
        words = answer.split()
        if len(words) < 2:
            msg = "no move stands behind ==="
            raise ValueError(msg)
        return position.parse_move(words[1].partition("/")[0])

    def score(self, lines: Sequence[str], position: Position) -> int | None:  # noqa: ARG002
        """The engine's score of its move in hundredths of a piece, or None."""
        words = lines[-1].replace("/", " ").split()
        try:
            return round(float(words[2]) * 100)
        except (IndexError, ValueError, OverflowError):
            return None

    def _caught_up(self, process: EngineProcess, deadline: float) -> list[str]:
        """Wait until the engine has obeyed all it was told; what it said meanwhile."""
        mark = f"pong {next(self._marks)}"
        process.tell(mark.replace("pong", "ping"), deadline)
        heard = process.hear_until("pong", deadline)
        while heard[-1] != mark:
            heard += process.hear_until("pong", deadline)
        return heard
