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
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from tests.brokers import BrokerProcess, find_program, free_port
from tests.faults import packed
from tests.other_brokers import Nats, RabbitMQ
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


class RabbitMember(RabbitMQ):
    """One of the nodes of a RabbitMQ cluster."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._others: Sequence[RabbitMember] = ()

    def joins(self, members: "Sequence[RabbitMember]") -> None:
        """Be one of these, of which the first runs the port mapper of all."""
        self._others = members
        self._mapper_port = members[0]._mapper_port
        self._runs_mapper = members[0] is self

    def settings(self) -> Sequence[str]:
        """See `RabbitMQ.settings`."""
        return (
            *super().settings(),
            "cluster_formation.peer_discovery_backend = classic_config",
            # Else one that was cut off goes on by itself when it is back, and carries nothing
            # between its clients and those of the others.
            "cluster_partition_handling = pause_minority",
            *(
                f"cluster_formation.classic_config.nodes.{number} = {member._name}"
                for number, member in enumerate(self._others, start=1)
            ),
        )

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        cookie = self.folder / ".erlang.cookie"
        if not cookie.exists():
            cookie.write_text("ATAXXDTESTS")
            cookie.chmod(0o400)
        return super().command()

    def environment(self) -> Mapping[str, str]:
        """See `BrokerProcess.environment`."""
        given = super().environment()
        arguments = "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"
        # Until a member that is cut off counts as lost, the others wait for it: 60 s by itself.
        return {**given, arguments: f"{given[arguments]} -kernel net_ticktime 10"}

    def stop(self) -> None:
        """See `BrokerProcess.stop`."""
        thaw(self)
        super().stop()


class Cluster(ABC):
    """Three members that go on when one is lost.

    Attributes:
        member: what it is made of.
        members: those.
    """

    member: ClassVar[type[BrokerProcess]]
    members: Sequence[BrokerProcess]

    def __init__(self) -> None:
        self._stack = ExitStack()

    @property
    def url(self) -> str:
        """The addresses of all members."""
        return self.from_member(0)

    def from_member(self, number: int) -> str:
        """The same, with another member first."""
        number %= len(self.members)
        urls = [member.url for member in self.members]
        return ",".join([*urls[number:], *urls[:number]])

    @abstractmethod
    def leader(self) -> BrokerProcess:
        """The member whose loss is felt most."""

    def _start_members(self) -> None:
        """Start all, and wait until they accept clients."""
        with ThreadPoolExecutor(len(self.members)) as starting:
            for _ in starting.map(lambda member: member.start(), self.members):
                pass
        for member in self.members:
            until_accepted(member)

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            for member in self.members:
                stack.callback(member.stop)
            self._start_members()
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


class NatsCluster(Cluster):
    """Three NATS servers that replicate everything."""

    member = NatsMember

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._servers = [NatsMember(folder / f"member{number}") for number in range(MEMBERS)]
        for server in self._servers:
            server.routes = [other.route_port for other in self._servers]
        self.members = self._servers

    def leader(self) -> NatsMember:
        """The member that takes in what is published; waits until there is one."""
        deadline = time.monotonic() + DEADLINE
        while True:
            for server in self._servers:
                if server.running and server.leads():
                    return server
            assert time.monotonic() < deadline, "the cluster elects no leader"
            time.sleep(0.05)


class RabbitCluster(Cluster):
    """Three RabbitMQ nodes, which share who listens, but not what is retained."""

    member = RabbitMember

    def __init__(self, folder: Path) -> None:
        super().__init__()
        members = [RabbitMember(folder / f"member{number}") for number in range(MEMBERS)]
        for member in members:
            member.joins(members)
        self.members = members

    def _start_members(self) -> None:
        # Members that start at once may each count on another to lead those who share the ids of
        # clients, and then accept nobody for good.
        for member in self.members:
            member.start()
            until_accepted(member)

    def leader(self) -> BrokerProcess:
        """Any: there is no leader of all; the first has most of the connections."""
        return self.members[0]


CLUSTERS: Mapping[str, type[NatsCluster] | type[RabbitCluster]] = {
    "nats": NatsCluster,
    "rabbitmq": RabbitCluster,
}


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
