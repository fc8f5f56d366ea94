"""Brokers that are not Mosquitto: NATS and RabbitMQ with MQTT gateways, and our embedded one.

What they do not do as MQTT 3.1.1 wants is in `GAPS`; a test that needs it is skipped by that
name.
"""

import os
import re
import secrets
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.brokers import BrokerProcess, Guard, Mosquitto, find_program, free_port, until_listening


class Nats(BrokerProcess):
    """A NATS server with its MQTT gateway, which keeps its things in JetStream."""

    program = package = "nats-server"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._nats_port = free_port()

    def version(self) -> tuple[int, ...]:
        """Which NATS it is."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        return _numbers(subprocess.check_output([program, "--version"], text=True))

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        configuration = self.folder / "nats.conf"
        configuration.write_text(
            f"""
            server_name: "ataxxd-tests"
            listen: "127.0.0.1:{self._nats_port}"
            mqtt {{ listen: "127.0.0.1:{self.port}" }}
            jetstream {{
              store_dir: "{self.folder / "jetstream"}"
              max_memory_store: 64MB
              max_file_store: 256MB
            }}
            """
        )
        return [program, "--config", configuration]


class RabbitMQ(BrokerProcess):
    """A RabbitMQ node of our own, with an Erlang port mapper of its own on loopback."""

    # Not the script in PATH, which is for the system's own node.
    program = "/usr/lib/rabbitmq/bin/rabbitmq-server"
    package = "rabbitmq-server"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._mapper_port, self._distribution_port = free_port(), free_port()
        self._mapper: subprocess.Popen[bytes] | None = None
        self._mapper_guard: Guard | None = None
        self._runs_mapper = True
        self._name = f"ataxxd-{secrets.token_hex(4)}@localhost"

    def version(self) -> tuple[int, ...]:
        """Which RabbitMQ it is, by the folder that its script starts."""
        (folder,) = Path(self.program).parents[1].glob("lib/rabbitmq_server-*")
        return _numbers(folder.name)

    def settings(self) -> Sequence[str]:
        """Lines of the configuration."""
        return (
            "listeners.tcp = none",
            f"mqtt.listeners.tcp.1 = 127.0.0.1:{self.port}",
            "mqtt.tcp_listen_options.nodelay = true",
        )

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`; starts the port mapper."""
        if self._runs_mapper:
            self.start_mapper()
        (self.folder / "enabled_plugins").write_text("[rabbitmq_mqtt].\n")
        lines = "".join(f"{line}\n" for line in self.settings())
        (self.folder / "rabbitmq.conf").write_text(lines)
        return [self.program, "-noinput"]

    def start_mapper(self) -> None:
        """Start the port mapper, if it does not run: else Erlang starts one, and leaves it."""
        if self._mapper is not None:
            return
        mapper = find_program("epmd")
        assert mapper is not None, self.missing()
        self._mapper = subprocess.Popen(
            [mapper, "-address", "127.0.0.1", "-port", str(self._mapper_port)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._mapper_guard = Guard(self._mapper.pid)
        until_listening(self._mapper_port)

    def environment(self) -> Mapping[str, str]:
        """See `BrokerProcess.environment`."""
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.folder),  # for the cookie
            "LANG": "C.UTF-8",
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "ERL_EPMD_PORT": str(self._mapper_port),
            "RABBITMQ_NODENAME": self._name,
            "RABBITMQ_DIST_PORT": str(self._distribution_port),
            "RABBITMQ_CONF_ENV_FILE": os.devnull,
            "RABBITMQ_CONFIG_FILE": str(self.folder / "rabbitmq.conf"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(self.folder / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(self.folder / "mnesia"),
            "RABBITMQ_LOG_BASE": str(self.folder),
            "RABBITMQ_LOGS": "-",
            # Two schedulers that sleep when idle: the tests' processes want the cores too.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": (
                "-kernel inet_dist_use_interface {127,0,0,1} +S 2:2 +sbwt none"
            ),
            # Makes the script become Erlang instead of its parent.
            "RABBITMQ_ALLOW_INPUT": "1",
        }

    def stop(self) -> None:
        """See `BrokerProcess.stop`; ends the port mapper too."""
        try:
            # Killed, because there is nothing of a test's that has to reach the disk.
            self.kill()
        finally:
            mapper, self._mapper = self._mapper, None
            guard, self._mapper_guard = self._mapper_guard, None
            if mapper is not None:
                mapper.kill()
                if guard is not None:
                    guard.dismiss()
                mapper.wait()


class Embedded(BrokerProcess):
    """The broker that ataxxd brings along, in a process of its own."""

    program = sys.executable

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        return [self.program, "-m", "ataxxd", "broker", "--port", str(self.port)]


def _numbers(text: str) -> tuple[int, ...]:
    found = re.search(r"\d+(?:\.\d+)+", text)
    assert found is not None, text
    return tuple(map(int, found[0].split(".")))


KINDS: Mapping[str, type[BrokerProcess]] = {
    "mosquitto": Mosquitto,
    "nats": Nats,
    "rabbitmq": RabbitMQ,
    "embedded": Embedded,
}

RETAINED_BY_WILDCARD = "retained messages for subscriptions with wildcards"
FULL_STOPS = "topics with full stops"
TAKEOVER = "goodbye to a connection whose client id is taken over"
SHARED = "shared subscriptions"
WILL_AT_TAKEOVER = "will for a connection whose client id is taken over"

GAPS: Mapping[type[BrokerProcess], Mapping[str, str]] = {
    Nats: {
        SHARED: "its gateway takes $share for a topic like any other",
        FULL_STOPS: "its gateway maps / to the full stops of NATS subjects, and refuses others",
        WILL_AT_TAKEOVER: "it drops the will with the connection",
    },
    RabbitMQ: {
        SHARED: "its plug-in takes $share for a topic like any other",
        FULL_STOPS: "its plug-in maps / to full stops, and every full stop back to /",
        RETAINED_BY_WILDCARD: "its plug-in looks for them by the exact topic only",
        WILL_AT_TAKEOVER: "it drops the will with the connection",
    },
    Embedded: {
        SHARED: "amqtt takes $share for a topic like any other",
        TAKEOVER: "amqtt leaves the old connection open",
    },
}
"""What a broker cannot do of MQTT 3.1.1, and why, as `tests/interop/test_every_broker.py` shows."""

# From these versions on the gap is closed. NATS has escaped full stops since 2.10; of RabbitMQ,
# 3.10 and 4.3 were tried.
CLOSED: Mapping[tuple[type[BrokerProcess], str], tuple[int, ...]] = {
    (Nats, FULL_STOPS): (2, 10),
    (RabbitMQ, WILL_AT_TAKEOVER): (4,),
}


def gap(broker: BrokerProcess, what: str) -> str | None:
    """Why the broker cannot do `what`, one of the names above; None when it can."""
    why = GAPS.get(type(broker), {}).get(what)
    since = CLOSED.get((type(broker), what))
    if since is not None and isinstance(broker, Nats | RabbitMQ) and broker.version() >= since:
        return None
    return None if why is None else f"{type(broker).__name__} has no {what}: {why}"
