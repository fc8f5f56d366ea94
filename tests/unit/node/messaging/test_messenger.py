"""What the messenger hands on: true, for us, in time, once; and not too much of it."""

from collections.abc import Callable

import pytest

from ataxxd.node.messaging.letters import topic_of
from ataxxd.node.messaging.messenger import Messenger
from ataxxd_protocol import SigningKey, decode, encode
from ataxxd_protocol.messages import AnyLetter, Challenge, Decline
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY, make_offer
from tests.conformance.letters import (
    CREATED_MS,
    EXPIRES_MS,
    GROUP,
    by,
    make_challenge,
    make_claim,
    make_decline,
    make_question,
)
from tests.memory_broker import MemoryBroker
from tests.messaging import TOPICS, Hand, open_messenger, until

TO_US = TOPICS.post(HOST_KEY.node, GUEST_KEY.node)
GOOD = make_challenge(text="Lust auf eine Partie?")


def signed_challenge(**fields: object) -> Challenge:
    return by(HOST_KEY, Challenge, **fields)


FORGED: dict[str, tuple[str, bytes]] = {
    "another's signature": (
        TO_US,
        encode(make_challenge().model_copy(update={"sig": make_decline(GOOD).sig})),
    ),
    "altered": (TO_US, encode(GOOD.model_copy(update={"text": "Na?"}))),
    "another's key": (TO_US, encode(GOOD.model_copy(update={"key": OTHER_KEY.public_key}))),
    "another's topic": (TOPICS.post(OTHER_KEY.node, GUEST_KEY.node), encode(GOOD)),
    "for another node": (TO_US, encode(make_challenge(to=OTHER_KEY.node))),
    "for a group, by post": (TO_US, encode(make_challenge(group=GROUP))),
    "another's offer": (
        TO_US,
        encode(
            signed_challenge(
                to=GUEST_KEY.node, offer=make_offer(OTHER_KEY, access=GUEST_KEY.node).fields()
            )
        ),
    ),
    "an offer for anybody": (
        TO_US,
        encode(signed_challenge(to=GUEST_KEY.node, offer=make_offer().fields())),
    ),
    "an altered offer": (
        TO_US,
        encode(
            signed_challenge(
                to=GUEST_KEY.node,
                offer=make_offer(access=GUEST_KEY.node).model_copy(update={"grace_ms": 1}).fields(),
            )
        ),
    ),
    "a question, by post": (TO_US, encode(make_question())),
    "malformed": (TO_US, encode(GOOD) + b"\n"),
}


class Heard:
    """What a messenger handed on."""

    def __init__(self, messenger: Messenger) -> None:
        self.letters: list[AnyLetter] = []
        messenger.on(Challenge, self.letters.append)
        messenger.on(Decline, self.letters.append)

    async def of(self, count: int) -> list[AnyLetter]:
        """The first letters, once there are so many."""
        await until(lambda: len(self.letters) >= count)
        return self.letters


def send(broker: MemoryBroker, letter: AnyLetter) -> None:
    broker.inject(topic_of(letter), encode(letter))


@pytest.mark.requirement("MP-POST-1", "MP-TOPIC-2")
@pytest.mark.parametrize("name", FORGED)
async def test_a_letter_that_does_not_hold_is_not_handed_on(name: str) -> None:
    broker = MemoryBroker()
    async with open_messenger(broker, GUEST_KEY, Hand().clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        topic, payload = FORGED[name]
        broker.inject(topic, payload)
        send(broker, GOOD)
        assert await heard.of(1) == [GOOD]


@pytest.mark.requirement("MP-POST-2")
async def test_a_challenge_that_expired_is_not_handed_on() -> None:
    broker, hand = MemoryBroker(), Hand()
    later = make_challenge(expires_ms=EXPIRES_MS + 60_000)
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        hand.seconds = EXPIRES_MS / 1000
        send(broker, GOOD)
        send(broker, later)
        assert await heard.of(1) == [later]


@pytest.mark.requirement("MP-POST-3")
async def test_a_letter_that_is_repeated_is_handed_on_once() -> None:
    broker = MemoryBroker()
    decline = make_decline(make_challenge(GUEST_KEY, to=HOST_KEY.node), HOST_KEY)
    async with open_messenger(broker, GUEST_KEY, Hand().clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        for _ in range(5):
            send(broker, GOOD)
        send(broker, decline)
        assert await heard.of(2) == [GOOD, decline]


@pytest.mark.requirement("MP-TOPIC-4")
async def test_a_letter_that_the_broker_kept_is_not_handed_on() -> None:
    broker = MemoryBroker()
    broker.inject(TO_US, encode(GOOD), retain=True)
    other = make_challenge(OTHER_KEY)
    async with open_messenger(broker, GUEST_KEY, Hand().clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        send(broker, other)
        assert await heard.of(1) == [other]


async def test_what_we_write_to_a_group_is_not_handed_on_to_ourselves() -> None:
    broker = MemoryBroker()
    ours, theirs = make_challenge(GUEST_KEY, group=GROUP), make_challenge(group=GROUP)
    async with open_messenger(broker, GUEST_KEY, Hand().clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_calls(GROUP, by_turns=False)
        await messenger.send(ours)
        send(broker, theirs)
        assert await heard.of(1) == [theirs]


def flood(count: int) -> Callable[[MemoryBroker], None]:
    """Sends challenges by many nodes that none of them has signed."""
    payload = encode(GOOD)

    def send_all(broker: MemoryBroker) -> None:
        for number in range(count):
            name = f"{number:020d}".translate(str.maketrans("0123456789", "abcdefghij"))
            forged = payload.replace(HOST_KEY.node.encode(), name.encode())
            broker.inject(TOPICS.post(name, GUEST_KEY.node), forged)

    return send_all


@pytest.mark.requirement("MP-POST-5", "MP-POST-1")
async def test_ten_thousand_forged_challenges_take_nothing_and_few_are_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at = 0

    def counting(payload: bytes) -> object:
        nonlocal looked_at
        looked_at += 1
        return decode(payload)

    monkeypatch.setattr("ataxxd.node.receiving.decode", counting)
    broker, hand = MemoryBroker(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        for _ in range(10):
            flood(1_000)(broker)
            refused = messenger.dropped_count
            await until(lambda refused=refused: messenger.dropped_count >= refused + 1_000)  # type: ignore[misc]
        assert looked_at == 512
        assert len(messenger._authors) <= 512
        # Who is honest repeats itself, and is heard once the flood is over.
        hand.seconds += 1
        send(broker, GOOD)
        assert await heard.of(1) == [GOOD]


@pytest.mark.requirement("MP-POST-5")
async def test_an_answer_that_is_awaited_comes_through_a_flood() -> None:
    broker, hand = MemoryBroker(), Hand()
    challenge = make_challenge(GUEST_KEY, to=HOST_KEY.node)
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        messenger.expect_answers(challenge.digest, HOST_KEY.node)
        flood(1_000)(broker)
        decline = make_decline(challenge, HOST_KEY)
        send(broker, decline)
        assert await heard.of(1) == [decline]


@pytest.mark.requirement("MP-POST-5")
async def test_one_author_that_floods_does_not_silence_another() -> None:
    broker, hand = MemoryBroker(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        for number in range(200):
            send(broker, make_challenge(OTHER_KEY, created_ms=CREATED_MS + number))
        send(broker, GOOD)
        await until(lambda: GOOD in heard.letters)
        assert len(heard.letters) == 17


@pytest.mark.requirement("MP-POST-5")
async def test_what_a_mailroom_remembers_stays_within_its_bounds_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ataxxd.node.messaging.messenger._MAX_LETTERS", 20)
    monkeypatch.setattr("ataxxd.node.messaging.messenger._MAX_AUTHORS", 10)
    broker, hand = MemoryBroker(), Hand()
    async with open_messenger(broker, GUEST_KEY, hand.clock) as messenger:
        heard = Heard(messenger)
        await messenger.read_post()
        for number in range(60):
            # A challenge a minute, each by somebody else.
            hand.seconds += 60
            key = SigningKey(bytes([number, 3] * 16))
            send(broker, make_challenge(key, expires_ms=EXPIRES_MS + 86_400_000))
            await heard.of(number + 1)
        assert len(messenger._read_letters) == 20
        assert len(messenger._authors) == 10


def test_a_claim_goes_to_its_group() -> None:
    claim = make_claim(make_question())
    assert topic_of(claim) == TOPICS.call(GUEST_KEY.node, GROUP)
