"""Keys from seeds, and signatures that hold or do not, for the vectors."""

import hashlib
import json
from typing import Any

from ataxxd.session.record import verify_record
from ataxxd.session.state import Role
from ataxxd_protocol import SigningKey
from ataxxd_protocol.messages import AnyLogMessage
from ataxxd_protocol.signing import _SMALL_ORDER, canonical_json
from tests.conformance.games import GUEST_KEY, HOST_KEY, KEYS, OTHER_KEY, WITNESS_KEYS, Pair

# The order of the Ed25519 group (RFC 8032, section 5.1).
ORDER = 2**252 + 27742317777372353535851937790883648493
# The multiple 0 of the base point.
_IDENTITY = (1).to_bytes(32, "little")
# Made with a key, and with the first half of a signature, to which a point of order 8 was added:
# multiplied by 8 every one of them holds.
_MIXED_KEY = "a4bf036f1af7044c2e1b37e69ef393b545a97b1fcd7d75787f420bb37d4624d0"
_COFACTOR = [
    (
        "it holds only when multiplied by the cofactor, for the key",
        _MIXED_KEY,
        b'{"n":0}',
        (
            "72c9d9237fd07e841c05a4e3e519b3026648edf564505ba119cd47e8c157d3b5"
            "b0e7483b2629d1c86f0199ddbbcdc8a24558a50950891088c2bdbdcb98b27e07"
        ),
        0,
    ),
    (
        "it holds only when multiplied by the cofactor, for the signature",
        "ca93ac1705187071d67b83c7ff0efe8108e8ec4530575d7726879333dbdabe7c",
        b"{}",
        (
            "2d10279915c01ab36ec9e44cdabf1501e3f23031d84fe4d253a5097b9d8e4ab0"
            "68e920ead14ca88fa2d1c2a57a3adf18d11570fafd0684ef4152c9cd0e7c930d"
        ),
        0,
    ),
    (
        "the same key, where the cofactor makes no difference",
        _MIXED_KEY,
        b'{"n":21}',
        (
            "dd185e839d5e90fa3ffb391e6c57a9a2b1088b05a81fef17d0de79405227fad0"
            "b856d88e81447295dc345bf2a779c7f6e0ed408a554c0ec270ca2cac43592c05"
        ),
        1,
    ),
]


def signatures() -> dict[str, Any]:
    """Keys from seeds, signatures that hold and that do not, keys that prove nothing."""
    move = a_move()
    assert move.sig is not None
    s = int.from_bytes(bytes.fromhex(move.sig[64:]), "little")
    cases = [
        ("true", HOST_KEY.public_key, move.signed_bytes, move.sig, 1),
        ("another's key", GUEST_KEY.public_key, move.signed_bytes, move.sig, 0),
        ("other bytes", HOST_KEY.public_key, move.signed_bytes + b" ", move.sig, 0),
        (
            "S is not less than the order of the group",
            HOST_KEY.public_key,
            move.signed_bytes,
            move.sig[:64] + (s + ORDER).to_bytes(32, "little").hex(),
            0,
        ),
        ("a key of small order", "01" + "00" * 31, b"{}", "01" + "00" * 63, 0),
        *_COFACTOR,
        ("a key that is no point", "02" + "00" * 31, b"{}", move.sig, 0),
        (
            "true, with another nonce",
            HOST_KEY.public_key,
            move.signed_bytes,
            signed_otherwise(HOST_KEY, move.signed_bytes, OTHER_KEY),
            1,
        ),
        (
            "true, with a nonce of 0: its first half is a point of small order, which is no fault",
            HOST_KEY.public_key,
            move.signed_bytes,
            signed_by_scalar(HOST_KEY, move.signed_bytes, 0, _IDENTITY),
            1,
        ),
    ]
    return {
        "keys": [
            {"seed": key.seed.hex(), "public_key": key.public_key, "node": key.node}
            for key in (*KEYS.values(), OTHER_KEY, *WITNESS_KEYS, SigningKey(bytes(range(32))))
        ],
        "small_order": sorted(_SMALL_ORDER),
        "signatures": [
            {"name": name, "public_key": key, "bytes": data.decode(), "sig": sig, "holds": holds}
            for name, key, data, sig, holds in cases
        ],
    }


def re_signed(record: bytes, key: SigningKey) -> bytes:
    """A record with another signature by one of its players, who needs nobody else for it."""
    ledger = verify_record(record).ledger
    role = ledger.role_of(key.node)
    assert role is not None
    made = json.loads(record)
    made["sigs"][role.value] = signed_otherwise(key, ledger.log(role)[-1].signed_bytes, OTHER_KEY)
    return canonical_json(made) + b"\n"


def signed_otherwise(key: SigningKey, data: bytes, nonce: SigningKey) -> str:
    """Another signature by `key` over `data`; any nonce will do, here the scalar of `nonce`."""
    return signed_by_scalar(key, data, _scalar(nonce), bytes.fromhex(nonce.public_key))


def signed_by_scalar(key: SigningKey, data: bytes, r: int, point: bytes) -> str:
    """The signature by `key` whose first half is `point`, the multiple `r` of the base point."""
    hashed = hashlib.sha512(point + bytes.fromhex(key.public_key) + data).digest()
    s = (r + int.from_bytes(hashed, "little") * _scalar(key)) % ORDER
    return (point + s.to_bytes(32, "little")).hex()


def _scalar(key: SigningKey) -> int:
    """The secret scalar of a key (RFC 8032, section 5.1.5)."""
    low = bytearray(hashlib.sha512(key.seed).digest()[:32])
    low[0] &= 248
    low[31] = low[31] & 127 | 64
    return int.from_bytes(low, "little")


def a_move() -> AnyLogMessage:
    """A move of the host, truly signed."""
    pair = Pair.started()
    pair.play("g2")
    return pair.host.ledger.log(Role.HOST)[1]
