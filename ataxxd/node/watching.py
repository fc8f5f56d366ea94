"""Watching a game: with the same codec and ledger as a player, but without publishing anything.

`NextGameTracker` listens to the players beside the game: their presence, and the next rematch.
Either player may offer a rematch (SPEC.md, section 7.6), and one of two crossing offers is
withdrawn, so an offer is followed only when its game has begun. `WatchedGame` is the `Game` for
clients, in which nobody here has a seat.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from math import inf
from typing import TypeAlias

from ataxxd.errors import LocalProtocolError, RemoteProtocolError, TransportError
from ataxxd.node.concurrency import plain_errors, run_beside
from ataxxd.node.game import Act
from ataxxd.node.ledger_game import LedgerGame
from ataxxd.node.names import Introductions, NameBook
from ataxxd.node.presence import GONE_S, RETURN_S, PlayerPresence, TalkRoom, find_overheard_event
from ataxxd.node.receiving import (
    Admission,
    Incoming,
    Rate,
    Receiver,
    ReceiverEvent,
    TokenBucket,
    describe_connection,
    log_topics,
)
from ataxxd.node.settlement import LAST_WORD_GRACE, SCORE_GRACE, STATEMENTS_GRACE
from ataxxd.node.silence import Silence
from ataxxd.rules import Side, ruleset_info
from ataxxd.session.events import (
    Begun,
    Closed,
    Event,
    GameEvent,
    Ignored,
    Named,
    Notice,
    Rejected,
    Seat,
    Started,
    TableEvent,
)
from ataxxd.session.handshake import check_offer
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.session.witnesses import Witness, claim_digest, has_missing_statements
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import (
    Connected,
    Disconnected,
    Refused,
    SubscriptionRefused,
    Transport,
    subscribe_all,
)
from ataxxd_protocol import TOPICS, SigningKey, encode, signature_holds
from ataxxd_protocol.messages import (
    AnyMessage,
    Chat,
    LogMessage,
    Offer,
    Statement,
    StatePart,
    Status,
    Who,
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


WatchEvent: TypeAlias = Event
"""Any event that a spectator gets."""

# Seconds between two requests for the state, so that one spectator cannot busy a host.
_ASK_PAUSE = 2.0
# Seconds that the broker may take to accept our subscriptions again.
_RENEWAL_S = 10.0


class Watcher:
    """A spectator's view of one game.

    Attributes:
        session: the verified game so far.
        admission: decides which messages on the game's topics are read.
        earlier_games: the games before it, of which it is a rematch.
        connected: whether the broker is connected now.
        introductions: the nicknames of the players; None if they do not matter.
    """

    def __init__(
        self,
        session: SpectatorSession,
        transport: Transport,
        talk: TalkRoom | None = None,
        names: NameBook | None = None,
        *,
        follow_rematches: bool = False,
        witness: SigningKey | None = None,
    ) -> None:
        """Watch the game of `session` over `transport`.

        Args:
            session: the game.
            transport: the connection to the broker.
            talk: the spectators' chat; None to ignore it.
            names: the nicknames known here; those of the players are added.
            follow_rematches: whether to continue with the rematches of the game.
            witness: the key that signs statements on claims, if an offer names its node as a
                witness; None to sign nothing.
        """
        self._talk = talk
        self.introductions = None
        if names is not None:
            us = None if talk is None else talk.speaker
            self.introductions = Introductions(names, transport, us)
        self.session = session
        self._follow_rematches = follow_rematches
        self._transport = transport
        self._asked = 0.0
        self._next_part = 1
        self.earlier_games: list[Ledger] = []
        self.connected = True
        self.admission = Admission(lambda: session.ledger, self._now)
        self._next_games = NextGameTracker(session, self._now)
        self._heard_players = 0
        self._came_late = False
        self._both_stay = False  # whether we have reported that both players stay
        self._silence = Silence(0.0)
        self._witness_key = witness
        self._witness = self._new_witness()
        self._statement: Statement | None = None  # to be published
        self._judged_claim = ""  # the claim that this witness has dealt with
        self._state_came = False  # since we last asked for it
        self._renews = False  # whether a second SUBSCRIBE has brought nothing

    @property
    def standing(self) -> Standing:
        """The standing of the game so far."""
        return standing_of(self.session.ledger)

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._transport.url

    @property
    def _grace(self) -> float:
        # Until both scores are in, a claim that crossed the end may still decide otherwise. A
        # player who was proved to break the rules may never write a score.
        return LAST_WORD_GRACE if self.session.ledger.fault is None else SCORE_GRACE

    @property
    def _has_gap(self) -> bool:
        ledger = self.session.ledger
        return ledger.phase is not Phase.CLOSED or has_missing_statements(ledger)

    @property
    def is_witness(self) -> bool:
        """Whether this node acts as a witness that the game names."""
        return self._witness is not None

    def _new_witness(self) -> Witness | None:
        key, named = self._witness_key, self.session.ledger.offer.witnesses or ()
        return Witness(key, self._now) if key is not None and key.node in named else None

    async def _testify(self) -> str:
        """Publish our statement on a claim, if any; returns what to tell the person here."""
        ledger, claim = self.session.ledger, claim_digest(self.session.ledger)
        if self._witness is None or claim is None or claim == self._judged_claim:
            return ""
        self._judged_claim = claim
        statement, self._statement = self._statement, None
        assert ledger.decision is not None
        accused = ledger.side_of(ledger.decision.other)
        assert accused is not None
        name = ruleset_info(ledger.offer.ruleset).side_names[accused]
        if statement is None:
            return f"you sign nothing: you cannot tell for certain how long {name} was silent"
        self.session.receive(statement)
        topic = TOPICS.statement(ledger.offer.name, ledger.offer.host, statement.author)
        await self._transport.publish(topic, encode(statement), retain=True)
        return f"you have signed that {name} was silent for {statement.silence_ms / 1000:g} s"

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    async def events(self) -> AsyncIterator[WatchEvent]:
        """The events from now on, until both scores are in or nothing more is expected.

        A watcher that follows rematches continues with their events, each after `Begun`; it ends
        when one of the players is gone.
        """
        if self.introductions is None:
            async for event in self._events():
                yield event
            return
        self.introductions.meet(self.session.ledger.offer.host)
        async with run_beside(self.introductions.run(), "nicknames"):
            async for event in self._events():
                yield event

    async def _events(self) -> AsyncIterator[WatchEvent]:
        stream = Receiver(self._transport)
        while True:
            async for event in self._game_events(stream):
                yield event
            if not self._follow_rematches:
                return
            async for event in self._events_between_games(stream):
                yield event
            following = self._next_games.next
            if following is None:
                return
            yield self._switch_to(following)
            for effect in following.events:
                yield effect

    async def _game_events(self, stream: Receiver) -> AsyncIterator[WatchEvent]:
        """The events of a game to its end; `Closed` comes after the witnesses' statements."""
        closed: Closed | None = None
        async for event in self._settling_events(stream):
            if isinstance(event, Closed) and has_missing_statements(self.session.ledger):
                closed = event
            else:
                yield event
        if closed is not None:
            yield closed

    async def _settling_events(self, stream: Receiver) -> AsyncIterator[WatchEvent]:
        offer = self.session.ledger.offer
        await subscribe_all(self._transport, *log_topics(offer))
        if self._follow_rematches:
            await self._transport.subscribe(TOPICS.status(offer.name, offer.host, "+"))
        if self._talk is not None:
            await self._transport.subscribe(self._talk.pattern)
        # The retained state may be missing, old or forged, so ask for it, too.
        await self._ask()
        self._silence.on_new_message(self._now())
        while self._has_gap:
            happened = await self._step(stream, self._leave_at, behind=self.session.behind)
            if happened is None:
                return
            for each in happened:
                yield each

    @property
    def _leave_at(self) -> float | None:
        """When to leave if nothing more comes of the game; None while it is played.

        Messages that are known to be missing are a reason to ask, not to leave.
        """
        ledger, since = self.session.ledger, self._silence.since
        if ledger.phase is Phase.CLOSED:
            return since + STATEMENTS_GRACE
        # Players who play the next game are done with this one, even if we have missed some of it.
        if self._next_games.next is not None:
            return since + _ASK_PAUSE
        return None if ledger.outcome is None else since + self._grace

    async def _events_between_games(self, stream: Receiver) -> AsyncIterator[WatchEvent]:
        """The events until the next game has begun, or none is expected any more."""
        self._next_games.on_over(long_ago=self._came_late)
        self._asked = 0.0
        await self._ask()
        while self._next_games.next is None:
            until = self._next_games.expected_until
            if until is None and not self._both_stay:
                self._both_stay = True
                yield Notice("both players stay; a rematch will be shown")
            happened = await self._step(
                stream, until, behind=self._next_games.behind, report_silence=False
            )
            if happened is None:
                return
            for each in happened:
                yield each

    async def _step(
        self, stream: Receiver, until: float | None, *, behind: bool, report_silence: bool = True
    ) -> Sequence[WatchEvent] | None:
        """The next events, or what there is to tell during a silence; None if no more will come.

        Args:
            stream: the messages and connection events.
            until: when to stop expecting any, in seconds of the event loop's clock; None for never.
            behind: messages are known to be missing, and are asked for after a pause.
            report_silence: report a long silence.
        """
        due = min(self._silence.due, self._next_games.report_at)
        asking = asyncio.timeout_at(min(due, self._now() + _ASK_PAUSE) if behind else due)
        try:
            async with asyncio.timeout_at(until), asking:
                event = await anext(stream)
        except TimeoutError:
            if not asking.expired():
                return None
            if behind:
                await self._ask()
            told = await self._ask_broker() if self._now() >= self._silence.due else ""
            return [
                *([Notice(told)] if told and report_silence else ()),
                *self._lost_player_notices(),
            ]
        except StopAsyncIteration:
            return None
        return [found async for found in self._on_event(event)]

    async def _on_event(self, event: ReceiverEvent) -> AsyncIterator[WatchEvent]:
        """The events that a message, or a change of the connection, causes."""
        match event:
            case Incoming():
                await self._subscribe_to_next_part(event)
                was_over = self.session.ledger.outcome is not None
                for found in self._receive(event):
                    self._silence.on_new_message(self._now())
                    yield found
                if told := await self._testify():
                    yield Notice(told)
                if not was_over and self.session.ledger.outcome is not None:
                    self._came_late = event.retained
                    self._next_games.on_over(long_ago=event.retained)
                if self._follow_rematches:
                    if told := self._on_status(event):
                        yield Notice(told)
                    followed = self._next_games.next
                    await self._listen_for_rematches(event)
                    if self._next_games.next is not followed:
                        self._silence.on_new_message(self._now())
                if self.session.behind or self._next_games.behind:
                    await self._ask()
            case Connected(epoch) if epoch > 1:
                self.connected = True
                self._on_interrupted()
                self._next_games.on_connected()
                self._silence.on_new_message(self._now())
                yield Notice(describe_connection(event))
                await self._ask()
            case Disconnected():
                self.connected = False
                self._on_interrupted()
                self._next_games.on_disconnected()
                yield Notice(describe_connection(event))
            case Refused():
                yield Notice(describe_connection(event))
            case _:
                pass

    def _on_interrupted(self) -> None:
        if self._witness is not None:
            self._witness.on_interrupted()

    def _on_status(self, incoming: Incoming) -> str:
        """What to tell people of a player's status, in play or while a rematch may follow."""
        if incoming.address.kind != "status":
            return ""
        told = self._next_games.receive_status(incoming, self.admission)
        return told if self._shows_presence else ""

    @property
    def _shows_presence(self) -> bool:
        return self._both_stay or self.session.ledger.phase in IN_PLAY

    def _lost_player_notices(self) -> Sequence[Notice]:
        return [
            Notice(each) for each in self._next_games.report_lost_players() if self._shows_presence
        ]

    async def _listen_for_rematches(self, incoming: Incoming) -> None:
        name = self.session.ledger.offer.name
        if (offer := self._next_games.receive(incoming)) is not None:
            with suppress(SubscriptionRefused):
                await subscribe_all(self._transport, *log_topics(offer))
            self._asked = 0.0
            await self._ask()
        # By exact topics: some brokers deliver no retained messages to wildcards.
        players = self._next_games.players
        with suppress(SubscriptionRefused):
            for player in players[self._heard_players :]:
                await self._transport.subscribe(TOPICS.offer(name, player))
                self._heard_players += 1

    def _switch_to(self, following: NextGame) -> Begun:
        ended, offer = self.session.ledger, following.session.ledger.offer
        self.session, self.admission = following.session, following.admission
        self._next_games = NextGameTracker(self.session, self._now)
        self._next_part = 1
        self._witness = self._new_witness()
        if self._witness is not None:
            self._witness.receive(self.session.ledger)
        self._came_late = self._both_stay = False
        self.earlier_games.append(ended)
        if self._talk is not None:
            self._talk.follow(offer)
        return Begun(None, offer)

    def _receive(self, incoming: Incoming) -> Sequence[Event]:
        kind = incoming.address.kind
        if kind in ("nickname", "talk"):
            heard = find_overheard_event(
                incoming, self.session.ledger, self._talk, self.introductions
            )
            return [] if heard is None else [heard]
        if kind in ("offer", "status"):
            return []
        if kind == "state":
            self._state_came = True
        message = self.admission.read(incoming)
        happened = spectator_events(self.session, message)
        if self._witness is not None:
            self._statement = self._witness.receive(
                self.session.ledger, message, retained=incoming.retained
            )
        if self.introductions is not None and self.session.ledger.join is not None:
            self.introductions.meet(self.session.ledger.join.author)
        return happened

    async def _subscribe_to_next_part(self, incoming: Incoming) -> None:
        # By its exact topic: some brokers (RabbitMQ) deliver no retained messages to wildcards,
        # and the host, who would publish it again, may be gone.
        address = incoming.address
        if incoming.retained and address.kind == "state" and address.part == self._next_part - 1:
            offer = self.session.ledger.offer
            state = TOPICS.state(offer.name, offer.host, self._next_part)
            # If it is refused, we try again at the next part or silence.
            with suppress(SubscriptionRefused):
                await self._transport.subscribe(state)
                self._next_part += 1

    async def _ask_broker(self) -> str:
        """Ask the broker for what it retains, at no cost to the host; returns what to tell people.

        A broker can silently lose a message or a subscription. Not every one heeds a second
        SUBSCRIBE, so where that has brought nothing the subscriptions are renewed.
        """
        offer = self.session.ledger.offer
        patterns = [*log_topics(offer)]
        if self._next_part > 1:
            patterns.append(TOPICS.state(offer.name, offer.host, self._next_part - 1))
        if self._follow_rematches:
            patterns.append(TOPICS.status(offer.name, offer.host, "+"))
            patterns += [TOPICS.offer(offer.name, node) for node in self._next_games.players]
        answered, self._state_came = self._state_came, False
        again = self._silence.is_asked
        self._renews |= again and not answered
        if self.connected:
            if again and self._renews:
                await self._transport.renew(*patterns)
            else:
                with suppress(TimeoutError, TransportError):
                    async with asyncio.timeout(_RENEWAL_S):
                        await subscribe_all(self._transport, *patterns)
            if not answered:
                await self._ask()
        if not self._silence.on_asked(self._now()):
            return ""
        if not answered:
            return "neither the host nor the broker answers; asking again"
        return f"nothing new for a while; {self._awaited} is awaited"

    @property
    def _awaited(self) -> str:
        ledger = self.session.ledger
        writer = ledger.on_turn or ledger.scorer
        side = None if writer is None else ledger.side_of(writer)
        if side is None:
            return "a guest" if ledger.phase is Phase.OPEN else "the host"
        return ruleset_info(ledger.offer.ruleset).side_names[side]

    async def _ask(self) -> None:
        now = asyncio.get_running_loop().time()
        # Without a connection there is no need: we ask on the next one anyway.
        if self.connected and now - self._asked >= _ASK_PAUSE:
            self._asked = now
            offer = self.session.ledger.offer
            await self._transport.publish(TOPICS.who(offer.name), encode(Who()))


__all__ = ["Closed", "Offer", "Watcher"]


class WatchedGame(LedgerGame):
    """A game that we watch. Either `run` it beside its use, or use it within `carried`."""

    def __init__(
        self,
        watcher: Watcher,
        room: TalkRoom | None = None,
        clock: Clock = SYSTEM_CLOCK,
        *,
        note: str = "",
    ) -> None:
        """Watch the game of `watcher`, and chat in `room` if given.

        `note` is reported before everything else.
        """
        self._watcher = watcher
        self._session = watcher.session
        self._clock = clock
        self._tip, self._since = self._ledger.tip, clock.monotonic()
        self._room = room
        # `Begun` comes with the session of the next game; events before it are of the last one.
        self._events: asyncio.Queue[TableEvent | tuple[Begun, SpectatorSession]] = asyncio.Queue()
        if note:
            self._events.put_nowait(Notice(note))

    @asynccontextmanager
    async def carried(self) -> AsyncIterator["WatchedGame"]:
        """The game, watched while the block lasts."""
        with plain_errors():
            async with asyncio.TaskGroup() as group:
                self._carrier = group.create_task(self.run(), name="watching")
                try:
                    yield self
                finally:
                    self._carrier.cancel()

    async def run(self) -> None:
        """Receive events until nothing more is expected."""
        async for event in self._watcher.events():
            self._restart_turn_time()
            match event:
                case Started() | Closed() | Rejected() | Ignored() | Named(side=None):
                    pass
                case Begun():
                    self._events.put_nowait((event, self._watcher.session))
                case _:
                    self._events.put_nowait(event)

    @property
    def _ledger(self) -> Ledger:
        return self._session.ledger

    @property
    def offer(self) -> Offer:
        """The offer of the game shown."""
        return self._ledger.offer

    @property
    def players(self) -> dict[Side, str]:
        """The node id of each side; empty before the game has begun."""
        ledger = self._ledger
        if ledger.host_side is None or ledger.join is None:
            return {}
        host = ledger.host_side
        return {host: ledger.offer.host, host.opponent: ledger.join.author}

    @property
    def _names(self) -> NameBook | None:
        introductions = self._watcher.introductions
        return None if introductions is None else introductions.names

    @property
    def _thought_ms(self) -> int:
        self._restart_turn_time()
        return int((self._clock.monotonic() - self._since) * 1000)

    def _restart_turn_time(self) -> None:
        """Restart the time of the turn if the game has grown."""
        if self._tip != self._ledger.tip:
            self._tip, self._since = self._ledger.tip, self._clock.monotonic()

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._watcher.broker

    @property
    def idle(self) -> bool:
        """Whether all events are reported and the game is over."""
        return self._events.empty() and self.outcome is not None

    def seat(self, side: Side) -> Seat:  # noqa: ARG002 -- both alike
        """Always remote: others play both sides."""
        return Seat.REMOTE

    async def advance(self) -> TableEvent:
        """The next event; see `Game.advance`."""
        event = await self._events.get()
        if isinstance(event, tuple):
            event, self._session = event
        return event

    async def events(self) -> AsyncGenerator[GameEvent, None]:
        """The events from the first move of the game; see `Game.events`."""
        while (event := await self._next()) is not None:
            yield event

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""
        if act != "talk":
            return LocalProtocolError(
                "move/no-seat", "You are watching this game; the players have the seats."
            )
        if self._room is None:
            return LocalProtocolError(
                "talk/unheard", "Nobody can hear you: to talk to other spectators, add --talk."
            )
        return None

    @property
    def connected(self) -> bool:
        """Whether the broker is connected now."""
        return self._watcher.connected

    async def talk(self, text: str) -> None:
        """Send the other spectators a line of chat; see `Game.talk`."""
        if self._room is None:
            raise self._why_not("talk")
        try:
            await self._room.say(text)
        except ValueError:
            raise LocalProtocolError(
                "talk/unsayable", "Not said: it must be one line of 1 to 500 visible characters."
            ) from None
