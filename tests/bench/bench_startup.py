"""Start-up time of the program beside bare Python, in turns so that both meet the same noise."""

import statistics
import subprocess
import sys
import time
from pathlib import Path

RUNS = 21
PROGRAM = [str(Path(sys.executable).with_name("ataxxd")), "--version"]
BARE = [sys.executable, "-c", "pass"]


def milliseconds(command: list[str]) -> float:
    """Wall-clock time of one run, from spawn to exit."""
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return (time.perf_counter() - begin) * 1000


def main() -> None:
    for command in (PROGRAM, BARE):  # once unmeasured: byte code and file cache
        milliseconds(command)
    pairs = [(milliseconds(PROGRAM), milliseconds(BARE)) for _ in range(RUNS)]
    program, bare = (statistics.median(times) for times in zip(*pairs, strict=True))
    print(f"ataxxd --version   {program:7.1f} ms")
    print(f"python -c pass     {bare:7.1f} ms")
    print(f"difference         {program - bare:7.1f} ms   (median of {RUNS}; aim: at most 150 ms)")


if __name__ == "__main__":
    main()
