"""Hub, asked from the side that wants moves; `ataxxd_clients.engines.hub` is the other side."""

import re
from collections.abc import Mapping, Sequence

from ataxxd.engines.external.process import EngineProcess, checked_options
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits
from ataxxd.rules.notation.hub import read_hub_move, write_hub_position

_NAME = re.compile(r'\bname=("[^"]*"|\S*)')
_SCORE = re.compile(r"\bscore=(-?[0-9]{1,6}(?:\.[0-9]*)?)")
_ANSWER = re.compile(r'\bmove="?([0-9x-]+)')


class Hub:
    """Hub, as an engine is spoken to."""

    game = "checkers"
    usual = Limits(time_ms=1000)
    stop: str | None = "stop"
    keeps_time = True
    answers = "done"

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        """Start the protocol and set options; returns what the engine calls itself."""
        process.tell("hub", deadline)
        name = process.name
        listed = []
        for line in process.hear_until("wait", deadline):
            if (found := _NAME.search(line)) is None:
                continue
            if line.startswith("id "):
                name = found[1].strip('"')
            elif line.startswith("param "):
                listed.append(found[1].strip('"'))
        for option, value in checked_options(process, options, listed, usual).items():
            process.tell(f'set-param name={option} value="{value}"', deadline)
        process.tell("init", deadline)
        process.hear_until("ready", deadline)
        return name

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        """Announce a new game."""
        process.tell("new-game", deadline)

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        """Set up a position and start a search of it."""
        process.tell("ping", deadline)
        process.hear_until("pong", deadline)
        process.tell(f"pos pos={write_hub_position(position)}", deadline)
        process.tell(f"level {_level(position, limits)}", deadline)
        process.tell("go think", deadline)

    def move(self, answer: str, position: Position) -> Move:
        """The move in an answer."""
        found = _ANSWER.search(answer)
        if found is None:
            msg = "no move stands behind done"
            raise ValueError(msg)
        return read_hub_move(position, found[1])

    def score(self, lines: Sequence[str], position: Position) -> int | None:  # noqa: ARG002
        """The engine's score of its move in hundredths of a piece, or None."""
        for line in reversed(lines):
            if line.startswith("info ") and (found := _SCORE.search(line)) is not None:
                return round(float(found[1]) * 100)
        return None


def _level(position: Position, limits: Limits) -> str:
    words = []
    if limits.clocks is not None:
        clock = limits.clocks[position.turn]
        # What the clock shows has the increment of this move in it, which Hub adds itself.
        left = max(1, clock.left_ms - clock.increment_ms)
        if clock.moves_to_go is not None:
            words.append(f"moves={clock.moves_to_go}")
        words.append(f"time={left / 1000:.3f}")
        if clock.increment_ms:
            words.append(f"inc={clock.increment_ms / 1000:.3f}")
    if limits.time_ms is not None:
        words.append(f"move-time={limits.time_ms / 1000:.3f}")
    if limits.nodes is not None:
        words.append(f"nodes={limits.nodes}")
    if limits.depth is not None:
        words.append(f"depth={limits.depth}")
    return " ".join(words) or "infinite"
