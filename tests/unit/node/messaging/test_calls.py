"""Which member of a group takes a call: one, and another one when it does not."""

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.node.messaging.calls import PROBE_S, Membership, rank_members, supports_sharing
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.transport.shared import SharedConnection
from ataxxd_protocol import SigningKey, decode, encode
from ataxxd_protocol.messages import Analyse, CallClaim, Challenge
from tests.chaos.loop import VirtualLoop, run_virtually
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, RULESET
from tests.conformance.letters import GROUP, make_card, make_challenge, make_claim, make_question
from tests.memory_broker import Carried, MemoryBroker
from tests.messaging import TOPICS, Hand, open_messenger, until
from tests.time_limits import DEADLINE

KEYS = [SigningKey(bytes([number]) * 32) for number in range(10, 13)]
CARD = {"name": "bot", "kind": "bot", "groups": [GROUP], "free": 1, "playing": 0, "nodes": 1_000}


class Member:
    """A member that would take everything.

    Attributes:
        took: the calls that were its own.
    """

    def __init__(self, messenger: Messenger, membership: Membership) -> None:
        self.messenger = messenger
        self.membership = membership
        self.node = messenger.key.node
        self.took: list[str] = []
        self.heard = 0
        messenger.on(Analyse, self._on_call)
        messenger.on(Challenge, self._on_call)

    def _on_call(self, call: Analyse | Challenge) -> None:
        self.heard += 1
        self.messenger.spawn(self._take(call), "a call")

    async def _take(self, call: Analyse | Challenge) -> None:
        if await self.membership.is_ours(call):
            self.took.append(call.digest)


@asynccontextmanager
async def members(
    broker: MemoryBroker, hand: Hand, keys: Sequence[SigningKey] = KEYS, *, by_turns: bool = False
) -> AsyncIterator[list[Member]]:
    """Members of one group that know each other."""
    async with AsyncExitStack() as stack:
        made = []
        for key in keys:
            messenger = await stack.enter_async_context(open_messenger(broker, key, hand.clock))
            await messenger.read_cards()
            messenger.card.publish(**CARD, rulesets=[RULESET])
            membership = Membership(messenger, GROUP)
            membership.by_turns = by_turns
            await membership.listen(True)
            made.append(Member(messenger, membership))
        nodes = {key.node for key in keys}
        await until(
            lambda: all(
                member.messenger.cards.members(GROUP) >= nodes - {member.node} for member in made
            )
        )
        yield made


def call(broker: MemoryBroker, letter: Analyse) -> None:
    broker.inject(TOPICS.call(letter.author, GROUP), encode(letter))


def claims(broker: MemoryBroker) -> list[str]:
    """Who has claimed, in order."""
    said = [decode(carried.payload) for carried in broker.log if "/call/" in carried.topic]
    return [message.author for message in said if isinstance(message, CallClaim)]


def by_rank(made: Sequence[Member], letter: Analyse) -> list[Member]:
    order = rank_members(letter.digest, [member.node for member in made])
    return sorted(made, key=lambda member: order.index(member.node))


@pytest.mark.requirement("MP-CALL-1")
def test_the_ranking_is_by_the_hash_of_call_and_member() -> None:
    call = "ab" * 32
    nodes = [key.node for key in KEYS]
    weights = {node: hashlib.sha256(f"{call}\n{node}".encode()).hexdigest() for node in nodes}
    assert rank_members(call, nodes) == sorted(nodes, key=lambda node: weights[node], reverse=True)


@given(st.sets(st.text("abcdefghij234567", min_size=20, max_size=20), min_size=1), st.data())
def test_where_a_member_leaves_the_others_keep_their_order(
    nodes: set[str], data: st.DataObject
) -> None:
    order = rank_members("cd" * 32, nodes)
    gone = data.draw(st.sampled_from(order))
    assert rank_members("cd" * 32, nodes - {gone}) == [node for node in order if node != gone]
    assert rank_members("cd" * 32, reversed(order)) == order


def test_the_calls_are_spread_over_the_members() -> None:
    nodes = [key.node for key in KEYS]
    firsts = [rank_members(hashlib.sha256(bytes([n])).hexdigest(), nodes)[0] for n in range(100)]
    assert min(firsts.count(node) for node in nodes) >= 20


@pytest.mark.requirement("MP-CALL-2")
async def test_each_call_is_taken_by_the_first_of_the_ranking_alone() -> None:
    broker, hand = MemoryBroker(), Hand()
    questions = [make_question(nodes=number) for number in range(1, 7)]
    async with members(broker, hand) as made:
        for question in questions:
            call(broker, question)
        await until(lambda: sum(len(member.took) for member in made) >= len(questions))
        for question in questions:
            assert question.digest in by_rank(made, question)[0].took
        # Everybody has heard the claims, so nobody waits any more.
        await until(lambda: all(member.heard == len(questions) for member in made))
        assert len(claims(broker)) == len(questions)


@pytest.mark.requirement("MP-CALL-2", "MP-CALL-4")
async def test_the_next_of_the_ranking_takes_a_call_whose_first_has_died() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    async with members(broker, hand) as made:
        first, second, third = by_rank(made, question)
        # Dead, and its card is still there.
        await first.membership.listen(False)
        await first.messenger.stop_reading_calls(GROUP, by_turns=False)
        call(broker, question)
        await until(lambda: bool(second.took))
        await until(lambda: bool(third.membership._calls[question.digest].claims))
        assert claims(broker) == [second.node]
        assert not third.took


@pytest.mark.requirement("MP-CALL-2")
async def test_a_claim_of_who_is_no_member_counts_for_nothing() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    stranger = next(
        key
        for key in (SigningKey(bytes([n, 77] * 16)) for n in range(100))
        if rank_members(question.digest, [key.node, *(each.node for each in KEYS)])[0] == key.node
    )
    async with members(broker, hand) as made:
        claim = make_claim(question, stranger)
        broker.inject(TOPICS.call(stranger.node, GROUP), encode(claim))
        call(broker, question)
        await until(lambda: bool(by_rank(made, question)[0].took))


@pytest.mark.requirement("MP-CALL-1")
async def test_a_member_whose_card_has_no_game_free_is_passed_over_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Nobody would wait so long for it.
    monkeypatch.setattr("ataxxd.node.messaging.calls.STEP_S", 1_000.0)
    broker, hand = MemoryBroker(), Hand()
    challenge = make_challenge(HOST_KEY, group=GROUP)
    async with members(broker, hand, KEYS[:2]) as made:
        order = rank_members(challenge.digest, [member.node for member in made])
        first, second = sorted(made, key=lambda member: order.index(member.node))
        await first.messenger.stop_reading_calls(GROUP, by_turns=False)
        first.messenger.card.publish(**CARD | {"free": 0})
        await until(
            lambda: not second.messenger.cards.members(GROUP, is_able=lambda card: card.free > 0)
        )
        broker.inject(TOPICS.call(HOST_KEY.node, GROUP), encode(challenge))
        await until(lambda: second.took == [challenge.digest])


@pytest.mark.requirement("MP-POST-5")
async def test_a_member_may_claim_more_than_a_stranger_may_write() -> None:
    broker, hand = MemoryBroker(), Hand()
    questions = [make_question(nodes=number) for number in range(1, 101)]
    async with members(broker, hand, KEYS[:1]) as (member,):
        for key in (GUEST_KEY, OTHER_KEY):
            broker.inject(TOPICS.card(key.node), encode(make_card(key, groups=[GROUP])))
        await until(lambda: len(member.messenger.cards.members(GROUP)) == 2)
        for key in (GUEST_KEY, HOST_KEY):
            for question in questions:
                claim = make_claim(question, key)
                broker.inject(TOPICS.call(key.node, GROUP), encode(claim))
        # The last of the stranger's are refused before they are looked at.
        await until(lambda: member.messenger.dropped_count == len(questions) - 16)
        assert len(member.membership._calls) == len(questions)


@pytest.mark.requirement("MP-CALL-2")
async def test_a_claim_that_overtakes_its_call_counts() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    async with members(broker, hand) as made:
        first, second, _ = by_rank(made, question)
        key = next(each for each in KEYS if each.node == first.node)
        await first.messenger.stop_reading_calls(GROUP, by_turns=False)
        broker.inject(TOPICS.call(key.node, GROUP), encode(make_claim(question, key)))
        call(broker, question)
        await until(lambda: second.heard == 1)
        assert not await second.membership.is_ours(question)
        assert claims(broker) == []


@pytest.mark.requirement("MP-CALL-3", "MP-CALL-4")
async def test_a_call_that_comes_again_goes_to_who_has_not_claimed_it_before() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    async with members(broker, hand) as made:
        first, second, third = by_rank(made, question)
        call(broker, question)
        await until(lambda: bool(first.took))
        await until(
            lambda: all(
                first.node in each.membership._calls[question.digest].claims
                for each in (second, third)
            )
        )
        # At once it is the same call, which came twice.
        call(broker, question)
        await until(lambda: all(member.heard == 2 for member in made))
        assert not second.took
        hand.seconds += 5
        call(broker, question)
        await until(lambda: bool(second.took))
        assert claims(broker) == [first.node, second.node]
        assert first.took == second.took == [question.digest]


@pytest.mark.requirement("MP-CALL-1")
async def test_who_calls_its_own_group_does_not_take_the_call() -> None:
    broker, hand = MemoryBroker(), Hand()
    question = make_question(KEYS[0])
    async with members(broker, hand, KEYS[:2]) as (caller, other):
        await caller.messenger.send(question)
        await until(lambda: bool(other.took))
        assert caller.heard == 0


async def test_the_broker_spreads_calls_where_it_shares_and_nobody_claims() -> None:
    broker, hand = MemoryBroker(), Hand()
    questions = [make_question(nodes=number) for number in (1, 2)]
    async with members(broker, hand, KEYS[:2], by_turns=True) as made:
        for question in questions:
            call(broker, question)
        await until(lambda: all(len(member.took) == 1 for member in made))
        assert made[0].took != made[1].took
        assert claims(broker) == []


async def test_a_group_works_over_the_lines_of_shared_connections() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    async with (
        SharedConnection(broker.connect()) as one,
        SharedConnection(broker.connect()) as two,
        open_messenger(one, KEYS[0], hand.clock) as first,
        open_messenger(two, KEYS[1], hand.clock) as second,
    ):
        made = []
        for messenger in (first, second):
            membership = Membership(messenger, GROUP)
            await membership.join()
            assert membership.by_turns
            made.append(Member(messenger, membership))
        call(broker, question)
        await until(lambda: sum(len(member.took) for member in made) == 1)
        assert [member.heard for member in made].count(1) == 1


async def test_who_does_not_listen_is_not_chosen_by_the_broker() -> None:
    broker, hand = MemoryBroker(), Hand()
    questions = [make_question(nodes=number) for number in (1, 2)]
    async with members(broker, hand, KEYS[:2], by_turns=True) as (busy, free):
        await busy.membership.listen(False)
        for question in questions:
            call(broker, question)
        await until(lambda: len(free.took) == 2)
        assert busy.heard == 0


@pytest.mark.parametrize("has_them", [True, False])
async def test_it_is_found_out_whether_a_broker_really_shares(
    has_them: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ataxxd.node.messaging.calls.PROBE_S", DEADLINE if has_them else 0.2)
    broker = MemoryBroker(shares=has_them)
    async with (
        open_messenger(broker, KEYS[0]) as messenger,
        members(broker, Hand(), KEYS[1:]) as others,
    ):
        assert await supports_sharing(messenger, GROUP) is has_them
        assert not any(member.took for member in others)


def test_a_broker_that_takes_its_time_is_not_said_to_share_nothing() -> None:
    async def story() -> None:
        broker = MemoryBroker()
        async with open_messenger(broker, KEYS[0]) as messenger:
            broker.stop()
            asyncio.get_running_loop().call_later(2 * PROBE_S, broker.start)
            assert await supports_sharing(messenger, GROUP)

    run_virtually(story(), VirtualLoop())


async def test_a_broker_that_refuses_shared_subscriptions_has_none() -> None:
    broker = MemoryBroker()

    class Everything(set[str]):
        def __contains__(self, pattern: object) -> bool:
            return str(pattern).startswith("$share/")

    broker.refused = Everything()
    async with open_messenger(broker, KEYS[0]) as messenger:
        assert not await supports_sharing(messenger, GROUP)


async def test_members_may_be_told_who_belongs_to_the_group() -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question()
    async with members(broker, hand) as made:
        first, second, _ = by_rank(made, question)
        await first.messenger.stop_reading_calls(GROUP, by_turns=False)
        strict = Membership(second.messenger, GROUP, members=frozenset({second.node}))
        assert await strict.is_ours(question)
        assert claims(broker) == [second.node]


@pytest.mark.parametrize("loses", [HOST_KEY, OTHER_KEY, GUEST_KEY])
async def test_a_lost_claim_makes_two_take_a_call_and_nothing_worse(loses: SigningKey) -> None:
    broker, hand, question = MemoryBroker(), Hand(), make_question(SigningKey(bytes([50]) * 32))
    keys = [HOST_KEY, GUEST_KEY, OTHER_KEY]

    def lose(carried: Carried) -> list[Carried]:
        return [] if carried.topic == TOPICS.call(loses.node, GROUP) else [carried]

    async with members(broker, hand, keys) as made:
        broker.interfere = lose
        call(broker, question)
        taking = by_rank(made, question)
        await until(lambda: bool(taking[0].took))
        if taking[0].node == loses.node:
            await until(lambda: bool(taking[1].took))
        await asyncio.sleep(0)
        assert not taking[2].took
