"""Running an event: its documents and its games, round after round.

The host publishes, renews and clears the documents. It watches every board as a spectator, and so
also sees the silence that a claim is about.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace

from ataxxd.errors import RemoteProtocolError, StorageError, TransportError, VerificationError
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.receiving import Incoming, Receiver, describe_connection
from ataxxd.node.settlement import LAST_WORD_GRACE
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Notice
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, verify_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.times import SYSTEM_CLOCK, Clock
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog
from ataxxd.tournament.feed import read_event
from ataxxd.tournament.folder import EventFolder, SeenMessages
from ataxxd.tournament.tournament import (
    Board,
    Tournament,
    check_offer_fits,
    forfeit_result,
    has_begun,
    is_voided,
    result_of,
)
from ataxxd.transport.base import Connected, Disconnected, Refused, Transport
from ataxxd_protocol import TOPICS, SigningKey, encode, signed
from ataxxd_protocol.messages import (
    AnyLogEntry,
    DrawnRound,
    EventPlan,
    EventRound,
    Offer,
    PlannedEvent,
    Result,
)
from ataxxd_protocol.topics import Address

# Seconds between two republications of a document: somebody may keep taking it down.
_RETRY_S = 1.0


def _ignore(_: object) -> None:
    """Ignore the call."""


class Publisher:
    """Keeps an event's documents on the broker, and hears the offers of its games.

    `run` must run beside it.
    """

    def __init__(
        self,
        transport: Transport,
        plan: EventPlan,
        on_news: Callable[[str], None],
    ) -> None:
        """Publish nothing yet.

        Args:
            transport: an open connection to the broker, read by nobody else.
            plan: the plan of the event.
            on_news: called with a sentence when the connection is lost or back.
        """
        self._transport = transport
        self._plan = plan
        self._on_news = on_news
        self._documents: dict[str, bytes] = {}
        self._missing: set[str] = set()
        self._news = asyncio.Event()
        self._offers: dict[tuple[str, str], asyncio.Queue[Offer]] = {}

    async def publish(self, document: EventPlan | EventRound) -> None:
        """Publish a document, and publish it again whenever the broker loses it."""
        number = document.number if isinstance(document, EventRound) else 0
        topic = TOPICS.event(self._plan.name, self._plan.host, number)
        self._documents[topic] = encode(document)
        await self._transport.publish(topic, self._documents[topic], retain=True)
        await self._transport.subscribe(topic)

    async def watch_offers(self, name: str, host: str) -> asyncio.Queue[Offer]:
        """A queue of a game's offers: the one on the broker now, and those that come later."""
        queue = self._offers.setdefault((name, host), asyncio.Queue(maxsize=16))
        await self._transport.subscribe(TOPICS.offer(name, host))
        return queue

    async def unwatch_offers(self, name: str, host: str) -> None:
        """Stop listening to the offers of a game."""
        self._offers.pop((name, host), None)
        await self._transport.unsubscribe(TOPICS.offer(name, host))

    async def run(self) -> None:
        """Listen and publish again what is missing, for ever."""
        # Those who do not know our id ask for the plan if the broker sends no retained messages on
        # a wildcard.
        await self._transport.subscribe(TOPICS.who())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._republish(), name="documents again")
            async for event in Receiver(self._transport):
                match event:
                    case Incoming(address=Address(kind="event", part=number)):
                        topic = TOPICS.event(self._plan.name, self._plan.host, number)
                        if event.payload != self._documents.get(topic, event.payload):
                            self._missing.add(topic)
                            self._news.set()
                    case Incoming(address=Address(kind="who")):
                        self._missing.add(TOPICS.event(self._plan.name, self._plan.host))
                        self._news.set()
                    case Incoming():
                        self._receive(event)
                    case Connected() | Disconnected() | Refused():
                        if news := describe_connection(event):
                            self._on_news(news)
                        if isinstance(event, Connected) and event.epoch > 1:
                            self._missing.update(self._documents)
                            self._news.set()

    async def _republish(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            missing, self._missing = self._missing, set()
            for topic in sorted(missing):
                await self._transport.publish(topic, self._documents[topic], retain=True)
            await asyncio.sleep(_RETRY_S)

    def _receive(self, incoming: Incoming) -> None:
        address = incoming.address
        queue = self._offers.get((address.name, str(address.host)))
        if queue is None or queue.full():
            return
        if isinstance(offer := incoming.message, Offer):
            queue.put_nowait(offer)


async def unpublish_event(transport: Transport, plan: EventPlan) -> None:
    """Remove all documents of an event from the broker."""
    for number in range(plan.rounds + 1, -1, -1):
        await transport.publish(TOPICS.event(plan.name, plan.host, number), b"", retain=True)
    await transport.drain()


# Seconds to look for games although the time of their round is up: a host that was away for too
# long must not decide them unseen.
SEARCH_S = 10.0
# Seconds to collect what the broker still has of the event.
CATCH_UP_S = 1.0


class EventHost:
    """The host of one event.

    Attributes:
        tournament: the event so far.
    """

    def __init__(
        self,
        key: SigningKey,
        folder: EventFolder,
        connect: Callable[[], Transport],
        on_game_over: Callable[[Board, bool], None],
        *,
        on_round: Callable[[EventRound], None] = _ignore,
        on_news: Callable[[str], None] = _ignore,
        withdrawn: Sequence[str] = (),
        club: ClubKeeper | None = None,
        search_s: float = SEARCH_S,
        catch_up_s: float = CATCH_UP_S,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Resume the event in a folder, or begin it.

        Args:
            key: our key.
            folder: holds the plan, and the rounds and records so far.
            connect: creates a transport.
            on_game_over: called with each game that counts, its result, and whether it was in
                time.
            on_round: called with each round that begins, and with the one already under way.
            on_news: called with a sentence when the connection is lost or back.
            withdrawn: the players who withdraw from the next round on.
            club: keeps the log of the event's club; None if the event is not rated.
            search_s: after a restart, look for the games of the round for at least so many seconds.
            catch_up_s: seconds to look on the broker for rounds that the folder lacks.
            clock: the clock of the host.

        Raises:
            StorageError: the folder cannot be used.
        """
        feed = folder.load()
        if feed.fault is not None:
            raise StorageError(
                f"The rounds in {folder.path} do not fit each other: {feed.fault}. Restore them."
            )
        self.tournament: Tournament = feed.tournament
        self._key = key
        self._folder = folder
        self._connect = connect
        self._on_game_over = on_game_over
        self._on_round = on_round
        self._on_news = on_news
        self._withdrawn = withdrawn
        self._club = club
        self._catch_up_s = catch_up_s
        # Only a round that began before a restart needs this: others are watched all the time.
        self._given_search_s = search_s
        self._search_s = search_s if feed.tournament.rounds else 0.0
        self._clock = clock

    async def run(self) -> None:
        """Publish the event and run it to its end.

        If cancelled, the event can be resumed from the folder.

        Raises:
            StorageError: something cannot be stored, or the folder and the broker contradict each
                other.
            VerificationError: the event is rated, and a player is not a member of the club.
            TransportError: the broker cannot be reached, or refuses us.
        """
        tournament = self.tournament
        await self._catch_up()
        self._update_club_log()
        async with self._connect() as transport:
            publisher = Publisher(transport, tournament.plan, self._on_news)
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    keeping = group.create_task(publisher.run(), name="documents")
                    await publisher.publish(tournament.plan)
                    for known in tournament.rounds:
                        await publisher.publish(known)
                    if tournament.rounds and not tournament.over:
                        self._on_round(tournament.rounds[-1])
                    while not tournament.over:
                        following = self._next_round(await self._collect_results(publisher))
                        # Stored before it is published, so that a restart publishes the same.
                        self._folder.write_document(following)
                        tournament.accept_round(following)
                        self._update_club_log()
                        await publisher.publish(following)
                        if not tournament.over:
                            self._on_round(following)
                        self._search_s = 0.0
                    keeping.cancel()
            await transport.drain()

    async def _catch_up(self) -> None:
        """Take in what we published and the folder lacks, as it may come from a backup."""
        tournament = self.tournament
        async with self._connect() as transport:
            feed = await read_event(transport, tournament.plan, seconds=self._catch_up_s)
        published = feed.tournament.rounds
        fits = all(
            ours == theirs for ours, theirs in zip(tournament.rounds, published, strict=False)
        )
        if feed.fault is not None or not fits:
            raise StorageError(
                f"The broker has other rounds of {tournament.plan.name} than {self._folder.path}, "
                "and both are signed by this node. Restore the newest copy of that folder; nothing "
                "was published."
            )
        for following in published[len(tournament.rounds) :]:
            self._folder.write_document(following)
            tournament.accept_round(following)
            self._search_s = self._given_search_s

    def _update_club_log(self) -> None:
        """Append what the club's log lacks of the event, before anybody else knows of it.

        Raises:
            StorageError: it cannot be kept.
            VerificationError: somebody who plays is not a member.
        """
        if self._club is None:
            return
        plan, rounds = self.tournament.plan, self.tournament.rounds

        def entries(log: ClubLog, now_ms: int) -> list[AnyLogEntry]:
            known = log.events.get(plan.digest)
            lacking = rounds[len(known.rounds) if known else 0 :]
            made: list[AnyLogEntry] = [DrawnRound(round=each, at_ms=now_ms) for each in lacking]
            return made if known else [PlannedEvent(plan=plan, at_ms=now_ms), *made]

        self._club.append(entries)

    def _next_round(self, results: Sequence[Result]) -> EventRound:
        tournament = self.tournament
        here = {*tournament.plan.players} - tournament.withdrawn
        now_ms = self._clock.now_ms()
        before = (
            tournament.rounds[-1].created_ms if tournament.rounds else tournament.plan.created_ms
        )
        made = tournament.next_round(
            results,
            # Even if the clock was set back, no round is older than the one before it.
            created_ms=max(now_ms, before),
            withdrawn=[node for node in self._withdrawn if node in here],
        )
        following = signed(made, self._key)
        assert isinstance(following, EventRound)
        return following

    async def _collect_results(self, publisher: Publisher) -> list[Result]:
        """The results of the newest round, once its games are over or its time is up."""
        number = len(self.tournament.rounds)
        boards = [each for each in self.tournament.boards if each.number == number]
        async with asyncio.TaskGroup() as group:
            games = [
                group.create_task(self._await_result(board, publisher), name=f"board {board.board}")
                for board in boards
            ]
        return [game.result() for game in games]

    async def _await_result(self, board: Board, publisher: Publisher) -> Result:
        plan = self.tournament.plan
        watched = WatchedBoard(
            plan,
            board,
            self._connect,
            self._stored_game(board),
            began_ms=self.tournament.rounds[-1].created_ms,
            seen=self._folder.seen_messages(board.name),
            clock=self._clock,
        )
        in_time = True
        if not watched.is_settled:
            offers = await publisher.watch_offers(board.name, board.pairing.first)
            ends_ms = self.tournament.rounds[-1].created_ms + plan.round_ms
            left_s = max(self._search_s, (ends_ms - self._clock.now_ms()) / 1000)
            try:
                async with asyncio.timeout(left_s):
                    await watched.run(offers)
            except TimeoutError:
                in_time = watched.is_settled
            await publisher.unwatch_offers(board.name, board.pairing.first)
        result, ledger = watched.result, watched.ledger
        if ledger is not None and result.record is not None:
            self._folder.write_record(board.name, dump_record(ledger))
        self._on_game_over(replace(board, result=result), in_time)
        return result

    def _stored_game(self, board: Board) -> Ledger | None:
        """The game of a board as it was stored before a restart."""
        data = self._folder.record(board.name)
        if data is None:
            return None
        try:
            ledger = verify_record(data).ledger
            check_offer_fits(self.tournament.plan, board, ledger.offer)
        except (VerificationError, RemoteProtocolError):
            return None
        return ledger


# For this long after a connection was made, messages may be older than the connection.
_CATCH_UP_GRACE_S = 10.0
# The tolerance for differences in network delay, in seconds; one per cent of the wait is added.
_NETWORK_SLACK_S = 5.0


class ArrivalRecorder:
    """Records when the messages of one game arrive."""

    def __init__(
        self,
        now_s: Callable[[], float],
        earliest_start_s: float,
        arrivals_s: Mapping[str, float | None] | None = None,
        store: Callable[[str, float | None], None] = lambda _message, _heard: None,
    ) -> None:
        """Begin with the messages known from before.

        Args:
            now_s: the time in seconds, by a clock that does not jump.
            earliest_start_s: the earliest time, by that clock, at which the game can have begun.
            arrivals_s: the arrival times of earlier messages, by that clock, by their digests.
            store: called with the digest of each new message and its arrival time.
        """
        self._now_s = now_s
        self._earliest_start_s = earliest_start_s
        self._reconnected_s = earliest_start_s
        # None for a message that may have been old when it arrived.
        self._arrivals_s: dict[str, float | None] = dict(arrivals_s or {})
        self._store = store

    def on_interrupted(self) -> None:
        """Note that a connection was made or lost: the next messages may have been sent earlier."""
        self._reconnected_s = self._now_s()

    def record_arrivals(self, ledger: Ledger) -> None:
        """Record the arrival of the messages that are new in a game."""
        now = self._now_s()
        known = now if now - self._reconnected_s > _CATCH_UP_GRACE_S else None
        for _, message in ledger.line:
            if message.digest not in self._arrivals_s:
                self._arrivals_s[message.digest] = known
                self._store(message.digest, known)

    def find_loser(self, ledger: Ledger) -> Role | None:
        """The player who is wrong about the game's claim; None if that is not known."""
        claim, place, claimant = ledger.claim, ledger.decided_at, ledger.decision
        if claim is None or place is None or claimant is None:
            return None
        awaited = self._arrivals_s.get(ledger.line[place - 1][1].digest)
        answers = [message for by, message in ledger.line[place:] if by is not claimant]
        ends = [self._arrivals_s.get(each.digest) for each in (ledger.line[place][1], *answers[:1])]
        end = None if None in ends else min(each for each in ends if each is not None)
        most = (self._now_s() if end is None else end) - (
            self._earliest_start_s if awaited is None else awaited
        )
        least = 0.0 if end is None or awaited is None else end - awaited
        waited = claim.waited_ms / 1000
        slack = waited / 100 + _NETWORK_SLACK_S
        if most + slack < waited:
            return claimant
        return claimant.other if least + slack >= waited else None


# Seconds until we try to watch a game again after losing the connection.
_RECONNECT_S = 2.0


class WatchedBoard:
    """Watches the game of one pairing."""

    def __init__(
        self,
        plan: EventPlan,
        board: Board,
        connect: Callable[[], Transport],
        known: Ledger | None = None,
        *,
        began_ms: int | None = None,
        seen: SeenMessages | None,
        clock: Clock,
    ) -> None:
        """Begin with what is known of the game; `run` does the rest.

        Args:
            plan: the plan of the event.
            board: the pairing.
            connect: creates a transport for the game.
            known: the game so far, from a stored record.
            began_ms: when the round began, by `clock`, in Unix milliseconds; now if None.
            seen: stores the arrival times of the messages, so that they survive a restart.
            clock: the clock by which claims are judged.
        """
        age_s = 0.0 if began_ms is None else max(0, clock.now_ms() - began_ms) / 1000
        self._since = clock.monotonic() - age_s
        self._clock = clock
        self._seen = seen
        self._arrivals = self._make_recorder()
        self._plan = plan
        self._board = board
        self._connect = connect
        self._session = None if known is None else SpectatorSession(known)

    @property
    def ledger(self) -> Ledger | None:
        """The game as far as it is known; None if it has not been offered."""
        return None if self._session is None else self._session.ledger

    @property
    def is_settled(self) -> bool:
        """Whether the game is over and has a result."""
        ledger = self.ledger
        return ledger is not None and ledger.outcome is not None and not is_voided(ledger)

    @property
    def result(self) -> Result:
        """The result that the board has if the round ends now."""
        ledger = self.ledger
        if ledger is not None and has_begun(ledger):
            return result_of(ledger, self._arrivals.find_loser(ledger))
        return forfeit_result(offered=ledger is not None)

    async def run(self, offers: "asyncio.Queue[Offer]") -> None:
        """Follow the game until it is settled.

        Args:
            offers: the offers under the game's name by the player who moves first.
        """
        hearing = asyncio.create_task(offers.get(), name="offers")
        following: asyncio.Task[None] | None = None
        try:
            while not self.is_settled or following is not None:
                waits = {hearing} if following is None else {hearing, following}
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if following is not None and following.done():
                    following.result()
                    following = None
                if hearing.done():
                    offer = hearing.result()
                    hearing = asyncio.create_task(offers.get(), name="offers")
                    if (session := self._session_for(offer)) is not None:
                        await _cancel_task(following)
                        self._session = session
                        self._arrivals = self._make_recorder()
                        following = asyncio.create_task(self._follow(session), name=offer.name)
        finally:
            await _cancel_task(following)
            await _cancel_task(hearing)

    def _make_recorder(self) -> ArrivalRecorder:
        clock, seen = self._clock, self._seen
        if seen is None:
            return ArrivalRecorder(clock.monotonic, self._since)
        # The difference between the monotonic clock and the time of day, in seconds.
        offset = clock.monotonic() - clock.now_ms() / 1000
        heard = {
            message: None if at_ms is None else at_ms / 1000 + offset
            for message, at_ms in seen.read().items()
        }

        def store(message: str, heard: float | None) -> None:
            seen.add(message, None if heard is None else round((heard - offset) * 1000))

        return ArrivalRecorder(clock.monotonic, self._since, heard, store)

    def _session_for(self, offer: Offer) -> SpectatorSession | None:
        """A session for an offer's game, if it is this pairing's and replaces the one we know."""
        known = self.ledger
        if known is not None:
            if has_begun(known) and not is_voided(known):
                return None
            if offer.created_ms <= known.offer.created_ms:
                return None
        board = self._board
        try:
            check_offer_fits(self._plan, board, offer)
            return SpectatorSession(Ledger(offer))
        except RemoteProtocolError:
            return None

    async def _follow(self, session: SpectatorSession) -> None:
        # A player may go on repeating its last messages to an absent opponent: after the end, watch
        # only for a limited time.
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit:
                while True:
                    try:
                        async with self._connect() as transport:
                            self._arrivals.on_interrupted()
                            async for event in Watcher(session, transport).events():
                                if isinstance(event, Notice):
                                    self._arrivals.on_interrupted()
                                self._arrivals.record_arrivals(session.ledger)
                                if session.ledger.outcome is not None and limit.when() is None:
                                    now = asyncio.get_running_loop().time()
                                    limit.reschedule(now + LAST_WORD_GRACE)
                    except TransportError:
                        await asyncio.sleep(_RECONNECT_S)
                        continue
                    return


async def _cancel_task(task: "asyncio.Task[object] | asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()
        await asyncio.wait({task})
