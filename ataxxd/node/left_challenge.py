"""A challenge of ours that was left for a node that is away, and what that node answers."""

from ataxxd.node.errors import ChallengeDeclined
from ataxxd.node.messaging.letters import is_signed
from ataxxd.node.receiving import Clock, Incoming, Rate, TokenBucket
from ataxxd_protocol import Topics
from ataxxd_protocol.messages import Challenge, Decline, Offer

# So many are looked at; an honest node leaves one.
_RATE = Rate(16, 2)


class LeftChallenge:
    """The challenge to the game of an offer; a decline counts when it names that one.

    Attributes:
        topic: where the challenge lies.
        patterns: what is to be read.
    """

    def __init__(self, topics: Topics, offer: Offer, to: str, clock: Clock) -> None:
        """Know neither yet.

        Args:
            topics: where both lie.
            offer: of the game.
            to: the challenged node.
            clock: seconds from any fixed moment.
        """
        self.topic = topics.challenge(offer.host, to)
        self.patterns = (self.topic, topics.decline(to, offer.host))
        self._offer = offer
        self._to = to
        self._budget = TokenBucket(_RATE, clock)
        self._challenge: Challenge | None = None
        self._decline: Decline | None = None

    def hear(self, incoming: Incoming) -> Decline | None:
        """Take in what came on one of the topics; the decline, when there is one of this challenge.

        Either may come first. What is not signed by its author says nothing.
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


def declined_by(title: str, decline: Decline) -> ChallengeDeclined:
    """What the challenger is told, who calls the other player `title`."""
    said = f' "{decline.text}"' if decline.text else ""
    return ChallengeDeclined(f"{title} declines: {decline.reason.rstrip('.')}.{said}")
