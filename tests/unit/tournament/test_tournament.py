"""Running and following an event: what is published, kept, put up again, and believed."""

import asyncio
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import StorageError
from ataxxd.node.game_finder import SETTLE_S, GameName
from ataxxd.session.record import dump_record, state_parts
from ataxxd.session.state import Role
from ataxxd.tournament.feed import EventFeed, EventNotFoundError, find_plan, read_event
from ataxxd.tournament.folder import EventFolder
from ataxxd.tournament.hosting import EventHost, unpublish_event
from ataxxd.tournament.playing import OurGame, contradiction, our_game
from ataxxd.tournament.tournament import Tournament
from ataxxd_protocol import Topics, encode, signed
from ataxxd_protocol.messages import EventPlan, Result
from ataxxd_protocol.signing import digest
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, Pair, forge
from tests.conformance.tournaments import make_plan, one_more, results
from tests.memory_broker import Carried, MemoryBroker, MemoryTransport
from tests.time_limits import DEADLINE

TOPICS = Topics()


def duel(**changes: Any) -> EventPlan:
    """An event of two players and one round, begun just now."""
    fields = {"rounds": 1, "created_ms": time.time_ns() // 1_000_000 - 1000, "round_ms": 600_000}
    return make_plan(2, key=OTHER_KEY, **fields | changes)


def hosted(plan: EventPlan, folder: Path, broker: MemoryBroker, **options: Any) -> EventHost:
    kept = EventFolder(folder)
    if not kept.exists:
        kept.write_document(plan)
    options = {"catch_up_s": 0.05} | options
    return EventHost(OTHER_KEY, kept, broker.connect, lambda *_: None, **options)


def played(plan: EventPlan, broker: MemoryBroker, *moves: str, resigned: bool = True) -> Pair:
    """The game of the duel, as its players leave it on the broker."""
    now = time.time_ns() // 1_000_000
    terms = {"access": GUEST_KEY.node, "created_ms": now, "expires_ms": now + 600_000}
    pair = Pair.started(name=f"{plan.name}-r1-b1", **terms)
    pair.play(*moves)
    if resigned:
        role = pair.host.ledger.on_turn
        assert role is not None
        pair.carry(role, pair.players[role].resign())
    offer = pair.offer
    broker.inject(TOPICS.offer(offer.name, offer.host), encode(offer), retain=True)
    for part in state_parts(pair.host.ledger):
        topic = TOPICS.state(offer.name, offer.host, part.part)
        broker.inject(topic, encode(signed(part, HOST_KEY)), retain=True)
    return pair


async def until(condition: Callable[[], bool]) -> None:
    """Let others work until something holds."""
    async with asyncio.timeout(DEADLINE):
        while not condition():  # noqa: ASYNC110 - the broker tells nobody
            await asyncio.sleep(0)


async def test_a_game_on_the_broker_becomes_the_result_and_its_record_is_kept(
    tmp_path: Path,
) -> None:
    plan, broker = duel(), MemoryBroker()
    pair = played(plan, broker, "g2")
    host = hosted(plan, tmp_path, broker)
    async with asyncio.timeout(DEADLINE):
        await host.run()
    (result,) = host.tournament.rounds[1].results
    record = dump_record(pair.host.ledger)
    assert (result.score, result.record) == ("1-0", digest(record))
    assert EventFolder(tmp_path).records() == {"open-r1-b1": record}
    assert host.tournament.over


@pytest.mark.parametrize(("offered", "score"), [(False, "0-1"), (True, "1-0")])
async def test_who_does_not_come_in_time_has_lost(
    tmp_path: Path, offered: bool, score: str
) -> None:
    plan, broker = duel(round_ms=1000), MemoryBroker()
    if offered:
        pair = Pair.make(
            name="open-r1-b1", access=GUEST_KEY.node, created_ms=time.time_ns() // 1_000_000
        )
        offer = pair.offer
        broker.inject(TOPICS.offer(offer.name, offer.host), encode(offer), retain=True)
    host = hosted(plan, tmp_path, broker)
    async with asyncio.timeout(DEADLINE):
        await host.run()
    (result,) = host.tournament.rounds[1].results
    assert (result.score, result.record) == (score, None)


@pytest.mark.requirement("MP-EVENT-9")
async def test_who_had_to_act_when_the_time_is_up_has_lost(tmp_path: Path) -> None:
    plan, broker = duel(round_ms=1000), MemoryBroker()
    pair = played(plan, broker, "g2", "b1", resigned=False)
    assert pair.host.ledger.on_turn is Role.HOST
    host = hosted(plan, tmp_path, broker)
    async with asyncio.timeout(DEADLINE):
        await host.run()
    (result,) = host.tournament.rounds[1].results
    assert (result.score, result.game) == ("0-1", pair.offer.digest)


async def test_a_game_by_other_terms_is_not_the_pairings(tmp_path: Path) -> None:
    plan, broker = duel(round_ms=1000, takebacks="never"), MemoryBroker()
    played(plan, broker)
    host = hosted(plan, tmp_path, broker)
    async with asyncio.timeout(DEADLINE):
        await host.run()
    assert host.tournament.rounds[1].results[0].record is None


@pytest.mark.requirement("MP-EVENT-12")
async def test_a_round_is_kept_before_it_is_said_and_stays_the_same_after_a_restart(
    tmp_path: Path,
) -> None:
    plan, broker = duel(), MemoryBroker()
    said: list[tuple[str, bool]] = []

    def watch(carried: Carried) -> Iterable[Carried]:
        number = carried.topic.removeprefix(TOPICS.event("open", plan.host) + "/")
        if number.isdecimal():
            said.append((number, (tmp_path / f"round-{number}.json").exists()))
        return [carried]

    broker.interfere = watch
    first = TOPICS.event("open", plan.host, 1)
    running = asyncio.create_task(hosted(plan, tmp_path, broker).run())
    await until(lambda: first in broker.retained)
    payload = broker.retained[first]
    running.cancel()
    await asyncio.wait({running})
    # The broker forgets, and the game is played while the host is away.
    broker.retained.clear()
    played(plan, broker, "g2")
    async with asyncio.timeout(DEADLINE):
        await hosted(plan, tmp_path, broker).run()
    assert broker.retained[first] == payload
    assert said == [("1", True), ("1", True), ("2", True)]


@pytest.mark.requirement("MP-EVENT-12")
async def test_a_folder_from_a_backup_learns_what_was_published_since(tmp_path: Path) -> None:
    plan, broker = duel(), MemoryBroker()
    first = TOPICS.event("open", plan.host, 1)
    running = asyncio.create_task(hosted(plan, tmp_path / "new", broker).run())
    await until(lambda: first in broker.retained)
    running.cancel()
    await asyncio.wait({running})
    payload = broker.retained[first]
    played(plan, broker, "g2")
    old = hosted(plan, tmp_path / "old", broker, catch_up_s=DEADLINE)
    async with asyncio.timeout(DEADLINE):
        await old.run()
    assert broker.retained[first] == payload
    assert old.tournament.over


@pytest.mark.requirement("MP-EVENT-12")
async def test_a_folder_that_the_broker_contradicts_is_not_gone_on_with(tmp_path: Path) -> None:
    plan, broker = duel(), MemoryBroker()
    for number, place in enumerate(("one", "other")):
        tournament = Tournament(plan)
        made = tournament.next_round([], created_ms=plan.created_ms + number)
        following = signed(made, OTHER_KEY)
        folder = EventFolder(tmp_path / place)
        folder.write_document(plan)
        folder.write_document(following)
        if place == "one":
            topic = TOPICS.event("open", plan.host, 1)
            broker.inject(topic, encode(following), retain=True)
    before = dict(broker.retained)
    with pytest.raises(StorageError, match="Restore the newest copy"):
        await hosted(plan, tmp_path / "other", broker, catch_up_s=DEADLINE).run()
    assert broker.retained == before


async def test_a_folder_that_cannot_be_written_stops_the_event_unsaid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, broker = duel(), MemoryBroker()
    host = hosted(plan, tmp_path, broker)

    def fail(*_: object) -> None:
        raise StorageError("The disk is full.")

    monkeypatch.setattr(EventFolder, "write_document", fail)
    with pytest.raises(StorageError):
        await host.run()
    assert list(broker.retained) == [TOPICS.event("open", plan.host)]


@pytest.mark.requirement("MP-EVENT-11")
async def test_documents_that_are_cleared_changed_or_lost_are_put_up_again(
    tmp_path: Path,
) -> None:
    plan, broker = duel(), MemoryBroker()
    host = hosted(plan, tmp_path, broker)
    running = asyncio.create_task(host.run())
    topics = [TOPICS.event("open", plan.host, number) for number in (0, 1)]
    await until(lambda: all(topic in broker.retained for topic in topics))
    right = dict(broker.retained)
    broker.inject(topics[0], b"", retain=True)
    await until(lambda: broker.retained == right)
    broker.inject(topics[1], b"{}", retain=True)
    await until(lambda: broker.retained == right)
    broker.stop()
    assert broker.retained == {}
    broker.start()
    await until(lambda: broker.retained == right)
    running.cancel()
    await asyncio.wait({running})
    async with broker.connect() as transport:
        await unpublish_event(transport, plan)
    assert broker.retained == {}


async def test_the_plan_is_put_up_again_for_whoever_asks(tmp_path: Path) -> None:
    plan, broker = duel(), MemoryBroker()
    running = asyncio.create_task(hosted(plan, tmp_path, broker).run())
    first = TOPICS.event("open", plan.host, 1)
    await until(lambda: first in broker.retained)
    # As some brokers do for a wildcard: what is retained does not come.
    broker.retained.clear()
    async with broker.connect() as transport:
        assert await find_plan(transport, GameName("open"), seconds=DEADLINE) == plan
    running.cancel()
    await asyncio.wait({running})


async def test_who_withdraws_is_not_paired_again(tmp_path: Path) -> None:
    plan, broker = duel(rounds=2), MemoryBroker()
    played(plan, broker, "g2")
    first = TOPICS.event("open", plan.host, 1)
    running = asyncio.create_task(hosted(plan, tmp_path, broker).run())
    await until(lambda: first in broker.retained)
    running.cancel()
    await asyncio.wait({running})
    host = hosted(plan, tmp_path, broker, withdrawn=[GUEST_KEY.node])
    async with asyncio.timeout(DEADLINE):
        await host.run()
    _, second, _ = host.tournament.rounds
    assert (second.withdrawn, second.byes) == ((GUEST_KEY.node,), (HOST_KEY.node,))
    assert [line.points for _, line in host.tournament.standings()] == [4, 0]


def test_a_player_is_told_of_a_result_against_what_both_signed() -> None:
    plan = make_plan(2, rounds=1)
    tournament = Tournament(plan)
    for said in ([], [Result(score="1-0")]):
        made = tournament.next_round(said, created_ms=plan.created_ms)
        tournament.accept_round(signed(made, HOST_KEY))
    terms = {"name": "open-r1-b1", "access": GUEST_KEY.node, "created_ms": plan.created_ms}
    pair = Pair.started(**terms)
    assert our_game(Tournament(plan), HOST_KEY.node) is None
    board = tournament.boards[0]
    game = OurGame(board, Role.HOST, plan.created_ms)
    assert contradiction(tournament, game, pair.host.ledger) is None
    pair.carry(Role.HOST, pair.host.resign())
    told = contradiction(tournament, game, pair.host.ledger)
    assert told is not None
    assert "ended 0-1, which both players have signed" in told


async def test_an_event_is_read_in_whatever_order_its_rounds_come() -> None:
    tournament = Tournament(make_plan(5))
    rounds = [one_more(tournament) for _ in range(4)]
    feed = EventFeed(tournament.plan)
    assert [feed.accept_round(each) for each in reversed(rounds)] == [False, False, False, True]
    assert feed.tournament.rounds == tournament.rounds
    assert feed.tournament.over
    assert not feed.accept_round(rounds[0])


async def test_a_forged_round_does_not_take_the_place_of_one_that_waits() -> None:
    tournament = Tournament(make_plan(4))
    first, second = one_more(tournament), one_more(tournament)
    feed = EventFeed(tournament.plan)
    for each in (second, forge(second, OTHER_KEY), second.model_copy(update={"sig": "0" * 128})):
        assert not feed.accept_round(each)
    assert feed.accept_round(first)
    assert feed.tournament.rounds == [first, second]
    assert feed.fault is None


@pytest.mark.requirement("MP-EVENT-2", "MP-EVENT-3")
async def test_a_forged_round_is_ignored_and_two_rounds_of_one_number_are_a_fault() -> None:
    tournament = Tournament(make_plan(4))
    first = one_more(tournament)
    second = signed(
        tournament.next_round(results(tournament, ["1-0"]), created_ms=first.created_ms), HOST_KEY
    )
    other = signed(
        tournament.next_round(results(tournament, ["0-1"]), created_ms=first.created_ms), HOST_KEY
    )
    feed = EventFeed(tournament.plan)
    for forged in (forge(first, OTHER_KEY), first.model_copy(update={"created_ms": 1})):
        assert not feed.accept_round(forged)
    assert feed.accept_round(first)
    assert feed.accept_round(second)
    assert not feed.accept_round(forge(other, OTHER_KEY))
    faults = [feed.fault]
    assert feed.accept_round(other)
    faults.append(feed.fault)
    assert [each and each.code for each in faults] == [None, "round/double"]
    assert feed.tournament.rounds == [first, second]


def test_a_plan_is_found_by_its_name_and_the_beginning_of_its_hosts_id() -> None:
    async def story() -> None:
        broker, plan = MemoryBroker(), make_plan(4)
        tournament = Tournament(plan)
        rounds = [one_more(tournament), one_more(tournament)]
        forged = make_plan(3).model_copy(update={"seed": 9})
        broker.inject(TOPICS.event("open", plan.host), encode(plan), retain=True)
        broker.inject(TOPICS.event("open", GUEST_KEY.node), encode(forged), retain=True)
        for each in rounds:
            topic = TOPICS.event("open", plan.host, each.number)
            broker.inject(topic, encode(each), retain=True)
        async with broker.connect() as transport:
            found = await find_plan(transport, GameName("open", plan.host[:4]))
            assert found == plan
        async with broker.connect() as transport:
            feed = await read_event(transport, plan)
            assert feed.tournament.rounds == rounds
        async with broker.connect() as transport:
            with pytest.raises(EventNotFoundError, match="looked for"):
                await find_plan(transport, GameName("other"))

    run_virtually(story(), VirtualLoop())


def test_all_rounds_are_read_from_a_slow_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    subscribe = MemoryTransport.subscribe

    async def slowly(self: MemoryTransport, pattern: str) -> None:
        await asyncio.sleep(2 * SETTLE_S)
        await subscribe(self, pattern)

    async def story() -> None:
        broker, plan = MemoryBroker(), make_plan(4)
        tournament = Tournament(plan)
        rounds = [one_more(tournament), one_more(tournament)]
        for each in rounds:
            topic = TOPICS.event("open", plan.host, each.number)
            broker.inject(topic, encode(each), retain=True)
        async with broker.connect() as transport:
            feed = await read_event(transport, plan)
        assert feed.tournament.rounds == rounds

    monkeypatch.setattr(MemoryTransport, "subscribe", slowly)
    run_virtually(story(), VirtualLoop())


async def test_a_folder_whose_documents_were_changed_is_not_used(tmp_path: Path) -> None:
    tournament = Tournament(make_plan(4))
    folder = EventFolder(tmp_path)
    folder.write_document(tournament.plan)
    folder.write_document(one_more(tournament))
    assert folder.load().tournament.rounds == tournament.rounds
    path = tmp_path / "round-1.json"
    path.write_bytes(path.read_bytes().replace(b'"number":1', b'"number":2'))
    with pytest.raises(StorageError, match=r"round-1\.json"):
        folder.load()
    (tmp_path / "plan.json").write_bytes(b"{}\n")
    with pytest.raises(StorageError, match=r"plan\.json is damaged"):
        folder.load()
