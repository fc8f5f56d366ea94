"""A game at a cluster of three brokers that loses one: how long until it goes on.

Two players and somebody who looks on are each connected to another member, and a ply is played
every fifth of a second. The member that leads is killed, or stopped in its tracks, and started
again once the game has gone on; then the other way. Printed is for each time how long no ply
arrived, how long until every node was connected again, and at the end whether all three records
are the same.

Run with ``python -m tests.bench.bench_cluster [TIMES [nats|rabbitmq]]``.
"""

import asyncio
import itertools
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from ataxxd.node.presence import Announcer
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Moved, Over, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.transport.mqtt import MqttTransport
from tests.brokers import BrokerProcess
from tests.clusters import CLUSTERS, Cluster, freeze, thaw, until_accepted
from tests.conformance.games import KEYS, make_offer
from tests.conformance.nodes import Node

PLY_S = 0.2


async def play(node: Node) -> None:
    """Play the first legal move on every turn, which makes a long game."""
    session = node.runtime.session
    while session.ledger.outcome is None:
        if session.ledger.on_turn is node.role:
            await asyncio.sleep(PLY_S)
            await node.runtime.play(session.ledger.position.legal_moves[0])
        else:
            await node.until(Started, Moved, Over)


class Game:
    """One game with somebody who looks on.

    Attributes:
        nodes: the players.
        watcher: who looks on.
        lines: the connections of all three.
    """

    def __init__(self, cluster: Cluster, folder: Path, number: int) -> None:
        now = int(time.time() * 1000)
        offer = make_offer(name=f"bench-{number}", created_ms=now, expires_ms=now + 3_600_000)
        speakers = {role: Announcer(offer, KEYS[role]) for role in Role}
        self.lines = [
            MqttTransport(cluster.from_member(place), will=will)
            for place, will in enumerate([*(speakers[role].will for role in Role), None])
        ]
        self.nodes = {
            role: Node.make(folder, role, speakers[role], line)
            for role, line in zip(Role, self.lines, strict=False)
        }
        self.watcher = Watcher(SpectatorSession(Ledger(offer)), self.lines[2])

    @property
    def plies(self) -> int:
        """How many all three know of."""
        ledgers = [node.runtime.session.ledger for node in self.nodes.values()]
        return min(len(each.moves) for each in [*ledgers, self.watcher.session.ledger])

    @property
    def over(self) -> bool:
        """Whether the players know that it is."""
        return all(node.runtime.session.ledger.outcome for node in self.nodes.values())

    async def look(self) -> None:
        """Look on to the end."""
        async for _ in self.watcher.events():
            pass

    async def grows(self, plies: int) -> float:
        """Seconds until all three know of so many plies more."""
        began, wanted = time.monotonic(), self.plies + plies
        while self.plies < wanted and not self.over:  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.02)
        return time.monotonic() - began


async def lose(game: Game, member: BrokerProcess, how: str) -> None:
    """Lose a member, and print how long the game stands."""
    began = time.monotonic()
    if how == "killed":
        member.kill()
    else:
        freeze(member)
    stood = await game.grows(2)
    while not all(line.connected for line in game.lines):  # noqa: ASYNC110
        await asyncio.sleep(0.02)
    await game.grows(3)
    print(
        f"{member.folder.name} {how}: all three know of the next move after {stood:5.1f} s, "
        f"of three more after {time.monotonic() - began:5.1f} s",
        flush=True,
    )
    if how == "killed":
        await asyncio.to_thread(member.start)
        await asyncio.to_thread(until_accepted, member)
    else:
        thaw(member)
    print(
        f"{member.folder.name} is back: three more plies after {await game.grows(3):5.1f} s",
        flush=True,
    )


async def main(times: int, kind: str) -> None:
    """Measures so many losses of each kind."""
    made = CLUSTERS[kind]
    if why := made.member.missing():
        print(why)
        return
    with tempfile.TemporaryDirectory() as folder, made(Path(folder) / kind) as cluster:
        hows = itertools.islice(itertools.cycle(["killed", "frozen"]), 2 * times)
        left = list(hows)
        for number in itertools.count():
            if not left:
                break
            place = Path(folder) / str(number)
            place.mkdir()
            for member in cluster.members:
                await asyncio.to_thread(until_accepted, member)
            game = Game(cluster, place, number)
            async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
                for line in game.lines:
                    await stack.enter_async_context(line)
                running = [group.create_task(node.run()) for node in game.nodes.values()]
                playing = [group.create_task(play(node)) for node in game.nodes.values()]
                looking = group.create_task(game.look())
                print(f"begun after {await game.grows(3):5.1f} s", flush=True)
                while left and not game.over:
                    await lose(game, cluster.leader(), left.pop(0))
                if not game.over:
                    for task in [*running, *playing, looking]:
                        task.cancel()
                else:
                    await asyncio.gather(*running, *playing, looking)
                    ledgers = [node.runtime.session.ledger for node in game.nodes.values()]
                    records = {
                        dump_record(each) for each in [*ledgers, game.watcher.session.ledger]
                    }
                    print(f"over after {game.plies} plies; {len(records)} record", flush=True)
            for node in game.nodes.values():
                node.journal.close()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 3, "".join(sys.argv[2:]) or "nats"))
