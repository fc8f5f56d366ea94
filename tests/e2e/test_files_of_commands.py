"""``ataxxd play FILE...``: scripts read in turn, and none of them written over."""

import subprocess
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.e2e.line_program import PROGRAM
from tests.time_limits import DEADLINE

FIRST, SECOND = "manual blue\na7-b6\n", "a1-a2\ndump\n"
AFTER_BOTH = "  r - - - - - b\n  - r - - - - -\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "x-1.in").write_text(FIRST)
    (tmp_path / "x-2.in").write_text(SECOND)
    (tmp_path / "begun.txt").write_text("1. 11-15\n")
    return tmp_path


def run(folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, *arguments], cwd=folder,
        capture_output=True, text=True, timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL,
    )  # fmt: skip


def untouched(folder: Path) -> bool:
    kept = [(folder / f"x-{number}.in").read_text() for number in (1, 2)]
    return [*kept, (folder / "begun.txt").read_text()] == [FIRST, SECOND, "1. 11-15\n"]


def test_both_scripts_of_a_test_are_read_in_turn_and_neither_is_written(folder: Path) -> None:
    for _ in range(2):
        done = run(folder, "play", "x-1.in", "x-2.in")
        assert (done.returncode, done.stderr) == (ExitCode.OK, "")
        assert AFTER_BOTH in done.stdout
        assert untouched(folder)


def test_the_output_goes_to_a_file_that_is_named_as_such(folder: Path) -> None:
    for _ in range(2):
        done = run(folder, "play", "--output", "out", "x-1.in", "x-2.in")
        assert (done.returncode, done.stdout) == (ExitCode.OK, "")
        assert AFTER_BOTH in (folder / "out").read_text()


@pytest.mark.parametrize(
    "arguments",
    [
        ("play", "--output", "x-1.in", "x-1.in"),
        ("play", "--log", "x-2.in", "x-1.in", "x-2.in"),
        ("play", "--game", "loa", "x-1.in", "x-1.in"),
        ("play", "--game", "loa", "x-1.in", "x-2.in"),
        ("play", "--game", "checkers", "--init", "begun.txt", "--transcript", "begun.txt"),
        ("host", "g", "--game", "checkers", "--init", "begun.txt", "--transcript", "begun.txt"),
        ("convert", "--to", "pdn", "begun.txt", "./begun.txt"),
        ("picture", "begun.txt", "begun.txt"),
        ("match", "first", "first", "--openings", "begun.txt", "--transcript", "begun.txt"),
    ],
    ids=" ".join,
)
def test_what_is_read_is_refused_as_output(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run(folder, *arguments)
    assert done.returncode == ExitCode.USAGE
    assert untouched(folder)
    assert "x-1.in" in done.stderr or "x-2.in" in done.stderr or "begun.txt" in done.stderr


def test_a_second_file_that_is_not_there_is_told_how_to_be_written(folder: Path) -> None:
    done = run(folder, "play", "x-1.in", "new")
    assert done.returncode == ExitCode.STORAGE
    assert "new cannot be read: there is no such file. To write to it, say: --output new" in (
        done.stderr
    )
    assert not (folder / "new").exists()


def test_in_lines_of_action_the_second_file_is_the_output(folder: Path) -> None:
    (folder / "loa.in").write_text("dump\n")
    for _ in range(2):
        done = run(folder, "play", "--game", "loa", "loa.in", "out")
        assert (done.returncode, done.stdout) == (ExitCode.OK, "")
        assert (folder / "out").read_text().startswith("===\n    - b b")


@pytest.mark.parametrize(
    "arguments", [("--output", "-", "x-2.in"), ("--game", "loa", "x-2.in", "-")]
)
def test_a_dash_is_standard_output_and_no_file(folder: Path, arguments: tuple[str, ...]) -> None:
    done = run(folder, "play", *arguments)
    assert (done.returncode, done.stdout.count("===")) == (ExitCode.OK, 2)
    assert not (folder / "-").exists()


def test_standard_input_twice_is_refused(folder: Path) -> None:
    done = run(folder, "play", "-", "x-1.in", "-")
    assert (done.returncode, done.stdout) == (ExitCode.USAGE, "")
    assert "is read only once" in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [("play", "--output", "/dev/full", "dump.in"), ("play", "dump.in"), ("lab", "eval", "{}")],
    ids=" ".join,
)
def test_output_that_finds_no_room_is_no_fault_of_the_program(
    folder: Path, arguments: tuple[str, ...]
) -> None:
    (folder / "dump.in").write_text("dump\n")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, *arguments], cwd=folder, stdout=full, stderr=subprocess.PIPE,
            text=True, timeout=DEADLINE, check=False, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    assert done.returncode == ExitCode.STORAGE
    assert done.stderr == (
        "ataxxd: The output cannot be written: No space left on device. Make room, or write "
        "elsewhere.\n"
    )
