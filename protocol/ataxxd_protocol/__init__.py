"""The mailbox protocol of ataxxd: messages, canonical codec, signatures, topics, version.

Depends on pydantic and cryptography only; it knows no game's rules and no broker. The
normative text is protocol/SPEC.md.
"""

from ataxxd_protocol.codec import (
    MAX_PAYLOAD,
    MalformedMessage,
    decode,
    decode_log_line,
    decode_log_proof,
    decode_record,
    encode,
    may_be_signed,
    signature_holds,
    signed,
)
from ataxxd_protocol.signing import SigningKey, grouped, node_id, position_digest
from ataxxd_protocol.topics import TOPICS, Address, Topics
from ataxxd_protocol.version import PROTOCOL_VERSION

__all__ = [
    "MAX_PAYLOAD",
    "PROTOCOL_VERSION",
    "TOPICS",
    "Address",
    "MalformedMessage",
    "SigningKey",
    "Topics",
    "decode",
    "decode_log_line",
    "decode_log_proof",
    "decode_record",
    "encode",
    "grouped",
    "may_be_signed",
    "node_id",
    "position_digest",
    "signature_holds",
    "signed",
]
