"""How many messages a second several processes keep, in one journal and in one each.

Each process is what the journal of a worker of ``ataxxd serve`` is to it: in each of its games the
opponent's message is kept, and then one of ours, which is synced to the disk and waited for. The
games are as many in all, however many processes share them.

Run with ``python -m tests.bench.bench_writers [GAMES [SECONDS]]``.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ataxxd.node.home import Home
from ataxxd.node.journal import BatchedJournal, StoredGame
from ataxxd.session.state import Role
from ataxxd_protocol import signed
from ataxxd_protocol.messages import Move
from tests.conformance.games import GUEST_KEY, HOST_KEY, make_offer

# Rounds a second of a game; 0 for as fast as it goes.
_PACES = (1.0, 2.0, 0.0)


def _said() -> Move:
    fields = {
        "game": "0" * 64, "from": GUEST_KEY.node, "n": 7, "prev": "1" * 64, "seen": "2" * 64,
        "ply": 13, "move": "a1c3", "position": "3" * 64, "elapsed_ms": 500,
    }  # fmt: skip
    return signed(Move.model_validate(fields), GUEST_KEY)


async def work(folder: Path, games: int, seconds: float, pace: float) -> list[float]:
    """Keep rounds of so many games; returns how long each of ours took, in seconds."""
    journal = BatchedJournal(Home(folder).journal)
    took: list[float] = []

    async def play(number: int, game: StoredGame) -> None:
        end = time.monotonic() + seconds
        due = time.monotonic() + (number / games / pace if pace else 0)
        while (now := time.monotonic()) < end:
            if pace:
                await asyncio.sleep(max(due - now, 0))
                due += 1 / pace
            began = time.perf_counter()
            await journal.keep(game, [(Role.GUEST, message)])
            await journal.keep(game, [(Role.HOST, message)])
            took.append(time.perf_counter() - began)

    message = _said()
    start = os.getpid() * games
    offers = [make_offer(HOST_KEY, created_ms=start + number) for number in range(games)]
    begun = [journal.begin(offer, Role.HOST, {}) for offer in offers]
    print("ready", flush=True)
    sys.stdin.readline()  # until all are
    await asyncio.gather(*map(play, range(games), begun))
    journal.close()
    return took


def measured(processes: int, games: int, seconds: float, pace: float, *, shared: bool) -> str:
    """A line about so many processes."""
    with tempfile.TemporaryDirectory() as folder:
        running = [
            subprocess.Popen(
                [
                    sys.executable, "-m", "tests.bench.bench_writers", "worker",
                    f"{folder}/{0 if shared else each}", str(games // processes), str(seconds),
                    str(pace),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for each in range(processes)
        ]  # fmt: skip
        for one in running:
            assert one.stdout is not None
            one.stdout.readline()
        for one in running:
            assert one.stdin is not None
            one.stdin.write(b"\n")
            one.stdin.flush()
        took = sorted(each for one in running for each in json.loads(one.communicate()[0]))
    journals = "one journal" if shared else "a journal each"
    how = f"{pace:g} rounds a second" if pace else "as fast as it goes"
    return (
        f"{processes} processes, {journals:14}, {how:19}: {len(took) / seconds:6.0f} rounds/s, "
        f"median {statistics.median(took) * 1000:6.1f} ms, "
        f"p99 {took[int(0.99 * len(took))] * 1000:6.1f}, worst {took[-1] * 1000:6.1f}"
    )


def main() -> None:
    """Print all of them."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 8.0
    for pace in _PACES:
        for processes, shared in ((1, True), (2, True), (2, False), (4, True), (4, False)):
            print(measured(processes, games, seconds, pace, shared=shared), flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["worker"]:
        at, games_, seconds_, pace_ = sys.argv[2:]
        print(json.dumps(asyncio.run(work(Path(at), int(games_), float(seconds_), float(pace_)))))
    else:
        main()
