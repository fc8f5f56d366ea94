"""Announcing a broker on the local network and finding those of others, by mDNS.

Service type ``_ataxxd._tcp.local.`` (RFC 6762, RFC 6763); the TXT record says
``version=`` of the program. What is found is a hint and no more: the protocol
proves who hosts a game. Knows nothing of games.
"""

import asyncio
import contextlib
import ipaddress
import logging
import socket
from collections.abc import Sequence
from typing import Self

import ifaddr
from zeroconf import (
    Error,
    InterfaceChoice,
    IPVersion,
    NonUniqueNameException,
    ServiceStateChange,
)
from zeroconf.asyncio import AsyncServiceBrowser, AsyncServiceInfo, AsyncZeroconf

from ataxxd import __version__
from ataxxd.connection_errors import explain_connection_error
from ataxxd.errors import TransportError

SERVICE_TYPE = "_ataxxd._tcp.local."
_ASKING_MS = 2000
_log = logging.getLogger(__name__)


class Announcement:
    """Announces a broker on the local network while it is entered.

    Args:
        port: the broker's port.
        interfaces: our IPv4 addresses to announce, each on its network; by default all but
            loopback.

    Raises:
        TransportError: on entering, if the network does not allow it.
    """

    def __init__(self, port: int, *, interfaces: Sequence[str] | None = None) -> None:
        self._port = port
        self._interfaces = interfaces
        self._zeroconf: AsyncZeroconf | None = None
        self._info: AsyncServiceInfo | None = None

    async def __aenter__(self) -> Self:
        """Claims a name and announces it; takes about a second, as RFC 6762 requires."""
        addresses = self._interfaces if self._interfaces is not None else own_addresses()
        if not addresses:
            raise TransportError(
                "This machine is on no IPv4 network, so nobody else could reach its broker."
                " Connect it to a network, or leave out --lan."
            )
        machine = socket.gethostname().split(".")[0] or "ataxxd"
        # 63 bytes at most for a label; the port tells several nodes of a machine apart.
        name = f"ataxxd {machine[:40]} {self._port}"
        info = AsyncServiceInfo(
            SERVICE_TYPE,
            f"{name}.{SERVICE_TYPE}",
            port=self._port,
            properties={"version": __version__},
            server=f"{machine}-{self._port}-ataxxd.local.",
            addresses=[ipaddress.ip_address(address).packed for address in addresses],
        )
        zeroconf = _open(self._interfaces)
        try:
            announcing = await zeroconf.async_register_service(info, allow_name_change=True)
            await announcing
        except (Error, OSError) as error:
            await zeroconf.async_close()
            raise _unavailable(error) from error
        except BaseException:
            await zeroconf.async_close()
            raise
        self._zeroconf, self._info = zeroconf, info
        _log.info("announced %r on %s", info.name, ", ".join(addresses))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Takes the announcement back, so that nobody finds a broker that is gone."""
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is None or self._info is None:
            return
        try:
            with contextlib.suppress(Error, OSError):
                await (await zeroconf.async_unregister_service(self._info))
        finally:
            await zeroconf.async_close()


async def discover(
    timeout: float,  # noqa: ASYNC109 - how long to listen is the point, not a limit on work
    *,
    first: bool = False,
    interfaces: Sequence[str] | None = None,
) -> list[str]:
    """Find the brokers announced on the local network: one address for each, sorted.

    Args:
        timeout: seconds to listen.
        first: return as soon as one broker is known.
        interfaces: our IPv4 addresses to listen on; all by default.

    Raises:
        TransportError: the network does not allow it.
    """
    zeroconf = _open(interfaces)
    found: dict[str, str] = {}
    known = asyncio.Event()
    asking: set[asyncio.Task[None]] = set()

    async def query(name: str) -> None:
        info = AsyncServiceInfo(SERVICE_TYPE, name)
        if await info.async_request(zeroconf.zeroconf, _ASKING_MS):
            url = _url(info)
            if url is not None:
                found[name] = url
                known.set()

    # zeroconf passes these by name.
    def on_changed(name: str, state_change: ServiceStateChange, **_unused: object) -> None:
        if state_change is ServiceStateChange.Removed:
            found.pop(name, None)
        elif name not in found:
            task = asyncio.create_task(query(name), name=f"mdns: ask for {name}")
            asking.add(task)
            task.add_done_callback(asking.discard)

    try:
        browser = AsyncServiceBrowser(zeroconf.zeroconf, SERVICE_TYPE, handlers=[on_changed])
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout):
                await (known.wait() if first else asyncio.Event().wait())
        await browser.async_cancel()
    except (Error, OSError) as error:
        raise _unavailable(error) from error
    finally:
        for task in [*asking]:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)
        await zeroconf.async_close()
    return sorted(set(found.values()))


def _open(interfaces: Sequence[str] | None) -> AsyncZeroconf:
    choice = list(interfaces) if interfaces is not None else InterfaceChoice.All
    try:
        for address in interfaces or ():
            # zeroconf would leave a socket open when an address is not ours.
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
                probe.bind((address, 0))
        return AsyncZeroconf(interfaces=choice, ip_version=IPVersion.V4Only)
    except OSError as error:
        raise _unavailable(error) from error


def own_addresses() -> list[str]:
    """This machine's IPv4 addresses, except for loopback; the usual one first."""
    addresses = [
        ip.ip for adapter in ifaddr.get_adapters() for ip in adapter.ips if isinstance(ip.ip, str)
    ]
    usual = _default_address()
    return sorted(
        (address for address in addresses if not ipaddress.ip_address(address).is_loopback),
        key=lambda address: address != usual,
    )


def _default_address() -> str | None:
    """The address on the default route, and not one of a bridge for virtual machines."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, contextlib.suppress(OSError):
        # Nothing is sent: this only looks up the route to an address outside (RFC 5737).
        probe.connect(("192.0.2.1", 9))
        address = probe.getsockname()[0]
        assert isinstance(address, str)
        return address
    return None


def _url(info: AsyncServiceInfo) -> str | None:
    addresses = info.parsed_addresses(IPVersion.V4Only)
    if not addresses or not info.port:
        return None
    # A machine on several networks announces several addresses; prefer one on a network of ours.
    nets = [
        ipaddress.ip_network(f"{ip.ip}/{ip.network_prefix}", strict=False)
        for adapter in ifaddr.get_adapters()
        for ip in adapter.ips
        if isinstance(ip.ip, str)
    ]
    near = [a for a in addresses if any(ipaddress.ip_address(a) in net for net in nets)]
    return f"mqtt://{(near or addresses)[0]}:{info.port}"


def _unavailable(error: Exception) -> TransportError:
    if isinstance(error, NonUniqueNameException):
        why = "another machine insists on the same name"
    else:
        why = explain_connection_error(error)
    return TransportError(
        f"The local network cannot be asked by mDNS: {why}. Check that multicast (UDP port 5353)"
        " is allowed, or use the broker's address: --broker mqtt://HOST."
    )
