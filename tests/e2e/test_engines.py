"""Engines of others in whole programs, and what is left of them afterwards."""

import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ataxxd.errors import ExitCode
from tests.docs.pages import ROOT
from tests.e2e.line_program import PROGRAM
from tests.e2e.nodes import Nodes
from tests.time_limits import DEADLINE

OURS = f"limit=nodes:300 {shlex.join([*PROGRAM, 'uai'])}"
ROGUE = shlex.join([sys.executable, str(ROOT / "tests" / "rogue_engine.py")])


def play(text: str, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*PROGRAM, "play", *arguments],
        input=text, capture_output=True, text=True, timeout=DEADLINE, check=False,
    )  # fmt: skip


def test_the_other_engine_plays_where_ours_would() -> None:
    done = play("auto red\nauto blue\n", "--engine", OURS)
    assert done.returncode == ExitCode.OK, done.stderr
    assert "wins." in done.stdout or "Draw." in done.stdout


def test_two_engines_play_each_other_by_name() -> None:
    name = f"engine:{OURS}"
    done = play("board\n", "--player1", name, "--player2", name)
    assert done.returncode == ExitCode.OK, done.stderr


def test_an_engine_that_cheats_ends_the_program_with_its_code() -> None:
    done = play("a7-b6\n", "--engine", f"limit=100ms {ROGUE} cheats")
    assert done.returncode == ExitCode.ENGINE_FAILED
    assert "The engine Rogue answered 'bestmove d4'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--engine", "no-such-engine"),
        ("--engine-protocol", "uai"),
        ("--game", "loa", "--engine", "true"),
        ("--engine", "true", "--engine-protocol", "chess"),
    ],
)
def test_what_cannot_be_run_is_said_before_the_game(arguments: tuple[str, ...]) -> None:
    done = play("", *arguments)
    assert done.returncode == ExitCode.USAGE
    assert done.stderr.startswith("ataxxd: ")


@pytest.mark.gate
async def test_engines_play_over_the_network(nodes: Nodes) -> None:
    host = await nodes.node("host").host("ours", "--engine", OURS)
    guest = await nodes.node("guest").start("join", "ours", "--player", f"engine:{OURS}")
    await host.ends()
    await guest.ends()


async def test_a_game_of_an_engine_goes_on_after_a_crash(nodes: Nodes) -> None:
    node = nodes.node("host")
    host = await node.host("ours", "--engine", OURS)
    guest = await nodes.node("guest").start("join", "ours", "--auto", "--level", "1")
    assert await host.has_printed(4)
    await host.kill()
    resumed = await node.start("resume")
    await resumed.ends()
    await guest.ends()


async def test_a_host_whose_engine_plays_another_game_offers_none(nodes: Nodes) -> None:
    host = await nodes.node("host").run(
        "host", "ours", "--game", "loa", "--engine", OURS, "--engine-protocol", "uai",
        code=ExitCode.USAGE,
    )  # fmt: skip
    await host.says("play ataxx, not loa")


@pytest.mark.gate
@pytest.mark.parametrize(
    ("command", "said", "answers"),
    [
        ("uai", "position startpos\ngo infinite\n", "bestmove "),
        ("hub", "hub\ninit\nlevel infinite\ngo analyze\n", "done move="),
        ("nboard", "nboard 2\nset depth 60\ngo\n", "=== "),
    ],
)
def test_our_engine_ends_with_its_input_in_the_middle_of_a_search(
    command: str, said: str, answers: str
) -> None:
    done = subprocess.run(
        [*PROGRAM, command],
        input=said,
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
    )
    assert (done.returncode, done.stderr) == (ExitCode.OK, "")
    assert any(line.startswith(answers) for line in done.stdout.splitlines())


def test_our_engine_ends_when_nobody_listens_any_more() -> None:
    engine = subprocess.Popen(
        [*PROGRAM, "uai"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    assert engine.stderr is not None
    engine.stdin.write(b"go infinite\n")
    engine.stdin.flush()
    engine.stdout.readline()
    engine.stdout.close()
    engine.stdin.close()
    assert engine.wait(DEADLINE) == ExitCode.OK
    assert engine.stderr.read() == b""
    engine.stderr.close()


@pytest.mark.parametrize(
    ("command", "said", "answers"),
    [
        ("uai", "setoption name Hash value 8192\ngo depth 2\n", "bestmove "),
        ("hub", "hub\nset-param name=hash value=8192\nlevel depth=2\ngo think\n", "done move="),
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="sets a limit of Unix")
def test_a_table_without_room_is_refused_and_the_old_one_serves_on(
    command: str, said: str, answers: str
) -> None:
    # Of addresses there are four gibibytes, whatever memory the machine has.
    limited = ["sh", "-c", 'ulimit -v 4194304; exec "$@"', "sh", *PROGRAM, command]
    done = subprocess.run(
        limited, input=said, capture_output=True, text=True, timeout=DEADLINE, check=False
    )
    assert (done.returncode, done.stderr) == (ExitCode.OK, "")
    assert "There is not enough memory for a table of 8192 mebibytes" in done.stdout
    assert any(line.startswith(answers) for line in done.stdout.splitlines())


def test_lines_of_a_search_and_answers_to_questions_stay_apart() -> None:
    rounds = 60
    engine = subprocess.Popen(
        [*PROGRAM, "uai"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert engine.stdin is not None
    assert engine.stdout is not None
    said: list[str] = []
    for _ in range(rounds):
        engine.stdin.write("go infinite\nisready\nisready\nisready\nstop\n")
        engine.stdin.flush()
        while not said or not said[-1].startswith("bestmove"):
            said.append(engine.stdout.readline())
            assert said[-1], f"it ended, and has said {said}"
        said.append("")
    engine.stdin.close()
    assert engine.wait(DEADLINE) == ExitCode.OK
    engine.stdout.close()
    assert said.count("readyok\n") == 3 * rounds
    assert "\n" not in said


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at /proc")
def test_an_engine_and_its_children_end_with_a_program_that_is_killed(tmp_path: Path) -> None:
    told = tmp_path / "told"
    script = f"exec 3>{shlex.quote(str(told))}; exec {ROGUE} breeds | tee /dev/fd/3"
    program = subprocess.Popen(
        [*PROGRAM, "play", "--engine", f"limit=100s sh -c {shlex.quote(script)}"],
        stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    assert program.stdin is not None
    program.stdin.write(b"a7-b6\n")
    program.stdin.flush()
    deadline = time.monotonic() + DEADLINE
    try:
        while not (found := [line for line in _lines(told) if line.startswith("info string")]):
            assert time.monotonic() < deadline
            os.sched_yield()
    finally:
        program.send_signal(signal.SIGKILL)
        program.wait()
        program.stdin.close()
    pids = [int(word) for word in found[0].split()[2:]]
    while any(map(alive, pids)):
        assert time.monotonic() < deadline
        os.sched_yield()


def _lines(path: Path) -> list[str]:
    text = path.read_text() if path.exists() else ""
    return text.splitlines() if text.endswith("\n") else []
