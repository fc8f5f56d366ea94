"""Clocks and lengths of time as people write them."""

import pytest

from ataxxd.errors import UsageError
from ataxxd.times import parse_clock, parse_duration_ms

MINUTE = 60_000


@pytest.mark.parametrize(
    ("text", "base_ms", "increment_ms"),
    [
        ("5+3", 5 * MINUTE, 3_000),
        ("5 + 3", 5 * MINUTE, 3_000),
        ("10+0", 10 * MINUTE, 0),
        ("0.5+0", MINUTE // 2, 0),
        ("1.25+2", 75_000, 2_000),
        ("10", 10 * MINUTE, 0),
        ("10m", 10 * MINUTE, 0),
        ("10m+5s", 10 * MINUTE, 5_000),
        ("10m+5", 10 * MINUTE, 5_000),
        ("1h30m", 90 * MINUTE, 0),
        ("10s+100ms", 10_000, 100),
    ],
)
def test_a_clock_is_read_as_chess_sites_write_it(
    text: str, base_ms: int, increment_ms: int
) -> None:
    fields = parse_clock(text)
    assert fields is not None
    assert (fields["base_ms"], fields["increment_ms"]) == (base_ms, increment_ms)


@pytest.mark.parametrize(("text", "move_ms"), [("30s/move", 30_000), ("3d/move", 259_200_000)])
def test_a_clock_may_be_for_each_move(text: str, move_ms: int) -> None:
    fields = parse_clock(text)
    assert fields is not None
    assert fields["move_ms"] == move_ms


def test_no_clock_is_none() -> None:
    assert parse_clock("none") is None


@pytest.mark.parametrize(
    "text", ["", "soon", "10m/game", "30/move", "0+3", "5+", "+3", "-5", "5+3+1", "0.0+1", "0.5m"]
)
def test_what_is_no_clock_is_answered_by_examples(text: str) -> None:
    with pytest.raises(UsageError, match=r"--clock '.*' is not a clock: write 5\+3 .*30s/move"):
        parse_clock(text)


def test_a_number_alone_is_a_length_of_time_only_where_its_unit_is_known() -> None:
    assert parse_duration_ms("90", "--expires", bare="m") == 90 * MINUTE
    with pytest.raises(UsageError, match="--grace '90' is not a length of time"):
        parse_duration_ms("90", "--grace")
