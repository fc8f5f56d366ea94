"""The MQTT transport against a real Mosquitto: carrying, reconnecting, wills."""

import asyncio
import contextlib
import re
import socket
from collections.abc import Callable, Iterator

import pytest

from ataxxd.transport.base import Connected, Disconnected, Received, Will
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import Mosquitto, open_sockets
from tests.certificates import Certificates
from tests.events import all_until_closed, messages, next_of
from tests.faults import FaultProxy
from tests.time_limits import DEADLINE

pytestmark = pytest.mark.usefixtures("links")


def at_once() -> Backoff:
    """Tests do not wait; the pause between attempts is a moment."""
    return Backoff(first=0.02, ceiling=0.02)


def sockets_to(port: int) -> Iterator[socket.socket]:
    """Duplicates of this process's sockets that are connected to the port."""
    for candidate in open_sockets():
        with contextlib.suppress(OSError):  # not connected
            if candidate.getpeername()[1] == port:
                yield candidate


async def test_a_message_reaches_a_subscriber_and_nobody_else(mosquitto: Mosquitto) -> None:
    async with (
        MqttTransport(mosquitto.url) as sender,
        MqttTransport(mosquitto.url) as listener,
        MqttTransport(mosquitto.url) as stranger,
    ):
        await listener.subscribe("ataxxd/1/+/host/out")
        await stranger.subscribe("ataxxd/1/game/other/out")
        await sender.publish("ataxxd/1/game/host/out", b"{}")
        await sender.publish("ataxxd/1/game/other/out", b"last")
        assert await next_of(listener, Received) == Received(
            "ataxxd/1/game/host/out", b"{}", retained=False
        )
        assert (await next_of(stranger, Received)).payload == b"last"


async def test_the_first_event_of_a_connection_is_its_epoch(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url) as transport:
        assert await anext(aiter(transport)) == Connected(1)


async def test_a_late_subscriber_gets_what_was_retained(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url) as host, MqttTransport(mosquitto.url) as guest:
        await host.publish("g/offer", b"old", retain=True)
        await host.publish("g/offer", b"new", retain=True)
        await host.drain()
        await guest.subscribe("g/+")
        assert await next_of(guest, Received) == Received("g/offer", b"new", retained=True)


async def test_hundreds_of_messages_arrive_in_order(mosquitto: Mosquitto) -> None:
    # Fewer than a flood, at which the link is made anew.
    async with MqttTransport(mosquitto.url) as sender, MqttTransport(mosquitto.url) as listener:
        await listener.subscribe("log")
        for number in range(400):
            await sender.publish("log", b"%d" % number)
        arrived = await messages(listener, 400)
        assert [int(message.payload) for message in arrived] == list(range(400))
        await sender.drain()
        assert sender.counters.acknowledged == 400


async def test_topics_may_be_in_any_script(mosquitto: Mosquitto) -> None:
    topic = "ataxxd/1/jogo-ção/игра/遊戯/🎲"
    async with MqttTransport(mosquitto.url) as transport:
        await transport.subscribe("ataxxd/1/+/игра/#")
        await transport.publish(topic, "приве́т".encode())
        assert await next_of(transport, Received) == Received(
            topic, "приве́т".encode(), retained=False
        )


async def test_an_oversized_payload_is_dropped_and_counted(mosquitto: Mosquitto) -> None:
    async with (
        MqttTransport(mosquitto.url, max_payload=100_000) as careless,
        MqttTransport(mosquitto.url) as listener,
    ):
        await listener.subscribe("t")
        await careless.publish("t", b"x" * (16 * 1024 + 1))
        await careless.publish("t", b"y" * (16 * 1024))
        assert (await next_of(listener, Received)).payload == b"y" * (16 * 1024)
        assert listener.counters.oversize == 1


async def test_after_unsubscribing_nothing_more_comes(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url) as transport:
        await transport.subscribe("a")
        await transport.subscribe("b")
        await transport.unsubscribe("a")
        await transport.publish("a", b"unwanted")
        await transport.publish("b", b"wanted")
        assert await next_of(transport, Received) == Received("b", b"wanted", retained=False)


async def test_nagle_is_off_on_the_socket(make_mosquitto: Callable[..., Mosquitto]) -> None:
    mosquitto = make_mosquitto(websockets=True)
    for url, port in (
        (mosquitto.url, mosquitto.port),
        (mosquitto.websocket_url, mosquitto.websocket_port),
    ):
        async with MqttTransport(url):
            options = [
                connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
                for connected in sockets_to(port)
            ]
        assert options, f"no socket to {url} was found"
        assert all(options), url


async def test_a_killed_broker_comes_back_and_everything_waiting_is_delivered(
    mosquitto: Mosquitto,
) -> None:
    async with (
        MqttTransport(mosquitto.url, backoff=at_once()) as sender,
        MqttTransport(mosquitto.url, backoff=at_once()) as listener,
    ):
        await listener.subscribe("log/#")
        mosquitto.kill()
        await next_of(sender, Disconnected)
        await next_of(listener, Disconnected)
        for number in range(100):
            await sender.publish("log/moves", b"%d" % number)
        # The listener must be back first: a broker keeps nothing for the absent.
        mosquitto.start()
        assert await next_of(listener, Connected) == Connected(2)
        assert await next_of(sender, Connected) == Connected(2)
        await sender.drain()
        await sender.publish("log/end", b"end")
        arrived: list[Received] = []
        while not arrived or arrived[-1].topic != "log/end":
            arrived.append(await next_of(listener, Received))
        # Whatever the sender sent before the listener was back is lost to it, in one piece
        # from the front: the game's own resync asks for it again.
        numbers = [int(message.payload) for message in arrived[:-1]]
        assert numbers == list(range(100 - len(numbers), 100))


async def test_subscriptions_are_renewed_before_the_connection_is_reported(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(relay.url, backoff=at_once()) as listener,
        MqttTransport(mosquitto.url) as sender,
    ):
        await listener.subscribe("a/+")
        await listener.subscribe("b")
        relay.cut()
        await next_of(listener, Disconnected)
        await next_of(listener, Connected)
        await sender.publish("a/1", b"1")
        await sender.publish("b", b"2")
        assert [message.payload for message in await messages(listener, 2)] == [b"1", b"2"]


async def test_messages_in_flight_when_the_wire_is_cut_are_sent_again_in_order(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(mosquitto.url) as listener,
        MqttTransport(relay.url, backoff=at_once()) as sender,
    ):
        await listener.subscribe("log")
        relay.freeze()
        for number in range(200):
            await sender.publish("log", b"%d" % number)
        relay.cut()
        relay.thaw()
        await sender.drain()
        assert sender.counters.connections == 2
        numbers: list[int] = []
        while not numbers or numbers[-1] != 199:
            numbers.append(int((await next_of(listener, Received)).payload))
        seen = list(dict.fromkeys(numbers))
        assert seen == list(range(200))


async def test_of_retained_messages_only_the_newest_waits_for_the_broker(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(relay.url, backoff=at_once()) as host,
        MqttTransport(mosquitto.url) as watcher,
    ):
        await watcher.subscribe("state")
        relay.freeze()
        relay.cut()
        await next_of(host, Disconnected)
        for number in range(50):
            await host.publish("state", b"%d" % number, retain=True)
        relay.thaw()
        await host.drain()
        assert (await next_of(watcher, Received)).payload == b"49"
        assert watcher.counters.received == 1


async def test_subscribing_while_disconnected_waits_for_the_broker(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url, backoff=at_once()) as transport:
        mosquitto.kill()
        await next_of(transport, Disconnected)
        subscribing = asyncio.create_task(transport.subscribe("t"))
        mosquitto.start()
        await subscribing
        await transport.publish("t", b"heard")
        assert (await next_of(transport, Received)).payload == b"heard"


async def test_the_will_is_published_when_the_wire_is_cut(mosquitto: Mosquitto) -> None:
    def lost(epoch: int) -> Will:
        return Will("g/node/status", b"lost %d" % epoch)

    async with FaultProxy(mosquitto.port) as relay, MqttTransport(mosquitto.url) as watcher:
        await watcher.subscribe("g/+/status")
        async with MqttTransport(relay.url, will=lost, backoff=at_once()):
            relay.cut()
            # Not retained: a node that comes back must not have to clear it first.
            assert await next_of(watcher, Received) == Received(
                "g/node/status", b"lost 1", retained=False
            )
    async with MqttTransport(mosquitto.url) as late:
        await late.subscribe("#")
        await late.publish("end", b"")
        assert (await next_of(late, Received)).topic == "end"


async def test_each_connection_has_the_will_of_its_own_epoch(mosquitto: Mosquitto) -> None:
    def lost(epoch: int) -> Will:
        return Will("status", b"lost %d" % epoch)

    async with FaultProxy(mosquitto.port) as relay, MqttTransport(mosquitto.url) as watcher:
        await watcher.subscribe("status")
        async with MqttTransport(relay.url, will=lost, backoff=at_once()) as node:
            for epoch in (1, 2):
                assert await next_of(node, Connected) == Connected(epoch)
                relay.cut()
                assert (await next_of(watcher, Received)).payload == b"lost %d" % epoch


async def test_leaving_gracefully_publishes_no_will(mosquitto: Mosquitto) -> None:
    def lost(epoch: int) -> Will:
        return Will("status", b"lost")

    async with MqttTransport(mosquitto.url) as watcher:
        await watcher.subscribe("status")
        async with MqttTransport(mosquitto.url, will=lost) as node:
            await node.publish("status", b"left")
        assert (await next_of(watcher, Received)).payload == b"left"
        await watcher.publish("status", b"end")
        assert (await next_of(watcher, Received)).payload == b"end"


async def test_leaving_sends_what_was_just_published(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url) as watcher:
        await watcher.subscribe("log")
        async with MqttTransport(mosquitto.url) as node:
            for number in range(300):
                await node.publish("log", b"%d" % number)
        assert [int(m.payload) for m in await messages(watcher, 300)] == list(range(300))


async def test_a_closed_transport_ends_its_events(mosquitto: Mosquitto) -> None:
    async with MqttTransport(mosquitto.url) as transport:
        pass
    assert await all_until_closed(transport) == [Connected(1)]


async def test_closing_at_once_says_goodbye_too(mosquitto: Mosquitto) -> None:
    def lost(epoch: int) -> Will:
        return Will("status", b"lost")

    async with MqttTransport(mosquitto.url) as watcher:
        await watcher.subscribe("status")
        before = len([*sockets_to(mosquitto.port)])
        async with MqttTransport(mosquitto.url, will=lost):
            pass
        assert len([*sockets_to(mosquitto.port)]) == before
        await watcher.publish("status", b"end")
        assert (await next_of(watcher, Received)).payload == b"end"


async def test_nothing_is_left_behind_after_closing(mosquitto: Mosquitto) -> None:
    before = asyncio.all_tasks()
    async with FaultProxy(mosquitto.port) as relay:
        async with MqttTransport(relay.url, backoff=at_once()) as transport:
            await transport.subscribe("t")
            relay.cut()
            await next_of(transport, Disconnected)
            await next_of(transport, Connected)
        assert not list(sockets_to(relay.port))
    assert asyncio.all_tasks() == before


async def test_websockets_carry_everything_in_order(
    make_mosquitto: Callable[..., Mosquitto],
) -> None:
    mosquitto = make_mosquitto(websockets=True)
    async with (
        MqttTransport(mosquitto.websocket_url) as sender,
        MqttTransport(mosquitto.websocket_url) as listener,
    ):
        await listener.subscribe("log")
        for number in range(500):
            await sender.publish("log", b"%d" % number + b" " * 2000)
        arrived = await messages(listener, 500)
        assert [int(message.payload) for message in arrived] == list(range(500))


async def test_tls_carries_everything_when_the_authority_is_known(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(certificates=certificates)
    async with MqttTransport(mosquitto.tls_url) as transport:
        await transport.subscribe("log")
        for number in range(300):
            await transport.publish("log", b"%d" % number + b" " * 8000)
        arrived = await messages(transport, 300)
        assert [int(message.payload) for message in arrived] == list(range(300))
        assert all(
            connected.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            for connected in sockets_to(mosquitto.tls_port)
        )


async def test_websockets_can_be_encrypted(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(certificates=certificates, websockets=True)
    async with MqttTransport(mosquitto.websocket_url) as transport:
        await transport.subscribe("log")
        for number in range(30):
            await transport.publish("log", b"%d" % number + b" " * 1000)
        arrived = await messages(transport, 30)
        assert [int(message.payload) for message in arrived] == list(range(30))


async def test_a_client_certificate_opens_the_door(
    make_mosquitto: Callable[..., Mosquitto], certificates: Certificates
) -> None:
    mosquitto = make_mosquitto(certificates=certificates, client_certificates=True)
    own = f"&cert={certificates.cert}&key={certificates.key}"
    async with MqttTransport(mosquitto.tls_url + own) as transport:
        await transport.subscribe("t")
        await transport.publish("t", b"in")
        assert (await next_of(transport, Received)).payload == b"in"


async def test_every_connection_is_mqtt_3_1_1_clean_and_has_an_id_of_its_own(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(relay.url, backoff=at_once()) as node,
    ):
        await next_of(node, Connected)
        relay.cut()
        await next_of(node, Connected)
        await node.drain()
    logged = re.findall(r"New client connected from \S+ as (\S+) \(([^)]*)\)", mosquitto.log)
    ids = {name for name, _ in logged}
    assert len(logged) == len(ids) == 2
    # c1 is a clean session, and k the keepalive.
    assert {terms for _, terms in logged} == {f"p{mosquitto.mqtt_3_1_1}, c1, k20"}
    assert all(len(name) <= 23 and name.isalnum() for name in ids)


async def test_who_loses_a_connection_knows_what_the_broker_has_and_when_it_spoke_last(
    mosquitto: Mosquitto,
) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(relay.url, backoff=at_once()) as node,
    ):
        await next_of(node, Connected)
        clock = asyncio.get_running_loop().time
        began = clock()
        await node.publish("log", b"kept")
        await node.drain()
        relay.cut()
        lost = await next_of(node, Disconnected)
        assert lost.delivered
        assert lost.silent_s < clock() - began


async def test_a_wire_that_went_dead_is_noticed_and_replaced(mosquitto: Mosquitto) -> None:
    async with (
        FaultProxy(mosquitto.port) as relay,
        MqttTransport(relay.url, keepalive=2, backoff=at_once(), timeout=DEADLINE) as node,
    ):
        assert await next_of(node, Connected) == Connected(1)
        relay.freeze()
        await node.publish("log", b"kept")
        lost = await next_of(node, Disconnected)
        assert lost == Disconnected("the broker no longer answers")
        assert not lost.delivered
        assert lost.silent_s > 2  # a ping was not answered
        relay.cut()
        relay.thaw()
        assert await next_of(node, Connected) == Connected(2)
        await node.drain()
