"""Watching a game: with the same codec and ledger as a player, but without publishing anything.

`ataxxd.node.next_games` follows the players beside the game, and `ataxxd.node.watched_game` is what
clients see of it.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress

from ataxxd.errors import TransportError
from ataxxd.node.concurrency import run_beside
from ataxxd.node.names import Introductions, NameBook
from ataxxd.node.next_games import NextGame, NextGameTracker, spectator_events
from ataxxd.node.presence import TalkRoom, find_overheard_event
from ataxxd.node.receiving import (
    Admission,
    Incoming,
    Receiver,
    ReceiverEvent,
    describe_connection,
    log_topics,
)
from ataxxd.node.settlement import LAST_WORD_GRACE, SCORE_GRACE, STATEMENTS_GRACE
from ataxxd.node.silence import Silence
from ataxxd.rules import ruleset_info
from ataxxd.session.events import Begun, Closed, Event, Notice
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import Standing, standing_of
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import IN_PLAY, Phase
from ataxxd.session.witnesses import Witness, claim_digest, has_missing_statements
from ataxxd.transport.base import (
    Connected,
    Disconnected,
    Refused,
    SubscriptionRefused,
    Transport,
    subscribe_all,
)
from ataxxd_protocol import TOPICS, SigningKey, encode
from ataxxd_protocol.messages import Statement, Who

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

    async def events(self) -> AsyncIterator[Event]:
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

    async def _events(self) -> AsyncIterator[Event]:
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

    async def _game_events(self, stream: Receiver) -> AsyncIterator[Event]:
        """The events of a game to its end; `Closed` comes after the witnesses' statements."""
        closed: Closed | None = None
        async for event in self._settling_events(stream):
            if isinstance(event, Closed) and has_missing_statements(self.session.ledger):
                closed = event
            else:
                yield event
        if closed is not None:
            yield closed

    async def _settling_events(self, stream: Receiver) -> AsyncIterator[Event]:
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

    async def _events_between_games(self, stream: Receiver) -> AsyncIterator[Event]:
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
    ) -> Sequence[Event] | None:
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

    async def _on_event(self, event: ReceiverEvent) -> AsyncIterator[Event]:
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
