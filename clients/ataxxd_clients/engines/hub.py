"""Hub, version 2, for checkers: as Scan and other engines of draughts speak it.

Fabien Letouzey's protocol, for English checkers: see `ataxxd.rules.notation.engine_protocols`.
"""

import math
import re
from collections.abc import Iterator, Mapping
from typing import Final

from ataxxd.engines.search_thread import SearchRequest
from ataxxd.rules import Move, Position, SearchResult
from ataxxd.rules.limits import DEFAULT_HASH_MB, Clock, Limits
from ataxxd.rules.notation.engine_protocols import read_hub_move, read_hub_position, write_hub_move
from ataxxd_clients.engines import (
    DEEPEST,
    DEFAULT_LIMITS,
    LARGEST,
    LONGEST_MS,
    MAX_THREADS,
    EngineServer,
    NoMoveError,
    max_hash_mb,
    number,
)

RULESET: Final = "checkers/acf"
# As in Scan, a larger score is a win.
_MAX_MEN: Final = 80
_LIMITS: Final = ("depth", "nodes", "move-time", "time")
_ARGUMENT = re.compile(r'([^\s="]+)(?:=("[^"]*"|[^\s"]*))?')


class HubServer(EngineServer):
    """Serves the Hub protocol."""

    _ruleset = RULESET
    _limits = Limits()
    _options = ("variant", "hash", "threads", "level", "seed")

    def _report_error(self, why: str) -> None:
        self._write_line(f'error message="{why.replace(chr(34), chr(39))}"')

    def _execute(self, words: list[str], line: str) -> None:
        command = words[0]
        arguments = _arguments(line.split(None, 1)[1] if len(words) > 1 else "")
        match command:
            case "hub":
                self._write_introduction()
            case "init":
                self._write_line("ready")
            case "set-param":
                self._set_parameter(arguments.get("name", ""), arguments.get("value", ""))
            case "new-game":
                self._search.clear()
            case "pos":
                self._position = None
                self._position = _position(arguments)
            case "level":
                # If the new limits are refused, the next search must still end.
                self._limits = DEFAULT_LIMITS
                self._limits = _limits(arguments)
            case "go":
                self._go(arguments)
            case "ponder-hit":
                self._search.ponder_hit()
            case "stop":
                self._search.stop()
            case "ping":
                self._write_line("pong")
            case _:
                raise ValueError(f"There is no command {command}.")

    def _write_introduction(self) -> None:
        self._write_line(f'id name=ataxxd version={self._version} author="the authors of ataxxd"')
        self._write_line('param name=variant value=english type=enum values="english"')
        self._write_line(
            f"param name=hash value={DEFAULT_HASH_MB} type=int min=1 max={max_hash_mb()}"
        )
        self._write_line(f"param name=threads value=1 type=int min=1 max={MAX_THREADS}")
        self._write_line(f"param name=level value=0 type=int min=0 max={max(self._levels)}")
        self._write_line(f"param name=seed value=0 type=int min=0 max={LARGEST - 1}")
        self._write_line("wait")

    def _set_parameter(self, name: str, value: str) -> None:
        if name != "variant":
            self._set_option(name, value)
        elif value != "english":
            raise ValueError(f"The only variant here is english, not {value}.")

    def _go(self, arguments: Mapping[str, str]) -> None:
        if not arguments.keys() & {"think", "ponder", "analyze"}:
            raise ValueError("go takes think, ponder or analyze.")
        # Limits hold for one search.
        limits, self._limits = self._limits, Limits()
        waits = "ponder" in arguments or limits.unlimited
        try:
            position = self._require_position()
            self._start_search(
                SearchRequest(
                    position, limits, self._write_info, self._write_answer, holds_answer=waits
                )
            )
        except NoMoveError as nothing:
            self._report_error(str(nothing))
            # Scan answers this where there is no move.
            self._write_line("done")

    def _write_info(self, result: SearchResult) -> None:
        seconds = result.elapsed_ms / 1000
        line = " ".join(map(write_hub_move, result.pv))
        self._write_line(
            f"info depth={result.depth} score={_score(result):.2f} nodes={result.nodes} "
            f"time={seconds:.3f} nps={result.nodes / max(seconds, 0.001) / 1e6:.3f} "
            f'pv="{line}"'
        )

    def _write_answer(self, result: SearchResult) -> None:
        self._write_info(result)
        ponder = f" ponder={write_hub_move(result.pv[1])}" if len(result.pv) > 1 else ""
        self._write_line(f"done move={write_hub_move(result.move)}{ponder}")


def _score(result: SearchResult) -> float:
    """The score in men; for a win, as in Scan, 100 less a hundredth for each ply until then."""
    if result.mate_in is None:
        return min(max(result.score / 100, -_MAX_MEN), _MAX_MEN)
    plies = 2 * abs(result.mate_in) - (result.mate_in > 0)
    return math.copysign(100 - plies / 100, result.mate_in)


def _arguments(text: str) -> dict[str, str]:
    """The arguments of a command by name; one without a value has an empty one."""
    return {found[1]: (found[2] or "").strip('"') for found in _ARGUMENT.finditer(text)}


def _position(arguments: Mapping[str, str]) -> Position:
    if "pos" not in arguments:
        raise ValueError("pos takes pos=POSITION, and perhaps moves=MOVES.")
    position = read_hub_position(arguments["pos"], RULESET)
    for move in _moves(position, arguments.get("moves", "").split()):
        position = position.play(move)
    return position


def _moves(position: Position, texts: list[str]) -> Iterator[Move]:
    for text in texts:
        move = read_hub_move(position, text)
        yield move
        position = position.play(move)


def _limits(arguments: Mapping[str, str]) -> Limits:
    def whole(name: str) -> int | None:
        most = DEEPEST if name == "depth" else LARGEST
        return number(arguments[name], name, 1, most) if name in arguments else None

    if "infinite" in arguments:
        return Limits()
    if not arguments.keys() & set(_LIMITS):
        raise ValueError(
            f"level takes infinite or {', '.join(_LIMITS)}; a move takes "
            f"{DEFAULT_LIMITS.time_ms} ms now."
        )
    move_time, left = (_milliseconds(arguments, name, 1) for name in ("move-time", "time"))
    clocks = None
    if left is not None:
        increment = _milliseconds(arguments, "inc", 0) or 0
        # The protocol adds the increment before a move. It sends only the clock of the side that
        # thinks, so both sides get that one.
        clock = Clock(left + increment, increment, whole("moves"))
        clocks = (clock, clock)
    return Limits(whole("depth"), whole("nodes"), move_time, clocks)


def _milliseconds(arguments: Mapping[str, str], name: str, least: int) -> int | None:
    if name not in arguments:
        return None
    try:
        milliseconds = 1000 * float(arguments[name])
    except ValueError:
        milliseconds = math.nan
    if math.isnan(milliseconds):
        raise ValueError(f"{name} takes seconds, not {arguments[name]}.")
    # Some programs still send the clock of a side that has overstepped its time.
    return int(min(max(milliseconds, least), LONGEST_MS))
