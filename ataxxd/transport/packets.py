"""MQTT 3.1.1 packets of a client, encoded and decoded; no sockets, no clock.

Source: MQTT Version 3.1.1, OASIS Standard. Only what our wire rules use: QoS 1 out, clean sessions.
Incoming messages are read whatever their QoS.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, TypeAlias

PINGREQ, DISCONNECT = b"\xc0\x00", b"\xe0\x00"
# The longest packet that is not a PUBLISH: a SUBACK for very many filters still fits.
_MAX_OF_OTHERS = 1 << 16
_MAX_OF_A_TOPIC = 2 + 65_535 + 2
# The first byte of a message of QoS 0 that was not retained.
_UNACKNOWLEDGED = 0x30


class _Type(IntEnum):
    CONNACK, PUBLISH, PUBACK, SUBACK, UNSUBACK, PINGRESP = 2, 3, 4, 9, 11, 13


class MalformedPacketError(Exception):
    """The other end does not speak MQTT 3.1.1; the text says what it sent instead."""


@dataclass(frozen=True, slots=True)
class Connack:
    """The broker's answer to CONNECT; code 0 accepts it."""

    code: int


class Publish(NamedTuple):  # faster to create than a frozen dataclass, for floods
    """A message.

    Attributes:
        payload: None if it was too long.
        packet_id: the id to acknowledge; None at QoS 0.
    """

    topic: str
    payload: bytes | None
    retain: bool
    packet_id: int | None


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """An acknowledgement of our message or request; `codes` are those of a subscription."""

    packet_id: int
    codes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pong:
    """The broker's answer to a ping."""


Packet: TypeAlias = Connack | Publish | Acknowledgement | Pong


# To the broker


def connect(
    client: str,
    *,
    keepalive: int,
    user: str | None,
    password: str | None,
    will: tuple[str, bytes, bool] | None,
) -> bytes:
    """Encode CONNECT for a clean session; a will is topic, payload and whether to retain it."""
    flags, body = 0x02, [_text(client)]
    if will is not None:
        topic, payload, retain = will
        flags |= 0x04 | 1 << 3 | retain << 5
        body += [_text(topic), len(payload).to_bytes(2, "big"), payload]
    if user is not None:
        flags |= 0x80
        body.append(_text(user))
        if password is not None:
            flags |= 0x40
            body.append(_text(password))
    head = _text("MQTT") + bytes([4, flags]) + keepalive.to_bytes(2, "big")
    return _packet(0x10, head + b"".join(body))


def publish(topic: str, payload: bytes, packet_id: int, *, retain: bool) -> bytes:
    """Encode PUBLISH at QoS 1."""
    return _packet(0x32 | retain, _text(topic) + packet_id.to_bytes(2, "big") + payload)


def puback(packet_id: int) -> bytes:
    """Encode PUBACK for a message received at QoS 1."""
    return b"\x40\x02" + packet_id.to_bytes(2, "big")


def subscribe(patterns: Sequence[str], packet_id: int, qos: int = 1) -> bytes:
    """Encode SUBSCRIBE."""
    body = b"".join(_text(pattern) + bytes([qos]) for pattern in patterns)
    return _packet(0x82, packet_id.to_bytes(2, "big") + body)


def unsubscribe(pattern: str, packet_id: int) -> bytes:
    """Encode UNSUBSCRIBE."""
    return _packet(0xA2, packet_id.to_bytes(2, "big") + _text(pattern))


def _text(value: str) -> bytes:
    encoded = value.encode()
    return len(encoded).to_bytes(2, "big") + encoded


def _packet(first: int, body: bytes) -> bytes:
    length, head = len(body), bytearray([first])
    while True:
        length, digit = divmod(length, 128)
        head.append(digit | (0x80 if length else 0))
        if not length:
            return bytes(head) + body


# From the broker

Sifts: TypeAlias = Callable[[bytes, bytes], bool]
"""Whether to leave out a message, given its topic (in UTF-8) and its payload."""


class Decoder:
    """Decodes packets from bytes that arrive in any pieces.

    A message longer than `most` bytes is reported without its payload, which is not stored. One at
    QoS 0 that `sifts` leaves out is not reported at all.
    """

    def __init__(self, max_payload: int, sifts: Sifts | None = None) -> None:
        """Begin at the first byte of a connection."""
        self._max_payload = max_payload
        self._sifts = sifts
        self._rest = b""
        self._skip = 0

    def feed(self, data: bytes) -> Iterator[Packet]:
        """Decode the packets that are complete now; the iterator must be exhausted.

        Raises:
            MalformedPacketError: nothing more can be read from this connection.
        """
        if self._skip:
            gone = min(self._skip, len(data))
            self._skip -= gone
            data = data[gone:]
        data, at = self._rest + data, 0
        while True:
            length, begin = _length(data, at)
            end = begin + length
            if begin == 0:
                break
            first = data[at]
            kind = first >> 4
            if kind == _Type.PUBLISH:
                if length > self._max_payload + _MAX_OF_A_TOPIC:
                    if len(data) < begin + _MAX_OF_A_TOPIC:
                        break
                    yield self._message(first, data[begin : begin + _MAX_OF_A_TOPIC], cut=True)
                    self._skip = max(0, end - len(data))
                elif len(data) < end:
                    break
                elif not (first == _UNACKNOWLEDGED and self._left_out(data, begin, end)):
                    yield self._message(first, data[begin:end])
            elif length > _MAX_OF_OTHERS:
                raise MalformedPacketError(f"a packet of type {kind} with {length} bytes")
            elif len(data) < end:
                break
            else:
                yield _other(kind, data[begin:end])
            at = end
        self._rest = data[at:]

    def _left_out(self, data: bytes, begin: int, end: int) -> bool:
        if self._sifts is None or end < begin + 2:
            return False
        payload = begin + 2 + (data[begin] << 8 | data[begin + 1])
        return payload <= end and self._sifts(data[begin + 2 : payload], data[payload:end])

    def _message(self, first: int, body: bytes, *, cut: bool = False) -> Publish:
        topic, at = _read_text(body)
        packet_id = None
        if first & 0x06:
            packet_id = _read_number(body, at)
            at += 2
        payload = None if cut or len(body) - at > self._max_payload else body[at:]
        return Publish(topic, payload, bool(first & 1), packet_id)


def _length(data: bytes, at: int) -> tuple[int, int]:
    """The length of a packet's body, and where that begins; 0 when not known yet."""
    if at + 1 < len(data) and (length := data[at + 1]) < 0x80:  # most are short
        return length, at + 2
    length = 0
    for index in range(at + 1, min(len(data), at + 5)):
        digit = data[index]
        length |= (digit & 0x7F) << (7 * (index - at - 1))
        if digit < 0x80:
            return length, index + 1
    if len(data) >= at + 5:
        raise MalformedPacketError("a packet without a length")
    return 0, 0


def _other(kind: int, body: bytes) -> Packet:
    match kind:
        case _Type.CONNACK if len(body) == 2:
            return Connack(body[1])
        case _Type.PUBACK | _Type.UNSUBACK if len(body) == 2:
            return Acknowledgement(_read_number(body, 0))
        case _Type.SUBACK if len(body) >= 3:
            return Acknowledgement(_read_number(body, 0), tuple(body[2:]))
        case _Type.PINGRESP if not body:
            return Pong()
        case _:
            raise MalformedPacketError(f"a packet of type {kind} with {len(body)} bytes")


def _read_number(body: bytes, at: int) -> int:
    if len(body) < at + 2:
        raise MalformedPacketError("a packet that is cut short")
    return body[at] << 8 | body[at + 1]


def _read_text(body: bytes) -> tuple[str, int]:
    end = 2 + _read_number(body, 0)
    if len(body) < end:
        raise MalformedPacketError("a packet that is cut short")
    try:
        return body[2:end].decode(), end
    except UnicodeDecodeError:
        raise MalformedPacketError("a topic that is no UTF-8") from None
