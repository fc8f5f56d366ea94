"""``ataxxd play`` as other programs see it: pipes, files, time limits and exit statuses."""

import os
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
import pytest_asyncio

from tests.e2e.line_program import PROGRAM, Program
from tests.time_limits import DEADLINE

Start = Callable[..., Awaitable[Program]]


@pytest_asyncio.fixture
async def start() -> AsyncIterator[Start]:
    """Starts programs that are ended after the test."""
    programs: list[Program] = []

    async def start(*arguments: str) -> Program:
        programs.append(await Program.start("play", *arguments))
        return programs[-1]

    yield start
    for program in programs:
        await program.kill()


def play(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """Run the program on a text that is all there from the beginning."""
    return subprocess.run(
        [*PROGRAM, "play", *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )


async def test_an_answer_comes_while_the_input_stays_open(start: Start) -> None:
    program = await start()
    program.send("a7-b6")
    assert await program.move()
    program.send("undo\na7-b7")
    assert await program.move()
    assert await program.finish() == 0


async def test_a_line_may_come_in_pieces(start: Start) -> None:
    program = await start()
    for piece in ("a", "7-", "b", "6\n\n#"):
        program.write(piece)
    assert await program.move()
    assert await program.finish() == 0


async def test_the_end_of_the_input_ends_the_program_while_an_ai_game_goes_on(
    start: Start,
) -> None:
    program = await start("--level", "10")
    await program.reads()
    program.send("auto red")
    program.ignore_messages()
    assert await program.finish() == 0


async def test_a_game_of_the_default_ais_ends_within_the_times_of_the_harness(
    start: Start,
) -> None:
    program = await start()
    program.send("seed 2024\nauto red")
    await program.play_to_result()
    assert len(program.moves) > 20
    assert await program.finish() == 0


@pytest.mark.gate
async def test_an_ai_game_is_the_same_again_for_the_same_seed(start: Start) -> None:
    games = []
    for seed in (1, 1, 2):
        program = await start("--level", "4")
        program.send(f"seed {seed}\nauto red")
        await program.play_to_result()
        games.append((program.moves, program.result))
        assert await program.finish() == 0
    assert games[0] == games[1]


@pytest.mark.gate
def test_errors_leave_the_exit_status_zero_and_go_to_standard_error() -> None:
    played = play("bogus\na7-d4\nblock a1\nundo x\n")
    assert (played.returncode, played.stdout) == (0, "")
    assert len(played.stderr.splitlines()) == 4
    assert "Traceback" not in played.stderr


def test_strict_ends_with_a_failure_at_the_first_error() -> None:
    played = play("a7-d4\ndump\n", "--strict")
    assert played.returncode != 0
    assert played.stdout == ""


def test_quit_and_the_end_of_the_input_end_with_status_zero() -> None:
    for script in ("quit\nbogus\n", "quit", ""):
        played = play(script)
        assert (played.returncode, played.stdout, played.stderr) == (0, "", "")
    played = play("help")
    assert played.returncode == 0
    assert "quit" in played.stdout


def test_no_prompt_is_printed_where_no_terminal_is() -> None:
    assert play("manual blue\na7-b6\n").stdout == ""


def test_commands_are_read_from_a_file_and_answered_into_another(tmp_path: Path) -> None:
    script, answers = tmp_path / "in", tmp_path / "out"
    script.write_text("manual blue\na7-b6\ndump\n")
    played = play("dump\n", str(script), "--output", str(answers))
    assert (played.returncode, played.stdout) == (0, "")
    assert "  - r - - - - -\n" in answers.read_text()


def test_a_game_in_a_file_is_played_to_its_end(tmp_path: Path) -> None:
    script = tmp_path / "in"
    script.write_text("auto red\n")
    played = play("", "--level", "2", str(script))
    assert played.stdout.splitlines()[-1] in {"* Red wins.", "* Blue wins.", "* Draw."}


def test_a_reader_that_goes_away_ends_the_program_without_a_word() -> None:
    reading, writing = os.pipe()
    with subprocess.Popen(
        [*PROGRAM, "play"],
        stdin=subprocess.PIPE,
        stdout=writing,
        stderr=subprocess.PIPE,
        text=True,
    ) as program:
        os.close(writing)
        os.close(reading)
        _, errors = program.communicate("dump\n" * 10, timeout=DEADLINE)
    assert (program.returncode, errors) == (0, "")
