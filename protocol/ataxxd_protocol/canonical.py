"""The one byte form of a JSON object: RFC 8785, for the values the protocol allows.

The protocol has strings, integers, arrays and objects with ASCII keys only; for these
Python's own encoder, with sorted keys and no blanks, writes exactly RFC 8785.
"""

import json
from typing import Any

# Made once: a message passes through it several times.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def canonical_json(value: Any) -> bytes:
    """The RFC 8785 form of a JSON value without floats, as UTF-8.

    Raises:
        ValueError: a lone surrogate, or another value that JSON cannot carry.
        TypeError: a value that is no JSON.
    """
    return _ENCODER.encode(value).encode()
