"""The terms of a game as options and people write them: clock, grace, and who may join."""

import re
from typing import Any

from ataxxd.errors import UsageError
from ataxxd.times import clock_fields, duration_ms, length
from ataxxd_protocol import grouped
from ataxxd_protocol.fields import NODE_PATTERN
from ataxxd_protocol.messages import Offer
from ataxxd_protocol.version import free_first_ms


def access_field(guest: str | None, *, invited: bool, option: str = "--guest") -> str | None:
    """Who may join, for an offer; None for anyone.

    Raises:
        UsageError: the options contradict each other, or `guest` is no node id.
    """
    if guest is None:
        return "invited" if invited else None
    if invited:
        raise UsageError("--guest keeps the seat for one node already: leave out --invited.")
    node = guest.replace("-", "").lower()
    if not re.fullmatch(NODE_PATTERN, node):
        raise UsageError(
            f"{option} {guest!r} is no node id: it has 20 letters and digits, and the guest sees "
            "it with: ataxxd id"
        )
    return node


def as_text(offer: Offer, *, taken: bool = False) -> str:
    """The terms of an offer in words; empty when there are none.

    Args:
        offer: the game's.
        taken: both seats are, so that nobody needs to know who may join.
    """
    said = []
    clock = offer.clock
    if clock is not None and clock.move_ms is not None:
        said.append(f"{length(clock.move_ms)} for each move")
    elif clock is not None and clock.base_ms is not None:
        added = f" and {length(clock.increment_ms)} a move" if clock.increment_ms else ""
        said.append(f"{length(clock.base_ms)} each{added}")
    if clock is not None and (free := free_first_ms(offer.v)):
        said.append(f"each clock starts with its player's first move, or after {length(free)}")
    if offer.grace_ms is not None:
        said.append(f"a player who is silent for {length(offer.grace_ms)} may lose")
    if offer.takebacks == "never":
        said.append("no takebacks")
    if taken:
        pass
    elif offer.access == "invited":
        said.append("by invitation only")
    elif offer.access is not None:
        said.append(f"the seat is kept for {grouped(offer.access)}")
    return "; ".join(said)


def offer_fields(
    clock: str, grace: str, *, takebacks: bool, guest: str | None, invited: bool
) -> dict[str, Any]:
    """What the options say, as fields of an offer.

    Raises:
        UsageError: one of them says nothing, or they contradict each other.
    """
    fields: dict[str, Any] = {
        "clock": clock_fields(clock),
        "grace_ms": None if grace == "never" else duration_ms(grace, "--grace"),
        "takebacks": None if takebacks else "never",
        "access": access_field(guest, invited=invited),
    }
    return {name: value for name, value in fields.items() if value is not None}
