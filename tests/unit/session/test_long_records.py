"""A record costs as much an entry however long it is, so nobody can be kept busy by a long one."""

import sys

from ataxxd.session.record import verify_record
from tests.bench.bench_verify import long_record


def calls(entries: int) -> int:
    """How many calls, of Python's functions and built-in ones, it takes to verify a record."""
    record, count = long_record(entries), 0

    def note(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        verify_record(record)
    finally:
        sys.setprofile(before)
    return count


def test_four_times_the_entries_are_four_times_the_work() -> None:
    calls(8)  # what is made once
    assert calls(1_200) < 4.2 * calls(300)
