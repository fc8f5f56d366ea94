"""UAI, asked from the side that wants moves; `ataxxd_clients.engines.uai` is the other side."""

import re
from collections.abc import Mapping, Sequence

from ataxxd.engines.external.process import EngineProcess, checked_options
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits
from ataxxd.rules.notation.uai import read_uai_move

_OPTION = re.compile(r"option name (.+?) type\b")
_SCORE = re.compile(r"\bscore (cp|mate) (-?[0-9]{1,9})\b")
_WON = 30_000


class Uai:
    """UAI, as an engine is spoken to."""

    game = "ataxx"
    usual = Limits(time_ms=1000)
    stop: str | None = "stop"
    keeps_time = True
    answers = "bestmove"

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        """Start the protocol and set options; returns what the engine calls itself."""
        process.tell("uai", deadline)
        name = process.name
        listed = []
        for line in process.hear_until("uaiok", deadline):
            if line.startswith("id name "):
                name = line.removeprefix("id name ").strip()
            elif (found := _OPTION.match(line)) is not None:
                listed.append(found[1])
        for option, value in checked_options(process, options, listed, usual).items():
            process.tell(f"setoption name {option} value {value}", deadline)
        return name

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        """Announce a new game."""
        process.tell("uainewgame", deadline)

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        """Set up a position and start a search of it."""
        # What is left of an earlier answer is over before this one.
        process.tell("isready", deadline)
        process.hear_until("readyok", deadline)
        process.tell(f"position fen {position.text}", deadline)
        process.tell(f"go {_go(limits)}", deadline)

    def move(self, answer: str, position: Position) -> Move:
        """The move in an answer."""
        words = answer.split()
        if len(words) < 2:
            msg = "no move stands behind bestmove"
            raise ValueError(msg)
        return read_uai_move(position, words[1])

    def score(self, lines: Sequence[str], position: Position) -> int | None:  # noqa: ARG002
        """The engine's score of its move in hundredths of a piece, or None."""
        for line in reversed(lines):
            if (found := _SCORE.search(line)) is not None:
                kind, value = found[1], int(found[2])
                return value if kind == "cp" else _WON if value > 0 else -_WON
        return None


def _go(limits: Limits) -> str:
    words = []
    if limits.clocks is not None:
        for letter, clock in zip("bw", limits.clocks, strict=True):
            words.append(f"{letter}time {clock.left_ms} {letter}inc {clock.increment_ms}")
            if letter == "w" and clock.moves_to_go is not None:
                words.append(f"movestogo {clock.moves_to_go}")
    for name, value in (
        ("movetime", limits.time_ms), ("nodes", limits.nodes), ("depth", limits.depth)
    ):  # fmt: skip
        if value is not None:
            words.append(f"{name} {value}")
    return " ".join(words) or "infinite"
