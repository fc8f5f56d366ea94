"""People who are away for a day at a time: real programs, each start a day later by its clock."""

import json
import signal
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Position, Side
from ataxxd.session.record import Standing, verify_record
from tests.brokers import BrokerProcess, Mosquitto
from tests.conformance.games import RULESET, SHORT_ENDGAME
from tests.conftest import require
from tests.e2e.nodes import Node, Nodes
from tests.e2e.people import Person
from tests.e2e.recording import retained
from tests.other_brokers import Embedded, Nats


class Days:
    """A broker, and people who come to it on one day or another."""

    def __init__(self, nodes: Nodes, broker: BrokerProcess) -> None:
        self.nodes = nodes
        self._broker = broker
        self.restarts = 0

    def pass_by(self, days: int = 1) -> None:
        """Go on; a broker that stores what it retains is started again meanwhile."""
        self.nodes.day += days
        # The embedded one promises to keep things only as long as it runs.
        if not isinstance(self._broker, Embedded):
            self._broker.restart()
            self.restarts += 1


@pytest.fixture(params=("mosquitto", "nats", "embedded"))
def keeper(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[BrokerProcess]:
    """A broker of each kind, with nothing on it."""
    folder = tmp_path / "broker"
    broker: BrokerProcess
    match request.param:
        case "mosquitto":
            broker = Mosquitto(folder, keeps=True)
        case "nats":
            broker = Nats(folder)
        case _:
            broker = Embedded(folder)
    require(type(broker))
    with broker:
        yield broker


@pytest.fixture
async def days(keeper: BrokerProcess, tmp_path: Path) -> AsyncIterator[Days]:
    """Days at a broker, from today on."""
    nodes = Nodes(tmp_path, keeper.url)
    yield Days(nodes, keeper)
    await nodes.close()


async def mine(node: Node, name: str) -> dict[str, object]:
    """What `games --mine` says of a game."""
    listed = await node.run("games", "--mine", "--json")
    rows = [json.loads(line) for line in listed.out.lines]
    (row,) = [row for row in rows if row["name"] == name]
    return dict(row)


async def test_who_was_away_for_a_day_finds_the_challenge_and_each_move(
    days: Days, tmp_path: Path
) -> None:
    ann, bob = days.nodes.node("ann"), days.nodes.node("bob")
    ann_id = (await ann.run("id")).out.lines[0].split()[0]
    terms = ("--position", SHORT_ENDGAME, "--clock", "3d/move", "--color", "first")
    await bob.run("challenge", ann_id, "--leave", "7d", "--name", "slow", *terms)

    days.pass_by()
    assert "slow  open  " in str((await ann.run("games")).out)
    heard = json.loads((await ann.run("challenges", "--first", "--json")).out.lines[0])
    assert heard["name"] == "slow"
    joining = await ann.start("join", heard["join"])
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)

    start = Position.from_text(RULESET, SHORT_ENDGAME)
    people = [(bob, Person(Side.FIRST, 1, start)), (ann, Person(Side.SECOND, 2, start))]
    moves = 0
    while True:
        days.pass_by()
        node, person = people[moves % 2]
        row = await mine(node, "slow")
        over = people[1 - moves % 2][1].position.outcome is not None
        assert (row["state"] == "over", row["your_turn"], row["plies"]) == (over, not over, moves)
        here = await node.start("resume", "slow", typed=True)
        result = await person.play_one(here)
        if result is not None:
            await here.ends()
            break
        moves += 1
        if person.position.outcome is None:
            await here.type("quit")
            await here.ends()
            assert (await mine(node, "slow"))["your_turn"] is False
        else:
            assert await here.next_line() is not None
            # It stays a while for an opponent who is away.
            here.send(signal.SIGINT)
            await here.ends(ExitCode.INTERRUPTED)
    # Both sign the result, and each hears of it when it comes the next time.
    for visit in range(4):
        days.pass_by()
        node, _ = people[(moves - 1 - visit) % 2]
        if (await node.run("games", "--mine", "--json")).out.lines:
            await node.run("resume", "slow")
    assert moves >= 4
    records = list[bytes]()
    for who in (ann, bob):
        folder = tmp_path / f"games of {who.home.name}"
        await who.run("archive", "slow", "--export", folder)
        records += [each.read_bytes() for each in folder.iterdir()]
    first, second = records
    assert first == second
    assert verify_record(first).standing is Standing.AGREED


@pytest.mark.gate("mosquitto")
async def test_a_challenge_that_expired_meanwhile_is_told_as_expired(days: Days) -> None:
    assert days.nodes.broker is not None
    ann, bob = days.nodes.node("ann"), days.nodes.node("bob")
    ann_id = (await ann.run("id")).out.lines[0].split()[0]
    terms = ("--name", "slow", "--position", SHORT_ENDGAME)
    await bob.run("challenge", ann_id, "--leave", "1d", *terms)

    days.pass_by(3)
    listening = await ann.start("challenges", "--json", "--wait", "5")
    await listening.says(' challenged you to "slow"; the challenge expired 2d ago.')
    await listening.ends()
    assert listening.out.lines == []
    assert "No challenge came" not in str(listening.err)
    refused = await ann.run("join", "slow", code=ExitCode.NO_SUCH_GAME)
    assert 'The offer of "slow" expired 2d' in str(refused.err)

    row = await mine(bob, "slow")
    assert (row["state"], row["expired"]) == ("open", True)
    assert "slow  expired  " in str((await bob.run("games", "--mine")).out)
    told = await bob.run("resume", "slow", code=ExitCode.OPPONENT_GONE)
    assert 'Nobody joined "slow" before the offer expired.' in str(told.err)
    assert f"ataxxd challenge {ann_id} --leave TIME" in str(told.err)
    topics = [*await retained(days.nodes.broker)]
    assert not [topic for topic in topics if "/challenge/" in topic or "/slow/" in topic]


async def test_a_challenge_that_was_left_is_not_given_up_by_another_game_of_its_name(
    days: Days,
) -> None:
    ann, bob = days.nodes.node("ann"), days.nodes.node("bob")
    ann_id = (await ann.run("id")).out.lines[0].split()[0]
    left = ("challenge", ann_id, "--leave", "7d", "--name", "slow")
    await bob.run(*left)
    joining = await ann.start("join", "slow")
    await joining.says("The host is away")
    joining.send(signal.SIGINT)
    await joining.ends(ExitCode.INTERRUPTED)
    for again in (left, ("host", "slow")):
        refused = await bob.run(*again, code=ExitCode.NAME_IN_USE)
        assert 'You have left a challenge to "slow"' in str(refused.err)
        assert "ataxxd resume slow" in str(refused.err)
    back = await bob.start("resume", "slow", typed=True)
    await back.says("has joined. You play")
    await back.kill()
    other = await bob.start("host", "slow", "--new")
    await other.says("Waiting for a guest")
