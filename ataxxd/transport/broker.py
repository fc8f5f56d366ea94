"""The embedded broker: amqtt on this machine, so that a game needs no installed broker.

The only module that knows amqtt. What amqtt 0.12 does wrong and what is done
about it here, because the protocol would otherwise meet it at once:

- It sends every new client the retained messages of everybody's subscriptions,
  and while doing so fails (and leaves the client hanging) if another client
  subscribes. Retained messages go to their subscribers only.
- It does not mind that a client has fallen silent (a laptop put to sleep), so no will is
  published: we hang up after one and a half keepalives.
- It acknowledges messages and then loses those of a client that leaves at once: the
  last words of a game. They are passed on first.
- It cannot stop while a connection says nothing at all, or when a packet arrives
  in the wrong instant; and it stops before it has delivered what it acknowledged.
  We wait for deliveries, hang up on everybody, and only then tell it to stop.

The rest the protocol lives with: see ``protocol/SPEC.md``.
"""

import asyncio
import contextlib
import errno
import functools
import logging
import socket
from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, Self

from amqtt.broker import Broker  # type: ignore[import-untyped]
from amqtt.contexts import BrokerConfig, ListenerConfig  # type: ignore[import-untyped]
from amqtt.errors import BrokerError  # type: ignore[import-untyped]
from amqtt.session import Session  # type: ignore[import-untyped]

from ataxxd.errors import TransportError
from ataxxd.transport.errors import PortInUse

DEFAULT_PORT = 1883
_PLUGINS = {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}}
_DELIVERY_TIMEOUT = 1.0
_STOP_TIMEOUT = 2.0
_log = logging.getLogger(__name__)


class EmbeddedBroker:
    """An MQTT broker in this process, on its event loop; it stores nothing.

    Usage: ``async with EmbeddedBroker() as broker: ... broker.url``.

    Args:
        port: to listen on; 0 lets the system choose.
        lan: listen on all interfaces instead of this machine's own only. Anybody on
            the network can then connect; the protocol does not trust them anyway.

    Raises:
        PortInUse: on entering, when another program listens there.
        TransportError: on entering, when listening is impossible for another reason.
    """

    def __init__(self, port: int = DEFAULT_PORT, *, lan: bool = False) -> None:
        self._wanted_port = port
        self._lan = lan
        self._port = port
        self._broker: _TidyBroker | None = None

    @property
    def port(self) -> int:
        """The port listened on; known once entered when the system chose it."""
        return self._port

    @property
    def url(self) -> str:
        """The broker's address for clients on this machine."""
        return f"mqtt://127.0.0.1:{self._port}"

    @property
    def client_count(self) -> int:
        """Connected clients."""
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
        broker = _TidyBroker(config)
        try:
            await broker.start()
        except BrokerError as error:
            await broker.release()
            raise self._cannot_listen(host, error) from error
        self._broker = broker
        self._port = broker.port
        _log.info("embedded broker listens on %s:%d", host, self._port)
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
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

    def __init__(self, config: BrokerConfig) -> None:
        super().__init__(config)
        self._streams: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[Any]] = set()

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
        for server in self._servers.values():
            server.instance.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_DELIVERY_TIMEOUT):
                while not self._settled():  # noqa: ASYNC110 - amqtt announces nothing
                    await asyncio.sleep(0.005)
        # Hanging up ends each client's task. amqtt's own way, cancelling its readers,
        # waits for ever when a packet arrives in the same instant.
        for writer in [*self._streams]:
            writer.transport.abort()
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
        return self._broadcast_queue.empty() and all(task.done() for task in self._tasks_queue)

    async def release(self) -> None:
        """Closes what is still open."""
        for server in self._servers.values():
            server.instance.close()
        for writer in [*self._streams]:
            writer.transport.abort()
        for task in [*self._serving]:
            task.cancel()
        if self._serving:
            await asyncio.wait(self._serving)

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._serving.add(task)
        self._streams.add(writer)
        try:
            await super().stream_connected(reader, writer, listener_name)
        except (OSError, asyncio.CancelledError) as error:
            # Nobody waits for this task; a client that went away is no news.
            _log.debug("embedded broker: a client went away: %r", error)
        finally:
            writer.transport.abort()
            with contextlib.suppress(OSError, asyncio.CancelledError):
                await writer.wait_closed()
            self._streams.discard(writer)
            self._serving.discard(task)

    async def _initialize_client_session(
        self, reader: Any, writer: Any, remote_address: str, remote_port: int
    ) -> tuple[Any, Session]:
        handler, session = await super()._initialize_client_session(
            reader, writer, remote_address, remote_port
        )
        # One and a half keepalives (MQTT 3.1.1, section 3.1.2.10), in whole seconds.
        session.keep_alive = (3 * session.keep_alive + 1) // 2
        handler.handle_read_timeout = writer._writer.transport.abort  # noqa: SLF001 - no other way
        session.delivered_message_queue = _NoQueue(
            functools.partial(self._handle_message_delivery, session, handler)
        )
        return handler, session

    async def _publish_retained_messages_for_subscription(
        self, subscription: tuple[str, int], session: Session
    ) -> None:
        subscribers = self._subscriptions.get(subscription[0], ())
        if any(subscriber is session for subscriber, _ in subscribers):
            await super()._publish_retained_messages_for_subscription(subscription, session)


class _NoQueue(asyncio.Queue[Any]):
    """Passes a client's QoS 1 messages on before they are acknowledged, instead of keeping them.

    amqtt acknowledges first and lets a task of the client pass them on one by one;
    what is still queued when the client leaves would be lost.
    """

    def __init__(self, deliver: Callable[[asyncio.Future[Any]], Awaitable[bool]]) -> None:
        super().__init__()
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
