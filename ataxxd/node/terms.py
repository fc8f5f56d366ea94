"""The terms of a game as options and people write them: clock, grace, and who may join."""

import re
from typing import Any

from ataxxd.errors import UsageError
from ataxxd_protocol import grouped
from ataxxd_protocol.fields import NODE_PATTERN
from ataxxd_protocol.messages import Offer

_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
# What the wire may take; a QoS 1 message over a bad mobile network still comes within it.
_LAG_MS, _LAG_OF_DAYS_MS = 2_000, 60_000


def duration_ms(text: str, option: str) -> int:
    """``90s``, ``10m``, ``1h30m`` or ``3d`` in milliseconds.

    Raises:
        UsageError: it is none; says how to write one.
    """
    parts = _DURATION.findall(text)
    total = sum(int(number) * _UNITS_MS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != text or not 0 < total < 2**53:
        raise UsageError(f"{option} {text!r} is no length of time: write 90s, 10m, 1h30m or 3d.")
    return total


def clock_fields(text: str, option: str = "--clock") -> dict[str, int] | None:
    """A clock for an offer: ``10m+5s``, ``10m``, ``30s/move``, ``3d/move``; None for ``none``.

    Args:
        text: as people write it.
        option: where they wrote it, for the error.

    Raises:
        UsageError: it is none of these.
    """
    if text == "none":
        return None
    whole, slash, per = text.partition("/")
    if slash:
        if per != "move":
            raise UsageError(
                f"{option} {text!r}: after the slash comes the word move, as in 3d/move."
            )
        move_ms = duration_ms(whole, option)
        days = move_ms >= _UNITS_MS["d"]
        return {"move_ms": move_ms, "lag_ms": _LAG_OF_DAYS_MS if days else _LAG_MS}
    base, plus, increment = text.partition("+")
    return {
        "base_ms": duration_ms(base, option),
        "increment_ms": duration_ms(increment, option) if plus else 0,
        "lag_ms": _LAG_MS,
    }


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


def as_text(offer: Offer) -> str:
    """The terms of an offer in words; empty when there are none."""
    said = []
    clock = offer.clock
    if clock is not None and clock.move_ms is not None:
        said.append(f"{length(clock.move_ms)} for each move")
    elif clock is not None and clock.base_ms is not None:
        added = f" and {length(clock.increment_ms)} a move" if clock.increment_ms else ""
        said.append(f"{length(clock.base_ms)} each{added}")
    if offer.grace_ms is not None:
        said.append(f"who does not answer for {length(offer.grace_ms)} may lose")
    if offer.takebacks == "never":
        said.append("no takebacks")
    if offer.access == "invited":
        said.append("only with the invitation")
    elif offer.access is not None:
        said.append(f"only for {grouped(offer.access)}")
    return "; ".join(said)


def length(milliseconds: int) -> str:
    """A length of time in the largest units that fit: ``1h 30m``, ``3d``, ``90s`` as ``1m 30s``."""
    parts: list[str] = []
    for unit in ("d", "h", "m", "s", "ms"):
        count, milliseconds = divmod(milliseconds, _UNITS_MS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


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
