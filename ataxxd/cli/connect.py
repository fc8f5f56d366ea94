"""Which broker a command talks to, and the embedded one when there is none."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from ataxxd.cli.say import say
from ataxxd.errors import TransportError, UsageError
from ataxxd.node.home import Home
from ataxxd.node.identity import load_identity
from ataxxd.node.lobby import GameName
from ataxxd.transport.broker import EmbeddedBroker
from ataxxd.transport.lan import Announcement, discover
from ataxxd_protocol.fields import NAME_PATTERN

DEFAULT_PORT = 1883
DEFAULT_URL = f"mqtt://127.0.0.1:{DEFAULT_PORT}"
# Seconds to look for a broker on the local network, and to let guests take the last words.
_LAN_S, _LINGER_S, _LINGER_STEP_S = 2.0, 5.0, 0.05


@dataclass(frozen=True, slots=True)
class ChosenBroker:
    """The broker a command uses.

    Attributes:
        url: its address, possibly with secrets; never print it.
        embedded: the broker, when this process runs it.
        explicit: the user named it.
    """

    url: str = field(repr=False)
    embedded: EmbeddedBroker | None = None
    explicit: bool = False

    async def linger(self) -> None:
        """Keep an embedded broker up until the others have gone, for a few seconds at most."""
        if self.embedded is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_LINGER_S):
                    while self.embedded.client_count:  # noqa: ASYNC110 - amqtt tells nobody
                        await asyncio.sleep(_LINGER_STEP_S)


def broker_url(text: str) -> str:
    """A broker as people write it, with ``mqtt://`` in front when no scheme is given."""
    return text if "://" in text else f"mqtt://{text}"


def with_own_name(url: str, home: Path | None = None) -> str:
    """The address with this node's id as the user, where it has a password and no user.

    Brokers that let each node write only its own topics know the nodes by their ids.
    """
    scheme, colon, rest = url.partition("://:")
    if not colon:
        return url
    return f"{scheme}://{load_identity(Home(home).identity).node}:{rest}"


@asynccontextmanager
async def chosen_broker(
    url: str | None, *, home: Path | None = None, lan: bool = False, may_start: bool = False
) -> AsyncIterator[ChosenBroker]:
    """The broker named, the local one, an embedded one, or one on the local network.

    Args:
        url: what the user named.
        home: of the node, for an address with a password only.
        lan: start an embedded broker that the local network can reach, and announce it.
        may_start: start an embedded broker when nothing listens at the default address.

    Raises:
        UsageError: contradictory options.
        StorageError: the node's id is wanted, and its key cannot be used.
        PortInUse: the embedded broker cannot listen.
    """
    if url is not None:
        yield ChosenBroker(with_own_name(broker_url(url), home), explicit=True)
        return
    async with AsyncExitStack() as stack:
        if lan:
            broker = await stack.enter_async_context(EmbeddedBroker(port=DEFAULT_PORT, lan=True))
            await stack.enter_async_context(Announcement(DEFAULT_PORT))
            say(f"The embedded broker serves the local network on port {DEFAULT_PORT}.")
            yield ChosenBroker(broker.url, broker)
        elif await _listens("127.0.0.1", DEFAULT_PORT):
            yield ChosenBroker(DEFAULT_URL)
        elif may_start:
            broker = await stack.enter_async_context(EmbeddedBroker(port=DEFAULT_PORT))
            say(f"No broker listens at {DEFAULT_URL}; the embedded one is started there.")
            yield ChosenBroker(broker.url, broker)
        else:
            found: list[str] = []
            # Where the network forbids looking, the default address gives the clearer error.
            with suppress(TransportError):
                found = await discover(_LAN_S, first=True)
            if found:
                say(f"Using the broker {found[0]} found on the local network.")
            yield ChosenBroker(found[0] if found else DEFAULT_URL)


async def _listens(host: str, port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


def split_place(text: str) -> tuple[GameName, str | None]:
    """``NAME[#ID][@BROKER]`` as the name and the broker.

    Raises:
        UsageError: it is not of this form.
    """
    name, at, broker = text.partition("@")
    wanted = GameName.parse(name)
    if not re.fullmatch(NAME_PATTERN, wanted.name) or (at and not broker):
        raise UsageError(
            # Not what comes after it: a secret, or a broker's password.
            f"{name.partition('#')[0]!r} names no game: write NAME, NAME#ID or NAME@BROKER, such "
            "as ourgame, ourgame#k7fq-3xa2 or ourgame@mqtt://192.168.1.5. "
            "Names have up to 32 lower-case letters, digits and dashes."
        )
    if not re.fullmatch("[a-z2-7]{0,20}", wanted.host_prefix):
        raise UsageError(
            f"{wanted.host_prefix!r} is not the beginning of a host's id, which has letters and "
            "the digits 2 to 7. Copy it from the invitation, or see: ataxxd games"
        )
    return wanted, broker if at else None
