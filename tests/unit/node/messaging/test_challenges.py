"""Challenges: taken, declined with a reason, or nobody answers; and who is meant by a name."""

import asyncio
import itertools
from collections.abc import Callable
from contextlib import closing

import pytest

from ataxxd.node.errors import ChallengeDeclined, NoSuchPlayer
from ataxxd.node.messaging.calls import Membership
from ataxxd.node.messaging.challenges import (
    Challenged,
    IncomingChallenges,
    OutgoingChallenge,
    find_challenged,
)
from ataxxd.node.messaging.letters import BUSY, Refusal, topic_of
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.node.names import NameBook
from ataxxd.times import Clock
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import Challenge, Decline, Offer
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, RULESET, make_offer
from tests.conformance.letters import CREATED_MS, GROUP, make_card, make_challenge, make_decline
from tests.memory_broker import MemoryBroker
from tests.messaging import Hand, open_messenger, until
from tests.unit.node.test_names import learn

CARD = {"name": "clubbot", "kind": "bot", "rulesets": [RULESET], "free": 1, "playing": 0}
FULL = Refusal(BUSY, "2 games are under way, and no more than 2 at a time.")
DIRECTED = Challenged(GUEST_KEY.node, None)

NO_NAMES = NameBook()


def to_guest(**changes: object) -> Offer:
    return make_offer(access=GUEST_KEY.node, **changes)


def incoming(
    messenger: Messenger, judge: Callable[[Challenge], Refusal | None] = lambda _: None
) -> tuple[IncomingChallenges, list[Challenge]]:
    """What takes the challenges that come, and what it took."""
    taken: list[Challenge] = []
    return IncomingChallenges(messenger, judge, taken.append), taken


def declines(broker: MemoryBroker) -> list[Decline]:
    said = [decode(carried.payload) for carried in broker.log if carried.payload]
    return [message for message in said if isinstance(message, Decline)]


@pytest.mark.requirement("MP-POST-3")
async def test_a_challenge_is_taken_once_however_often_it_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd.node.messaging.challenges.REPEAT_S", 0.01)
    broker, hand = MemoryBroker(), Hand()
    async with (
        open_messenger(broker, HOST_KEY, hand.clock) as ours,
        open_messenger(broker, GUEST_KEY, hand.clock) as theirs,
    ):
        here, taken = incoming(theirs)
        await here.open()
        challenging = OutgoingChallenge(ours, DIRECTED, to_guest(), text="Na, wie wär's?")
        running = asyncio.create_task(challenging.run())
        await until(lambda: len([c for c in broker.log if "/post/" in c.topic]) >= 3)
        running.cancel()
        assert taken == [challenging.challenge]
        assert (here.taken, here.declined, declines(broker)) == (1, 0, [])


@pytest.mark.requirement("MP-POST-3")
async def test_a_challenge_that_is_declined_ends_with_the_reason() -> None:
    broker, hand = MemoryBroker(), Hand()
    async with (
        open_messenger(broker, HOST_KEY, hand.clock) as ours,
        open_messenger(broker, GUEST_KEY, hand.clock) as theirs,
    ):
        here, taken = incoming(theirs, lambda _: FULL)
        await here.open()
        with pytest.raises(ChallengeDeclined, match="declines: 2 games are under way"):
            await OutgoingChallenge(ours, DIRECTED, to_guest()).run()
        (decline,) = declines(broker)
        assert decline.code == "challenge/busy"
        assert (here.declined, taken) == (1, [])


@pytest.mark.requirement("MP-POST-3")
async def test_a_challenge_that_was_taken_before_a_restart_is_neither_taken_nor_declined() -> None:
    broker, hand = MemoryBroker(), Hand()
    before, after = make_challenge(name="before"), make_challenge(name="after")
    taken: list[Challenge] = []
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here = IncomingChallenges(
            messenger,
            lambda _: None,
            taken.append,
            is_known=lambda game: game == before.offer.digest,
        )
        await here.open()
        for challenge in (before, after):
            broker.inject(topic_of(challenge), encode(challenge))
        await until(lambda: bool(taken))
        assert taken == [after]
        assert declines(broker) == []


@pytest.mark.requirement("MP-POST-3", "MP-HAND-3")
async def test_a_game_that_this_program_does_not_know_is_declined_before_anybody_is_asked() -> None:
    broker, hand = MemoryBroker(), Hand()
    challenge = make_challenge(ruleset="chess/usual", start="rnbqkbnr")
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here, taken = incoming(messenger)
        await here.open()
        broker.inject(topic_of(challenge), encode(challenge))
        await until(lambda: bool(declines(broker)))
        assert declines(broker)[0].code == "challenge/ruleset"
        assert taken == []


@pytest.mark.requirement("MP-POST-4")
async def test_a_decline_counts_only_by_the_challenged_node_and_of_this_challenge() -> None:
    broker, hand = MemoryBroker(), Hand()
    async with open_messenger(broker, HOST_KEY, hand.clock) as ours:
        challenging = OutgoingChallenge(ours, DIRECTED, to_guest())
        running = asyncio.create_task(challenging.run())
        await until(lambda: len(broker.log) >= 1)
        challenge = challenging.challenge
        before = make_challenge(name="before")
        for false in (
            make_decline(challenge, OTHER_KEY),
            make_decline(before),
            make_decline(challenge).model_copy(update={"reason": "Forged."}),
        ):
            broker.inject(topic_of(false), encode(false))
        true = make_decline(challenge, reason="True.", text="Später gern!")
        broker.inject(topic_of(true), encode(true))
        with pytest.raises(ChallengeDeclined, match="True"):
            await running
        assert "Später gern!" in str(running.exception())


@pytest.mark.requirement("MP-POST-4")
async def test_a_member_that_declines_a_call_leaves_it_to_the_others() -> None:
    broker, hand = MemoryBroker(), Hand()
    told: list[Decline] = []
    async with open_messenger(broker, HOST_KEY, hand.clock) as ours:
        challenging = OutgoingChallenge(
            ours, Challenged(None, GROUP), make_offer(), on_decline=told.append
        )
        running = asyncio.create_task(challenging.run())
        await until(lambda: len(broker.log) >= 1)
        for key in (GUEST_KEY, GUEST_KEY, OTHER_KEY):
            decline = make_decline(challenging.challenge, key, reason=f"Busy {key.node}.")
            broker.inject(topic_of(decline), encode(decline))
        await until(lambda: len(told) == 2)
        assert not running.done()
        running.cancel()


@pytest.mark.parametrize("by_turns", [True, False])
async def test_a_member_that_is_full_declines_only_where_nobody_else_hears_the_call(
    by_turns: bool,
) -> None:
    broker, hand = MemoryBroker(), Hand()
    call = make_challenge(group=GROUP)
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here, taken = incoming(messenger, lambda _: FULL)
        membership = Membership(messenger, GROUP)
        membership.by_turns = by_turns
        await membership.listen(True)
        await here.open({GROUP: membership})
        broker.inject(topic_of(call), encode(call))
        # What comes after it tells that it was heard.
        direct = make_challenge(name="direct")
        broker.inject(topic_of(direct), encode(direct))
        await until(lambda: len(declines(broker)) == (2 if by_turns else 1))
        assert {decline.answers for decline in declines(broker)} == (
            {call.digest, direct.digest} if by_turns else {direct.digest}
        )
        assert taken == []


async def test_a_call_that_the_broker_gives_to_a_full_member_goes_to_another_when_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd.node.messaging.challenges.REPEAT_S", 0.02)
    broker, hand = MemoryBroker(), Hand()
    async with (
        open_messenger(broker, HOST_KEY, hand.clock) as ours,
        open_messenger(broker, GUEST_KEY, hand.clock) as full,
        open_messenger(broker, OTHER_KEY, hand.clock) as free,
    ):
        one, declining = incoming(full, lambda _: FULL)
        two, taking = incoming(free)
        for messenger, here in ((full, one), (free, two)):
            membership = Membership(messenger, GROUP)
            membership.by_turns = True
            await membership.listen(True)
            await here.open({GROUP: membership})
        told: list[Decline] = []
        challenging = OutgoingChallenge(
            ours, Challenged(None, GROUP), make_offer(), on_decline=told.append
        )
        running = asyncio.create_task(challenging.run())
        await until(lambda: bool(taking))
        running.cancel()
        assert declining == []
        assert [decline.author for decline in told] == [GUEST_KEY.node]


async def test_a_call_to_a_group_is_taken_by_the_reception() -> None:
    broker, hand = MemoryBroker(), Hand()
    call = make_challenge(group=GROUP)
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here, taken = incoming(messenger)
        membership = Membership(messenger, GROUP)
        membership.by_turns = False
        await membership.listen(True)
        await here.open({GROUP: membership})
        broker.inject(topic_of(call), encode(call))
        await until(lambda: taken == [call])


async def test_a_player_is_found_by_name_by_id_and_by_group() -> None:
    broker = MemoryBroker()
    async with (
        open_messenger(broker, GUEST_KEY) as bot,
        open_messenger(broker, HOST_KEY) as messenger,
    ):
        await bot.read_cards()
        bot.card.publish(**CARD, groups=[GROUP])
        by_name = await find_challenged(messenger, "clubbot", names=NO_NAMES)
        assert (by_name.node, by_name.group) == (GUEST_KEY.node, None)
        assert by_name.title.startswith("clubbot ")
        assert (
            await find_challenged(messenger, GUEST_KEY.node[:5], names=NO_NAMES)
        ).node == GUEST_KEY.node
        assert (await find_challenged(messenger, GROUP, names=NO_NAMES)).group == GROUP


async def test_who_is_away_is_called_by_the_nickname_that_is_known_of_it() -> None:
    async with open_messenger(MemoryBroker(), HOST_KEY) as messenger:
        with closing(NameBook(None)) as book:
            learn(book, GUEST_KEY, name="bob")
            for who in ("bob", "Bob", GUEST_KEY.node):
                found = await find_challenged(messenger, who, seconds=0.05, names=book)
                assert (found.node, found.title.split()[0]) == (GUEST_KEY.node, "bob")


async def test_whoever_took_the_nickname_of_another_is_not_challenged_by_it() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY) as bot, open_messenger(broker, HOST_KEY) as ours:
        await bot.read_cards()
        bot.card.publish(**CARD)
        with closing(NameBook(None, Clock(wall=itertools.count().__next__))) as book:
            learn(book, GUEST_KEY, name="bob")
            learn(book, OTHER_KEY, name="bob")
            found = await find_challenged(ours, "bob", names=book)
            assert (found.node, found.card_name) == (GUEST_KEY.node, "clubbot")
            learn(book, OTHER_KEY, name="clubbot", at_ms=CREATED_MS + 1)
            with pytest.raises(NoSuchPlayer, match="2 players are called"):
                await find_challenged(ours, "clubbot", names=book)


async def test_a_whole_id_needs_no_card_and_anything_else_does() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, HOST_KEY) as messenger:
        found = await find_challenged(messenger, GUEST_KEY.node, seconds=0.05, names=NO_NAMES)
        assert (found.node, found.cards) == (GUEST_KEY.node, ())
        with pytest.raises(NoSuchPlayer, match="ataxxd players"):
            await find_challenged(messenger, "clubbot", seconds=0.05, names=NO_NAMES)


async def test_two_players_of_one_name_are_told_apart_by_their_ids() -> None:
    broker = MemoryBroker()
    async with (
        open_messenger(broker, GUEST_KEY) as one,
        open_messenger(broker, OTHER_KEY) as two,
        open_messenger(broker, HOST_KEY) as messenger,
    ):
        for bot in (one, two):
            await bot.read_cards()
            bot.card.publish(**CARD)
        with pytest.raises(NoSuchPlayer, match="2 players are called"):
            await find_challenged(messenger, "clubbot", names=NO_NAMES)


async def test_what_the_cards_say_against_a_game_is_told() -> None:
    board = [make_card(free=0)]
    full = Challenged(GUEST_KEY.node, None, tuple(board))
    assert "no game free" in str(full.find_obstacle(RULESET))
    assert "does not say that it plays reversi/othello" in str(
        full.find_obstacle("reversi/othello")
    )
    free = Challenged(None, GROUP, (make_card(free=0), make_card(HOST_KEY)))
    assert free.find_obstacle(RULESET) is None
    assert DIRECTED.find_obstacle(RULESET) is None


async def test_a_challenge_that_is_longer_than_a_message_is_not_begun() -> None:
    moves = tuple("a1b2c3d4" for _ in range(1_500))
    async with open_messenger(MemoryBroker(), HOST_KEY) as messenger:
        with pytest.raises(ValueError, match="over the limit"):
            OutgoingChallenge(messenger, DIRECTED, to_guest(opening=moves))
