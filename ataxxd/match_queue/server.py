"""The NATS server of a match: connecting, its streams, and waiting while it is away.

One stream holds the games to be played, of all matches. A worker that has taken one must report
again and again that it is playing it, or another gets it. Each match has a stream of results, from
which it removes those it has saved. Self-play has a stream of its own, and files in an object
store. All of them are stored in files, so they survive a restart of the server.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

from nats.aio.client import Client
from nats.aio.msg import Msg
from nats.errors import AuthorizationError, NoRespondersError, NoServersError
from nats.errors import Error as NatsError
from nats.js import JetStreamContext
from nats.js.api import ConsumerConfig, RetentionPolicy, StorageType, StreamConfig
from nats.js.errors import (
    BadRequestError,
    NoStreamResponseError,
    NotFoundError,
    ServerError,
    ServiceUnavailableError,
)

from ataxxd.connection_errors import explain_connection_error
from ataxxd.errors import AtaxxdError, ExitCode, TransportError, UsageError

_log = logging.getLogger(__name__)

GAMES: Final = "ATAXXD-GAMES"
"""The stream of games to be played in matches."""
SELF_PLAY: Final = "ATAXXD-SELF-PLAY"
"""The stream of games to be played for training."""
_KINDS: Final = {GAMES: "game", SELF_PLAY: "self-play"}
_WORKERS: Final = "workers"
_COLLECTOR: Final = "match"
_DEFAULT_PORT: Final = 4222
_ANSWER_S: Final = 5
_CONNECT_TIMEOUT_S: Final = 30.0
"""Seconds that a server may be silent at the start, as on a busy machine."""
_RECONNECT_S: Final = 1
_RETRY_S: Final = 1.0
_SILENT_S: Final = 8.0
"""Seconds without an answer before the user is told."""
REDELIVERED_S: Final = 15.0
"""Seconds of silence from a worker before its game goes to another one."""
HEARTBEAT_S: Final = 3.0
"""Seconds between two reports of a worker that it is playing a game."""

T = TypeVar("T")
Incoming: TypeAlias = JetStreamContext.PullSubscription
"""Messages of a stream, which stay there until they are acknowledged."""


class ServerUnreachableError(TransportError):
    """No NATS server answers."""


class ServerRefusedError(TransportError):
    """The NATS server refuses us, or lacks a feature that we need."""

    exit_code = ExitCode.BROKER_REFUSED


class StreamGoneError(TransportError):
    """The server does not have the stream, or no longer has it."""


class WorkerRefusedError(AtaxxdError):
    """The match rejects this worker's games."""

    exit_code = ExitCode.INCOMPATIBLE


@dataclass(frozen=True, slots=True)
class Subjects:
    """The NATS subjects of a match.

    Attributes:
        match: its id, of letters and digits.
        stream: the stream of its games: `GAMES` or `SELF_PLAY`.
    """

    match: str
    stream: str = GAMES

    @property
    def game(self) -> str:
        """A game to be played."""
        return f"ataxxd.{_KINDS[self.stream]}.{self.match}"

    @property
    def result(self) -> str:
        """The result of a game."""
        return f"ataxxd.result.{self.match}"

    @property
    def results(self) -> str:
        """The stream of results."""
        return f"ATAXXD-RESULTS-{self.match}"

    @property
    def message(self) -> str:
        """Messages of the match to all workers."""
        return f"ataxxd.word.{self.match}"

    @property
    def playing(self) -> str:
        """Messages of workers that play a game of it."""
        return f"ataxxd.playing.{self.match}"

    @property
    def progress(self) -> str:
        """Its progress, for those who have asked on `PROGRESS_REQUEST`."""
        return f"ataxxd.progress.{self.match}"


PROGRESS_REQUEST: Final = "ataxxd.look"
"""The subject that asks all matches for their progress."""
ANY_MATCH: Final = Subjects("*")
"""The subjects of all matches."""


class Server:
    """A connection to the server that reconnects automatically; made by `connect`.

    Attributes:
        address: the server's address for people.
    """

    def __init__(self, client: Client, address: str, on_notice: Callable[[str], None]) -> None:
        self._client = client
        self.address = address
        self._on_notice = on_notice
        self._silent = False
        self._streams: JetStreamContext = client.jetstream(timeout=_ANSWER_S)

    async def make_games(self, stream: str = GAMES) -> Incoming:
        """Create the queue of all matches' games, for a worker to take from."""
        every = Subjects(ANY_MATCH.match, stream)
        await self._retry(lambda: self._make_stream(stream, every.game))
        config = ConsumerConfig(ack_wait=REDELIVERED_S, max_deliver=-1)
        return await self._retry(
            lambda: self._streams.pull_subscribe(every.game, _WORKERS, stream, config)
        )

    async def make_results(self, subjects: Subjects) -> Incoming:
        """Create the stream of a match's results, beginning with those already there."""
        every = Subjects(ANY_MATCH.match, subjects.stream)
        await self._retry(lambda: self._make_stream(subjects.stream, every.game))
        await self._retry(lambda: self._make_stream(subjects.results, subjects.result))

        async def forget() -> None:
            with suppress(NotFoundError):
                await self._streams.delete_consumer(subjects.results, _COLLECTOR)

        # So that what an earlier run received but did not save is delivered again at once.
        await self._retry(forget)
        config = ConsumerConfig(ack_wait=REDELIVERED_S, max_deliver=-1)
        return await self._retry(
            lambda: self._streams.pull_subscribe(
                subjects.result, _COLLECTOR, subjects.results, config
            )
        )

    async def queue_game(self, subjects: Subjects, item: bytes) -> None:
        """Queue a game; returns when it is stored, however long the server is away.

        Raises:
            StreamGoneError: the stream is gone.
        """
        await self._store(subjects.game, subjects.stream, item)

    async def store_result(self, subjects: Subjects, report: bytes) -> None:
        """Store a result; otherwise as `queue_game`."""
        await self._store(subjects.result, subjects.results, report)

    async def count_results(self, subjects: Subjects) -> int:
        """How many results of a match are stored."""

        async def count() -> int:
            return (await self._streams.stream_info(subjects.results)).state.messages

        return await self._retry(count)

    async def count_games(self, subjects: Subjects) -> int:
        """How many games of a match are waiting or being played."""

        async def count() -> int:
            info = await self._streams.stream_info(subjects.stream, subjects_filter=subjects.game)
            return (info.state.subjects or {}).get(subjects.game, 0)

        return await self._retry(count)

    async def withdraw_games(self, subjects: Subjects) -> None:
        """Withdraw the games of a match that have not been played."""
        await self._retry(
            lambda: self._streams.purge_stream(subjects.stream, subject=subjects.game)
        )

    async def remove_results(self, subjects: Subjects) -> None:
        """Remove the results of a match."""
        await self._retry(lambda: self._streams.delete_stream(subjects.results))

    async def make_files(self, bucket: str) -> None:
        """Create a store for files, which `remove_files` removes."""
        await self._retry(lambda: self._streams.create_object_store(bucket))

    async def store_file(self, bucket: str, name: str, data: bytes) -> None:
        """Store a file, replacing one of the same name.

        Raises:
            StreamGoneError: the store is gone.
        """
        store = await self._retry(lambda: self._streams.object_store(bucket))
        await self._retry(lambda: store.put(name, data))

    async def read_file(self, bucket: str, name: str) -> bytes:
        """The content of a file, checked against the server's digest.

        Raises:
            StreamGoneError: the file or the store is gone.
        """
        store = await self._retry(lambda: self._streams.object_store(bucket))
        return (await self._retry(lambda: store.get(name))).data or b""

    async def list_files(self, bucket: str) -> list[str]:
        """The names of the files in a store."""

        async def names() -> list[str]:
            store = await self._streams.object_store(bucket)
            with suppress(NotFoundError):  # it has none
                return [each.name for each in await store.list(ignore_deletes=True) if each.name]
            return []

        return await self._retry(names)

    async def remove_file(self, bucket: str, name: str) -> None:
        """Remove a file."""
        store = await self._retry(lambda: self._streams.object_store(bucket))
        await self._retry(lambda: store.delete(name))

    async def remove_files(self, bucket: str) -> None:
        """Remove a store with all its files."""
        await self._retry(lambda: self._streams.delete_object_store(bucket))

    async def wait_for_answer(self) -> None:
        """Return when the server answers, however long it takes."""
        # Not by `flush`: a late answer to it ends the client's reading.
        await self._retry(self._streams.account_info)

    async def subscribe(self, subject: str, on_message: Callable[[Msg], Awaitable[None]]) -> None:
        """Subscribe to messages that are not stored."""
        await self._retry(lambda: self._client.subscribe(subject, cb=on_message))

    async def publish(self, subject: str, data: bytes) -> None:
        """Publish a message that is not stored."""
        await try_send(lambda: self._client.publish(subject, data))

    async def close(self) -> None:
        """Send what is buffered, if the server is connected, and disconnect."""
        if self._client.is_connected:
            await try_send(lambda: self._client.flush(_ANSWER_S))
        # If the connection is lost, it fails to send what is left, which nobody needs any more.
        with suppress(OSError):
            await _run_in_task(self._client.close())

    async def _store(self, subject: str, stream: str, data: bytes) -> None:
        async def publish() -> None:
            try:
                await self._streams.publish(subject, data, stream=stream)
            except NoStreamResponseError:
                # A missing stream and a server that has just started cause the same error.
                await self._streams.stream_info(stream)
                raise

        await self._retry(publish)

    async def _make_stream(self, name: str, subject: str) -> None:
        """Create, if need be, a stream that keeps each message until it is acknowledged."""
        config = StreamConfig(
            name=name,
            subjects=[subject],
            retention=RetentionPolicy.WORK_QUEUE,
            storage=StorageType.FILE,
        )
        try:
            await self._streams.add_stream(config)
        except BadRequestError:
            # While another client creates the same stream, the server may report a conflict.
            await self._streams.add_stream(config)

    async def _retry(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Ask until the server answers, and return the answer; report a long silence once."""
        clock = asyncio.get_running_loop().time
        begun = clock()
        while True:
            try:
                answered = await _run_in_task(ask())
            except NotFoundError:
                raise StreamGoneError(
                    f"A stream of the match is gone from {self.address}."
                ) from None
            except (BadRequestError, ServerError) as error:
                raise ServerRefusedError(
                    f"The NATS server at {self.address} cannot keep the match "
                    f"({error.description}). Look into its log."
                ) from None
            except NatsError as error:
                if self._client.is_closed:
                    raise ServerUnreachableError(
                        f"The connection to {self.address} was closed. Start the command again."
                    ) from None
                _log.debug("the NATS server does not answer: %r", error)
            else:
                if self._silent:
                    self._silent = False
                    self._on_notice(f"The NATS server at {self.address} answers again.")
                return answered
            # A lost connection is reported separately.
            if clock() - begun >= _SILENT_S and self._client.is_connected and not self._silent:
                self._silent = True
                self._on_notice(
                    f"The NATS server at {self.address} does not answer. Trying again and again."
                )
            await asyncio.sleep(_RETRY_S)


async def _run_in_task(work: Awaitable[T]) -> T:
    """Run the client's work in a task of its own, since it may swallow a cancellation."""
    task = asyncio.ensure_future(work)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        task.cancel()
        raise


async def next_message(incoming: Incoming, wait_s: float) -> Msg | None:
    """The next message, if one comes soon."""
    try:
        (message,) = await _run_in_task(incoming.fetch(1, timeout=wait_s))
    except TimeoutError:
        return None
    except NatsError as error:
        _log.debug("the NATS server gives nothing: %r", error)
        # The server is away or has lost the stream, and would fail again at once.
        await asyncio.sleep(wait_s)
        return None
    return message


async def try_send(send: Callable[[], Awaitable[None]]) -> None:
    """Tell the server what became of a message; if that is lost, it delivers it again."""
    with suppress(NatsError):
        await _run_in_task(send())


async def connect(url: str, on_notice: Callable[[str], None]) -> Server:
    """Connect to a NATS server that has JetStream.

    Args:
        url: its address, ``nats://HOST:PORT``.
        on_notice: called with a sentence when the connection is lost or back, and when the server
            stops answering or answers again.

    Raises:
        UsageError: the address cannot be read.
        ServerUnreachableError: no NATS server answers there.
        ServerRefusedError: it does not let us in, or has no JetStream.
    """
    address = _public_address(url)
    clock = asyncio.get_running_loop().time
    end = clock() + _CONNECT_TIMEOUT_S
    while True:
        try:
            await _check(url, address)
        except _NoAnswerError:
            if clock() > end:
                raise
        else:
            break

    async def lost() -> None:
        # Also called when we disconnect.
        if not client.is_closed:
            on_notice(f"The NATS server at {address} is gone; waiting for it to come back.")

    async def back() -> None:
        on_notice(f"Connected to {address} again.")

    client = await _connect_client(url, address, [], lost, back)
    return Server(client, address, on_notice)


class _NoAnswerError(ServerUnreachableError):
    """The server has not answered yet."""


async def _check(url: str, address: str) -> None:
    """Check that there is a NATS server that lets us use its JetStream."""
    heard: list[Exception] = []
    client = await _connect_client(url, address, heard)
    heard.clear()
    try:
        await client.jetstream(timeout=_ANSWER_S).account_info()
    except (ServiceUnavailableError, NoRespondersError):
        raise ServerRefusedError(
            f"The NATS server at {address} stores nothing, because JetStream is off. Start it "
            "with nats-server --jetstream --store_dir FOLDER."
        ) from None
    except NatsError as error:
        # Without permission, the error comes separately, and the request gets no answer.
        if not heard and isinstance(error, TimeoutError):
            raise _unreachable_error(address, error) from None
        raise ServerRefusedError(
            f"The NATS server at {address} does not let us use JetStream "
            f"({_describe_error(heard[0] if heard else error)}). Use a login that is allowed to."
        ) from None
    finally:
        await client.close()


async def _connect_client(
    url: str,
    address: str,
    errors: list[Exception],
    on_lost: Callable[[], Awaitable[None]] | None = None,
    on_back: Callable[[], Awaitable[None]] | None = None,
) -> Client:
    """Connect; with `on_lost` and `on_back`, the client then reconnects for ever.

    Args:
        url: of the server.
        address: the same for people.
        errors: takes the newest error that the client reports.
        on_lost: is called when the connection is lost.
        on_back: is called when it is back.
    """
    client = Client()

    async def note(error: Exception) -> None:
        errors[:] = [error]
        _log.debug("the NATS client says: %r", error)

    try:
        await _run_in_task(
            client.connect(
                url,
                error_cb=note,
                disconnected_cb=on_lost,
                reconnected_cb=on_back,
                name="ataxxd",
                allow_reconnect=on_lost is not None,
                connect_timeout=_ANSWER_S,
                reconnect_time_wait=0 if on_lost is None else _RECONNECT_S,
                # Without a limit it tries for ever, even if nobody has ever answered.
                max_reconnect_attempts=1 if on_lost is None else -1,
            )
        )
    except (NatsError, OSError, ValueError) as raised:
        # NoServersError does not say why; the newest error does.
        error = errors[0] if errors and isinstance(raised, NoServersError) else raised
        if isinstance(error, AuthorizationError) or "authorization" in str(error).lower():
            raise _refused_error(address, error) from None
        if isinstance(error, TimeoutError):
            await client.close()  # it would keep the connection
        raise _unreachable_error(address, error) from None
    return client


def _unreachable_error(address: str, error: Exception) -> ServerUnreachableError:
    kind = _NoAnswerError if isinstance(error, TimeoutError) else ServerUnreachableError
    return kind(
        f"No NATS server answers at {address} ({_describe_error(error)}). Start one with "
        "nats-server --jetstream --store_dir FOLDER, or correct the address."
    )


def _refused_error(address: str, error: Exception) -> ServerRefusedError:
    return ServerRefusedError(
        f"The NATS server at {address} does not let us in ({_describe_error(error)}). Put the "
        "login into the address: nats://USER:PASSWORD@HOST:PORT."
    )


def _describe_error(error: Exception) -> str:
    """What an error says, in few words."""
    if isinstance(error, OSError):
        return explain_connection_error(error)
    return str(error).removeprefix("nats: ").strip("'") or type(error).__name__


def _public_address(url: str) -> str:
    """Where the server is, without the login."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        parts, host, port = None, None, None
    if parts is None or parts.scheme not in ("nats", "tls") or not host or parts.path.strip("/"):
        raise UsageError(
            f'"{url}" is not the address of a NATS server: write nats://HOST:PORT, or '
            "tls://HOST:PORT for an encrypted connection."
        )
    return f"{f'[{host}]' if ':' in host else host}:{port or _DEFAULT_PORT}"
