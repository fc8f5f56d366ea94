"""Every program in docs/examples does what its page says, on Mosquitto and the embedded broker."""

import ast
import json
import os
import random
import re
import runpy
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from ataxxd import client
from ataxxd.rules import Position, Side
from tests.brokers import Mosquitto, free_port
from tests.docs.pages import ROOT, page_paths, read_page
from tests.time_limits import BUILT, DEADLINE

EXAMPLES = ROOT / "docs" / "examples"
PAGE = read_page(ROOT / "docs" / "how-to" / "write-a-bot.md")


@pytest.fixture(params=["mosquitto", "embedded"])
def broker(request: pytest.FixtureRequest) -> str:
    """The address of a broker of each kind."""
    if request.param == "mosquitto":
        mosquitto = request.getfixturevalue("mosquitto")
        assert isinstance(mosquitto, Mosquitto)
        return mosquitto.url
    return str(request.getfixturevalue("broker_url"))


@contextmanager
def running(*command: str | Path, broker: str, home: Path) -> Iterator[subprocess.Popen[str]]:
    """A program of a node with a home of its own, in the folder above it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ATAXXD_")}
    environment: Mapping[str, str] = kept | {"ATAXXD_HOME": str(home), "ATAXXD_BROKER": broker}
    with subprocess.Popen(
        [sys.executable, *command],
        cwd=home.parent,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> str:
    """What a program says until its end, which must be a good one."""
    said, _ = process.communicate(timeout=BUILT)
    assert process.returncode == 0, said
    return said


@pytest.mark.gate
def test_the_bot_of_the_page_is_the_bot_of_the_file_and_has_twenty_lines() -> None:
    (shown,) = [block.text for block in PAGE.blocks if "file=bot.py" in block.marks]
    docstring, _, code = (EXAMPLES / "bot.py").read_text().partition("\n\n")
    assert docstring.startswith('"""A bot')
    assert code == shown
    assert len([line for line in shown.splitlines() if line]) <= 20


def test_the_student_of_the_page_is_the_student_of_the_file_and_gets_all_marks(
    tmp_path: Path,
) -> None:
    page = read_page(ROOT / "docs" / "how-to" / "mark-a-reversi-program.md")
    (shown,) = [block.text for block in page.blocks if "file=reversi_student.py" in block.marks]
    assert (EXAMPLES / "reversi_student.py").read_text().partition("\n\n")[2] == shown
    # No load of the machine makes a right move too slow.
    easy = ("--handicap", "1000000", "--depth", "2",
            "--move-limit", str(BUILT), "--game-limit", str(BUILT))  # fmt: skip
    student = (sys.executable, str(EXAMPLES / "reversi_student.py"))
    done = subprocess.run(
        [sys.executable, "-m", "ataxxd", "mark", *easy, "--", *student],
        cwd=tmp_path, capture_output=True, text=True, timeout=BUILT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].split() == ["20", "of", "20"]


@pytest.mark.gate
def test_the_pieces_of_the_page_are_python_and_name_what_there_is() -> None:
    pieces = [block.text for block in PAGE.blocks if block.language == "python" and not block.marks]
    assert len(pieces) >= 2
    for piece in pieces:
        tree = ast.parse("async def piece():\n" + textwrap.indent(piece, "    "))
        matched = [each.cls for each in ast.walk(tree) if isinstance(each, ast.MatchClass)]
        names = {each.id for each in matched if isinstance(each, ast.Name)}
        assert names <= set(client.__all__), names


@pytest.mark.gate
def test_ten_lines_host_and_join_and_fewer_look_on(broker: str, tmp_path: Path) -> None:
    said = []
    for block in (block for block in PAGE.blocks if "runs" in block.marks):
        assert len([line for line in block.text.splitlines() if line]) <= 10
        script = tmp_path / "script.py"
        body = textwrap.indent(block.text, "    ")
        script.write_text(f"import asyncio\nasync def main():\n{body}\nasyncio.run(main())\n")
        with running(script, broker=broker, home=tmp_path / "eve") as program:
            said.append(ended(program).splitlines())
    (score,), (*moves, shown) = said
    assert shown == score
    assert len(moves) >= 9  # no game of reversi is over before
    assert moves[0].startswith("1 FIRST ")


def test_the_bot_that_speaks_uai_plays_a_match(tmp_path: Path) -> None:
    bot = shlex.join([sys.executable, str(EXAMPLES / "uai_bot.py")])
    done = subprocess.run(
        [sys.executable, "-m", "ataxxd", "match", f"engine:{bot}", "first", "--games", "2",
         "--seed", "1"],
        cwd=tmp_path, capture_output=True, text=True, timeout=BUILT, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    greedy = next(line.split() for line in done.stdout.splitlines() if line.startswith("Greedy"))
    won, drawn, lost, failed = map(int, greedy[1:])
    assert (won + drawn + lost, failed) == (2, 0)


@pytest.mark.gate
def test_every_example_has_its_place_on_a_page() -> None:
    pages = [read_page(path) for path in page_paths()]
    links = [target for page in pages for _, target in page.links]
    named = {Path(target).name for target in links if "examples/" in target}
    assert named == {path.name for path in EXAMPLES.glob("*.py")}


@pytest.mark.gate
def test_a_bot_and_a_watcher_make_a_game_and_its_file(broker: str, tmp_path: Path) -> None:
    (typed,) = [block.text for block in PAGE.blocks if block.text.startswith("python watcher.py")]
    *_, name, target = shlex.split(typed)
    watcher = (EXAMPLES / "watcher.py", name, target)
    with running(EXAMPLES / "bot.py", "ourgame", broker=broker, home=tmp_path / "bot") as bot:
        assert bot.stdout is not None
        said = bot.stdout.readline()
        invitation = re.fullmatch(r"ataxxd join (ourgame#\S+)\n", said)
        assert invitation is not None, said
        join = ("-m", "ataxxd", "join", invitation[1], "--player", "random:1")
        with (
            running(*watcher, broker=broker, home=tmp_path / "eve") as eve,
            running(*join, broker=broker, home=tmp_path / "guest") as guest,
        ):
            seen, outcome = ended(eve), ended(bot)
            ended(guest)
    assert re.fullmatch(r"(1-0|0-1|1/2-1/2) \(no-moves\)\n", outcome), outcome
    record = json.loads((tmp_path / "ourgame.json").read_bytes())
    plies = sum(line.split()[1:2] in (["first"], ["second"]) for line in seen.splitlines())
    assert plies >= 9  # no game of reversi is over before
    assert record["offer"]["ruleset"] == "reversi/standard"
    assert (tmp_path / target).read_text().startswith("(;GM[Othello]")


@pytest.mark.gate
@pytest.mark.parametrize(
    "words",
    [
        ("bot.py", "ourgame"),
        ("watcher.py", "ourgame", "game.ggf"),
        ("tournament.py", "reversi", "."),
        ("network.py", "join", "weights.npz", "ourgame"),
    ],
    ids=lambda words: words[0],
)
def test_an_example_without_a_broker_says_so_in_one_line(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    np.savez(tmp_path / "weights.npz", hidden=np.zeros((64, 64)), output=np.zeros(64))
    script, *rest = words
    port = free_port()
    nowhere = f"mqtt://127.0.0.1:{port}"
    with running(EXAMPLES / script, *rest, broker=nowhere, home=tmp_path / "home") as program:
        said, _ = program.communicate(timeout=DEADLINE)
    assert program.returncode == 1
    (line,) = said.splitlines()
    assert line.startswith(f"No broker answers at {nowhere}: ")
    assert line.endswith(f"ataxxd broker --port {port}")


@pytest.mark.parametrize("script", ["bot.py", "watcher.py", "tournament.py"])
def test_an_example_without_arguments_says_which_it_takes(script: str, tmp_path: Path) -> None:
    with running(EXAMPLES / script, broker="unused", home=tmp_path / "home") as program:
        said, _ = program.communicate(timeout=DEADLINE)
    assert program.returncode == 1
    assert said.startswith(f"Usage: python {script} ")
    assert len(said.splitlines()) == 1


def test_two_bots_in_one_process_play_their_tournament(broker: str, tmp_path: Path) -> None:
    script = (EXAMPLES / "tournament.py", "reversi/standard", ".")
    with running(*script, broker=broker, home=tmp_path / "unused") as tournament:
        said = ended(tournament)
    # Against any legal move even two plies of thought win, nearly always.
    assert re.match(r"auto@2 +[1-4] of 4\n", said), said


def test_a_network_learns_and_plays_what_it_has_learned(broker: str, tmp_path: Path) -> None:
    network = EXAMPLES / "network.py"
    with running(network, "train", "weights.npz", "20", broker=broker, home=tmp_path / "a") as it:
        ended(it)
    host = ("-m", "ataxxd", "host", "ourgame", "--game", "reversi", "--player", "first")
    with running(*host, broker=broker, home=tmp_path / "host") as hosting:
        assert hosting.stdout is not None
        heard = [""]
        while "Waiting for a guest" not in heard[-1]:
            heard.append(hosting.stdout.readline())
            assert heard[-1], f"the host ended:\n{''.join(heard)}"
        joining = (network, "join", "weights.npz", "ourgame")
        with running(*joining, broker=broker, home=tmp_path / "guest") as guest:
            said = ended(guest)
            assert re.fullmatch(r"second (1-0|0-1|1/2-1/2) \(no-moves\)\n", said), said
        ended(hosting)


def test_the_network_gets_better_by_learning() -> None:
    module = runpy.run_path(str(EXAMPLES / "network.py"))
    choose, chance = module["train"](150).choose, random.Random(5)
    points = 0.0
    for game in range(100):
        ours, position = (Side.FIRST, Side.SECOND)[game % 2], Position.start("reversi/standard")
        while position.outcome is None:
            moves = position.legal_moves
            move = choose(position) if position.turn is ours else chance.choice(moves)
            position = position.play(move)
        winner = position.outcome.winner
        points += 0.5 if winner is None else winner is ours
    # It makes about 80 points; one that has learned nothing, 52.
    assert points > 60
