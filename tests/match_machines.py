"""``make match-machines``: a match over three machines while workers and the server are killed.

The server, the match and each worker are in a network of their own. The games must be those of
the same match played on one machine.
"""

import argparse
import itertools
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from tests.brokers import find_program
from tests.machines import Machine, machines_on_one_network
from tests.time_limits import BUILT, DEADLINE

_PROGRAM = (sys.executable, "-m", "ataxxd")
_PLAYERS = ("auto", "auto:nodes:150", "--nodes", "200")
_PORT = 4222
_WORKERS: Sequence[str] = ("a", "b", "c")

Process = subprocess.Popen[bytes]


class Machines:
    """Programs on machines.

    Args:
        folder: where their files lie.
        running: ends them.
        machines: of the server, the match, and the workers.
    """

    def __init__(self, folder: Path, running: ExitStack, machines: Sequence[Machine]) -> None:
        self._folder = folder
        self._running = running
        self._server, self._match, *workers = machines
        self._workers = dict(zip(_WORKERS, workers, strict=True))
        self._url = f"nats://{self._server.address}:{_PORT}"

    def server(self) -> Process:
        """Start the server, and wait until it answers."""
        log = self._folder / "server.log"
        log.write_text("")
        process = self._start(
            self._server, log,
            f"{find_program('nats-server')}", "--jetstream", "--store_dir", f"{self._folder}/store",
            "--addr", self._server.address, "--port", f"{_PORT}",
        )  # fmt: skip
        for _ in _ticks(DEADLINE):
            if "Server is ready" in log.read_text():
                break
        return process

    def worker(self, name: str) -> Process:
        """Start a worker."""
        log = self._folder / f"{name}.log"
        command = (*_PROGRAM, "worker", self._url, "--name", name)
        return self._start(self._workers[name], log, *command)

    def match(self, *arguments: str) -> Process:
        """Start the match."""
        log = self._folder / "match.log"
        command = (*_PROGRAM, "match", *arguments, "--queue", self._url)
        return self._start(self._match, log, *command)

    def _start(self, machine: Machine, log: Path, *command: str) -> Process:
        with log.open("ab") as written:
            process = subprocess.Popen(
                [*machine.prefix, *command],
                stdin=subprocess.DEVNULL, stdout=written, stderr=written,
            )  # fmt: skip
        self._running.enter_context(process)
        self._running.callback(process.kill)
        return process


def play(games: int, folder: Path) -> bool | None:
    """Play a match on one machine, then over several of which two workers and the server fail.

    Args:
        games: how many.
        folder: an empty one, where all files lie.

    Returns:
        Whether each game was counted once and is the same in both; None where no machines can be
        made.
    """
    arguments = (*_PLAYERS, "--games", f"{games}", "--state")
    subprocess.run(
        [*_PROGRAM, "match", *arguments, "local"], cwd=folder, check=True, capture_output=True
    )
    state = folder / "queued"
    with ExitStack() as running:
        machines = running.enter_context(machines_on_one_network(2 + len(_WORKERS), "server"))
        if not machines:
            return None
        remote = Machines(folder, running, machines)
        server = remote.server()
        workers = {name: remote.worker(name) for name in _WORKERS}
        match = remote.match(*arguments, f"{state}")

        def wait_for(share: float) -> None:
            for _ in _ticks(BUILT):
                if len(_games_of(state)) >= share * games or match.poll() is not None:
                    break
            print(f"{len(_games_of(state))} of {games} games are in")

        for share, name in ((0.15, "a"), (0.6, "b")):
            wait_for(share)
            print(f"Worker {name} is killed, and started again")
            workers[name].kill()
            remote.worker(name)
            if name == "a":
                wait_for(0.35)
                print("The server is killed, and started again")
                server.kill()
                server.wait()
                remote.server()
        match.wait(BUILT)
    print((folder / "match.log").read_text().splitlines()[-1])
    print(dict(Counter(_players_of(folder))), "games played by each worker")
    return match.returncode == 0 and _games_of(state) == _games_of(folder / "local")


def _ticks(seconds: float) -> Iterator[None]:
    """Moments at which to look again, until it has taken too long."""
    begin = time.monotonic()
    for _ in itertools.count():
        yield
        assert time.monotonic() - begin < seconds, "nothing happens"
        time.sleep(0.05)


def _games_of(state: Path) -> list[str]:
    """The games in a match's file in order, but for the day on which they were played."""
    text = state.read_text() if state.exists() else ""
    return sorted(re.sub(r'"date":"[0-9.]+"', "", line) for line in text.splitlines()[1:])


def _players_of(folder: Path) -> Iterator[str]:
    for name in _WORKERS:
        for line in (folder / f"{name}.log").read_text().splitlines():
            if line.startswith("Game "):
                yield name


def main() -> int:
    """Play, and tell; 1 when the games differ."""
    parser = argparse.ArgumentParser(prog="make match-machines", description=__doc__)
    parser.add_argument("--games", type=int, default=400, metavar="N")
    games = parser.parse_args().games
    with tempfile.TemporaryDirectory() as folder:
        same = play(games, Path(folder))
    print({
        None: "No networks can be made here.",
        True: f"The same {games} games, each counted once.",
        False: "The games differ.",
    }[same])  # fmt: skip
    return not same


if __name__ == "__main__":
    sys.exit(main())
