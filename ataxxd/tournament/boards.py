"""One board of a round as the event's host sees it: a spectator of its game.

Also what it has seen of the silence that a claim is about.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ataxxd.errors import RemoteProtocolError, TransportError, storage_errors
from ataxxd.node.clock import SYSTEM_CLOCK, Clock
from ataxxd.node.profile import TOPICS
from ataxxd.node.timeouts import LAST_WORD_GRACE
from ataxxd.node.watching import Watcher
from ataxxd.session.events import Notice
from ataxxd.session.ledger import Ledger
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Role
from ataxxd.tournament.games import begun, check_offer_fits, forfeited, result_of, voided
from ataxxd.tournament.tournament import Board
from ataxxd.transport.base import Transport
from ataxxd_protocol.fields import Digest, Milliseconds
from ataxxd_protocol.messages import EventPlan, Offer, Result

# For so long after a connection what comes may be older than that.
_CATCHING_UP_S = 10.0
# What the wires of the players and of the host may have taken more or less, beside a hundredth.
_WIRES_S = 5.0


class SeenMessages:
    """When the messages of one game came, in a file, for a host that is started again."""

    def __init__(self, path: Path) -> None:
        """Use the file `path`, which need not be there."""
        self.path = path

    def read(self) -> dict[str, int | None]:
        """When each message came, in Unix milliseconds; None where it may have been old.

        What cannot be read was not seen: that costs a decision, and makes none wrong.
        """
        found: dict[str, int | None] = {}
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError:
            return found
        for line in lines:
            try:
                seen = _Seen.model_validate_json(line)
            except ValidationError:
                continue
            found[seen.message] = seen.heard_ms
        return found

    def add(self, message: str, heard_ms: int | None) -> None:
        """Keep when a message came.

        Not synced: after a power cut it is as if it had not been seen.

        Raises:
            StorageError: it cannot be written.
        """
        line = _Seen(message=message, heard_ms=heard_ms).model_dump_json().encode()
        with storage_errors(self.path, "written"):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # Whatever line was cut off ends here.
                file.write(b"\n" + line + b"\n")


class _Seen(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    message: Digest
    heard_ms: Milliseconds | None


class Witness:
    """Times the messages of one game as they come."""

    def __init__(
        self,
        now: Callable[[], float],
        since: float,
        heard: Mapping[str, float | None] | None = None,
        keep: Callable[[str, float | None], None] = lambda _message, _heard: None,
    ) -> None:
        """Begin to watch.

        Args:
            now: seconds by a clock that does not jump.
            since: before this moment the game cannot have begun.
            heard: when messages came that were seen before, by that clock.
            keep: is told of each message, and when it came.
        """
        self._now = now
        self._since = since
        self._connected = since
        # None: it came when it may have been old.
        self._heard: dict[str, float | None] = dict(heard or {})
        self._keep = keep

    def interrupted(self) -> None:
        """A connection was made or lost: what comes next may be older."""
        self._connected = self._now()

    def look(self, ledger: Ledger) -> None:
        """See what has come."""
        now = self._now()
        known = now if now - self._connected > _CATCHING_UP_S else None
        for _, message in ledger.line:
            if message.digest not in self._heard:
                self._heard[message.digest] = known
                self._keep(message.digest, known)

    def loser(self, ledger: Ledger) -> Role | None:
        """Who is wrong about the claim of a game: the claimant or the other; None: not known."""
        claim, place, claimant = ledger.claim, ledger.decided_at, ledger.decision
        if claim is None or place is None or claimant is None:
            return None
        awaited = self._heard.get(ledger.line[place - 1][1].digest)
        answers = [message for by, message in ledger.line[place:] if by is not claimant]
        ends = [self._heard.get(each.digest) for each in (ledger.line[place][1], *answers[:1])]
        end = None if None in ends else min(each for each in ends if each is not None)
        most = (self._now() if end is None else end) - (self._since if awaited is None else awaited)
        least = 0.0 if end is None or awaited is None else end - awaited
        waited = claim.waited_ms / 1000
        slack = waited / 100 + _WIRES_S
        if most + slack < waited:
            return claimant
        return claimant.other if least + slack >= waited else None


# Seconds until a lost game is looked at again.
_AGAIN_S = 2.0


class WatchedBoard:
    """The game of one pairing."""

    def __init__(
        self,
        plan: EventPlan,
        board: Board,
        connect: Callable[[], Transport],
        known: Ledger | None = None,
        *,
        last_words_s: float = LAST_WORD_GRACE,
        began_ms: int | None = None,
        seen: SeenMessages | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Look at the game of a board.

        Args:
            plan: of the event.
            board: the pairing.
            connect: makes a transport for the game.
            known: its game, from a record that was kept.
            last_words_s: seconds for the scores of both players when it is over.
            began_ms: when the round began, by `clock`; now when None.
            seen: keeps when its messages came, for a host that is started again.
            clock: what claims are held against.
        """
        age_s = 0.0 if began_ms is None else max(0, clock.now_ms() - began_ms) / 1000
        self._since = clock.monotonic() - age_s
        self._clock = clock
        self._seen = seen
        self._witness = self._new_witness()
        self._last_words_s = last_words_s
        self._plan = plan
        self._board = board
        self._connect = connect
        self._session = None if known is None else SpectatorSession(known)

    @property
    def ledger(self) -> Ledger | None:
        """The game as far as it was seen; None where it was not offered."""
        return None if self._session is None else self._session.ledger

    @property
    def settled(self) -> bool:
        """Whether the game is over and has a result."""
        ledger = self.ledger
        return ledger is not None and ledger.outcome is not None and not voided(ledger)

    @property
    def result(self) -> Result:
        """What the board counts for when nothing more is waited for."""
        ledger = self.ledger
        if ledger is not None and begun(ledger):
            return result_of(ledger, self._witness.loser(ledger))
        return forfeited(offered=ledger is not None)

    async def run(self, offers: "asyncio.Queue[Offer]") -> None:
        """Follow the game until it is settled.

        Args:
            offers: what its first player offers under its name.
        """
        hearing = asyncio.create_task(offers.get(), name="offers")
        following: asyncio.Task[None] | None = None
        try:
            while not self.settled or following is not None:
                waits = {hearing} if following is None else {hearing, following}
                await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                if following is not None and following.done():
                    following.result()
                    following = None
                if hearing.done():
                    offer = hearing.result()
                    hearing = asyncio.create_task(offers.get(), name="offers")
                    if (session := self._taken(offer)) is not None:
                        await _ended(following)
                        self._session = session
                        self._witness = self._new_witness()
                        following = asyncio.create_task(self._follow(session), name=offer.name)
        finally:
            await _ended(following)
            await _ended(hearing)

    def _new_witness(self) -> Witness:
        clock, seen = self._clock, self._seen
        if seen is None:
            return Witness(clock.monotonic, self._since)
        # From times of day to the clock that does not jump, and back.
        offset = clock.monotonic() - clock.now_ms() / 1000
        heard = {
            message: None if at_ms is None else at_ms / 1000 + offset
            for message, at_ms in seen.read().items()
        }

        def keep(message: str, heard: float | None) -> None:
            seen.add(message, None if heard is None else round((heard - offset) * 1000))

        return Witness(clock.monotonic, self._since, heard, keep)

    def _taken(self, offer: Offer) -> SpectatorSession | None:
        """A look at an offer's game, if it is the pairing's and goes before the one we know."""
        known = self.ledger
        if known is not None:
            if begun(known) and not voided(known):
                return None
            if offer.created_ms <= known.offer.created_ms:
                return None
        board = self._board
        try:
            check_offer_fits(self._plan, board.number, board.board, board.pairing, offer)
            return SpectatorSession(Ledger(offer))
        except RemoteProtocolError:
            return None

    async def _follow(self, session: SpectatorSession) -> None:
        # Whoever waits for a player that is gone repeats itself: the event must not.
        with suppress(TimeoutError):
            async with asyncio.timeout(None) as limit:
                while True:
                    try:
                        async with self._connect() as transport:
                            self._witness.interrupted()
                            async for event in Watcher(session, transport, TOPICS).events():
                                if isinstance(event, Notice):
                                    self._witness.interrupted()
                                self._witness.look(session.ledger)
                                if session.ledger.outcome is not None and limit.when() is None:
                                    now = asyncio.get_running_loop().time()
                                    limit.reschedule(now + self._last_words_s)
                    except TransportError:
                        await asyncio.sleep(_AGAIN_S)
                        continue
                    return


async def _ended(task: "asyncio.Task[object] | asyncio.Task[None] | None") -> None:
    if task is not None:
        task.cancel()
        await asyncio.wait({task})
