"""Parses untrusted bytes into typed messages, and encodes messages.

A payload is one UTF-8 JSON object in canonical form, at most `MAX_PAYLOAD` bytes. Anything that is
not byte for byte its own canonical form is malformed, so a message has only one spelling and one
digest. This module does not know games, keys or topics.
"""

import json
from typing import Annotated, Any, NoReturn, TypeVar

from pydantic import Field, TypeAdapter, ValidationError

from ataxxd_protocol.faults import first_fault
from ataxxd_protocol.messages import (
    AnyLogLine,
    AnyMessage,
    LogEntry,
    LogProof,
    Message,
    Record,
    SignedMessage,
)
from ataxxd_protocol.signing import SigningKey, canonical_json, verify

MAX_PAYLOAD = 16 * 1024
MAX_INTEGER = 2**53 - 1

_ANY: TypeAdapter[AnyMessage] = TypeAdapter(Annotated[AnyMessage, Field(discriminator="type")])

_RECORD: TypeAdapter[Record] = TypeAdapter(Record)
_LOG_LINE: TypeAdapter[AnyLogLine] = TypeAdapter(Annotated[AnyLogLine, Field(discriminator="type")])
_LOG_PROOF: TypeAdapter[LogProof] = TypeAdapter(LogProof)

_IN_FILES = (Record, LogEntry, LogProof)

MessageT = TypeVar("MessageT", bound=Message)
SignedT = TypeVar("SignedT", bound=SignedMessage)


class MalformedMessage(ValueError):
    """The bytes are not a message of this protocol; the text says what is wrong."""


def encode(message: Message) -> bytes:
    """The canonical bytes of `message`.

    Raises:
        ValueError: the payload would be larger than `MAX_PAYLOAD`; that is allowed only in files.
    """
    payload = canonical_json(message.fields())
    if len(payload) > MAX_PAYLOAD and not isinstance(message, _IN_FILES):
        raise ValueError(f"a payload of {len(payload)} bytes is over the limit of {MAX_PAYLOAD}")
    return payload


def decode(payload: bytes, *, unsigned_too: bool = False) -> AnyMessage:
    """The message in `payload`; its signature is present but not yet checked.

    Args:
        payload: the bytes received.
        unsigned_too: accept a message without a signature. Nobody sends one, but a node may store
            one that it read from a state, which has only the newest signatures.

    Raises:
        MalformedMessage: too large, not UTF-8, not JSON, not canonical, an unknown type,
            a missing, superfluous or impossible field.
    """
    if len(payload) > MAX_PAYLOAD:
        raise MalformedMessage(f"{len(payload)} bytes; the limit is {MAX_PAYLOAD}")
    message = _parse(_ANY, payload, AnyMessage)
    if isinstance(message, SignedMessage) and message.sig is None and not unsigned_too:
        raise MalformedMessage("sig: it is missing")
    return message


def decode_record(data: bytes) -> Record:
    """Decode the record in a file's bytes, which end with one newline.

    Raises:
        MalformedMessage: as `decode`, or the newline is missing.
    """
    return _parse(_RECORD, _without_newline(data), Record)


def decode_log_line(line: bytes) -> AnyLogLine:
    """Decode a line of a club's log, without its line feed: an entry or a head.

    Raises:
        MalformedMessage: as for `decode`, except that the size is not limited.
    """
    message = _parse(_LOG_LINE, line, AnyLogLine)
    if isinstance(message, SignedMessage) and message.sig is None:
        raise MalformedMessage("sig: it is missing")
    return message


def decode_log_proof(data: bytes) -> LogProof:
    """Decode the proof in a file's bytes, which end with one newline.

    Raises:
        MalformedMessage: as `decode`, or the newline is missing.
    """
    return _parse(_LOG_PROOF, _without_newline(data), LogProof)


def _without_newline(data: bytes) -> bytes:
    if not data.endswith(b"\n"):
        raise MalformedMessage(
            "the file does not end with a newline: it is cut short or was edited"
        )
    return data[:-1]


def _parse(adapter: TypeAdapter[MessageT], data: bytes, wanted: Any) -> MessageT:
    try:
        value = json.loads(
            data.decode(), parse_float=_no_float, parse_constant=_no_float, parse_int=_bounded_int
        )
        if not isinstance(value, dict):
            raise MalformedMessage("this is not a JSON object")
        message = adapter.validate_python(value)
        again = canonical_json(message.fields())
    except UnicodeDecodeError as error:
        raise MalformedMessage(f"this is not UTF-8 at byte {error.start}") from None
    except UnicodeEncodeError:
        raise MalformedMessage("a string holds a lone surrogate") from None
    except json.JSONDecodeError as error:
        raise MalformedMessage(f"this is not JSON: {error.msg} at character {error.pos}") from None
    except RecursionError:
        raise MalformedMessage("this is nested too deeply") from None
    except ValidationError as error:
        raise MalformedMessage(first_fault(error, wanted)) from None
    # This one comparison catches blanks, unsorted or repeated keys, nulls and odd escapes.
    if again != data:
        at = next(
            (i for i, (a, b) in enumerate(zip(data, again, strict=False)) if a != b),
            min(len(data), len(again)),
        )
        raise MalformedMessage(
            f"this is not in canonical form (RFC 8785) from byte {at} on: it was edited, or "
            "written by another program"
        )
    return message


_SIG = b'"sig":"'
_SIG_LENGTH = 128


def may_be_signed(payload: bytes, public_key: str) -> bool:
    """Whether `payload` may be a message signed with `public_key`; checked without parsing it.

    If it is False, `decode` would fail or `signature_holds` would be False. The signed bytes of a
    canonical message are the payload without its last ``sig`` field: messages inside it come
    earlier. The field never ends the payload, because ``type`` follows it.
    """
    before, mark, after = payload.rpartition(_SIG)
    signature, rest = after[:_SIG_LENGTH], after[_SIG_LENGTH:]
    if not mark or not rest.startswith(b'",'):
        return False
    return verify(public_key, before + rest[2:], signature.decode("ascii", "replace"))


def signed(message: SignedT, key: SigningKey) -> SignedT:
    """A copy of `message`, signed with `key`."""
    return message.model_copy(update={"sig": key.sign(message.signed_bytes)})


def signature_holds(message: SignedMessage, public_key: str) -> bool:
    """Whether `message` carries a valid signature by `public_key`."""
    return message.sig is not None and verify(public_key, message.signed_bytes, message.sig)


def _no_float(text: str) -> NoReturn:
    raise MalformedMessage(f"the number {text[:20]} is not an integer")


def _bounded_int(text: str) -> int:
    if len(text) > 17 or abs(int(text)) > MAX_INTEGER:
        raise MalformedMessage(f"the number {text[:20]} is out of range")
    return int(text)
