"""Laws of the codec: one message has one spelling, and nothing else gets through."""

import json
import string
from typing import Any

import rfc8785
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from ataxxd_protocol import (
    MalformedMessage,
    decode,
    encode,
    may_be_signed,
    signature_holds,
    signed,
)
from ataxxd_protocol.codec import MAX_INTEGER
from ataxxd_protocol.messages import AnyMessage, SignedMessage
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import KEYS, OTHER_KEY
from tools.schemas import MODELS, schema

VALIDATORS = {kind: Draft202012Validator(schema(kind)) for kind in MODELS}
KEY = next(iter(KEYS.values()))


def hexadecimal(length: int) -> st.SearchStrategy[str]:
    return st.binary(min_size=length // 2, max_size=length // 2).map(bytes.hex)


def printable(low: int, high: int) -> st.SearchStrategy[str]:
    return st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=low, max_size=high)


digests = hexadecimal(64)
numbers = st.integers(0, 99_999)
plies = st.integers(1, 99_999)
milliseconds = st.integers(0, MAX_INTEGER)
nodes = st.text(string.ascii_lowercase + "234567", min_size=20, max_size=20)
names = st.from_regex(r"[a-z0-9][a-z0-9-]{0,31}", fullmatch=True)
versions = st.builds("{}.{}".format, st.integers(0, 9999), st.integers(0, 9999))
rulesets = st.sampled_from(["ataxx/cs61b-2022", "ataxx/uai", "a/b", "-/-"])
sides = st.sampled_from(["first", "second"])

log = {"game": digests, "from": nodes, "n": numbers, "prev": digests, "seen": digests}
note = {"game": digests, "from": nodes}
score = {
    "type": st.just("score"),
    **log,
    "score": st.sampled_from(["1-0", "0-1", "1/2-1/2"]),
    "termination": st.from_regex(r"[a-z-]{1,32}", fullmatch=True),
    "position": digests,
}
start = {
    "type": st.just("start"),
    **log,
    "guest": nodes,
    "host_side": sides,
    "secret": hexadecimal(32),
}
move = {
    "type": st.just("move"),
    **log,
    "ply": plies,
    "move": printable(1, 64),
    "position": digests,
    "elapsed_ms": milliseconds,
}
resign = {"type": st.just("resign"), **log, "ply": plies}
proofs = st.one_of(
    *(
        st.fixed_dictionaries({**fields, "sig": hexadecimal(128)})
        for fields in (start, move, resign, score)
    )
)
entries = st.fixed_dictionaries(
    {
        "by": st.sampled_from(["host", "guest"]),
        "set": st.dictionaries(
            st.from_regex(r"[a-z_]{1,16}", fullmatch=True),
            st.one_of(printable(0, 64), milliseconds, proofs),
            max_size=3,
        ),
        "check": hexadecimal(16),
    }
)
sigs = st.fixed_dictionaries({}, optional={"host": hexadecimal(128), "guest": hexadecimal(128)})
introduced = {"from": nodes, "key": digests}
# Not Unicode's whole range: what a person says may not steer a terminal.
speeches = st.text(st.sampled_from("aZ 9äß日👩!?"), min_size=1, max_size=40)
signed_offers = st.fixed_dictionaries(
    {
        "type": st.just("offer"),
        "v": versions,
        "name": names,
        "host": nodes,
        "key": digests,
        "ruleset": rulesets,
        "start": printable(0, 512),
        "start_hash": digests,
        "color": st.sampled_from(["first", "second", "random"]),
        "commit": digests,
        "agent": printable(1, 64),
        "created_ms": milliseconds,
        "expires_ms": milliseconds,
        "sig": hexadecimal(128),
    }
)
challenge = {"type": st.just("challenge"), **introduced, "offer": signed_offers}
messages: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.fixed_dictionaries(
        {
            "type": st.just("card"),
            **introduced,
            "v": versions,
            "name": names,
            "kind": st.sampled_from(["bot", "person"]),
            "free": numbers,
            "playing": numbers,
            "agent": printable(1, 64),
            "at_ms": milliseconds,
            "expires_ms": milliseconds,
        },
        optional={
            "groups": st.lists(names, min_size=1, max_size=8),
            "rulesets": st.lists(rulesets, min_size=1, max_size=4),
        },
    ),
    st.fixed_dictionaries({**challenge, "to": nodes}, optional={"text": speeches}),
    st.fixed_dictionaries({**challenge, "group": names}),
    st.fixed_dictionaries(
        {
            "type": st.just("decline"),
            **introduced,
            "to": nodes,
            "answers": digests,
            "code": st.sampled_from(["challenge/busy", "challenge/clock"]),
            "reason": printable(0, 512),
        },
        optional={"text": speeches},
    ),
    st.fixed_dictionaries(
        {"type": st.just("claim"), **introduced, "group": names, "call": digests}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("analysis"),
            **introduced,
            "to": nodes,
            "answers": digests,
            "score": st.integers(-1_000_000, 1_000_000),
            "line": st.lists(printable(1, 64), min_size=1, max_size=4),
            "depth": numbers,
            "nodes": st.integers(1, MAX_INTEGER),
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("offer"),
            "v": versions,
            "name": names,
            "host": nodes,
            "key": digests,
            "ruleset": rulesets,
            "start": printable(0, 512),
            "start_hash": digests,
            "color": st.sampled_from(["first", "second", "random"]),
            "commit": digests,
            "agent": printable(1, 64),
            "created_ms": milliseconds,
            "expires_ms": milliseconds,
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("join"),
            **log,
            "v": versions,
            "key": digests,
            "ruleset": rulesets,
            "start_hash": digests,
            "nonce": hexadecimal(32),
            "agent": printable(1, 64),
        }
    ),
    st.fixed_dictionaries(start),
    st.fixed_dictionaries(move),
    st.fixed_dictionaries(resign),
    st.fixed_dictionaries(score, optional={"proof": proofs}),
    st.fixed_dictionaries(
        {
            "type": st.just("state"),
            **note,
            "part": st.integers(0, 999),
            "first": st.integers(0, 199_999),
            "entries": st.lists(entries, max_size=3),
            "sigs": sigs,
        }
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("reject"),
            **note,
            "to": nodes,
            "join": digests,
            "code": st.sampled_from(["seat/taken", "handshake/version"]),
            "reason": printable(0, 512),
        }
    ),
    st.fixed_dictionaries(
        {"type": st.just("sync"), **note, "need": numbers, "head": numbers},
        optional={"nonce": hexadecimal(32)},
    ),
    st.fixed_dictionaries(
        {"type": st.just("sync"), **note, "need": numbers, "head": numbers, "echo": hexadecimal(32)}
    ),
    st.fixed_dictionaries(
        {
            "type": st.just("status"),
            **note,
            "epoch": milliseconds,
            "state": st.sampled_from(["online", "left", "lost"]),
        }
    ),
)


def made(fields: dict[str, Any]) -> SignedMessage:
    """The message of these fields, signed."""
    message = MODELS[fields["type"]].model_validate(fields)
    assert isinstance(message, SignedMessage)
    return signed(message, KEY)


signed_messages = messages.map(made)
# Keys as the protocol has them; text with anything that JSON can carry.
json_values = st.recursive(
    st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(string.ascii_letters + "_-0", max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


def taken(data: bytes) -> AnyMessage | None:
    """What the codec makes of bytes; it may refuse them in one way only."""
    try:
        return decode(data)
    except MalformedMessage:
        return None


@given(signed_messages)
def test_every_message_comes_back_as_it_went(message: SignedMessage) -> None:
    data = encode(message)
    again = decode(data)
    assert again == message
    assert encode(again) == data
    assert signature_holds(message, KEY.public_key)


@given(signed_messages)
def test_what_holds_when_it_is_parsed_may_be_signed_before_and_a_forgery_may_not(
    message: SignedMessage,
) -> None:
    assert may_be_signed(encode(message), KEY.public_key)
    assert not may_be_signed(encode(signed(message, OTHER_KEY)), KEY.public_key)


@given(signed_messages)
def test_every_message_fits_its_published_schema(message: SignedMessage) -> None:
    VALIDATORS[message.fields()["type"]].validate(json.loads(encode(message)))


@given(json_values)
def test_the_canonical_form_is_that_of_rfc_8785(value: Any) -> None:
    assert canonical_json(value) == rfc8785.dumps(value)


@given(signed_messages, st.data())
def test_every_truncation_is_malformed(message: SignedMessage, data: st.DataObject) -> None:
    payload = encode(message)
    assert taken(payload[: data.draw(st.integers(0, len(payload) - 1))]) is None


@given(signed_messages, st.data())
def test_every_changed_byte_is_malformed_or_breaks_the_signature(
    message: SignedMessage, data: st.DataObject
) -> None:
    payload = bytearray(encode(message))
    for index in data.draw(st.sets(st.integers(0, len(payload) - 1), min_size=1, max_size=20)):
        altered = payload.copy()
        altered[index] ^= data.draw(st.integers(1, 255))
        found = taken(bytes(altered))
        assert (
            found is None
            or not isinstance(found, SignedMessage)
            or not signature_holds(found, KEY.public_key)
        )


@given(st.binary(max_size=300) | json_values.map(canonical_json))
def test_arbitrary_bytes_raise_nothing_but_malformed_message(data: bytes) -> None:
    found = taken(data)
    assert found is None or encode(found) == data


@given(messages, st.data())
def test_what_passes_with_a_field_changed_fits_the_schema_too(
    fields: dict[str, Any], data: st.DataObject
) -> None:
    fields = made(fields).fields()
    name = data.draw(st.sampled_from(sorted(fields)) | st.text(string.ascii_lowercase, max_size=5))
    if data.draw(st.booleans()):
        fields[name] = data.draw(json_values)
    else:
        fields.pop(name, None)
    payload = canonical_json(fields)
    if taken(payload) is not None:
        VALIDATORS[fields["type"]].validate(json.loads(payload))
