"""Who of a group takes a call: an order that every member computes alike."""

import hashlib
from collections.abc import Iterable


def ranking(call: str, members: Iterable[str]) -> list[str]:
    """The members in the order in which they take a call.

    By the highest random weight: each call has an order of its own, and where a member comes
    or goes the others keep theirs.

    Args:
        call: digest of the call.
        members: their node ids.
    """
    return sorted(set(members), key=lambda member: _weight(call, member), reverse=True)


def _weight(call: str, member: str) -> bytes:
    return hashlib.sha256(f"{call}\n{member}".encode()).digest()
