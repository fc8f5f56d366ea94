"""A list of addresses: one that works is used, and the next when it is lost."""

import re
from collections.abc import Callable

import pytest

from ataxxd.errors import ExitCode
from ataxxd.transport.base import (
    BrokerRefused,
    BrokerUnreachable,
    Connected,
    Disconnected,
    Received,
)
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.reconnecting import Backoff
from tests.brokers import Mosquitto, free_port
from tests.events import next_of
from tests.faults import FaultProxy

pytestmark = pytest.mark.usefixtures("links")

MakeMosquitto = Callable[..., Mosquitto]


def several(*urls: str) -> MqttTransport:
    """A transport with these brokers to choose from."""
    return MqttTransport(",".join(urls), backoff=Backoff(first=0.02, ceiling=0.02))


def nowhere() -> str:
    """An address where nothing listens."""
    return f"mqtt://127.0.0.1:{free_port()}"


async def test_the_first_that_answers_is_used_and_the_next_when_it_is_lost(
    make_mosquitto: MakeMosquitto,
) -> None:
    one, other = make_mosquitto(), make_mosquitto()
    async with several(nowhere(), one.url, other.url) as node:
        assert await next_of(node, Connected) == Connected(1)
        assert node.url == one.url
        await node.subscribe("t")
        one.kill()
        await next_of(node, Disconnected)
        await node.publish("t", b"kept meanwhile")
        assert await next_of(node, Connected) == Connected(2)
        assert node.url == other.url
        assert (await next_of(node, Received)).payload == b"kept meanwhile"
        one.start()
        other.kill()
        assert await next_of(node, Connected) == Connected(3)
        assert node.url == one.url


async def test_subscriptions_have_qos_0_at_a_cluster_and_qos_1_elsewhere(
    make_mosquitto: MakeMosquitto,
) -> None:
    broker = make_mosquitto()
    async with several(broker.url, nowhere()) as node:
        await node.subscribe("at/a/cluster")
        await node.publish("at/a/cluster", b"heard")
        await next_of(node, Received)
    async with several(broker.url) as node:
        await node.subscribe("at/a/broker")
    broker.stop()
    assert re.findall(r"\t(\S+) \(QoS (\d)\)", broker.log) == [
        ("at/a/cluster", "0"),
        ("at/a/broker", "1"),
    ]
    assert re.findall(r"Received PUBLISH from \S+ \(d0, q(\d)", broker.log) == ["1"]


async def test_one_that_is_lost_for_a_moment_is_come_back_to(make_mosquitto: MakeMosquitto) -> None:
    one = make_mosquitto()
    async with several(one.url, nowhere()) as node:
        await next_of(node, Connected)
        one.restart()
        assert await next_of(node, Connected) == Connected(2)
        assert node.url == one.url


async def test_one_that_says_nothing_is_left(make_mosquitto: MakeMosquitto) -> None:
    one, other = make_mosquitto(), make_mosquitto()
    async with FaultProxy(one.port) as proxy, several(proxy.url, other.url) as node:
        await next_of(node, Connected)
        # Not the keepalive: what is published is missed first.
        proxy.freeze()
        await node.publish("t", b"x")
        await next_of(node, Disconnected)
        assert await next_of(node, Connected) == Connected(2)
        assert node.url == other.url
        await node.drain()


async def test_what_nobody_acknowledges_is_said_on_another_connection(
    make_mosquitto: MakeMosquitto,
) -> None:
    one = make_mosquitto()
    async with (
        FaultProxy(one.port) as proxy,
        MqttTransport(proxy.url, ack_timeout=0.5, backoff=Backoff(0.02, 0.02)) as node,
    ):
        await next_of(node, Connected)
        proxy.acknowledges = False
        await node.publish("t", b"x")
        assert await next_of(node, Disconnected) == Disconnected("the broker acknowledges nothing")
        proxy.acknowledges = True
        await node.drain()
        assert node.counters.acknowledged == 1


async def test_when_none_accepts_us_each_is_told_and_none_is_given_up(
    make_mosquitto: MakeMosquitto,
) -> None:
    closed = make_mosquitto(users={"ann": "secret"})
    absent = nowhere()
    with pytest.raises(BrokerUnreachable) as caught:
        async with several(absent, f"mqtt://ann:wrong@127.0.0.1:{closed.port}"):
            pass
    assert str(caught.value).startswith("None of 2 brokers accepts us:\n")
    assert f"No broker answers at {absent}" in str(caught.value)
    assert 'does not let in the user "ann"' in str(caught.value)
    assert "wrong@" not in str(caught.value)
    assert caught.value.exit_code is ExitCode.NO_BROKER
    with pytest.raises(BrokerRefused):
        async with several(closed.url, f"mqtt://ann:wrong@localhost:{closed.port}"):
            pass
