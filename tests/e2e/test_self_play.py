"""Self-play on many machines: real workers at a real NATS server, some of them killed."""

import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.conftest import require
from tests.nats_server import NatsServer
from tests.time_limits import BUILT

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "engine" / "Cargo.toml"
TRAIN = ROOT / "engine" / "target" / "release" / "ataxxd-train"
PROGRAM = (sys.executable, "-m", "tools.self_play")


@pytest.fixture(scope="module")
def train() -> Path:
    """The program that plays and fits."""
    build = ("cargo", "build", "--quiet", "--locked", "--release", "--package", "ataxxd-train")
    subprocess.run([*build, "--manifest-path", str(MANIFEST)], check=True, timeout=BUILT)
    return TRAIN


@pytest.fixture
def server(tmp_path: Path) -> Iterator[NatsServer]:
    require(NatsServer)
    with NatsServer(tmp_path / "nats") as running:
        yield running


def start(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, *map(str, words)],
        cwd=ROOT, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def until(program: subprocess.Popen[str], beginning: str) -> str:
    """The next line that a program says which begins so."""
    assert program.stderr is not None
    said: list[str] = []
    for line in program.stderr:
        said.append(line)
        if line.startswith(beginning):
            return line
    raise AssertionError(f"it ended without {beginning!r}:\n{''.join(said)}")


def played_here(train: Path, words: Sequence[str], file: Path) -> bytes:
    subprocess.run([train, "games", *words, file], check=True, capture_output=True, timeout=BUILT)
    return file.read_bytes()


def test_the_games_are_those_of_one_machine_though_all_are_killed_in_between(
    server: NatsServer, train: Path, tmp_path: Path
) -> None:
    weights = tmp_path / "some.bin"
    weights.write_bytes((ROOT / "engine" / "search" / "src" / "ataxx" / "weights.bin").read_bytes())
    words = ("ataxx", str(weights), "96", "60", "7")
    whole = played_here(train, words, tmp_path / "whole.games")
    file = tmp_path / "played.games"
    play = ("play", server.url, *words, file, "--part", "8")
    with ExitStack() as stack:

        def begun(*arguments: str | Path) -> subprocess.Popen[str]:
            program = stack.enter_context(start(*arguments))
            stack.callback(program.kill)
            return program

        collector = begun(*play)
        killed = begun("work", server.url, "--threads", "1")
        until(killed, "Played")
        killed.kill()
        others = [begun("work", server.url, "--threads", "1") for _ in range(2)]
        until(collector, "16 of 96 games")
        collector.kill()
        collector.wait(BUILT)
        server.kill()
        server.restart()
        again = begun(*play)
        until(again, "96 of 96 games")
        assert again.wait(BUILT) == 0
        for other in others:
            assert other.poll() is None, "it is there for the next games"
    assert file.read_bytes() == whole


def test_who_plays_otherwise_is_told_so_and_games_that_are_others_are_played_again(
    server: NatsServer, train: Path, tmp_path: Path
) -> None:
    words = ("ataxx", "shipped", "16", "60", "7")
    whole = played_here(train, words, tmp_path / "whole.games")
    # As another build would: other games after the first, which is compared before any is played.
    lies = tmp_path / "lies"
    lies.write_text(
        f"#!/bin/sh\ncase $4 in 0..1) seed=$6;; *) seed=8;; esac\n"
        f'exec {train} "$1" "$2" "$3" "$4" "$5" "$seed" "$7" "$8"\n'
    )
    # As another version would.
    differs = tmp_path / "differs"
    differs.write_text(f'#!/bin/sh\nexec {train} "$1" "$2" "$3" "$4" 400 "$6" "$7" "$8"\n')
    for each in (lies, differs):
        each.chmod(0o700)
    file = tmp_path / "played.games"
    with ExitStack() as stack:

        def begun(*arguments: str | Path) -> subprocess.Popen[str]:
            program = stack.enter_context(start(*arguments))
            stack.callback(program.kill)
            return program

        collector = begun("play", server.url, *words, file, "--part", "16", "--train", train)
        other = begun("work", server.url, "--train", differs)
        until(other, "ataxxd-train plays otherwise here")
        assert other.wait(BUILT) == 1
        liar = begun("work", server.url, "--train", lies)
        until(collector, "Games 0 to 15 are played again")
        liar.kill()
        begun("work", server.url, "--train", train)
        until(collector, "16 of 16 games")
        assert collector.wait(BUILT) == 0
    assert file.read_bytes() == whole
    # A file of other games is not added to.
    words = ("ataxx", "shipped", "16", "60", "9")
    refused = start("play", server.url, *words, file, "--train", train)
    assert "it holds something else" in refused.communicate(timeout=BUILT)[1]
    assert refused.returncode == 1
