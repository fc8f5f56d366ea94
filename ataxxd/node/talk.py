"""What is heard beside a game: the talk of spectators, signed and on a topic of its own."""

from ataxxd.nicknames import player_name
from ataxxd.node.names import Introductions
from ataxxd.node.receiving import Incoming, Rate, Recent, TokenBucket
from ataxxd.session.events import Named, Overheard
from ataxxd.session.ledger import Ledger
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Transport
from ataxxd_protocol import (
    SigningKey,
    Topics,
    encode,
    node_id,
    signature_holds,
    signed,
)
from ataxxd_protocol.messages import Offer, Talk

# What one spectator may say, and all together; a person types slower than that.
_ONE, _ALL = Rate(5, 0.5), Rate(40, 10)
_MOST_SPEAKERS = 256


class TalkRoom:
    """What is said about one game by those who look on."""

    def __init__(
        self,
        offer: Offer,
        transport: Transport,
        topics: Topics,
        key: SigningKey | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Listen to the talk about the game of `offer`, and join in as `key` if there is one."""
        self._offer = offer
        self._transport = transport
        self._topics = topics
        self._key = key
        self._clock = clock
        self._spoken_ms = 0
        self._everybody = TokenBucket(_ALL, clock.monotonic)
        self._speakers: Recent[str, tuple[TokenBucket, int]] = Recent(_MOST_SPEAKERS)

    def follow(self, offer: Offer) -> None:
        """Listen to, and join in, the talk about another game from now on."""
        self._offer = offer

    @property
    def speaker(self) -> str | None:
        """This node, where it joins in."""
        return None if self._key is None else self._key.node

    @property
    def pattern(self) -> str:
        """What to subscribe to."""
        return self._topics.talk(self._offer.name, self._offer.host, "+")

    async def say(self, text: str) -> None:
        """Say one line to everybody who listens.

        Raises:
            ValueError: it is not one line of 1 to 500 visible characters, or we have no key.
        """
        if self._key is None:
            raise ValueError("who has no key only listens")
        self._spoken_ms = max(self._clock.now_ms(), self._spoken_ms + 1)
        talk = Talk(
            game=self._offer.digest,
            author=self._key.node,
            key=self._key.public_key,
            at_ms=self._spoken_ms,
            text=text,
        )
        topic = self._topics.talk(self._offer.name, self._offer.host, self._key.node)
        await self._transport.publish(topic, encode(signed(talk, self._key)))

    def hear(self, incoming: Incoming) -> Overheard | None:
        """What came on the talk's topics, when it is true, new and not too much."""
        writer = incoming.address.writer or ""
        if self._key is not None and writer == self._key.node:
            return None
        known = self._speakers.get(writer)
        bucket, heard_ms = known or (TokenBucket(_ONE, self._clock.monotonic), 0)
        if not bucket.take() or not self._everybody.take():
            return None
        self._speakers.put(writer, (bucket, heard_ms))
        talk = incoming.message
        if not isinstance(talk, Talk) or talk.game != self._offer.digest:
            return None
        if talk.at_ms <= heard_ms or node_id(talk.key) != writer:
            return None
        if not signature_holds(talk, talk.key):
            return None
        self._speakers[writer] = bucket, talk.at_ms
        return Overheard(player_name(writer), talk.text, writer)


def overheard(
    incoming: Incoming,
    ledger: Ledger,
    talk: TalkRoom | None,
    introductions: Introductions | None,
) -> Overheard | Named | None:
    """What is heard beside a game: what spectators say, what its players are called.

    Args:
        incoming: what came on a topic of talk or of a nickname.
        ledger: the game.
        talk: where spectators are heard; None where they are not.
        introductions: the nicknames of who is in the game; None where they do not matter.
    """
    if incoming.address.kind == "nickname":
        return None if introductions is None else introductions.named(incoming, ledger)
    said = None if talk is None else talk.hear(incoming)
    return said if said is None or introductions is None else introductions.introduced(said)
