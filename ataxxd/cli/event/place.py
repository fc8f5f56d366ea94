"""Events by name: how commands find them, and the connection that they use."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from ataxxd.cli.connect import chosen_broker
from ataxxd.cli.say import say
from ataxxd.node.lobby import GameName
from ataxxd.node.profile import TOPICS
from ataxxd.node.seats import split_place
from ataxxd.node.timeouts import LAST_WORD_GRACE
from ataxxd.tournament.feed import Feed, find_plan, read_event
from ataxxd.transport.base import Transport
from ataxxd.transport.mqtt import MqttTransport
from ataxxd.transport.shared import SharedConnection


def split_event(text: str, broker: str | None) -> tuple[GameName, str | None]:
    """``NAME[#ID][@BROKER]`` as the event and its broker.

    Raises:
        UsageError: it is not of this form.
    """
    wanted, named = split_place(text)
    return wanted, named or broker


@asynccontextmanager
async def connected(
    broker_url: str | None, home: Path | None, *, may_start: bool = False
) -> AsyncIterator[Callable[[], Transport]]:
    """One connection to a broker; gives what makes lines on it.

    Raises:
        TransportError: the broker cannot be reached, or refuses us.
    """
    async with chosen_broker(broker_url, home=home, may_start=may_start) as broker:
        async with SharedConnection(MqttTransport(broker.url)) as shared:
            yield shared.line
        # Players still tell each other how the last games ended.
        if not await broker.linger():
            say("The broker stays up until the players have gone; Ctrl-C stops it.")
            await broker.linger(LAST_WORD_GRACE)


async def read(wanted: GameName, line: Callable[[], Transport], seconds: float) -> Feed:
    """The event that a name means, as the broker has it.

    Raises:
        GameError: there is none, or more than one.
    """
    async with line() as transport:
        plan = await find_plan(transport, TOPICS, wanted, seconds=seconds)
    async with line() as transport:
        return await read_event(transport, TOPICS, plan, seconds=seconds)
