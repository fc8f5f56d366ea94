"""What is read is never written over, whatever it is called."""

import sys
from pathlib import Path

import pytest

from ataxxd.cli.files import STANDARD, check_distinct_files
from ataxxd.errors import UsageError


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "game.in"
    path.write_text("dump\n")
    return path


def same(script: Path, kind: str) -> Path:
    other = script.parent / kind
    match kind:
        case "symlink":
            other.symlink_to(script)
        case "hard link":
            other.hardlink_to(script)
        case "way round":
            other.mkdir()
            return other / ".." / script.name
        case _:
            return script
    return other


@pytest.mark.parametrize("kind", ["same name", "symlink", "hard link", "way round"])
def test_a_file_that_is_read_is_not_written_under_any_name(script: Path, kind: str) -> None:
    with pytest.raises(UsageError, match=r"--log .* would overwrite IN .*game.in: .*Name another"):
        check_distinct_files(reads=[("IN", script)], writes=[("--log", same(script, kind))])


def test_standard_input_is_a_file_that_is_read(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with script.open() as file:
        monkeypatch.setattr(sys, "stdin", file)
        with pytest.raises(UsageError, match="would overwrite standard input:"):
            check_distinct_files(
                reads=[("standard input", STANDARD)], writes=[("--output", script)]
            )


def test_standard_output_is_a_file_that_is_written(
    script: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with script.open("a") as file:
        monkeypatch.setattr(sys, "stdout", file)
        with pytest.raises(UsageError, match="standard output would overwrite IN"):
            check_distinct_files(reads=[("IN", script)], writes=[("standard output", STANDARD)])


def test_two_files_that_do_not_exist_yet_may_not_be_one(tmp_path: Path) -> None:
    new = tmp_path / "new"
    with pytest.raises(UsageError, match=r"--log .* and --output .* same file"):
        check_distinct_files(
            reads=[], writes=[("--output", new), ("--log", tmp_path / "." / "new")]
        )


def test_devices_and_different_files_are_no_concern(script: Path) -> None:
    null = Path("/dev/null")
    check_distinct_files(
        reads=[("IN", null), ("IN", script), ("--init", None)],
        writes=[("--log", null), ("--output", script.parent / "out"), ("--transcript", None)],
    )
