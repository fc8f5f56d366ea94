"""UAI, the Universal Ataxx Interface: UCI with the moves and positions of Ataxx.

As Autaxx, Zataxx and cuteataxx speak it. ``btime`` belongs to x, the side that moves first.
"""

from collections.abc import Mapping
from typing import Final

from ataxxd.engines.search_thread import SearchRequest
from ataxxd.rules import Engine, Position, SearchResult
from ataxxd.rules.limits import DEFAULT_HASH_MB, Clock, Limits
from ataxxd.rules.notation.engine_protocols import read_uai_move
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

RULESET: Final = "ataxx/uai"
# The numbers that go takes, and their ranges.
_NUMBERS: Final = {
    "depth": (1, DEEPEST),
    "nodes": (1, LARGEST),
    "movetime": (1, LONGEST_MS),
    "btime": (1, LONGEST_MS),
    "wtime": (1, LONGEST_MS),
    "binc": (0, LONGEST_MS),
    "winc": (0, LONGEST_MS),
    "movestogo": (1, LARGEST),
    "mate": (1, 60),
}
# The time to look for a win if go has no limit besides mate.
_MATE: Final = Limits(time_ms=60_000)
# No other line is read while perft counts, so plies and, roughly, sequences are bounded.
_DEEPEST_PERFT: Final = 6
_MAX_COUNTED: Final = 10**9
_PIECES: Final = str.maketrans("XbBOwW", "xxxooo")
_LEFT_OUT: Final = ("", "x", "0", "1")
# At this halfmove clock the game is drawn.
_LAST_HALFMOVE: Final = 100
_FLAGS: Final = {"infinite", "ponder"}
_GO_WORDS: Final = _FLAGS | _NUMBERS.keys()
_COMMANDS: Final = (
    "uai", "isready", "uainewgame", "setoption", "position", "go", "ponderhit", "stop", "quit",
)  # fmt: skip


class UaiServer(EngineServer):
    """Serves the UAI protocol."""

    _ruleset = RULESET
    _null_move_due = False
    _options = ("Hash", "Threads", "Clear Hash", "Ponder", "Level", "Seed")

    def _report_error(self, why: str) -> None:
        self._write_line(f"info string {why}")

    def _execute(self, words: list[str], line: str) -> None:  # noqa: ARG002
        command, *rest = words
        match command:
            case "uai":
                self._write_introduction()
            case "isready":
                self._write_line("readyok")
            case "uainewgame":
                self._stop()
                self._search.clear()
            case "setoption":
                self._read_option(rest)
            case "position":
                self._position = None
                self._position = _position(rest)
            case "go" if rest[:1] == ["perft"]:
                self._perft(rest[1:])
            case "go":
                self._go(rest)
            case "ponderhit":
                self._search.ponder_hit()
                self._give_null_move()
            case "stop":
                self._stop()
            case _:
                raise ValueError(
                    f"There is no command {command}; commands are {', '.join(_COMMANDS)}."
                )

    def _write_introduction(self) -> None:
        self._write_line(f"id name ataxxd {self._version}")
        self._write_line("id author the authors of ataxxd")
        self._write_line(
            f"option name Hash type spin default {DEFAULT_HASH_MB} min 1 max {max_hash_mb()}"
        )
        self._write_line(f"option name Threads type spin default 1 min 1 max {MAX_THREADS}")
        self._write_line("option name Clear Hash type button")
        self._write_line("option name Ponder type check default false")
        self._write_line(f"option name Level type spin default 0 min 0 max {max(self._levels)}")
        self._write_line(f"option name Seed type spin default 0 min 0 max {LARGEST - 1}")
        self._write_line("uaiok")

    def _read_option(self, words: list[str]) -> None:
        lower = [word.lower() for word in words]
        cut = lower.index("value") if "value" in lower else len(words)
        begin = 1 if lower[:1] == ["name"] else 0
        name = " ".join(words[begin:cut])
        if name.lower() == "clear hash":
            self._search.clear()
        elif (tunable := _tunable(name.lower())) is not None:
            self._search.tune(name.lower(), number(" ".join(words[cut + 1 :]), name, *tunable))
        elif name.lower() != "ponder":  # only announces that ponder searches may come
            self._set_option(name, " ".join(words[cut + 1 :]))

    def _go(self, words: list[str]) -> None:
        if self._null_move_due:
            raise ValueError("A search is under way. Stop it first.")
        limits, flags, amiss = _limits(words)
        for remark in amiss:
            self._report_error(remark)
        waits = "ponder" in flags or "infinite" in flags or limits.unlimited
        if "infinite" in flags:
            limits = Limits()
        try:
            position = self._require_position()
            self._start_search(
                SearchRequest(
                    position, limits, self._write_info, self._write_answer, holds_answer=waits
                )
            )
        except NoMoveError as nothing:
            self._report_error(str(nothing))
            self._null_move_due = True
            if not waits:
                self._give_null_move()

    def _perft(self, words: list[str]) -> None:
        """Count the sequences of moves, as ``split`` of Autaxx prints them."""
        position = self._require_position()
        depth = number(" ".join(words) or "nothing", "perft", 1, _DEEPEST_PERFT)
        if len(position.legal_moves) ** depth > _MAX_COUNTED:
            raise ValueError(f"There is too much to count {depth} plies from here. Take fewer.")
        total = 0
        for move in position.legal_moves:
            nodes = position.play(move).perft(depth - 1)
            self._write_line(f"{move} {nodes}")
            total += nodes
        self._write_line(f"nodes {total}")

    def _stop(self) -> None:
        super()._stop()
        self._give_null_move()

    def _give_null_move(self) -> None:
        """Answer a search that had nothing to find."""
        if self._null_move_due:
            self._null_move_due = False
            self._write_line("bestmove 0000")

    def _write_info(self, result: SearchResult) -> None:
        self._write_line(f"info {_info(result)}")

    def _write_answer(self, result: SearchResult) -> None:
        self._write_info(result)
        ponder = f" ponder {result.pv[1]}" if len(result.pv) > 1 else ""
        self._write_line(f"bestmove {result.move}{ponder}")


def _tunable(name: str) -> tuple[int, int] | None:
    """The range of a parameter of the search; None if there is none of this name.

    These options are not listed: they are for tuning, and of no use to players.
    """
    game = RULESET.partition("/")[0]
    ranges = {known: (least, most) for known, _, least, most in Engine.parameters(game)}
    return ranges.get(name)


def _info(result: SearchResult) -> str:
    score = f"cp {result.score}" if result.mate_in is None else f"mate {result.mate_in}"
    nps = result.nodes * 1000 // max(result.elapsed_ms, 1)
    line = " ".join(map(str, result.pv))
    return (
        f"depth {result.depth} score {score} nodes {result.nodes} nps {nps} "
        f"time {result.elapsed_ms} pv {line}"
    )


def _position(words: list[str]) -> Position:
    """``startpos`` or ``fen F``, and perhaps ``moves M...``.

    Raises:
        ValueError: it is no position, or a move is not legal.
    """
    cut = words.index("moves") if "moves" in words else len(words)
    head, moves = words[:cut], words[cut + 1 :]
    match head:
        case ["startpos"]:
            position = Position.start(RULESET)
        case ["fen", *fields] if fields:
            position = Position.from_text(RULESET, _canonical(fields))
        case _:
            raise ValueError("position takes startpos or fen FEN, and then perhaps moves MOVE...")
    for text in moves:
        position = position.play(read_uai_move(position, text))
    return position


def _canonical(fields: list[str]) -> str:
    """The canonical form of a FEN that libataxx accepts.

    Fields may be missing at its end. Its pieces and sides may also be black (x) and white (o), and
    its halfmove clock may go on after the end of the game.
    """
    board, turn, halfmoves, fullmoves, *more = [*fields, *_LEFT_OUT[len(fields) :]]
    if halfmoves.isdecimal():
        halfmoves = f"{min(int(halfmoves[:9]), _LAST_HALFMOVE)}"
    if fullmoves == "0":
        fullmoves = "1"
    return " ".join(
        [board.translate(_PIECES), turn.translate(_PIECES), halfmoves, fullmoves, *more]
    )


def _limits(words: list[str]) -> tuple[Limits, set[str], list[str]]:
    """The limits that ``go`` names, its words without a number, and what is wrong with the rest.

    The asking program waits for a move, so an impossible limit is replaced by the nearest possible
    one, or left out.
    """
    numbers: dict[str, int] = {}
    flags = set[str]()
    amiss: list[str] = []
    unknown: list[str] = []
    rest = list(reversed(words))
    while rest:
        word = rest.pop()
        if word in _FLAGS:
            flags.add(word)
        elif word in _NUMBERS:
            text = rest.pop() if rest and rest[-1] not in _GO_WORDS else "nothing"
            least, most = _NUMBERS[word]
            said = _whole(text)
            if said is None or (word == "movestogo" and said < least):
                amiss.append(f"{word} takes a whole number from {least}, and is left out: {text}.")
                continue
            numbers[word] = taken = min(max(said, least), most)
            # Some programs still send the clock of a side that has overstepped its time.
            if str(taken) != text and not (word.endswith("time") and text.startswith(("0", "-"))):
                amiss.append(f"{word} {text} is taken as {taken}.")
        else:
            unknown.append(word)
    if unknown:
        amiss.append(f"go does not know {', '.join(unknown)}, and goes by the rest.")
    clocks = None
    if "btime" in numbers or "wtime" in numbers:
        clocks = (_clock(numbers, "b"), _clock(numbers, "w"))
    limits = Limits(numbers.get("depth"), numbers.get("nodes"), numbers.get("movetime"), clocks)
    if (mate := numbers.get("mate")) is not None:
        # The last move may be the loser's own.
        limits = (_MATE if limits.unlimited else limits).within(Limits(2 * mate))
    if limits.unlimited and set(words) - _FLAGS:
        amiss.append(f"go names no limit; it takes {DEFAULT_LIMITS.time_ms} milliseconds.")
        limits = DEFAULT_LIMITS
    return limits, flags, amiss


def _whole(text: str) -> int | None:
    """The integer part of a number in text; None if it is not a number."""
    try:
        return int(float(text))
    except OverflowError:
        return -LARGEST if text.startswith("-") else LARGEST
    except ValueError:
        return None


def _clock(numbers: Mapping[str, int], side: str) -> Clock:
    return Clock(
        numbers.get(f"{side}time", 1), numbers.get(f"{side}inc", 0), numbers.get("movestogo")
    )
