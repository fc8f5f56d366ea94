"""A verdict is one line; the details are for those who ask."""

from pathlib import Path

from ataxxd_clients.accept import (
    ProgramOutput,
    Test,
    Verdict,
    compare,
    details,
    summary,
    verdict_line,
    write_outputs,
)

TEST = Test("boards", (Path("boards.in"),))
PRINTED = ProgramOutput(Path("boards.in"), ("===", "==="), ("Error: no.",))
PASSED = Verdict(TEST, 0.42, (PRINTED,), None)
FAILED = Verdict(TEST, 0.42, (PRINTED,), "boards.in, line 3: nothing came")


def test_a_test_that_passed_is_one_line_with_its_seconds() -> None:
    assert verdict_line(PASSED, width=8) == "ok      boards      0.4 s"


def test_a_test_that_failed_is_one_line_with_its_reason() -> None:
    assert verdict_line(FAILED) == "FAILED  boards  boards.in, line 3: nothing came"


def test_colours_change_nothing_but_the_colour() -> None:
    assert verdict_line(FAILED, color=True).startswith("\x1b[31mFAILED\x1b[0m  boards")


def test_the_summary_counts_both_kinds_and_leaves_out_what_is_none() -> None:
    assert summary([PASSED, FAILED], 1.25) == "1 passed, 1 failed, 1.2 s"
    assert summary([PASSED], 2.0) == "1 passed, 2.0 s"


def test_one_that_passed_has_no_details() -> None:
    assert list(details(PASSED)) == []


def test_the_details_of_a_wait_in_vain_are_the_output_and_the_errors() -> None:
    lines = list(details(FAILED))
    assert lines[0] == "---- boards: boards.in, line 3: nothing came"
    assert "    ===" in lines
    assert "    Error: no." in lines
    assert lines[-1].endswith("ataxxd accept --verbose boards.in")


def test_the_details_of_a_difference_are_the_diff() -> None:
    difference = compare(["* Draw."], ["* Red wins."])
    lines = list(details(Verdict(TEST, 0.1, (PRINTED,), "it differs", difference)))
    assert "    -* Red wins." in lines
    assert "    +* Draw." in lines


def test_details_are_bounded_and_say_what_is_left_out() -> None:
    printed = ProgramOutput(
        Path("boards.in"), tuple(map(str, range(100))), tuple(map(str, range(200)))
    )
    lines = list(details(Verdict(TEST, 0.1, (printed,), "late")))
    assert len(lines) < 80
    assert "    (40 more lines of output)" in lines
    assert "    (190 earlier lines of standard error)" in lines
    assert "    199" in lines


def test_kept_files_hold_what_is_compared_and_what_went_wrong(tmp_path: Path) -> None:
    files = write_outputs(FAILED, tmp_path)
    assert [path.name for path in files] == ["boards.out", "boards.err"]
    assert files[0].read_text() == "===\n===\n"
    assert files[1].read_text() == "Error: no.\nboards.in, line 3: nothing came\n"
