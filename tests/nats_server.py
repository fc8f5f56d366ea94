"""A NATS server by itself, without its MQTT gateway: the queue of a match."""

from collections.abc import Sequence
from pathlib import Path

from tests.brokers import BrokerProcess, find_program


class NatsServer(BrokerProcess):
    """A NATS server.

    Args:
        folder: where its files live.
        keeps: whether it has JetStream.
        login: who is let in, with the password "secret"; everybody when left out.
    """

    program = package = "nats-server"

    def __init__(self, folder: Path, *, keeps: bool = True, login: str = "") -> None:
        super().__init__(folder)
        self._keeps = keeps
        self._login = login

    @property
    def url(self) -> str:
        """See `BrokerProcess.url`."""
        return f"nats://127.0.0.1:{self.port}"

    @property
    def store(self) -> Path:
        """Where it keeps its streams."""
        return self.folder / "store"

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        jetstream = ["--jetstream", "--store_dir", str(self.store)] if self._keeps else []
        login = ["--user", self._login, "--pass", "secret"] if self._login else []
        return [program, "--addr", "127.0.0.1", "--port", str(self.port), *jetstream, *login]
