"""mDNS on the loopback interface: announced is found, taken back is not."""

import asyncio
import ipaddress
import socket
import struct

import pytest

from ataxxd.errors import TransportError
from ataxxd.transport import lan
from ataxxd.transport.lan import Announcement, discover
from tests.brokers import free_port
from tests.time_limits import DEADLINE

LOOPBACK = ["127.0.0.1"]


def multicast_on_loopback() -> bool:
    """Whether this machine carries multicast on its loopback interface; many containers do not."""
    group, local = socket.inet_aton("224.0.0.251"), socket.inet_aton("127.0.0.1")
    try:
        with (
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
            socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
        ):
            receiver.bind(("", 0))
            receiver.setsockopt(
                socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, struct.pack("=4s4s", group, local)
            )
            receiver.settimeout(1)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, local)
            sender.sendto(b"?", ("224.0.0.251", receiver.getsockname()[1]))
            return receiver.recv(16) == b"?"
    except OSError:
        return False


needs_multicast = pytest.mark.skipif(
    not multicast_on_loopback(), reason="no multicast on the loopback interface here"
)


async def discover_all(*ours: str) -> list[str]:
    """Listens until all of ours are found; other nodes of this machine may be found too."""
    found: list[str] = []
    async with asyncio.timeout(DEADLINE):
        while not set(ours) <= set(found):
            found = await discover(1.2, interfaces=LOOPBACK)
    return found


@needs_multicast
async def test_an_announced_broker_is_found_until_it_is_taken_back() -> None:
    before = asyncio.all_tasks()
    port = free_port()
    async with Announcement(port, interfaces=LOOPBACK):
        found = await discover_all(f"mqtt://127.0.0.1:{port}")
        assert found == sorted(set(found))
    assert f"mqtt://127.0.0.1:{port}" not in await discover(0.3, interfaces=LOOPBACK)
    assert asyncio.all_tasks() == before


@needs_multicast
async def test_looking_for_the_first_broker_does_not_wait_for_others() -> None:
    async with Announcement(free_port(), interfaces=LOOPBACK):
        assert len(await discover(3600, first=True, interfaces=LOOPBACK)) >= 1


@needs_multicast
async def test_two_brokers_of_one_machine_are_both_found() -> None:
    one, other = free_port(), free_port()
    async with (
        Announcement(one, interfaces=LOOPBACK),
        Announcement(other, interfaces=LOOPBACK),
    ):
        await discover_all(f"mqtt://127.0.0.1:{one}", f"mqtt://127.0.0.1:{other}")


async def test_a_machine_without_a_network_is_told_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lan, "own_addresses", list)
    with pytest.raises(TransportError, match="no IPv4 network"):
        async with Announcement(1883):
            pass


async def test_an_interface_that_is_not_ours_is_refused_with_words() -> None:
    # 203.0.113.0/24 is reserved for documentation: nobody has an address there.
    with pytest.raises(TransportError, match="--broker mqtt://HOST"):
        async with Announcement(1883, interfaces=["203.0.113.7"]):
            pass


def test_loopback_is_never_announced() -> None:
    assert not any(ipaddress.ip_address(a).is_loopback for a in lan.own_addresses())
