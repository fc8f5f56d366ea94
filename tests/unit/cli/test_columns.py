"""Lists fit into a terminal, and what is in them stays whole."""

from ataxxd.cli.output import choose_fitting

WIDE = [
    ["evening", "playing", "ataxx/cs61b-2022", "ana (k7fq-3xa2-aaaa-bbbb-cccc)"],
    ["x", "", "", ""],
]
SHORT = [["evening", "playing", "ana (k7fq-3xa2)"], ["x", "", ""]]


def test_rows_are_as_long_as_they_may_be() -> None:
    assert choose_fitting([WIDE, SHORT], 80)[0].endswith("ana (k7fq-3xa2-aaaa-bbbb-cccc)")
    assert choose_fitting([WIDE, SHORT], 60) == ["evening  playing  ana (k7fq-3xa2)", "x"]


def test_what_fits_in_no_way_goes_on_below_and_breaks_no_word() -> None:
    lines = choose_fitting([WIDE, SHORT], 20)
    assert lines == ["evening  playing", "    ana (k7fq-3xa2)", "x"]
    assert "k7fq-3xa2-aaaa-bbbb-cccc" in choose_fitting([[["k7fq-3xa2-aaaa-bbbb-cccc"]]], 20)


def test_a_column_without_anything_takes_no_room() -> None:
    assert choose_fitting([[["a", "", "b"], ["c", "", "d"]]], 80) == ["a  b", "c  d"]
