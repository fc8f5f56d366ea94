"""The transport over MQTT 3.1.1: links over aiomqtt, and direct ones under a flood.

The only module that knows the MQTT client. Everything that outlives one
connection is in ``reconnecting``; here is one connection: QoS 1, except for
subscriptions at a cluster or under a flood; clean session, a client id
of its own, keepalive, Nagle off, TLS verified.

The client library handles one message per turn of the event loop, and a broker
lets few messages go unacknowledged: under a flood it throws away most of what it
has for us, an honest player's messages too. So a flooded connection is replaced
by one over ``direct``, unless it uses websockets.

aiomqtt is used for connecting, subscribing and publishing. Some things go past
it to paho below, in ``_Hooks``: learning of a loss before the handshake is
over (aiomqtt waits for its timeout then), writing only to a socket that is still
open, acknowledging at once, and freeing the socket whatever state it is in.
"""

import asyncio
import contextlib
import logging
import math
import os
import secrets
import socket
import ssl
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, ClassVar, TypeVar

import aiomqtt

from ataxxd.transport.address import BrokerAddress, parse_addresses
from ataxxd.transport.base import MAX_PAYLOAD, BrokerUrlError, Will, WillFactory
from ataxxd.transport.direct import DirectLink, enable_quick_ack, wait_for_first
from ataxxd.transport.queues import Entry, Outbox
from ataxxd.transport.reconnecting import (
    Endpoint,
    Link,
    LinkLostError,
    ReconnectingTransport,
    Sink,
)
from ataxxd.transport.refusals import connection_error, explain_loss


def tls_context(address: BrokerAddress) -> ssl.SSLContext:
    """A TLS context that trusts `address.ca`, or the system's authorities, and checks host names.

    It reads files, so it may block for a moment.

    Raises:
        BrokerUrlError: a file is missing or invalid.
    """
    try:
        context = ssl.create_default_context(cafile=address.ca)
    except (OSError, ssl.SSLError) as error:
        raise _unusable("ca", str(address.ca), error) from None
    context.sslsocket_class = _TidySocket
    if address.cert is not None:
        try:
            context.load_cert_chain(address.cert, address.key, password=_no_passphrase)
        except (OSError, ssl.SSLError) as error:
            name = str(address.cert) + (f" with key {address.key}" if address.key else "")
            raise _unusable("cert", name, error) from None
    return context


class _TidySocket(ssl.SSLSocket):
    """Closes itself when the handshake fails; the MQTT client would leave it open."""

    def do_handshake(self, block: bool = False) -> None:
        try:
            super().do_handshake(block)
        except BaseException:
            self.close()
            raise


def _no_passphrase() -> str:
    # Without this, OpenSSL would prompt on the terminal in the middle of a game.
    return ""


def explain_unsent(error: aiomqtt.MqttError, what: str) -> str:
    """Why a message was not sent or answered, in words for people.

    Args:
        error: what the client raised.
        what: the words before any reason but that the connection is gone.
    """
    if isinstance(error, aiomqtt.MqttCodeError) and error.rc in _NOT_CONNECTED:
        return explain_loss(None)
    return f"{what} ({error})"


def _unusable(option: str, name: str, error: Exception) -> BrokerUrlError:
    if isinstance(error, ssl.SSLError):
        why = "it is not a PEM file of that kind, or key and certificate do not belong together"
    elif isinstance(error, OSError) and error.strerror:
        why = error.strerror.lower()
    else:
        why = str(error)
    return BrokerUrlError(
        f"The {option} file {name} cannot be used: {why}."
        f" Give a readable PEM file with ?{option}=FILE in the broker address."
    )


# paho's codes for a connection that it has closed (NO_CONN) or just found closed (CONN_LOST).
_NOT_CONNECTED = (4, 7)

KEEPALIVE = 20
"""Seconds of silence after which a ping is sent; after twice that the link counts as lost."""
TIMEOUT = 10.0
"""Seconds that the broker may take to answer a request."""
# The same for a cluster, where another member can take over: short enough to leave a silent member
# soon, long enough for the cluster to elect a leader.
_KEEPALIVE_IN_CLUSTER, _TIMEOUT_IN_CLUSTER = 3, 5.0
# For a subscription at QoS 1, a cluster (NATS) keeps a queue on members chosen at random; if one of
# them is down, the request or the messages stall. Messages lost at QoS 0 are requested again.
_QOS_IN_CLUSTER = 0
_WINDOW = 64
# For a connection shared by many games: after a reconnect, each has a few messages to send.
_BUSY_LIMIT, _BUSY_WINDOW = 1 << 16, 256
_GOODBYE_TIMEOUT = 1.0

# This many messages within this many seconds are a flood; players send a few. On a busy machine
# the client library reads no more than some hundreds a second.
_FLOOD, _MOMENT_S = 512, 2.0

_T = TypeVar("_T")
_log = logging.getLogger(__name__)


class MqttTransport(ReconnectingTransport):
    """A node's connection to one MQTT broker, or to any member of a cluster.

    Args:
        broker: its addresses as text, separated by commas, or one `BrokerAddress`.
        will: makes the will for the connection with the given epoch.
        keepalive: seconds; by default shorter with several addresses.
        timeout: seconds that the broker may take to answer; likewise.
        options: those of `ReconnectingTransport`.

    Raises:
        BrokerUrlError: the text is not a broker address.
    """

    direct: ClassVar[bool] = False
    """Whether to use `ataxxd.transport.direct` from the start, except for websockets."""

    def __init__(
        self,
        broker: BrokerAddress | str,
        *,
        will: WillFactory | None = None,
        max_payload: int = MAX_PAYLOAD,
        keepalive: int | None = None,
        timeout: float | None = None,
        **options: Any,
    ) -> None:
        self.addresses = parse_addresses(broker) if isinstance(broker, str) else (broker,)
        several = len(self.addresses) > 1
        default_keepalive = _KEEPALIVE_IN_CLUSTER if several else KEEPALIVE
        default_timeout = _TIMEOUT_IN_CLUSTER if several else TIMEOUT
        self._keepalive = default_keepalive if keepalive is None else keepalive
        self._timeout = default_timeout if timeout is None else timeout
        self._qos = _QOS_IN_CLUSTER if several else 1
        self._contexts: dict[BrokerAddress, ssl.SSLContext] = {}
        self._flooded = False
        options.setdefault("outbox", Outbox(window=_WINDOW))
        super().__init__(
            [Endpoint(str(each), partial(self._open_link, each)) for each in self.addresses],
            will=will,
            max_payload=max_payload,
            **options,
        )

    async def _open_link(self, address: BrokerAddress, will: Will | None, sink: Sink) -> Link:
        if address.tls and address not in self._contexts:
            self._contexts[address] = await asyncio.to_thread(tls_context, address)
        context = self._contexts.get(address)
        detector = _FloodDetector(sink, self._flood, by_topic=self.direct)
        if (self.direct or self._flooded) and not address.websocket:
            direct = DirectLink(
                sink if self._flooded else detector.receive,
                keepalive=self._keepalive,
                timeout=self._timeout,
                max_payload=self._max_payload,
                # At QoS 1 a broker sends a few messages and waits for our acknowledgements, so an
                # opponent's message would queue behind hundreds of others.
                qos=0 if self._flooded else self._qos,
                sifts=self._is_sifted,
            )
            await direct.open(address, will, context)
            return direct
        client = _client(
            address,
            will=will,
            sink=sink if address.websocket else detector.receive,
            context=context,
            keepalive=self._keepalive,
            timeout=self._timeout,
        )
        link = _MqttLink(client, self._keepalive, self._qos)
        try:
            await link.open()
        except _LinkFailedError as failure:
            raise connection_error(failure.cause, failure.answer, address, self._timeout) from None
        return link

    def _flood(self) -> None:
        self._flooded = True
        if self._link is not None:
            self._link.give_up(
                "more came than players send; reading less of it"
                if self.direct
                else "more came than the client library can read; reading faster"
            )


class BusyMqttTransport(MqttTransport):
    """A connection shared by many games.

    Together they may receive as much as in a flood, so a flood is recognized only on one topic.
    """

    direct = True

    def __init__(self, broker: BrokerAddress | str, **options: Any) -> None:
        options.setdefault("outbox", Outbox(limit=_BUSY_LIMIT, window=_BUSY_WINDOW))
        super().__init__(broker, max_inbox=_BUSY_LIMIT, **options)


class _FloodDetector:
    """Passes messages on, and reports once when there is a flood, on all topics or on one."""

    def __init__(self, sink: Sink, on_flood: Callable[[], None], *, by_topic: bool) -> None:
        self._sink = sink
        self._on_flood = on_flood
        self._by_topic = by_topic
        self._loop = asyncio.get_running_loop()
        self._since = self._loop.time()
        self._counts: dict[str, int] = {}
        self._reported = False

    def receive(self, topic: str, payload: bytes, retained: bool) -> None:
        """Take a message in; retained messages do not count as a flood."""
        self._sink(topic, payload, retained)
        if retained or self._reported:
            return
        now = self._loop.time()
        if now - self._since > _MOMENT_S:
            self._since = now
            self._counts.clear()
        what = topic if self._by_topic else ""
        count = self._counts[what] = self._counts.get(what, 0) + 1
        if count >= _FLOOD:
            self._reported = True
            self._loop.call_soon(self._on_flood)


class _LinkFailedError(Exception):
    """The link could not be opened; see ``refusals.connection_error`` for the arguments."""

    def __init__(self, error: BaseException | None) -> None:
        super().__init__(str(error))
        self.answer = str(error) if isinstance(error, aiomqtt.MqttCodeError) else None
        # aiomqtt keeps only the text of the system's error; the original is still the context.
        self.cause = error.__context__ or error if error is not None else None


class _MqttLink:
    """One MQTT connection; see ``reconnecting.Link``."""

    def __init__(self, client: aiomqtt.Client, keepalive: int, qos: int) -> None:
        self._client = client
        self._qos = qos
        self._keepalive = keepalive
        self._lost: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._hooks = _Hooks(client, self._end)
        self._watcher: asyncio.Task[None] | None = None
        self._sending: set[asyncio.Task[None]] = set()

    @property
    def last_heard_s(self) -> float:
        return self._hooks.last_heard_s

    async def open(self) -> None:
        """Connects; raises ``_LinkFailedError``, and frees everything, when that fails."""
        entering = asyncio.create_task(self._client.__aenter__(), name="mqtt: connect")
        try:
            await wait_for_first(entering, self._lost)
        except asyncio.CancelledError:
            # The system's connect runs in a thread that cannot be stopped. It ends by
            # its own timeout; returning earlier would leak its socket.
            await asyncio.wait({entering})
            await self._abandon(entering)
            raise
        if entering.done() and entering.exception() is None:
            self._hooks.set_no_delay()
            self._watcher = asyncio.create_task(
                self._wait_for_loss(), name="mqtt: watch for the loss"
            )
            return
        failure = _LinkFailedError(entering.exception() if entering.done() else None)
        await self._abandon(entering)
        raise failure

    def send(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        # A task each: tasks start in the order of creation, so messages leave in
        # order, and waiting for one acknowledgement holds up nothing else.
        task = asyncio.create_task(self._publish(entry, on_acknowledged))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def subscribe(self, patterns: Sequence[str]) -> list[bool]:
        # The keepalive detects a silent broker; a busy one may take its time to answer.
        request = self._client.subscribe(
            [(pattern, self._qos) for pattern in patterns], timeout=2 * self._keepalive
        )
        codes = await self._wait_for_answer(request)
        return [(code if isinstance(code, int) else code.value) < 0x80 for code in codes]

    async def unsubscribe(self, pattern: str) -> None:
        await self._wait_for_answer(self._client.unsubscribe(pattern))

    def give_up(self, reason: str) -> None:
        self._end(reason)

    async def wait_until_lost(self) -> str:
        return await asyncio.shield(self._lost)

    async def close(self, *, graceful: bool) -> None:
        self._end("closed here")
        tasks = [*self._sending]
        if self._watcher is not None:
            tasks.append(self._watcher)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        if graceful:
            with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                async with asyncio.timeout(_GOODBYE_TIMEOUT):
                    await self._client.__aexit__(None, None, None)
        await self._hooks.free()

    async def _publish(self, entry: Entry, on_acknowledged: Callable[[Entry], None]) -> None:
        try:
            await self._client.publish(
                entry.topic, entry.payload, qos=1, retain=entry.retain, timeout=math.inf
            )
        except aiomqtt.MqttError as error:
            self._end(explain_unsent(error, "sending failed"))
            return
        if not self._lost.done():
            on_acknowledged(entry)

    async def _wait_for_loss(self) -> None:
        # Messages go to the sink, so this only ever ends with the connection.
        try:
            async for _ in self._client.messages:
                pass
        except aiomqtt.MqttError as error:
            self._end(explain_loss(error.__cause__))

    async def _wait_for_answer(self, request: Coroutine[Any, Any, _T]) -> _T:
        # aiomqtt would go on waiting for an answer after the connection is lost.
        asking = asyncio.create_task(request)
        try:
            await wait_for_first(asking, self._lost)
            if asking.done():
                return asking.result()
        except aiomqtt.MqttError as error:
            self._end(explain_unsent(error, "the broker did not answer a request"))
        finally:
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})
        raise LinkLostError

    def _end(self, reason: str) -> None:
        if not self._lost.done():
            self._lost.set_result(reason)

    async def _abandon(self, entering: asyncio.Task[aiomqtt.Client]) -> None:
        entering.cancel()
        await asyncio.wait({entering})
        if not entering.cancelled():
            entering.exception()
        await self._hooks.free()


class _Hooks:
    """Hooks into paho, the client below aiomqtt, for what aiomqtt does not offer."""

    def __init__(self, client: aiomqtt.Client, on_lost: Callable[[str], None]) -> None:
        self._paho = client._client  # noqa: SLF001 - see the module docstring
        report_answer, report_loss = self._paho.on_connect, self._paho.on_disconnect
        answered = False

        def on_connect(*arguments: Any) -> None:
            nonlocal answered
            answered = True  # from here on, aiomqtt notices a loss by itself
            if report_answer is not None:
                report_answer(*arguments)

        def on_disconnect(*arguments: Any) -> None:
            if not answered:
                on_lost("the broker closed the connection")
            if report_loss is not None:
                report_loss(*arguments)

        self._loop = loop = asyncio.get_running_loop()
        self.last_heard_s = loop.time()

        def write() -> None:
            try:
                self._paho.loop_write()
            except Exception as error:  # noqa: BLE001 - paho lets anything through
                on_lost(f"sending failed: {error}")

        def add_writer(sock: Any) -> None:
            if sock.fileno() >= 0:
                loop.add_writer(sock.fileno(), write)

        def on_register_write(_client: Any, _userdata: Any, sock: Any) -> None:
            # aiomqtt would register the descriptor's number one turn later, when the
            # socket may be closed and the number reused.
            loop.call_soon_threadsafe(add_writer, sock)

        self._paho.on_connect = on_connect
        self._paho.on_disconnect = on_disconnect
        self._paho.on_socket_register_write = on_register_write
        # paho forgets a socket when its handshake fails, so we must close it.
        self._made: list[socket.socket] = []
        self._raw: socket.socket | None = None
        for name in ("_create_socket_connection", "_ssl_wrap_socket"):
            setattr(self._paho, name, self._with_socket_kept(getattr(self._paho, name)))
        setattr(self._paho, "loop_read", self._with_quick_ack(self._paho.loop_read))  # noqa: B010

    def _with_quick_ack(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def read_and_confirm(*arguments: Any) -> Any:
            result = read(*arguments)
            if result == 0:
                self.last_heard_s = self._loop.time()
            enable_quick_ack(self._raw)
            return result

        return read_and_confirm

    def _with_socket_kept(self, make: Callable[..., socket.socket]) -> Callable[..., socket.socket]:
        def remember(*arguments: Any) -> socket.socket:
            made = make(*arguments)
            self._made.append(made)
            return made

        return remember

    def set_no_delay(self) -> None:
        """Turns Nagle's algorithm off, whatever is wrapped around the socket."""
        wrapped = self._paho.socket()
        if wrapped is not None:
            self._raw = socket.socket(fileno=os.dup(wrapped.fileno()))
            self._made.append(self._raw)
            self._raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    async def free(self) -> None:
        """Closes the socket, if it is still open, and lets go of the event loop."""
        # Callbacks that register the socket with the loop may still be on their way.
        await asyncio.sleep(0)
        self._paho._sock_close()  # noqa: SLF001
        for made in self._made:
            made.close()
        await asyncio.sleep(0)
        await asyncio.sleep(0)


class _DebugOnly(logging.Filter):
    """Lowers the client's log records to DEBUG; we report in words what matters of them."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.levelno, record.levelname = logging.DEBUG, "DEBUG"
        return _log.isEnabledFor(logging.DEBUG)


def _client_log() -> logging.Logger:
    log = logging.getLogger(f"{__name__}.client")
    if not log.filters:
        log.addFilter(_DebugOnly())
    return log


def _client(
    address: BrokerAddress,
    *,
    will: Will | None,
    sink: Sink,
    context: ssl.SSLContext | None,
    keepalive: int,
    timeout: float,
) -> aiomqtt.Client:
    class Handover(asyncio.Queue[aiomqtt.Message]):
        """Gives messages to the sink instead of queueing them: one hop less, and our own bounds."""

        def put_nowait(self, item: aiomqtt.Message) -> None:
            payload = item.payload
            assert isinstance(payload, bytes | bytearray)
            sink(str(item.topic), bytes(payload), bool(item.retain))

    client = aiomqtt.Client(
        address.host,
        address.port,
        username=address.user,
        password=address.password,
        identifier=f"ataxxd{secrets.token_hex(8)}",  # 22 of the 23 characters all brokers take
        protocol=aiomqtt.ProtocolVersion.V311,
        clean_session=True,
        will=None if will is None else aiomqtt.Will(will.topic, will.payload, 1, will.retain),
        transport="websockets" if address.websocket else "tcp",
        websocket_path=address.path or None,
        timeout=timeout,
        keepalive=keepalive,
        tls_context=context,
        queue_type=Handover,
        max_inflight_messages=2 * _WINDOW,
        logger=_client_log(),
    )
    client.pending_calls_threshold = 4 * _WINDOW
    return client
