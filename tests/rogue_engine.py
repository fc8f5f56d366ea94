"""An engine that speaks UAI well enough, and then does what its argument says."""

import itertools
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def say(line: str) -> None:
    print(line, flush=True)


def misbehave(how: str, line: str) -> None:  # noqa: C901, PLR0912 - a list of misdeeds
    match how:
        case "hangs":
            time.sleep(1000)
        case "waits":
            # For the word to stop, and for nothing else.
            for after in sys.stdin:
                if after.strip() == "stop":
                    break
            say("bestmove g2")
        case "dies":
            print("the net is missing", file=sys.stderr, flush=True)
            sys.exit(3)
        case "crashes":
            os.kill(os.getpid(), signal.SIGSEGV)
        case "floods":
            for number in itertools.count():
                say(f"info string {number}")
        case "mumbles":
            say("bestmove")
        case "0000" | "pass" | "null":
            say(f"bestmove {how}")
        case "cheats":
            say("bestmove d4")
        case "raves":
            say("bestmove \x1b[31m" + "x" * 100_000)
        case "breeds":
            child = subprocess.Popen(["sleep", "1000"])
            say(f"info string {os.getpid()} {child.pid}")
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            time.sleep(1000)
        case _:
            say(f"info string {line}")
            say("bestmove g2")


def main() -> None:
    how = sys.argv[1]
    if how == "silent":
        time.sleep(1000)
    for line in sys.stdin:
        match line.split():
            case ["uai"]:
                say("id name Rogue")
                if how == "lists":
                    say("option name Hash type spin default 1 min 1 max 1024")
                say("uaiok")
            case ["uainewgame"] if how == "loads":
                sys.exit("what a game needs is missing")
            case ["isready"]:
                say("readyok")
            case ["go", *_]:
                misbehave(how, line)
            case ["setoption" | "position" | "uainewgame", *_] if len(sys.argv) > 2:
                with Path(sys.argv[2]).open("a", encoding="utf-8") as heard:
                    heard.write(line)


if __name__ == "__main__":
    main()
