"""Mosquitto as `deploy/mosquitto` has it, but for what a test may not share with the machine."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.brokers import BrokerProcess, Mosquitto, find_program
from tests.certificates import Certificates

SHIPPED = Path(__file__).parents[1] / "deploy" / "mosquitto"


class ShippedMosquitto(BrokerProcess):
    """A broker with one of the shipped configurations.

    Only the listener is another: a free port, on loopback.

    Args:
        folder: where the files are copied to.
        door: which configuration: ``password``, ``tls`` or ``certificates``.
        users: user names and their passwords.
        certificates: for the doors with TLS.
    """

    program = Mosquitto.program
    package = Mosquitto.package

    def __init__(
        self,
        folder: Path,
        door: str,
        users: Mapping[str, str],
        certificates: Certificates | None = None,
    ) -> None:
        super().__init__(folder)
        self._door = f"{door}.conf"
        shutil.copytree(SHIPPED, folder)
        if certificates is not None:
            for name, path in (
                ("ca.pem", certificates.ca),
                ("broker.pem", certificates.cert),
                ("broker.key", certificates.key),
            ):
                shutil.copy(path, folder / name)
        passwords = folder / "passwords"
        passwords.touch(0o600)
        program = find_program("mosquitto_passwd")
        assert program is not None, self.missing()
        for user, word in users.items():
            subprocess.run([program, "-b", passwords, user, word], check=True, capture_output=True)

    def command(self) -> Sequence[str | Path]:
        """See `BrokerProcess.command`."""
        program = find_program(self.program)
        assert program is not None, self.missing()
        configuration = self.folder / self._door
        configuration.write_text(adapted(configuration.read_text(), self.port))
        return [program, "-v", "-c", configuration]


def adapted(configuration: str, port: int) -> str:
    """A shipped configuration with a listener for tests, which may run as root."""
    changed, count = re.subn(
        r"^listener .*$", f"listener {port} 127.0.0.1", configuration, flags=re.MULTILINE
    )
    assert count == 1
    # As root it would give up the right to read its own files, unless told not to.
    return changed if os.geteuid() else f"user root\n{changed}"
