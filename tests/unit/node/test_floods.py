"""A live game whose topics are flooded: nothing that a node holds grows past its bound."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from ataxxd.node.publishing import RENEW_PAUSE_S, RENEWALS
from ataxxd.node.receiving import ANSWERS, Incoming
from ataxxd.node.runtime import OfferPublished
from ataxxd.session.events import Moved, Started
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession
from ataxxd.session.record import Standing, dump_record, state_parts, verify_record
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey, encode, signed
from ataxxd_protocol.messages import Chat, Status, Sync, Who
from tests.conformance.games import AGENT, KEYS, NONCE, OTHER_KEY, Pair, craft, forge, make_offer
from tests.conformance.nodes import TOPICS, Hall, Node, hall, playing
from tests.memory_broker import Carried

FLOOD = 10_000
INBOX = 4096
# Messages of a connection that may be on their way, not yet acknowledged.
WINDOW = 64


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Hall]:
    now = time.time_ns() // 1_000_000
    async with hall(tmp_path, make_offer(created_ms=now, expires_ms=now + 600_000)) as hall_:
        yield hall_


def held(table: Hall) -> dict[str, int]:
    """What the nodes hold that somebody else could make grow."""
    found: dict[str, int] = {}
    for node in (table.host, table.guest):
        transport = node.transport
        found |= {
            f"{node.role} inbox": len(transport._inbox),  # type: ignore[attr-defined] # in memory
            f"{node.role} outbox": len(transport._outbox),  # type: ignore[attr-defined]
            f"{node.role} events": node.runtime.events.qsize(),
        }
    return found


async def until_quiet(table: Hall, seen: dict[str, int]) -> None:
    """Let the nodes work until they have read everything; `seen` keeps the largest figures."""
    while any(count for name, count in held(table).items() if "box" in name):
        for name, count in held(table).items():
            seen[name] = max(seen.get(name, 0), count)
        await asyncio.sleep(0)


async def until(condition: Callable[[], bool]) -> None:
    """Let the nodes work until something is so."""
    while not condition():  # noqa: ASYNC110 - whatever it is, nobody tells
        await asyncio.sleep(0)


async def until_read(node: Node) -> None:
    """Let one node work until it has read everything."""
    inbox = node.transport._inbox  # type: ignore[attr-defined] # in memory
    await until(lambda: not len(inbox))


async def has_moves(node: Node, count: int) -> None:
    """Wait until a node knows so many moves."""
    while len(node.runtime.session.ledger.moves) < count:
        await node.until(Moved)


@pytest.mark.requirement("MP-NODE-3")
async def test_a_flood_of_all_kinds_fills_no_queue_past_its_bound_and_the_game_goes_on(
    table: Hall,
) -> None:
    seen: dict[str, int] = {}
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        players = {Role.HOST: table.host, Role.GUEST: table.guest}
        for turn in range(10):
            role = table.host.runtime.session.ledger.on_turn
            assert role is not None
            ledger = players[role].runtime.session.ledger
            forged = forge(craft(ledger, role, "resign"), OTHER_KEY)
            old = ledger.log(role)[-1]
            for number in range(FLOOD // 10):
                victim = (table.host, table.guest)[number % 2]
                match number % 5:
                    case 0:
                        table.inject(victim, encode(forge(forged, OTHER_KEY, ply=number + 1)))
                    case 1:
                        table.inject(victim, encode(old))
                    case 2:
                        table.inject(victim, b"\xff" * number)
                    case 3:
                        table.inject(victim, encode(signed(forged, OTHER_KEY)), "status")
                    case _:
                        table.broker.inject(TOPICS.who(), encode(Who()))
            await until_quiet(table, seen)
            move = ledger.position.legal_moves[turn]
            await players[role].runtime.play(move)
            await has_moves(players[role.other], turn + 1)
        ledgers = [node.runtime.session.ledger for node in players.values()]
        assert len(ledgers[0].moves) == 10
        assert len({dump_record(ledger) for ledger in ledgers}) == 1
        assert verify_record(dump_record(ledgers[0])).standing is Standing.UNFINISHED
    assert max(count for name, count in seen.items() if "inbox" in name) <= INBOX
    # The offer and the state, published again for those who asked, and a few answers.
    assert max(count for name, count in seen.items() if "outbox" in name) <= 64
    assert max(count for name, count in seen.items() if "events" in name) <= 64


@pytest.mark.requirement("MP-NODE-3", "MP-SYNC-2")
async def test_old_requests_replayed_without_end_are_answered_within_a_budget(table: Hall) -> None:
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        for turn in range(30):
            role = table.host.runtime.session.ledger.on_turn
            assert role is not None
            node = table.host if role is Role.HOST else table.guest
            await node.runtime.play(node.runtime.session.ledger.position.legal_moves[0])
            await has_moves(table.guest if role is Role.HOST else table.host, turn + 1)
        seen: dict[str, int] = {}
        await until_quiet(table, seen)
        before = len(table.said(table.host))
        for number in range(FLOOD):
            ask = Sync(
                game=table.host.offer.digest,
                author=KEYS[Role.GUEST].node,
                need=number % 16,
                head=number // 16,
            )
            table.inject(table.guest, encode(signed(ask, KEYS[Role.GUEST])))
        await until_quiet(table, seen)
        answered = len(table.said(table.host)) - before
    assert 0 < answered <= 1.5 * ANSWERS.burst
    assert seen["host outbox"] <= 1.5 * ANSWERS.burst


@pytest.mark.requirement("MP-NODE-3")
async def test_a_move_is_read_before_the_junk_of_strangers_that_came_earlier(
    table: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        await until_quiet(table, {})
        role = table.host.runtime.session.ledger.on_turn
        assert role is not None
        mover, reader = (table.host, table.guest)[:: 1 if role is Role.HOST else -1]
        held: list[Carried] = []

        def hold_back(message: Carried) -> list[Carried]:
            held.append(message)
            return []

        table.broker.interfere = hold_back
        await mover.runtime.play(mover.runtime.session.ledger.position.legal_moves[0])
        (move,) = [message for message in held if b'"type":"move"' in message.payload]
        await until_read(reader)
        looked_at: list[bytes] = []
        admits = reader.runtime.admission.admits

        def look(incoming: Incoming) -> bool:
            looked_at.append(incoming.payload)
            return admits(incoming)

        monkeypatch.setattr(reader.runtime.admission, "admits", look)
        name, host = table.host.offer.name, table.host.offer.host
        writers = [host, *(SigningKey(number.to_bytes(32)).node for number in range(1, 4))]
        for number in range(1000):
            writer = writers[number % len(writers)]
            table.broker.inject(TOPICS.status(name, host, writer), b"junk")
            table.broker.inject(TOPICS.who(name), b"junk")
        table.broker.inject(move.topic, move.payload)
        await has_moves(reader, 1)
        await until_read(reader)
    assert looked_at.index(move.payload) < 10 < len(looked_at)


@pytest.mark.requirement("MP-NODE-3", "MP-STATE-6")
async def test_strangers_who_flood_a_taken_seat_are_left_alone_and_their_questions_answered(
    table: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.transport.queues._SHORTEST_S", 0.05)
    name, host = table.host.offer.name, table.host.offer.host
    stranger = TOPICS.out(name, host, OTHER_KEY.node)
    async with playing(table.host):
        await table.host.until(OfferPublished)
        for _ in range(1000):
            table.broker.inject(stranger, b"junk")
        await until_read(table.host)
        # Whoever is to be the guest is still a stranger.
        assert table.host.transport.counters.throttled == 0
        async with playing(table.guest):
            await table.host.until(Started)
            await table.guest.until(Started)
            for topic in (stranger, TOPICS.status(name, host, OTHER_KEY.node)):
                before = table.host.transport.counters.throttled
                for _ in range(1000):
                    table.broker.inject(topic, b"junk")
                assert table.host.transport.counters.throttled > before
            await until_quiet(table, {})
            offers = len(table.said(table.host, "offer"))
            for _ in range(1000):
                table.broker.inject(TOPICS.who(name), b"junk")
            # Among what was not heard may have been an honest question.
            await until(lambda: len(table.said(table.host, "offer")) > offers)
            place = TOPICS.offer(name, host)
            for _ in range(1000):
                table.broker.inject(place, b"junk", retain=True)
            await until(lambda: table.broker.retained[place] == encode(table.host.offer))
            role = table.host.runtime.session.ledger.on_turn
            assert role is not None
            mover, reader = (table.host, table.guest)[:: 1 if role is Role.HOST else -1]
            await mover.runtime.play(mover.runtime.session.ledger.position.legal_moves[0])
            await has_moves(reader, 1)


@pytest.mark.requirement("MP-NODE-3")
async def test_a_move_does_not_stand_in_line_behind_answers_to_strangers(table: Hall) -> None:
    strangers = [SigningKey(number.to_bytes(32)) for number in range(1, 201)]
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        await until_quiet(table, {})
        if table.host.runtime.session.ledger.on_turn is Role.GUEST:
            await table.guest.runtime.play(
                table.guest.runtime.session.ledger.position.legal_moves[0]
            )
            await has_moves(table.host, 1)
        # A broker that is behind: it takes what is sent and has not said so yet.
        table.broker.acknowledges = False
        before = len(table.said(table.host))
        for key in strangers:
            asking = PlayerSession(Ledger(table.host.offer), Role.GUEST, key)
            asking.ask_to_join(NONCE, AGENT)
            topic = TOPICS.out(table.host.offer.name, table.host.offer.host, key.node)
            table.broker.inject(topic, encode(asking.ledger.log(Role.GUEST)[0]))
        await until_read(table.host)
        answered = len(table.said(table.host)) - before
        await table.host.runtime.play(table.host.runtime.session.ledger.position.legal_moves[0])
        assert b'"type":"move"' in table.said(table.host)[-1]
        assert 0 < answered < WINDOW
    assert table.host.runtime.admission.unanswered > 0


async def test_an_opponent_that_comes_and_goes_without_end_fills_no_queue(table: Hall) -> None:
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        seen: dict[str, int] = {}
        for number in range(FLOOD // 2):
            status = Status(
                game=table.host.offer.digest,
                author=KEYS[Role.GUEST].node,
                epoch=2**50 + number,
                state="lost",
            )
            table.inject(table.guest, encode(signed(status, KEYS[Role.GUEST])), "status")
        await until_quiet(table, seen)
        assert table.host.runtime.events.qsize() <= 64


async def test_an_opponent_that_talks_without_end_fills_no_queue(table: Hall) -> None:
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        seen: dict[str, int] = {}
        for number in range(FLOOD // 10):
            chat = Chat(
                game=table.host.offer.digest,
                author=KEYS[Role.GUEST].node,
                at_ms=number + 1,
                text="Are you there?",
            )
            table.inject(table.guest, encode(signed(chat, KEYS[Role.GUEST])))
        await until_quiet(table, seen)
        assert 0 < table.host.runtime.events.qsize() <= 65


@pytest.mark.requirement("MP-STATE-7")
async def test_parts_that_an_earlier_longer_game_left_are_cleared_and_mislead_nobody(
    table: Hall,
) -> None:
    earlier = Pair.started(created_ms=1)
    earlier.play("a7b6", "a1a2")
    stale = encode(signed(state_parts(earlier.host.ledger)[0], KEYS[Role.HOST]))
    name, host = table.host.offer.name, table.host.offer.host
    places = [TOPICS.state(name, host, number) for number in range(1000)]
    for place in places:
        table.broker.inject(place, stale, retain=True)
    seen: dict[str, int] = {}
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        await until_quiet(table, seen)
        retained = {place for place in places if table.broker.retained.get(place)}
        assert retained <= {places[0]}
        # Of a thousand parts the guest has parsed none.
        assert table.guest.runtime.admission.refused >= 999


async def test_forgeries_in_its_name_do_not_keep_a_node_from_asking_the_opponent_again(
    table: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.node.silence.FIRST_PAUSE_S", 0.05)
    stranger = SigningKey(bytes([9]) * 32)
    async with playing(table.host, table.guest):
        await table.host.until(Started)
        await table.guest.until(Started)
        waiting, asked = table.guest, asyncio.Event()
        topic = TOPICS.out(waiting.offer.name, waiting.offer.host, KEYS[Role.GUEST].node)

        def listen(message: Carried) -> list[Carried]:
            if message.topic == topic and b'"type":"sync"' in message.payload:
                asked.set()
            return [message]

        table.broker.interfere = listen
        number = 0
        while not asked.is_set():
            number += 1
            ledger = waiting.runtime.session.ledger
            false = forge(craft(ledger, Role.HOST, "resign"), stranger, ply=number % 99_999 + 1)
            table.inject(table.host, encode(false))
            await asyncio.sleep(0)


@pytest.mark.requirement("MP-STATE-6")
async def test_junk_where_hosts_are_asked_does_not_keep_the_answer_from_who_asks(
    table: Hall,
) -> None:
    async with playing(table.host):
        await table.host.until(OfferPublished)
        for number in range(FLOOD):
            table.broker.inject(
                (TOPICS.who(), TOPICS.who(table.host.offer.name))[number % 2], b"{}"
            )
        await until_read(table.host)
        before = len(table.said(table.host, "offer"))
        table.broker.inject(TOPICS.who(table.host.offer.name), encode(Who()))
        await until(lambda: len(table.said(table.host, "offer")) > before)


@pytest.mark.requirement("MP-STATE-6")
@pytest.mark.parametrize("left", ["nothing", "junk", "an older offer"])
async def test_an_offer_that_a_stranger_wipes_or_replaces_is_put_up_again_at_once(
    table: Hall, left: str
) -> None:
    offer = table.host.offer
    older = make_offer(created_ms=1, expires_ms=2)
    payload = {"nothing": b"", "junk": b"{}", "an older offer": encode(older)}[left]
    place = TOPICS.offer(offer.name, offer.host)
    async with playing(table.host):
        await table.host.until(OfferPublished)
        for _ in range(3):
            table.broker.inject(place, payload, retain=True)
            await until(lambda: table.broker.retained.get(place) == encode(offer))
        before, now = len(table.said(table.host, "offer")), asyncio.get_running_loop().time
        began = now()
        for _ in range(FLOOD):
            table.broker.inject(place, payload, retain=True)
        await until_read(table.host)
        await until(lambda: table.broker.retained.get(place) == encode(offer))
        most = RENEWALS + (now() - began) / RENEW_PAUSE_S
        assert 1 <= len(table.said(table.host, "offer")) - before <= most


async def test_a_later_offer_of_the_same_host_stays_in_its_place(table: Hall) -> None:
    offer = table.host.offer
    later = make_offer(created_ms=offer.created_ms + 1, expires_ms=offer.expires_ms + 1)
    place = TOPICS.offer(offer.name, offer.host)
    async with playing(table.host):
        await table.host.until(OfferPublished)
        before = len(table.said(table.host, "offer"))
        table.broker.inject(place, encode(later), retain=True)
        await until_read(table.host)
        assert table.broker.retained[place] == encode(later)
        assert len(table.said(table.host, "offer")) == before


async def test_a_game_has_few_enough_attributes_to_be_small_among_thousands(table: Hall) -> None:
    # From thirty on, CPython 3.11 gives each object a dictionary with keys of its own: five times
    # the memory.
    assert len(vars(table.host.runtime)) < 30
