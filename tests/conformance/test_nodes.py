"""Requirements on nodes: what they publish, where, when, and what they do with noise."""

import asyncio
import re
import sqlite3
import time
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.errors import NoSuchGame
from ataxxd.node.game_finder import GameFinder, GameName
from ataxxd.node.runtime import OfferPublished
from ataxxd.rules import Side
from ataxxd.session.events import Moved, Notice, Said, Started
from ataxxd.session.record import Standing, dump_record, verify_record
from ataxxd.session.state import Phase, Role
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import decode, encode, signature_holds
from ataxxd_protocol.messages import LogMessage, Offer, Status, Who
from tests.brokers import Mosquitto
from tests.conformance.games import (
    HOST_KEY,
    ONE_MOVE_LEFT,
    OTHER_KEY,
    SHORT_ENDGAME,
    craft,
    forge,
    make_offer,
)
from tests.conformance.nodes import TOPICS, Node, announcer, hall, playing, whole_game
from tests.conformance.test_asyncapi import types_in_spec
from tests.memory_broker import Carried, MemoryBroker

MALFORMED = [
    b"",
    b"\xff\xfe",
    b"{}",
    b'{"type":"who"} ',
    b'{"type":"shout"}',
    b"[" * 16_384,
    b"x" * 16_384,
]


def an_offer(start: str = ONE_MOVE_LEFT, *, open_ms: int = 600_000) -> Offer:
    """An offer made now; without time left it has expired."""
    now = time.time_ns() // 1_000_000
    return make_offer(start=start, created_ms=now - 1, expires_ms=now - 1 + open_ms)


def spoken(payloads: Iterable[bytes]) -> list[LogMessage]:
    """The log messages among payloads."""
    found = [decode(payload) for payload in payloads]
    return [message for message in found if isinstance(message, LogMessage)]


def kept(journal: Path) -> list[LogMessage]:
    """What another process finds in a journal at this moment."""
    with closing(sqlite3.connect(f"file:{journal}?mode=ro", uri=True)) as database:
        rows = database.execute("SELECT payload FROM messages ORDER BY seq").fetchall()
    database.close()
    return spoken(payload for (payload,) in rows)


@asynccontextmanager
async def publication(broker: MemoryBroker, *topics: str) -> AsyncIterator[None]:
    """Leave the block only when a message to each of the topics was published in it."""
    awaited = {topic: asyncio.Event() for topic in topics}

    def pass_on(carried: Carried) -> Iterator[Carried]:
        if carried.topic in awaited:
            awaited[carried.topic].set()
        yield carried

    broker.interfere = pass_on
    yield
    for event in awaited.values():
        await event.wait()
    broker.interfere = None


async def test_a_game_through_real_runtimes_is_agreed(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer(SHORT_ENDGAME)) as here:
        await whole_game(here.host, here.guest)
        records = {dump_record(node.runtime.session.ledger) for node in (here.host, here.guest)}
        assert verify_record(records.pop()).standing is Standing.AGREED
        assert not records


@pytest.mark.requirement("MP-CODEC-6", "MP-TOPIC-1")
async def test_malformed_payloads_have_no_effect_and_no_answer(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here:
        async with playing(here.host, here.guest):
            await here.guest.until(Started)
            for payload in MALFORMED:
                for kind in ("out", "status"):
                    here.inject(here.host, payload, kind)
                    here.inject(here.guest, payload, kind)
                here.broker.inject(TOPICS.who("ourgame"), payload or b"{}")
            await here.host.runtime.play(here.host.runtime.session.ledger.position.legal_moves[0])
            await here.guest.until(Moved)
        # Repeats are what a new connection brings; rejects or scores would be answers.
        assert {message.n for message in spoken(here.said(here.host))} == {0, 1}
        types = {decode(payload).type for payload in here.said(here.host)}
        assert types <= {"start", "move", "sync"}
        for node in (here.host, here.guest):
            assert node.runtime.session.ledger.fault is None
            assert node.runtime.session.ledger.phase is Phase.PLAYING


@pytest.mark.requirement("MP-TOPIC-2")
async def test_a_message_in_anothers_mailbox_is_ignored_even_when_it_is_true(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, an_offer(SHORT_ENDGAME)) as here:
        guest, host = here.guest.runtime, here.host.runtime
        async with playing(here.host, here.guest):
            await here.guest.until(Started)
            await host.play(host.session.ledger.position.legal_moves[0])
            await here.guest.until(Moved)
            first, second, *_ = guest.session.ledger.position.legal_moves
            ledger = guest.session.ledger
            true = craft(ledger, Role.GUEST, "move", move=second.text, elapsed_ms=1)
            for writer in (HOST_KEY.node, OTHER_KEY.node):
                here.broker.inject(TOPICS.out("ourgame", HOST_KEY.node, writer), encode(true))
            await guest.play(first)
            await here.host.until(Moved)
            await here.host.until(Moved)
        assert host.session.ledger.moves[-1] == first
        assert host.session.ledger.fault is None


@pytest.mark.requirement("MP-TOPIC-4")
async def test_exactly_offer_and_state_are_retained(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer(SHORT_ENDGAME)) as here:
        await whole_game(here.host, here.guest)
        table = types_in_spec()
        seen = set()
        for carried in here.broker.log:
            address = TOPICS.parse(carried.topic)
            assert address is not None
            (retained, types), *_ = (
                row for topic, row in table.items() if topic.endswith(f"/{address.kind}")
            )
            assert carried.retain is retained, carried.topic
            assert decode(carried.payload).type in types
            seen.add(address.kind)
        assert seen == {"offer", "state", "out", "status"}
        assert {decode(payload).type for payload in here.broker.retained.values()} == {
            "offer",
            "state",
        }


@pytest.mark.requirement("MP-TOPIC-6")
async def test_an_offer_that_is_withdrawn_leaves_nothing_behind(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here:
        async with playing(here.host):
            await here.host.until(OfferPublished)
            assert len(here.broker.retained) == 2
            await here.host.runtime.leave()
        assert here.broker.retained == {}


@pytest.mark.requirement("MP-HAND-11")
async def test_an_expired_offer_is_neither_shown_nor_joined() -> None:
    broker = MemoryBroker()
    for offer in (an_offer(open_ms=0), an_offer()):
        broker.retained[TOPICS.offer("ourgame", HOST_KEY.node)] = encode(offer)
        async with broker.connect() as line:
            finder = GameFinder(line)
            found = await finder.search("ourgame", seconds=0.05)
            if offer.expires_ms <= time.time() * 1000:
                assert found == []
                with pytest.raises(NoSuchGame):
                    await finder.find(GameName("ourgame"), seconds=0.05)
            else:
                assert [game.offer for game in found] == [offer]


@pytest.mark.requirement("MP-STATE-6", "MP-STATE-1")
@pytest.mark.parametrize("topic", [TOPICS.who("ourgame"), TOPICS.who()])
async def test_who_makes_the_host_publish_offer_and_state_again(tmp_path: Path, topic: str) -> None:
    offer = an_offer()
    wanted = (TOPICS.offer("ourgame", offer.host), TOPICS.state("ourgame", offer.host))
    async with hall(tmp_path, offer) as here, playing(here.host):
        await here.host.until(OfferPublished)
        # A broker that was started afresh has forgotten everything.
        here.broker.retained.clear()
        async with publication(here.broker, *wanted):
            here.broker.inject(topic, encode(Who()))
        assert set(here.broker.retained) == set(wanted)


@pytest.mark.requirement("MP-STATE-6")
async def test_a_new_connection_makes_the_host_publish_offer_and_state_again(
    tmp_path: Path,
) -> None:
    offer = an_offer()
    wanted = (TOPICS.offer("ourgame", offer.host), TOPICS.state("ourgame", offer.host))
    async with hall(tmp_path, offer) as here, playing(here.host):
        await here.host.until(OfferPublished)
        async with publication(here.broker, *wanted):
            here.broker.stop()
            here.broker.start()
        assert set(here.broker.retained) == set(wanted)


@pytest.mark.requirement("MP-PRES-3")
async def test_a_player_announces_itself_and_leaves_a_will(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here:
        async with playing(here.host, here.guest):
            await here.guest.until(Started)
            online = decode(here.said(here.host, "status")[0])
            assert isinstance(online, Status)
            assert online.state == "online"
            topic = TOPICS.status("ourgame", HOST_KEY.node, HOST_KEY.node)
            async with publication(here.broker, topic):
                here.host_line.cut()
            left = [decode(payload) for payload in here.said(here.host, "status")]
        lost = [status for status in left if isinstance(status, Status) and status.state == "lost"]
        assert len(lost) == 1
        assert signature_holds(lost[0], HOST_KEY.public_key)
        assert topic not in here.broker.retained


@pytest.mark.requirement("MP-PRES-3")
async def test_a_connection_lost_without_a_word_is_shown_to_the_opponent(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here, playing(here.host, here.guest):
        await here.guest.until(Started)
        here.host_line.unplug()
        shown = await here.guest.until(Notice)
        assert shown == Notice("your opponent has lost the connection; your moves wait for them")
        here.host_line.plug()
        assert await here.host.until(Notice) is not None
        assert await here.guest.until(Notice) == Notice("your opponent is back")


async def test_what_is_said_to_an_absent_opponent_arrives_once_when_it_is_back(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, an_offer()) as here, playing(here.host, here.guest):
        await here.guest.until(Started)
        for words in ("are you there?", "I can wait"):
            here.host_line.unplug()
            await here.guest.until(Notice)
            await here.guest.runtime.say(words)
            told = "your opponent gets this when they are back, if you are still here"
            assert await here.guest.until(Notice) == Notice(told)
            here.host_line.plug()
            assert await here.host.until(Said) == Said(Side.SECOND, words, Role.GUEST)
            assert await here.guest.until(Notice) == Notice("your opponent is back")
        await here.guest.runtime.say("welcome")
        assert await here.host.until(Said) == Said(Side.SECOND, "welcome", Role.GUEST)


async def test_a_player_that_came_back_while_one_was_away_is_seen_to_be_there(
    tmp_path: Path,
) -> None:
    async with hall(tmp_path, an_offer()) as here, playing(here.host, here.guest):
        await here.guest.until(Started)
        here.host_line.unplug()
        await here.guest.until(Notice)  # that it has lost the connection
        here.guest_line.unplug()
        async with publication(here.broker, TOPICS.status("ourgame", HOST_KEY.node, HOST_KEY.node)):
            here.host_line.plug()
        here.guest_line.plug()
        while await here.guest.until(Notice) != Notice("your opponent is back"):
            pass


@pytest.mark.requirement("MP-PRES-2", "MP-PRES-1")
async def test_presence_of_an_older_epoch_or_by_another_is_not_shown(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here:
        async with playing(here.host, here.guest):
            await here.guest.until(Started)
            before = dump_record(here.guest.runtime.session.ledger)
            base = decode(here.said(here.host, "status")[0])
            assert isinstance(base, Status)
            far = 2**50
            for key, epoch, state in (
                (HOST_KEY, far, "lost"),
                (HOST_KEY, far - 1, "left"),
                (OTHER_KEY, far + 1, "left"),
                (HOST_KEY, far + 2, "left"),
            ):
                status = forge(base, key, epoch=epoch, state=state)
                here.inject(here.host, encode(status), "status")
            shown = await here.guest.until(Notice)
            assert dump_record(here.guest.runtime.session.ledger) == before
        # A lost connection is told later, unless there is newer news.
        assert isinstance(shown, Notice)
        assert "has left" in shown.text
        rest = here.guest.runtime.events
        assert not any(isinstance(rest.get_nowait(), Notice) for _ in range(rest.qsize()))


@pytest.mark.requirement("MP-NODE-1")
async def test_what_a_node_says_is_in_its_journal_and_so_is_what_it_answers(
    tmp_path: Path,
) -> None:
    checked = 0

    def look_up(carried: Carried) -> Iterator[Carried]:
        nonlocal checked
        message = decode(carried.payload)
        if isinstance(message, LogMessage):
            role = Role.HOST if message.author == HOST_KEY.node else Role.GUEST
            known = {kept_message.digest for kept_message in kept(tmp_path / f"{role}.journal")}
            assert message.digest in known
            assert message.seen in known | {message.game}
            checked += 1
        yield carried

    async with hall(tmp_path, an_offer(SHORT_ENDGAME)) as here:
        here.broker.interfere = look_up
        await whole_game(here.host, here.guest)
    assert checked >= 8


@pytest.mark.requirement("MP-NODE-1")
async def test_a_node_that_cannot_store_says_nothing(tmp_path: Path) -> None:
    async with hall(tmp_path, an_offer()) as here:
        async with playing(here.host, here.guest):
            await here.guest.until(Started)
            said = len(spoken(here.said(here.host)))
            here.host.journal.close()
            move = here.host.runtime.session.ledger.position.legal_moves[0]
            with pytest.raises(StorageError):
                await here.host.runtime.play(move)
        assert len(spoken(here.said(here.host))) == said


@pytest.mark.requirement("MP-NODE-2")
async def test_a_node_that_was_killed_goes_on_without_contradicting_itself(
    tmp_path: Path,
) -> None:
    offer = an_offer(SHORT_ENDGAME)
    async with hall(tmp_path, offer) as here:
        for role in (Role.HOST, Role.GUEST, Role.HOST):
            victim = here.host if role is Role.HOST else here.guest
            async with playing(here.host, here.guest):
                if here.host.runtime.session.ledger.phase is Phase.OPEN:
                    await here.guest.until(Started)
                ledger = victim.runtime.session.ledger
                if ledger.on_turn is victim.role:
                    await victim.runtime.play(ledger.position.legal_moves[0])
            for node in (here.host, here.guest):
                node.journal.close()
            here.host = Node.make(tmp_path, Role.HOST, announcer(offer, Role.HOST), here.host_line)
            here.guest = Node.make(
                tmp_path, Role.GUEST, announcer(offer, Role.GUEST), here.guest_line
            )
            here.host_line.cut()
            here.guest_line.cut()
        await whole_game(here.host, here.guest)
        said = spoken([*here.said(here.host), *here.said(here.guest)])
        contents = {(message.author, message.n): message.digest for message in said}
        assert len(contents) == len({message.digest for message in said})
        assert here.host.runtime.standing is Standing.AGREED


@pytest.mark.requirement("MP-TOPIC-3", "MP-TOPIC-5", "MP-TOPIC-4", "MP-PRES-3")
async def test_a_real_broker_sees_mqtt_as_the_specification_wants_it(
    mosquitto: Mosquitto, tmp_path: Path
) -> None:
    offer = an_offer(SHORT_ENDGAME)
    speakers = {role: announcer(offer, role) for role in Role}
    lines = {role: MqttTransport(mosquitto.url, will=speakers[role].will) for role in Role}
    async with lines[Role.HOST], lines[Role.GUEST]:
        nodes = [Node.make(tmp_path, role, speakers[role], lines[role]) for role in Role]
        await whole_game(*nodes)
        for node in nodes:
            node.journal.close()
    mosquitto.stop()
    log = mosquitto.log
    connects = re.findall(r"New client connected from \S+ as (\S+) \(p(\d), c(\d), k(\d+)", log)
    assert len(connects) == 2
    assert len({client for client, *_ in connects}) == 2
    for _, protocol, clean, keepalive in connects:
        assert (protocol, clean) == (mosquitto.mqtt_3_1_1, "1")
        assert int(keepalive) > 0
    wills = re.findall(r"Will message specified \(\d+ bytes\) \(r(\d), q(\d)\)", log)
    assert wills == [("0", "1")] * 2
    published = re.findall(r"Received PUBLISH from \S+ \(d\d, q(\d), r(\d), m\d+, '([^']+)'", log)
    assert len(published) >= 10
    for qos, retained, topic in published:
        assert qos == "1", topic
        assert (retained == "1") is topic.endswith(("/offer", "/state")), topic
    subscribed = re.findall(r"\t(\S+) \(QoS (\d)\)", log)
    assert subscribed
    assert {qos for _, qos in subscribed} == {"1"}
