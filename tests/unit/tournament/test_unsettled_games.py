"""Games of an event that the next round has overtaken: settled all the same, by both players."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from ataxxd.node.game_run import GameRun
from ataxxd.session.events import Over
from ataxxd.session.record import Standing, dump_record, standing_of
from ataxxd.session.state import Role
from ataxxd.tournament.feed import EventFeed
from ataxxd.tournament.playing import EventFollower, UnsettledGames, run_during_round
from ataxxd_protocol import MalformedMessage, decode, signed
from ataxxd_protocol.messages import EventRound, Score
from tests.conformance.games import HOST_KEY
from tests.conformance.tournaments import NOW_MS, make_plan
from tests.memory_broker import Carried, MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import Player, two


class Event(EventFollower):
    """An event whose rounds come when the test says so."""

    def __init__(self, broker: MemoryBroker) -> None:
        super().__init__(EventFeed(make_plan(2, rounds=1)), broker.connect())

    def goes_on(self) -> None:
        """Publish the next round."""
        tournament = self.feed.tournament
        following = signed(tournament.next_round([], created_ms=NOW_MS), HOST_KEY)
        assert isinstance(following, EventRound)
        assert self.feed.accept_round(following)
        self._news.set()


def without_scores(broker: MemoryBroker) -> list[Carried]:
    """Where the players' scores are put, which the broker does not pass on."""
    held: list[Carried] = []

    def hold(message: Carried) -> list[Carried]:
        try:
            score = message.topic.endswith("/out") and isinstance(decode(message.payload), Score)
        except MalformedMessage:
            score = False
        if score:
            held.append(message)
        return [] if score else [message]

    broker.interfere = hold
    return held


@asynccontextmanager
async def settling(
    *players: Player, lost: Role | None = None
) -> AsyncIterator[tuple[list[UnsettledGames], list[GameRun]]]:
    """The players' unfinished games are settled beside what the test does."""
    settled: list[GameRun] = []
    async with asyncio.timeout(DEADLINE), asyncio.TaskGroup() as group:
        made = []
        for player in players:
            unsettled = UnsettledGames(player.place, group, settled.append)
            for stored in player.profile.journal.unfinished():
                unsettled.settle_later(stored, lost=None if lost is None else stored.role is lost)
                unsettled.settle_later(stored)  # once more is nothing new
            made.append(unsettled)
        yield made, settled


def agreed_by_both(*players: Player) -> str:
    """The score of the one game that both have finished, with the same record."""
    ledgers = []
    for player in players:
        assert not player.profile.journal.unfinished()
        ((game, role),) = player.profile.journal.finished()
        stored = player.profile.journal.find(game, role)
        assert stored is not None
        ledgers.append(player.profile.journal.ledger(stored))
    assert {standing_of(each) for each in ledgers} == {Standing.AGREED}
    assert len({dump_record(each) for each in ledgers}) == 1
    outcome = ledgers[0].outcome
    assert outcome is not None
    return outcome.score


async def test_a_game_that_is_over_is_settled_though_the_event_goes_on(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker, stays=False) as players:
        held = without_scores(broker)
        host, guest = players
        await host.game.resign()
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        event = Event(broker)
        works = [asyncio.create_task(each.ends()) for each in players]
        waits = [
            asyncio.create_task(
                run_during_round(event, 0, work, is_over=lambda: True, confirmation_s=60)
            )
            for work in works
        ]
        event.goes_on()
        broker.interfere = lambda message: [message]
        for message in held:
            broker.inject(message.topic, message.payload)
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(*waits)
        assert not any(work.cancelled() for work in works)
        assert agreed_by_both(*players) == "0-1"


async def test_a_game_that_is_not_over_is_left_when_the_event_goes_on(tmp_path: Path) -> None:
    broker = MemoryBroker()
    event = Event(broker)
    work = asyncio.create_task(asyncio.Event().wait())
    waits = asyncio.create_task(
        run_during_round(event, 0, work, is_over=lambda: False, confirmation_s=DEADLINE)
    )
    event.goes_on()
    async with asyncio.timeout(DEADLINE / 2):
        await waits
    assert work.cancelled()


async def test_who_was_stopped_before_the_scores_settles_the_game_in_a_later_round(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as players:
        without_scores(broker)
        host, guest = players
        await host.game.resign()
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        for each in players:
            await each.close()
        broker.interfere = lambda message: [message]
        async with settling(*players) as (unsettled, settled):
            assert [await each.finish(DEADLINE) for each in unsettled] == [[], []]
        assert len(settled) == 2
        assert agreed_by_both(*players) == "0-1"


@pytest.mark.parametrize("moves", [0, 1])
async def test_who_had_to_act_when_the_time_was_up_resigns(tmp_path: Path, moves: int) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as players:
        host, guest = players
        for _ in range(moves):
            await host.game.play(host.game.position.legal_moves[0])
            await guest.game.advance()
        for each in players:
            await each.close()
        lost = Role.GUEST if moves else Role.HOST
        async with settling(*players, lost=lost) as (unsettled, _):
            assert [await each.finish(DEADLINE) for each in unsettled] == [[], []]
        assert agreed_by_both(*players) == ("1-0" if moves else "0-1")


async def test_what_nobody_confirms_is_said_in_the_end(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as players:
        without_scores(broker)
        host, guest = players
        await host.game.resign()
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        for each in players:
            await each.close()
        async with settling(host) as ((unsettled,), settled):
            (left,) = await unsettled.finish(0.01)
        assert left.offer.name == "ourgame"
        assert not settled
        assert host.profile.journal.unfinished() == [left]
