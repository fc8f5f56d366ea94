"""Waiting for what a transport reports."""

from typing import TypeVar

from ataxxd.transport.base import Connected, Disconnected, Received, Transport, TransportEvent

E = TypeVar("E", Received, Connected, Disconnected)


async def next_of(transport: Transport, kind: type[E]) -> E:
    """The next event of the kind; earlier ones of other kinds are passed over."""
    async for event in transport:
        if isinstance(event, kind):
            return event
    raise AssertionError(f"the transport was closed without a {kind.__name__}")


async def messages(transport: Transport, count: int) -> list[Received]:
    """The next `count` messages."""
    return [await next_of(transport, Received) for _ in range(count)]


async def all_until_closed(transport: Transport) -> list[TransportEvent]:
    """Everything a closed transport still has."""
    return [event async for event in transport]
