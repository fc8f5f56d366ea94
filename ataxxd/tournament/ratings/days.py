"""Days in UTC, counted from 1970-01-01: the rating periods.

Source of the calendar: Howard Hinnant, "chrono-compatible low-level date algorithms",
``civil_from_days``; it has no last year, as the times in offers have none.
"""

_DAY_MS = 86_400_000
# Years that begin in March, in eras of 400: from 0000-03-01 to 1970-01-01, and in an era.
_BEFORE_1970, _ERA = 719_468, 146_097


def day_of(unix_ms: int) -> int:
    """The day of a moment in Unix milliseconds."""
    return unix_ms // _DAY_MS


def end_of(day: int) -> int:
    """The first moment after a day, in Unix milliseconds."""
    return (day + 1) * _DAY_MS


def date_of(day: int) -> str:
    """A day as ``2026-11-24``."""
    era, of_era = divmod(day + _BEFORE_1970, _ERA)
    year = (of_era - of_era // 1460 + of_era // 36_524 - of_era // (_ERA - 1)) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    from_march = (5 * of_year + 2) // 153
    month = from_march + 3 if from_march < 10 else from_march - 9
    date = of_year - (153 * from_march + 2) // 5 + 1
    return f"{era * 400 + year + (month <= 2):04}-{month:02}-{date:02}"
