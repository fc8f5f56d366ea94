"""The next game at a game: asked for, agreed to, crossing, declined, and by whose terms."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ataxxd.errors import LocalProtocolError
from ataxxd.node.errors import NobodyCame
from ataxxd.node.offers import is_rematch, rematch_offer
from ataxxd.node.settings import Settings
from ataxxd.rules import Position, Side
from ataxxd.session.events import Begun, Notice, OpponentStays, Over, RematchAsked, Said
from ataxxd.session.record import Standing, dump_record, standing_of
from ataxxd.times import SYSTEM_CLOCK
from ataxxd_protocol import TOPICS, decode
from ataxxd_protocol.messages import Offer
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, forge
from tests.memory_broker import Carried, MemoryBroker
from tests.time_limits import DEADLINE
from tests.unit.node.seated import SECRET, Player, two


async def until_over(host: Player, guest: Player) -> None:
    """End a game whose side to move is that of `host`, and let both hear of it."""
    await host.game.resign()
    await asyncio.gather(host.hears(Over), guest.hears(Over))


async def test_who_asks_hosts_the_next_game_with_colours_swapped_and_the_other_joins(
    tmp_path: Path,
) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        assert len(host.ended) == 1
        host.game.ask_rematch()
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        assert host.heard[-1] == Begun(Side.SECOND)
        assert guest.heard[-1] == Begun(Side.FIRST)
        assert host.game.outcome is None
        assert not host.game.moves
        # And once more, from the other chair.
        await guest.game.resign()
        await asyncio.gather(host.hears(Over), guest.hears(Over))
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        host.game.ask_rematch()
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        assert host.heard[-1] == Begun(Side.FIRST)
        await host.leaves()
        await guest.leaves()
        games = [ledger.offer for ledger in host.ended[:2]]
        assert games[1].rematch_of == games[0].digest
        assert games[1].host == guest.profile.key.node
        for ours, theirs in zip(host.ended[:2], guest.ended[:2], strict=True):
            assert standing_of(ours) is Standing.AGREED
            assert dump_record(ours) == dump_record(theirs)
        # The third is under way, and can be resumed by both.
        for each in (host, guest):
            (kept,) = each.profile.journal.unfinished("ourgame")
            assert kept.offer.rematch_of == games[1].digest
            assert Settings.restored(kept.settings).game == 3


async def test_that_the_other_player_stays_is_told_to_those_alone_whose_opponent_does(
    tmp_path: Path,
) -> None:
    async with two(tmp_path / "people", MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        await asyncio.gather(host.hears(OpponentStays), guest.hears(OpponentStays))
    # A club's table leaves when its game is over; the guest knows it by the broker as online.
    at_a_table = two(tmp_path / "table", MemoryBroker(), stays=False, of_guest={"stays": True})
    async with at_a_table as (host, guest):
        await until_over(host, guest)
        await guest.reads("your opponent has left")
        assert OpponentStays() not in guest.heard


@pytest.mark.requirement("MP-CHAT-1")
async def test_both_players_may_talk_between_two_games(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        assert len(host.ended) == 1  # its own connection is closed
        await host.game.say("good game")
        await guest.hears(Said)
        assert guest.heard[-1] == Said(Side.FIRST, "good game")
        await guest.game.say("thanks")
        await host.hears(Said)
        assert host.heard[-1] == Said(Side.SECOND, "thanks")
        host.game.ask_rematch()
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        await host.game.say("good luck")
        await guest.hears(Said)
        assert guest.heard[-1] == Said(Side.SECOND, "good luck")


async def test_what_is_said_while_the_other_player_has_no_connection_is_said_again(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        lost: list[Carried] = []

        def lose(message: Carried) -> list[Carried]:
            if not lost and b'"type":"chat"' in message.payload:
                lost.append(message)
                return []
            return [message]

        broker.interfere = lose
        await until_over(host, guest)
        await host.game.say("good game")
        await guest.hears(Said)
        assert guest.heard[-1] == Said(Side.FIRST, "good game")
        await host.game.say("again?")
        await guest.hears(Said)
        assert guest.heard[-1] == Said(Side.FIRST, "again?")
        assert len(lost) == 1


async def test_nobody_talks_to_a_player_who_has_left(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        assert "rematch" in host.game.can
        await guest.leaves()
        await host.reads("your opponent has left")
        assert "rematch" not in host.game.can
        with pytest.raises(LocalProtocolError, match="has left"):
            await host.game.say("good game")
        await host.leaves()
        with pytest.raises(LocalProtocolError, match="nobody would hear"):
            await host.game.say("good game")


def hold_offers(broker: MemoryBroker, many: int) -> list[Carried]:
    """Where the next so many offers of a rematch are put that the broker does not pass on."""
    held: list[Carried] = []

    def hold(message: Carried) -> list[Carried]:
        if message.topic.endswith("/offer") and message.payload and len(held) < many:
            offer = decode(message.payload)
            if isinstance(offer, Offer) and offer.rematch_of is not None:
                held.append(message)
                return []
        return [message]

    broker.interfere = hold
    return held


@pytest.mark.requirement("MP-AGAIN-2")
async def test_of_two_offers_that_cross_the_former_hosts_stands(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        await until_over(host, guest)
        held = hold_offers(broker, 2)
        for each in (guest, host):
            each.game.ask_rematch()
            await each.reads("you have asked")
        assert len(held) == 2
        for message in held:
            broker.inject(message.topic, message.payload, retain=True)
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        game = host.game.current.ledger.offer
        assert game == guest.game.current.ledger.offer
        assert game.host == host.profile.key.node
        # That the guest takes its own offer back means that it has agreed to the host's.
        notices = [each.text for each in host.heard if isinstance(each, Notice)]
        assert notices == ["you have asked for a rematch; your opponent must agree"]
        # Nothing is left of the guest's own offer.
        assert TOPICS.offer("ourgame", guest.profile.key.node) not in broker.retained
        assert [each.offer for each in guest.profile.journal.unfinished("ourgame")] == [game]


@pytest.mark.parametrize("steps", range(6))
async def test_an_offer_may_cross_at_any_moment_and_the_table_can_be_left(
    steps: int, tmp_path: Path
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        await until_over(host, guest)
        held = hold_offers(broker, 1)
        host.game.ask_rematch()
        await host.reads("you have asked")
        (offer,) = held
        broker.inject(offer.topic, offer.payload, retain=True)
        # Until the guest has heard of it some steps of its loop go by.
        for _ in range(steps):
            await asyncio.sleep(0)
        guest.game.ask_rematch()
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        await until_over(guest, host)
        async with asyncio.timeout(DEADLINE):
            await asyncio.gather(host.leaves(), guest.leaves())


async def test_who_leaves_takes_the_wish_back_and_the_other_is_told(tmp_path: Path) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        await until_over(host, guest)
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        await guest.leaves()
        await host.reads("no longer asks for a rematch")
        await host.reads("your opponent has left")
        assert TOPICS.offer("ourgame", guest.profile.key.node) not in broker.retained
        assert not guest.profile.journal.unfinished()
        await host.leaves()
        assert not host.profile.journal.unfinished()


async def test_a_rematch_with_a_player_who_has_left_is_refused_at_once(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        guest.game.ask_rematch()
        await host.hears(RematchAsked)
        await guest.leaves()
        await host.reads("your opponent has left")
        with pytest.raises(LocalProtocolError, match="Your opponent has left"):
            host.game.ask_rematch()
        await host.leaves()
        assert not host.profile.journal.unfinished()


async def test_who_waits_for_a_rematch_waits_no_longer_when_the_other_leaves(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker) as (host, guest):
        await until_over(host, guest)
        host.game.ask_rematch()
        await guest.hears(RematchAsked)
        await guest.leaves()
        await host.reads("your opponent has left: there will be no rematch")
        assert TOPICS.offer("ourgame", host.profile.key.node) not in broker.retained
        assert not host.profile.journal.unfinished()
        await host.leaves()


async def test_who_leaves_while_the_result_is_confirmed_is_known_to_have_left(
    tmp_path: Path,
) -> None:
    # A machine goes when the game is over.
    async with two(tmp_path, MemoryBroker(), of_guest={"stays": False}) as (host, guest):
        await until_over(host, guest)
        await guest.ends()
        await host.reads("your opponent has left")
        with pytest.raises(LocalProtocolError, match="has left"):
            host.game.ask_rematch()
        await host.leaves()


async def test_a_machine_says_once_more_that_it_leaves_to_who_was_between_two_connections(
    tmp_path: Path,
) -> None:
    broker = MemoryBroker()
    async with two(tmp_path, broker, of_guest={"stays": False}) as (host, guest):
        lost: list[Carried] = []

        def lose(message: Carried) -> list[Carried]:
            if not lost and b'"state":"left"' in message.payload:
                lost.append(message)
                return []
            return [message]

        broker.interfere = lose
        await until_over(host, guest)
        await guest.ends()
        await host.reads("your opponent")
        assert host.heard[-1] == Notice("your opponent has left")
        assert len(lost) == 1
        await host.leaves()


@pytest.mark.parametrize("whose", ["loser", "winner"])
async def test_who_leaves_at_the_end_at_once_is_known_to_have_left(
    whose: str, tmp_path: Path
) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        leaver, other = (host, guest) if whose == "loser" else (guest, host)
        await host.game.resign()
        await leaver.hears(Over)
        await leaver.leaves()
        await other.reads("your opponent")
        assert other.heard[-1] == Notice("your opponent has left")
        await other.leaves()


async def test_who_leaves_at_the_end_waits_for_nobody_for_ever(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        await asyncio.gather(host.leaves(), guest.leaves())


async def test_a_series_ends_when_the_other_player_leaves(tmp_path: Path) -> None:
    one = {"games": 1, "stays": True}
    async with two(tmp_path, MemoryBroker(), games=2, stays=False, of_guest=one) as (host, guest):
        await until_over(host, guest)
        await guest.hears(RematchAsked)
        await guest.leaves()
        with pytest.raises(NobodyCame, match="left after game 1 of 2"):
            await asyncio.wait_for(host.ends(), DEADLINE)


async def test_a_wish_before_the_end_is_refused_and_one_is_enough(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        assert "rematch" not in host.game.can
        with pytest.raises(LocalProtocolError, match="when the game is over"):
            host.game.ask_rematch()
        await until_over(host, guest)
        host.game.ask_rematch()
        host.game.ask_rematch()
        await host.reads("you have asked already")
        await host.leaves()
        await guest.leaves()


async def test_so_many_games_as_agreed_follow_each_other_unasked(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker(), games=2, stays=False) as (host, guest):
        await until_over(host, guest)
        assert not host.game.idle
        await asyncio.gather(host.hears(Begun), guest.hears(Begun))
        await guest.game.resign()
        await asyncio.gather(host.ends(), guest.ends())
        assert len(host.ended) == len(guest.ended) == 2
        assert "rematch" not in host.game.can
        for each in (host, guest):
            assert not each.profile.journal.unfinished()


@pytest.mark.requirement("MP-AGAIN-1")
async def test_only_the_other_player_by_the_same_terms_offers_a_rematch(tmp_path: Path) -> None:
    async with two(tmp_path, MemoryBroker()) as (host, guest):
        await until_over(host, guest)
        await host.leaves()
        await guest.leaves()
        (ended,) = host.ended
        key, us = guest.profile.key, host.profile.key.node
        offer = rematch_offer(key, ended, secret=SECRET, now_ms=SYSTEM_CLOCK.now_ms())
        assert is_rematch(offer, ended, us)
        assert not is_rematch(offer, ended, key.node)
        changes: list[dict[str, Any]] = [
            {"name": "theirgame"},
            {"ruleset": "ataxx/uai"},
            {"start": Position.start("ataxx/cs61b-2022").text.replace("x 0", "o 0")},
            {"opening": ["a7-b6"]},
            {"start_hash": "0" * 64},
            {"clock": {"move_ms": 1, "lag_ms": 0}},
            {"grace_ms": 1},
            {"takebacks": "never"},
            {"color": "second"},
            {"color": "random"},
            {"access": OTHER_KEY.node},
            {"access": "invited"},
            {"rematch_of": "0" * 64},
            {"rematch_of": None},
        ]
        for change in changes:
            assert not is_rematch(forge(offer, key, **change), ended, us), change
        for stranger in (OTHER_KEY, HOST_KEY, GUEST_KEY):
            other = forge(offer, stranger, host=stranger.node, key=stranger.public_key)
            assert not is_rematch(other, ended, us)
