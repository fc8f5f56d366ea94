"""This node's unfinished games, and what the opponents have said since it was last in them."""

import asyncio
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.journal import Journal, StoredGame
from ataxxd.node.messaging.letters import LeftChallenge
from ataxxd.node.receiving import Incoming, Receiver
from ataxxd.session.handshake import check_join
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd.times import SYSTEM_CLOCK
from ataxxd.transport.base import Transport, subscribe_all
from ataxxd_protocol import TOPICS, MalformedMessage, decode, signature_holds
from ataxxd_protocol.messages import AnyLogMessage, Join, StatePart, Unread
from ataxxd_protocol.version import known


@dataclass(slots=True)
class OwnGame:
    """An unfinished game of this node.

    Attributes:
        stored: the game as the journal has it.
        session: what is known of it, here and by what lies at the broker.
        asked: whether somebody has left a join for the seat that is kept for them.
        declined: whether they have left word that they do not want the game.
    """

    stored: StoredGame
    session: SpectatorSession
    asked: bool = field(default=False, init=False)
    declined: bool = field(default=False, init=False)
    challenge: LeftChallenge | None = field(init=False)

    def __post_init__(self) -> None:
        offer, waits = self.stored.offer, self.ledger.phase is Phase.OPEN
        left = waits and self.stored.role is Role.HOST and self.opponent is not None
        self.challenge = (
            LeftChallenge(offer, str(self.opponent), SYSTEM_CLOCK.monotonic) if left else None
        )

    @property
    def ledger(self) -> Ledger:
        """The game so far."""
        return self.session.ledger

    @property
    def opponent(self) -> str | None:
        """The other player's node id; None while anybody may join."""
        offer, join = self.stored.offer, self.ledger.join
        if self.stored.role is Role.GUEST:
            return offer.host
        if join is not None:
            return join.author
        return None if offer.access == "invited" else offer.access

    @property
    def expired(self) -> bool:
        """Whether nobody has come while the offer stood."""
        waits = self.ledger.phase is Phase.OPEN and not self.asked
        return waits and self.stored.offer.expires_ms <= SYSTEM_CLOCK.now_ms()

    @property
    def our_turn(self) -> bool:
        """Whether the game waits for this node: for a move, an answer, its start, or its end."""
        if self.ledger.phase is Phase.OPEN:
            return self.asked or self.declined or self.expired
        return self.ledger.outcome is None and self.ledger.on_turn is self.stored.role

    def hear(self, incoming: Incoming) -> None:
        """Take in what lies at the broker of this game."""
        if self.challenge is not None and incoming.address.kind in ("challenge", "decline"):
            self.declined = self.declined or self.challenge.hear(incoming) is not None
            return
        try:
            message = decode(incoming.payload)
        except MalformedMessage:
            return
        if isinstance(message, StatePart):
            self.session.receive(message)
        elif isinstance(message, Unread) and message.author == self.opponent:
            key = self.ledger.key_of(self.stored.role.other) or self._asks(message.messages[0])
            if key is not None and signature_holds(message, key):
                self.asked = self.ledger.phase is Phase.OPEN
                for each in message.messages:
                    self.session.receive(each)

    def _asks(self, join: AnyLogMessage) -> str | None:
        """The key of whoever asks for the seat of our offer; None where that is no good join."""
        if not isinstance(join, Join) or self.stored.role is Role.GUEST:
            return None
        try:
            check_join(self.stored.offer, join)
        except RemoteProtocolError:
            return None
        return join.key


def unfinished_games(journal: Journal) -> list[OwnGame]:
    """The unfinished games in a journal that this version knows, as they stand there."""
    games = (game for game in journal.unfinished() if known(game.offer.v))
    return [OwnGame(game, SpectatorSession(journal.ledger(game))) for game in games]


async def catch_up(games: Sequence[OwnGame], transport: Transport, seconds: float) -> None:
    """Look for a while at what the opponents have left at a broker, and the hosts keep there.

    Nothing is kept, said or cleared: `resume` does that.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    by_place: dict[tuple[str, str], list[OwnGame]] = {}
    patterns: list[str] = []
    for game in games:
        name, host = game.stored.offer.name, game.stored.offer.host
        by_place.setdefault((name, host), []).append(game)
        if game.stored.role is Role.GUEST:
            patterns += [TOPICS.state(name, host), TOPICS.state(name, host) + "/+"]
        if game.challenge is not None:
            patterns += game.challenge.patterns
        if game.opponent is not None:
            # By its exact topic: not all brokers keep messages for wildcards.
            patterns.append(TOPICS.unread(name, host, game.opponent))
    await subscribe_all(transport, *dict.fromkeys(patterns))
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            async for event in Receiver(transport):
                if isinstance(event, Incoming):
                    place = (event.address.name, event.address.host or "")
                    # A challenge and its answer lie elsewhere.
                    for game in by_place.get(place, () if event.address.host else games):
                        game.hear(event)


def by_urgency(games: Iterable[OwnGame]) -> list[OwnGame]:
    """Those that wait for this node first."""
    return sorted(games, key=lambda game: not game.our_turn)
