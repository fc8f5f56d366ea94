"""Attacks by bytes: payloads too large, too deep, or like another's; topics that are none."""

from typing import Any

import pytest

from ataxxd.errors import UsageError, VerificationError
from ataxxd.nicknames import lookalike_key, parse_nickname
from ataxxd.node.seats import split_broker
from ataxxd.session.record import verify_record
from ataxxd_protocol import MAX_PAYLOAD, MalformedMessage, Topics, decode, encode
from ataxxd_protocol.signing import canonical_json
from tests.conformance.games import HOST_KEY, Pair, make_offer
from tests.conformance.letters import make_card, make_nickname

TOPICS = Topics()
NODE = HOST_KEY.node


def deep(depth: int) -> list[bytes]:
    """JSON that is nested deeply, as a message, in a message, and open at the end."""
    return [
        b"[" * depth + b"]" * depth,
        b'{"a":' * depth + b"1" + b"}" * depth,
        b"[" * depth,
        b'{"type":"move","move":' + b"[" * depth + b"]" * depth + b"}",
    ]


@pytest.mark.attack("A-34")
def test_payloads_too_large_or_too_deep_are_malformed_and_nothing_else() -> None:
    move = Pair.started().offer
    long = canonical_json(move.fields() | {"start": "x" * MAX_PAYLOAD})
    numbers = [b'{"n":' + b"9" * size + b"}" for size in (17, 400, 5_000, 15_000)]
    for payload in (long, *numbers, *deep(100), *deep(2_000), *deep(8_000)):
        with pytest.raises(MalformedMessage):
            decode(payload)


@pytest.mark.attack("A-35")
def test_records_too_large_or_too_deep_are_refused_and_nothing_else() -> None:
    for data in (*deep(100), *deep(10_000), *deep(500_000)):
        with pytest.raises(VerificationError):
            verify_record(data + b"\n")


@pytest.mark.attack("A-36")
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "\u043eurgame"),  # a Cyrillic letter
        ("name", "ourgame\u0661"),  # an Arabic digit
        ("name", "ourgame\u200b"),
        ("name", "Ourgame"),
        ("name", "ourgame\n"),
        ("host", NODE[:-1] + "\u0430"),  # a Cyrillic letter
        ("host", NODE.upper()),
        ("v", "\uff11.2"),  # a full-width digit
        ("v", "1.\u0662"),
        ("key", HOST_KEY.public_key.upper()),
        ("ruleset", "ata\u0445x/cs61b-2022"),  # a Cyrillic letter
        ("agent", "ataxxd/1\u202e"),
        ("agent", "ataxxd/1\x1b[2J"),
    ],
)
def test_what_looks_like_another_is_malformed(field: str, value: str) -> None:
    with pytest.raises(MalformedMessage):
        decode(canonical_json(make_offer().fields() | {field: value}))


@pytest.mark.attack("A-37")
def test_nicknames_that_look_alike_are_known_to() -> None:
    for one, other in (("oscar", "0scar"), ("ilse", "1lse"), ("anna-m", "anna-rn"), ("vv", "w")):
        assert lookalike_key(one) == lookalike_key(other)
    for false in ("\u0430na", "an\u00e1", "ana\u200d", "you", "host", ""):
        assert parse_nickname(false) is None
    with pytest.raises(MalformedMessage):
        decode(canonical_json(make_nickname().fields() | {"name": "\u0430na"}))


@pytest.mark.attack("A-38")
@pytest.mark.parametrize(
    "topic",
    [
        "ataxxd/1/+/who",
        "ataxxd/1/#",
        "ataxxd/1/+/+/offer",
        f"ataxxd/1/ourgame/+/{NODE}/out",
        f"ataxxd/1/ourgame/{NODE}/{NODE}/#",
        f"ataxxd/1/ourgame/{NODE}/state/+",
        f"ataxxd/1/ourgame/{NODE}/state/\u0661",
        f"ataxxd/1/ourgame/{NODE}/state/01",
        f"ataxxd/1/ourgame/{NODE}/state/1000",
        f"ataxxd/1/ourgame/{NODE}//out",
        f"ataxxd/1/ourgame/{NODE}/{NODE}/out/",
        f"ataxxd/1/ourgame/{NODE}/{NODE}/out\n",
        f"ataxxd/1/ourgame\x00/{NODE}/offer",
        f"ataxxd/1/\u043eurgame/{NODE}/offer",
        f"/ataxxd/1/ourgame/{NODE}/offer",
        f"ataxxd/2/ourgame/{NODE}/offer",
        f"$share/a/ataxxd/1/ourgame/{NODE}/offer",
        "$SYS/broker/version",
        f"ataxxd/1/_/{NODE}/offer",
        f"ataxxd/1/../{NODE}/offer",
    ],
)
def test_a_topic_with_wildcards_or_odd_levels_is_none(topic: str) -> None:
    assert TOPICS.parse(topic) is None


@pytest.mark.attack("A-39")
@pytest.mark.parametrize(
    "invitation", ["+", "#", "+#" + NODE, "a/b", "a#" + NODE + "/+", "a#+", "_", "../a", "a\n"]
)
def test_an_invitation_cannot_make_a_subscription_wider(invitation: str) -> None:
    with pytest.raises(UsageError):
        split_broker(invitation)


@pytest.mark.attack("A-40")
def test_a_message_has_one_spelling() -> None:
    payloads: list[bytes] = [encode(make_offer()), encode(make_card()), encode(make_nickname())]
    for payload in payloads:
        fields: dict[str, Any] = decode(payload).fields()
        name, value = next((k, v) for k, v in fields.items() if isinstance(v, str) and k != "type")
        text = payload.decode()
        spellings = [
            payload + b" ",
            b"\xef\xbb\xbf" + payload,
            payload + payload,
            text.replace(f'"{name}"', f'"\\u{ord(name[0]):04x}{name[1:]}"', 1).encode(),
            text.replace(f'"{value}"', f'"{value}\\ud800"', 1).encode(),
            text.replace("{", f'{{"{name}":"{value}",', 1).encode(),
            text.encode("utf-16"),
        ]
        for spelling in spellings:
            with pytest.raises(MalformedMessage):
                decode(spelling)
