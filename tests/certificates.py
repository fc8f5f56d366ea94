"""Certificates for tests: an authority of our own, a broker's certificate, nodes' certificates."""

import datetime as dt
import ipaddress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

_LOCAL: list[x509.GeneralName] = [
    x509.DNSName("localhost"),
    x509.IPAddress(ipaddress.ip_address("127.0.0.1")),
]
# From when to when a certificate is valid, in days from now.
_TODAY = (-1 / 24, 1.0)


@dataclass(frozen=True)
class Certificates:
    """An authority made for one test, and what it signed for the broker; PEM files."""

    ca: Path
    cert: Path
    key: Path
    authority: ec.EllipticCurvePrivateKey

    @classmethod
    def make(cls, folder: Path, *, name: str = "ataxxd test authority") -> Self:
        """Makes an authority and a certificate for 127.0.0.1 and localhost."""
        folder.mkdir(parents=True, exist_ok=True)
        authority = ec.generate_private_key(ec.SECP256R1())
        ca_name = _named(name)
        ca = (
            _certificate(ca_name, ca_name, authority.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False
            )
            .sign(authority, hashes.SHA256())
        )
        path = folder / "ca.pem"
        path.write_bytes(ca.public_bytes(serialization.Encoding.PEM))
        cert, key = _signed("localhost", ca_name, authority, folder / "broker", _LOCAL)
        return cls(path, cert, key, authority)

    def for_broker(self, address: str, *, days: tuple[float, float] = _TODAY) -> Self:
        """The same authority, and another certificate for a broker at `address` alone.

        Args:
            address: an IP address.
            days: from when to when it is valid, in days from now.
        """
        ca = x509.load_pem_x509_certificate(self.ca.read_bytes())
        names: list[x509.GeneralName] = [x509.IPAddress(ipaddress.ip_address(address))]
        path = self.ca.parent / "other-broker"
        cert, key = _signed(address, ca.subject, self.authority, path, names, days)
        return replace(self, cert=cert, key=key)

    def for_client(self, name: str) -> tuple[Path, Path]:
        """Signs a certificate for the client `name`, as its common name; certificate and key."""
        ca = x509.load_pem_x509_certificate(self.ca.read_bytes())
        return _signed(name, ca.subject, self.authority, self.ca.parent / name, [])


def _signed(
    name: str,
    issuer: x509.Name,
    authority: ec.EllipticCurvePrivateKey,
    path: Path,
    addresses: list[x509.GeneralName],
    days: tuple[float, float] = _TODAY,
) -> tuple[Path, Path]:
    key = ec.generate_private_key(ec.SECP256R1())
    builder = (
        _certificate(_named(name), issuer, key.public_key(), days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()),
            critical=False,
        )
    )
    if addresses:
        builder = builder.add_extension(x509.SubjectAlternativeName(addresses), critical=False)
    cert_path, key_path = path.with_suffix(".pem"), path.with_suffix(".key")
    certificate = builder.sign(authority, hashes.SHA256())
    cert_path.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    key_path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    return cert_path, key_path


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _certificate(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    days: tuple[float, float] = _TODAY,
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + dt.timedelta(days=days[0]))
        .not_valid_after(now + dt.timedelta(days=days[1]))
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
