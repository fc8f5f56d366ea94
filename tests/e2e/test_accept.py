"""The runner of acceptance scripts at real programs: ataxxd, and small ones that misbehave."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ataxxd_clients.accept import Limits, Options, Verdict, collect, run_test
from tests.time_limits import DEADLINE

ATAXXD = (sys.executable, "-m", "ataxxd")
OURS: Mapping[str, Any] = {"aliases": {"ataxxd": ATAXXD}}
# A program that does what it must is waited for, however busy the machine is.
PATIENT = Limits(move_s=DEADLINE, game_s=DEADLINE, result_s=DEADLINE)
# The same in a script.
PATIENTLY = f"#*time {DEADLINE:g} {DEADLINE:g}\n"
# A test of what happens when time is up need not wait for ten seconds.
SHORT = Limits(move_s=0.3, game_s=0.3, result_s=0.3)


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Verdict]:
    """Judges a test made of the texts of its scripts; `std` is the first one's standard."""

    def run(*texts: str, std: str | None = None, **options: Any) -> Verdict:
        for number, text in enumerate(texts, start=1):
            (tmp_path / f"t-{number}.in").write_text(text)
        if std is not None:
            (tmp_path / "t-1.std").write_text(std)
        (test,) = collect([tmp_path])
        return asyncio.run(run_test(test, Options(**{"limits": PATIENT, **options})))

    return run


def short(value: object) -> str:
    """What a parameter is called in the name of a test."""
    return str(value)[:40]


def says(*commands: str) -> str:
    """The first line of a script whose program is these shell commands."""
    return f"#* sh -c '{'; '.join(commands)}'\n"


def prints(*lines: str) -> str:
    """The first line of a script whose program prints lines, and then reads to the end."""
    return says(*(f'echo "{line}"' for line in lines), "cat >/dev/null")


# ------------------------------------------------------------- what is compared


def test_boards_and_results_asked_for_are_kept_and_all_else_is_thrown_away(
    run: Callable[..., Verdict],
) -> None:
    program = prints("Welcome!", "* Blue moves a1-a2.", "===", "  r b", "===", "bye", "* Draw.")
    verdict = run(program + "#*move\n#*win+\n", std="===\n  r b\n===\n* Draw.\n")
    assert verdict.failure is None
    assert verdict.printed[0].output == ("===", "  r b", "===", "* Draw.")


def test_a_result_stands_where_the_program_printed_it(run: Callable[..., Verdict]) -> None:
    verdict = run(prints("* Draw.", "===", "===") + "#*win+\n")
    assert verdict.printed[0].output == ("* Draw.", "===", "===")


def test_a_result_that_is_not_asked_for_is_not_printed(run: Callable[..., Verdict]) -> None:
    verdict = run(prints("* Blue moves -.", "* Draw.") + "#*move/win\n")
    assert (verdict.failure, verdict.printed[0].output) == (None, ())


def test_prompts_before_a_message_and_before_a_board_are_dropped(
    run: Callable[..., Verdict],
) -> None:
    verdict = run(
        prints("b> w> * a2-c2", "> ===", "    - w", "===", "> * Tie game.") + "#*move\n#*win+"
    )
    assert verdict.failure is None
    assert verdict.printed[0].output == ("===", "    - w", "===", "* Tie game.")


def test_a_difference_names_the_line_of_the_standard(run: Callable[..., Verdict]) -> None:
    verdict = run(prints("===", "  r -", "==="), std="===\n  r b\n===\n")
    assert verdict.failure == 't-1.std, line 2: expected "  r b", printed "  r -"'


def test_without_a_standard_nothing_is_compared(run: Callable[..., Verdict]) -> None:
    assert run(prints("===", "  r -", "===")).failure is None


def test_messages_that_nobody_waits_for_are_no_error(run: Callable[..., Verdict]) -> None:
    assert run(prints("* Blue moves a1-a2.")).failure is None


# ------------------------------------------------------------- what fails a test


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (says("exit 3"), "t-1.in, at the end: it ended with exit status 3"),
        (
            says("exit 3") + "#*move\n",
            "line 2: waited for a move: the program had ended, with exit",
        ),
        (says("kill -9 $$") + "#*move\n", "the program had ended, with the signal SIGKILL"),
        (prints("* Red won."), "* Red won."),
        (
            prints("* Red won.") + "#*move\n",
            't-1.in, line 2: waited for a move: the output line "*',
        ),
        (prints("* a2-c2", "* Red wins.") + "#*move\n#*win+", "not a message of Lines of Action"),
        (prints("* Draw.") + "#*move\n", 'waited for a move, and the result "* Draw." came'),
        (prints("* a2-c2") + "#*win+\n", 'waited for the result, and "* a2-c2" came'),
        (prints("===", "  r b"), "the last board it dumped does not end with ==="),
        (says('echo "* Draw."', "yes"), "it printed more than 1000 lines"),
        (says('echo "* Tie game."', "yes"), "it printed more than 3000 lines"),
        (says("yes >&2"), "it printed more than 3000 lines"),
        (
            says("head -c 1000000 /dev/zero", "cat"),
            "it printed a line of more than 65536 characters",
        ),
        (
            says('echo Exception in thread \\"main\\" java.lang.Error: no >&2', "cat"),
            "it broke down with java.lang.Error: no",
        ),
        ("#* /nowhere/at/all\n", 'the program "/nowhere/at/all" cannot be started: No such file'),
        ("#* ataxxd play\n#*remote move/win\n", "line 2: #*remote needs a second program"),
        ("#* ataxxd play\n#*mvoe\n", "Did you mean #*move?"),
    ],
    ids=short,
)
def test_a_program_or_a_script_at_fault_fails_the_test_with_place_and_reason(
    run: Callable[..., Verdict], script: str, words: str
) -> None:
    failure = run(script).failure
    assert failure is not None
    assert words in failure


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (says("sleep 600") + "#*move\n", "line 2: waited for a move: nothing came within 0.3 s"),
        (says("sleep 600") + "#*win+\n", "line 2: waited for the result: nothing came within"),
        (
            says("sleep 600") + "#*time 60 0.2\n#*move/win\n",
            "which was left of 0.2 s for the game",
        ),
        (says("sleep 600") + "a7-b6\n", "at the end: it did not end within 0.3 s of the end of"),
        (says("sleep 600") + "a7-b6\n" * 40_000, "it has not read its input for 0.3 s"),
    ],
    ids=short,
)
def test_a_program_that_hangs_fails_the_test_when_its_time_is_up(
    run: Callable[..., Verdict], script: str, words: str
) -> None:
    failure = run(script, limits=SHORT).failure
    assert failure is not None
    assert words in failure


def test_a_process_left_behind_with_the_output_open_fails_the_test(
    run: Callable[..., Verdict],
) -> None:
    # Only its end has a bound: by then it has started, however busy the machine is.
    script = says('sleep 600 & echo "* Draw."', "exit 0") + "#*move/win\n"
    limits = Limits(move_s=DEADLINE, game_s=DEADLINE, result_s=5.0)
    failure = run(script, limits=limits).failure
    assert failure is not None
    assert "left behind a process that holds its output open" in failure


def test_a_game_of_many_quick_moves_ends_with_the_time_for_the_game(
    run: Callable[..., Verdict],
) -> None:
    endless = 'while sleep 0.05; do echo "* a2-c2"; done'
    failure = run(says(endless) + "#*time 5 0.3\n#*move/win\n").failure
    assert failure is not None
    assert "for the game" in failure


def test_what_the_program_had_printed_before_it_failed_is_kept_for_the_details(
    run: Callable[..., Verdict],
) -> None:
    verdict = run(says('echo "==="', 'echo "==="', "echo why >&2", "exit 1"))
    assert verdict.printed[0].output == ("===", "===")
    assert verdict.printed[0].errors == ("why",)


def test_no_process_is_left_behind_by_a_test(run: Callable[..., Verdict], tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    ids = (f"echo $$ >{pids}", f"sleep 600 & echo $! >>{pids}")
    assert run(says(*ids, 'echo "* no move"', "sleep 600") + "#*move\n").failure is not None
    program, child = map(int, pids.read_text().split())
    assert ended(program)
    assert ended(child)


def ended(pid: int) -> bool:
    """Whether a process has ended; one that nobody has waited for yet has ended, too."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    state = subprocess.run(
        ["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return state.stdout.strip()[:1] in {"", "Z"}


def test_a_script_may_go_on_after_its_program_has_quit(run: Callable[..., Verdict]) -> None:
    assert run("#* ataxxd play\nquit\n" + "dump\n" * 50, **OURS).failure is None


# ------------------------------------------------------------- two programs

FIRST = (
    "#* ataxxd play --level 2\nseed 1\nmanual blue\nauto red\n#*move\n#*remote move/win+\ndump\n"
)
SECOND = "#* ataxxd play --level 2\nseed 2\n#*remote move/win+\ndump\n"


def test_two_programs_play_a_whole_game_and_end_with_one_board_and_one_result(
    run: Callable[..., Verdict],
) -> None:
    verdict = run(FIRST, SECOND, **OURS)
    assert verdict.failure is None
    one, two = (printed.output for printed in verdict.printed)
    assert one == two
    assert one[0] in {"* Red wins.", "* Blue wins.", "* Draw."}
    assert len(one) == 1 + 9


def test_the_same_seeds_give_the_same_game(run: Callable[..., Verdict]) -> None:
    games = []
    for _ in range(2):
        log: list[str] = []
        assert run(FIRST, SECOND, log=log.append, **OURS).failure is None
        games.append([line for line in log if line.startswith("[1]>")])
    assert games[0] == games[1]
    assert len(games[0]) > 10


def test_two_that_both_wait_are_told_so(run: Callable[..., Verdict]) -> None:
    failure = run(SECOND, SECOND, **OURS).failure
    assert failure is not None
    assert "each program waits for the other to move" in failure


def test_programs_that_disagree_on_the_result_fail_the_test(run: Callable[..., Verdict]) -> None:
    failure = run(
        prints("* Red moves a7-a6.", "* Red wins.") + "#*move\n#*remote move/win\n",
        says("read move", 'echo "* Blue wins."', "cat") + "#*remote move/win\n",
    ).failure
    assert failure is not None
    assert "the programs disagree on the result" in failure


def test_a_program_that_goes_on_after_the_end_fails_the_test(run: Callable[..., Verdict]) -> None:
    failure = run(
        prints("* Red moves a7-a6.", "* Red moves a6-a5.") + "#*move\n#*remote move/win\n",
        says("read move", 'echo "* Red wins."', "cat") + "#*remote move/win\n",
    ).failure
    assert failure == (
        't-1.in, line 3: the other program says "* Red wins.", and this one "* Red moves a6-a5."'
    )


def test_when_one_program_fails_the_other_is_ended_with_it(run: Callable[..., Verdict]) -> None:
    failure = run(FIRST, says("exit 4") + "#*remote move/win\n", **OURS).failure
    assert failure is not None
    assert failure.startswith("t-2.in, line 2")
    assert "exit status 4" in failure


def test_who_waits_for_a_side_whose_script_has_ended_is_told_so(
    run: Callable[..., Verdict],
) -> None:
    failure = run(FIRST, "#* cat\n", **OURS).failure
    assert failure is not None
    assert "waited for the other program, whose script has come to its end" in failure


# ------------------------------------------------------------- the command


def accept(*arguments: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ataxxd", "accept", *arguments],
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=DEADLINE,
        check=False,
    )


@pytest.mark.gate
def test_the_command_prints_a_line_for_each_test_and_a_summary(tmp_path: Path) -> None:
    (tmp_path / "good.in").write_text("#* cat\n")
    (tmp_path / "bad.in").write_text("#* false\n")
    done = accept(tmp_path, "--show=1", folder=tmp_path)
    lines = done.stdout.splitlines()
    assert lines[0] == "FAILED  bad   bad.in, at the end: it ended with exit status 1"
    assert lines[1].startswith("ok      good  ")
    assert "---- bad: bad.in, at the end: it ended with exit status 1" in lines
    assert lines[-1].startswith("1 passed, 1 failed, ")
    assert done.returncode == 1


def test_verbose_shows_every_line_that_passes(tmp_path: Path) -> None:
    (tmp_path / "t.in").write_text("#* sh -c 'read a; echo $a; echo so >&2'\nhello\n")
    done = accept("t.in", "--verbose", folder=tmp_path)
    assert sorted(done.stderr.splitlines()) == ["[1]< hello", "[1]> hello", "[1]E> so"]
    assert done.returncode == 0


def test_keep_leaves_the_output_and_the_errors_and_nothing_is_left_otherwise(
    tmp_path: Path,
) -> None:
    (tmp_path / "t.in").write_text("#* sh -c 'echo ===; echo ===; echo so >&2'\n")
    accept("t.in", folder=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["t.in"]
    accept("t.in", "--keep", folder=tmp_path)
    assert (tmp_path / "t.out").read_text() == "===\n===\n"
    assert (tmp_path / "t.err").read_text() == "so\n"


def test_another_program_can_be_tested_with_the_same_scripts(tmp_path: Path) -> None:
    (tmp_path / "t.in").write_text("#* java -ea ataxx.Main\ndump\n")
    # One that starts at once: the command gives it five seconds for its end.
    assert accept("t.in", "--program", "cat -u", folder=tmp_path).returncode == 0
    done = accept("t.in", "--program", "false", folder=tmp_path)
    assert (done.returncode, "exit status 1" in done.stdout) == (1, True)


def test_two_scripts_of_any_names_play_each_other_when_paired(tmp_path: Path) -> None:
    moves = prints("* Red moves a7-a6.", "* Red wins.")
    agrees = says("read move", 'echo "* Red wins."', "cat")
    (tmp_path / "red.in").write_text(moves + PATIENTLY + "#*move\n#*remote move/win\n")
    (tmp_path / "blue.in").write_text(agrees + PATIENTLY + "#*remote move/win\n")
    done = accept("red.in", "blue.in", "--pair", folder=tmp_path)
    assert done.stdout.startswith("ok      red and blue  ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--pair", "t.in"), "--pair takes two scripts"),
        (("t.in", "--program", "'"), "is not a command"),
        ((), "Missing argument"),
    ],
)
def test_wrong_arguments_are_explained_and_nothing_is_run(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    (tmp_path / "t.in").write_text("#* touch ran\n")
    done = accept(*arguments, folder=tmp_path)
    assert words in done.stderr
    assert done.returncode == 2
    assert not (tmp_path / "ran").exists()


def test_a_script_that_is_not_there_is_told_as_any_other_file(tmp_path: Path) -> None:
    for arguments in (("gone.in",), ("--pair", "gone.in", "gone.in")):
        done = accept(*arguments, folder=tmp_path)
        assert "There is no script gone.in" in done.stderr
        assert done.returncode == 10


def test_an_interrupt_ends_the_command_and_the_program_under_test(tmp_path: Path) -> None:
    (tmp_path / "t.in").write_text(f"#* sh -c 'echo $$ >&2; sleep 600'\n{PATIENTLY}#*move\n")
    with subprocess.Popen(
        [*ATAXXD, "accept", "--verbose", "t.in"], cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as command:
        assert command.stderr is not None
        pid = int(command.stderr.readline().removeprefix("[1]E> "))
        command.send_signal(signal.SIGINT)
        assert command.wait() == 130
    assert ended(pid)
