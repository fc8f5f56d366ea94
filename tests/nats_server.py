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
        denied: subjects on which that login may not speak.
    """

    program = package = "nats-server"

    def __init__(
        self, folder: Path, *, keeps: bool = True, login: str = "", denied: str = ""
    ) -> None:
        super().__init__(folder)
        self._keeps = keeps
        self._login = login
        self._denied = denied

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
        login: list[str | Path] = ["--user", self._login, "--pass", "secret"] if self._login else []
        if self._denied:
            # Only a file can say it.
            file = self.folder / "nats.conf"
            permissions = f'{{publish: {{deny: "{self._denied}"}}}}'
            user = f"{{user: {self._login}, password: secret, permissions: {permissions}}}"
            file.write_text(f"authorization {{users: [{user}]}}\n")
            login = ["--config", file]
        return [program, "--addr", "127.0.0.1", "--port", str(self.port), *jetstream, *login]
