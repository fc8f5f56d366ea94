"""Times as people write them (``90s``, ``5+3``, ``3d/move``), and the clocks of the machine."""

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from ataxxd.errors import UsageError

_UNITS_MS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_NUMBER = re.compile(r"[0-9]{1,9}")
_FRACTION = re.compile(r"[0-9]{1,6}\.[0-9]{1,3}")
_DURATION = re.compile(r"([0-9]{1,9})(ms|s|m|h|d)")
# Allowance for delivery: even over a bad mobile network, a QoS 1 message takes no longer.
_LAG_MS, _LAG_OF_DAYS_MS = 2_000, 60_000


def parse_duration_ms(text: str, option: str, *, bare: str | None = None) -> int:
    """``500ms``, ``90s``, ``10m``, ``1h30m`` or ``3d`` in milliseconds.

    Args:
        text: as people write it.
        option: where they wrote it, for the error.
        bare: the unit of a number without one; None refuses such a number.

    Raises:
        UsageError: it is not a length of time; the text says how to write one.
    """
    whole = f"{text}{bare}" if bare is not None and _NUMBER.fullmatch(text) else text
    parts = _DURATION.findall(whole)
    total = sum(int(number) * _UNITS_MS[unit] for number, unit in parts)
    if "".join(number + unit for number, unit in parts) != whole or not 0 < total < 2**53:
        raise UsageError(
            f"{option} {text!r} is not a length of time: write 500ms, 90s, 10m, 1h30m or 3d."
        )
    return total


def parse_clock(text: str, option: str = "--clock") -> dict[str, int] | None:
    """A clock for an offer; None for ``none``.

    Args:
        text: as people write it: ``5+3``, ``0.5+0`` or ``10`` (minutes, and seconds added per
            move), the same with units as ``10m+5s`` or ``10m``, ``30s/move``, ``3d/move`` or
            ``none``.
        option: where they wrote it, for the error.

    Raises:
        UsageError: it is none of these.
    """
    word = text.replace(" ", "").lower()
    if word == "none":
        return None
    wrong = UsageError(
        f"{option} {text!r} is not a clock: write 5+3 (5 minutes each, and 3 seconds more for each "
        "move), 10m, 10m+5s, 30s/move, 3d/move or none."
    )
    whole, slash, per = word.partition("/")
    if slash and per != "move":
        raise wrong
    try:
        if slash:
            move_ms = parse_duration_ms(whole, option)
            days = move_ms >= _UNITS_MS["d"]
            return {"move_ms": move_ms, "lag_ms": _LAG_OF_DAYS_MS if days else _LAG_MS}
        base, plus, increment = word.partition("+")
        if _FRACTION.fullmatch(base):
            base = f"{round(float(base) * _UNITS_MS['m'])}ms"
        nothing = not plus or increment in ("0", "0s")
        return {
            "base_ms": parse_duration_ms(base, option, bare="m"),
            "increment_ms": 0 if nothing else parse_duration_ms(increment, option, bare="s"),
            "lag_ms": _LAG_MS,
        }
    except UsageError:
        raise wrong from None


def format_duration(milliseconds: int) -> str:
    """A length of time in the largest units that fit: ``1h 30m``, ``3d``, ``90s`` as ``1m 30s``."""
    parts: list[str] = []
    for unit in ("d", "h", "m", "s", "ms"):
        count, milliseconds = divmod(milliseconds, _UNITS_MS[unit])
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def format_deadline(left_ms: float) -> str:
    """When something must be done, to the second: ``within 2m``; ``now`` if no time is left."""
    left_s = round(left_ms / 1000)
    return f"within {format_duration(left_s * 1000)}" if left_s > 0 else "now"


def format_age(then_ms: int, now_ms: int) -> str:
    """How long ago a time of day was, in its largest unit: ``3d``, ``5h``; at least ``1s``."""
    return format_duration(max(1000, now_ms - then_ms)).split()[0]


def format_local_time(unix_ms: int) -> datetime:
    """A time in Unix milliseconds as a date and time in this machine's time zone."""
    return datetime.fromtimestamp(unix_ms / 1000).astimezone()


@dataclass(frozen=True, slots=True)
class Clock:
    """Two clocks of one machine.

    Attributes:
        monotonic: seconds since an arbitrary moment, never set back; for measuring durations.
        wall: seconds since 1970-01-01 UTC, which people may set; for times of day.
    """

    monotonic: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time

    def now_ms(self) -> int:
        """The time of day in milliseconds, as messages have it."""
        return int(self.wall() * 1000)


SYSTEM_CLOCK = Clock()
