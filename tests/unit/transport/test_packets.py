"""MQTT packets: what is written is MQTT 3.1.1, and what comes is read however it is cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ataxxd.transport.packets import (
    Acknowledgement,
    Connack,
    Decoder,
    MalformedPacketError,
    Packet,
    Pong,
    Publish,
    Sifts,
    connect,
    puback,
    publish,
    subscribe,
    unsubscribe,
)

MOST = 16 * 1024


def read(data: bytes, size: int = 1 << 20, sifts: Sifts | None = None) -> list[Packet]:
    """What a decoder makes of data that comes in pieces of a size."""
    decoder = Decoder(MOST, sifts)
    return [
        packet for at in range(0, len(data), size) for packet in decoder.feed(data[at : at + size])
    ]


def remaining_length(length: int) -> bytes:
    """MQTT 3.1.1, section 2.2.3, for the short packets of tests."""
    return bytes([length]) if length < 128 else bytes([length % 128 | 128, length // 128])


def test_the_bytes_are_those_of_the_standard() -> None:
    # Written out by hand from MQTT 3.1.1, sections 3.1, 3.3, 3.8 and 3.10.
    assert connect("a", keepalive=20, user=None, password=None, will=None) == bytes.fromhex(
        "10 0d 0004 4d515454 04 02 0014 0001 61"
    )
    assert connect(
        "a", keepalive=1, user="u", password="p", will=("w", b"x", True)
    ) == bytes.fromhex("10 19 0004 4d515454 04 ee 0001 0001 61 0001 77 0001 78 0001 75 0001 70")
    assert publish("t", b"xy", 7, retain=True) == bytes.fromhex("33 07 0001 74 0007 7879")
    assert puback(258) == bytes.fromhex("40 02 0102")
    assert subscribe(["a", "b"], 1) == bytes.fromhex("82 0a 0001 0001 61 01 0001 62 01")
    assert unsubscribe("a", 2) == bytes.fromhex("a2 05 0002 0001 61")
    assert publish("t", b"x" * 200, 1, retain=False)[:3] == bytes.fromhex("32 cd 01")


MESSAGES = st.builds(
    Publish,
    topic=st.text(st.characters(codec="utf-8"), min_size=1, max_size=20),
    payload=st.binary(max_size=300),
    retain=st.booleans(),
    packet_id=st.integers(1, 65_535),
)


@given(st.lists(MESSAGES, max_size=5), st.integers(1, 50))
def test_messages_are_read_wherever_the_stream_is_cut(sent: list[Publish], size: int) -> None:
    data = b"".join(
        publish(each.topic, each.payload or b"", each.packet_id or 0, retain=each.retain)
        for each in sent
    )
    assert read(data, size) == sent


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_the_broker_s_answers_are_read(size: int) -> None:
    data = bytes.fromhex("20 02 00 05  40 02 0007  90 04 0001 01 80  b0 02 0002  d0 00")
    assert read(data, size) == [
        Connack(5),
        Acknowledgement(7),
        Acknowledgement(1, (1, 0x80)),
        Acknowledgement(2),
        Pong(),
    ]


@given(
    st.lists(st.tuples(MESSAGES, st.booleans()), max_size=8),
    st.integers(1, 50),
    st.binary(max_size=2),
)
def test_what_is_sifted_is_not_told_unless_it_wants_an_answer_or_was_retained(
    sent: list[tuple[Publish, bool]], size: int, worthless: bytes
) -> None:
    def is_sifted(topic: bytes, payload: bytes) -> bool:
        return len(topic) < 10 and worthless in payload

    data, told = b"", list[Publish]()
    for each, acknowledged in sent:
        payload = each.payload or b""
        if acknowledged:
            data += publish(each.topic, payload, each.packet_id or 0, retain=each.retain)
            told.append(each)
        else:
            topic = each.topic.encode()
            data += bytes([0x30 | each.retain]) + remaining_length(2 + len(topic) + len(payload))
            data += len(topic).to_bytes(2, "big") + topic + payload
            if each.retain or not is_sifted(topic, payload):
                told.append(each._replace(packet_id=None))
    assert read(data, size, is_sifted) == told


def test_a_message_without_a_need_for_an_answer_has_no_number() -> None:
    assert read(bytes.fromhex("30 04 0001 74 78")) == [Publish("t", b"x", False, None)]


@pytest.mark.parametrize("size", [1000, 1 << 20])
@pytest.mark.parametrize("length", [MOST, MOST + 1, 100_000, 1_000_000])
def test_what_is_too_long_is_told_and_not_kept(length: int, size: int) -> None:
    data = publish("t", b"x" * length, 9, retain=False) + puback(1)
    kept = b"x" * length if length <= MOST else None
    assert read(data, size) == [Publish("t", kept, False, 9), Acknowledgement(1)]


def test_of_a_message_of_256_mebibytes_almost_nothing_is_kept() -> None:
    decoder = Decoder(MOST)
    data = b"\x32\xff\xff\xff\x7f" + b"\x00\x01t\x00\x09"
    assert [*decoder.feed(data + b"x" * 70_000)] == [Publish("t", None, False, 9)]
    for _ in range(100):
        assert [*decoder.feed(b"x" * 100_000)] == []
        assert len(decoder._rest) == 0


@pytest.mark.parametrize(
    "data",
    [
        "00 00",  # no such type
        "20 01 00",  # CONNACK, cut short
        "40 03 000700",  # PUBACK, too long
        "90 02 0001",  # SUBACK without a code
        "30 02 0005",  # a topic beyond the end
        "32 03 0001 74",  # no packet id
        "30 05 0002 ffff 78",  # a topic that is no UTF-8
        "d0 ff ff ff ff 01",  # a length of five bytes
        "40 ff ff 7f",  # an acknowledgement of two megabytes
    ],
)
def test_what_is_no_mqtt_is_refused(data: str) -> None:
    with pytest.raises(MalformedPacketError):
        read(bytes.fromhex(data))


@given(st.binary(max_size=400), st.integers(1, 40))
def test_any_bytes_are_packets_or_refused(data: bytes, size: int) -> None:
    try:
        whole = read(data)
    except MalformedPacketError:
        with pytest.raises(MalformedPacketError):
            read(data, size)
    else:
        assert read(data, size) == whole
