"""NBoard, version 2, for reversi: as NTest, Edax and other engines speak it.

Chris Welty's protocol (instructions/Protocol.htm in NTest). Positions come as whole games in
GGF, with the time left.
"""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

from ataxxd.engines.search_thread import SearchOther, SearchRequest
from ataxxd.rules import Move, Position, SearchResult
from ataxxd.rules.limits import Clock, Limits
from ataxxd.rules.notation.reversi import RULESET, read_ggf
from ataxxd_clients.engines import EngineServer, NoMoveError, number

_SQUARES: Final = 64
# The smallest margin of a win, with the empty squares counted for the winner.
_LEAST_WIN: Final = 2
# A search of `_SHALLOW` plies picks the moves to search deeply: those asked for, and `_SPARE` more.
_SHALLOW: Final = 4
_SPARE: Final = 2


def discs(result: SearchResult) -> float:
    """The final disc difference for the side to move; only its sign if the size is unknown."""
    if result.margin is not None:
        return result.margin
    if result.mate_in is not None:
        return _LEAST_WIN if result.mate_in > 0 else -_LEAST_WIN
    return min(max(result.score / 100, -_SQUARES), _SQUARES)


def find_other_moves(
    position: Position, best: Move, depth: int, count: int, look: SearchOther
) -> list[SearchResult]:
    """The next best moves after the best one, by searches of the positions after them.

    Args:
        position: the position.
        best: the best move, to leave out.
        depth: plies to search after each move.
        count: how many moves.
        look: searches the position after a move.

    Returns:
        Results as of a search of `position`, best first; empty if the search was stopped.
    """
    moves = [move for move in position.legal_moves if move != best]
    found: list[SearchResult] = []
    for plies, most in ((min(depth, _SHALLOW), count + _SPARE), (depth, count)):
        found = []
        for move in moves:
            result = _result_of(position, move, plies, look)
            if result is None:
                return []
            found.append(result)
        found.sort(key=_format_value, reverse=True)
        moves = [each.move for each in found[:most]]
    return found[:count]


def _result_of(
    position: Position, move: Move, depth: int, look: SearchOther
) -> SearchResult | None:
    after = position.play(move)
    if after.outcome is not None:
        ahead = after.counts[position.turn] - after.counts[after.turn]
        empty = (_SQUARES - sum(after.counts)) * ((ahead > 0) - (ahead < 0))
        return SearchResult(move, 100 * ahead, None, 1, 1, 0, (move,), ahead + empty)
    answer = look(after, max(1, depth - 1))
    if answer is None:
        return None
    return SearchResult(
        move,
        -answer.score,
        # Only its sign is used.
        None if answer.mate_in is None else -answer.mate_in,
        answer.depth + 1,
        answer.nodes,
        answer.elapsed_ms,
        (move, *answer.pv),
        None if answer.margin is None else -answer.margin,
    )


def _format_value(result: SearchResult) -> tuple[bool, bool, float]:
    """The sort key: proved wins first, then what is not proved, then proved losses."""
    worth = discs(result)
    proved = result.margin is not None or result.mate_in is not None
    return not (proved and worth < 0), proved and worth > 0, worth


DEEPEST: Final = 60
_DEFAULT_DEPTH = 12
# Time as M:SS or H:MM:SS; an increment and grace may follow after a slash, and are ignored.
_TIME = re.compile(r"TI\[\s*(?:([0-9]{1,4}):)?([0-9]{1,6})(?::([0-9]{1,6}))?(?:\.[0-9]*)?[^\]]*\]")
_MOVE = re.compile(r"([BW])\[[^\]/]*/[^\]/]*/([0-9]{1,9}(?:\.[0-9]*)?)[^\]]*\]")


class NBoardServer(EngineServer):
    """Serves the NBoard protocol, which has no options."""

    _ruleset = RULESET
    _depth = _DEFAULT_DEPTH
    _left_ms: list[int] | None = None

    def _report_error(self, why: str) -> None:
        self._write_line(f"status Not understood: {why}")

    def _execute(self, words: list[str], line: str) -> None:
        # A search under way is about what was said before: every command ends it.
        self._search.stop()
        match words:
            case ["nboard", _]:
                self._write_line(f"set myname ataxxd {self._version}")
            case ["set", "depth", depth]:
                self._depth = min(number(depth, "depth", 1, 1000), DEEPEST)
            case ["set", "game", *_]:
                self._set_game(line.split(None, 2)[2] if len(words) > 2 else "")
            case ["set", *_]:
                pass  # contempt, and what later versions may add
            case ["move", text]:
                self._play_move(text)
            case ["hint", count]:
                self._think(Limits(self._depth), self._on_hint_done, number(count, "hint", 1, 100))
            case ["go"]:
                clocks = None
                if self._left_ms is not None:
                    first, second = (Clock(max(1, left)) for left in self._left_ms)
                    clocks = (first, second)
                thinking = self._think(Limits(self._depth, clocks=clocks), self._write_answer)
                if not thinking and self._position is not None:
                    # There is no move to make; a pass ends the other program's wait for one.
                    self._write_line("=== PA")
            case ["ping", mark]:
                self._write_line(f"pong {mark}")
            case ["learn"]:
                self._write_line("learned")
            case _:
                raise ValueError(f"{words[0]} is not a command of NBoard 2 that this engine knows.")

    def _set_game(self, text: str) -> None:
        self._position = self._left_ms = None
        game = read_ggf(text)
        self._position = game.position
        if (time := _TIME.search(text)) is not None:
            spent = [0.0, 0.0]
            for side, seconds in _MOVE.findall(text):
                spent["BW".index(side)] += float(seconds)
            whole = _seconds(*time.groups())
            self._left_ms = [int((whole - each) * 1000) for each in spent]

    def _play_move(self, text: str) -> None:
        word, _, rest = text.partition("/")
        before, self._position = self._position, None
        if before is None:
            raise ValueError("the position before this move is not known. Set the game.")
        side = before.turn
        position = before.play(before.parse_move(word))
        seconds = rest.partition("/")[2]
        if self._left_ms is not None and re.fullmatch(r"[0-9]{1,9}(\.[0-9]*)?", seconds):
            self._left_ms[side] -= int(float(seconds) * 1000)
        self._position = position

    def _think(
        self, limits: Limits, on_answer: Callable[[SearchResult], None], lines: int = 0
    ) -> bool:
        """Begin a search; returns whether there is something to find.

        Args:
            limits: the limits of the search.
            on_answer: called with the result.
            lines: how many of the best moves to report at the end.
        """
        self._write_line("status ataxxd is thinking")
        try:
            position = self._require_position()
            on_found = partial(self._write_best, position, lines) if lines else None
            self._start_search(
                SearchRequest(position, limits, self._write_info, on_answer, on_found=on_found)
            )
        except NoMoveError as nothing:
            self._write_line(f"status {nothing}")
            return False
        return True

    def _write_info(self, result: SearchResult) -> None:
        self._write_value(result)
        self._write_line(f"nodestats {result.nodes} {result.elapsed_ms / 1000:.2f}")

    def _write_value(self, result: SearchResult) -> None:
        line = "".join(map(_move_text, result.pv))
        self._write_line(f"search {line} {discs(result):.2f} 0 {_depth(result)}")

    def _write_best(
        self, position: Position, count: int, best: SearchResult, look: SearchOther
    ) -> None:
        """Report the best moves, the best one first."""
        self._write_info(best)
        if count > 1:
            for each in find_other_moves(position, best.move, self._depth, count - 1, look):
                self._write_value(each)

    def _on_hint_done(self, _: SearchResult) -> None:
        self._write_line("status")

    def _write_answer(self, result: SearchResult) -> None:
        self._write_info(result)
        seconds = result.elapsed_ms / 1000
        self._write_line(f"=== {_move_text(result.move)}/{discs(result):.2f}/{seconds:.2f}")
        self._write_line("status")


def _move_text(move: Move) -> str:
    return "PA" if move.text == "--" else move.text.upper()


def _depth(result: SearchResult) -> str:
    """The plies, or the words of the protocol for what is proved."""
    if result.margin is not None:
        return "100%"
    return f"{result.depth}" if result.mate_in is None else "100%W"


def _seconds(hours_or_minutes: str | None, middle: str, seconds: str | None) -> int:
    """``15:00`` is a quarter of an hour, ``1:15:00`` an hour and a quarter, ``90`` as seconds."""
    if hours_or_minutes is None:
        return int(middle)
    if seconds is None:
        return 60 * int(hours_or_minutes) + int(middle)
    return 3600 * int(hours_or_minutes) + 60 * int(middle) + int(seconds)
