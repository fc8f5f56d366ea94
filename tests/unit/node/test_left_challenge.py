"""A challenge that was left is declined by whom it is for, and by nobody and nothing else."""

import pytest

from ataxxd.node.messaging.letters import RetainedChallenge
from ataxxd.node.receiving import Incoming
from ataxxd_protocol import encode
from ataxxd_protocol.messages import AnyMessage
from tests.conformance.games import GUEST_KEY, HOST_KEY, OTHER_KEY
from tests.conformance.letters import make_challenge, make_decline
from tests.messaging import TOPICS

OURS, THEIRS = HOST_KEY.node, GUEST_KEY.node
CHALLENGE = make_challenge()
EARLIER = make_challenge(name="earlier")
DECLINE = make_decline(CHALLENGE)


def lies_at(topic: str, message: AnyMessage) -> Incoming:
    address = TOPICS.parse(topic)
    assert address is not None
    return Incoming(address, encode(message), retained=True)


LEFT = lies_at(TOPICS.challenge(OURS, THEIRS), CHALLENGE)
ANSWER = lies_at(TOPICS.decline(THEIRS, OURS), DECLINE)


def heard(*incoming: Incoming) -> bool:
    left = RetainedChallenge(CHALLENGE.offer, THEIRS, lambda: 0.0)
    return [left.receive(each) for each in incoming][-1] is not None


@pytest.mark.requirement("MP-POST-7")
def test_it_counts_whichever_comes_first() -> None:
    assert heard(LEFT, ANSWER)
    assert heard(ANSWER, LEFT)


@pytest.mark.requirement("MP-POST-4", "MP-POST-7")
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(make_decline(EARLIER), id="of an earlier challenge"),
        pytest.param(DECLINE.model_copy(update={"sig": "0" * 128}), id="forged"),
        pytest.param(make_decline(CHALLENGE, OTHER_KEY), id="by somebody else"),
    ],
)
def test_no_other_counts(other: AnyMessage) -> None:
    assert not heard(LEFT, lies_at(TOPICS.decline(THEIRS, OURS), other))


def test_no_other_challenge_is_declined_by_it() -> None:
    left = lies_at(TOPICS.challenge(OURS, THEIRS), EARLIER)
    assert not heard(left, lies_at(TOPICS.decline(THEIRS, OURS), make_decline(EARLIER)))
    assert not heard(ANSWER)
