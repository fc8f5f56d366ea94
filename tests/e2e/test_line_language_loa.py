"""``ataxxd play --game loa`` as harnesses see it: pipes, files, options and exit statuses."""

import subprocess
from pathlib import Path

import pytest

from tests.e2e.line_program import PROGRAM
from tests.time_limits import DEADLINE


def play(text: str, *arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    """Run the program on a text that is all there from the beginning."""
    return subprocess.run(
        [*PROGRAM, "play", "--game", "loa", *map(str, arguments)],
        input=text,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


def test_the_log_has_every_command_and_move_and_repeats_the_session(tmp_path: Path) -> None:
    log, again = tmp_path / "log", tmp_path / "again"
    typed = "manual white\n\n  b1-b3 \nbogus\n# a remark\na2-c2\ndump\nquit\nb3-b1\n"
    first = play(typed, f"--log={log}")
    assert first.returncode == 0
    assert log.read_text() == "manual white\nb1-b3\nbogus\n# a remark\na2-c2\ndump\nquit\n"
    second = play("", log, again)
    assert second.returncode == 0
    assert again.read_text() == first.stdout
    assert first.stdout.endswith("Next move: black\n===\n")


def test_commands_come_from_a_file_and_output_goes_to_one(tmp_path: Path) -> None:
    script, out = tmp_path / "in", tmp_path / "out"
    script.write_text("manual white\nb1-b3\ndump\n")
    run = play("dump\n", script, out)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")
    assert out.read_text().count("===\n") == 2
    assert "Next move: white" in out.read_text()


def test_display_with_one_dash_is_refused_with_status_2_and_explained() -> None:
    run = play("dump\n", "-display")
    assert run.returncode == 2
    assert run.stdout == ""
    assert "Type --display" in run.stderr


def test_a_log_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing" / "log"
    run = play("dump\n", "--log", missing)
    assert run.returncode not in (0, 1)
    assert str(missing) in run.stderr
    full = play("dump\n", "--log", "/dev/full")
    assert full.returncode == run.returncode
    assert "No space left" in full.stderr
    assert "Traceback" not in full.stderr


def test_two_ais_play_to_the_end_after_the_input_is_closed() -> None:
    games = [play("seed 5\nauto black\n", "--level", "2") for _ in range(2)]
    assert games[0].stdout == games[1].stdout
    *moves, result = games[0].stdout.splitlines()
    assert result in {"* White wins.", "* Black wins.", "* Tie game."}
    assert moves
    assert all(len(move) == len("* a2-c2") and move.startswith("* ") for move in moves)


def test_any_player_can_be_named_for_either_side() -> None:
    run = play("", "--player1", "first", "--player2", "alphabeta:1", "--white")
    assert run.returncode == 0
    assert run.stdout.splitlines()[-1].startswith("* ")


def test_a_position_is_given_as_text_and_a_wrong_one_is_named() -> None:
    start = "1xxxxxx1/o6o/o6o/o6o/o6o/o6o/o6o/1xxxxxx1 o 1 4"
    run = play("dump\n", "--position", start, "--player2", "human")
    assert "Next move: white" in run.stdout
    wrong = play("dump\n", "--position", "8/8 x")
    assert wrong.returncode == 2
    assert "8 rows" in wrong.stderr


@pytest.mark.parametrize("typed", ["-display", "–display", "—log=x", "-log=x", "-level"])  # noqa: RUF001
def test_an_option_with_one_dash_is_told_how_it_is_typed(typed: str) -> None:
    run = play("quit\n", typed)
    assert run.returncode == 2
    assert run.stderr == (
        f"ataxxd: {typed}: long options begin with two hyphens. Type --{typed[1:]}\n"
    )
    assert run.stdout == ""
