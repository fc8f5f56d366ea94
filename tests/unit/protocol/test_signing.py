"""Keys, ids, digests and what a signature proves."""

import base64
import hashlib

import pytest

from ataxxd_protocol import SigningKey, grouped, node_id, position_digest
from ataxxd_protocol.signing import _SMALL_ORDER, digest, verify

# RFC 8032, section 7.1, test 2.
RFC_SEED = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
RFC_PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
RFC_SIGNATURE = (
    "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
    "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"
)
# The order of the group (RFC 8032, section 5.1).
ORDER = 2**252 + 27742317777372353535851937790883648493


@pytest.mark.requirement("MP-ID-1")
def test_keys_and_signatures_are_those_of_rfc_8032() -> None:
    key = SigningKey(RFC_SEED)
    assert key.public_key == RFC_PUBLIC
    assert key.sign(b"\x72") == RFC_SIGNATURE
    assert verify(RFC_PUBLIC, b"\x72", RFC_SIGNATURE)
    assert not verify(RFC_PUBLIC, b"\x73", RFC_SIGNATURE)


@pytest.mark.requirement("MP-ID-2")
def test_a_node_id_is_100_bits_of_the_hash_of_its_key() -> None:
    key = SigningKey(RFC_SEED)
    hashed = hashlib.sha256(bytes.fromhex(RFC_PUBLIC)).digest()
    assert key.node == node_id(RFC_PUBLIC) == base64.b32encode(hashed).decode().lower()[:20]
    assert grouped("k7fq3xa2" * 2 + "abcd") == "k7fq-3xa2-k7fq-3xa2-abcd"


def test_a_key_never_shows_its_secret() -> None:
    key = SigningKey(RFC_SEED)
    assert RFC_SEED.hex() not in repr(key)
    assert key.seed == RFC_SEED


def test_a_seed_is_32_bytes() -> None:
    with pytest.raises(ValueError, match="32"):
        SigningKey(b"short")


@pytest.mark.requirement("MP-SIGN-2")
def test_a_digest_is_sha_256_in_lower_case() -> None:
    assert digest(b"abc") == hashlib.sha256(b"abc").hexdigest()


@pytest.mark.requirement("MP-SIGN-4")
def test_a_position_is_named_by_its_ruleset_and_text() -> None:
    text = "x5o/7/7/7/7/7/o5x x 0 1"
    expected = hashlib.sha256(f"ataxx/uai\n{text}".encode("ascii")).hexdigest()
    assert position_digest("ataxx/uai", text) == expected
    assert position_digest("ataxx/cs61b-2022", text) != expected


@pytest.mark.requirement("MP-SIGN-3")
@pytest.mark.parametrize("public_key", sorted(_SMALL_ORDER))
def test_under_a_key_of_small_order_no_signature_holds(public_key: str) -> None:
    # R is the neutral point and S is 0: for many libraries this fits some or all messages.
    forged = "01" + "00" * 63
    assert not any(verify(public_key, b"%d" % number, forged) for number in range(16))


def test_a_signature_has_one_spelling_only() -> None:
    # The same signature with S + L in place of S: RFC 8032 demands S < L.
    s = int.from_bytes(bytes.fromhex(RFC_SIGNATURE[64:]), "little")
    other = RFC_SIGNATURE[:64] + (s + ORDER).to_bytes(32, "little").hex()
    assert not verify(RFC_PUBLIC, b"\x72", other)


@pytest.mark.parametrize("public_key", ["", "zz", "00", "f" * 63, "02" + "0" * 62])
def test_keys_that_are_none_hold_for_nothing_and_raise_nothing(public_key: str) -> None:
    assert not verify(public_key, b"\x72", RFC_SIGNATURE)


@pytest.mark.parametrize("signature", ["", "zz", "00" * 64, RFC_SIGNATURE[:-2]])
def test_signatures_that_are_none_hold_for_nothing_and_raise_nothing(signature: str) -> None:
    assert not verify(RFC_PUBLIC, b"\x72", signature)
