"""Runs a player's session over a transport: carries out its effects, listens, and resends.

The session decides; this module carries out its effects in order, and never looks into a game.
Nothing is sent before it is in the journal (`EffectRunner`). One `PlayerRuntime` is one seat in one
game; it ends when the game is closed, or with the error that stopped it.
"""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

from ataxxd.errors import LocalProtocolError
from ataxxd.nicknames import player_name
from ataxxd.node.claims import Claims, Stopwatch
from ataxxd.node.concurrency import Backlog, Duty, Signal, Timetable, plain_errors
from ataxxd.node.effect_runner import EffectRunner
from ataxxd.node.errors import rejection
from ataxxd.node.journal import GameJournal, StoredGame
from ataxxd.node.messaging.letters import RetainedChallenge, decline_error
from ataxxd.node.names import Introductions
from ataxxd.node.presence import (
    AbsenceReporter,
    Announcer,
    PlayerPresence,
    TalkRoom,
    find_overheard_event,
)
from ataxxd.node.publishing import GamePublisher, StatePace, UnreadMessages, is_newer_offer
from ataxxd.node.receiving import (
    STATE_FOR_PLAYERS,
    STATUS,
    Admission,
    Incoming,
    Receiver,
    TokenBucket,
    describe_connection,
    statement_topics,
)
from ataxxd.node.settlement import LAST_WORD_GRACE, STATEMENTS_GRACE, Settlement
from ataxxd.node.silence import Retransmission
from ataxxd.node.start_timeout import StartTimeout
from ataxxd.rules import Move as BoardMove
from ataxxd.session.events import (
    Act,
    Asked,
    Closed,
    Effect,
    Event,
    Ignored,
    Keep,
    Notice,
    Over,
    PublishState,
    Refusing,
    Rejected,
    Resigning,
    Said,
    Send,
    Started,
)
from ataxxd.session.ledger import Ledger
from ataxxd.session.player import PlayerSession, Timing
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.state import IN_PLAY, Phase, Role
from ataxxd.session.witnesses import has_missing_statements
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.transport.base import Connected, Disconnected, Refused, Transport, subscribe_all
from ataxxd.transport.topics import matches
from ataxxd_protocol import TOPICS, SigningKey, encode
from ataxxd_protocol.messages import (
    AnyLogMessage,
    AnyMessage,
    Chat,
    Consent,
    Join,
    LogMessage,
    Offer,
    Reject,
    Statement,
    StatePart,
    Status,
    Sync,
    Unread,
    Who,
)
from ataxxd_protocol.version import allows_sync_echoes


@dataclass(frozen=True, slots=True)
class OfferPublished:
    """The broker has our offer, so guests can join."""


RuntimeEvent: TypeAlias = Event | OfferPublished

OnJoin: TypeAlias = Callable[[StoredGame, Join], None]
"""Called with a guest's join; if it raises a `StorageError`, the game does not begin."""


def report_join(
    on_join: OnJoin | None, game: StoredGame, kept: Iterable[tuple[Role, AnyLogMessage]]
) -> None:
    """Report a join to our game that is among the messages just stored."""
    join = next((each for _, each in kept if isinstance(each, Join)), None)
    if on_join is not None and join is not None and game.role is Role.HOST:
        on_join(game, join)


# Seconds to wait for the other player when we leave at the end: if it is reconnecting, it would
# miss our farewell.
FAREWELL_S = 2.0


class _Ended(Exception):
    """The game is closed."""


# The most notices that wait to be shown; more are dropped, as nobody seems to read them.
_MAX_NOTICES = 64


class PlayerRuntime:
    """One seat in one game over a transport.

    Attributes:
        session: the game as this player knows it.
        events: a queue of events for one consumer; None is the last, when the runtime has ended.
        admission: decides which messages on the game's topics are read.
        presence: what is known of the opponent's connection.
        introductions: the nicknames in the game; None if they do not matter.
    """

    def __init__(
        self,
        session: PlayerSession,
        announcer: Announcer,
        transport: Transport,
        journal: GameJournal,
        stored: StoredGame,
        *,
        claims: bool,
        talk: TalkRoom | None = None,
        stays: bool = False,
        leaves_offer: bool = False,
        pace: StatePace | None = None,
        introductions: Introductions | None = None,
        clock: Clock = SYSTEM_CLOCK,
        on_join: OnJoin | None = None,
        home_option: str = "",
    ) -> None:
        """Take a seat; `run` does the rest.

        Args:
            session: the game so far, and our part in it.
            announcer: announces our presence.
            transport: the connection to the broker.
            journal: stores messages before they are sent.
            stored: the game in the journal.
            claims: claim the game without asking when the opponent is silent for longer than the
                offer's grace; otherwise `MayClaim` reports that we may. A fallen flag is always
                claimed.
            talk: the spectators' chat; None to ignore it.
            stays: our player stays when the game is settled, so do not announce that it has left.
            leaves_offer: our offer, and the challenge with it, stay at the broker while we are
                away.
            pace: the rate shared with the other games of this node; see `StatePace`.
            introductions: publishes and learns nicknames; None to ignore them.
            clock: times waiting and thinking.
            on_join: called with the guest's join, once it is stored and before it is answered.
            home_option: how errors name our home; see `Home.option`.
        """
        # Python keeps an object small as long as it has fewer than thirty attributes.
        self.session = session
        self.events: Backlog[RuntimeEvent | None] = Backlog()
        self._announcer = announcer
        self._transport = transport
        self._out = TOPICS.out(self._offer.name, self._offer.host, self._key.node)
        self._journal = journal
        self._stored = stored
        self._runner = EffectRunner(
            journal, stored, on_kept=partial(self._on_kept, on_join), on_effect=self._on_effect
        )
        name, host, kept_for = self._offer.name, self._offer.host, self._offer.access
        self._unread = UnreadMessages(session, transport, self._key, self._runner.wait_until_stored)
        # By its exact topic if we know whose: some brokers deliver no retained messages to
        # wildcards.
        reserved = kept_for if kept_for != "invited" else None
        theirs = TOPICS.unread(name, host, session.opponent or reserved or "+")
        to = self._offer.access if leaves_offer else None
        self._publisher = GamePublisher(
            self._game, transport, self._key, self._runner.wait_until_stored,
            StatePace() if pace is None else pace,
            on_offered=lambda: self.events.put_nowait(OfferPublished()),
            challenge_topic=TOPICS.challenge(self._key.node, to) if to is not None else None,
        )  # fmt: skip
        waits = to is not None and session.ledger.phase is Phase.OPEN
        self._challenge = (
            RetainedChallenge(self._offer, str(to), clock.monotonic) if waits else None
        )
        self.admission = Admission(self._game, clock.monotonic, STATE_FOR_PLAYERS)
        self._offers = TokenBucket(STATUS, clock.monotonic)
        self._retransmission = Retransmission(self._retransmit, session.role)
        self._start_timeout = StartTimeout(
            session,
            clock,
            self._count_connections,
            self._leave_unfinished,
            home_option=home_option,
        )
        self._settlement = Settlement(session, self._close)
        self._connected = True
        self._heard = False
        self.presence = PlayerPresence()
        self._absence_reporter = AbsenceReporter(self.presence, self._report_absence)
        self._talk = talk
        self._stranger_patterns = self._make_stranger_patterns(theirs)
        self._stays = stays
        self._leaving = False
        self._opponent_parted = Signal()
        self._statements_complete = Signal()
        self.introductions = introductions
        self._clock = clock
        ages = [(role is session.role, age) for role, age in journal.ages_ms(stored)]
        self._claims = Claims(
            session, Stopwatch(clock, ages), self._claim, self.events.put_nowait, automatic=claims
        )

    def _game(self) -> Ledger:
        return self.session.ledger

    @property
    def _key(self) -> SigningKey:
        return self._announcer.key

    @property
    def _offer(self) -> Offer:
        return self.session.ledger.offer

    @property
    def standing(self) -> Standing:
        """The standing of the game so far."""
        return standing_of(self.session.ledger)

    @property
    def broker(self) -> str:
        """The broker's address, without secrets."""
        return self._transport.url

    @property
    def elapsed_ms(self) -> int:
        """Milliseconds since the newest message of the game."""
        return self._claims.stopwatch.elapsed_ms

    @property
    def silence_left_ms(self) -> int | None:
        """Milliseconds until our opponent may claim the game; None if we are not warned of it."""
        return self._claims.left_ms

    @property
    def timing(self) -> Timing:
        """Our own times, for the case that the opponent claims the game."""
        return self._claims.stopwatch.times

    @property
    def connected(self) -> bool:
        """Whether the broker is connected now."""
        return self._connected

    @property
    def is_settled(self) -> bool:
        """Whether both players are known to have the whole game: nothing is left to resume."""
        return self._settlement.is_settled

    async def run(self, first: Sequence[Effect] = ()) -> None:
        """Play until the game is closed.

        Args:
            first: effects to begin with: a guest's join, or what was left to do before a restart.

        Raises:
            StorageError: the journal failed; nothing more was sent.
            TransportError: the broker does not let us play.
            GameError: the host refused our join, or nobody came.
        """
        try:
            self._prefer_opponent()
            await self._subscribe()
            # Before listening, so that our first message is kept before any answer to it.
            await self.carry_out(first)
            await self._until_closed()
            await self._leave_messages(away=False)
            await self._leave_retained()
        finally:
            self._absence_reporter.close()
            self._transport.unprefer(self._opponent_topic)
            for pattern in self._stranger_patterns:
                self._transport.unthrottle(pattern)
            self.events.put_nowait(None)

    async def _until_closed(self) -> None:
        seated = self.session.ledger.phase is not Phase.JOINED or self.session.role is Role.HOST
        self._start_timeout.begin()
        self._retransmission.begin(seated=seated)
        self._claims.reconsider()
        self._settlement.check_outcome()
        duties: list[Duty] = [
            self._start_timeout,
            self._retransmission,
            self._claims,
            self._settlement,
        ]
        if self.session.role is Role.HOST:
            duties.append(self._publisher)
        if self.introductions is not None:
            self.introductions.meet(self.session.opponent)
            duties.append(self.introductions)
        with suppress(_Ended), plain_errors():
            async with asyncio.TaskGroup() as group:
                with Timetable(group, *duties):
                    await self._listen()

    def refusal(self, act: Act) -> LocalProtocolError | None:
        """The error that an act would raise now; None if it is possible."""
        claims = self._claims
        return self.session.refusal(act, reason=claims.reason, waited_ms=claims.stopwatch.waited_ms)

    async def play(self, move: BoardMove) -> None:
        """Make a move on our turn; when this returns, it is stored and handed to the transport.

        Raises:
            LocalProtocolError, IllegalMoveError: nothing has changed.
            StorageError, TransportError: as for `run`.
        """
        await self.carry_out(self.session.play(move, self.elapsed_ms))

    async def refuse(self) -> str:
        """Refuse what the opponent asks for; returns the chat line sent. Raises as `play`."""
        effects = self.session.refuse(self._clock.now_ms())
        await self.carry_out(effects)
        return next(effect.text for effect in effects if isinstance(effect, Said))

    async def claim(self) -> None:
        """Claim the game of a silent opponent; raises as `play`."""
        await self.carry_out(
            self.session.claim(self._claims.reason, self._claims.stopwatch.waited_ms)
        )

    async def say(self, text: str) -> None:
        """Send a line of chat, to an absent opponent again when it is back; raises as `play`."""
        away = bool(self.presence.absence)
        await self.carry_out(self.session.say(text, self._clock.now_ms(), keep=away))
        if away and self.session.ledger.outcome is None:
            self._add_notice("your opponent gets this when they are back, if you are still here")

    async def leave(self) -> None:
        """Announce that we leave the unfinished game, which can be resumed."""
        await self._leave_unfinished()

    # Sending

    async def carry_out(self, effects: Sequence[Effect]) -> None:
        """Store and send what the session has just returned, such as from ``session.resign()``.

        Call it before awaiting anything else.

        Raises:
            StorageError, TransportError: as for `run`.
        """
        for effect in effects:
            if isinstance(effect, Keep):
                self._claims.on_message(ours=effect.role is self.session.role)
        await self._runner.carry_out(effects)
        await self._leave_unread()

    async def _leave_unread(self) -> None:
        """Leave unread messages at the broker if the opponent is away, or was not heard yet."""
        if self.session.ledger.phase in (Phase.OPEN, Phase.JOINED):
            return  # a host that is present answers at once
        away = bool(self.presence.absence) or not self._heard
        left = await self._unread.update(away=away, settled=self.is_settled)
        if left and self.session.ledger.outcome is not None:
            self._settlement.on_messages_left(was_heard=self._heard)

    async def _on_effect(self, effect: Effect) -> None:
        match effect:
            case Send(message):
                if isinstance(message, Consent):
                    self._journal.store_request(self._stored, message)
                if isinstance(message, LogMessage):
                    self._unread.on_sent(message)
                await self._transport.publish(self._out, encode(message))
            case Resigning(held):
                self._journal.store_resignation(self._stored, held=held)
                self._claims.reconsider()
            case Refusing(answers):
                self._journal.store_refusals(self._stored, answers)
            case PublishState():
                self._publisher.publish_soon()
            case Rejected(code, reason):
                raise rejection(self._offer, code, reason)
            case Keep(role, message):
                if role is self.session.role:
                    self._unread.on_kept(message)
            case Ignored():
                pass
            case _:
                self._report(effect)

    def _on_kept(
        self, on_join: OnJoin | None, messages: Sequence[tuple[Role, AnyLogMessage]]
    ) -> None:
        report_join(on_join, self._stored, messages)
        self._settlement.on_kept()
        # Only new messages of the game end a silence: anybody can repeat or forge others, and so
        # could keep us from ever asking.
        self._retransmission.on_new_message()

    def _report(self, event: Event) -> None:
        match event:
            case Started():
                self._start_timeout.on_started()
                self._prefer_opponent()
                if self.introductions is not None:
                    self.introductions.meet(self.session.opponent)
            case Over():
                self._settlement.check_outcome()
            case Closed():
                self._settlement.on_closed()
            case Said() | Asked() if self.events.qsize() >= _MAX_NOTICES:
                # The opponent can send any number of these; the game limits all other events.
                return
            case _:
                pass
        self.events.put_nowait(event)

    def _add_notice(self, text: str) -> None:
        if text and self.events.qsize() < _MAX_NOTICES:
            self.events.put_nowait(Notice(text))

    async def _announce_departure(self) -> None:
        """Announce that we leave, and again to an opponent that was reconnecting."""
        self._leaving = True
        await self._publish_status("left")
        if self._connected and self.is_settled and not self.presence.absence:
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_S):
                    await self._opponent_parted.wait()

    async def _leave_unfinished(self) -> None:
        waits = self.session.ledger.phase in (Phase.OPEN, Phase.JOINED)
        if waits and self._start_timeout.is_replaced:
            await self._unread.clear()
        # A guest may change its mind about a seat that is open to others, so it leaves no join.
        elif not waits or self.has_reserved_seat:
            await self._leave_messages(away=True)
        await self._publish_status("left")
        await self._leave_retained()

    async def _leave_messages(self, *, away: bool) -> None:
        """Leave at the broker what the opponent lacks, if it is `away` or may not know the end."""
        stays = self._stays and self._heard and not self.presence.absence
        knows = stays or self._settlement.is_known_to(self.presence)
        if not self.is_settled or knows or not await self._unread.leave_receipt():
            await self._unread.update(away=away, settled=self.is_settled)

    async def _leave_retained(self) -> None:
        if self.session.role is Role.HOST:
            await self._publisher.leave(expired=self._offer.expires_ms <= self._clock.now_ms())

    async def _publish_status(self, state: str) -> None:
        await self._announcer.publish(self._transport, state)

    # Listening

    def _prefer_opponent(self) -> None:
        """Read the opponent's mailbox first, and pause what strangers write if it is too much.

        While the seat is free, everything is read: a stranger may be the guest.
        """
        if (opponent := self.session.opponent) is not None:
            topic = self._opponent_topic
            self._transport.prefer(topic, partial(self.admission.may_be_read, opponent))
            asking, ask = self._question_topics, self._publisher.on_missed
            for pattern in self._stranger_patterns:
                theirs = topic if matches(pattern, topic) else ""
                # Among the dropped messages may be a question, or one that wiped the offer.
                missed = ask if pattern in asking else None
                self._transport.throttle(pattern, exempt_topic=theirs, on_missed=missed)

    @property
    def _opponent_topic(self) -> str:
        """The opponent's mailbox; empty while there is no opponent."""
        opponent = self.session.opponent
        return "" if opponent is None else TOPICS.out(self._offer.name, self._offer.host, opponent)

    @property
    def has_reserved_seat(self) -> bool:
        """Whether we are a guest, and the host keeps the seat for us."""
        return self.session.role is Role.GUEST and self._offer.access == self.session.node

    @property
    def _awaits_host(self) -> bool:
        waits = self.session.ledger.phase is Phase.JOINED and self.has_reserved_seat
        return waits and self._offer.rematch_of is None

    @property
    def _question_topics(self) -> Sequence[str]:
        """The topics on which a host learns that its retained messages are wanted, or wiped."""
        return (TOPICS.who(self._offer.name), TOPICS.who(), self._publisher.offer_topic)

    def _make_stranger_patterns(self, unread: str) -> tuple[str, ...]:
        """The topics that a game can do without for some seconds: all but the opponent's moves."""
        name, host = self._offer.name, self._offer.host
        if self.session.role is Role.HOST:
            patterns = [TOPICS.out(name, host, "+"), TOPICS.status(name, host, "+")]
            patterns += [*self._question_topics, self._publisher.part_topics]
        else:
            patterns = [TOPICS.status(name, host, host), TOPICS.state(name, host)]
            patterns.append(TOPICS.state(name, host) + "/+")
        return (*patterns, unread, *([] if self._talk is None else [self._talk.pattern]))

    @property
    def _opponent_patterns(self) -> Sequence[str]:
        """The topics by which we hear the opponent, or find what it has left; no state."""
        name, host, opponent = self._offer.name, self._offer.host, self.session.opponent
        whose = "+" if self.session.role is Role.HOST else host
        left = TOPICS.unread(name, host, host if opponent is None else opponent)
        spoken = (TOPICS.out(name, host, whose), TOPICS.status(name, host, whose))
        return (*spoken, *self._transport.patterns(left))

    async def _subscribe(self) -> None:
        name, host = self._offer.name, self._offer.host
        moves = [] if self.session.role is Role.HOST else [TOPICS.out(name, host, host)]
        said = statement_topics(self._offer)
        left = () if self._challenge is None else self._challenge.patterns
        # A newer offer tells that a challenge that was left is no longer open.
        offer = [self._publisher.offer_topic] if self._awaits_host else []
        await subscribe_all(self._transport, *self._stranger_patterns, *moves, *said, *left, *offer)

    async def _listen(self) -> None:
        async for event in Receiver(self._transport):
            match event:
                case Incoming():
                    await self._on_incoming(event)
                case Connected():
                    self._connected = True
                    self._claims.on_connected()
                    self._absence_reporter.on_connected()
                    self._add_notice(describe_connection(event))
                    await self._on_connected()
                case Disconnected():
                    self._connected = False
                    self._claims.on_disconnected(event)
                    self._absence_reporter.on_disconnected()
                    self._add_notice(describe_connection(event))
                case Refused():
                    self._add_notice(describe_connection(event))
            del event  # else it would stay in memory until the next one comes
        # The transport is closed: whatever is sent next will raise the error.
        await asyncio.Event().wait()

    async def _on_connected(self) -> None:
        await self._publish_status("online")
        self._publisher.renew()
        self._retransmission.change.forget()
        if self.introductions is not None:
            self.introductions.on_connected()
        await self.carry_out(self.session.on_connected())

    async def _on_incoming(self, incoming: Incoming) -> None:
        address, retained = incoming.address, incoming.retained
        if address.kind in ("challenge", "decline"):
            await self._on_decline(incoming)
            return
        if address.writer == self._key.node:
            if address.kind == "offer" and not retained:
                self._publisher.on_own_offer(incoming)
            elif retained and address.kind == "state" and incoming.payload:
                await self._publisher.clear_part(address)
            return
        if address.kind in ("nickname", "talk", "offer"):
            self._on_spectator_message(incoming)
            return
        match message := self.admission.read(incoming):
            case Who():
                self._publisher.on_question()
            case Status():
                await self._on_status(message)
            case StatePart():
                self._settlement.on_state(message)
                await self._answer(message)
            case LogMessage() | Consent() | Chat() | Sync() | Reject() | Unread():
                self._heard = self._heard or not retained
                if isinstance(message, Unread):
                    self._settlement.on_unread()
                await self._answer(message)
            case Statement():
                self._on_statement(message)
            case _:
                pass

    async def _on_decline(self, incoming: Incoming) -> None:
        """Withdraw an offer that was left at the broker if the challenged node declines it."""
        challenge, ledger = self._challenge, self.session.ledger
        if challenge is None or ledger.phase is not Phase.OPEN:
            return
        if (decline := challenge.receive(incoming)) is not None:
            await self._publisher.withdraw()
            shown = (
                player_name if self.introductions is None else self.introductions.names.display_name
            )
            raise decline_error(shown(decline.author), decline)

    def _on_statement(self, statement: Statement) -> None:
        known = self.session.ledger.statements
        self.session.receive(statement)
        if self.session.ledger.statements != known:
            self._journal.store_statement(self._stored, statement)
        if not has_missing_statements(self.session.ledger):
            self._statements_complete.set()

    def _on_spectator_message(self, incoming: Incoming) -> None:
        if incoming.address.kind == "offer":
            heard = self._awaits_host and self._offers.take()
            if heard and is_newer_offer(incoming.message, self._offer):
                self._start_timeout.on_replaced()
            return
        event = find_overheard_event(incoming, self.session.ledger, self._talk, self.introductions)
        if event is not None and self.events.qsize() < _MAX_NOTICES:
            self.events.put_nowait(event)

    async def _answer(self, message: AnyMessage) -> None:
        effects = self.session.receive(message, self.timing)
        await self.carry_out(self._affordable(effects))
        if isinstance(message, Sync):
            self._settlement.on_sync(message)
            change = self._retransmission.change
            if change.awaits(message.echo) and self.session.is_signed_by_opponent(message):
                change.forget()

    def _affordable(self, effects: Sequence[Effect]) -> list[Effect]:
        return self.admission.affordable(effects, congested=self._transport.congested)

    async def _on_status(self, status: Status) -> None:
        if status.author != self.session.opponent or status.game != self._offer.digest:
            return
        if not self.session.is_signed_by_opponent(status) or not self.presence.update(status):
            return
        self._retransmission.change.forget()
        if self.session.ledger.phase in IN_PLAY:
            self._absence_reporter.update()
            if self.presence.absence:
                await self._leave_unread()
        if self._leaving:
            if status.state == "online":
                await self._publish_status("left")
            self._opponent_parted.set()
        elif status.state == "online":
            # An opponent that has just come has not heard us, and may think that we are gone.
            await self._publish_status("online")
            await self.carry_out(self._affordable(self.session.on_opponent_back()))

    def _report_absence(self, away: str) -> bool:
        if self.session.ledger.phase not in IN_PLAY:
            return False
        waits = f"your opponent {away}; your moves wait for them"
        self._add_notice(waits if away else "your opponent is back")
        return True

    # Waiting

    async def _retransmit(self) -> None:
        # Without a connection, a request would only wait in the outbox.
        if not self._connected or self.session.ledger.on_turn is self.session.role:
            return
        nonce = None
        if self._retransmission.is_long:
            if self._change_member():
                return
            # The connection may live on without its subscriptions, and nobody tells us.
            await self._transport.renew(*self._opponent_patterns)
            if self._is_opponent_expected:
                nonce = self._retransmission.change.ask(asyncio.get_running_loop().time())
        await self.carry_out(self.session.on_connected(nonce))

    @property
    def _is_opponent_expected(self) -> bool:
        """Whether an opponent that echoes nothing may be at a member split from ours."""
        begun = self.session.ledger.phase not in (Phase.OPEN, Phase.JOINED)
        echoes = begun and allows_sync_echoes(self._offer.v)
        return echoes and self._transport.members > 1 and not self.presence.absence

    def _change_member(self) -> bool:
        """Go on to another member of the cluster if that is due; returns whether we do."""
        now, change = asyncio.get_running_loop().time(), self._retransmission.change
        if not self._is_opponent_expected or not change.is_due(now):
            return False
        if not self._transport.change_member("your opponent is not heard here"):
            return False
        change.on_changed(now)
        return True

    def _count_connections(self) -> int | None:
        return self._transport.counters.connections if self._connected else None

    async def _claim(self, reason: str, waited_ms: int) -> None:
        await self.carry_out(self.session.claim(reason, waited_ms))

    async def _close(self) -> None:
        """Wait until the finished game is settled, and end the runtime."""
        await self._settlement.wait()
        await self._runner.wait_until_stored()
        if has_missing_statements(self.session.ledger):
            self._statements_complete.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(STATEMENTS_GRACE):
                    await self._statements_complete.wait()
        if self.session.role is Role.HOST:
            # Everything, as it may have been wiped, and latecomers have nobody to ask.
            await self._publisher.publish(everything=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORD_GRACE):
                await self._transport.drain()
        if not self._stays:
            await self._announce_departure()
        raise _Ended
