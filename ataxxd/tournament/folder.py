"""An event in files: the plan, the rounds, and the records behind the results.

Records are fetched from the broker if it still has them.
"""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from ataxxd.errors import RemoteProtocolError, StorageError, storage_errors
from ataxxd.node.concurrency import plain_errors
from ataxxd.node.game_finder import GameFinder
from ataxxd.node.home import Home, write_at_home
from ataxxd.node.watching import Watcher
from ataxxd.session.ledger import Ledger
from ataxxd.session.record import dump_record
from ataxxd.session.spectator import SpectatorSession
from ataxxd.session.state import Phase
from ataxxd.tournament.feed import EventFeed
from ataxxd.tournament.tournament import Board, Tournament, check_offer_fits, has_begun
from ataxxd.transport.base import Transport
from ataxxd_protocol import MalformedMessage, decode, encode
from ataxxd_protocol.messages import Digest, EventPlan, EventRound, Milliseconds, SignedMessage
from ataxxd_protocol.signing import digest

_PLAN = "plan.json"


def event_folder_path(home: Home, name: str) -> Path:
    """Where a node keeps an event that it runs."""
    return home.path / "events" / name


def is_event_document(path: Path, data: bytes) -> bool:
    """Whether a file is an event's plan or one of its rounds, as stored in an `EventFolder`."""
    if path.name != _PLAN and not path.match("round-*.json"):
        return False  # most files are records, which need not be read twice
    try:
        return isinstance(decode(data.removesuffix(b"\n")), EventPlan | EventRound)
    except MalformedMessage:
        return False


class SeenMessages:
    """The arrival times of one game's messages, in a file, so that they survive a restart."""

    def __init__(self, path: Path) -> None:
        """Use the file `path`, which need not exist."""
        self.path = path

    def read(self) -> dict[str, int | None]:
        """When each message arrived, in Unix milliseconds; None if it may have been sent earlier.

        Lines that cannot be read are skipped: a claim may then stay undecided, but never
        be decided wrongly.
        """
        found: dict[str, int | None] = {}
        try:
            lines = self.path.read_bytes().split(b"\n")
        except OSError:
            return found
        for line in lines:
            try:
                seen = _SeenMessage.model_validate_json(line)
            except ValidationError:
                continue
            found[seen.message] = seen.heard_ms
        return found

    def add(self, message: str, heard_ms: int | None) -> None:
        """Store when a message arrived.

        Not synced: after a power cut, the message may count as not seen.

        Raises:
            StorageError: it cannot be written.
        """
        line = _SeenMessage(message=message, heard_ms=heard_ms).model_dump_json().encode()
        with storage_errors(self.path, "written"):
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.path.open("ab") as file:
                # Ends a line that may have been cut off.
                file.write(b"\n" + line + b"\n")


class _SeenMessage(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True)

    message: Digest
    heard_ms: Milliseconds | None


class EventFolder:
    """The folder of one event, from which its host resumes it, and anybody can check it."""

    def __init__(self, path: Path) -> None:
        """Use the folder `path`, which is created when something is stored."""
        self.path = path

    @property
    def exists(self) -> bool:
        """Whether the folder holds an event."""
        return (self.path / _PLAN).is_file()

    def write_document(self, document: EventPlan | EventRound) -> None:
        """Write a plan or a round; it is on disk when this returns.

        Raises:
            StorageError: it cannot be written, and so must not be published.
        """
        name = _PLAN if isinstance(document, EventPlan) else f"round-{document.number}.json"
        write_at_home(self.path / name, encode(document) + b"\n")

    def clear(self) -> None:
        """Delete an event: its plan first, since without one there is no event.

        Raises:
            StorageError: a file cannot be removed.
        """
        old = [self.path / _PLAN, *self.path.glob("round-*.json")]
        with storage_errors(self.path, "cleared"):
            for path in [*old, *self.path.glob("records/*.json"), *self.path.glob("seen/*.jsonl")]:
                path.unlink(missing_ok=True)

    def write_record(self, game: str, record: bytes) -> None:
        """Write the record of a game.

        Raises:
            StorageError: it cannot be written.
        """
        write_at_home(self.path / "records" / f"{game}.json", record)

    def seen_messages(self, game: str) -> SeenMessages:
        """When the messages of a game arrived at the event's host."""
        return SeenMessages(self.path / "seen" / f"{game}.jsonl")

    def record(self, game: str) -> bytes | None:
        """The record of a game; None if there is none."""
        try:
            return (self.path / "records" / f"{game}.json").read_bytes()
        except OSError:
            return None

    def records(self) -> dict[str, bytes]:
        """All records, by the names of their games.

        Raises:
            StorageError: one cannot be read.
        """
        found = {}
        for path in sorted((self.path / "records").glob("*.json")):
            with storage_errors(path, "read"):
                found[path.stem] = path.read_bytes()
        return found

    def load(self) -> EventFeed:
        """Load the event, and check each document.

        Raises:
            StorageError: there is none, or its plan is not valid.
        """
        plan = self._read(self.path / _PLAN)
        if not isinstance(plan, EventPlan):
            raise StorageError(f"{self.path / _PLAN} is not the plan of an event. Restore it.")
        try:
            feed = EventFeed(plan)
        except RemoteProtocolError as error:
            raise StorageError(f"{self.path / _PLAN} cannot be used: {error}.") from None
        for number in range(1, plan.rounds + 2):
            path = self.path / f"round-{number}.json"
            if not path.exists():
                break
            following = self._read(path)
            if not isinstance(following, EventRound) or not feed.accept_round(following):
                raise StorageError(f"{path} is not round {number} of this event. Restore it.")
        return feed

    def _read(self, path: Path) -> SignedMessage | None:
        try:
            message = decode(path.read_bytes().removesuffix(b"\n"))
        except OSError as error:
            raise StorageError(f"{path} cannot be read: {error.strerror}.") from None
        except MalformedMessage as error:
            raise StorageError(f"{path} is damaged: {error}. Restore it.") from None
        return message if isinstance(message, SignedMessage) else None


# How many games are looked for at a time.
_MAX_CONCURRENT = 8


async def fetch_records(
    tournament: Tournament, connect: Callable[[], Transport], *, seconds: float
) -> dict[str, bytes]:
    """Fetch the records of an event's games from the broker, by the names of the games.

    Args:
        tournament: the event.
        connect: creates a transport.
        seconds: how long to look for each game.
    """
    found: dict[str, bytes] = {}
    turn = asyncio.Semaphore(_MAX_CONCURRENT)

    async def collect(board: Board) -> None:
        async with turn:
            ledger = await _fetch_game(tournament, board, connect, seconds)
        if ledger is not None:
            found[board.name] = dump_record(ledger)

    with plain_errors():
        async with asyncio.TaskGroup() as group:
            for board in tournament.boards:
                group.create_task(collect(board), name="record")
    return found


async def _fetch_game(
    tournament: Tournament, board: Board, connect: Callable[[], Transport], seconds: float
) -> Ledger | None:
    """The game of a board, as far as it arrives in time; None if it has not begun."""
    async with connect() as transport:
        games = await GameFinder(transport).search(
            board.name, host=board.pairing.first, seconds=seconds, enough=lambda _: True
        )
    for game in games:
        try:
            check_offer_fits(tournament.plan, board, game.offer)
            session = game.session or SpectatorSession(Ledger(game.offer))
        except RemoteProtocolError:
            continue
        # Watch like a spectator, since not every broker sends all parts of the state at once.
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds), connect() as transport:
                await _watch(session, transport, board)
        if has_begun(session.ledger):
            return session.ledger
    return None


async def _watch(session: SpectatorSession, transport: Transport, board: Board) -> None:
    if not _is_complete(session.ledger, board):
        async for _ in Watcher(session, transport).events():
            if _is_complete(session.ledger, board):
                return


def _is_complete(ledger: Ledger, board: Board) -> bool:
    """Whether the game is complete, or is the one that the board's result is based on."""
    if ledger.phase is Phase.CLOSED:
        return True
    wanted = board.result.record if board.result is not None else None
    return wanted is not None and wanted == digest(dump_record(ledger))
