"""``make cluster``: games of two serving nodes at a cluster whose leader is killed in mid-game.

One node hosts tables, the bots of the other join them all, and each is connected to another member
of three. The member that leads is killed once all games are under way, and started again when they
have gone on. Every game must come to its end, with one record at both nodes.
"""

import argparse
import itertools
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from ataxxd.session.record import Standing, verify_record
from tests.clusters import Cluster, NatsCluster, until_accepted
from tests.time_limits import DEADLINE

_PROGRAM = (sys.executable, "-m", "ataxxd")
_DRAIN_S = 1800
_TABLE = """
[[tables]]
name = "table-{number}"
ruleset = "reversi/standard"
color = "first"
player = "random"
"""
_BOTS = """
[[bots]]
group = "guests"
player = "random"
open_offers = true
at_once = {games}
per_peer = {games}
"""

Process = subprocess.Popen[bytes]


class _Serving:
    """A serving node.

    Attributes:
        log: what it says.
        records: the folder with the records of its games.
    """

    def __init__(self, folder: Path, broker: str, does: str) -> None:
        """A node at `broker` whose files are in `folder`, and which does as its sections say."""
        self.log, self.records, self.home = folder / "log", folder / "records", folder / "home"
        folder.mkdir()
        self._config = folder / "ataxxd.toml"
        self._config.write_text(
            f'[node]\nhome = "{self.home}"\n[broker]\nurl = "{broker}"\n'
            f'[records]\nfolder = "{self.records}"\n{does}'
        )

    def start(self, running: ExitStack) -> Process:
        """Serve until `running` ends, and then be killed, where it has not ended by itself."""
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                [*_PROGRAM, "serve", "--config", self._config, "--drain-for", f"{_DRAIN_S}"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            )  # fmt: skip
        running.enter_context(process)
        running.callback(process.kill)
        return process

    def said(self, words: str) -> list[str]:
        """The games of which it has said so."""
        lines = self.log.read_text().splitlines()
        return [line.partition(": ")[0].split()[-1] for line in lines if words in line]

    def kept(self) -> dict[str, int]:
        """How many messages its journal has of each game, by the game's digest."""
        return dict(self._asked("SELECT game, count FROM kept JOIN games ON games.id = game_id"))

    def finished(self) -> set[str]:
        """The games that are done with, by their digests."""
        return {game for (game,) in self._asked("SELECT game FROM games WHERE finished")}

    def _asked(self, query: str) -> list[Any]:
        with closing(sqlite3.connect(f"file:{self.home}/journal.db?mode=ro", uri=True)) as journal:
            return journal.execute(query).fetchall()


def play(cluster: Cluster, games: int, folder: Path) -> bool:
    """Play so many games at a cluster that loses its leader.

    Args:
        cluster: the one that loses a member; it is up.
        games: how many are under way when that is killed.
        folder: an empty one, where all files lie.

    Returns:
        Whether each of them came to its end, with the same verified record at both nodes.
    """
    leader = cluster.leader()
    place = cluster.members.index(leader)
    tables = "".join(_TABLE.format(number=number) for number in range(1, games + 1))
    host = _Serving(folder / "host", cluster.from_member(place), tables)
    guest = _Serving(folder / "guest", cluster.from_member(place + 1), _BOTS.format(games=games))
    with ExitStack() as running:
        begun = time.monotonic()
        processes = [host.start(running)]
        _until(lambda: len(host.said(": open")) >= games, processes)
        print(f"{games} offers are open after {time.monotonic() - begun:.1f} s", flush=True)
        processes.append(guest.start(running))
        _until(lambda: len(set(guest.said(": playing"))) >= games, processes)
        killed = time.monotonic()
        leader.kill()
        before, done = guest.kept(), guest.finished()
        left = before.keys() - done
        print(f"{leader.folder.name}, which leads, is killed: {len(left)} games are under way, "
              f"{len(done)} are over", flush=True)  # fmt: skip
        # No more games than these, so that this ends.
        for process in processes:
            process.send_signal(signal.SIGTERM)

        def gone_on() -> int:
            now, done = guest.kept(), guest.finished()
            return sum(now[game] > before[game] + 1 or game in done for game in left)

        for count in (1, len(left)):
            _until(lambda count=count: gone_on() >= count, processes)  # type: ignore[misc]
            print(f"{count} of them went on after {time.monotonic() - killed:.1f} s", flush=True)
        leader.start()
        until_accepted(leader)
        print(f"it is back after {time.monotonic() - killed:.1f} s", flush=True)
        _until(lambda: all(process.poll() is not None for process in processes), [], _DRAIN_S)
        print(f"all is over after {time.monotonic() - killed:.1f} s", flush=True)
    return _told(host, guest, left)


def _told(host: _Serving, guest: _Serving, left: set[str]) -> bool:
    ours, theirs = (
        {path.name: path.read_bytes() for path in node.records.iterdir()} for node in (host, guest)
    )
    same = {name for name, record in ours.items() if theirs.get(name) == record}
    agreed = {name for name in same if verify_record(ours[name]).standing is Standing.AGREED}
    cut = {name for name in agreed if any(name.endswith(f"-{game[:12]}.json") for game in left)}
    print(
        f"{len(ours)} records at the host, {len(theirs)} at the guest; {len(agreed)} the same, "
        f"verified and agreed; among them {len(cut)} of the {len(left)} that were under way"
    )
    return len(ours) == len(theirs) == len(agreed) and len(cut) == len(left)


def _until(
    done: Callable[[], bool], processes: Sequence[Process], seconds: float = DEADLINE
) -> None:
    begin = time.monotonic()
    for _ in itertools.count():
        if done():
            return
        for process in processes:
            assert process.poll() is None, "a node has ended"
        assert time.monotonic() - begin < seconds, "nothing happens"
        time.sleep(0.1)


def main() -> int:
    """Play, and tell; 1 when a game was lost."""
    parser = argparse.ArgumentParser(prog="make cluster", description=__doc__)
    parser.add_argument("--games", type=int, default=200, metavar="N")
    games = parser.parse_args().games
    if why := NatsCluster.member.missing():
        print(why)
        return 1
    with (
        tempfile.TemporaryDirectory() as folder,
        NatsCluster(Path(folder) / "cluster") as cluster,
    ):
        kept = play(cluster, games, Path(folder))
    print("No game was lost." if kept else "Games were lost.")
    return not kept


if __name__ == "__main__":
    sys.exit(main())
