"""Brokers of several members, of which one can be killed or stopped in its tracks.

A member is a process of its own on 127.0.0.1. What the brokers keep is replicated three times, so
a cluster of three goes on without one of them.
"""

import json
import os
import signal
import socket
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.brokers import BrokerProcess, find_program, free_port
from tests.faults import packed
from tests.other_brokers import Nats
from tests.time_limits import DEADLINE

MEMBERS = 3
_CONNECT = packed(1, 0, b"\x00\x04MQTT\x04\x02\x00\x3c\x00\x05ready")
_ACCEPTED = packed(2, 0, b"\x00\x00")
_STREAM = "$MQTT_msgs"


class NatsMember(Nats):
    """One of the servers of a NATS cluster."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.route_port, self._monitor_port = free_port(), free_port()
        self.routes: Sequence[int] = ()

    @property
    def name(self) -> str:
        """What the other members call it."""
        return self.folder.name

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        routes = ", ".join(f'"nats-route://127.0.0.1:{port}"' for port in self.routes)
        configuration = self.folder / "nats.conf"
        configuration.write_text(
            f"""
            server_name: "{self.name}"
            listen: "127.0.0.1:{self._nats_port}"
            http: "127.0.0.1:{self._monitor_port}"
            cluster {{
              name: "ataxxd-tests"
              listen: "127.0.0.1:{self.route_port}"
              routes: [{routes}]
            }}
            mqtt {{ listen: "127.0.0.1:{self.port}", stream_replicas: {MEMBERS} }}
            jetstream {{
              store_dir: "{self.folder / "jetstream"}"
              max_memory_store: 64MB
              max_file_store: 256MB
            }}
            """
        )
        return [program, "--config", configuration]

    def ports(self) -> Iterator[int]:
        """See `BrokerProcess.ports`."""
        yield from (self.port, self._monitor_port)

    def leads(self) -> bool:
        """Whether it is the one that takes in what is published with QoS 1."""
        url = f"http://127.0.0.1:{self._monitor_port}/jsz?accounts=true&streams=true"
        with urllib.request.urlopen(url, timeout=DEADLINE) as answer:
            told = json.load(answer)
        return any(
            stream["name"] == _STREAM and stream["cluster"].get("leader") == self.name
            for account in told.get("account_details", ())
            for stream in account.get("stream_detail", ())
        )


class NatsCluster:
    """Three NATS servers that replicate everything.

    Attributes:
        members: its servers.
    """

    def __init__(self, folder: Path) -> None:
        self.members = [NatsMember(folder / f"member{number}") for number in range(MEMBERS)]
        for member in self.members:
            member.routes = [other.route_port for other in self.members]
        self._stack = ExitStack()

    @classmethod
    def missing(cls) -> str | None:
        """See `BrokerProcess.missing`."""
        return NatsMember.missing()

    @property
    def url(self) -> str:
        """The addresses of all members."""
        return ",".join(member.url for member in self.members)

    def from_member(self, number: int) -> str:
        """The same, with another member first."""
        urls = [member.url for member in self.members]
        return ",".join([*urls[number:], *urls[:number]])

    def leader(self) -> NatsMember:
        """The member that takes in what is published; waits until there is one."""
        deadline = time.monotonic() + DEADLINE
        while True:
            for member in self.members:
                if member.running and member.leads():
                    return member
            assert time.monotonic() < deadline, "the cluster elects no leader"
            time.sleep(0.05)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for member in self.members:
                stack.enter_context(member)
            for member in self.members:
                until_accepted(member)
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        for member in self.members:
            thaw(member)
        self._stack.close()


def until_accepted(member: BrokerProcess) -> None:
    """Wait until a member accepts clients: it listens before the cluster has come together."""
    deadline = time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        with (
            suppress(OSError),
            socket.create_connection(("127.0.0.1", member.port), timeout=10) as connection,
        ):
            connection.sendall(_CONNECT)
            if connection.recv(4) == _ACCEPTED:
                connection.sendall(packed(14, 0, b""))
                return
        time.sleep(0.05)
    raise AssertionError(f"{member.folder.name} accepts nobody:\n{member.log}")


def freeze(member: BrokerProcess) -> None:
    """Stop a member in its tracks: its connections stay, and nothing passes."""
    os.killpg(member.pid, signal.SIGSTOP)


def thaw(member: BrokerProcess) -> None:
    """Let a frozen member go on."""
    if member.running:
        os.killpg(member.pid, signal.SIGCONT)
