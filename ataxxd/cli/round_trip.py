"""Whether a broker does what a game needs: passes messages on, and keeps the retained ones."""

import asyncio
import secrets
import time
from contextlib import suppress

from ataxxd.errors import AtaxxdError
from ataxxd.transport.address import BrokerAddress
from ataxxd.transport.base import Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_protocol import Topics
from ataxxd_protocol.topics import ANY_NAME

_PATIENCE_S = 5


def _topic(node: str) -> str:
    # Where access rules give each node its own topics, this is one of ours.
    return f"{Topics().base}/{ANY_NAME}/{node}/doctor"


async def round_trip(transport: MqttTransport, node: str) -> float:
    """Send a message to ourselves.

    Args:
        transport: a connection to the broker.
        node: our id.

    Returns:
        The seconds it took.

    Raises:
        AtaxxdError: it did not come.
    """
    topic, words = _topic(node), secrets.token_bytes(8)
    await transport.subscribe(topic)
    began = time.perf_counter()
    await transport.publish(topic, words)
    if not await _comes(transport, words):
        raise AtaxxdError(
            f"{transport.url} takes messages and does not deliver them: its access rules may "
            f"forbid it. They may want the user name {node} (mqtt://:PASSWORD@HOST gives it)."
        )
    return time.perf_counter() - began


async def check_broker(address: BrokerAddress, node: str) -> None:
    """Check that a broker passes messages on, and keeps retained ones for who comes later.

    Raises:
        AtaxxdError: it does not, or cannot be reached.
    """
    topic, words = _topic(node), secrets.token_bytes(8)
    async with MqttTransport(address, timeout=_PATIENCE_S) as transport:
        await round_trip(transport, node)
        kept = False
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await transport.publish(topic, words, retain=True)
                await transport.drain()
            async with MqttTransport(address, timeout=_PATIENCE_S) as later:
                await later.subscribe(topic)
                kept = await _comes(later, words, retained=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await transport.publish(topic, b"", retain=True)
                await transport.drain()
    if not kept:
        raise AtaxxdError(f"{address} keeps no messages for those who come later.")


async def _comes(transport: MqttTransport, words: bytes, *, retained: bool = False) -> bool:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async for event in transport:
                if not isinstance(event, Received) or event.payload != words:
                    continue
                if event.retained or not retained:
                    return True
    except TimeoutError:
        pass
    return False
