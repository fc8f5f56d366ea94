"""Canonical bytes, and the digests, signatures, keys and node ids that are made of them.

Canonical is RFC 8785. The protocol has strings, integers, arrays and objects with ASCII keys only;
for these Python's own encoder, with sorted keys and no blanks, writes exactly that. Keys and
signatures are Ed25519 (RFC 8032), digests SHA-256, always over canonical bytes. Everything
is lower-case hexadecimal on the wire, because hexadecimal has one spelling.
"""

import base64
import hashlib
import json
from functools import lru_cache
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

NODE_ID_LENGTH = 20


def digest(data: bytes) -> str:
    """The SHA-256 of `data` as 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def position_digest(ruleset: str, text: str) -> str:
    """The digest of a position: SHA-256 of ruleset id, line feed and position text."""
    return digest(f"{ruleset}\n{text}".encode())


def node_id(public_key: str) -> str:
    """The node id of a public key (64 hexadecimal digits).

    It is the first 20 characters of the lower-case base32 of the key's SHA-256: 100 bits, so
    that nobody can find another key with the same id by trying.

    Raises:
        ValueError: `public_key` is not hexadecimal.
    """
    hashed = hashlib.sha256(bytes.fromhex(public_key)).digest()
    return base64.b32encode(hashed).decode().lower()[:NODE_ID_LENGTH]


def grouped(node: str) -> str:
    """A node id as people see it, in groups of four: ``k7fq-3xa2-…``."""
    return "-".join(node[i : i + 4] for i in range(0, len(node), 4))


class SigningKey:
    """An Ed25519 private key. Its representation never shows the secret."""

    def __init__(self, seed: bytes) -> None:
        """Make the key from its 32-byte seed.

        Raises:
            ValueError: `seed` is not 32 bytes.
        """
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._key.public_key().public_bytes_raw().hex()
        self.node = node_id(self.public_key)

    @property
    def seed(self) -> bytes:
        """The 32 secret bytes; only for the key file."""
        return self._key.private_bytes_raw()

    def sign(self, data: bytes) -> str:
        """The signature over `data`, 128 hexadecimal digits."""
        return self._key.sign(data).hex()

    def __repr__(self) -> str:
        return f"SigningKey(node={self.node!r})"


@lru_cache(maxsize=256)
def _public_key(public_key: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public_key))


# Points of small order in every encoding, also those that are not canonical: under such a key
# one signature fits every message, so nothing signed with it proves anything.
_SMALL_ORDER = frozenset(
    {
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "0100000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
    }
)


# Each message is verified before it is parsed (`codec.may_be_signed`), and again right after that.
@lru_cache(maxsize=4)
def verify(public_key: str, data: bytes, signature: str) -> bool:
    """Whether `signature` is a valid one by `public_key` over `data`; malformed ones are not."""
    if public_key in _SMALL_ORDER:
        return False
    try:
        _public_key(public_key).verify(bytes.fromhex(signature), data)
    except (InvalidSignature, ValueError):
        return False
    return True


# Built once: each message is encoded several times.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value without floats, as UTF-8.

    Raises:
        ValueError: a string has a lone surrogate, or a number cannot be written in JSON.
        TypeError: a value is not of a JSON type.
    """
    return _ENCODER.encode(value).encode()
