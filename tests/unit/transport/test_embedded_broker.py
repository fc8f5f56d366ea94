"""The embedded broker, and our transport over it with all its peculiarities."""

import asyncio
import logging
from collections.abc import Callable

import pytest
from amqtt.broker import Broker  # type: ignore[import-untyped]
from amqtt.contexts import BrokerConfig, ListenerConfig  # type: ignore[import-untyped]

from ataxxd.transport.base import (
    MAX_PAYLOAD,
    Connected,
    Disconnected,
    PortInUse,
    Received,
    SubscriptionRefused,
    Will,
)
from ataxxd.transport.broker import EmbeddedBroker
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import Mosquitto, free_port, open_sockets
from tests.events import messages, next_of
from tests.faults import FaultProxy
from tests.time_limits import DEADLINE


def at_once() -> Backoff:
    return Backoff(first=0.02, ceiling=0.02)


async def test_two_nodes_talk_over_it() -> None:
    async with (
        EmbeddedBroker(port=0) as broker,
        MqttTransport(broker.url) as host,
        MqttTransport(broker.url) as guest,
    ):
        assert broker.client_count == 2
        await guest.subscribe("ataxxd/1/+/host/#")
        await host.publish("ataxxd/1/game/host/out", b"hello")
        assert await next_of(guest, Received) == Received(
            "ataxxd/1/game/host/out", b"hello", retained=False
        )


async def test_it_forgets_clients_that_left() -> None:
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as watcher:
        await watcher.subscribe("status")
        async with (
            FaultProxy(broker.port) as relay,
            MqttTransport(relay.url, will=lambda _: Will("status", b"lost"), backoff=at_once()),
        ):
            relay.cut()
            await next_of(watcher, Received)
        async with MqttTransport(broker.url):
            assert broker.client_count == 2


async def test_bursts_of_the_largest_messages_arrive_in_order() -> None:
    async with (
        EmbeddedBroker(port=0) as broker,
        MqttTransport(broker.url) as sender,
        MqttTransport(broker.url) as listener,
    ):
        await listener.subscribe("log")
        for number in range(500):
            await sender.publish("log", (b"%d " % number).ljust(MAX_PAYLOAD, b"x"))
        arrived = await messages(listener, 500)
        assert [int(message.payload.split()[0]) for message in arrived] == list(range(500))
        await sender.drain()


async def test_retained_messages_come_to_those_who_ask_and_to_nobody_else() -> None:
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as host:
        await host.subscribe("g/+/offer")
        await host.publish("g/1/offer", b"offer", retain=True)
        await next_of(host, Received)
        async with MqttTransport(broker.url) as guest:
            await guest.subscribe("other")
            await guest.publish("other", b"mine")
            assert (await next_of(guest, Received)).payload == b"mine"
            assert guest.counters.unasked == 0
            await guest.subscribe("g/#")
            assert await next_of(guest, Received) == Received("g/1/offer", b"offer", retained=True)


async def test_a_retained_message_is_cleared_by_an_empty_one() -> None:
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as host:
        await host.publish("offer", b"offer", retain=True)
        await host.publish("offer", b"", retain=True)
        await host.publish("state", b"state", retain=True)
        await host.drain()
        await host.subscribe("#")
        assert (await next_of(host, Received)).topic == "state"


async def test_clients_may_connect_while_others_subscribe() -> None:
    # As it comes, amqtt fails here: it changes a dictionary while walking through it.
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as host:
        for number in range(20):
            await host.publish(f"g/{number}/offer", b"offer", retain=True)
        await host.drain()

        async def guest(number: int) -> str:
            async with MqttTransport(broker.url, timeout=DEADLINE) as transport:
                await transport.subscribe(f"g/{number}/+")
                return (await next_of(transport, Received)).topic

        topics = await asyncio.gather(*(guest(number) for number in range(20)))
        assert topics == [f"g/{number}/offer" for number in range(20)]


async def test_transports_come_back_after_it_was_restarted_on_its_port() -> None:
    port = free_port()
    async with EmbeddedBroker(port) as broker:
        url = broker.url
        host = await MqttTransport(url, backoff=at_once()).__aenter__()
        guest = await MqttTransport(url, backoff=at_once()).__aenter__()
        await guest.subscribe("log")
    try:
        await next_of(host, Disconnected)
        await next_of(guest, Disconnected)
        async with EmbeddedBroker(port):
            assert await next_of(guest, Connected) == Connected(2)
            assert await next_of(host, Connected) == Connected(2)
            await host.publish("log", b"again")
            assert (await next_of(guest, Received)).payload == b"again"
    finally:
        await host.__aexit__(None, None, None)
        await guest.__aexit__(None, None, None)


async def test_a_vanished_client_leaves_its_will_and_a_leaving_one_does_not() -> None:
    def lost(epoch: int) -> Will:
        return Will("status", b"lost %d" % epoch)

    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as watcher:
        await watcher.subscribe("status")
        async with MqttTransport(broker.url, will=lost):
            pass
        async with (
            FaultProxy(broker.port) as relay,
            MqttTransport(relay.url, will=lost, backoff=at_once()) as node,
        ):
            await node.publish("status", b"online")
            assert (await next_of(watcher, Received)).payload == b"online"
            relay.cut()
            assert (await next_of(watcher, Received)).payload == b"lost 1"


async def test_a_busy_port_is_said_to_be_busy(mosquitto: Mosquitto) -> None:
    with pytest.raises(PortInUse, match=rf"127\.0\.0\.1:{mosquitto.port}.*use it"):
        async with EmbeddedBroker(mosquitto.port):
            pass


async def test_two_embedded_brokers_cannot_share_a_port() -> None:
    async with EmbeddedBroker(port=0) as first:
        with pytest.raises(PortInUse):
            async with EmbeddedBroker(first.port):
                pass
        async with MqttTransport(first.url):
            assert first.client_count == 1


async def test_it_stops_although_a_connection_says_nothing() -> None:
    before = asyncio.all_tasks()
    async with EmbeddedBroker(port=0) as broker:
        _, silent = await asyncio.open_connection("127.0.0.1", broker.port)
        async with MqttTransport(broker.url):
            pass
    silent.close()
    assert asyncio.all_tasks() == before


async def test_the_last_words_of_a_client_that_leaves_are_delivered() -> None:
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as listener:
        await listener.subscribe("log")
        # Not two seconds, which are short for so many on a busy machine.
        async with MqttTransport(broker.url, flush_timeout=40) as sender:
            for number in range(500):
                await sender.publish("log", b"%d" % number)
        arrived = await messages(listener, 500)
        assert [int(message.payload) for message in arrived] == list(range(500))


async def test_it_delivers_what_it_accepted_before_it_stops() -> None:
    broker = EmbeddedBroker(port=0)
    async with broker:
        listener = await MqttTransport(broker.url, backoff=at_once()).__aenter__()
        await listener.subscribe("log")
        async with MqttTransport(broker.url) as sender:
            for number in range(200):
                await sender.publish("log", (b"%d " % number).ljust(MAX_PAYLOAD, b"x"))
            await sender.drain()
    arrived = await messages(listener, 200)
    assert [int(message.payload.split()[0]) for message in arrived] == list(range(200))
    await listener.__aexit__(None, None, None)


async def test_it_stops_with_clients_connected_and_leaves_nothing_behind() -> None:
    before = asyncio.all_tasks()
    broker = EmbeddedBroker(port=0)
    async with broker:
        transport = await MqttTransport(broker.url, backoff=at_once()).__aenter__()
        await transport.subscribe("#")
        await transport.publish("t", b"payload", retain=True)
    assert broker.client_count == 0
    await transport.__aexit__(None, None, None)
    assert asyncio.all_tasks() == before


async def test_garbage_from_a_client_harms_nobody(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    async with EmbeddedBroker(port=0) as broker, MqttTransport(broker.url) as node:
        for garbage in (b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 64, b"\x10\xff\xff\xff\x7f", b""):
            _, writer = await asyncio.open_connection("127.0.0.1", broker.port)
            writer.write(garbage)
            writer.close()
            await writer.wait_closed()
        await node.subscribe("t")
        await node.publish("t", b"alive")
        assert (await next_of(node, Received)).payload == b"alive"
    foreign = [r for r in caplog.records if not r.name.startswith("ataxxd")]
    assert not foreign, "amqtt talks to the user"


async def test_with_lan_it_listens_on_every_interface() -> None:
    async with EmbeddedBroker(port=0, lan=True) as broker:
        assert any(s.getsockname() == ("0.0.0.0", broker.port) for s in open_sockets())
        async with MqttTransport(broker.url):
            assert broker.client_count == 1


async def test_a_broker_that_refuses_a_subscription_is_heard() -> None:
    # amqtt answers 0x80 as MQTT wants it; Mosquitto's access control file grants everything
    # and then sends nothing.
    port = free_port()
    config = BrokerConfig(
        listeners={"default": ListenerConfig(bind=f"127.0.0.1:{port}")},
        plugins={
            "amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True},
            "amqtt.plugins.topic_checking.TopicTabooPlugin": {},
        },
    )
    refusing = Broker(config)
    await refusing.start()
    try:
        async with MqttTransport(f"mqtt://127.0.0.1:{port}") as transport:
            with pytest.raises(SubscriptionRefused, match=r'"top-secret".*access control'):
                await transport.subscribe("top-secret")
            await transport.subscribe("open")
            await transport.publish("open", b"still works")
            assert (await next_of(transport, Received)).payload == b"still works"
    finally:
        await refusing.shutdown()


async def test_mosquitto_and_it_can_stand_in_for_each_other(
    make_mosquitto: Callable[..., Mosquitto],
) -> None:
    port = free_port()
    async with EmbeddedBroker(port) as broker:
        node = await MqttTransport(broker.url, backoff=at_once()).__aenter__()
        await node.subscribe("t")
    try:
        await next_of(node, Disconnected)
        await node.publish("t", b"kept")
        make_mosquitto(port=port)
        assert (await next_of(node, Received)).payload == b"kept"
    finally:
        await node.__aexit__(None, None, None)
