"""Which broker a command uses (named, public or embedded), and invitations to games there."""

import asyncio
import secrets
import socket
import time
import tomllib
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ataxxd.cli.output import print_message
from ataxxd.errors import AtaxxdError, ExitCode, TransportError, UsageError
from ataxxd.node.command_lines import naming
from ataxxd.node.home import Home, load_identity
from ataxxd.node.offers import describe_terms
from ataxxd.toml_lines import explain_toml_error
from ataxxd.transport.address import (
    DEFAULT_PORT,
    DEFAULT_PORTS,
    DEFAULT_URL,
    DEFAULT_WEBSOCKET_PATH,
    BrokerAddress,
    add_user,
    broker_url,
    format_public,
    parse_address,
    parse_addresses,
)
from ataxxd.transport.base import BrokerUnreachable, Received
from ataxxd.transport.mqtt import MqttTransport
from ataxxd_clients.invitation import Invitation, page_files, page_folder
from ataxxd_protocol import Topics, grouped
from ataxxd_protocol.faults import first_fault
from ataxxd_protocol.links import Link
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.topics import ANY_NAME

if TYPE_CHECKING:
    from ataxxd.cli.commands.operate import BrokerOptions
    from ataxxd.transport.broker import EmbeddedBroker

# Seconds to look for a broker on the local network, and to let guests receive the last messages.
_LAN_S, _LINGER_S, _LINGER_STEP_S = 2.0, 5.0, 0.05
# The port of an embedded broker's page and websocket; if it is taken, any free one is used.
PAGE_PORT = 8083


@dataclass(frozen=True, slots=True)
class ChosenBroker:
    """The broker a command uses.

    Attributes:
        url: its address, possibly with secrets; never print it.
        embedded: the broker itself, if this process runs it.
        explicit: whether the user named it.
        websocket: its address for browsers, if known.
        page: the address of the page that links open; None if no links are wanted.
        lan: whether other machines on the local network can reach it, as far as is known.
    """

    url: str = field(repr=False)
    embedded: "EmbeddedBroker | None" = None
    explicit: bool = False
    websocket: str | None = None
    page: str | None = None
    lan: bool = False

    async def linger(self, seconds: float = _LINGER_S) -> bool:
        """Keep an embedded broker running until the others have left, for at most `seconds`.

        Returns:
            Whether all have left, or the broker is not ours.
        """
        if self.embedded is not None:
            try:
                async with asyncio.timeout(seconds):
                    while self.embedded.client_count:  # noqa: ASYNC110 - amqtt tells nobody
                        await asyncio.sleep(_LINGER_STEP_S)
            except TimeoutError:
                return False
        return True


def add_node_id(url: str, home: Path | None) -> str:
    """The address with this node's id as its user name, if it has a password but no user."""
    # The key is read only if it is needed.
    return add_user(url, load_identity(Home(home).identity).node) if "://:" in url else url


def check_lan(url: str | None, *, lan: bool) -> None:
    """Refuse ``--lan`` together with a named broker.

    Raises:
        UsageError: both are given.
    """
    if lan and url:
        raise UsageError(
            "--lan starts a broker of its own, and --broker or ATAXXD_BROKER names another: choose "
            "one."
        )


@asynccontextmanager
async def choose_broker(
    url: str | None, *, home: Path | None = None, lan: bool = False, may_start: bool = False
) -> AsyncIterator[ChosenBroker]:
    """Choose a broker: the named one, the local one, an embedded one, or one on the local network.

    Args:
        url: the address that the user named.
        home: the node's home, for an address that has only a password.
        lan: start an embedded broker that the local network can reach, and announce it.
        may_start: start an embedded broker if nothing listens at the default address.

    Raises:
        UsageError: the options contradict each other.
        StorageError: the node's id is needed, and its key cannot be used.
        PortInUse: the embedded broker cannot listen.
    """
    if url is not None:
        with naming(broker=url):
            yield ChosenBroker(add_node_id(broker_url(url), home), explicit=True)
        return
    # amqtt and zeroconf take a tenth of a second to load, and are not needed if a broker is named.
    from ataxxd.transport.broker import EmbeddedBroker, Page
    from ataxxd.transport.lan import Announcement, discover, own_addresses

    async with AsyncExitStack() as stack:
        if lan:
            page = Page(page_files() or {}, PAGE_PORT)
            broker = await stack.enter_async_context(
                EmbeddedBroker(port=DEFAULT_PORT, lan=True, page=page)
            )
            await stack.enter_async_context(Announcement(DEFAULT_PORT))
            here = own_addresses()
            # If the network does not allow the broker to be found, a friend can type the address.
            at = " and ".join(f"@mqtt://{address}" for address in here)
            print_message(
                f"The embedded broker serves the local network on port {DEFAULT_PORT}: {at}."
            )
            websocket = f"ws://{here[0]}:{broker.web_port}{DEFAULT_WEBSOCKET_PATH}"
            yield ChosenBroker(broker.url, broker, websocket=websocket, lan=True)
        elif await _is_listening("127.0.0.1"):
            yield ChosenBroker(DEFAULT_URL, lan=await _serves_network(own_addresses()))
        elif may_start:
            broker = await stack.enter_async_context(EmbeddedBroker(port=DEFAULT_PORT))
            print_message(f"No broker listens at {DEFAULT_URL}; the embedded one is started there.")
            yield ChosenBroker(broker.url, broker)
        else:
            found: list[str] = []
            # If the network forbids the search, the default address gives a clearer error.
            with suppress(TransportError):
                found = await discover(_LAN_S, first=True)
            if found:
                print_message(f"Using the broker {found[0]} found on the local network.")
            yield ChosenBroker(found[0] if found else DEFAULT_URL, lan=bool(found))


async def _serves_network(addresses: Iterable[str]) -> bool:
    """Whether the broker that runs here is open to others, as that of `host --lan` is."""
    for address in addresses:
        if await _is_listening(address):
            return True
    return False


async def _is_listening(address: str) -> bool:
    """Whether a broker listens at the default port of one of this machine's addresses."""
    try:
        _, writer = await asyncio.open_connection(address, DEFAULT_PORT)
    except OSError:
        return False
    writer.close()
    with suppress(OSError):
        await writer.wait_closed()
    return True


_PATIENCE_S = 5


def _topic(node: str) -> str:
    # Where access rules give each node its own topics, this is one of ours.
    return f"{Topics().base}/{ANY_NAME}/{node}/doctor"


async def round_trip(transport: MqttTransport, node: str) -> float:
    """Send a message to ourselves through the broker, and time it.

    Args:
        transport: an open connection to the broker.
        node: our node id.

    Returns:
        The time in seconds.

    Raises:
        AtaxxdError: the message did not arrive.
    """
    topic, words = _topic(node), secrets.token_bytes(8)
    await transport.subscribe(topic)
    began = time.perf_counter()
    await transport.publish(topic, words)
    if not await _is_received(transport, words):
        raise AtaxxdError(
            f"{transport.url} takes messages and does not deliver them: its access rules may "
            f"forbid it. They may want the user name {node} (mqtt://:PASSWORD@HOST gives it)."
        )
    return time.perf_counter() - began


async def check_broker(address: BrokerAddress, node: str) -> None:
    """Check that a broker forwards messages, and keeps retained ones.

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
                kept = await _is_received(later, words, retained=True)
        with suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await transport.publish(topic, b"", retain=True)
                await transport.drain()
    if not kept:
        raise AtaxxdError(f"{address} keeps no messages for those who come later.")


async def _is_received(transport: MqttTransport, words: bytes, *, retained: bool = False) -> bool:
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


WARNING = (
    "The broker is public: strangers can read the game and what you say in it, and can stop it by "
    "flooding or wiping the broker; they cannot move for you, or change what you have signed."
)


class _Broker(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    url: str


class _List(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    brokers: list[_Broker] = Field(min_length=1, max_length=32)


def public_brokers(path: Path | None) -> list[str]:
    """The addresses of public brokers in a file; the program's own list if `path` is None.

    Raises:
        UsageError: the file cannot be read, or is not such a list.
    """
    source = files("ataxxd.cli") / "public_brokers.toml" if path is None else path
    named = f"--public-list {path}"
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{named} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"{named} is not UTF-8 text. Save the file as UTF-8.") from None
    try:
        found = _List.model_validate(tomllib.loads(text))
        for each in found.brokers:
            parse_address(each.url)
    except tomllib.TOMLDecodeError as error:
        line, why = explain_toml_error(text, error, 'url = "wss://broker.example"')
        raise UsageError(f"{named}, line {line}: {why}") from None
    except ValidationError as error:
        raise UsageError(
            f"{named} is not a list of brokers ({first_fault(error, _List)}): each is a table "
            "[[brokers]] with a url."
        ) from None
    return [each.url for each in found.brokers]


async def find_working_broker(brokers: list[str], node: str) -> str:
    """The first broker that forwards messages and keeps retained ones.

    Args:
        brokers: the addresses to try.
        node: our node id.

    Raises:
        TransportError: none does; the reasons have been printed.
    """
    unreachable = 0
    for broker in brokers:
        address = parse_address(broker)
        print_message(f"Trying {address} …")
        try:
            await check_broker(address, node)
        except AtaxxdError as error:
            unreachable += isinstance(error, BrokerUnreachable)
            print_message(f"Not that one: {error}")
        else:
            return broker
    if unreachable == len(brokers):
        raise TransportError(
            "No public broker can be reached. Check that this machine is online, or name a broker "
            "of your network: --broker"
        )
    raise TransportError("No public broker can be used now. Try later, or name a broker: --broker")


NO_PAGE = "This installation has no page for browsers. In the source tree `make page` builds it."
_NOBODY = "a" * 20


def check_link(broker: str | None, *, lan: bool, page: str | None) -> None:
    """Check, before a game begins, that there can be a link to it.

    Args:
        broker: the broker as the user named it.
        lan: whether the embedded broker serves the local network.
        page: the address of the page, if not the embedded broker's.

    Raises:
        UsageError: there cannot; the text says why, and what to do.
    """
    if page is not None:
        _check_page(page)
    if lan:
        if page is None and page_folder() is None:
            raise UsageError(
                f"--link: {NO_PAGE} Or name one that is hosted elsewhere, by http: --page URL"
            )
        websocket = "ws://"
    elif broker is None:
        if (here := _network_broker_here()) is not None:
            web = f"{here}:{PAGE_PORT}"
            raise UsageError(
                f"--link: a broker for this network runs here already. Name it, and its page: "
                f"--broker ws://{web}{DEFAULT_WEBSOCKET_PATH} --page http://{web}/ (or the port "
                "that it printed when it began)"
            )
        raise UsageError(
            "--link: the broker of this machine serves nobody else. Start with --lan for a friend "
            "on this network, or name a broker with websockets: --broker wss://HOST/mqtt"
        )
    else:
        websocket = websocket_address(broker)
        if page is None:
            raise UsageError(
                "--link: where is the page? None is hosted for everybody. `make page` builds it "
                "for any web server; then name its address: --page https://HOST/ (or the variable "
                "ATAXXD_PAGE). With --lan this machine hands it out."
            )
    if page is not None and page.startswith("https://") and websocket.startswith("ws://"):
        raise UsageError(
            f"--link: browsers let a page that comes by https use a broker with TLS only. Take a "
            f"broker with wss://, or a page that comes by http, instead of {page}"
        )


def _network_broker_here() -> str | None:
    """An address of this machine at which a broker serves the network; None without one."""
    from ataxxd.transport.lan import own_addresses

    for address in own_addresses():
        with suppress(OSError), socket.create_connection((address, DEFAULT_PORT), timeout=1):
            return address
    return None


def _check_page(page: str) -> None:
    try:
        parts = urlsplit(page)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.fragment
    except ValueError:
        usable = False
    if not usable or not page.isascii() or any(each.isspace() for each in page):
        raise UsageError(
            f"--page {page!r} is not the address of a page: it begins with https:// or http:// and "
            "has no #, such as https://HOST/ataxxd/"
        )


def websocket_address(broker: str) -> str:
    """The address of a broker's websocket, as used in links.

    Raises:
        UsageError: it cannot be used in a link.
    """
    addresses = parse_addresses(add_user(broker_url(broker), "us"))
    found = next((each for each in addresses if each.websocket), None)
    if found is None:
        raise UsageError(
            f"--link: browsers speak to a broker's websocket only, and {addresses[0]} is none. "
            "Name its websocket, such as --broker wss://HOST/mqtt, or start with --lan."
        )
    if found.user is not None:
        raise UsageError(
            f"--link: {found} wants a password, and a link carries none. Choose a broker that is "
            "open, or invite by command: leave --link out."
        )
    text = _short(found)
    try:
        Link(name="a", host=_NOBODY, broker=text)
    except ValidationError:
        raise UsageError(
            f"--link: a link cannot name {text}: hosts have lower-case letters, digits, points "
            "and dashes in it, and paths no other signs but / . _ and -"
        ) from None
    return text


def _short(address: BrokerAddress) -> str:
    host = f"[{address.host}]" if ":" in address.host else address.host
    port = "" if address.port == DEFAULT_PORTS[address.scheme] else f":{address.port}"
    return f"{address.scheme}://{host}{port}{address.path}"


def with_links(broker: ChosenBroker, page: str | None) -> ChosenBroker:
    """The same broker, with links to its games; `check_link` must have allowed them.

    Args:
        broker: the broker.
        page: the address that the links open; the embedded broker's page if None.
    """
    if broker.explicit:
        return replace(broker, websocket=websocket_address(broker.url), page=page)
    own = (broker.websocket or "").removesuffix(DEFAULT_WEBSOCKET_PATH)
    return replace(broker, page=page or f"{own.replace('ws://', 'http://')}/")


def make_link(offer: Offer, broker: ChosenBroker, *, secret: str) -> str | None:
    """The link to a game; None if no links are wanted."""
    if broker.page is None or broker.websocket is None:
        return None
    link = Link(name=offer.name, host=offer.host, secret=secret or None, broker=broker.websocket)
    return link.at(broker.page)


def make_invitation(offer: Offer, broker: ChosenBroker, *, secret: str) -> Invitation:
    """The invitation to a game: the commands and the link with which others join it.

    Args:
        offer: the game.
        broker: its broker.
        secret: the secret of the invitation, if only the invited may join; else empty.
    """
    game = f"{offer.name}#{grouped(offer.host)}"
    place = f"@{address_of(broker)}" if broker.explicit else ""
    return Invitation(
        name=offer.name,
        join=f"ataxxd join {game}" + (f".{secret}" if secret else "") + place,
        watch=f"ataxxd watch {game}{place}",
        terms=describe_terms(offer),
        reaches=broker.explicit or broker.lan,
        link=make_link(offer, broker, secret=secret),
    )


def address_of(broker: ChosenBroker) -> str:
    """The broker's address for people, without secrets."""
    return format_public(broker.url)


async def run_broker(options: "BrokerOptions") -> ExitCode:
    """Run a broker until interrupted."""
    from ataxxd.transport.broker import EmbeddedBroker, Page
    from ataxxd.transport.lan import Announcement, own_addresses

    port, lan = options.port, options.lan
    async with AsyncExitStack() as stack:
        files = page_files()
        page = Page(files or {}, PAGE_PORT) if lan else None
        broker = await stack.enter_async_context(EmbeddedBroker(port=port, lan=lan, page=page))
        if lan:
            await stack.enter_async_context(Announcement(broker.port))
            if files is None:
                print_message(NO_PAGE)
            else:
                page_at = f"http://{own_addresses()[0]}:{broker.web_port}/"
                print_message(f"Browsers on this network play at {page_at}")
        print_message(f"The broker listens at {broker.url}. Stop it with Ctrl-C.")
        await asyncio.Event().wait()
    return ExitCode.OK
