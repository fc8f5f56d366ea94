"""What follows a game that is looked on at: who of its players stays, and the rematch that begins.

A rematch is an offer of either player (SPEC.md, section 7.6), and of two that cross one is taken
back. So an offer is followed when its game has begun, and not before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.admission import Admission, Rate, TokenBucket
from ataxxd.node.presence import Listener
from ataxxd.node.receiving import Incoming
from ataxxd.rules import ruleset_info
from ataxxd.session.effects import Event, Ignored
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.roles import Role
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd_protocol import signature_holds
from ataxxd_protocol.messages import Chat, LogMessage, Offer, StatePart, Status

# Seconds in which the players of a game that has just ended, or had ended when we came, show that
# they stay; and in which one whose connection is lost comes back.
_JUST_OVER_S, _LONG_OVER_S, _LOST_S = 10.0, 3.0, 30.0
_OFFERS = Rate(16, 1)


def looked_on(
    session: SpectatorSession, admission: Admission, incoming: Incoming
) -> Sequence[Event]:
    """What happened in a game, for somebody who looks on."""
    match message := admission.read(incoming):
        case LogMessage() | StatePart() | Chat():
            effects = session.receive(message)
            return [effect for effect in effects if not isinstance(effect, Ignored)]  # type: ignore[misc]
        case _:
            return []


@dataclass(slots=True)
class NextGame:
    """A game that may be the next, as far as it has come.

    Attributes:
        session: the game.
        admission: what of its topics is looked at.
        effects: what has happened in it.
    """

    session: SpectatorSession
    admission: Admission
    effects: list[Event] = field(default_factory=list)

    def hear(self, incoming: Incoming) -> None:
        """Take in what came on the game's topics."""
        self.effects += looked_on(self.session, self.admission, incoming)

    @property
    def has_begun(self) -> bool:
        """Whether both players have agreed to it."""
        return self.session.ledger.phase not in (Phase.OPEN, Phase.JOINED)


@dataclass(slots=True)
class _Heard:
    """What is known of a player's presence, and when we had the newest of it."""

    presence: Listener = field(default_factory=Listener)
    at: float = 0.0


class Following:
    """What is heard of the players of one game, and of what they play next."""

    def __init__(self, session: SpectatorSession, monotonic: Callable[[], float]) -> None:
        """Listen beside the game of `session`; `monotonic` is for budgets and patience."""
        self._session = session
        self._now = monotonic
        self._offers = TokenBucket(_OFFERS, monotonic)
        self._statuses: dict[Role, _Heard] = {}
        self._over_since: float | None = None
        self._patience = 0.0
        self._games: dict[str, NextGame] = {}

    @property
    def _ended(self) -> Ledger:
        return self._session.ledger

    @property
    def next(self) -> NextGame | None:
        """The game that has begun after this one."""
        begun = [game for game in self._games.values() if game.has_begun]
        return max(begun, key=lambda game: game.session.ledger.offer.created_ms, default=None)

    @property
    def behind(self) -> bool:
        """Whether something is known to be missing of a game that may be the next."""
        return any(game.session.behind for game in self._games.values())

    @property
    def players(self) -> Sequence[str]:
        """Those of the players who are known."""
        return [node for role in Role if (node := self._ended.node_of(role)) is not None]

    def over(self, *, long_ago: bool) -> None:
        """The game is over: from now on its players stay, or do not."""
        if self._over_since is None:
            self._over_since = self._now()
            self._patience = _LONG_OVER_S if long_ago else _JUST_OVER_S

    @property
    def until(self) -> float | None:
        """Until when another game is to be expected; None for as long as both players stay."""
        assert self._over_since is not None, "the game is over"
        since = self._over_since
        heard = list(self._statuses.values())
        if any(each.presence.has_left for each in heard):
            return self._now()
        if lost := [each.at + _LOST_S for each in heard if each.presence.away]:
            return min(lost)
        here = [each for each in heard if each.at >= since]
        return None if len(here) == len(Role) else since + self._patience

    def hear(self, incoming: Incoming) -> bool:
        """Take in what is not of the game itself.

        Returns:
            Whether an offer has come whose topics are to be heard, too.
        """
        if incoming.address.kind == "offer":
            return self._on_offer(incoming)
        for host, game in self._games.items():
            if host == incoming.address.host:
                game.hear(incoming)
        return False

    def hear_status(self, incoming: Incoming, admission: Admission) -> str:
        """Take in a player's status.

        Args:
            incoming: what came on its topic.
            admission: of the game.

        Returns:
            What it tells people, such as ``Red has left``; empty when that is nothing.
        """
        status = admission.read(incoming)
        role = self._ended.role_of(incoming.address.writer or "")
        if not isinstance(status, Status) or role is None:
            return ""
        key = self._ended.key_of(role)
        if status.game != self._ended.game or key is None or not signature_holds(status, key):
            return ""
        heard = self._statuses.setdefault(role, _Heard())
        if heard.presence.is_old(status):
            return ""
        heard.at, was_away = self._now(), heard.presence.away
        heard.presence.news(status)
        now = heard.presence.away
        side = self._ended.side_of(role)
        if now == was_away or side is None:
            return ""
        return f"{ruleset_info(self._ended.offer.ruleset).side_names[side]} {now or 'is back'}"

    def _on_offer(self, incoming: Incoming) -> bool:
        host = incoming.address.host
        if host is None or host not in self.players:
            return False
        if not incoming.payload:
            self._games.pop(host, None)
            return False
        if not self._offers.take():
            return False
        offer = incoming.message
        if not isinstance(offer, Offer):
            return False
        known = self._games.get(offer.host)
        if known is not None and (known.has_begun or known.session.ledger.game == offer.digest):
            return False
        if not self._follows(offer):
            return False
        session = SpectatorSession(Ledger(offer))
        self._games[offer.host] = NextGame(session, Admission(lambda: session.ledger, self._now))
        return True

    def _follows(self, offer: Offer) -> bool:
        """Whether an offer by one of the players is of a later game between the two.

        Who looks on may have missed games between, so it need not follow this very one.
        """
        if offer.rematch_of is None or offer.created_ms <= self._ended.offer.created_ms:
            return False
        if offer.rematch_of != self._ended.game and offer.access not in self.players:
            return False
        try:
            check_offer(offer)
        except RemoteProtocolError:
            return False
        return True
