"""The protocols of engines, asked from the side that wants moves: UAI, Hub and NBoard.

NBoard limits a search by depth and by what is left of the game's time, and not every engine heeds
the second. So time is kept here: when it is up, the engine is pinged, and must then stop
thinking. The other side of all three is `ataxxd_clients.engines`.
"""

import itertools
import re
import weakref
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import ClassVar

from ataxxd.engines.external.process import EngineProcess, check_options
from ataxxd.errors import UsageError
from ataxxd.rules import Move, Position
from ataxxd.rules.limits import Limits
from ataxxd.rules.notation.engine_protocols import read_hub_move, read_uai_move, write_hub_position
from ataxxd.rules.notation.game import GameRecord
from ataxxd.rules.notation.reversi import write_ggf

_UAI_OPTION = re.compile(r"option name (.+?) type\b")
_UAI_SCORE = re.compile(r"\bscore (cp|mate) (-?[0-9]{1,9})\b")
_UAI_WON = 30_000


def _advice(name: str, word: str, answer: str) -> str:
    return (
        f'Check that it speaks {name}, which answers "{word}" by "{answer}"; for another protocol '
        "write protocol=NAME before its command."
    )


class Dialect(ABC):
    """An engine protocol. All deadlines are by `time.monotonic`.

    Attributes:
        game: the game that its engines play.
        usual: the default limit per move.
        stop: the command that ends a search.
        answers: the word that an answer begins with.
        keeps_time: whether the engine is told all limits in time; if not, it is stopped.
        advice: what to check if the engine does not even greet.
    """

    game: ClassVar[str]
    usual: ClassVar[Limits] = Limits(time_ms=1000)
    stop: ClassVar[str] = "stop"
    answers: ClassVar[str]
    keeps_time: ClassVar[bool] = True
    advice: ClassVar[str]
    # The command that announces a game, the one that asks whether the engine is ready, and the
    # answer to the latter.
    _begin: ClassVar[str]
    _ping: ClassVar[str]
    _pong: ClassVar[str]

    @abstractmethod
    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        """Begin, and set options; returns the engine's own name.

        Args:
            process: the engine.
            options: the user's options, all of which the engine must have.
            deadline: when it must have answered.
            usual: further options, set if the engine has them.

        Raises:
            EngineError: it does not follow the protocol.
        """

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        """Tell the engine that a new game begins, and wait until it is ready."""
        process.send_line(self._begin, deadline)
        self._wait(process, deadline)

    @abstractmethod
    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        """Set up a position, and start a search."""

    @abstractmethod
    def move(self, answer: str, position: Position) -> Move:
        """The move in an answer.

        Raises:
            ValueError: there is none, or it is not legal.
        """

    @abstractmethod
    def score(self, lines: Sequence[str]) -> int | None:
        """The engine's score for its move, from the lines up to its answer.

        In hundredths of a piece for the side to move; None if it gives none.
        """

    def _wait(self, process: EngineProcess, deadline: float) -> None:
        """Wait until the engine is ready, and skip what is left of an earlier answer."""
        process.send_line(self._ping, deadline)
        process.read_until(self._pong, deadline)


class _Uai(Dialect):
    game = "ataxx"
    answers = "bestmove"
    advice = _advice("UAI", "uai", "uaiok")
    _begin, _ping, _pong = "uainewgame", "isready", "readyok"

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        process.send_line("uai", deadline)
        name = process.name
        listed = []
        for line in process.read_until("uaiok", deadline):
            if line.startswith("id name "):
                name = line.removeprefix("id name ").strip()
            elif (found := _UAI_OPTION.match(line)) is not None:
                listed.append(found[1])
        for option, value in check_options(process, options, listed, usual).items():
            process.send_line(f"setoption name {option} value {value}", deadline)
        return name

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        self._wait(process, deadline)
        process.send_line(f"position fen {position.text}", deadline)
        process.send_line(f"go {_uai_limits(limits)}", deadline)

    def move(self, answer: str, position: Position) -> Move:
        words = answer.split()
        if len(words) < 2:
            msg = "no move follows bestmove."
            raise ValueError(msg)
        return read_uai_move(position, words[1])

    def score(self, lines: Sequence[str]) -> int | None:
        for line in reversed(lines):
            if (found := _UAI_SCORE.search(line)) is not None:
                kind, value = found[1], int(found[2])
                return value if kind == "cp" else _UAI_WON if value > 0 else -_UAI_WON
        return None


def _uai_limits(limits: Limits) -> str:
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


_HUB_NAME = re.compile(r'\bname=("[^"]*"|\S*)')
_HUB_SCORE = re.compile(r"\bscore=(-?[0-9]{1,6}(?:\.[0-9]*)?)")
_HUB_ANSWER = re.compile(r'\bmove="?([^\s"]+)')


class _Hub(Dialect):
    game = "checkers"
    answers = "done"
    advice = _advice("Hub", "hub", "wait")
    _begin, _ping, _pong = "new-game", "ping", "pong"

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],
    ) -> str:
        process.send_line("hub", deadline)
        name = process.name
        listed = []
        for line in process.read_until("wait", deadline):
            if (found := _HUB_NAME.search(line)) is None:
                continue
            if line.startswith("id "):
                name = found[1].strip('"')
            elif line.startswith("param "):
                listed.append(found[1].strip('"'))
        for option, value in check_options(process, options, listed, usual).items():
            process.send_line(f'set-param name={option} value="{value}"', deadline)
        process.send_line("init", deadline)
        process.read_until("ready", deadline)
        return name

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        self._wait(process, deadline)
        process.send_line(f"pos pos={write_hub_position(position)}", deadline)
        process.send_line(f"level {_hub_limits(position, limits)}", deadline)
        process.send_line("go think", deadline)

    def move(self, answer: str, position: Position) -> Move:
        found = _HUB_ANSWER.search(answer)
        if found is None:
            msg = "it names no move."
            raise ValueError(msg)
        return read_hub_move(position, found[1])

    def score(self, lines: Sequence[str]) -> int | None:
        for line in reversed(lines):
            if line.startswith("info ") and (found := _HUB_SCORE.search(line)) is not None:
                return round(float(found[1]) * 100)
        return None


def _hub_limits(position: Position, limits: Limits) -> str:
    words = []
    if limits.clocks is not None:
        clock = limits.clocks[position.turn]
        # The clock already includes the increment for this move, which Hub engines add themselves.
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


_NBOARD_MAX_DEPTH = 60


class _NBoard(Dialect):
    game = "reversi"
    usual = Limits(depth=10)
    # An engine that is pinged must stop thinking; what it has found by then is its answer.
    stop = "ping 0"
    answers = "==="
    keeps_time = False
    advice = _advice("NBoard", "ping 1", "pong 1")

    def __init__(self) -> None:
        self._marks = itertools.count(1)
        self._depths = weakref.WeakKeyDictionary[EngineProcess, int]()

    def greet(
        self,
        process: EngineProcess,
        options: Mapping[str, str],
        deadline: float,
        usual: Mapping[str, str],  # noqa: ARG002 - an engine of this protocol lists no options
    ) -> str:
        process.send_line("nboard 2", deadline)
        name = process.name
        for option, value in options.items():  # such as contempt
            process.send_line(f"set {option} {value}", deadline)
        self._set_depth(process, _NBOARD_MAX_DEPTH, deadline)
        for line in self._wait_until_caught_up(process, deadline):
            if line.startswith("set myname "):
                name = line.removeprefix("set myname ").strip()
        return name

    def new_game(self, process: EngineProcess, deadline: float) -> None:
        pass  # every position comes with its game

    def ask(
        self, process: EngineProcess, position: Position, limits: Limits, deadline: float
    ) -> None:
        self._set_depth(process, limits.depth or _NBOARD_MAX_DEPTH, deadline)
        game = write_ggf(GameRecord(position)).strip()
        if limits.clocks is not None:
            left_ms = limits.clocks[position.turn].left_ms
            minutes, seconds = divmod(max(1, left_ms // 1000), 60)
            game = game.replace("TY[8]", f"TI[{minutes}:{seconds:02}]TY[8]", 1)
        process.send_line(f"set game {game}", deadline)
        self._wait_until_caught_up(process, deadline)
        process.send_line("go", deadline)

    def move(self, answer: str, position: Position) -> Move:
        words = answer.split()
        if len(words) < 2:
            msg = "no move follows ===."
            raise ValueError(msg)
        return position.parse_move(words[1].partition("/")[0])

    def score(self, lines: Sequence[str]) -> int | None:
        words = lines[-1].replace("/", " ").split()
        try:
            return round(float(words[2]) * 100)
        except (IndexError, ValueError, OverflowError):
            return None

    def _set_depth(self, process: EngineProcess, depth: int, deadline: float) -> None:
        """Set the depth only if it changes: NTest then rebuilds its tables, which takes 0.1 s."""
        depth = min(depth, _NBOARD_MAX_DEPTH)
        if self._depths.get(process) != depth:
            process.send_line(f"set depth {depth}", deadline)
            self._depths[process] = depth

    def _wait_until_caught_up(self, process: EngineProcess, deadline: float) -> list[str]:
        """Wait until the engine has carried out all commands; returns its output meanwhile."""
        mark = f"pong {next(self._marks)}"
        process.send_line(mark.replace("pong", "ping"), deadline)
        heard = process.read_until("pong", deadline)
        while heard[-1] != mark:
            heard += process.read_until("pong", deadline)
        return heard


_DIALECTS: Mapping[str, Dialect] = {
    "uai": _Uai(),
    "nboard": _NBoard(),
    "hub": _Hub(),
}


def dialect_for(game: str, protocol: str | None) -> Dialect:
    """The protocol with a name, or the usual one of a game's engines.

    Raises:
        UsageError: there is none, or it is for another game.
    """
    if protocol is None:
        for dialect in _DIALECTS.values():
            if dialect.game == game:
                return dialect
        raise UsageError(f"No engine protocol for {game} is known here. {_describe_dialects()}")
    if protocol not in _DIALECTS:
        raise UsageError(f"There is no engine protocol {protocol!r}. {_describe_dialects()}")
    dialect = _DIALECTS[protocol]
    if dialect.game != game:
        raise UsageError(f"Engines that speak {protocol} play {dialect.game}, not {game}.")
    return dialect


def _describe_dialects() -> str:
    known = ", ".join(f"{name} for {each.game}" for name, each in _DIALECTS.items())
    return f"Known protocols: {known}."
