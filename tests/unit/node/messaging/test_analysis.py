"""A group's analysis of a position: one answer, that holds, for bounded work."""

import asyncio

import pytest

from ataxxd.node.errors import NobodyAnswers
from ataxxd.node.messaging.calls import Analysts, Membership, ask_group
from ataxxd.node.messaging.letters import topic_of
from ataxxd.node.messaging.messenger import Messenger
from ataxxd.rules import Engine, Position, SearchResult
from ataxxd_protocol import decode, encode
from ataxxd_protocol.messages import Analyse, Analysis
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, RULESET
from tests.conformance.letters import GROUP, make_analysis, make_question
from tests.memory_broker import MemoryBroker
from tests.messaging import Hand, open_messenger, until

START = Position.start(RULESET)


class Searcher:
    """An engine, and how it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, int]] = []
        self.may_end = asyncio.Event()
        self.may_end.set()

    async def __call__(self, position: Position, nodes: int) -> SearchResult:
        self.asked.append((position.text, nodes))
        await self.may_end.wait()
        return Engine().search(position, nodes=min(nodes, 1_000))


async def analysts(messenger: Messenger, search: Searcher, **options: int) -> Analysts:
    """A member that analyses."""
    membership = Membership(messenger, GROUP)
    membership.by_turns = False
    await membership.listen(True)
    return Analysts(messenger, {GROUP: membership}, search, **{"max_nodes": 50_000} | options)


def analyses(broker: MemoryBroker) -> list[Analysis]:
    said = [decode(carried.payload) for carried in broker.log if carried.payload]
    return [message for message in said if isinstance(message, Analysis)]


def put(broker: MemoryBroker, letter: Analyse | Analysis) -> None:
    broker.inject(topic_of(letter), encode(letter))


async def test_a_question_is_answered_within_what_the_member_is_willing_to_do() -> None:
    broker, search = MemoryBroker(), Searcher()
    async with (
        open_messenger(broker, GUEST_KEY) as theirs,
        open_messenger(broker, HOST_KEY) as ours,
    ):
        await analysts(theirs, search)
        answer = await ask_group(ours, GROUP, START, 10_000_000, seconds=30)
        assert search.asked == [(START.text, 50_000)]
        assert answer.author == GUEST_KEY.node
        assert START.parse_move(answer.line[0]) in START.legal_moves


async def test_a_question_that_nobody_answers_ends_with_what_to_do() -> None:
    async with open_messenger(MemoryBroker(), HOST_KEY) as ours:
        with pytest.raises(NobodyAnswers, match="ataxxd players"):
            await ask_group(ours, GROUP, START, 1_000, seconds=0.05)


@pytest.mark.requirement("MP-POST-4")
async def test_the_first_answer_that_holds_and_is_legal_counts() -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, HOST_KEY) as ours:
        asking = asyncio.create_task(ask_group(ours, GROUP, START, 1_000, seconds=30))
        await until(lambda: bool(broker.log))
        question = decode(broker.log[0].payload)
        assert isinstance(question, Analyse)
        other = make_question(nodes=7)
        put(broker, make_analysis(other))
        put(broker, make_analysis(question, line=["a1"]))
        put(broker, make_analysis(question).model_copy(update={"score": 1}))
        true = make_analysis(question, OTHER_KEY)
        put(broker, true)
        put(broker, make_analysis(question, score=-1))
        assert await asking == true


@pytest.mark.requirement("MP-POST-5")
async def test_one_question_at_a_time_is_worked_on_and_others_are_left_alone() -> None:
    broker, search, hand = MemoryBroker(), Searcher(), Hand()
    search.may_end.clear()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here = await analysts(messenger, search)
        for number in range(1, 5):
            put(broker, make_question(nodes=number))
        await until(lambda: bool(search.asked))
        search.may_end.set()
        await until(lambda: here.answered == 1)
        put(broker, make_question(nodes=9))
        await until(lambda: here.answered == 2)
        assert [nodes for _, nodes in search.asked] == [1, 9]


@pytest.mark.requirement("MP-POST-5")
async def test_one_author_gets_a_bounded_number_of_answers() -> None:
    broker, search, hand = MemoryBroker(), Searcher(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here = await analysts(messenger, search, at_once=100)
        for number in range(1, 17):
            put(broker, make_question(nodes=number))
        await until(lambda: here.answered == 16)
        # What the messenger lets in again is more than what is answered.
        hand.seconds += 1
        for number in (17, 18):
            put(broker, make_question(nodes=number))
        put(broker, make_question(OTHER_KEY))
        await until(lambda: OTHER_KEY.node in {answer.to for answer in analyses(broker)})
        assert here.answered == 18


@pytest.mark.requirement("MP-POST-2")
@pytest.mark.parametrize(
    "question",
    [
        make_question(expires_ms=1),
        make_question(position="nonsense"),
        make_question(ruleset="chess/usual"),
        make_question(position="xxxxxxx/xxxxxxx/xxxxxxx/xxxxxxx/ooooooo/ooooooo/ooooooo x 0 1"),
    ],
    ids=["expired", "no position", "unknown rules", "the game is over"],
)
async def test_a_question_that_cannot_be_answered_is_left_alone(question: Analyse) -> None:
    broker, search, hand = MemoryBroker(), Searcher(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        here = await analysts(messenger, search)
        put(broker, question)
        put(broker, make_question())
        await until(lambda: here.answered == 1)
        assert [answer.answers for answer in analyses(broker)] == [make_question().digest]
