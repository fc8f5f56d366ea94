"""A node that serves is killed in the middle of its games, comes back, and finishes them all.

Two processes play each other over Mosquitto: one with tables, whose engine thinks, and one whose
bot joins them. When all games have begun the first is killed as by a power cut, and started again.
In the end every game's record must be the same bytes on both sides.

Run with ``python -m tests.bench.bench_restart [GAMES]``, 200 if not said.
"""

import asyncio
import re
import sys
import tempfile
import time
from pathlib import Path

from tests.brokers import Mosquitto
from tests.e2e.nodes import Nodes, Running

TABLES = 10
# Seconds for all games.
PATIENCE_S = 1800.0


def written(path: Path, text: str) -> Path:
    """The file with such a configuration."""
    path.write_text(text, encoding="utf-8")
    return path


def tables(games: int, records: Path) -> str:
    """The configuration of the node that is killed."""
    each = "\n".join(
        f'[[tables]]\nname = "t{number}"\nruleset = "ataxx/uai"\nlevel = 8\ncolor = "first"\n'
        f"at_once = {games // TABLES}\n"
        for number in range(TABLES)
    )
    return f'{each}\n[records]\nfolder = "{records}"\n[search]\nthreads = 1\nhash_mb = 1\n'


async def lines(running: Running, pattern: str, count: int) -> set[str]:
    """Wait until a pattern has had so many different matches in the log."""
    found: set[str] = set()
    seen = 0
    while len(found) < count:
        index = await running.err.find(lambda line: re.search(pattern, line) is not None, seen)
        assert index is not None, running.report()
        match = re.search(pattern, running.err.lines[index])
        assert match is not None
        found.add(match[1])
        seen = index + 1
    return found


async def play(folder: Path, games: int, broker: str) -> None:
    """Play, kill, play on, compare."""
    nodes = Nodes(folder, broker)
    ours, theirs = folder / "ours", folder / "theirs"
    serving = written(folder / "tables.toml", tables(games, ours))
    idle = written(folder / "idle.toml", f'[records]\nfolder = "{ours}"\n')
    joining = written(
        folder / "bot.toml",
        f'[[bots]]\ngroup = "bots"\nplayer = "random"\nopen_offers = true\nat_once = {games}\n'
        f'per_peer = {games}\n[records]\nfolder = "{theirs}"\n',
    )
    try:
        since = time.monotonic()
        first = await nodes.node("tables").start("serve", "--config", serving)
        await nodes.node("bot").start("serve", "--config", joining)
        begun = await lines(first, r"(t\d+(?:-\d+)?): playing", games)
        over = sum(": over" in line for line in first.err.lines)
        await first.kill()
        print(f"{len(begun)} games begun in {time.monotonic() - since:.1f} s, {over} over; killed")
        since = time.monotonic()
        again = await nodes.node("tables").start("serve", "--config", idle)
        await again.says("serving:")
        print(f"back after {time.monotonic() - since:.1f} s: {again.err.lines[-1]}")
        left = int(re.findall(r"(\d+) games taken up", str(again.err))[-1])
        await lines(again, r"(t\d+(?:-\d+)?): over", left)
        print(f"all {left} over {time.monotonic() - since:.1f} s after the start")
        await settled(ours, theirs)
    finally:
        await nodes.close()


async def settled(ours: Path, theirs: Path) -> None:
    """Wait until both sides have the same records."""
    while (kept := records(ours)) != records(theirs):  # noqa: ASYNC110 - files tell nobody
        await asyncio.sleep(0.5)
    print(f"records: {len(kept)}, every one the same bytes on both sides")


def records(folder: Path) -> dict[str, bytes]:
    """The files of a folder."""
    return {path.name: path.read_bytes() for path in folder.glob("*.json")}


async def main() -> None:
    """Run it."""
    games = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory() as name, Mosquitto(Path(name) / "mosquitto") as broker:
        async with asyncio.timeout(PATIENCE_S):
            await play(Path(name), games // TABLES * TABLES, broker.url)


if __name__ == "__main__":
    asyncio.run(main())
