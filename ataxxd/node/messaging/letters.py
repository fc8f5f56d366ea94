"""Letters: writing and addressing them, checking incoming ones, and matching answers.

Pure: nothing here sends or waits. See SPEC.md, section 13.
"""

from dataclasses import dataclass
from typing import Any, TypeVar

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.errors import ChallengeDeclined
from ataxxd.node.receiving import Clock, Incoming, Rate, TokenBucket
from ataxxd.session.handshake import check_offer
from ataxxd_protocol import TOPICS, SigningKey, node_id, signature_holds, signed
from ataxxd_protocol.messages import (
    Analyse,
    Analysis,
    AnyLetter,
    AnyMessage,
    CallClaim,
    Challenge,
    Decline,
    Introduced,
    Offer,
)

LetterT = TypeVar("LetterT", bound=Introduced)


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for declining a challenge.

    Attributes:
        code: such as ``challenge/busy``; SPEC.md, section 6, lists them.
        reason: the reason for people, in ASCII.
        text: a person's own words, in any characters.
    """

    code: str
    reason: str
    text: str | None = None


BUSY = "challenge/busy"
RULESET = "challenge/ruleset"
CLOCK = "challenge/clock"
TERMS = "challenge/terms"
CLOSED = "challenge/closed"
UNWANTED = "challenge/unwanted"


def make_letter(key: SigningKey, model: type[LetterT], /, **fields: Any) -> LetterT:
    """Write and sign a card or letter.

    Args:
        key: the author's.
        model: the type of the message.
        **fields: its fields, named as on the wire; None for absent ones.
    """
    said = {name: value for name, value in fields.items() if value is not None}
    author = {"from": key.node, "key": key.public_key}
    return signed(model.model_validate(author | said), key)


def topic_of(letter: AnyLetter) -> str:
    """The topic a letter is published on."""
    match letter:
        case Challenge(group=str() as group) | Analyse(group=group) | CallClaim(group=group):
            return TOPICS.call(letter.author, group)
        case Challenge(to=to) | Decline(to=to) | Analysis(to=to):
            # A challenge is to a node or to a group.
            return TOPICS.post(letter.author, str(to))


def is_signed(message: Introduced) -> bool:
    """Whether it is signed by the node that it names as its author."""
    return node_id(message.key) == message.author and signature_holds(message, message.key)


def parse_letter(message: AnyMessage | None) -> AnyLetter | None:
    """The letter in an incoming message; None if it must be ignored."""
    match message:
        case Challenge():
            return message if is_signed(message) and _is_valid_challenge(message) else None
        case Decline() | Analysis() | Analyse() | CallClaim():
            return message if is_signed(message) else None
        case _:
            return None


def expires_ms(letter: AnyLetter) -> int | None:
    """When a letter stops asking for an answer, in Unix milliseconds; None if it asks for none."""
    match letter:
        case Challenge(offer=offer):
            return offer.expires_ms
        case Analyse():
            return letter.expires_ms
        case _:
            return None


def _is_valid_challenge(challenge: Challenge) -> bool:
    offer = challenge.offer
    # A challenge to a group has no `to`, and its offer no `access`.
    belongs = offer.host == challenge.author and offer.access == challenge.to
    return belongs and _is_valid_offer(offer)


def _is_valid_offer(offer: Offer) -> bool:
    try:
        check_offer(offer)
    except RemoteProtocolError as error:
        # A game that this program cannot play still makes a challenge, which we decline.
        return error.code != "offer/forged"
    return True


# Budget for messages about a challenge that was left; an honest node leaves one.
_RATE = Rate(16, 2)


class RetainedChallenge:
    """A challenge left with the broker, and the answer to it.

    Attributes:
        topic: the topic that retains the challenge.
        patterns: the topics to subscribe to.
    """

    def __init__(self, offer: Offer, to: str, clock: Clock) -> None:
        """Begin without the challenge and without an answer.

        Args:
            offer: the offer of the game.
            to: the challenged node.
            clock: a monotonic clock, in seconds.
        """
        self.topic = TOPICS.challenge(offer.host, to)
        self.patterns = (self.topic, TOPICS.decline(to, offer.host))
        self._offer = offer
        self._to = to
        self._budget = TokenBucket(_RATE, clock)
        self._challenge: Challenge | None = None
        self._decline: Decline | None = None

    def receive(self, incoming: Incoming) -> Decline | None:
        """Take in a message on one of the topics; returns the decline once there is one.

        Challenge and decline may come in either order. A decline counts only if it names this
        challenge; messages that are not signed by their author are ignored.
        """
        if not self._budget.take():
            return None
        match incoming.address.kind, incoming.message:
            case "challenge", Challenge() as challenge if (
                challenge.offer.digest == self._offer.digest and is_signed(challenge)
            ):
                self._challenge = challenge
            case "decline", Decline() as decline if decline.author == self._to and is_signed(
                decline
            ):
                self._decline = decline
            case _:
                return None
        if self._challenge is None or self._decline is None:
            return None
        return self._decline if self._decline.answers == self._challenge.digest else None


def decline_error(title: str, decline: Decline) -> ChallengeDeclined:
    """The error for a challenger whose challenge was declined; `title` names the other player."""
    said = f' "{decline.text}"' if decline.text else ""
    return ChallengeDeclined(f"{title} declines: {decline.reason.rstrip('.')}.{said}")
