"""Checking each signature once in all: an exploration sees the same message a thousand times."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache

import pytest

from ataxxd.session import record
from ataxxd_protocol import codec
from ataxxd_protocol.signing import verify


@contextmanager
def checked_once() -> Iterator[None]:
    """Remember which signatures hold, for that never changes."""
    with pytest.MonkeyPatch.context() as patch:
        remembered = cache(verify)
        for module in (codec, record):
            patch.setattr(module, "verify", remembered)
        yield
