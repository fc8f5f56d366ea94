"""The embedded broker: amqtt on this machine, so that a game needs no installed broker.

Only it and `broker_connections` know amqtt. amqtt 0.12 has faults that the protocol would
run into at once. These are worked around here:

- It sends every new client the retained messages of everybody's subscriptions,
  and while doing so fails (and leaves the client hanging) if another client
  subscribes. Retained messages go to their subscribers only.
- It does not mind that a client has fallen silent (a laptop put to sleep), so no will is
  published: we hang up after one and a half keepalives.
- It acknowledges messages and then loses those of a client that leaves at once: the
  last words of a game. Here they are passed on before they are acknowledged.
- It cannot stop while a connection says nothing at all, or when a packet arrives
  at the wrong instant; and it stops before it has delivered what it acknowledged.
  We wait for deliveries, hang up on everybody, and only then tell it to stop.
- It sets no bound on what clients can make it hold: packets, connections,
  subscriptions, retained messages, messages for a client that does not read. `Bounds`
  sets them.

The protocol copes with its other faults: see ``protocol/SPEC.md``.
"""

import asyncio
import contextlib
import errno
import functools
import logging
import re
import socket
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from amqtt.adapters import StreamWriterAdapter  # type: ignore[import-untyped]
from amqtt.broker import Broker  # type: ignore[import-untyped]
from amqtt.contexts import BrokerConfig, ListenerConfig  # type: ignore[import-untyped]
from amqtt.errors import BrokerError  # type: ignore[import-untyped]
from amqtt.session import Session  # type: ignore[import-untyped]
from websockets.asyncio.server import Server, ServerConnection

from ataxxd.errors import TransportError
from ataxxd.transport.base import PortInUse
from ataxxd.transport.broker_connections import (
    Bounds,
    FrameReader,
    FrameWriter,
    Packets,
    QueuedMessages,
    RateLimiter,
    StorageShares,
    TurnQueue,
    listen,
)
from ataxxd.transport.topics import PatternIndex

DEFAULT_PORT = 1883
_PLUGINS = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
_DELIVERY_TIMEOUT = 1.0
_STOP_TIMEOUT = 2.0
# The return code in SUBACK for a refused subscription.
_REFUSED = 0x80
# The addresses of programs on this machine.
_OWN = ("127.0.0.1", "::1")
# The most addresses whose rate limiters are remembered.
_MAX_LIMITERS = 1024
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Page:
    """A page for browsers that use the broker.

    Attributes:
        files: the files by name; ``content-security-policy.txt`` is also sent as a header of each.
        port: the port for browsers; if it is taken, any free one.
    """

    files: Mapping[str, bytes] = field(repr=False)
    port: int = 0


class EmbeddedBroker:
    """An MQTT broker in this process, on its event loop; it stores nothing.

    Usage: ``async with EmbeddedBroker() as broker: ... broker.url``.

    Args:
        port: the port to listen on; 0 lets the system choose.
        lan: listen on all interfaces, not only the loopback one. Then anybody on the network can
            connect; the protocol does not trust them anyway.
        bounds: the limits on what clients can make it hold.
        page: a page to serve to browsers, on a port of its own.

    Raises:
        PortInUse: on entering, when another program listens there.
        TransportError: on entering, when listening is impossible for another reason.
    """

    def __init__(
        self,
        port: int = DEFAULT_PORT,
        *,
        lan: bool = False,
        bounds: Bounds | None = None,
        page: Page | None = None,
    ) -> None:
        self._bounds = bounds or Bounds()
        self._wanted_port = port
        self._lan = lan
        self._port = port
        self._page = page
        self._broker: _TidyBroker | None = None

    @property
    def port(self) -> int:
        """The port it listens on; if the system chooses it, known once entered."""
        return self._port

    @property
    def url(self) -> str:
        """The broker's address for clients on this machine."""
        return f"mqtt://127.0.0.1:{self._port}"

    @property
    def web_port(self) -> int | None:
        """The port of the page and of websockets; None without a page."""
        return None if self._broker is None else self._broker.web_port

    @property
    def client_count(self) -> int:
        """The number of connected clients."""
        return 0 if self._broker is None else self._broker.client_count

    async def __aenter__(self) -> Self:
        """Starts listening."""
        _silence()
        host = "0.0.0.0" if self._lan else "127.0.0.1"  # noqa: S104 - asked for by `lan`
        # amqtt would report a busy port with a traceback; looking first is kinder.
        self._check_free(host)
        config = BrokerConfig(
            listeners={"default": ListenerConfig(bind=f"{host}:{self._wanted_port}")},
            plugins=dict(_PLUGINS),
        )
        broker = _TidyBroker(config, self._bounds)
        try:
            await broker.start()
        except BrokerError as error:
            await broker.release()
            raise self._cannot_listen(host, error) from error
        if self._page is not None:
            try:
                await broker.serve_browsers(host, self._page)
            except BaseException:
                await broker.stop()
                raise
        self._broker = broker
        self._port = broker.port
        _log.info("embedded broker listens on %s:%d", host, self._port)
        return self

    async def __aexit__(self, *_: object) -> None:
        """Delivers what was accepted, hangs up on all clients and frees the port."""
        broker, self._broker = self._broker, None
        if broker is not None:
            await broker.stop()
            _log.info("embedded broker on port %d stopped", self._port)

    def _check_free(self, host: str) -> None:
        if self._wanted_port == 0:
            return
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((host, self._wanted_port))
            except OSError as error:
                raise self._cannot_listen(host, error) from None

    def _cannot_listen(self, host: str, error: BaseException) -> TransportError:
        where = f"{host}:{self._wanted_port}"
        cause = error
        while not isinstance(cause, OSError) and cause.__cause__ is not None:
            cause = cause.__cause__
        if isinstance(cause, OSError) and cause.errno == errno.EADDRINUSE:
            return PortInUse(
                f"The embedded broker cannot listen on {where}: another program does. If that is"
                f" a broker, use it (--broker mqtt://127.0.0.1:{self._wanted_port}); else choose"
                " another port."
            )
        if isinstance(cause, PermissionError):
            return TransportError(
                f"The embedded broker may not listen on {where}. Ports below 1024 need special"
                " rights; choose another port."
            )
        return TransportError(
            f"The embedded broker cannot listen on {where}: {cause}. Choose another port."
        )


class _TidyBroker(Broker):  # type: ignore[misc] # amqtt carries no types
    """amqtt's broker without the faults named above."""

    def __init__(self, config: BrokerConfig, bounds: Bounds) -> None:
        super().__init__(config)
        self._bounds = bounds
        self._broadcast_queue = TurnQueue(bounds.in_turn)
        self._browsers: Server | None = None
        self._transports: set[asyncio.WriteTransport] = set()
        self._serving: set[asyncio.Task[Any]] = set()
        self._addresses: Counter[str] = Counter()
        self._limiters: dict[str, RateLimiter] = {}
        self._filters: PatternIndex[str] = PatternIndex()
        self._subscribed: Counter[str] = Counter()
        self._retained = StorageShares(bounds.retained, bounds.retained_least)
        self._deliveries: set[asyncio.Task[None]] = set()
        self._waiting = 0

    @property
    def port(self) -> int:
        """The port really listened on."""
        instance = self._servers["default"].instance
        assert isinstance(instance, asyncio.Server)
        port = instance.sockets[0].getsockname()[1]
        assert isinstance(port, int)
        return port

    @property
    def client_count(self) -> int:
        """Clients that are connected now, unlike sessions, which linger."""
        return sum(
            session.transitions.state == "connected" for session, _ in self.sessions.values()
        )

    async def stop(self) -> None:
        """Delivers what was accepted, hangs up and stops, in bounded time; leaves no task."""
        self._stop_listening()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DELIVERY_TIMEOUT):
                while not self._settled():  # noqa: ASYNC110 - amqtt announces nothing
                    await asyncio.sleep(0.005)
        # Hanging up ends each client's task. amqtt's own way, cancelling its readers,
        # waits for ever when a packet arrives in the same instant.
        for transport in [*self._transports]:
            transport.abort()
        if self._serving:
            await asyncio.wait([*self._serving], timeout=_STOP_TIMEOUT)
        try:
            async with asyncio.timeout(_STOP_TIMEOUT):
                await self.shutdown()
        except TimeoutError:
            _log.warning("the embedded broker did not stop in time; closing its connections")
        await self.release()

    def _settled(self) -> bool:
        """Whether every message that was acknowledged to its sender has been delivered."""
        return self._broadcast_queue.empty() and not self._deliveries

    async def release(self) -> None:
        """Closes what is still open."""
        self._stop_listening()
        browsers = [] if self._browsers is None else [*self._browsers.handlers]
        for transport in (*self._transports, *(each.transport for each in browsers)):
            transport.abort()
        left = {*self._serving, *self._deliveries}
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)
        if self._browsers is not None:
            await self._browsers.wait_closed()

    def _stop_listening(self) -> None:
        for server in self._servers.values():
            server.instance.close()
        if self._browsers is not None:
            self._browsers.close(close_connections=False)

    # Connections

    def admit(self, address: str) -> bool:
        """Count one more connection of an address, unless there are too many."""
        if (
            self._addresses.total() >= self._bounds.connections
            or self._addresses[address] >= self._bounds.connections_of_address
        ):
            return False
        self._addresses[address] += 1
        return True

    def leave(self, address: str) -> None:
        """Count one fewer."""
        self._addresses -= Counter({address: 1})

    @property
    def web_port(self) -> int | None:
        """The port that browsers really use."""
        if self._browsers is None:
            return None
        port = next(iter(self._browsers.sockets)).getsockname()[1]
        assert isinstance(port, int)
        return port

    async def serve_browsers(self, host: str, page: Page) -> None:
        """Listens for browsers, too.

        Raises:
            TransportError: nothing can listen there.
        """
        why = ""
        for port in (page.port, 0):
            try:
                self._browsers = await listen(
                    host, port, page.files, self, self._bounds, self._browser_connected
                )
            except OSError as error:
                why = error.strerror or str(error)
            else:
                return
        raise TransportError(f"The embedded broker cannot listen for browsers on {host}: {why}.")

    async def _browser_connected(self, connection: ServerConnection) -> None:
        writer = FrameWriter(connection)
        address = (writer.get_peer_info() or ("", 0))[0]
        reader = FrameReader(connection)
        await self._serve("default", reader, connection.transport, address, writer)

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        peer = writer.get_extra_info("peername")
        address = peer[0] if peer else ""
        if not self.admit(address):
            _log.debug("embedded broker: too many connections, also of %s", address)
            writer.transport.abort()
            return
        try:
            await self._serve(
                listener_name, reader, writer.transport, address, StreamWriterAdapter(writer)
            )
        finally:
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            self.leave(address)

    async def _serve(
        self,
        listener_name: str,
        reader: asyncio.StreamReader | FrameReader,
        transport: asyncio.WriteTransport,
        address: str,
        writer: Any,  # of amqtt's kind
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self._transports.add(transport)
        packets = Packets(reader, transport, self._bounds, self._limiter_of(address))
        try:
            await self._client_connected(listener_name, packets, writer)
        except (OSError, asyncio.CancelledError) as error:
            # Nobody waits for this task; a client that went away is no news.
            _log.debug("embedded broker: a client went away: %r", error)
        finally:
            transport.abort()
            self._transports.discard(transport)
            self._serving.discard(task)

    def _limiter_of(self, address: str) -> RateLimiter | None:
        """The rate limiter of an address; None for programs on this machine, which need none."""
        if address in _OWN:
            return None
        # An address that reconnects keeps its limiter.
        bounds = self._bounds
        limiter = self._limiters.pop(address, None) or RateLimiter(
            bounds.messages_at_once, bounds.messages_per_s
        )
        self._limiters[address] = limiter
        if len(self._limiters) > _MAX_LIMITERS:
            del self._limiters[next(iter(self._limiters))]
        return limiter

    async def _initialize_client_session(
        self, reader: Any, writer: Any, remote_address: str, remote_port: int
    ) -> tuple[Any, Session]:
        async with asyncio.timeout(self._bounds.connect_s):
            handler, session = await super()._initialize_client_session(
                reader, writer, remote_address, remote_port
            )
        # One and a half keepalives (MQTT 3.1.1, section 3.1.2.10), in whole seconds.
        silence_s = (3 * session.keep_alive + 1) // 2
        session.keep_alive = min(silence_s or self._bounds.silence_s, self._bounds.silence_s)
        # Nothing is stored for a client that is away.
        session.clean_session = True
        handler.handle_read_timeout = reader.hang_up  # amqtt has no hook for this
        handler.handle_publish = reader.count_handlers(handler.handle_publish)
        handler.handle_pingreq = reader.count_handlers(handler.handle_pingreq)
        handler.handle_subscribe = reader.count_handlers(handler.handle_subscribe)
        handler.handle_unsubscribe = reader.count_handlers(handler.handle_unsubscribe)
        # The client's task takes requests one by one; while a queue is full, no more are read.
        for queue in ("_pending_subscriptions", "_pending_unsubscriptions"):
            setattr(handler, queue, asyncio.Queue(maxsize=self._bounds.requests))
        session.delivered_message_queue = _NoQueue(
            functools.partial(self._handle_message_delivery, session, handler),
            self._bounds.requests,
        )
        return handler, session

    # Subscriptions

    async def add_subscription(self, subscription: tuple[str, int], session: Session) -> int:
        pattern, _ = subscription
        address = str(session.remote_address)
        held = session.attributes.setdefault("filters", set())
        refused = pattern not in held and (
            self._subscribed.total() >= self._bounds.subscriptions
            or self._subscribed[address] >= self._bounds.subscriptions_of_address
        )
        if refused or not pattern or not self._is_of_size(pattern):
            return _REFUSED
        code = await super().add_subscription(subscription, session)
        assert isinstance(code, int)
        if code != _REFUSED and pattern not in held:
            held.add(pattern)
            self._subscribed[address] += 1
            # This broker has neither shared subscriptions nor $SYS topics.
            if not pattern.startswith("$"):
                self._filters.add(pattern, pattern)
        return code

    def _del_subscription(self, a_filter: str, session: Session) -> int:
        deleted = super()._del_subscription(a_filter, session)
        assert isinstance(deleted, int)
        held = session.attributes.get("filters", set())
        if a_filter in held:
            held.discard(a_filter)
            self._subscribed -= Counter({str(session.remote_address): 1})
        if not self._subscriptions.get(a_filter, True):
            del self._subscriptions[a_filter]
            self._filters.discard(a_filter, a_filter)
        return deleted

    async def _del_all_subscriptions(self, session: Session) -> None:
        for pattern in [*session.attributes.get("filters", ())]:
            self._del_subscription(pattern, session)

    def _is_of_size(self, topic: str) -> bool:
        return (
            len(topic.encode(errors="replace")) <= self._bounds.topic
            and topic.count("/") < self._bounds.levels
        )

    # Messages

    async def _handle_message_delivery(
        self, client_session: Session, handler: Any, wait_deliver: asyncio.Future[Any]
    ) -> bool:
        message = wait_deliver.result()
        if message is not None and not self._is_of_size(message.topic or ""):
            return False
        taken = await super()._handle_message_delivery(client_session, handler, wait_deliver)
        assert isinstance(taken, bool)
        return taken

    async def _run_broadcast(self, running_tasks: Any) -> None:  # noqa: ARG002 - see _deliveries
        broadcast = await self._broadcast_queue.get()
        topic, data, author = broadcast["topic"], broadcast["data"], broadcast["session"]
        address = "" if author is None else str(author.remote_address)
        for pattern in self._filters.matching(topic):
            for session, asked_qos in self._subscriptions.get(pattern, ()):
                if session.transitions.state == "connected" and self._has_room(
                    session, address, len(data)
                ):
                    qos = broadcast.get("qos", asked_qos)
                    _ = self._deliver(session, topic, data, qos, retain=False, address=address)

    def _has_room(self, session: Session, address: str, size: int) -> bool:
        """Whether a message from an address may be queued for a client."""
        bounds, waiting = self._bounds, _waiting(session)
        crowded = self._waiting + size > bounds.waiting_in_all
        most = bounds.waiting_share if crowded else bounds.waiting_bytes
        if waiting.count < bounds.waiting and waiting.bytes + size <= most:
            return True
        # The queue is full, but an address that has used less than its share may still add to it.
        return (
            not crowded
            and waiting.count_of[address] < bounds.share
            and waiting.bytes_of[address] + size <= bounds.waiting_share
        )

    def _deliver(
        self,
        session: Session,
        topic: str,
        data: bytes | bytearray,
        qos: int,
        *,
        retain: bool,
        address: str = "",
    ) -> asyncio.Task[None]:
        handler = self._get_handler(session)
        waiting, size = _waiting(session), len(data)
        waiting.add(address, size)
        self._waiting += size
        task = asyncio.create_task(self._publish_to(handler, topic, data, qos, retain=retain))
        self._deliveries.add(task)

        def done(_: asyncio.Task[None]) -> None:
            self._deliveries.discard(task)
            waiting.remove(address, size)
            self._waiting -= size

        task.add_done_callback(done)
        return task

    async def _publish_to(
        self, handler: Any, topic: str, data: bytes | bytearray, qos: int, *, retain: bool
    ) -> None:
        if handler is None:
            return
        limit = asyncio.timeout(self._bounds.slow_s)
        try:
            async with limit:
                await handler.mqtt_publish(topic, data, qos, retain=retain)
        except Exception as error:  # noqa: BLE001 - amqtt lets anything through
            _log.debug("embedded broker: a message did not arrive: %r", error)
            if limit.expired():
                handler.reader.hang_up()

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        pattern, qos = subscription
        handler: Any = self._get_handler(session)
        if handler is None or pattern not in session.attributes.get("filters", ()):
            return
        at_once: set[asyncio.Task[None]] = set()
        for topic in _matching(pattern, [*self._retained_messages]):
            retained = self._retained_messages.get(topic)
            if retained is None:
                continue
            at_once.add(
                self._deliver(
                    session, topic, retained.data, min(qos, retained.qos or qos), retain=True
                )
            )
            # A few at a time: a client that asks for all of them must take these to get more.
            if len(at_once) >= self._bounds.requests:
                _, at_once = await asyncio.wait(at_once, return_when=asyncio.FIRST_COMPLETED)
            if handler.reader.closed:
                break
        await asyncio.sleep(0)  # let other tasks run

    async def retain_message(
        self,
        source_session: Session | None,
        topic_name: str | None,
        data: bytes | bytearray | None,
        qos: int | None = None,
    ) -> None:
        topic = topic_name or ""
        self._retained.drop(topic)
        if data:
            address = "" if source_session is None else str(source_session.remote_address)
            for oldest in self._retained.add(address, topic, len(topic) + len(data)):
                self._retained_messages.pop(oldest, None)
        # Without the author's session, which amqtt would keep for as long as the message.
        await super().retain_message(None, topic_name, data, qos)


def _waiting(session: Session) -> QueuedMessages:
    waiting = session.attributes.setdefault("waiting", QueuedMessages())
    assert isinstance(waiting, QueuedMessages)
    return waiting


def _matching(pattern: str, topics: list[str]) -> list[str]:
    """The topics that a filter matches; amqtt accepts no message for ``$`` topics."""
    if "+" not in pattern and "#" not in pattern:
        return [pattern] if pattern in topics else []
    parts = [{"+": "[^/]*", "#": ".*"}.get(part, re.escape(part)) for part in pattern.split("/")]
    text = "/".join(parts)
    if text.endswith("/.*"):
        text = text[: -len("/.*")] + "(/.*)?"
    matches = re.compile(text, re.DOTALL).fullmatch
    return [topic for topic in topics if matches(topic)]


class _NoQueue(asyncio.Queue[Any]):
    """Passes a client's QoS 1 messages on before they are acknowledged, instead of keeping them.

    amqtt acknowledges first and lets a task of the client pass them on one by one;
    what is still queued when the client leaves would be lost.
    """

    def __init__(
        self, deliver: Callable[[asyncio.Future[Any]], Awaitable[bool]], max_size: int
    ) -> None:
        super().__init__(max_size)
        self._deliver = deliver

    async def put(self, item: Any) -> None:
        delivered: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        delivered.set_result(item)
        if not await self._deliver(delivered):
            await super().put(item)  # a forbidden topic: the client's task hangs up on it


def _silence() -> None:
    # amqtt and its state machine log each event at INFO and WARNING, tracebacks included.
    for name in ("amqtt", "transitions"):
        log = logging.getLogger(name)
        if log.level == logging.NOTSET:
            log.setLevel(logging.CRITICAL)
