"""Messages for the codecs of both implementations: made by Hypothesis, changed, and mutated."""

import json
import random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from ataxxd_protocol import MalformedMessage, decode, encode
from ataxxd_protocol.messages import SignedMessage
from ataxxd_protocol.signing import canonical_json
from tests.interop.browser_peer import VECTORS
from tests.property.test_codec import json_values, signed_messages

MESSAGES: list[str] = json.loads((VECTORS / "messages.json").read_bytes())["valid"]
# Of each example: the message itself, some with a field changed, some mutated; and mutated vectors.
_CHANGED, _MUTATED, _VECTORS = 3, 4, 2
_EACH = 1 + _CHANGED + _MUTATED + _VECTORS


def read_here(payload: bytes) -> str | None:
    """What our codec makes of a payload, in hexadecimal; None for what it refuses."""
    try:
        return encode(decode(payload)).hex()
    except MalformedMessage:
        return None


def payloads(start: int, count: int) -> list[bytes]:
    """As many payloads, the same for the same `start`."""
    draw = random.Random(start)
    made: list[bytes] = []

    @seed(start)
    @settings(
        max_examples=-(-count // _EACH),
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(signed_messages, json_values)
    def make(message: SignedMessage, value: Any) -> None:
        whole = encode(message)
        vectors = [each.encode() for each in draw.sample(MESSAGES, _VECTORS)]
        made.append(whole)
        made.extend(_changed(draw, message, value) for _ in range(_CHANGED))
        made.extend(_mutated(draw, each) for each in [whole] * _MUTATED + vectors)

    make()
    return made[:count]


def _changed(draw: random.Random, message: SignedMessage, value: Any) -> bytes:
    """The message with a field that is gone, new, or has another value."""
    fields = message.fields()
    name = draw.choice([*fields, "text", "v"])
    if draw.random() < 0.2:
        fields.pop(name, None)
    else:
        fields[name] = value
    return canonical_json(fields)


def _mutated(draw: random.Random, payload: bytes) -> bytes:
    """With some bytes changed, added, doubled or left out."""
    made = bytearray(payload)
    for _ in range(draw.choice((1, 1, 1, 2, 5))):
        at, to = sorted(draw.randrange(len(made) + 1) for _ in range(2))
        match draw.randrange(5):
            case 0:
                made[at : at + 1] = bytes([draw.randrange(256)])
            case 1:
                made[at : at + 1] = draw.choice(b' "{}[]:,0-.eE\\u').to_bytes()
            case 2:
                del made[at : min(to, at + draw.randrange(8))]
            case 3:
                made[at:at] = made[at : min(to, at + 40)]
            case _:
                number = draw.choice((b"null", b"true", b"1e3", b"9007199254740992", b"-1", b"00"))
                made[at:at] = number
    return bytes(made)
