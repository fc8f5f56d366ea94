"""What is over leaves the broker in time; what is played, offered or just over stays."""

from collections.abc import Container, Iterator
from pathlib import Path

import pytest

from ataxxd.node.home import Home
from ataxxd.node.journal import Journal
from ataxxd.node.profile import Profile
from ataxxd.serve.tables import clear_finished_games
from ataxxd.session.events import Keep
from ataxxd.session.record import state_parts
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd_protocol import TOPICS, encode, signed
from ataxxd_protocol.messages import Sync, Unread
from tests.conformance.games import HOST_KEY, Pair, of_kind
from tests.memory_broker import MemoryBroker

HOUR_MS = 3_600_000


class Host:
    """A node that hosts, its journal with a clock of its own, and its broker."""

    def __init__(self, folder: Path) -> None:
        self.wall = SYSTEM_CLOCK.wall()
        home = Home(folder)
        self.profile = Profile(home, HOST_KEY, Journal(home.journal, Clock(wall=lambda: self.wall)))
        self.broker = MemoryBroker()

    def close(self) -> None:
        """Close what is kept."""
        self.profile.journal.close()
        self.profile.names.close()

    def put_up(
        self, name: str, *, hours_ago: float = 0, finished: bool = True, plies: int | None = None
    ) -> Pair:
        """A game of so many hours ago, a whole one or some plies, in the journal and retained."""
        self.wall = SYSTEM_CLOCK.wall() - hours_ago * 3600
        pair = Pair.started(name=name, grace_ms=HOUR_MS)
        if plies is None:
            pair.play_out()
        for _ in range(plies or 0):
            pair.play(pair.host.ledger.position.legal_moves[0].text)
        stored = self.profile.journal.begin(pair.offer, Role.HOST, {})
        kept = of_kind(pair.effects[Role.HOST], Keep)
        self.profile.journal.keep(stored, [(effect.role, effect.message) for effect in kept])
        if finished:
            self.profile.journal.finish(stored)
        self.retain(pair)
        self.wall = SYSTEM_CLOCK.wall()
        return pair

    def retain(self, pair: Pair) -> None:
        """As a host leaves a game."""
        name, host = pair.offer.name, pair.offer.host
        self.broker.inject(TOPICS.offer(name, host), encode(pair.offer), retain=True)
        for part in state_parts(pair.host.ledger):
            payload = encode(signed(part, HOST_KEY))
            self.broker.inject(TOPICS.state(name, host, part.part), payload, retain=True)

    def leave(self, pair: Pair) -> str:
        """As somebody leaves its newest messages for an opponent that is away; the topic."""
        said = tuple(pair.host.ledger.log(Role.HOST)[-1:])
        unread = Unread(game=pair.offer.digest, author=HOST_KEY.node, messages=said)
        topic = TOPICS.unread(pair.offer.name, pair.offer.host, HOST_KEY.node)
        self.broker.inject(topic, encode(signed(unread, HOST_KEY)), retain=True)
        return topic

    def leave_receipt(self, pair: Pair) -> str:
        """As a guest leaves word that the host's last score has arrived; the topic."""
        sync = Sync(game=pair.offer.digest, author=HOST_KEY.node, need=3, head=3)
        topic = TOPICS.unread(pair.offer.name, pair.offer.host, HOST_KEY.node)
        self.broker.inject(topic, encode(signed(sync, HOST_KEY)), retain=True)
        return topic

    async def tidy(self, carried: Container[str] = ()) -> int:
        """Look once."""
        async with self.broker.connect() as line:
            return await clear_finished_games(
                self.profile, line, HOUR_MS, running=carried, settle_s=0.01
            )

    @property
    def names(self) -> set[str]:
        """The games of which anything is retained."""
        return {topic.split("/")[2] for topic in self.broker.retained}


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    """A host of no games."""
    made = Host(tmp_path)
    yield made
    made.close()


async def test_a_game_is_taken_off_the_broker_an_hour_after_its_end(host: Host) -> None:
    host.put_up("old", hours_ago=2)
    host.put_up("just-over", hours_ago=0.5)
    assert await host.tidy() == 1
    assert host.names == {"just-over"}
    assert await host.tidy() == 0


async def test_a_receipt_waits_for_a_day(host: Host) -> None:
    new = host.leave_receipt(host.put_up("new", hours_ago=23))
    old = host.leave_receipt(host.put_up("old", hours_ago=25))
    await host.tidy()
    assert new in host.broker.retained
    assert old not in host.broker.retained


async def test_what_the_opponent_has_not_confirmed_stays_for_a_day(host: Host) -> None:
    host.put_up("unsettled", hours_ago=20, finished=False)
    host.put_up("given-up", hours_ago=30, finished=False)
    assert await host.tidy() == 1
    assert host.names == {"unsettled"}


async def test_what_nobody_comes_back_to_read_goes_with_its_game(host: Host) -> None:
    played = host.leave(host.put_up("played", hours_ago=2, finished=False, plies=3))
    settled = host.leave(host.put_up("settled", hours_ago=0.5))
    await host.tidy()
    assert played in host.broker.retained
    assert settled not in host.broker.retained


async def test_what_is_played_stays_however_long_it_takes(host: Host) -> None:
    pair = host.put_up("slow", hours_ago=50, finished=False, plies=1)
    assert pair.host.ledger.outcome is None
    assert await host.tidy() == 0
    assert host.names == {"slow"}


async def test_what_is_still_carried_stays(host: Host) -> None:
    pair = host.put_up("told-again", hours_ago=50, finished=False)
    assert await host.tidy({pair.offer.digest}) == 0
    assert host.names == {"told-again"}


async def test_a_name_that_is_used_again_stays(host: Host) -> None:
    host.put_up("club", hours_ago=50)
    again = Pair.make(name="club", created_ms=SYSTEM_CLOCK.now_ms())
    host.profile.journal.begin(again.offer, Role.HOST, {})
    assert await host.tidy() == 0
    assert host.names == {"club"}


async def test_what_the_journal_does_not_know_goes(host: Host) -> None:
    host.retain(Pair.started(name="forgotten"))
    host.broker.inject(TOPICS.offer("garbage", HOST_KEY.node), b"?", retain=True)
    assert await host.tidy() == 2
    assert host.broker.retained == {}


async def test_nobody_else_is_tidied_up_after(host: Host) -> None:
    other = "a" * 20
    host.broker.inject(TOPICS.offer("theirs", other), b"{}", retain=True)
    assert await host.tidy() == 0
    assert host.names == {"theirs"}
