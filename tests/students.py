"""A student's reversi program that does wrong what its argument says, after some answers.

It answers as the reference does, but for its fault; so a test needs no slow search of its own.
"""

import itertools
import os
import signal
import subprocess
import sys
import time

from ataxxd.engines.laboratory import ReferencePlayer, answer
from ataxxd.rules import Move, Position, Side
from ataxxd.rules.reversi import board_eval

REFERENCE = ReferencePlayer()
SKIP = "--"


def minimax(position: Position, depth: int, how: str) -> int:
    """Minimax with a fault in how it counts skipped turns, or values a finished game."""
    if position.outcome is not None and how == "counts pieces at the end":
        return 1000 * (position.counts[1] - position.counts[0])
    if depth == 0 or position.outcome is not None:
        return board_eval(position)
    moves = position.legal_moves
    if moves[0].text == SKIP and how == "skips cost nothing":
        depth += 1
    best = max if position.turn is Side.SECOND else min
    return best(minimax(position.play(move), depth - 1, how) for move in moves)


def choose(position: Position, depth: int, how: str) -> Move:
    """The first of the best moves, or the last."""
    moves = position.legal_moves
    values = [minimax(position.play(move), depth - 1, how) for move in moves]
    best = max(values) if position.turn is Side.SECOND else min(values)
    if how == "takes the last":
        return moves[len(values) - 1 - values[::-1].index(best)]
    return moves[values.index(best)]


def misbehave(how: str) -> None:  # noqa: C901, PLR0912 - a list of misdeeds
    match how:
        case "crashes":
            msg = "no such square"
            raise ValueError(msg)
        case "is killed":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "ends":
            sys.exit(0)
        case "hangs":
            time.sleep(1000)
        case "stops reading":
            print("(9,9)", flush=True)
            time.sleep(1000)
        case "floods":
            for number in itertools.count():
                print(number, flush=True)
        case "raves":
            while True:
                print("\x1b[31m" + "x" * 100_000, end="")
        case "talks":
            print("Searching...", flush=True)
        case "answers (0,0)":
            print("(0,0)", flush=True)
        case "reports an error":
            print("error: java.lang.NullPointerException", flush=True)
        case "breeds":
            child = subprocess.Popen(["sleep", "1000"], start_new_session=True)
            print("family", os.getpid(), child.pid, file=sys.stderr, flush=True)
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            time.sleep(1000)


def main() -> None:
    how, after = sys.argv[1], int(sys.argv[2])
    wrong_search = how in ("skips cost nothing", "counts pieces at the end", "takes the last")
    for number, line in enumerate(sys.stdin):
        if wrong_search:
            print(answer(line, lambda position, depth: choose(position, depth, how)), flush=True)
        elif number >= after and how == "answers twice":
            said = answer(line, REFERENCE.choose_move)
            print(f"{said}\n{said}", flush=True)
        elif how == "has no boardEval":
            said = answer(line, REFERENCE.choose_move)
            print(said if line.startswith("chooseMove") else "error: to do", flush=True)
        elif number >= after:
            misbehave(how)
        else:
            print(answer(line, REFERENCE.choose_move), flush=True)


if __name__ == "__main__":
    main()
