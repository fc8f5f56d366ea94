"""What the program takes to start, beside bare Python: all commands in turns, medians.

Processor time is that of the user and of the system. Bare `ataxxd` is measured to its first
question, over all the terminal and in lines of text on a terminal that can do no more.
"""

import fcntl
import os
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
from dataclasses import dataclass
from pathlib import Path

RUNS = 7
ATAXXD = str(Path(sys.executable).with_name("ataxxd"))
QUESTION = b"What would you like to do?"


@dataclass(frozen=True, slots=True)
class Start:
    """A command, and what it should take.

    Attributes:
        command: its words.
        cpu_ms, wall_ms: the most that it should take, in milliseconds.
        asks: it is measured to its first question, not to its end.
        terminal: the kind of the terminal.
    """

    command: tuple[str, ...]
    cpu_ms: int | None = None
    wall_ms: int | None = None
    asks: bool = False
    terminal: str = "dumb"


STARTS = {
    "python -c pass": Start((sys.executable, "-c", "pass")),
    "ataxxd --version": Start((ATAXXD, "--version")),
    "ataxxd --help": Start((ATAXXD, "--help")),
    "ataxxd host --help": Start((ATAXXD, "host", "--help"), cpu_ms=300),
    "ataxxd join --help": Start((ATAXXD, "join", "--help"), cpu_ms=300),
    "ataxxd, asking in text": Start((ATAXXD,), wall_ms=400, asks=True),
    "ataxxd, asking on all": Start((ATAXXD,), wall_ms=400, asks=True, terminal="xterm-256color"),
}


def taken(start: Start, home: str) -> tuple[float, float]:
    """Milliseconds of one run: of the processor, and by the clock."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    environment = os.environ | {"TERM": start.terminal, "ATAXXD_HOME": home}
    begun, shown = time.perf_counter(), b""
    with subprocess.Popen(
        start.command, stdin=follower, stdout=follower, stderr=follower, env=environment
    ) as process:
        os.close(follower)
        while not (start.asks and QUESTION in shown):
            try:
                read = os.read(leader, 1 << 16)
            except OSError:  # nobody has the terminal any more
                break
            shown += read
        if not start.asks:
            # Its times are still there while nobody has asked how it ended.
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        wall = time.perf_counter() - begun
        cpu = processor_s(process.pid)
        process.kill()
    os.close(leader)
    return cpu * 1000, wall * 1000


def processor_s(process: int) -> float:
    """Seconds of processor that a process and its threads have taken."""
    return sum(
        int(each.read_text().split()[0]) / 1e9
        for each in Path(f"/proc/{process}/task").glob("*/schedstat")
    )


def main() -> None:
    with tempfile.TemporaryDirectory() as home:
        for start in STARTS.values():  # once unmeasured: byte code and file cache
            taken(start, home)
        runs = [[taken(start, home) for start in STARTS.values()] for _ in range(RUNS)]
    print(f"{'milliseconds':24}{'processor':>10}{'clock':>8}")
    medians = {}
    for (name, start), times in zip(STARTS.items(), zip(*runs, strict=True), strict=True):
        cpu, wall = (statistics.median(each) for each in zip(*times, strict=True))
        medians[name] = cpu
        aims = {"processor": start.cpu_ms, "clock": start.wall_ms}
        wanted = "".join(f"   aim: at most {aim} by the {of}" for of, aim in aims.items() if aim)
        print(f"{name:24}{cpu:10.0f}{wall:8.0f}{wanted}")
    above = medians["ataxxd --version"] - medians["python -c pass"]
    print(f"--version above bare Python: {above:.0f} of the processor (aim: at most 100)")


if __name__ == "__main__":
    main()
