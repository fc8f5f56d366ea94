"""Games at a cluster that loses a member in mid-game: they go on, and all have one record."""

from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from ataxxd.rules import Side
from ataxxd.session.record import Standing, verify_record
from tests import cluster_games
from tests.brokers import BrokerProcess
from tests.clusters import CLUSTERS, Cluster, NatsCluster, freeze, thaw
from tests.conftest import require
from tests.e2e.nodes import Nodes
from tests.e2e.people import Person
from tests.e2e.test_every_broker import ALMOST_FULL, AUTO, almost_full

LOSSES: dict[str, Callable[[BrokerProcess], None]] = {
    "killed": BrokerProcess.kill,
    "cut off": freeze,
}


@pytest.fixture(params=CLUSTERS)
def cluster(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of each kind in turn, of its own for each test."""
    kind = CLUSTERS[request.param]
    require(kind.member)
    with kind(tmp_path / "cluster") as made:
        yield made


@pytest.fixture
async def nodes(cluster: Cluster, tmp_path: Path) -> AsyncIterator[Nodes]:
    """Nodes that know all members."""
    made = Nodes(tmp_path, cluster.url)
    yield made
    await made.close()


@pytest.mark.parametrize("loss", LOSSES)
async def test_a_game_goes_on_when_a_member_is_lost_and_when_it_is_back(
    loss: str, cluster: Cluster, nodes: Nodes, tmp_path: Path
) -> None:
    records = {who: tmp_path / f"{who}.json" for who in ("host", "guest", "watch", "late")}
    where = {who: cluster.from_member(place) for place, who in enumerate(records)}
    host = await nodes.node("host", broker=where["host"]).host(
        "ourgame", *AUTO, "--position", ALMOST_FULL, "--transcript", records["host"]
    )
    # The invitation names the member that the host is at, and all others.
    invitation = (await host.says("ataxxd join")).partition("ataxxd join ")[2]
    assert invitation.endswith(f"@{where['host'].replace(',mqtt://', ',')}")
    watch = await nodes.node("watch", broker=where["watch"]).start(
        "watch", "ourgame", "--json", "--transcript", records["watch"]
    )
    guest = await nodes.node("guest", broker=where["guest"]).start(
        "join", "ourgame", "--transcript", records["guest"], typed=True
    )
    person = Person(Side.SECOND, 2, almost_full())
    assert await person.play(guest, plies=2) is None
    await watch.prints('"ply": 4')
    member = cluster.leader()
    LOSSES[loss](member)
    assert await person.play(guest, plies=2) is None
    # Whoever comes now is let in by another member, and shown all of it.
    late = await nodes.node(
        "late", broker=cluster.from_member(cluster.members.index(member))
    ).start(
        "watch",
        invitation.partition("@")[0],
        "--json",
        "--transcript",
        records["late"],
        "--wait",
        "600",
    )
    await late.prints('"ply": 6')
    if loss == "killed":
        member.start()
    else:
        thaw(member)
    assert await person.play(guest) is not None
    for running in (host, guest, watch, late):
        await running.ends()
    data = {who: path.read_bytes() for who, path in records.items()}
    assert len(set(data.values())) == 1, {who: len(record) for who, record in data.items()}
    assert verify_record(data["host"]).standing is Standing.AGREED


def test_no_game_of_a_serving_node_is_lost_with_the_leader(tmp_path: Path) -> None:
    require(NatsCluster.member)
    with NatsCluster(tmp_path / "cluster") as cluster:
        assert cluster_games.play(cluster, 8, tmp_path)
