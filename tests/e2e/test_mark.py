"""``ataxxd lab`` and ``ataxxd mark`` as a student types them."""

import json
import shlex
import signal
import subprocess
import sys

import pytest

from ataxxd.errors import ExitCode
from ataxxd.rules import Position
from tests.docs.pages import ROOT
from tests.e2e.line_program import PROGRAM
from tests.e2e.spawned import Spawn
from tests.time_limits import BUILT

STATE = "{........|........|........|...wb...|...bbb..|........|........|........}"
REFERENCE = shlex.join([*PROGRAM, "lab", "answer"])
STUDENT = shlex.join([sys.executable, str(ROOT / "tests" / "students.py")])
# So that no load of the machine makes a right move too slow.
EASY = ("--handicap", "1000000", "--move-limit", str(BUILT), "--game-limit", str(BUILT))


def ataxxd(*arguments: str, text: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, *arguments],
        input=text,
        capture_output=True,
        text=True,
        timeout=BUILT,
        check=False,
    )


@pytest.mark.gate
def test_board_eval_and_values_of_a_state_are_printed() -> None:
    assert ataxxd("lab", "eval", STATE).stdout == "-9\n"
    # Also when a shell has split it, or it comes by a pipe.
    assert ataxxd("lab", "eval", STATE[:20], STATE[20:]).stdout == "-9\n"
    assert ataxxd("lab", "eval", "-", text=STATE + "\n").stdout == "-9\n"
    values = ataxxd("lab", "value", STATE, "--depth", "2")
    assert values.stdout == "(3,5) -21\n(5,3) -27\n(5,5) -13 chosen\n-13\n"
    assert ataxxd("lab", "value", "{b.w}").stdout == "-100\n"


def test_values_are_one_object_for_programs() -> None:
    row = json.loads(ataxxd("lab", "value", STATE, "--depth", "2", "--json").stdout)
    assert row["state"] == STATE
    assert (row["eval"], row["depth"], row["value"], row["move"]) == (-9, 2, -13, "(5,5)")
    assert row["moves"][0] == {"move": "(3,5)", "value": -21}


def test_a_wrong_state_or_program_is_a_usage_error() -> None:
    for arguments in (["lab", "eval", "{wx}"], ["mark", "./no-such-program"], ["mark", "'"]):
        done = ataxxd(*arguments)
        assert done.returncode == ExitCode.USAGE
        assert done.stderr.startswith("ataxxd: ")
        assert done.stdout == ""


def test_our_alphabeta_gets_all_marks_at_the_depths_of_the_laboratory() -> None:
    done = ataxxd("mark", REFERENCE, "--seed", "4", *EASY)
    assert done.returncode == ExitCode.OK, done.stdout
    assert done.stdout.splitlines()[-1].split() == ["20", "of", "20"]
    assert done.stdout.count(" won\n") == 12


def test_a_random_player_gets_few_marks_and_its_faults_are_told() -> None:
    done = ataxxd("mark", f"{REFERENCE} --player random", "--seed", "1", "--depth", "3", *EASY)
    assert done.returncode == ExitCode.FAILURE
    *_, search, speed, total = done.stdout.splitlines()
    assert search.startswith("   0 of 4   minimax search")
    assert speed.startswith("   0 of 2   speed")
    assert int(total.split()[0]) <= 12
    assert 'ataxxd lab value "' in done.stdout
    assert "more faults; all of them: --seed 1 --show" in done.stderr


def test_a_marking_is_the_same_for_a_seed_and_told_to_programs() -> None:
    command = ("mark", REFERENCE, "--seed", "2", "--depth", "2", "--json", *EASY)
    rows = [[json.loads(line) for line in ataxxd(*command).stdout.splitlines()] for _ in range(2)]
    for row in rows[0] + rows[1]:
        for turn in row.get("turns", []):
            assert turn.pop("seconds") >= 0
            turn.pop("reference_seconds")
    assert rows[0] == rows[1]
    *games, marks = rows[0]
    assert [game["game"] for game in games] == list(range(1, 13))
    assert (marks["marks"], marks["of"]) == (20, 20)
    assert [each["of"] for each in marks["for"]] == [4, 4, 4, 2, 4, 2]
    turn = games[0]["turns"][0]
    assert turn["move"] == turn["right_move"]
    assert Position.from_text("reversi/standard", turn["state"]).outcome is None


@pytest.mark.gate
def test_marks_enough_are_a_success() -> None:
    command = f"{STUDENT} 'has no boardEval' 0"
    options = ("--seed", "1", "--depth", "2", "--show", "0", *EASY)
    assert ataxxd("mark", command, *options).returncode == ExitCode.FAILURE
    assert ataxxd("mark", command, *options, "--pass", "18").returncode == ExitCode.OK


@pytest.mark.parametrize(
    ("how", "said", "limits"),
    [
        ("crashes", "no such square", EASY),
        ("ends", "status 0", EASY),
        ("hangs", "does not answer in time", ("--move-limit", "2")),
    ],
    ids=["crashes", "ends", "hangs"],
)
def test_a_program_that_answers_neither_question_ends_the_marking_at_once(
    how: str, said: str, limits: tuple[str, ...]
) -> None:
    done = ataxxd("mark", f"{STUDENT} {how} 0", *limits, "--seed", "1")
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert done.stdout == ""
    assert "cannot be marked" in done.stderr
    assert said in done.stderr


@pytest.mark.parametrize("how", ["floods", "raves", "talks", "crashes", "is killed"])
def test_a_program_that_fails_now_and_then_is_marked_to_the_end(how: str) -> None:
    done = ataxxd("mark", f"{STUDENT} '{how}' 99", "--seed", "1", "--depth", "2", *EASY)
    assert done.returncode == ExitCode.FAILURE, done.stderr
    *_, search, speed, total = done.stdout.splitlines()
    # Two faults in some 120 turns and as many values.
    assert "3 of 4   minimax search" in search or "1 of 2   board evaluation" in done.stdout
    assert 15 <= int(total.split()[0]) < 20
    assert speed
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_marking_that_is_stopped_leaves_nothing(number: signal.Signals, spawn: Spawn) -> None:
    marking = spawn("mark", f"{STUDENT} breeds 2", "--seed", "1", "--show", "0")
    marking.until("Marking ")
    marking.send(number)
    code, _, said = marking.finished()
    assert code == ExitCode.INTERRUPTED, said
    assert "no marks are given" in said
