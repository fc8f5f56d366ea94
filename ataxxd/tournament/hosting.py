"""Running an event: its documents, its games, round after round.

The documents are put up on the broker, put up again, and taken down.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from ataxxd.errors import RemoteProtocolError, StorageError, VerificationError
from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.profile import TOPICS
from ataxxd.node.receiving import Incoming, Receiver, connection_news
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record, verify_record
from ataxxd.tournament.boards import WatchedBoard
from ataxxd.tournament.club_keeper import ClubKeeper
from ataxxd.tournament.club_log import ClubLog
from ataxxd.tournament.feed import read_event
from ataxxd.tournament.folder import EventFolder
from ataxxd.tournament.games import check_offer_fits, game_name
from ataxxd.tournament.tournament import Board, Tournament
from ataxxd.transport.base import Connected, Disconnected, Refused, Transport
from ataxxd_protocol import SigningKey, Topics, encode, signed
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

# Seconds between two times that a document is put up again: who takes it down may try for long.
_AGAIN_S = 1.0


def _nobody(_: object) -> None:
    """Nobody is told."""


class Publisher:
    """Keeps an event's documents retained, and hears the offers of its games; `run` it."""

    def __init__(
        self,
        transport: Transport,
        topics: Topics,
        plan: EventPlan,
        news: Callable[[str], None] = _nobody,
    ) -> None:
        """Speak for the event of `plan`; nobody else may read `transport`.

        Args:
            transport: to the broker.
            topics: where events are.
            plan: of the event.
            news: is told in words when the connection is lost, and when it is back.
        """
        self._transport = transport
        self._topics = topics
        self._plan = plan
        self._tell = news
        self._documents: dict[str, bytes] = {}
        self._missing: set[str] = set()
        self._news = asyncio.Event()
        self._offers: dict[tuple[str, str], asyncio.Queue[Offer]] = {}

    async def put_up(self, document: EventPlan | EventRound) -> None:
        """Publish a document, and see that it stays."""
        number = document.number if isinstance(document, EventRound) else 0
        topic = self._topics.event(self._plan.name, self._plan.host, number)
        self._documents[topic] = encode(document)
        await self._transport.publish(topic, self._documents[topic], retain=True)
        await self._transport.subscribe(topic)

    async def offers(self, name: str, host: str) -> asyncio.Queue[Offer]:
        """The offers of a game as they come, also the one that is there."""
        queue = self._offers.setdefault((name, host), asyncio.Queue(maxsize=16))
        await self._transport.subscribe(self._topics.offer(name, host))
        return queue

    async def forget(self, name: str, host: str) -> None:
        """Hear the offers of a game no more."""
        self._offers.pop((name, host), None)
        await self._transport.unsubscribe(self._topics.offer(name, host))

    async def run(self) -> None:
        """Listen, for ever."""
        # For whoever does not know our id, where brokers keep nothing for a wildcard.
        await self._transport.subscribe(self._topics.who())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._mend(), name="documents again")
            async for event in Receiver(self._transport, self._topics):
                match event:
                    case Incoming(address=Address(kind="event", part=number)):
                        topic = self._topics.event(self._plan.name, self._plan.host, number)
                        if event.payload != self._documents.get(topic, event.payload):
                            self._missing.add(topic)
                            self._news.set()
                    case Incoming(address=Address(kind="who")):
                        self._missing.add(self._topics.event(self._plan.name, self._plan.host))
                        self._news.set()
                    case Incoming():
                        self._hear(event)
                    case Connected() | Disconnected() | Refused():
                        if news := connection_news(event):
                            self._tell(news)
                        if isinstance(event, Connected) and event.epoch > 1:
                            self._missing.update(self._documents)
                            self._news.set()

    async def _mend(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            missing, self._missing = self._missing, set()
            for topic in sorted(missing):
                await self._transport.publish(topic, self._documents[topic], retain=True)
            await asyncio.sleep(_AGAIN_S)

    def _hear(self, incoming: Incoming) -> None:
        address = incoming.address
        queue = self._offers.get((address.name, str(address.host)))
        if queue is None or queue.full():
            return
        if isinstance(offer := incoming.message, Offer):
            queue.put_nowait(offer)


async def take_down(transport: Transport, topics: Topics, plan: EventPlan) -> None:
    """Clear the documents of an event, whatever rounds it has come to."""
    for number in range(plan.rounds + 1, -1, -1):
        await transport.publish(topics.event(plan.name, plan.host, number), b"", retain=True)
    await transport.drain()


# Seconds for which games are looked for though the time of their round is up: a host that was
# away for longer must not give them away unseen.
LOOK_S = 10.0
# Seconds for what the broker still has of the event.
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
        ended: Callable[[Board, bool], None],
        *,
        began: Callable[[EventRound], None] = _nobody,
        news: Callable[[str], None] = _nobody,
        withdrawn: Sequence[str] = (),
        club: ClubKeeper | None = None,
        look_s: float = LOOK_S,
        catch_up_s: float = CATCH_UP_S,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Go on with the event of a folder, or begin it.

        Args:
            key: ours.
            folder: holds the plan, and what there was so far.
            connect: makes a transport.
            ended: is told of each game that counts, with its result, and whether it was in time.
            began: is told of each round that begins, and of the one that was under way.
            news: is told in words when the connection is lost, and when it is back.
            withdrawn: who plays no more from the next round on.
            club: keeps the log of the club whose event this is; None where it is not rated.
            look_s: seconds for which the games of a round from before a restart are looked for
                at least.
            catch_up_s: seconds for which rounds are looked for on the broker that the folder lacks.
            clock: the time of day.

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
        self._ended = ended
        self._began = began
        self._news = news
        self._withdrawn = withdrawn
        self._club = club
        self._catch_up_s = catch_up_s
        # A round of our own has been watched all the time.
        self._asked_look_s = look_s
        self._look_s = look_s if feed.tournament.rounds else 0.0
        self._clock = clock

    async def run(self) -> None:
        """Publish the event and carry it to its end.

        Cancelling it leaves the event, which goes on from the folder the next time.

        Raises:
            StorageError: something cannot be kept, or the folder and the broker contradict each
                other.
            VerificationError: the event is rated, and somebody who plays is not a member.
            TransportError: the broker cannot be reached, or refuses us.
        """
        tournament = self.tournament
        await self._catch_up()
        self._log()
        async with self._connect() as transport:
            publisher = Publisher(transport, TOPICS, tournament.plan, self._news)
            with plain_errors():
                async with asyncio.TaskGroup() as group:
                    keeping = group.create_task(publisher.run(), name="documents")
                    await publisher.put_up(tournament.plan)
                    for known in tournament.rounds:
                        await publisher.put_up(known)
                    if tournament.rounds and not tournament.over:
                        self._began(tournament.rounds[-1])
                    while not tournament.over:
                        following = self._next(await self._results(publisher))
                        # Kept before it is said: whoever restarts says nothing else.
                        self._folder.keep(following)
                        tournament.accept(following)
                        self._log()
                        await publisher.put_up(following)
                        if not tournament.over:
                            self._began(following)
                        self._look_s = 0.0
                    keeping.cancel()
            await transport.drain()

    async def _catch_up(self) -> None:
        """Take in what we published and the folder lacks: it may have come from a backup."""
        tournament = self.tournament
        async with self._connect() as transport:
            feed = await read_event(transport, TOPICS, tournament.plan, seconds=self._catch_up_s)
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
            self._folder.keep(following)
            tournament.accept(following)
            self._look_s = self._asked_look_s

    def _log(self) -> None:
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

    def _next(self, results: Sequence[Result]) -> EventRound:
        tournament = self.tournament
        here = {*tournament.plan.players} - tournament.withdrawn
        now_ms = self._clock.now_ms()
        before = (
            tournament.rounds[-1].created_ms if tournament.rounds else tournament.plan.created_ms
        )
        made = tournament.next(
            results,
            # A clock that was set back makes no round older than the one before it.
            created_ms=max(now_ms, before),
            withdrawn=[node for node in self._withdrawn if node in here],
        )
        following = signed(made, self._key)
        assert isinstance(following, EventRound)
        return following

    async def _results(self, publisher: Publisher) -> list[Result]:
        """The results of the newest round, once its games are over or its time is up."""
        number = len(self.tournament.rounds)
        boards = [each for each in self.tournament.boards if each.number == number]
        async with asyncio.TaskGroup() as group:
            games = [
                group.create_task(self._played(board, publisher), name=f"board {board.board}")
                for board in boards
            ]
        return [game.result() for game in games]

    async def _played(self, board: Board, publisher: Publisher) -> Result:
        plan = self.tournament.plan
        name = game_name(plan, board.number, board.board)
        watched = WatchedBoard(
            plan,
            board,
            self._connect,
            self._known(board, name),
            began_ms=self.tournament.rounds[-1].created_ms,
            seen=self._folder.seen(name),
            clock=self._clock,
        )
        in_time = True
        if not watched.settled:
            offers = await publisher.offers(name, board.pairing.first)
            ends_ms = self.tournament.rounds[-1].created_ms + plan.round_ms
            left_s = max(self._look_s, (ends_ms - self._clock.now_ms()) / 1000)
            try:
                async with asyncio.timeout(left_s):
                    await watched.run(offers)
            except TimeoutError:
                in_time = watched.settled
            await publisher.forget(name, board.pairing.first)
        result, ledger = watched.result, watched.ledger
        if ledger is not None and result.record is not None:
            self._folder.keep_record(name, dump_record(ledger))
        self._ended(replace(board, result=result), in_time)
        return result

    def _known(self, board: Board, name: str) -> Ledger | None:
        """The game of a board as it was kept before a restart."""
        data = self._folder.record(name)
        if data is None:
            return None
        try:
            ledger = verify_record(data).ledger
            check_offer_fits(
                self.tournament.plan, board.number, board.board, board.pairing, ledger.offer
            )
        except (VerificationError, RemoteProtocolError):
            return None
        return ledger
