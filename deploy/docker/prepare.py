"""Prepares a broker and its nodes: certificates, keys, passwords, and who may write where.

What is there already stays, so that it can run at every start. The authority's key is thrown
away: nobody can make another certificate that the nodes would believe. Usage:

    prepare.py --shipped deploy/mosquitto --broker FOLDER [--name HOST]... HOME...
"""

import argparse
import base64
import hashlib
import ipaddress
import os
import secrets
import shutil
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID

from ataxxd.node.home import load_identity

_CERTIFICATE_DAYS = 3650
# As in mosquitto_passwd: rounds of hashing, and bytes of salt.
_ROUNDS, _SALT = 101, 12
_NAMES = ("broker", "localhost", "127.0.0.1")


def main() -> None:
    """Prepare what the command line names."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shipped", type=Path, required=True, help="deploy/mosquitto")
    parser.add_argument("--broker", type=Path, required=True, help="the folder of Mosquitto")
    parser.add_argument("--name", action="append", default=[], help="of the broker; more than one")
    parser.add_argument("--owner", action="append", default=[], metavar="FOLDER=UID")
    parser.add_argument("homes", nargs="+", type=Path, help="of the nodes")
    arguments = parser.parse_args()
    shutil.copytree(arguments.shipped, arguments.broker, dirs_exist_ok=True)
    if not (arguments.broker / "broker.pem").exists():
        make_certificates(arguments.broker, [*_NAMES, *arguments.name])
    lines = [user_line(home) for home in arguments.homes]
    write_private(arguments.broker / "passwords", "".join(lines).encode())
    for home in arguments.homes:
        shutil.copy(arguments.broker / "ca.pem", home / "ca.pem")
    for each in arguments.owner:
        folder, _, owner = each.partition("=")
        give(Path(folder), int(owner))


def user_line(home: Path) -> str:
    """A node's line in Mosquitto's password file; its key and password are made if missing."""
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    node = load_identity(home / "identity.key").node
    place = home / "broker-password"
    if not place.exists():
        write_private(place, secrets.token_hex(16).encode() + b"\n")
    salt = secrets.token_bytes(_SALT)
    digest = hashlib.pbkdf2_hmac("sha512", place.read_bytes().strip(), salt, _ROUNDS)
    words = (base64.b64encode(part).decode() for part in (salt, digest))
    return f"{node}:$7${_ROUNDS}${'$'.join(words)}\n"


def make_certificates(folder: Path, names: list[str]) -> None:
    """``ca.pem``, ``broker.pem`` and ``broker.key`` for a broker of these names and addresses."""
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority of this broker")])
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, names[0])])
    now = datetime.now(UTC)
    base = (
        x509.CertificateBuilder()
        .issuer_name(issuer)
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=_CERTIFICATE_DAYS))
    )
    ours = (
        base.subject_name(issuer)
        .public_key(authority.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_only_signs_certificates(), critical=True)
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(authority.public_key()), critical=False
        )
        .sign(authority, SHA256())
    )
    its = (
        base.subject_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName(list(map(_name, names))), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(authority.public_key()),
            critical=False,
        )
        .sign(authority, SHA256())
    )
    (folder / "ca.pem").write_bytes(ours.public_bytes(Encoding.PEM))
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(folder / "broker.key", secret)
    # Write this one last: if it exists, so do the others.
    (folder / "broker.pem").write_bytes(its.public_bytes(Encoding.PEM))


def _only_signs_certificates() -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=False,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=True,
        crl_sign=True,
        encipher_only=False,
        decipher_only=False,
    )


def _name(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def write_private(path: Path, content: bytes) -> None:
    """Write a file that only its owner can read."""
    path.touch(0o600)
    path.chmod(0o600)
    path.write_bytes(content)


def give(folder: Path, owner: int) -> None:
    """Give everything in a folder to `owner` if this user may do that, and else leave it."""
    if os.geteuid() == 0:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner, owner, follow_symlinks=False)


if __name__ == "__main__":
    main()
