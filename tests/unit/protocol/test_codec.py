"""What the codec takes and what it refuses, and with which words."""

import json

import pytest

from ataxxd_protocol import (
    MAX_PAYLOAD,
    MalformedMessage,
    decode,
    decode_record,
    encode,
    signature_holds,
    signed,
)
from ataxxd_protocol.messages import Entry, Join, Move, Record, Score, Signatures, StatePart, Who
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import GUEST_KEY, HOST_KEY, Pair, make_offer
from tools.schemas import MODELS, schema

MOVE = Move(
    game="0" * 64,
    author=HOST_KEY.node,
    n=1,
    prev="1" * 64,
    seen="2" * 64,
    ply=1,
    move="g2",
    position="3" * 64,
    elapsed_ms=12,
)


def payload(**changes: object) -> bytes:
    """The bytes of a signed move with other fields; None leaves a field out."""
    fields = signed(MOVE, HOST_KEY).fields() | changes
    return canonical_json({name: value for name, value in fields.items() if value is not None})


def reason(data: bytes) -> str:
    with pytest.raises(MalformedMessage) as caught:
        decode(data)
    return str(caught.value)


def test_what_is_encoded_is_decoded_to_the_same() -> None:
    message = signed(MOVE, HOST_KEY)
    assert decode(encode(message)) == message


@pytest.mark.requirement("MP-CODEC-1")
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b'"who"', "not a JSON object"),
        (b"\xff", "not UTF-8 at byte 0"),
        (b'\xef\xbb\xbf{"type":"who"}', "not JSON"),
        (b'{"type":"who"} ', "not in canonical form (RFC 8785) from byte 14 on"),
        (b'{ "type":"who"}', "not in canonical form (RFC 8785) from byte 1 on"),
        (b'{"type":"\\u0077ho"}', "not in canonical form"),
        (b'{"type":"who","type":"who"}', "not in canonical form"),
        (b'{"type":"who"}{"type":"who"}', "not JSON"),
        (b'{"type":"who"}\n', "not in canonical form"),
    ],
)
def test_bytes_that_are_not_one_canonical_object_are_malformed(data: bytes, words: str) -> None:
    assert words in reason(data)


@pytest.mark.requirement("MP-CODEC-1")
def test_deep_nesting_is_malformed_however_deep_this_python_reads() -> None:
    assert any(words in reason(b"[" * 16_000) for words in ("nested too deeply", "not JSON"))


@pytest.mark.requirement("MP-CODEC-1")
def test_another_order_of_keys_is_malformed() -> None:
    fields = signed(MOVE, HOST_KEY).fields()
    backwards = {name: fields[name] for name in sorted(fields, reverse=True)}
    data = json.dumps(backwards, separators=(",", ":")).encode()
    assert "not in canonical form" in reason(data)


@pytest.mark.requirement("MP-CODEC-2")
def test_a_payload_one_byte_over_the_limit_is_malformed_unread() -> None:
    assert reason(b"x" * (MAX_PAYLOAD + 1)) == "16385 bytes; the limit is 16384"
    assert "not JSON" in reason(b"x" * MAX_PAYLOAD)


@pytest.mark.requirement("MP-CODEC-2")
def test_a_message_too_large_for_a_payload_is_not_encoded() -> None:
    entry = Entry(by="host", set={"agent": "x" * 500}, check="0" * 16)
    part = StatePart(
        game="0" * 64,
        author=HOST_KEY.node,
        part=0,
        first=0,
        entries=(entry,) * 40,
        sigs=Signatures(),
    )
    with pytest.raises(ValueError, match="over the limit of 16384"):
        encode(part)


@pytest.mark.requirement("MP-CODEC-2")
def test_a_record_may_be_larger_than_a_payload() -> None:
    entry = Entry(by="host", set={"agent": "x" * 500}, check="0" * 16)
    record = Record(v="1.0", offer=make_offer(), entries=(entry,) * 40, sigs=Signatures())
    data = encode(record)
    assert len(data) > MAX_PAYLOAD
    assert decode_record(data + b"\n") == record


@pytest.mark.requirement("MP-CODEC-3")
@pytest.mark.parametrize("number", ["1.0", "1e3", "-0", "01", "NaN", "Infinity"])
def test_a_number_that_is_no_plain_integer_is_malformed(number: str) -> None:
    data = payload().replace(b'"elapsed_ms":12', b'"elapsed_ms":' + number.encode())
    with pytest.raises(MalformedMessage):
        decode(data)


@pytest.mark.requirement("MP-CODEC-3")
def test_integers_end_where_every_language_still_has_them_exactly() -> None:
    assert decode(payload(elapsed_ms=2**53 - 1)).type == "move"
    assert "out of range" in reason(payload(elapsed_ms=2**53))
    assert "out of range" in reason(payload(elapsed_ms=10**400))


@pytest.mark.requirement("MP-CODEC-3")
@pytest.mark.parametrize("literal", [b"true", b"false", b"null"])
def test_true_false_and_null_have_no_place(literal: bytes) -> None:
    reason(payload().replace(b'"elapsed_ms":12', b'"elapsed_ms":' + literal))


@pytest.mark.requirement("MP-CODEC-3")
def test_an_absent_option_written_as_null_is_malformed() -> None:
    pair = Pair.started()
    pair.carry(pair.host.role, pair.host.resign())
    score = pair.host.ledger.log(pair.host.role)[-1]
    assert isinstance(score, Score)
    reason(canonical_json(score.fields() | {"proof": None}))


@pytest.mark.requirement("MP-CODEC-4")
def test_an_unknown_type_is_malformed_and_the_known_ones_are_named() -> None:
    assert '"shout"' in reason(payload(type="shout"))
    assert '"record"' in reason(payload(type="record"))


@pytest.mark.requirement("MP-CODEC-4")
def test_a_missing_field_is_named() -> None:
    assert reason(payload(ply=None)) == "move.ply: it is missing"
    assert reason(payload(sig=None)) == "sig: it is missing"


@pytest.mark.requirement("MP-CODEC-4")
def test_a_field_too_many_is_named() -> None:
    assert reason(payload(extra=1)) == (
        'move: there is no field "extra"; there are sig, game, from, n, prev, seen, type, ply, '
        "move, position, elapsed_ms"
    )


@pytest.mark.requirement("MP-CODEC-4")
def test_the_author_goes_by_from_on_the_wire_only() -> None:
    fields = signed(MOVE, HOST_KEY).fields()
    fields["author"] = fields.pop("from")
    reason(canonical_json(fields))


@pytest.mark.requirement("MP-CODEC-4")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("game", "0" * 63),
        ("game", "A" * 64),
        ("from", "1" * 20),
        ("from", HOST_KEY.node + "\n"),
        ("n", -1),
        ("n", 100_000),
        ("n", "1"),
        ("ply", 0),
        ("move", ""),
        ("move", "x" * 65),
        ("elapsed_ms", -1),
        ("sig", "0" * 127),
    ],
)
def test_a_value_outside_its_range_is_named(field: str, value: object) -> None:
    assert reason(payload(**{field: value})).startswith(f"move.{field}: ")


@pytest.mark.requirement("MP-CODEC-5")
@pytest.mark.parametrize("text", ["\x1b[2J", "a\nb", "caf\u00e9", "\u202e", "\x7f"])
def test_text_for_people_cannot_steer_a_terminal(text: str) -> None:
    reason(payload(move=text))


@pytest.mark.requirement("MP-CODEC-5")
@pytest.mark.parametrize("kind", MODELS)
def test_every_string_of_every_message_is_bounded_to_printable_ascii(kind: str) -> None:
    def strings(node: object) -> list[dict[str, object]]:
        if isinstance(node, list):
            return [found for item in node for found in strings(item)]
        if not isinstance(node, dict):
            return []
        found = [node] if node.get("type") == "string" else []
        return found + [inner for value in node.values() for inner in strings(value)]

    for string in strings(schema(kind)):
        assert {"pattern", "enum", "const"} & string.keys(), string
        pattern = str(string.get("pattern", "^$"))
        assert pattern.startswith("^")
        assert pattern.endswith("$")
        assert pattern.isascii()
        assert not {".", "\\w", "\\s", "[^"} & set(pattern.replace("\\.", "").split())


@pytest.mark.requirement("MP-SIGN-1")
def test_a_signature_covers_everything_but_itself() -> None:
    message = signed(MOVE, HOST_KEY)
    fields = message.fields()
    sig = fields.pop("sig")
    assert sig == HOST_KEY.sign(canonical_json(fields))
    assert signature_holds(message, HOST_KEY.public_key)
    assert not signature_holds(message, GUEST_KEY.public_key)
    assert not signature_holds(message.model_copy(update={"n": 2}), HOST_KEY.public_key)
    assert not signature_holds(MOVE, HOST_KEY.public_key)


def test_a_message_with_no_author_has_no_signature() -> None:
    assert decode(b'{"type":"who"}') == Who()
    reason(canonical_json({"type": "who", "sig": "0" * 128}))


@pytest.mark.requirement("MP-FAULT-4")
def test_proofs_do_not_nest_and_a_join_is_none() -> None:
    pair = Pair.started()
    join = pair.guest.ledger.join
    assert join is not None
    host_move = signed(MOVE, HOST_KEY)
    fields = {
        "game": "0" * 64,
        "from": GUEST_KEY.node,
        "n": 1,
        "prev": "1" * 64,
        "seen": "2" * 64,
        "type": "score",
        "score": "0-1",
        "termination": "double-dealing",
        "position": "3" * 64,
    }
    proving = Score.model_validate(fields | {"proof": host_move.fields()})
    assert decode(encode(signed(proving, GUEST_KEY))).type == "score"
    for proof in (join, signed(proving, HOST_KEY)):
        data = canonical_json(fields | {"proof": proof.fields(), "sig": "0" * 128})
        assert reason(data).startswith("score.proof")
    unsigned = {name: value for name, value in host_move.fields().items() if name != "sig"}
    assert "needs its sig" in reason(canonical_json(fields | {"proof": unsigned, "sig": "0" * 128}))


@pytest.mark.requirement("MP-REC-1")
def test_a_record_file_ends_with_one_line_feed() -> None:
    record = Record(v="1.0", offer=make_offer(), entries=(), sigs=Signatures())
    data = encode(record)
    assert decode_record(data + b"\n") == record
    for wrong in (data, data + b"\n\n", data + b"\r\n", b"\n" + data + b"\n"):
        with pytest.raises(MalformedMessage):
            decode_record(wrong)


def test_a_join_reads_back_with_its_key_and_nonce() -> None:
    join = Pair.started().guest.ledger.join
    assert join is not None
    again = decode(encode(join))
    assert isinstance(again, Join)
    assert again.key == GUEST_KEY.public_key
