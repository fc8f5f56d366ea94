"""A node in one file: made while it plays, restored, and never the cause of a second story."""

import asyncio
import re
import shutil
import stat
import tarfile
from collections.abc import Callable

import pytest

from ataxxd.errors import ExitCode
from ataxxd.node.home import load_identity
from ataxxd.rules import Side
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics, decode
from ataxxd_protocol.messages import Sync
from tests.e2e.crashes import ROLES
from tests.e2e.nodes import Nodes, Running
from tests.e2e.people import Person
from tests.e2e.retained import retains
from tests.time_limits import DEADLINE


class BackedUpGame:
    """A game of two people, of whom one loses its home and goes on from a backup."""

    def __init__(self, nodes: Nodes, role: str) -> None:
        self.nodes = nodes
        self.role = role
        self.file = nodes.folder / "backup.tar.gz"
        self.people = {"host": Person(Side.FIRST, 1), "guest": Person(Side.SECOND, 2)}
        self.running: dict[str, Running] = {}
        self.moved = 0

    async def begin(self) -> None:
        """Both have moved twice, and then a backup is made of the one."""
        record = self.nodes.folder / "host.json"
        self.running["host"] = await self.nodes.node("host").host(
            "ourgame", "--transcript", record, typed=True
        )
        record = self.nodes.folder / "guest.json"
        self.running["guest"] = await self.nodes.node("guest").start(
            "join", "ourgame", "--transcript", record, typed=True
        )
        await self.move(2)
        await self.nodes.node(self.role).run("backup", self.file)

    async def move(self, count: int) -> None:
        """Each moves `count` times."""
        for _ in range(count):
            for role in ROLES:
                await self.people[role].play_one(self.running[role])
        # Heard, so it is on the wire and kept.
        await self.people["host"].play(self.running["host"], plies=0)
        self.moved += 2 * count

    async def settle(self) -> None:
        """Wait until the broker retains the game as it is."""
        await retains(self.nodes, self.nodes.node("host"), "ourgame", self.moved)

    async def lose(self, *, keep_the_other: bool = True) -> None:
        """Nothing is left of the one's home but the backup."""
        await self.running[self.role].kill()
        if not keep_the_other:
            await self.running[self.other].kill()
        shutil.rmtree(self.nodes.folder / self.role)
        await self.nodes.node(self.role).run("restore", self.file)

    @property
    def other(self) -> str:
        return "guest" if self.role == "host" else "host"

    async def resume(self, role: str, *options: str) -> Running:
        # Twenty seconds are not enough for an opponent that starts now, on a busy machine.
        options = options or ("--wait", f"{DEADLINE:g}")
        self.running[role] = await self.nodes.node(role).start(
            "resume", "ourgame", *options, typed=True
        )
        return self.running[role]

    async def finish(self) -> None:
        """Both play to the end and keep one record, in which nobody broke the rules."""
        await asyncio.gather(*(self.people[role].play(self.running[role]) for role in ROLES))
        for running in self.running.values():
            running.hang_up()
            await running.ends()
        records = [self.nodes.folder / f"{role}.json" for role in ROLES]
        assert records[0].read_bytes() == records[1].read_bytes()
        verified = await self.nodes.node("judge").run("verify", records[0])
        assert "agreed" in str(verified.out)


@pytest.mark.gate("guest")
@pytest.mark.requirement("MP-SYNC-9")
@pytest.mark.parametrize("role", ROLES)
async def test_a_game_that_went_on_after_the_backup_is_finished_by_the_restored_node(
    role: str, nodes: Nodes
) -> None:
    game = BackedUpGame(nodes, role)
    await game.begin()
    await game.move(3)
    await game.settle()
    await game.lose()
    running = await game.resume(role)
    await running.says('Continuing "ourgame"')
    await running.says("10 moves played")
    await game.finish()


async def test_the_command_shown_after_a_restore_names_the_home_that_was_chosen(
    nodes: Nodes,
) -> None:
    game = BackedUpGame(nodes, "guest")
    await game.begin()
    chosen = nodes.folder / "another home"
    restored = await nodes.node("unused").run("restore", game.file, "--home", chosen)
    await restored.says(f"ataxxd resume ourgame --home '{chosen}'")


@pytest.mark.requirement("MP-SYNC-9", "MP-SYNC-11")
async def test_what_the_opponent_said_before_is_not_taken_for_its_word(nodes: Nodes) -> None:
    game = BackedUpGame(nodes, "host")
    topics = Topics()
    async with MqttTransport(nodes.broker or "") as line:
        await line.subscribe(f"{topics.base}/ourgame/+/+/out")
        await game.begin()
        await game.settle()
        host = load_identity(nodes.folder / "host" / "identity.key").node
        # The host is on turn, so the guest asks again and again whether it has moved.
        topic, sync = await heard(line, lambda each: each.author != host and each.need == 3)
        await line.subscribe(topics.state("ourgame", host))
        state = await retained(line, topics.state("ourgame", host))
        await game.move(1)
        await game.settle()
        await game.lose(keep_the_other=False)
        await line.publish(topics.state("ourgame", host), state, retain=True)
        running = await game.resume("host")
        await running.says("Learning what was said since")
        await heard(line, lambda each: each.author == host and each.nonce is not None)
        await line.publish(topic, sync)
        await line.drain()
    await game.resume("guest")
    await running.says("6 moves played")
    await game.finish()


async def heard(line: MqttTransport, wanted: Callable[[Sync], bool]) -> tuple[str, bytes]:
    """Where the next request of a kind is said, and its bytes."""
    async for event in line:
        if isinstance(event, Received) and event.payload:
            message = decode(event.payload)
            if isinstance(message, Sync) and wanted(message):
                return event.topic, event.payload
    raise AssertionError("the connection has ended")


async def retained(line: MqttTransport, topic: str) -> bytes:
    """What the broker retains on a topic that has just been subscribed to."""
    async for event in line:
        if isinstance(event, Received) and event.topic == topic and event.retained:
            return event.payload
    raise AssertionError("the connection has ended")


@pytest.mark.parametrize("role", ROLES)
async def test_a_restored_node_waits_for_the_word_of_its_opponent(role: str, nodes: Nodes) -> None:
    game = BackedUpGame(nodes, role)
    await game.begin()
    await game.move(1)
    await game.settle()
    await game.lose(keep_the_other=False)
    running = await game.resume(role)
    await running.says("Learning what was said since")
    await game.resume(game.other)
    await running.says("6 moves played")
    await game.finish()


async def test_two_nodes_out_of_backups_find_together_again(nodes: Nodes) -> None:
    game = BackedUpGame(nodes, "host")
    await game.begin()
    other = nodes.folder / "other.tar.gz"
    await nodes.node("guest").run("backup", other)
    await game.lose(keep_the_other=False)
    await nodes.node("guest").run("restore", other, "--force")
    for role in ROLES:
        await game.resume(role)
    for running in game.running.values():
        await running.says("4 moves played")
    await game.finish()


@pytest.mark.requirement("MP-SYNC-9", "MP-SYNC-10")
async def test_a_host_whose_word_only_the_guest_has_is_given_it_back(nodes: Nodes) -> None:
    game = BackedUpGame(nodes, "host")
    await game.begin()
    await game.move(3)
    # At once: the broker may not have been sent the newest moves.
    await game.lose()
    await wipe(nodes)
    await game.resume("host")
    await game.running["host"].says("10 moves played")
    await game.finish()


@pytest.mark.requirement("MP-SYNC-9")
async def test_a_node_whose_word_is_lost_does_not_give_another(nodes: Nodes) -> None:
    game = BackedUpGame(nodes, "host")
    await game.begin()
    await game.move(1)
    await game.lose(keep_the_other=False)
    # Neither the broker nor the opponent is there to tell.
    await wipe(nodes)
    running = await game.resume("host", "--wait", "1")
    await running.ends(ExitCode.OPPONENT_GONE)
    assert "came from a backup" in str(running.err)
    assert re.search(r"ataxxd resume ourgame --home \S+ --as-restored", str(running.err))
    for role in ROLES:
        await game.resume(role)
    for running in game.running.values():
        await running.says("6 moves played")
    await game.finish()


async def wipe(nodes: Nodes) -> None:
    """Nothing of the game is retained any more."""
    topics, host = Topics(), load_identity(nodes.folder / "host" / "identity.key").node
    async with MqttTransport(nodes.broker or "") as transport:
        await transport.publish(topics.state("ourgame", host), b"", retain=True)
        await transport.drain()


async def test_an_open_offer_out_of_a_backup_is_taken_back(nodes: Nodes) -> None:
    host, file = nodes.node("host"), nodes.folder / "backup.tar.gz"
    running = await host.host("ourgame", typed=True)
    await host.run("backup", file)
    await running.kill()
    restored = await host.run("restore", file, "--force")
    assert '"ourgame" was an open offer then. See what has become of it' in str(restored.err)
    resumed = await host.run("resume", code=ExitCode.NO_SUCH_GAME)
    assert "Open it again: ataxxd host ourgame" in str(resumed.err)
    listed = await nodes.node("stranger").run("games", "--wait", "0.5")
    assert "ourgame" not in str(listed.out)


async def test_who_says_that_nothing_was_said_is_believed(nodes: Nodes) -> None:
    game = BackedUpGame(nodes, "host")
    await game.begin()
    await game.lose(keep_the_other=False)
    running = await game.resume("host", "--as-restored")
    await running.says("4 moves played")
    await game.resume("guest")
    await game.finish()


async def test_a_backup_is_for_its_owner_and_holds_only_what_it_lists(nodes: Nodes) -> None:
    host, file = nodes.node("host"), nodes.folder / "backup.tar.gz"
    await host.run("doctor")
    told = await host.run("backup", file)
    assert "Keep it secret" in str(told.err)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with tarfile.open(file) as tar:
        assert tar.getnames() == ["manifest.json", "identity.key", "journal.db"]
    other = nodes.node("other")
    restored = await other.run("restore", file)
    assert "as it was on" in str(restored.err)
    assert "lacks" not in str(restored.err)
    ids = [str((await node.run("id")).out).splitlines()[0] for node in (host, other)]
    assert ids[0] == ids[1]
    again = await other.run("restore", file, code=ExitCode.STORAGE)
    assert "--force" in str(again.err)


async def test_a_home_that_plays_is_not_replaced(nodes: Nodes) -> None:
    host, file = nodes.node("host"), nodes.folder / "backup.tar.gz"
    await host.host("ourgame", typed=True)
    await host.run("backup", file)
    refused = await host.run("restore", file, "--force", code=ExitCode.NAME_IN_USE)
    assert "is using the home" in str(refused.err)
