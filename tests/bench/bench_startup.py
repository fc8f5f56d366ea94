"""What the program takes to start, beside bare Python: processor time, all of them in turns.

The first question of bare `ataxxd` is asked in lines of text, on a terminal that can do no more.
"""

import os
import pty
import resource
import statistics
import subprocess
import sys
from pathlib import Path

RUNS = 5
ATAXXD = str(Path(sys.executable).with_name("ataxxd"))
# Milliseconds of processor time at most, where there is an aim.
COMMANDS: dict[str, tuple[list[str], int | None]] = {
    "python -c pass": ([sys.executable, "-c", "pass"], None),
    "ataxxd --version": ([ATAXXD, "--version"], None),
    "ataxxd --help": ([ATAXXD, "--help"], None),
    "ataxxd host --help": ([ATAXXD, "host", "--help"], 300),
    "ataxxd join --help": ([ATAXXD, "join", "--help"], 300),
    "ataxxd, first question": ([ATAXXD], 400),
}


def milliseconds(command: list[str]) -> float:
    """Processor time of one run, of the user and of the system."""
    leader, follower = pty.openpty()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with subprocess.Popen(
        command, stdin=follower, stdout=follower, stderr=follower, env=os.environ | {"TERM": "dumb"}
    ) as process:
        os.close(follower)
        # Whatever is asked is answered by the end of the input.
        os.write(leader, b"\x04")
        while True:
            try:
                if not os.read(leader, 1 << 16):
                    break
            except OSError:  # nobody has the terminal any more
                break
        process.wait()
    os.close(leader)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    for command, _ in COMMANDS.values():  # once unmeasured: byte code and file cache
        milliseconds(command)
    runs = [[milliseconds(command) for command, _ in COMMANDS.values()] for _ in range(RUNS)]
    taken = [statistics.median(times) for times in zip(*runs, strict=True)]
    for (name, (_, aim)), median in zip(COMMANDS.items(), taken, strict=True):
        wanted = "" if aim is None else f"   aim: at most {aim} ms"
        print(f"{name:24}{median:7.0f} ms{wanted}")
    print(f"--version above bare Python: {taken[1] - taken[0]:.0f} ms (aim: at most 100 ms)")


if __name__ == "__main__":
    main()
