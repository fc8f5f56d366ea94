"""The players of a watched game: whether they are there, and which rematch they play next.

Either player may offer a rematch (SPEC.md, section 7.6), and one of two crossing offers is
withdrawn, so an offer is followed only when its game has begun.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import inf

from ataxxd.errors import RemoteProtocolError
from ataxxd.node.presence import GONE_S, RETURN_S, PlayerPresence
from ataxxd.node.receiving import Admission, Incoming, Rate, TokenBucket
from ataxxd.rules import ruleset_info
from ataxxd.session.events import Event, Ignored
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase, Role
from ataxxd_protocol import signature_holds
from ataxxd_protocol.messages import (
    AnyMessage,
    Chat,
    LogMessage,
    Offer,
    Statement,
    StatePart,
    Status,
)

# Seconds to wait after a game: for its players to show that they stay, if it has just ended, or had
# ended when we came; for one whose connection is lost to come back; and for one who has left the
# game to begin the next one, if that is offered.
_JUST_OVER_S, _LONG_OVER_S, _LOST_S, _GOES_ON_S = 10.0, 3.0, 30.0, 10.0
_OFFERS = Rate(16, 1)


def spectator_events(session: SpectatorSession, message: AnyMessage | None) -> Sequence[Event]:
    """The events that a message causes for spectators."""
    match message:
        case LogMessage() | StatePart() | Statement() | Chat():
            effects = session.receive(message)
            return [effect for effect in effects if not isinstance(effect, Ignored)]  # type: ignore[misc]
        case _:
            return []


@dataclass(slots=True)
class NextGame:
    """A possible next game, and its progress.

    Attributes:
        session: the game.
        admission: decides which messages on its topics are read.
        events: what has happened in it.
    """

    session: SpectatorSession
    admission: Admission
    events: list[Event] = field(default_factory=list)

    def receive(self, incoming: Incoming) -> None:
        """Take in a message on the game's topics."""
        self.events += spectator_events(self.session, self.admission.read(incoming))

    @property
    def has_begun(self) -> bool:
        """Whether both players have agreed to it."""
        return self.session.ledger.phase not in (Phase.OPEN, Phase.JOINED)


@dataclass(slots=True)
class _PlayerStatus:
    """A player's presence, when we last heard of it, and when to report it; times in seconds."""

    presence: PlayerPresence = field(default_factory=PlayerPresence)
    heard_at: float = 0.0
    report_at: float | None = None


class NextGameTracker:
    """Follows the players of one game, and what they play next."""

    def __init__(self, session: SpectatorSession, monotonic: Callable[[], float]) -> None:
        """Follow the players of `session`; `monotonic` is a clock in seconds."""
        self._session = session
        self._now = monotonic
        self._offers = TokenBucket(_OFFERS, monotonic)
        self._statuses: dict[Role, _PlayerStatus] = {}
        self._patient_until = 0.0
        self._over_since: float | None = None
        self._patience = 0.0
        self._games: dict[str, NextGame] = {}

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def next(self) -> NextGame | None:
        """The next game, if it has begun; else None."""
        begun = [game for game in self._games.values() if game.has_begun]
        return max(begun, key=lambda game: game.session.ledger.offer.created_ms, default=None)

    @property
    def behind(self) -> bool:
        """Whether messages of a game that may be the next are known to be missing."""
        return any(game.session.behind for game in self._games.values())

    @property
    def players(self) -> Sequence[str]:
        """The node ids of the players, as far as they are known."""
        return [node for role in Role if (node := self._ledger.node_of(role)) is not None]

    def on_over(self, *, long_ago: bool) -> None:
        """Note that the game is over: from now on it matters whether its players stay."""
        if self._over_since is None:
            self._over_since = self._now()
            self._patience = _LONG_OVER_S if long_ago else _JUST_OVER_S

    @property
    def expected_until(self) -> float | None:
        """Until what time to expect another game, in seconds; None while both players stay."""
        assert self._over_since is not None, "the game is over"
        since = self._over_since
        heard = list(self._statuses.values())
        if left := [each.heard_at for each in heard if each.presence.has_left]:
            return min(left) + _GOES_ON_S if self._games else self._now()
        if lost := [each.heard_at + _LOST_S for each in heard if each.presence.absence]:
            return min(lost)
        here = [each for each in heard if each.heard_at >= since]
        return None if len(here) == len(Role) else since + self._patience

    def receive(self, incoming: Incoming) -> Offer | None:
        """Take in a message that is not part of the game itself.

        Returns:
            A new offer whose topics are to be followed too; else None.
        """
        if incoming.address.kind == "offer":
            return self._on_offer(incoming)
        for host, game in self._games.items():
            if host == incoming.address.host:
                game.receive(incoming)
        return None

    def receive_status(self, incoming: Incoming, admission: Admission) -> str:
        """Take in a player's status.

        Args:
            incoming: the message.
            admission: that of the game.

        Returns:
            What to tell people, such as ``Red has left``; empty for nothing, or if
            `report_lost_players` is to tell it later.
        """
        status = admission.read(incoming)
        role = self._ledger.role_of(incoming.address.writer or "")
        if not isinstance(status, Status) or role is None:
            return ""
        key = self._ledger.key_of(role)
        if status.game != self._ledger.game or key is None or not signature_holds(status, key):
            return ""
        heard = self._statuses.setdefault(role, _PlayerStatus())
        if heard.presence.is_old(status):
            return ""
        heard.heard_at = self._now()
        heard.presence.update(status)
        if heard.presence.absence == heard.presence.reported:
            heard.report_at = None
            return ""
        if heard.presence.absence and not heard.presence.has_left:
            heard.report_at = heard.report_at or max(heard.heard_at + GONE_S, self._patient_until)
            return ""
        return self._report(role)

    def on_disconnected(self) -> None:
        """Note that we have lost the connection: until it is back, nobody else's matters."""
        for heard in self._statuses.values():
            heard.report_at = None

    def on_connected(self) -> None:
        """Note that we are connected again; the players have time to return, too."""
        self._patient_until = self._now() + RETURN_S
        for heard in self._statuses.values():
            if heard.presence.absence != heard.presence.reported:
                heard.report_at = self._patient_until

    @property
    def report_at(self) -> float:
        """When to call `report_lost_players`, in seconds; usually never."""
        return min(
            (each.report_at for each in self._statuses.values() if each.report_at), default=inf
        )

    def report_lost_players(self) -> Sequence[str]:
        """What to tell people of players whose connection has been lost for some time."""
        now = self._now()
        lost = [
            role
            for role, each in self._statuses.items()
            if each.report_at and each.report_at <= now
        ]
        return [text for role in lost if (text := self._report(role))]

    def _report(self, role: Role) -> str:
        heard, side = self._statuses[role], self._ledger.side_of(role)
        heard.report_at, heard.presence.reported = None, heard.presence.absence
        if side is None:
            return ""
        name = ruleset_info(self._ledger.offer.ruleset).side_names[side]
        return f"{name} {heard.presence.absence or 'is back'}"

    def _on_offer(self, incoming: Incoming) -> Offer | None:
        host = incoming.address.host
        if host is None or host not in self.players:
            return None
        if not incoming.payload:
            self._games.pop(host, None)
            return None
        if not self._offers.take():
            return None
        offer = incoming.message
        if not isinstance(offer, Offer):
            return None
        known = self._games.get(offer.host)
        if known is not None and (known.has_begun or known.session.ledger.game == offer.digest):
            return None
        if not self._is_later_game(offer):
            return None
        session = SpectatorSession(Ledger(offer))
        self._games[offer.host] = NextGame(session, Admission(lambda: session.ledger, self._now))
        return offer

    def _is_later_game(self, offer: Offer) -> bool:
        """Whether an offer by one of the players is of a later game between the two.

        We may have missed games in between, so it need not be a rematch of this very one.
        """
        if offer.rematch_of is None or offer.created_ms <= self._ledger.offer.created_ms:
            return False
        if offer.rematch_of != self._ledger.game and offer.access not in self.players:
            return False
        try:
            check_offer(offer)
        except RemoteProtocolError:
            return False
        return True
