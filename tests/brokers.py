"""Real brokers for tests: Mosquitto, and certificates.

Everything listens on 127.0.0.1 on ports the system chose, and everything that
was started is stopped and reaped.
"""

import datetime as dt
import ipaddress
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

START_TIMEOUT = 20.0
STOP_TIMEOUT = 10.0


def find_mosquitto() -> str | None:
    """The Mosquitto broker's program; Debian keeps it where users' PATH does not look."""
    return shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        assert isinstance(port, int)
        return port


def open_sockets() -> Iterator[socket.socket]:
    """Duplicates of this process's internet sockets, each closed when the next is asked for."""
    for entry in [*Path("/proc/self/fd").iterdir()]:
        try:
            number = os.dup(int(entry.name))
        except OSError:
            continue  # the folder's own descriptor
        try:
            duplicate = socket.socket(fileno=number)
        except OSError:
            os.close(number)  # a file or a pipe
            continue
        with duplicate:
            if duplicate.family in (socket.AF_INET, socket.AF_INET6):
                yield duplicate


@dataclass(frozen=True)
class Certificates:
    """An authority made for one test, and what it signed; PEM files."""

    ca: Path
    cert: Path
    key: Path

    @classmethod
    def make(cls, folder: Path, *, name: str = "ataxxd test authority") -> Self:
        """Makes an authority and a certificate for 127.0.0.1 and localhost."""
        folder.mkdir(parents=True, exist_ok=True)
        ca_key, key = (
            ec.generate_private_key(ec.SECP256R1()),
            ec.generate_private_key(ec.SECP256R1()),
        )
        ca_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        ca = (
            _certificate(ca_name, ca_name, ca_key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False
            )
            .sign(ca_key, hashes.SHA256())
        )
        names: list[x509.GeneralName] = [
            x509.DNSName("localhost"),
            x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
        ]
        own_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
        cert = (
            _certificate(own_name, ca_name, key.public_key())
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()),
                critical=False,
            )
            .sign(ca_key, hashes.SHA256())
        )
        made = cls(ca=folder / "ca.pem", cert=folder / "cert.pem", key=folder / "key.pem")
        made.ca.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
        made.cert.write_bytes(cert.public_bytes(serialization.Encoding.PEM))
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        return made


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(days=1))
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )


@dataclass
class Mosquitto:
    """A Mosquitto of our own: configured, started, stopped and started again on the same ports.

    Args:
        folder: where its files live.
        users: name to password; with any, nobody else is let in.
        acl: lines of an access control file.
        certificates: opens a TLS listener.
        websockets: opens a websocket listener; with certificates it is encrypted.
        client_certificates: the TLS listener wants them.
        no_delay: turns Nagle's algorithm off; Mosquitto leaves it on by itself.
        extra: more configuration lines.
    """

    folder: Path
    users: dict[str, str] = field(default_factory=dict)
    acl: str = ""
    certificates: Certificates | None = None
    websockets: bool = False
    client_certificates: bool = False
    no_delay: bool = True
    extra: str = ""
    port: int = field(default_factory=free_port)
    tls_port: int = field(default_factory=free_port)
    websocket_port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Address of the plain listener."""
        return f"mqtt://127.0.0.1:{self.port}"

    @property
    def tls_url(self) -> str:
        """Address of the TLS listener, with the authority to trust."""
        assert self.certificates is not None
        return f"mqtts://127.0.0.1:{self.tls_port}?ca={self.certificates.ca}"

    @property
    def websocket_url(self) -> str:
        """Address of the websocket listener."""
        if self.certificates is not None:
            return f"wss://127.0.0.1:{self.websocket_port}/mqtt?ca={self.certificates.ca}"
        return f"ws://127.0.0.1:{self.websocket_port}/mqtt"

    @property
    def log(self) -> str:
        """What the broker has said so far."""
        path = self.folder / "mosquitto.log"
        return path.read_text(errors="replace") if path.exists() else ""

    def start(self) -> None:
        """Starts the broker and returns when every listener accepts connections."""
        assert self._process is None, "already started"
        program = find_mosquitto()
        assert program is not None, "Mosquitto is not installed"
        self.folder.mkdir(parents=True, exist_ok=True)
        configuration = self.folder / "mosquitto.conf"
        configuration.write_text(self._configuration())
        with (self.folder / "mosquitto.log").open("ab") as log:
            self._process = subprocess.Popen(
                [program, "-v", "-c", str(configuration)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )
        try:
            for port in self._ports():
                self._wait_until_listening(port)
        except BaseException:
            self.kill()
            raise

    def stop(self) -> None:
        """Asks the broker to end, and waits; does nothing when it is not running."""
        process, self._process = self._process, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        """Ends the broker at once, as a crash would."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()

    def restart(self) -> None:
        """Stops and starts on the same ports; retained messages are gone, as nothing is stored."""
        self.stop()
        self.start()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        exc_type: type[BaseException] | None,
        exc: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def _ports(self) -> Iterator[int]:
        yield self.port
        if self.certificates is not None:
            yield self.tls_port
        if self.websockets:
            yield self.websocket_port

    def _wait_until_listening(self, port: int) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        while True:
            assert self._process is not None
            if self._process.poll() is not None:
                raise RuntimeError(f"Mosquitto ended while starting:\n{self.log}")
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
            except OSError:
                if time.monotonic() > deadline:
                    raise RuntimeError(f"Mosquitto does not listen:\n{self.log}") from None
                time.sleep(0.01)
            else:
                return

    def _configuration(self) -> str:
        lines = [
            "per_listener_settings false",
            "persistence false",
            f"set_tcp_nodelay {'true' if self.no_delay else 'false'}",
            f"allow_anonymous {'false' if self.users else 'true'}",
        ]
        if os.geteuid() == 0:
            lines.append("user root")  # or it would give up the right to read its own files
        if self.users:
            lines.append(f"password_file {self._password_file()}")
        if self.acl:
            path = self.folder / "acl"
            path.write_text(self.acl)
            path.chmod(0o600)
            lines.append(f"acl_file {path}")
        lines.append(f"listener {self.port} 127.0.0.1")
        if self.certificates is not None:
            lines += [f"listener {self.tls_port} 127.0.0.1", *self._tls_lines()]
            if self.client_certificates:
                lines.append("require_certificate true")
        if self.websockets:
            lines += [f"listener {self.websocket_port} 127.0.0.1", "protocol websockets"]
            lines += self._tls_lines()
        lines.append(self.extra)
        return "\n".join(lines) + "\n"

    def _tls_lines(self) -> list[str]:
        if self.certificates is None:
            return []
        return [
            f"cafile {self.certificates.ca}",
            f"certfile {self.certificates.cert}",
            f"keyfile {self.certificates.key}",
        ]

    def _password_file(self) -> Path:
        path = self.folder / "passwords"
        path.write_text("".join(f"{name}:{word}\n" for name, word in self.users.items()))
        path.chmod(0o600)
        program = shutil.which("mosquitto_passwd")
        assert program is not None, "mosquitto_passwd is not installed"
        subprocess.run([program, "-U", str(path)], check=True, capture_output=True)
        return path
